"""What a window of time holds when a row arrives, found by the core as numbers of rows: no partials are combined in
Python, and no results are made there."""

from __future__ import annotations

from typing import Any, Final, TypeAlias

import numpy as np
import numpy.typing as npt
import pyarrow as pa
import pyarrow.compute as pc

from sash import _core
from sash.aggregations.base import Aggregation, is_built_in
from sash.aggregations.collecting import Collect
from sash.aggregations.distinct import CollectDistinct, Mode
from sash.aggregations.ends import IthYoungest
from sash.aggregations.filtered import Filtered, unfiltered
from sash.aggregations.text import Concat
from sash.aggregations.top import BottomK, TopK
from sash.batch.columns import Columns
from sash.frames.arrow import ArrowFrame
from sash.spark.opaque import decoded
from sash.spark.stream.job import Job
from sash.spark.stream.key_codes import KeyCodes
from sash.spark.stream.operators import Emissions, Operator
from sash.spark.stream.retained import Chunk, RetainedRows, Ticks
from sash.windows import TimeWindow, WindowPolicy
from sash.windows.time import ends_in

__all__ = ["ArrivalOperator", "RowsOperator", "TopOperator", "at_arrival", "finds_rows", "ranks_rows"]

#: Rows of windows, one window after the other: where each begins, and which rows they are, from the oldest kept on.
Lists: TypeAlias = tuple[npt.NDArray[np.int32], npt.NDArray[np.int32]]

_FARTHEST: Final = 2**63 - 1
#: Which rows an aggregation is made of.
_WHICH: Final[dict[type[Any], str]] = {
    Collect: "all",
    Concat: "all",
    CollectDistinct: "different",
    Mode: "frequent",
    IthYoungest: "youngest",
}
#: The value of rows whose values are not compared.
_NO_VALUE: Final = -1


def at_arrival(job: Job, aggregation: Aggregation, window: WindowPolicy) -> bool:
    """Whether windows of time alone are emitted at arrival, so that the log holds all of their rows, and null or NaN is
    no value."""
    in_time = job.time_only and not window.slides
    one = decoded(unfiltered(aggregation))
    built_in = is_built_in(one) and ("nan" not in one.defaults or one.nan == "skip")
    return in_time and built_in and job.plan.emit == "arrival" and not job.plan.min_periods


def finds_rows(job: Job, aggregation: Aggregation) -> bool:
    """Whether the result is made of rows of the window. Values that are compared are no lists or records."""
    one = unfiltered(aggregation)
    nested = any(pa.types.is_nested(job.schema.field(name).type) for name in one.columns)
    return _WHICH.get(type(one)) in (("all", "youngest") if nested else _WHICH.values())


def ranks_rows(job: Job, aggregation: Aggregation) -> bool:
    """Whether the result is the most extreme rows by a column of numbers."""
    one = unfiltered(aggregation)
    if not isinstance(one, (TopK, BottomK)):
        return False
    kind = job.schema.field(one.columns[-1]).type
    return bool(pa.types.is_signed_integer(kind) or pa.types.is_float32(kind) or pa.types.is_float64(kind))


class ArrivalOperator(Operator):
    """Rows with a value in windows of time. A row has a number, from 0 on, in the order of arrival."""

    def __init__(self, job: Job, name: str, aggregation: Aggregation, window: TimeWindow) -> None:
        super().__init__(job, name, aggregation, window)
        self._one = unfiltered(aggregation)
        with_start, with_end = ends_in(window.closed)
        #: A window that ends at t holds the times from t - since to t - until.
        self._since = window.length.ticks(self._kind) - (not with_start)
        self._until = int(not with_end)
        self._columns = self._one.columns
        self._condition = aggregation.condition if isinstance(aggregation, Filtered) else None
        self._type = job.types[name]
        self._taken = 0
        self._watermark: int | None = None

    def push(self, codes: Ticks, ticks: Ticks, table: pa.Table) -> Emissions:
        """Rows, none of them late."""
        if len(ticks) and int(ticks.max()) > _FARTHEST - self._since - 2:
            raise OverflowError(f"a window of the time {ticks.max()} ends beyond 64 bits: use earlier times")
        numbers = np.arange(self._taken, self._taken + len(ticks))
        found = self._found(codes, ticks, table, self._there(table, ticks).view(np.uint8))
        self._taken += len(ticks)
        return Emissions(codes, numbers, found)

    def _found(self, codes: Ticks, ticks: Ticks, table: pa.Table, there: npt.NDArray[np.uint8]) -> pa.Array:
        """What each row finds; `there` marks those that have a value."""
        raise NotImplementedError

    def _there(self, table: pa.Table, ticks: Ticks) -> npt.NDArray[np.bool_]:
        there = np.ones(len(ticks), bool)
        for name in self._columns:
            there &= np.asarray(pc.is_null(table.column(name), nan_is_null=True)) == 0
        if self._condition is not None:
            there &= Columns(ArrowFrame(table), self._kind, ticks).where(self._condition).absent == 0
        return there

    def advance(self, watermark: int) -> Emissions:
        """Nothing waits for a watermark."""
        self._watermark = watermark
        return Emissions(np.empty(0, np.int64), np.empty(0, np.int64), pa.array([], self._type))


