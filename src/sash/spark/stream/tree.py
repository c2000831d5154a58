"""The aggregations of a plan that the core computes from its trees, whatever the size of the windows."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from copy import copy
from dataclasses import dataclass
from typing import Any, Final, TypeAlias

import numpy as np
import numpy.typing as npt
import pyarrow as pa
import pyarrow.compute as pc

from sash import _core
from sash.aggregations.base import Aggregation, is_built_in
from sash.aggregations.composite import Composite
from sash.aggregations.filtered import Filtered, unfiltered
from sash.aggregations.quantiles import Ordered
from sash.aggregations.records import Part, Path, ResultSpec, Row, Slot, build, fits, with_reproducible
from sash.batch.columns import Columns
from sash.batch.naming import output_name
from sash.batch.slides import slides
from sash.columns import read_column
from sash.expressions import Expression
from sash.frames.arrow import ArrowFrame
from sash.operator.config import configure_lookups
from sash.plan import Plan
from sash.spark.stream.job import Job
from sash.spark.stream.retained import Ticks

__all__ = ["Tree", "by_operator", "needs_operator", "split"]

#: Looks up the values of a column at row numbers; -1 is null.
Lookup = Callable[[str, Ticks], pa.Array]

#: What names the slot that holds the numbers of rows, before the columns that must not be null in them, and between.
_NUMBER: Final = "\0number of "
_BESIDE: Final = "\0beside "
#: What names a column that is null where a condition is not true, before the condition and the column.
_WHERE: Final = "\0where "
_NOTHING, _INTEGER = 0, 1

#: Such columns: which column each is made of, None where rows are counted, and the condition.
Masks: TypeAlias = dict[str, tuple[str | None, Expression]]


def by_operator(job: Job) -> bool:
    """Whether the operator runs the windows: only it does, or what is known at arrival is neither in trees, nor in
    passes that are quick with late rows. It has no way to take a row back."""
    if job.retract is not None:
        return False
    if job.plan.emit != "arrival" or needs_operator(job.plan):
        return needs_operator(job.plan)
    # The ends of windows that count rows are the plan's, and the operator has no word for them.
    counted = any(window.closed_by_plan for window in job.plan.windows) and job.plan.closed != "right"
    quick = all(_in_tree(one, job) or _is_order(one, job) for one in job.plan.aggregations.values())
    return not (counted or quick)


def needs_operator(plan: Plan) -> bool:
    """Whether only the operator runs the windows: their ends depend on values, they slide by several times or are
    emitted before they are final, or late rows move them and they are emitted at arrival."""
    if slides(plan):
        return plan.emit != "final" or len({window.slide for window in plan.windows}) > 1
    arrival = plan.emit == "arrival"
    return any(window.by_value or (arrival and window.moves_with_late) for window in plan.windows)


def _is_order(aggregation: Aggregation, job: Job) -> bool:
    """Whether a pass finds it among numbers that are sorted once, late ones included."""
    one = unfiltered(aggregation)
    return isinstance(one, Ordered) and is_built_in(one) and _is_number(job.schema.field(one.columns[0]).type)


def split(job: Job) -> tuple[dict[str, Aggregation], dict[str, Aggregation]]:
    """The aggregations that are computed from trees, and those that run over rows; neither where windows slide by a
    time, or only the operator runs them."""
    wanted = {} if slides(job.plan) or by_operator(job) else dict(job.plan.aggregations)
    native = {name: one for name, one in wanted.items() if _in_tree(one, job)}
    return native, {name: one for name, one in wanted.items() if name not in native}


def _in_tree(aggregation: Aggregation, job: Job) -> bool:
    """Whether the core can keep the aggregation in its trees: partials of fixed size, over lengths of time."""
    plan = job.plan
    if plan.min_periods or not plan.peers or not job.time_only:
        return False
    one = unfiltered(aggregation)
    return _picks(one, job) is not None or _fits(one, job)


def _picks(aggregation: Aggregation, job: Job) -> str | None:
    """Which row the aggregation picks; None if it picks none."""
    word = aggregation.picks
    by_key = word in ("greatest", "least")
    if word is None or (by_key and len(aggregation.columns) < 2):
        return None
    if by_key and not _is_number(job.schema.field(aggregation.columns[0]).type):
        return None
    return word if aggregation.nan == "skip" else None


def _fits(aggregation: Aggregation, job: Job) -> bool:
    if isinstance(aggregation, Composite):
        return False
    fitting = fits(aggregation)
    if fitting is None or fitting[0].several:
        return False
    slots = fitting[1]
    read_only = all(slot.inputs == "ignored" for slot in slots)
    return read_only or all(_is_number(job.schema.field(name).type) for name in aggregation.columns)


def _is_number(kind: pa.DataType) -> bool:
    return bool(pa.types.is_integer(kind) or pa.types.is_floating(kind) or pa.types.is_boolean(kind))


@dataclass(frozen=True)
class _Output:
    """Where the result of an aggregation comes from: a part, or columns at the row that a part picks."""

    name: str
    position: int
    result: ResultSpec | None
    columns: tuple[str, ...] = ()


class Tree:
    """The windows of a bucket's keys in the core. Rows go in by columns; windows are queried by key and time."""

    def __init__(self, job: Job, aggregations: Mapping[str, Aggregation]) -> None:
        self._job = job
        self._masks: Masks = {}
        row, self._outputs = _laid_out(job, aggregations, self._masks)
        floats = job.floats | {name for name, (column, _) in self._masks.items() if column in job.floats}
        # What was emitted then can be computed again, however the tree had grown.
        self._row = with_reproducible(row, floats)
        self._core = _core.Operator(configure_lookups(self._row, job.plan.windows, job.clock.kind))

    @property
    def picks_rows(self) -> bool:
        """Whether results are values of rows, which must be retained then."""
        return any(output.columns for output in self._outputs)

    def memory(self) -> int:
        """The bytes that it takes."""
        return self._core.memory()

    def insert(self, codes: Ticks, ticks: Ticks, table: pa.Table, first: int) -> None:
        """Rows into the windows of their keys; `first` is the number of the first. Cost: O(log d) a row."""
        self._core.insert(codes, ticks, self._columns(table, ticks, first))

    def arrivals(self, codes: Ticks, ticks: Ticks, table: pa.Table, first: int, look: Lookup) -> dict[str, pa.Array]:
        """The same, with what each row finds when it arrives."""
        columns = self._columns(table, ticks, first)
        return self._named(self._core.push_many(codes, ticks, columns, None, [], None, None, None), look)

    def results(self, codes: Ticks, ticks: Ticks, look: Lookup) -> dict[str, pa.Array]:
        """The results of the windows that end at the ticks. Cost: O(log n) a window."""
        return self._named(self._core.query_many(codes, ticks), look)

    def advance(self, watermark: int) -> None:
        """No window that ends before the watermark will be queried."""
        self._core.advance(watermark)

    def trimmed(self) -> set[int]:
        """The codes of the keys that have rows, after what no window can hold was dropped. Cost: O(keys)."""
        self._core.trim()
        return set(self._core.keys())

    def _columns(self, table: pa.Table, ticks: Ticks, first: int) -> list[Any]:
        for name, (column, condition) in self._masks.items():
            there = Columns(ArrowFrame(table), self._job.clock.kind, ticks).where(condition).absent == 0
            values = pa.scalar(1) if column is None else table.column(column)
            table = table.append_column(name, pc.if_else(pa.array(there), values, None))
        return [self._column(slot, table, first) for slot in self._row.slots]

    def _column(self, slot: Slot, table: pa.Table, first: int) -> Any:
        name = slot.path.column
        if name is None:
            return np.ones(table.num_rows, np.int64)
        if name.startswith(_NUMBER):
            there = np.ones(table.num_rows, bool)
            for read in name.removeprefix(_NUMBER).split(_BESIDE):
                there &= np.asarray(table.column(read).is_valid())
            return [np.arange(first, first + table.num_rows), there.view(np.uint8)]
        return _with_marks(_whole(table.column(name)), slot.inputs)

    def _named(self, results: _core.OperatorResults, look: Lookup) -> dict[str, pa.Array]:
        labels = self._job.plan.labels
        cells = [results.cells(part) for part in range(len(self._row.parts))]
        named = {}
        for window, label in enumerate(labels):
            for output in self._outputs:
                name = output_name(output.name, label)
                # Results come row by row, a window after the other.
                words, tags = cells[output.position]
                words = np.ascontiguousarray(words[window :: len(labels)])
                tags = np.ascontiguousarray(tags[window :: len(labels)])
                if not output.columns:
                    assert output.result is not None
                    named[name] = _numbers(words, tags, output.result, self._job.types[name])
                else:
                    rows = np.where(tags == _NOTHING, -1, words)
                    named[name] = _picked([look(column, rows) for column in output.columns], rows < 0, output.columns)
        return named


