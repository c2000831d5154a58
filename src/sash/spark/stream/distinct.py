"""How many different values a window of time holds when a row arrives: counted by the core without sets."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt
import pyarrow as pa

from sash import _core
from sash.aggregations.base import Aggregation
from sash.aggregations.distinct import CountDistinct
from sash.aggregations.filtered import unfiltered
from sash.spark.stream.arrivals import ArrivalOperator
from sash.spark.stream.job import Job
from sash.spark.stream.key_codes import KeyCodes
from sash.spark.stream.retained import Ticks
from sash.windows import TimeWindow

__all__ = ["DistinctOperator", "counts_distinct"]


def counts_distinct(job: Job, aggregation: Aggregation) -> bool:
    """Whether it is such a count."""
    return type(unfiltered(aggregation)) is CountDistinct


class DistinctOperator(ArrivalOperator):
    """What an operator over sets would emit at arrival, at the cost of sorted lists of times."""

    def __init__(self, job: Job, name: str, aggregation: Aggregation, window: TimeWindow) -> None:
        super().__init__(job, name, aggregation, window)
        self._counts = _core.DistinctCounts(self._until, self._since - self._until + 1)
        self._values = KeyCodes(self._columns)

    def _found(self, codes: Ticks, ticks: Ticks, table: pa.Table, there: npt.NDArray[np.uint8]) -> pa.Array:
        values = self._values.of(table.select(self._columns))
        return pa.array(self._counts.push_many(codes, ticks, values, there).view(np.int64)).cast(self._type)

    def trimmed(self) -> set[int]:
        """The codes of the keys that have rows, after what no window can hold was dropped. Cost: O(n)."""
        if self._watermark is not None:
            self._counts.drop(self._watermark)
            self._values.keep(set(self._counts.values()))
        return set(self._counts.keys())

    def memory(self) -> int:
        """The bytes that it takes."""
        return self._counts.memory() + self._values.memory()
