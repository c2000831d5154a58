"""How many different values a window of time holds when a row arrives: counted by the core without sets."""

from __future__ import annotations

from typing import Final

import numpy as np
import numpy.typing as npt
import pyarrow as pa
import pyarrow.compute as pc

from sash import _core
from sash.aggregations.base import Aggregation
from sash.aggregations.distinct import CountDistinct
from sash.aggregations.filtered import Filtered, unfiltered
from sash.batch.columns import Columns
from sash.frames.arrow import ArrowFrame
from sash.spark.stream.job import Job
from sash.spark.stream.key_codes import KeyCodes
from sash.spark.stream.operators import Emissions, Operator
from sash.spark.stream.retained import Ticks
from sash.windows import TimeWindow, WindowPolicy
from sash.windows.time import ends_in

__all__ = ["DistinctOperator", "counts_distinct"]

_FARTHEST: Final = 2**63 - 1


def counts_distinct(job: Job, aggregation: Aggregation, window: WindowPolicy) -> bool:
    """Whether it is such a count."""
    plain = type(unfiltered(aggregation)) is CountDistinct and aggregation.nan == "skip"
    in_time = isinstance(window, TimeWindow) and window.every is None
    return plain and in_time and job.plan.emit == "arrival" and not job.plan.min_periods


class DistinctOperator(Operator):
    """What an operator over sets would emit at arrival, at the cost of sorted lists of times."""

    def __init__(self, job: Job, name: str, aggregation: Aggregation, window: TimeWindow) -> None:
        super().__init__(job, name, aggregation, window)
        with_start, with_end = ends_in(window.closed)
        length = window.length.ticks(self._kind) - (not with_end) + with_start
        self._counts = _core.DistinctCounts(int(not with_end), length)
        self._farthest = _FARTHEST - length - 1
        self._column = unfiltered(aggregation).columns[0]
        self._condition = aggregation.condition if isinstance(aggregation, Filtered) else None
        self._values = KeyCodes([self._column])
        self._type = job.types[name]
        self._taken = 0
        self._watermark: int | None = None

    def push(self, codes: Ticks, ticks: Ticks, table: pa.Table) -> Emissions:
        """Rows, none of them late."""
        if len(ticks) and int(ticks.max()) > self._farthest:
            raise OverflowError(f"a window of the time {ticks.max()} ends beyond 64 bits: use earlier times")
        values = self._values.of(table.select([self._column]))
        found = self._counts.push_many(codes, ticks, values, self._there(table, ticks).view(np.uint8))
        numbers = np.arange(self._taken, self._taken + len(ticks))
        self._taken += len(ticks)
        return Emissions(codes, numbers, pa.array(found.view(np.int64)).cast(self._type))

    def _there(self, table: pa.Table, ticks: Ticks) -> npt.NDArray[np.bool_]:
        """Which rows have a value that counts."""
        column = table.column(self._column)
        there: npt.NDArray[np.bool_] = np.asarray(pc.is_null(column, nan_is_null=True)) == 0
        if self._condition is not None:
            there &= Columns(ArrowFrame(table), self._kind, ticks).where(self._condition).absent == 0
        return there

    def advance(self, watermark: int) -> Emissions:
        """Nothing waits for a watermark."""
        self._watermark = watermark
        return Emissions(np.empty(0, np.int64), np.empty(0, np.int64), pa.array([], self._type))

    def trimmed(self) -> set[int]:
        """The codes of the keys that have rows, after what no window can hold was dropped. Cost: O(n)."""
        if self._watermark is not None:
            self._counts.drop(self._watermark)
            self._values.keep(set(self._counts.values()))
        return set(self._counts.keys())

    def memory(self) -> int:
        """The bytes that it takes."""
        return self._counts.memory() + 100 * len(self._values)