def _masked(aggregation: Aggregation, masks: Masks) -> Aggregation:
    """An aggregation with a condition as one of columns that are null where it is not true."""
    if not isinstance(aggregation, Filtered):
        return aggregation
    inner, names = copy(aggregation.inner), []
    for column in inner.columns or (None,):
        names.append(f"{_WHERE}{aggregation.condition!r}\0{column}")
        masks[names[-1]] = (column, aggregation.condition)
    inner.column = names[0] if len(names) == 1 else tuple(names)
    return inner


def _laid_out(job: Job, aggregations: Mapping[str, Aggregation], masks: Masks) -> tuple[Row, list[_Output]]:
    picks = {name: _picks(unfiltered(one), job) for name, one in aggregations.items()}
    masked = {name: _masked(one, masks) for name, one in aggregations.items()}
    plain = {name: one for name, one in masked.items() if picks[name] is None}
    row = build(plain)
    outputs = [_Output(name, result.position, result) for name, result in zip(plain, row.results, strict=True)]
    slots, parts = list(row.slots), list(row.parts)
    for name, pick in picks.items():
        if pick is None:
            continue
        one, read = masked[name], unfiltered(aggregations[name]).columns
        numeric = _is_number(job.schema.field(read[0]).type)
        key = _place(slots, Slot(Path(one.columns[0]), "number" if numeric else "ignored", one.nan))
        taken = one.columns[1:] or one.columns
        number = _place(slots, Slot(Path(_NUMBER + _BESIDE.join(taken)), "integer", "skip"))
        position = _place(parts, Part(f"row_of_{pick}", (key, number)))
        outputs.append(_Output(name, position, None, read[1:] or read))
    return Row(tuple(slots), tuple(parts), (), row.results, composite=True, timed=row.timed), outputs


