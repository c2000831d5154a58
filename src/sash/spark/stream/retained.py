"""The rows of a bucket that are retained as rows: not emitted yet, open to revision, or read by a window.

Most results come from trees, without rows. What has no partial of fixed size is computed by a scan: the
passes that frames run with, over the retained rows.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Final, TypeAlias

import numpy as np
import numpy.typing as npt
import pyarrow as pa

from sash.aggregations.args import ArgMax, ArgMin
from sash.aggregations.base import Aggregation
from sash.aggregations.records import takes_row
from sash.batch.engine import Job as FrameJob
from sash.plan import Emit, Plan
from sash.spark.stream.failures import may_fail
from sash.spark.stream.job import Job
from sash.spark.typed import TypedFrame

__all__ = ["Chunk", "Picked", "RetainedRows", "Revisions", "Scan", "Ticks", "with_columns"]

#: The column of key codes.
_KEY: Final = "\0key"

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
    #: About how many bytes it takes.
    bytes: int = field(init=False)
    #: How often the results of each row were revised.
    revisions: Revisions = field(init=False)

    def __post_init__(self) -> None:
        self.newest = int(self.ticks.max(initial=-(2**63)))
        self.bytes = self.table.nbytes + 20 * len(self.ticks)
        self.revisions = np.zeros(len(self.ticks), np.int32)

    def __len__(self) -> int:
        return len(self.ticks)


@dataclass(frozen=True)
class Picked:
    """Some of the retained rows: the places within each chunk that has any."""

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
        """How often the results of each were revised."""
        return np.concatenate([np.empty(0, np.int32), *(chunk.revisions[places] for chunk, places in self.parts)])

    def table(self) -> pa.Table:
        """The rows themselves."""
        tables = [_rows(chunk.table, places) for chunk, places in self.parts]
        return pa.concat_tables(tables) if tables else self.schema.empty_table()

    def where(self, wanted: npt.NDArray[np.bool_]) -> Picked:
        """Those that are marked."""
        parts, start = [], 0
        for chunk, places in self.parts:
            chosen = places[wanted[start : start + len(places)]]
            start += len(places)
            if len(chosen):
                parts.append((chunk, chosen))
        return Picked(parts, self.schema)

    def between(self, start: int, end: int) -> Picked:
        """Those at these places."""
        if end - start == len(self):
            return self
        wanted = np.zeros(len(self), bool)
        wanted[start:end] = True
        return self.where(wanted)

    def count_revision(self) -> None:
        """Their results were revised once more."""
        for chunk, places in self.parts:
            chunk.revisions[places] += 1


class RetainedRows:
    """Chunks by the numbers of their rows. A chunk is dropped as a whole, once its newest row is not needed."""

    def __init__(self, schema: pa.Schema) -> None:
        self.chunks: list[Chunk] = []
        self._schema = schema

    def __len__(self) -> int:
        return sum(map(len, self.chunks))

    def add(self, chunk: Chunk) -> None:
        """Rows that came after all others."""
        if len(chunk):
            self.chunks.append(chunk)

    def discard(self, chunk: Chunk) -> None:
        """Not to have taken the rows, if they were."""
        self.chunks = [one for one in self.chunks if one is not chunk]

    def drop_before(self, ticks: int) -> None:
        """Drop the chunks that have no row at or after the ticks."""
        self.chunks = [chunk for chunk in self.chunks if chunk.newest >= ticks]

    def drop_oldest(self, ticks: int) -> None:
        """Drop the chunks before the first that has a row at or after the ticks: the numbers of all others go on
        without a gap."""
        needed = next((place for place, chunk in enumerate(self.chunks) if chunk.newest >= ticks), len(self.chunks))
        self.chunks = self.chunks[needed:]

    def memory(self) -> int:
        """The bytes of the rows."""
        return sum(chunk.bytes for chunk in self.chunks)

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

    def oldest(self, since: int | None) -> int | None:
        """The least ticks of the rows that get results, at or after the ticks; None if there are none. Cost: that of
        `pick`."""
        floor = -(2**63) if since is None else since
        reaching = (chunk.ticks for chunk in self.chunks if not chunk.silent and chunk.newest >= floor)
        return min((int(ticks[ticks >= floor].min()) for ticks in reaching), default=None)

    def all_of(self, chunk: Chunk) -> Picked:
        """Every row of a chunk."""
        return Picked([(chunk, np.arange(len(chunk)))] if len(chunk) else [], self._schema)

    def find(self, number: int) -> tuple[Chunk, int] | None:
        """The chunk that has a row, and its place there; None if it is dropped. Cost: O(log chunks)."""
        home = bisect_right(self.chunks, number, key=lambda chunk: chunk.first) - 1
        if home < 0 or number - self.chunks[home].first >= len(self.chunks[home]):
            return None
        return self.chunks[home], number - self.chunks[home].first

    def at(self, numbers: Ticks) -> tuple[Picked, npt.NDArray[np.bool_]]:
        """The rows of these numbers, which ascend, that get results; and which of the numbers they are."""
        parts, heard = [], np.zeros(len(numbers), bool)
        for chunk in self.chunks:
            low, high = np.searchsorted(numbers, [chunk.first, chunk.first + len(chunk)])
            if low < high and not chunk.silent:
                parts.append((chunk, numbers[low:high] - chunk.first))
                heard[low:high] = True
        return Picked(parts, self._schema), heard

    def look(self, column: str, numbers: Ticks) -> pa.Array:
        """The values of a column at row numbers; null for -1. Cost: O(n log chunks)."""
        if not self.chunks:
            return pa.nulls(len(numbers), self._schema.field(column).type)
        firsts = np.array([chunk.first for chunk in self.chunks], np.int64)
        starts = np.cumsum([0, *(len(chunk) for chunk in self.chunks)])
        homes = np.searchsorted(firsts, numbers, "right") - 1
        places = starts[homes] + numbers - firsts[homes]
        arrays = [array for chunk in self.chunks for array in chunk.table.column(column).chunks]
        values = pa.chunked_array(arrays, self._schema.field(column).type)
        taken = values.take(pa.array(places, mask=numbers < 0))
        return taken.combine_chunks() if isinstance(taken, pa.ChunkedArray) else taken

    def revise(self, numbers: Ticks, revisions: Revisions) -> None:
        """Set how often the results of rows were revised. Rows that are dropped already are passed over."""
        for number, revision in zip(numbers.tolist(), revisions.tolist(), strict=True):
            if (found := self.find(number)) is not None:
                found[0].revisions[found[1]] = revision

    def joined(self) -> tuple[pa.Table, Ticks]:
        """All rows in one table, and the codes of their keys."""
        if not self.chunks:
            return self._schema.empty_table(), np.empty(0, np.int64)
        return pa.concat_tables([chunk.table for chunk in self.chunks]), self.codes()

    def places(self, picked: Picked) -> Ticks:
        """Where rows are in that table."""
        starts, start = {}, 0
        for chunk in self.chunks:
            starts[id(chunk)] = start
            start += len(chunk)
        return _joined([starts[id(chunk)] + places for chunk, places in picked.parts])

    def newest_of(self, codes: Ticks) -> dict[int, tuple[Chunk, int]]:
        """The newest row of each of these keys, as `find` gives rows. Cost: O(n log n) for the rows of those keys."""
        found: dict[int, tuple[Chunk, int]] = {}
        for chunk in self.chunks:
            places = np.flatnonzero(np.isin(chunk.codes, codes))
            places = places[np.argsort(chunk.ticks[places], kind="stable")][::-1]
            own, first = np.unique(chunk.codes[places], return_index=True)
            for code, place in zip(own.tolist(), places[first].tolist(), strict=True):
                before = found.get(code)
                if before is None or before[0].ticks[before[1]] <= chunk.ticks[place]:
                    found[code] = (chunk, place)
        return found

    def codes(self) -> Ticks:
        """The codes of all keys that have rows, one for each row."""
        return _joined([chunk.codes for chunk in self.chunks])


def _joined(parts: list[Ticks]) -> Ticks:
    return np.concatenate([np.empty(0, np.int64), *parts])


def _rows(table: pa.Table, places: Ticks) -> pa.Table:
    return table if len(places) == table.num_rows else table.take(pa.array(places))


class Scan:
    """Results by the native passes over all rows that windows may hold, key by key. The cost of a batch grows with the
    retained rows of its keys, and not only with its own: that is the price of partials that have no fixed size."""

    def __init__(self, job: Job, aggregations: Mapping[str, Aggregation]) -> None:
        named = {name: with_columns(one, job.schema.names) for name, one in aggregations.items()}
        self._plans = {emit: _narrowed(job.plan, named, emit) for emit in ("final", "arrival")}
        self._types = job.types
        read = [column for one in named.values() for column in one.columns]
        self.columns = tuple(dict.fromkeys([job.on, *read]))
        risky = {name: one for name, one in named.items() if may_fail(one)}
        self._risky = _narrowed(job.plan, risky, "final") if risky else None

    def check(self, chunk: Chunk) -> None:
        """Fail where a value of these rows is refused, as it would be with other rows beside it."""
        if self._risky is not None:
            keyed = chunk.table.select(self.columns).append_column(_KEY, pa.array(chunk.codes))
            FrameJob.of(TypedFrame(keyed, self._types), self._risky).results({})

    def results(
        self, table: pa.Table, codes: npt.NDArray[np.int64], wanted: npt.NDArray[np.int64], emit: Emit
    ) -> dict[str, pa.Array]:
        """The results of the rows at the wanted places of the table, which holds the rows in order of arrival."""
        needed = np.zeros(int(codes.max(initial=0)) + 1, bool)
        needed[codes[wanted]] = True
        read = needed[codes]
        places = np.cumsum(read) - 1
        keyed = table.select(self.columns).append_column(_KEY, pa.array(codes))
        if not read.all():
            keyed = keyed.filter(pa.array(read))
        plan = self._plans[emit]
        frame = TypedFrame(keyed, self._types)
        columns = frame.with_columns(FrameJob.of(frame, plan).results({}))
        rows = pa.array(places[wanted])
        return {name: column.take(rows) for name, column in zip(plan.outputs, columns, strict=True)}


def with_columns(aggregation: Aggregation, names: Sequence[str]) -> Aggregation:
    """An aggregation that takes the whole row takes its columns by name: there are columns beside them here."""
    if isinstance(aggregation, (ArgMax, ArgMin)) and takes_row(aggregation):
        return type(aggregation)(aggregation.columns[0], list(names), nan=aggregation.nan)
    return aggregation


def _narrowed(plan: Plan, aggregations: Mapping[str, Aggregation], emit: str) -> Plan:
    return Plan(**plan._parts() | {"aggregations": dict(aggregations), "by": _KEY, "emit": emit})
