"""How each aggregation runs over a batch: by a native kernel, by row numbers, or by its own methods."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any, Final, Protocol, TypeAlias

import numpy as np
import numpy.typing as npt

from sash import _batch
from sash.aggregations.base import Aggregation
from sash.aggregations.collecting import Collect
from sash.aggregations.compiled import Compiled
from sash.aggregations.declared import needed
from sash.aggregations.distinct import CountDistinct
from sash.aggregations.filtered import Filtered
from sash.aggregations.of_row import OfRow
from sash.aggregations.records import Part, fits
from sash.aggregations.sketches.ranked import Ranked
from sash.batch.columns import Columns
from sash.batch.quantiles import MOST, exact_quantiles, takes_exactly
from sash.expressions import Expression
from sash.frames.base import Answer, Numbers, NumberType, Objects, Taken, TakenRows, Values

__all__ = ["Batch", "Pass", "Sorted", "choose", "tidy", "wrong_type"]

_NUMERIC: Final = ("integer", "real", "bool")
#: The types of columns in which what is needed cannot be.
_UNFIT: Final = {
    "numbers": ("other",),
    "integers": ("other", "real"),
    "True and False": ("other", "real"),
    "text": _NUMERIC,
}
#: What is said of kernels that do better than to combine.
_KERNELS: Final = {
    "count": "differences of running counts: exact, no combine",
    "sum": "integers by differences of running sums, exact; floats native, by {}: 3 combines a row",
}
#: Times and codes of keys, by which rows are sorted.
Sorted: TypeAlias = tuple[npt.NDArray[np.int64] | None, npt.NDArray[np.uint32] | None]


@dataclass(frozen=True)
class Batch:
    """What all passes over one frame share."""

    order: _batch.Order
    columns: Columns
    #: Only what was known when a row came.
    known: bool
    min_periods: int
    #: What the order is by: the times, and the codes of the keys.
    by: Sorted

    @property
    def late(self) -> bool:
        """Whether rows came late and that matters."""
        return self.known and not self.order.in_order

    def sorted_rows(self) -> npt.NDArray[np.int64]:
        """The rows in their order: by key, then by time, then as they stand."""
        size = self.columns.frame.rows
        keys = [part for part in self.by if part is not None]
        return np.lexsort(keys) if keys else np.arange(size)


class Pass(Protocol):
    """One aggregation over the windows of a batch."""

    def how(self, stacks: str) -> str:
        """How it runs, in a few words; `stacks` names how partials are combined."""

    def run(self, batch: Batch, bounds: _batch.Bounds) -> Answer:
        """The result of every row."""


def wrong_type(aggregation: Aggregation, values: Values) -> str | None:
    """What is wrong with the type of the first column; None if the aggregation may read it."""
    needs, name = needed(aggregation.inputs), aggregation.columns[0]
    if needs is None or values.type not in _UNFIT[needs]:
        return None
    keyed = aggregation.inputs == "keyed"
    why = f"the key of {aggregation!r} is a number" if keyed else f"{aggregation!r} reads {needs}"
    times = any(word in values.name.lower() for word in ("date", "time"))
    way_out = f"subtract {name!r} and the results of First or Last({name!r})" if times else "convert it first"
    return f"{why}, and column {name!r} is {values.name}: {way_out}"


def choose(aggregation: Aggregation, kinds: Sequence[str], late: bool) -> Pass:
    """The fastest pass over columns of these types that gives the result of the definition."""
    if isinstance(aggregation, Filtered):
        inner = choose(aggregation.inner, kinds[: len(aggregation.inner.columns)], late)
        return FilteredPass(aggregation.condition, inner)
    if isinstance(aggregation, OfRow):
        from sash.batch.row_passes import row_pass

        return row_pass(aggregation, kinds, late)
    numeric = bool(kinds) and kinds[0] in _NUMERIC
    # Whether a value is there is known of every column but of Python objects, among which NaN may be.
    present = "object" not in kinds or aggregation.nan == "skip"
    part = _kernel(aggregation)
    if part is not None and (present if aggregation.inputs == "ignored" else numeric):
        return KernelPass(aggregation, part)
    if aggregation.picks in ("first", "last") and present:
        return EndPass(aggregation, aggregation.picks)
    if aggregation.picks in ("least", "greatest") and numeric and "object" not in kinds:
        return ArgumentPass(aggregation, "arg_max" if aggregation.picks == "greatest" else "arg_min")
    if type(aggregation) is CountDistinct and not late and aggregation.nan == "skip":
        return DistinctPass(aggregation)
    if isinstance(aggregation, Collect) and aggregation.native() is not None and not late:
        return CollectPass(aggregation)
    if takes_exactly(aggregation) and numeric and not late:
        return QuantilePass(aggregation)
    if isinstance(aggregation, Compiled) and all(kind in _NUMERIC for kind in kinds):
        return CompiledPass(aggregation)
    return ObjectPass(aggregation)


def _kernel(aggregation: Aggregation) -> Part | None:
    """The kernel that frames have for it, as a part of a record names it; None if they have none."""
    native, fitting = aggregation.native(), fits(aggregation)
    return None if native is None or fitting is None or not native.batch else fitting[0]


@dataclass(frozen=True)
class FilteredPass:
    """Another pass, over the events of which a condition is true."""

    condition: Expression
    inner: Pass

    def how(self, stacks: str) -> str:
        """How it runs."""
        return f"{self.inner.how(stacks)}; the condition is a mask"

    def run(self, batch: Batch, bounds: _batch.Bounds) -> Answer:
        """The result of every row."""
        return self.inner.run(replace(batch, columns=batch.columns.where(self.condition)), bounds)


@dataclass(frozen=True)
class KernelPass:
    """Numbers in, numbers out, all of it native."""

    aggregation: Aggregation
    part: Part

    def how(self, stacks: str) -> str:
        """How it runs."""
        return _KERNELS.get(self.part.kernel, "native, by {}: 3 combines a row").format(stacks)

    def run(self, batch: Batch, bounds: _batch.Bounds) -> Answer:
        """The result of every row."""
        batch.columns.check(self.aggregation)
        column = batch.columns.numbers(batch.order, self.aggregation)
        options: dict[str, Any] = dict(self.part.options)
        values, counts = _batch.aggregate(self.part.kernel, batch.order, bounds, column, batch.known, **options)
        if values.dtype == np.int64:
            # One of the two names that C has for it; NumPy's own is the other.
            values = values.view(np.int64)
        least = max(batch.min_periods, self.aggregation.fewest)
        kind: NumberType = "real" if values.dtype == np.float64 else "integer"
        if self.aggregation.result == "bool":
            kind = "bool"
        return Numbers(values, _enough(batch, bounds, column, counts, least), kind, least > 0)


@dataclass(frozen=True)
class EndPass:
    """The first or the last value, of any type: found by row number, and taken from the column."""

    aggregation: Aggregation
    kernel: str

    def how(self, stacks: str) -> str:
        """How it runs."""
        return "by row number, no combine; the value is taken from its column"

    def run(self, batch: Batch, bounds: _batch.Bounds) -> Answer:
        """The result of every row."""
        return Taken(self.aggregation.columns[0], _rows(self.aggregation, self.kernel, batch, bounds))


@dataclass(frozen=True)
class ArgumentPass:
    """What goes with the extreme: a value of another column, of several, or the whole row."""

    aggregation: Aggregation
    kernel: str

    def how(self, stacks: str) -> str:
        """How it runs."""
        return f"native, by {stacks} of row numbers, 3 combines a row; the value is taken from its column"

    def run(self, batch: Batch, bounds: _batch.Bounds) -> Answer:
        """The result of every row."""
        rows = _rows(self.aggregation, self.kernel, batch, bounds)
        arguments = self.aggregation.columns[1:]
        if len(arguments) == 1:
            return Taken(arguments[0], rows)
        return TakenRows(arguments or tuple(batch.columns.frame.names), rows)


@dataclass(frozen=True)
class DistinctPass:
    """How many different values: counted up and down, which is exact for integers."""

    aggregation: Aggregation

    def how(self, stacks: str) -> str:
        """How it runs."""
        return "counts of each value, up and down: exact, no combine"

    def run(self, batch: Batch, bounds: _batch.Bounds) -> Answer:
        """The result of every row."""
        codes = batch.columns.codes(self.aggregation.columns[0])
        column = batch.columns.numbers(batch.order, self.aggregation)
        values = _batch.distinct(batch.order, bounds, column, codes.codes, codes.count)
        valid = _enough(batch, bounds, column, None, batch.min_periods)
        return Numbers(values.view(np.int64), valid, "integer", batch.min_periods > 0)


@dataclass(frozen=True)
class CollectPass:
    """Every value in a list: slices of the sorted column."""

    aggregation: Aggregation

    def how(self, stacks: str) -> str:
        """How it runs."""
        return "slices of the column: O(length) a row"

    def run(self, batch: Batch, bounds: _batch.Bounds) -> Answer:
        """The result of every row."""
        rows = batch.columns.rows_of(self.aggregation)
        column = batch.columns.presence(batch.order, self.aggregation, rows)
        results = _batch.collect(batch.order, bounds, column, rows)
        return Objects(_nulled(results, _enough(batch, bounds, column, None, batch.min_periods)))


@dataclass(frozen=True)
class QuantilePass:
    """Quantiles from the sorted values of each window; by their sketch where these are too many."""

    aggregation: Ranked

    def how(self, stacks: str) -> str:
        """How it runs."""
        return "a sorted list of the values in the window: exact; very many values by their sketch"

    def run(self, batch: Batch, bounds: _batch.Bounds) -> Answer:
        """The result of every row."""
        column = batch.columns.numbers(batch.order, self.aggregation)
        counts, _ = _batch.aggregate("count", batch.order, bounds, column, False)
        if batch.known or not len(counts) or int(counts.max()) > MOST:
            return ObjectPass(self.aggregation).run(batch, bounds)
        first, _ = _batch.aggregate("first", batch.order, bounds, column, False)
        rows = batch.sorted_rows()
        values, places = self._values(batch, rows)
        low = np.where(first[rows] < 0, 0, places[first[rows]])
        found = exact_quantiles(self.aggregation, values, low, low + counts.view(np.int64)[rows])
        results: list[Any] = [None] * len(rows)
        for row, result in zip(rows.tolist(), found, strict=True):
            results[row] = result
        return tidy(_nulled(results, _enough(batch, bounds, column, None, batch.min_periods)))

    def _values(
        self, batch: Batch, rows: npt.NDArray[np.int64]
    ) -> tuple[npt.NDArray[np.float64], npt.NDArray[np.int64]]:
        """The values that are there, in order, and where among them each row's is."""
        own = batch.columns.values(self.aggregation.columns[0])
        assert own.numbers is not None
        numbers = own.numbers.astype(np.float64, copy=False) + 0.0
        there = ~np.isnan(numbers)
        nulls = batch.columns.nulls(self.aggregation.columns)
        if nulls is not None:
            there &= nulls == 0
        kept = there[rows]
        places = np.empty(len(rows), np.int64)
        places[rows] = np.cumsum(kept) - 1
        return numbers[rows][kept], places


