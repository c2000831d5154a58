"""Results of several numbers and times over a window of time when a row arrives: they stay columns."""

from __future__ import annotations

from collections.abc import Iterator
from copy import copy
from dataclasses import replace
from typing import Any

import numpy as np
import numpy.typing as npt
import pyarrow as pa
import pyarrow.compute as pc

from sash.aggregations.base import Aggregation
from sash.aggregations.filtered import unfiltered
from sash.aggregations.records import fits
from sash.operator.engine import Engine
from sash.spark.stream.arrivals import ArrivalOperator
from sash.spark.stream.job import Job
from sash.spark.stream.operators import Emissions, never_late
from sash.spark.stream.retained import Ticks
from sash.times import INT
from sash.windows import TimeWindow

__all__ = ["SeveralOperator", "gives_several"]


def gives_several(job: Job, aggregation: Aggregation) -> bool:
    """Whether the core gives its results as numbers, and times as the microseconds or integers that columns hold."""
    one = unfiltered(aggregation)
    fitting = fits(one)
    times = job.schema.field(job.on).type
    plain = pa.types.is_int64(times) or (pa.types.is_timestamp(times) and times.unit == "us")
    return fitting is not None and fitting[0].several and len(one.columns) == 1 and plain


class SeveralOperator(ArrivalOperator):
    """The operator of the core over integers for times: no object is made for a time, and none for a result."""

    def __init__(self, job: Job, name: str, aggregation: Aggregation, window: TimeWindow) -> None:
        super().__init__(job, name, aggregation, window)
        flat: Any = copy(self._one)
        flat.shape = tuple
        ticks = TimeWindow(window.length.ticks(self._kind), closed=window.closed)
        self._engine = Engine(replace(self._spec, aggregation=flat, policies=(ticks,)), INT)

    def _found(self, codes: Ticks, ticks: Ticks, table: pa.Table, there: npt.NDArray[np.uint8]) -> pa.Array:
        values = pc.if_else(pa.array(there.view(bool)), table.column(self._columns[0]), None).combine_chunks()
        read: Any = values if values.null_count else values.to_numpy(zero_copy_only=False)
        results = self._engine.push_many(codes, ticks, {self._columns[0]: read}, never_late)
        return columns_of(results.values.tolist(), self._type)

    def advance(self, watermark: int) -> Emissions:
        """Windows that end before the watermark are over."""
        self._engine.advance(watermark)
        return super().advance(watermark)


def columns_of(results: list[tuple[Any, ...] | None], kind: pa.DataType) -> pa.Array:
    """Flat tuples as an array of a type whose leaves they are, in order.

    >>> columns_of([(1, 5), None], pa.struct({"at": pa.timestamp("us"), "n": pa.int64()})).field("n").to_pylist()
    [5, None]
    """
    width = _leaves(kind)
    missing = np.fromiter((result is None for result in results), bool, len(results))
    blank = (None,) * width
    whole = [blank if result is None else result for result in results] if missing.any() else results
    return _filled(zip(*whole, strict=True) if results else iter([()] * width), kind, missing)


def _filled(columns: Iterator[tuple[Any, ...]], kind: pa.DataType, missing: npt.NDArray[np.bool_]) -> pa.Array:
    if pa.types.is_struct(kind):
        arrays = [_filled(columns, field.type, missing) for field in kind]
        return pa.StructArray.from_arrays(arrays, fields=list(kind), mask=pa.array(missing))
    column = next(columns)
    return pa.array(column, pa.int64()).cast(kind) if pa.types.is_timestamp(kind) else pa.array(column, kind)


def _leaves(kind: pa.DataType) -> int:
    return sum(_leaves(field.type) for field in kind) if pa.types.is_struct(kind) else 1