class RowsOperator(ArrivalOperator):
    """Results that are made of rows of the window: their values in a list, or joined, or the value of one."""

    def __init__(self, job: Job, name: str, aggregation: Aggregation, window: TimeWindow) -> None:
        super().__init__(job, name, aggregation, window)
        self._kept = RetainedRows(pa.schema([job.schema.field(column) for column in self._columns]))
        self._rows: Any = self._made()
        self._values = KeyCodes(self._columns)

    def _made(self) -> Any:
        return _core.ArrivalRows(self._since, self._until)

    def _found(self, codes: Ticks, ticks: Ticks, table: pa.Table, there: npt.NDArray[np.uint8]) -> pa.Array:
        own = table.select(self._columns)
        self._kept.add(Chunk(self._taken, own, codes, ticks))
        starts, rows = self._pushed(codes, ticks, own, there)
        # All that is kept in one array: windows hold far more rows than there are.
        kept = self._kept.joined()[0].column(self._columns[0]).combine_chunks()
        kept = kept.chunk(0) if isinstance(kept, pa.ChunkedArray) else kept
        if type(self._one) in (Mode, IthYoungest):
            places = np.full(len(ticks), -1, np.int32)
            places[np.diff(starts) > 0] = rows
            return kept.take(pa.array(places, mask=places < 0)).cast(self._type)
        return self._joined(pa.array(starts), kept.take(pa.array(rows)))

    @property
    def _oldest(self) -> int:
        """The number of the oldest row that is kept."""
        return self._kept.chunks[0].first if self._kept.chunks else self._taken

    def _pushed(self, codes: Ticks, ticks: Ticks, own: pa.Table, there: npt.NDArray[np.uint8]) -> Lists:
        which = _WHICH[type(self._one)]
        compared = which in ("different", "frequent")
        values = self._values.of(own) if compared else np.full(len(ticks), _NO_VALUE)
        behind = self._one.i if isinstance(self._one, IthYoungest) else 0
        found: Lists = self._rows.push_many(codes, ticks, values, there, self._taken, self._oldest, which, behind)
        return found

    def _joined(self, starts: pa.Array, values: pa.Array) -> pa.Array:
        lists = pa.ListArray.from_arrays(starts, values)
        if not isinstance(self._one, Concat):
            return lists if lists.type == self._type else lists.cast(self._type)
        texts = pc.binary_join(lists, self._one.separator)
        # Of no texts there is none, which is not the empty one.
        texts = pc.if_else(pc.equal(pc.list_value_length(lists), 0), pa.scalar(None, texts.type), texts)
        return texts if texts.type == self._type else texts.cast(self._type)

    def trimmed(self) -> set[int]:
        """The codes of the keys that have rows, after what no window can hold was dropped. Cost: O(n)."""
        if self._watermark is not None:
            self._rows.drop(self._watermark)
            self._kept.drop_oldest(self._watermark - self._since)
        if self._watermark is not None and isinstance(self._rows, _core.ArrivalRows):
            self._values.keep(set(self._rows.values()))
        return set(self._rows.keys())

    def memory(self) -> int:
        """The bytes that it takes."""
        return int(self._rows.memory()) + self._kept.memory() + self._values.memory()


class TopOperator(RowsOperator):
    """The most extreme rows, kept in trees: a result takes time that does not depend on the window."""

    def _made(self) -> Any:
        assert isinstance(self._one, (TopK, BottomK))
        return _core.TopRows(self._since, self._until, self._one.k)

    def _pushed(self, codes: Ticks, ticks: Ticks, own: pa.Table, there: npt.NDArray[np.uint8]) -> Lists:
        assert isinstance(self._one, (TopK, BottomK))
        ranks = _ranks(own.column(self._columns[-1]))
        ranks = ~ranks if self._one.greatest else ranks
        found: Lists = self._rows.push_many(codes, ticks, ranks, there, self._taken, self._oldest)
        return found


def _ranks(column: pa.ChunkedArray) -> Ticks:
    """Integers in the order of the numbers; both zeros are one."""
    numbers: npt.NDArray[Any] = pc.fill_null(column, pa.scalar(0, column.type)).to_numpy()
    if numbers.dtype.kind == "i":
        return numbers.astype(np.int64)
    bits = (numbers.astype(np.float64) + 0.0).view(np.int64)
    return np.where(bits < 0, bits ^ (2**63 - 1), bits)
