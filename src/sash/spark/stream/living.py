"""Retained rows of which some were taken back, and what each is known by."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, TypeAlias

import numpy as np
import numpy.typing as npt
import pyarrow as pa

from sash.spark.stream.retained import Chunk, Picked, RetainedRows, Ticks

__all__ = ["Alive", "Identity", "LivingRows", "Row"]

#: The code of a row's key, and its id, or all that is in it.
Identity: TypeAlias = tuple[int, Any]
Alive: TypeAlias = npt.NDArray[np.bool_]


@dataclass(frozen=True, slots=True)
class Row:
    """A row by where it is."""

    chunk: Chunk
    place: int

    @property
    def ticks(self) -> int:
        """Its time."""
        return int(self.chunk.ticks[self.place])

    @property
    def revision(self) -> int:
        """How often its results were revised."""
        return int(self.chunk.revisions[self.place])


class LivingRows(RetainedRows):
    """Rows that are gone keep their numbers, and are in no window."""

    def __init__(self, schema: pa.Schema) -> None:
        super().__init__(schema)
        self._alive: dict[int, Alive] = {}

    def alive(self, chunk: Chunk) -> Alive:
        """Which rows of a chunk are there."""
        return self._alive[chunk.first]

    def end(self, row: Row) -> None:
        """A row is gone."""
        self.alive(row.chunk)[row.place] = False

    def add(self, chunk: Chunk) -> None:
        """Rows that came after all others."""
        super().add(chunk)
        if len(chunk):
            self._alive[chunk.first] = np.ones(len(chunk), bool)

    def drop_before(self, ticks: int) -> None:
        """Drop the chunks that have no row at or after the ticks."""
        super().drop_before(ticks)
        self._alive = {chunk.first: self._alive[chunk.first] for chunk in self.chunks}

    def pick(self, since: int | None, choose: Callable[[Chunk], Alive]) -> Picked:
        """The chosen rows that are there and get results."""
        return super().pick(since, lambda chunk: choose(chunk) & self.alive(chunk))

    def all_of(self, chunk: Chunk) -> Picked:
        """Every row of a chunk that is there."""
        return super().all_of(chunk).where(self.alive(chunk)) if len(chunk) else super().all_of(chunk)

    def joined(self) -> tuple[pa.Table, Ticks]:
        """All rows that are there, and the codes of their keys."""
        table, codes = super().joined()
        alive = self.all_alive()
        return (table, codes) if alive.all() else (table.filter(pa.array(alive)), codes[alive])

    def places(self, picked: Picked) -> Ticks:
        """Where rows are among those."""
        behind: Ticks = np.cumsum(self.all_alive(), dtype=np.int64) - 1
        return behind[super().places(picked)]

    def all_alive(self) -> Alive:
        """Which of the rows of all chunks are there."""
        return np.concatenate([np.empty(0, bool), *map(self.alive, self.chunks)])