@dataclass(frozen=True)
class CompiledPass:
    """A user's aggregation as native functions over records of numbers."""

    aggregation: Compiled

    def how(self, stacks: str) -> str:
        """How it runs."""
        return f"compiled, by {stacks}: 3 combines a row, without the interpreter"

    def run(self, batch: Batch, bounds: _batch.Bounds) -> Answer:
        """The result of every row. Where a function failed, the Python methods run, and say why."""
        functions = self.aggregation._functions
        options = functions.options()
        inputs = [
            _words(batch.columns.values(name), integer)
            for name, integer in zip(self.aggregation.columns, options["integer_inputs"], strict=True)
        ]
        column = batch.columns.numbers(batch.order, self.aggregation)
        kinds = options["integer_results"]
        addresses = [options["lift"], options["combine"], options["lower"]]
        done = _batch.compiled(
            addresses, options["identity"], len(kinds), batch.order, bounds, column, inputs, batch.known
        )
        if done is None:
            return ObjectPass(self.aggregation).run(batch, bounds)
        words, present, counts = done
        valid = present.view(np.bool_)
        enough = _enough(batch, bounds, column, counts, batch.min_periods)
        if enough is not None:
            valid = valid & enough
        if options["several"]:
            return Objects(self._records(words.reshape(-1, len(kinds)), kinds, valid))
        values = words.view(np.int64) if kinds[0] else words
        kind: NumberType = "bool" if self.aggregation.result == "bool" else "integer" if kinds[0] else "real"
        return Numbers(values, None if valid.all() else valid, kind, True)

    def _records(self, words: npt.NDArray[np.float64], integers: list[bool], valid: npt.NDArray[np.bool_]) -> list[Any]:
        fields = [
            np.ascontiguousarray(words[:, i]).view(np.int64 if integer else np.float64).tolist()
            for i, integer in enumerate(integers)
        ]
        rows = zip(valid.tolist(), zip(*fields, strict=True), strict=True)
        return [self.aggregation.shape(row) if there else None for there, row in rows]