def _picked(columns: list[pa.Array], missing: npt.NDArray[np.bool_], names: tuple[str, ...]) -> pa.Array:
    """One column as it is, several as records."""
    return columns[0] if len(columns) == 1 else pa.StructArray.from_arrays(columns, names, mask=pa.array(missing))


def _place(items: list[Any], item: Any) -> int:
    if item not in items:
        items.append(item)
    return items.index(item)


def _whole(column: pa.ChunkedArray) -> pa.Array:
    whole = column.combine_chunks()
    return whole.chunk(0) if isinstance(whole, pa.ChunkedArray) else whole


def _with_marks(array: pa.Array, inputs: str) -> Any:
    """A column for the core: numbers, with marks beside them where there are nulls."""
    if not _is_number(array.type):
        # Only whether a value is there is read.
        return [np.ones(len(array), np.int64), np.asarray(array.is_valid()).view(np.uint8)]
    if not array.null_count:
        return read_column(array, inputs)[0]
    filled = pc.fill_null(array, pa.scalar(False if pa.types.is_boolean(array.type) else 0, array.type))
    return [read_column(filled, inputs)[0], np.asarray(array.is_valid()).view(np.uint8)]


def _numbers(words: Ticks, tags: npt.NDArray[np.uint8], result: ResultSpec, kind: pa.DataType) -> pa.Array:
    """The results of a part as a column of the type."""
    missing = tags == _NOTHING
    values: npt.NDArray[Any]
    if pa.types.is_floating(kind):
        values = np.where(tags == _INTEGER, words.astype(np.float64), words.view(np.float64))
    else:
        values = words.astype(bool) if pa.types.is_boolean(kind) else words.view(np.int64)
    if not missing.any():
        return pa.array(values, kind)
    if result.aggregation.empty is not None:
        return pa.array(np.where(missing, result.aggregation.empty, values), kind)
    return pa.array(values, kind, mask=missing)
