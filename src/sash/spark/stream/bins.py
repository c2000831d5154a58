"""How many values of a window of time fall into each bin when a row arrives: counted by the core."""

from __future__ import annotations

import math

import numpy as np
import numpy.typing as npt
import pyarrow as pa
import pyarrow.compute as pc

from sash import _core
from sash.aggregations.base import Aggregation
from sash.aggregations.bins import Histogram
from sash.aggregations.filtered import unfiltered
from sash.spark.stream.arrivals import ArrivalOperator
from sash.spark.stream.job import Job
from sash.spark.stream.retained import Ticks
from sash.windows import TimeWindow

__all__ = ["BinsOperator", "counts_bins"]


def counts_bins(job: Job, aggregation: Aggregation) -> bool:
    """Whether it is such a count, over numbers that are compared with the edges as they are."""
    one = unfiltered(aggregation)
    if not isinstance(one, Histogram):
        return False
    kind = job.schema.field(one.columns[0]).type
    if pa.types.is_signed_integer(kind):
        return all(math.isinf(edge) or abs(edge) < 2**62 for edge in one.edges)
    return bool(pa.types.is_float32(kind) or pa.types.is_float64(kind)) and all(float(e) == e for e in one.edges)


class BinsOperator(ArrivalOperator):
    """A histogram in O(bins log n) a row."""

    def __init__(self, job: Job, name: str, aggregation: Aggregation, window: TimeWindow) -> None:
        super().__init__(job, name, aggregation, window)
        self._rows = _core.ArrivalRows(self._since, self._until)

    def _found(self, codes: Ticks, ticks: Ticks, table: pa.Table, there: npt.NDArray[np.uint8]) -> pa.Array:
        assert isinstance(self._one, Histogram)
        places = bins_of(table.column(self._columns[0]), self._one.edges)
        width = len(self._one.edges) + 1
        firsts, values, found = self._rows.tally_many(codes, ticks, places, there, 0.0)
        counts = np.zeros((len(ticks), width), np.int64)
        counts[np.repeat(np.arange(len(ticks)), np.diff(firsts)), values] = found
        starts = pa.array(np.arange(len(ticks) + 1) * (width - 2), pa.int32())
        bins = pa.ListArray.from_arrays(starts, pa.array(counts[:, 1:-1].ravel()))
        if not self._one.outside:
            return bins.cast(self._type)
        beside = [pa.array(np.ascontiguousarray(counts[:, place])) for place in (0, -1)]
        return pa.StructArray.from_arrays([beside[0], bins, beside[1]], ["below", "bins", "above"]).cast(self._type)

    def trimmed(self) -> set[int]:
        """The codes of the keys that have rows, after what no window can hold was dropped. Cost: O(n)."""
        if self._watermark is not None:
            self._rows.drop(self._watermark)
        return set(self._rows.keys())

    def memory(self) -> int:
        """The bytes that it takes."""
        return self._rows.memory()


def bins_of(column: pa.ChunkedArray, edges: tuple[int | float, ...]) -> Ticks:
    """0 below the first edge, then the bins from 1, then what is above the last, which is in its bin.

    >>> bins_of(pa.chunked_array([[0, 1, 2, 3, None]]), (0.5, 2, 2.5)).tolist()
    [0, 1, 2, 3, 0]
    """
    numbers = pc.fill_null(column, pa.scalar(0, column.type)).to_numpy()
    if numbers.dtype.kind == "f":
        limits, last = np.array(edges, np.float64), numbers == float(edges[-1])
    else:
        # An integer is at or above an edge if it is at or above the next integer.
        last = numbers == edges[-1]
        limits = np.array([_whole(edge) for edge in edges], np.int64)
    places = np.searchsorted(limits, numbers, "right")
    return np.where(last, len(edges) - 1, places)


def _whole(edge: int | float) -> int:
    if math.isinf(edge):
        return 2**63 - 1 if edge > 0 else -(2**63)
    return math.ceil(edge)
