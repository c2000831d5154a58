"""The values of a window of time in their order when a row arrives: the rank of the youngest, and the values at ranks,
found by the core."""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt
import pyarrow as pa
import pyarrow.compute as pc

from sash import _core
from sash.aggregations.base import Aggregation
from sash.aggregations.filtered import unfiltered
from sash.aggregations.ranks import Rank
from sash.aggregations.sketches import ApproxQuantiles
from sash.spark.stream.arrivals import ArrivalOperator
from sash.spark.stream.job import Job
from sash.spark.stream.retained import Ticks
from sash.windows import TimeWindow

__all__ = ["QuantilesOperator", "RankOperator", "counts_ranks", "finds_quantiles"]


def counts_ranks(job: Job, aggregation: Aggregation) -> bool:
    """Whether it is such a rank: among all values, and not among the different ones."""
    one = unfiltered(aggregation)
    return isinstance(one, Rank) and one.method != "dense"


def finds_quantiles(job: Job, aggregation: Aggregation) -> bool:
    """Whether it is about quantiles of numbers that none of is refused."""
    one = unfiltered(aggregation)
    kind = job.schema.field(one.columns[0]).type if one.columns else pa.null()
    number = pa.types.is_floating(kind) or pa.types.is_signed_integer(kind)
    return isinstance(one, ApproxQuantiles) and number and (one.kind != "tdigest" or not pa.types.is_floating(kind))


class OrderOperator(ArrivalOperator):
    """In O(log n) a row; a late row looks through its window."""

    def __init__(self, job: Job, name: str, aggregation: Aggregation, window: TimeWindow) -> None:
        super().__init__(job, name, aggregation, window)
        self._ranks = _core.RankCounts(self._since, self._until)

    def _numbers(self, table: pa.Table) -> npt.NDArray[np.float64]:
        column = table.column(self._columns[0])
        numbers: npt.NDArray[Any] = pc.fill_null(column, pa.scalar(0, column.type)).to_numpy()
        # Zero is one number.
        return numbers.astype(np.float64) + 0.0

    def trimmed(self) -> set[int]:
        """The codes of the keys that have rows, after what no window can hold was dropped. Cost: O(n)."""
        if self._watermark is not None:
            self._ranks.drop(self._watermark)
        return set(self._ranks.keys())

    def memory(self) -> int:
        """The bytes that it takes."""
        return self._ranks.memory()


class RankOperator(OrderOperator):
    """The rank of the youngest value."""

    def _found(self, codes: Ticks, ticks: Ticks, table: pa.Table, there: npt.NDArray[np.uint8]) -> pa.Array:
        assert isinstance(self._one, Rank)
        below, upto, size = self._ranks.push_many(codes, ticks, self._numbers(table), there)
        ranks = {"min": below + 1.0, "max": upto.astype(np.float64)}.get(self._one.method, (below + 1 + upto) / 2)
        return pa.array(ranks / np.maximum(size, 1) if self._one.pct else ranks, self._type, mask=size == 0)


class QuantilesOperator(OrderOperator):
    """The values at ranks, as exact as a sketch of few values is, however many there are: all of them are in the log,
    and a sketch, which values enter and do not leave, would have to be made anew for every row."""

    def _found(self, codes: Ticks, ticks: Ticks, table: pa.Table, there: npt.NDArray[np.uint8]) -> pa.Array:
        assert isinstance(self._one, ApproxQuantiles)
        at = self._one.at
        values, size = self._ranks.quantile_many(codes, ticks, self._numbers(table), there, list(at))
        found = pa.array(values, mask=np.repeat(size == 0, len(at)))
        ranks = pa.array(np.tile(np.array(at, np.float64), len(size)))
        fields = list(self._type.value_type)
        estimates = pa.StructArray.from_arrays([ranks, found, found, found], fields=fields)
        starts = pa.array(np.arange(len(size) + 1) * len(at), pa.int32())
        return pa.ListArray.from_arrays(starts, estimates, type=self._type)
