"""The rows of a bucket that are still needed as rows: to be told, or told again, or read by a window."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import TypeAlias

import numpy as np
import numpy.typing as npt
import pyarrow as pa

__all__ = ["Chunk", "KeptRows", "Picked"]

Ticks: TypeAlias = npt.NDArray[np.int64]
Revisions: TypeAlias = npt.NDArray[np.int32]


@dataclass(slots=True)
class Chunk:
    """Rows that came together, in the order of their arrival; `first` is the number of the first."""

    first: int
    table: pa.Table
    codes: Ticks
    ticks: Ticks
    #: They get no results of their own.
    silent: bool = False
    newest: int = field(init=False)
    #: How often the results of each row have changed.
    revisions: Revisions = field(init=False)

    def __post_init__(self) -> None:
        self.newest = int(self.ticks.max(initial=-(2**63)))
        self.revisions = np.zeros(len(self.ticks), np.int32)

    def __len__(self) -> int:
        return len(self.ticks)


@dataclass(frozen=True)
class Picked:
    """Some of the kept rows: the places within each chunk that has any."""

    parts: list[tuple[Chunk, Ticks]]
    schema: pa.Schema

    def __len__(self) -> int:
        return sum(len(places) for _, places in self.parts)

    @property
    def codes(self) -> Ticks:
        """The codes of their keys."""
        return _joined([chunk.codes[places] for chunk, places in self.parts])

    @property
    def ticks(self) -> Ticks:
        """Their times."""
        return _joined([chunk.ticks[places] for chunk, places in self.parts])

    @property
    def numbers(self) -> Ticks:
        """The numbers by which the log knows them."""
        return _joined([chunk.first + places for chunk, places in self.parts])

    @property
    def revisions(self) -> Revisions:
        """How often the results of each have changed."""
        return np.concatenate([np.empty(0, np.int32), *(chunk.revisions[places] for chunk, places in self.parts)])

    def table(self) -> pa.Table:
        """The rows themselves."""
        tables = [_rows(chunk.table, places) for chunk, places in self.parts]
        return pa.concat_tables(tables) if tables else self.schema.empty_table()

    def where(self, wanted: npt.NDArray[np.bool_]) -> Picked:
        """Those that are marked."""
        parts, start = [], 0
        for chunk, places in self.parts:
            kept = places[wanted[start : start + len(places)]]
            start += len(places)
            if len(kept):
                parts.append((chunk, kept))
        return Picked(parts, self.schema)

    def count_revision(self) -> None:
        """Their results have changed once more."""
        for chunk, places in self.parts:
            chunk.revisions[places] += 1


class KeptRows:
    """Chunks by the numbers of their rows. A chunk goes as a whole, when its newest row is not needed any more."""

    def __init__(self, schema: pa.Schema) -> None:
        self.chunks: list[Chunk] = []
        self._schema = schema

    def add(self, chunk: Chunk) -> None:
        """Rows that came after all others."""
        if len(chunk):
            self.chunks.append(chunk)

    def drop_before(self, ticks: int) -> None:
        """Forget the chunks that have no row at or after the ticks."""
        self.chunks = [chunk for chunk in self.chunks if chunk.newest >= ticks]

    def memory(self) -> int:
        """The bytes of the rows."""
        return sum(chunk.table.nbytes + 20 * len(chunk) for chunk in self.chunks)

    def pick(self, since: int | None, choose: Callable[[Chunk], npt.NDArray[np.bool_]]) -> Picked:
        """The chosen rows that get results, at or after the ticks. Cost: O(rows of the chunks that reach so far)."""
        parts = []
        for chunk in self.chunks:
            if chunk.silent or (since is not None and chunk.newest < since):
                continue
            chosen = choose(chunk)
            places = np.flatnonzero(chosen if since is None else chosen & (chunk.ticks >= since))
            if len(places):
                parts.append((chunk, places))
        return Picked(parts, self._schema)

    def all_of(self, chunk: Chunk) -> Picked:
        """Every row of a chunk."""
        return Picked([(chunk, np.arange(len(chunk)))] if len(chunk) else [], self._schema)

    def look(self, column: str, numbers: Ticks) -> pa.Array:
        """The values of a column at row numbers; null for -1. Cost: O(n log chunks)."""
        if not self.chunks:
            return pa.nulls(len(numbers), self._schema.field(column).type)
        firsts = np.array([chunk.first for chunk in self.chunks], np.int64)
        starts = np.cumsum([0, *(len(chunk) for chunk in self.chunks)])
        homes = np.searchsorted(firsts, numbers, "right") - 1
        places = starts[homes] + numbers - firsts[homes]
        pieces = [piece for chunk in self.chunks for piece in chunk.table.column(column).chunks]
        values = pa.chunked_array(pieces, self._schema.field(column).type)
        taken = values.take(pa.array(places, mask=numbers < 0))
        return taken.combine_chunks() if isinstance(taken, pa.ChunkedArray) else taken

    def revise(self, numbers: Ticks, revisions: Revisions) -> None:
        """Set how often the results of rows have changed. Rows that are gone are passed over."""
        firsts = [chunk.first for chunk in self.chunks]
        for number, revision in zip(numbers.tolist(), revisions.tolist(), strict=True):
            home = bisect_right(firsts, number) - 1
            if home >= 0 and number - firsts[home] < len(self.chunks[home]):
                self.chunks[home].revisions[number - firsts[home]] = revision

    def joined(self) -> tuple[pa.Table, Ticks]:
        """All rows in one table, and the codes of their keys."""
        if not self.chunks:
            return self._schema.empty_table(), np.empty(0, np.int64)
        return pa.concat_tables([chunk.table for chunk in self.chunks]), _joined([chunk.codes for chunk in self.chunks])

    def places(self, picked: Picked) -> Ticks:
        """Where rows are in that table."""
        starts, start = {}, 0
        for chunk in self.chunks:
            starts[id(chunk)] = start
            start += len(chunk)
        return _joined([starts[id(chunk)] + places for chunk, places in picked.parts])

    def codes(self) -> set[int]:
        """The codes of all keys that have rows."""
        return {code for chunk in self.chunks for code in np.unique(chunk.codes).tolist()}


def _joined(parts: list[Ticks]) -> Ticks:
    return np.concatenate([np.empty(0, np.int64), *parts])


def _rows(table: pa.Table, places: Ticks) -> pa.Table:
    return table if len(places) == table.num_rows else table.take(pa.array(places))
