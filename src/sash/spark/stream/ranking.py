"""The rank of the youngest value of a window of time when a row arrives: counted by the core."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt
import pyarrow as pa
import pyarrow.compute as pc

from sash import _core
from sash.aggregations.base import Aggregation
from sash.aggregations.filtered import unfiltered
from sash.aggregations.ranks import Rank
from sash.spark.stream.arrivals import ArrivalOperator
from sash.spark.stream.job import Job
from sash.spark.stream.retained import Ticks
from sash.windows import TimeWindow

__all__ = ["RankOperator", "counts_ranks"]


def counts_ranks(job: Job, aggregation: Aggregation) -> bool:
    """Whether it is such a rank: among all values, and not among the different ones."""
    one = unfiltered(aggregation)
    return isinstance(one, Rank) and one.method != "dense"


class RankOperator(ArrivalOperator):
    """Ranks in O(log n) a row; a late row looks through its window."""

    def __init__(self, job: Job, name: str, aggregation: Aggregation, window: TimeWindow) -> None:
        super().__init__(job, name, aggregation, window)
        self._ranks = _core.RankCounts(self._since, self._until)

    def _found(self, codes: Ticks, ticks: Ticks, table: pa.Table, there: npt.NDArray[np.uint8]) -> pa.Array:
        assert isinstance(self._one, Rank)
        column = table.column(self._columns[0])
        # Zero is one number.
        values = pc.fill_null(column, pa.scalar(0, column.type)).to_numpy().astype(np.float64) + 0.0
        below, upto, size = self._ranks.push_many(codes, ticks, values, there)
        ranks = {"min": below + 1.0, "max": upto.astype(np.float64)}.get(self._one.method, (below + 1 + upto) / 2)
        return pa.array(ranks / np.maximum(size, 1) if self._one.pct else ranks, self._type, mask=size == 0)

    def trimmed(self) -> set[int]:
        """The codes of the keys that have rows, after what no window can hold was dropped. Cost: O(n)."""
        if self._watermark is not None:
            self._ranks.drop(self._watermark)
        return set(self._ranks.keys())

    def memory(self) -> int:
        """The bytes that it takes."""
        return self._ranks.memory()
