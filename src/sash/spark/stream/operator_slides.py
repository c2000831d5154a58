"""Slides of a bucket that only the operator runs: by several times, or emitted before they are final."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
import pyarrow as pa

from sash.batch.slides import BOUNDS
from sash.spark.stream.engine import NOTHING_REVISED, Emitted
from sash.spark.stream.job import REVISION, Job
from sash.spark.stream.operator_engine import NOTHING, Given, OperatorEngine, Row, Subject
from sash.spark.stream.operators import Emissions
from sash.spark.stream.retained import Chunk, Revisions, Ticks
from sash.times import decode_array
from sash.windows.scale import Grid, Scale

__all__ = ["OperatorSlides"]


class OperatorSlides(OperatorEngine):
    """Results for each key and end of a window. Operators are rebuilt from the rows that windows may hold, so rows are
    retained as long as that, and there are no snapshots.

    Before it is final, a window is emitted when a row behind its end has come into the bucket, or the watermark has.
    """

    def __init__(self, job: Job) -> None:
        super().__init__(job)
        #: How often the results of a key and an end were revised.
        self._counts: dict[Subject, int] = {}
        scale = Scale(job.clock.kind)
        slides = {window.slide for window in job.plan.windows}
        self._grids = [Grid(scale, *slide) for slide in slides if slide is not None]
        assert job.retain is not None
        self._retained = job.retain

    @property
    def waiting(self) -> int | None:
        """The next end of a window that may hold a row; None if there is none."""
        if not self._rows.chunks:
            return None
        newest = max(chunk.newest for chunk in self._rows.chunks)
        since = newest
        if self._job.plan.emit == "final":
            since = min(int(chunk.ticks.min()) for chunk in self._rows.chunks)
        since = since if self.watermark is None else max(since, self.watermark)
        following = min(grid.first(since) for grid in self._grids)
        return following if following <= newest + self._retained else None

    @property
    def holds_rows(self) -> bool:
        """Keys are found by the rows that windows may hold."""
        return True

    def _passed(self, watermark: int) -> None:
        self.watermark = watermark
        self._rows.drop_before(watermark - self._retained)
        self._close(lambda subject: subject[1] < watermark)
        self._counts = {subject: count for subject, count in self._counts.items() if subject in self._open}
        # A code that is free may get another key: what an operator has under it is in no window any more.
        if self._since_trim > max(self.keys, 1024):
            self._drop_keys()

    def _subjects(self, one: Emissions) -> Iterator[Subject]:
        return zip(one.codes.tolist(), one.subjects.tolist(), strict=True)

    def _arrived_of(self, table: pa.Table, chunk: Chunk, emissions: list[Given]) -> Emitted:
        return self._final_of(emissions)

    def _final_of(self, emissions: list[Given]) -> Emitted:
        rows: dict[Subject, Row] = {}
        self._gathered(emissions, rows)
        return Emitted(self._slides(rows), *NOTHING_REVISED)

    def _revised(self, changed: list[Subject], fresh: list[Subject]) -> Emitted:
        for subject in changed:
            self._counts[subject] = self._counts.get(subject, 0) + 1
        table = self._slides({subject: self._open[subject] for subject in changed + fresh})
        counts = [self._counts.get(subject, 0) for subject in changed + fresh]
        table = table.append_column(pa.field(REVISION, pa.int32()), pa.array(counts, pa.int32()))
        codes, ends = _split(changed)
        newest = self._rows.newest_of(codes)
        numbers = [newest[code][0].first + newest[code][1] for code in codes.tolist()]
        revisions = np.array(counts[: len(changed)], np.int32)
        return Emitted(table, np.array(numbers, np.int64), revisions, ends=ends)

    def revise(self, numbers: Ticks, revisions: Revisions, ends: Ticks) -> None:
        """Take revisions of the log."""
        for number, revision, end in zip(numbers.tolist(), revisions.tolist(), ends.tolist(), strict=True):
            if (found := self._rows.find(number)) is not None:
                self._counts[int(found[0].codes[found[1]]), end] = revision

    def _slides(self, rows: dict[Subject, Row]) -> pa.Table:
        """A row for each key and end. A window without rows there has the result of none, if it ends there."""
        codes, ends = _split(rows)
        columns = self._keys_of(codes)
        for name, ticks in zip(BOUNDS, (ends - self._longest, ends), strict=True):
            columns[name] = pa.array(decode_array(self._job.clock.kind, ticks)).cast(self._job.types[name])
        columns |= self._columns(
            [self._filled(row, end) for row, end in zip(rows.values(), ends.tolist(), strict=True)]
        )
        names = [*self._job.plan.by, *self._job.types]
        return pa.Table.from_arrays([columns[name] for name in names], schema=_fields(self._job, names))

    @property
    def _longest(self) -> int:
        lengths = [window.reach for window in self._job.plan.windows if window.reach is not None]
        return max(length.ticks(self._job.clock.kind) for length in lengths)

    def _filled(self, row: Row, end: int) -> Row:
        operators = self._operators.values()
        return [one.without_rows(end) if value is NOTHING else value for value, one in zip(row, operators, strict=True)]

    def _keys_of(self, codes: Ticks) -> dict[str, Any]:
        """The columns of the keys, as a row of each has them."""
        newest = self._rows.newest_of(codes)
        places = {code: place for place, code in enumerate(newest)}
        taken = pa.array([places[code] for code in codes.tolist()], pa.int64())
        tables = [chunk.table.select(self._job.plan.by).slice(place, 1) for chunk, place in newest.values()]
        keys = pa.concat_tables([self._job.log_schema.empty_table().select(self._job.plan.by), *tables])
        return {name: keys.column(name).take(taken) for name in self._job.plan.by}


def _fields(job: Job, names: list[str]) -> pa.Schema:
    return pa.schema([job.result_schema.field(name) for name in names])


def _split(subjects: Any) -> tuple[Ticks, Ticks]:
    """The codes and the ends."""
    pairs = np.array(list(subjects), np.int64).reshape(-1, 2)
    return np.ascontiguousarray(pairs[:, 0]), np.ascontiguousarray(pairs[:, 1])
