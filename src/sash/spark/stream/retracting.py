"""Windows of a bucket whose rows may be taken back: by later rows that name them, or are equal to them.

A row that takes another back is logged as any other, at the time of that other: so it is late when that one is, is
dropped when that one is in no window, and a log that is replayed comes to the same rows.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

import numpy as np
import pyarrow as pa

from sash.batch.retractions import DELETE
from sash.spark.stream.changes import change_table, normalised, read_changes
from sash.spark.stream.engine import BucketEngine, Emitted, Part, differ
from sash.spark.stream.job import Job
from sash.spark.stream.living import Alive, Identity, LivingRows, Row
from sash.spark.stream.retained import Chunk, Picked, Ticks
from sash.spark.stream.slide_engine import SlideEngine

__all__ = ["RetractingEngine", "RetractingSlides"]


class RetractingEngine(BucketEngine):
    """All windows are computed by passes over the rows that are there."""

    _rows: LivingRows

    def __init__(self, job: Job) -> None:
        super().__init__(job)
        self._native = {}
        self._rows = LivingRows(job.log_schema)
        #: The rows that are there, by what they are known by: one of an id, or several that are equal.
        self._there: dict[Identity, list[Row]] = {}
        #: The last row of each id, also where that took the one before it back: revisions go on from it.
        self._last: dict[Identity, Row] = {}
        #: The places in the last chunk of the rows that took back what was emitted before it.
        self._retractions: list[int] = []

    def prepared(self, table: pa.Table, since: int | None) -> pa.Table:
        """The rows as the log has them."""
        if not table.num_rows:
            return table
        changes = normalised(table, self._job, self._codes, self._times_of, since)
        return change_table(table, self._job, changes)

    def _times_of(self, identity: Identity) -> list[int]:
        return [row.ticks for row in self._there.get(identity, ())]

    def settle(self, watermark: int | None) -> None:
        """Rows before the watermark were emitted; what no window needs any more is dropped."""
        before = len(self._rows.chunks)
        super().settle(watermark)
        if len(self._rows.chunks) < before:
            kept = {chunk.first for chunk in self._rows.chunks}
            self._last = {known: row for known, row in self._last.items() if row.chunk.first in kept}
            there = {known: [row for row in rows if row.chunk.first in kept] for known, rows in self._there.items()}
            self._there = {known: rows for known, rows in there.items() if rows}

    def needed(self, choose: Callable[[Ticks, Ticks, int], Alive]) -> list[Part]:
        """The rows that are chosen among those that are there."""

        def chosen(ticks: Ticks, codes: Ticks, watermark: int) -> Alive:
            alive = self._rows.all_alive()
            alive[alive] = choose(ticks[alive], codes[alive], watermark)
            return alive

        return super().needed(chosen)

    # New rows

    def _check(self, chunk: Chunk) -> None:
        added = np.flatnonzero(read_changes(chunk.table, self._job, self._codes)[1] != DELETE)
        rows = chunk.table.take(pa.array(added))
        super()._check(Chunk(chunk.first, rows, chunk.codes[added], chunk.ticks[added]))

    def _take(self, chunk: Chunk) -> None:
        super()._take(chunk)
        self._retractions = []
        if len(chunk):
            self._change(chunk)

    def _change(self, chunk: Chunk) -> None:
        """Add the rows of a chunk, and take back those that it names."""
        identities, changes = read_changes(chunk.table, self._job, self._codes)
        # Rows of history got no results: there are none to revise, and none to take back.
        emitted = {one: any(not row.chunk.silent for row in self._there.get(one, ())) for one in identities}
        last = {one: self._last[one] for one in identities if one in self._last}
        starts = {one: 0 if row.chunk.silent else row.revision + 1 for one, row in last.items()}
        gone: dict[Identity, int] = {}
        for place, (identity, change) in enumerate(zip(identities, changes.tolist(), strict=True)):
            row, held = Row(chunk, place), self._there.setdefault(identity, [])
            chunk.revisions[place] = starts.get(identity, 0)
            if change == DELETE:
                self._rows.end(row)
                self._take_back(row, held)
                gone[identity] = place
            else:
                held.append(row)
            if self._job.id is not None:
                self._last[identity] = row
        if self._job.id is not None:
            self._retractions = [place for one, place in gone.items() if emitted[one] and not self._there[one]]

    def _take_back(self, row: Row, held: list[Row]) -> None:
        if not held:
            return
        victim = held.pop()
        self._rows.end(victim)
        if self._job.id is None:
            row.chunk.revisions[row.place] = victim.revision + 1
            if victim.chunk is not row.chunk and not victim.chunk.silent:
                self._retractions.append(row.place)

    def _updates(self, table: pa.Table, first: int) -> Emitted:
        chunk = self._chunk(table, first)
        suspects = self._suspects(chunk)
        before = self._results(suspects)
        self._take(chunk)
        there = np.concatenate([np.empty(0, bool), *(self._rows.alive(one)[places] for one, places in suspects.parts)])
        stay, new = suspects.where(there), self._rows.all_of(chunk)
        after = self._results(Picked([*stay.parts, *new.parts], self._job.log_schema))
        kept = {name: column.filter(pa.array(there)) for name, column in before.items()}
        changes = differ(kept, {name: column.slice(0, len(stay)) for name, column in after.items()})
        changed = stay.where(changes)
        changed.count_revision()
        wanted = pa.array(np.concatenate([changes, np.ones(len(new), bool)]))
        gone = [(chunk, np.array(self._retractions, np.int64))] if self._retractions else []
        picked = Picked([*changed.parts, *new.parts, *gone], self._job.log_schema)
        results = {name: _lengthened(column.filter(wanted), len(picked)) for name, column in after.items()}
        emitted = self._emitted(picked.table(), results, picked, len(picked))
        revised = emitted.revisions > 0
        return replace(emitted, numbers=emitted.numbers[revised], revisions=emitted.revisions[revised])


class RetractingSlides(RetractingEngine, SlideEngine):
    """The same for windows that slide by a time."""

    def _silent(self) -> Alive:
        return super()._silent()[self._rows.all_alive()]


def _lengthened(column: pa.Array, length: int) -> pa.Array:
    """With nulls behind it: a row that takes another back has no results."""
    return pa.concat_arrays([column, pa.nulls(length - len(column), column.type)])