@dataclass(frozen=True)
class ObjectPass:
    """Any aggregation by its own methods, called from the native pass."""

    aggregation: Aggregation

    def how(self, stacks: str) -> str:
        """How it runs."""
        return f"its Python methods, by {stacks}: 3 combines a row"

    def run(self, batch: Batch, bounds: _batch.Bounds) -> Answer:
        """The result of every row."""
        rows = batch.columns.rows_of(self.aggregation)
        column = batch.columns.presence(batch.order, self.aggregation, rows)
        times = batch.columns.times if self.aggregation.timed else None
        results, counts = _batch.aggregate_objects(
            self.aggregation, batch.order, bounds, column, rows, times, batch.known
        )
        return tidy(_nulled(results, _enough(batch, bounds, column, counts, batch.min_periods)))


def _rows(aggregation: Aggregation, kernel: str, batch: Batch, bounds: _batch.Bounds) -> npt.NDArray[np.int64]:
    column = batch.columns.numbers(batch.order, aggregation)
    rows, counts = _batch.aggregate(kernel, batch.order, bounds, column, batch.known)
    valid = _enough(batch, bounds, column, counts, batch.min_periods)
    return rows if valid is None else np.where(valid, rows, -1)


def _enough(
    batch: Batch,
    bounds: _batch.Bounds,
    column: _batch.Column,
    counts: npt.NDArray[np.uint32] | None,
    least: int,
) -> npt.NDArray[np.bool_] | None:
    """Which rows' windows have at least so many values; None if all have."""
    if counts is not None:
        valid = counts >= least
        return None if valid.all() else valid
    marks = _batch.enough(batch.order, bounds, column, least)
    return None if marks is None else marks.view(np.bool_)


