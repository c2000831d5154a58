"""About how many different values a window of time holds when a row arrives: the core keeps the registers of a sketch,
which values enter and leave, and no sketches are combined."""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt
import pyarrow as pa

from sash import _core
from sash.aggregations.base import Aggregation
from sash.aggregations.filtered import unfiltered
from sash.aggregations.sketches import ApproxCountDistinct
from sash.aggregations.sketches.base import SMALL
from sash.aggregations.sketches.distinct import HllEstimates, hll_coupon
from sash.aggregations.sketches.keys import hash_key
from sash.spark.stream.arrivals import ArrivalOperator
from sash.spark.stream.counted import takes_all
from sash.spark.stream.job import Job
from sash.spark.stream.learned import Learned
from sash.spark.stream.retained import Ticks
from sash.windows import TimeWindow

__all__ = ["RegistersOperator", "estimates_distinct"]


def estimates_distinct(job: Job, aggregation: Aggregation) -> bool:
    """Whether it is such an estimate by HyperLogLog, over values that it takes all of."""
    one = unfiltered(aggregation)
    return isinstance(one, ApproxCountDistinct) and one.kind == "hll" and takes_all(job, one)


class RegistersOperator(ArrivalOperator):
    """What an operator over sketches would emit, to the last bit."""

    def __init__(self, job: Job, name: str, aggregation: Aggregation, window: TimeWindow) -> None:
        super().__init__(job, name, aggregation, window)
        assert isinstance(self._one, ApproxCountDistinct)
        self._lg_k = self._one.lg_k
        self._estimates = HllEstimates(self._lg_k, self._one.deviations)
        self._registers = _core.RegisterCounts(self._since, self._until)
        # The register of a value times 64, and its rank there.
        self._values = Learned(self._columns, self._coupon)

    def _found(self, codes: Ticks, ticks: Ticks, table: pa.Table, there: npt.NDArray[np.uint8]) -> pa.Array:
        values = self._values.codes(table)
        sums = self._registers.push_many(codes, ticks, values, self._values.numbers[values], there)
        columns = np.repeat(sums[0].astype(np.float64)[None, :], 3, axis=0)
        # Few values are counted, as a partial keeps few as they are.
        many = np.flatnonzero(sums[0] > SMALL)
        estimates = map(self._estimates.of, *(one[many].tolist() for one in sums[1:]))
        columns[:, many] = np.array(list(estimates), np.float64).reshape(-1, 3).T
        return pa.StructArray.from_arrays(list(map(pa.array, columns)), fields=list(self._type))

    def _coupon(self, value: Any) -> int:
        slot, rank = hll_coupon(hash_key(value), self._lg_k)
        return slot << 6 | rank

    def trimmed(self) -> set[int]:
        """The codes of the keys that have rows, after what no window can hold was dropped. Cost: O(n)."""
        if self._watermark is not None:
            self._registers.drop(self._watermark)
            self._values.keep(self._registers.values())
        return set(self._registers.keys())

    def memory(self) -> int:
        """The bytes that it takes."""
        return self._registers.memory() + 100 * len(self._values)
