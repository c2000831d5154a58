"""About how many different values a window of time holds when a row arrives, by CPC and theta sketches: what they give
follows from counts of different values, and no sketches are combined."""

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
from sash.aggregations.sketches.distinct import CpcEstimates
from sash.aggregations.sketches.keys import hash_key
from sash.spark.stream.arrivals import ArrivalOperator
from sash.spark.stream.counted import CountedOperator, takes_all
from sash.spark.stream.job import Job
from sash.spark.stream.learned import Learned
from sash.spark.stream.retained import Ticks
from sash.windows import TimeWindow

__all__ = ["CpcOperator", "ThetaOperator", "counts_coupons", "counts_hashes"]


def counts_coupons(job: Job, aggregation: Aggregation) -> bool:
    """Whether it is such an estimate by CPC, over values that it takes all of."""
    return _is_of(job, aggregation, "cpc")


def counts_hashes(job: Job, aggregation: Aggregation) -> bool:
    """Whether it is such an estimate by theta sketches."""
    return _is_of(job, aggregation, "theta")


def _is_of(job: Job, aggregation: Aggregation, kind: str) -> bool:
    one = unfiltered(aggregation)
    return isinstance(one, ApproxCountDistinct) and one.kind == kind and takes_all(job, one)


def _counts(since: int, until: int) -> _core.DistinctCounts:
    return _core.DistinctCounts(until, since - until + 1)


class CpcOperator(ArrivalOperator):
    """What an operator over sketches would emit, to the last bit: a sketch that was merged knows how many different
    coupons it has, and no more."""

    def __init__(self, job: Job, name: str, aggregation: Aggregation, window: TimeWindow) -> None:
        super().__init__(job, name, aggregation, window)
        assert isinstance(self._one, ApproxCountDistinct)
        self._estimates = CpcEstimates(self._one.lg_k, self._one.deviations)
        self._values = Learned(self._columns, self._coupon)
        self._different, self._coupons = _counts(self._since, self._until), _counts(self._since, self._until)

    def _coupon(self, value: Any) -> int:
        return self._estimates.coupon(hash_key(value))

    def _found(self, codes: Ticks, ticks: Ticks, table: pa.Table, there: npt.NDArray[np.uint8]) -> pa.Array:
        values = self._values.codes(table)
        different = self._different.push_many(codes, ticks, values, there)
        coupons = self._coupons.push_many(codes, ticks, self._values.numbers[values], there)
        columns = np.repeat(different.astype(np.float64)[None, :], 3, axis=0)
        # Few values are counted, as a partial keeps few as they are.
        many = np.flatnonzero(different > SMALL)
        used, places = np.unique(coupons[many], return_inverse=True)
        estimates = np.array(self._estimates.of(used.tolist()), np.float64).reshape(-1, 3)
        columns[:, many] = estimates[places].T
        return pa.StructArray.from_arrays(list(map(pa.array, columns)), fields=list(self._type))

    def trimmed(self) -> set[int]:
        """The codes of the keys that have rows, after what no window can hold was dropped. Cost: O(n)."""
        if self._watermark is not None:
            self._different.drop(self._watermark)
            self._coupons.drop(self._watermark)
            self._values.keep(self._different.values())
        return set(self._different.keys())

    def memory(self) -> int:
        """The bytes that it takes."""
        return self._different.memory() + self._coupons.memory() + 100 * len(self._values)


class ThetaOperator(CountedOperator):
    """The number of different values, as long as a sketch has all of their hashes."""

    def __init__(self, job: Job, name: str, aggregation: Aggregation, window: TimeWindow) -> None:
        super().__init__(job, name, aggregation, window)
        assert isinstance(self._one, ApproxCountDistinct)
        self._most = max(SMALL, 1 << self._one.lg_k)
        self._values = Learned(self._columns, lambda value: 0)
        self._different = _counts(self._since, self._until)

    def _counted(self, codes: Ticks, ticks: Ticks, table: pa.Table, there: npt.NDArray[np.uint8]) -> pa.Array | None:
        different = self._different.push_many(codes, ticks, self._values.codes(table), there)
        if different.max(initial=0) > self._most:
            return None
        column = pa.array(different.astype(np.float64))
        return pa.StructArray.from_arrays([column] * 3, fields=list(self._type))

    def _drop(self, watermark: int) -> None:
        self._different.drop(watermark)
        self._values.keep(self._different.values())

    def _keys(self) -> set[int]:
        return set(self._different.keys())

    def _bytes(self) -> int:
        return self._different.memory() + 100 * len(self._values)