def _words(values: Values, integer: bool) -> npt.NDArray[np.float64]:
    """Numbers as the words that compiled functions read: an integer lies in its word bit by bit."""
    assert values.numbers is not None
    kind = np.int64 if integer else np.float64
    return np.ascontiguousarray(values.numbers, kind).view(np.float64)


def _nulled(results: list[Any], valid: npt.NDArray[np.bool_] | None) -> list[Any]:
    if valid is None:
        return results
    return [result if there else None for result, there in zip(results, valid.tolist(), strict=True)]


def tidy(results: list[Any]) -> Answer:
    """Numbers as numbers, if they are all of one type and fit; other objects as they are."""
    types = set(map(type, results)) - {type(None)}
    if len(types) != 1 or not types <= {int, float, bool}:
        return Objects(results)
    valid = np.fromiter((result is not None for result in results), np.bool_, len(results))
    kind = types.pop()
    filled = results if valid.all() else [kind() if result is None else result for result in results]
    try:
        values: npt.NDArray[Any] = np.array(filled, {int: np.int64, float: np.float64, bool: np.bool_}[kind])
    except OverflowError:
        return Objects(results)
    names: dict[type, NumberType] = {int: "integer", float: "real", bool: "bool"}
    return Numbers(values, None if valid.all() else valid, names[kind], True)
