"""How each aggregation runs over a batch: by a native kernel, by row numbers, or by its own methods."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any, Final

import numpy as np
import numpy.typing as npt

from sash import _batch
from sash.aggregations.base import Aggregation, is_built_in
from sash.aggregations.collecting import Collect
from sash.aggregations.compiled import Compiled
from sash.aggregations.declared import needed
from sash.aggregations.distinct import CollectDistinct, CountDistinct, Mode, hashable
from sash.aggregations.ends import IthYoungest
from sash.aggregations.filtered import Filtered
from sash.aggregations.of_row import OfRow
from sash.aggregations.quantiles import Ordered
from sash.aggregations.ranks import Rank
from sash.aggregations.records import Part, fits, reproducible
from sash.aggregations.top import BottomK, TopK
from sash.batch.base import Batch, Pass, as_objects, enough, nulled
from sash.batch.columns import Columns
from sash.batch.statistics import MomentPass, QuantilePass, RankPass, TopPass
from sash.expressions import Expression
from sash.frames import Frame
from sash.frames.base import Amounts, Numbers, NumberType, Objects, ResultColumn, Taken, TakenRows, Values
from sash.frames.wide import Wide

__all__ = ["KernelPass", "choose", "tidy", "typed", "wrong_type"]

_NUMERIC: Final = ("integer", "real", "bool")
#: Values that have an order and are no 64-bit numbers; those of the last type are Python objects.
_ORDERED: Final = ("decimal", "instant", "duration", "ordered", "alike")
#: The types of columns in which what is needed cannot be.
_UNFIT: Final = {
    "numbers": ("other", *_ORDERED[:-1]),
    "integers": ("other", "real", *_ORDERED[:-1]),
    "True and False": ("other", "real", *_ORDERED[:-1]),
    "text": _NUMERIC,
}
#: Kernels of centred moments beyond the second, or of two columns.
_MOMENTS: Final = ("skewness", "kurtosis", "covariance", "correlation", "line")
#: What is said of kernels that do better than to combine.
_KERNELS: Final = {
    "count": "differences of running counts: exact, no combine",
    "sum": "integers by differences of running sums, exact; floats native, by {}: 3 combines a row",
}


def wrong_type(aggregation: Aggregation, values: Values) -> str | None:
    """What is wrong with the type of the first column; None if the aggregation may read it."""
    needs, name = needed(aggregation.inputs), aggregation.columns[0]
    if needs is None or values.type not in _UNFIT[needs]:
        return None
    if values.type in aggregation.also or (values.type == "decimal" and aggregation.rounds):
        return None
    if "ordered" in aggregation.also:
        needs = "what has an order"
    keyed = aggregation.inputs == "keyed"
    why = f"the key of {aggregation!r} has an order" if keyed else f"{aggregation!r} reads {needs}"
    return f"{why}, and column {name!r} is {values.name}: {_way_out(name, values.name.lower())}"


def _way_out(name: str, kind: str) -> str:
    """How a column that is no number comes to be one."""
    if kind.startswith(("timedelta", "duration", "time32", "time64")):
        return f"give {name!r} as a number, such as its seconds"
    if "date" in kind or "time" in kind:
        return f"subtract {name!r} and the results of First or Last({name!r})"
    if "decimal" in kind:
        return f"give {name!r} as a float or, exactly, as an integer: 1.25 as 125 cents"
    return "convert it first"


def choose(aggregation: Aggregation, kinds: Sequence[str], late: bool, then: bool = False) -> Pass:
    """The fastest pass over columns of these types that gives the result of the definition. With `then` it gives the
    bits that a stream emits at arrival."""
    if isinstance(aggregation, Filtered):
        inner = choose(aggregation.inner, kinds[: len(aggregation.inner.columns)], late, then)
        return FilteredPass(aggregation.condition, inner)
    if isinstance(aggregation, OfRow):
        from sash.batch.row_passes import row_pass

        return row_pass(aggregation, kinds, late, then)
    if aggregation.rounds and "decimal" in kinds:
        floats = ["real" if kind == "decimal" else kind for kind in kinds]
        return RoundedPass(choose(aggregation, floats, late, then))
    ordered = _ordered(aggregation, kinds, late)
    if ordered is not None:
        return ordered
    numeric = bool(kinds) and kinds[0] in _NUMERIC
    # Whether a value is there is known of every column but of Python objects, among which NaN may be.
    present = "object" not in kinds or aggregation.nan == "skip"
    twin = _twin(aggregation, kinds) if then and present else None
    if twin is not None:
        return ReproduciblePass(aggregation, twin)
    part = _kernel(aggregation)
    if part is not None and (present if aggregation.inputs == "ignored" else numeric):
        return KernelPass(aggregation, part)
    if aggregation.picks in ("first", "last") and present:
        return EndPass(aggregation, aggregation.picks)
    if type(aggregation) is IthYoungest and present and not late:
        return EndPass(aggregation, "last", aggregation.i)
    if aggregation.picks in ("least", "greatest") and numeric and "object" not in kinds:
        return ArgumentPass(aggregation, "arg_max" if aggregation.picks == "greatest" else "arg_min")
    if type(aggregation) is CountDistinct and not late and aggregation.nan == "skip":
        return DistinctPass(aggregation)
    if type(aggregation) is Mode and not late and aggregation.nan == "skip":
        return ModePass(aggregation)
    if type(aggregation) is CollectDistinct and not late and aggregation.nan == "skip" and kinds[0] != "object":
        return CollectDistinctPass(aggregation)
    if isinstance(aggregation, Collect) and aggregation.native() is not None and not late:
        return CollectPass(aggregation)
    if isinstance(aggregation, Ordered) and is_built_in(aggregation) and numeric:
        return QuantilePass(aggregation)
    if type(aggregation) is Rank and numeric and not late:
        return RankPass(aggregation)
    if isinstance(aggregation, (TopK, BottomK)) and _ranks_numbers(aggregation, kinds) and not late:
        return TopPass(aggregation)
    moments = _moments(aggregation)
    if moments is not None and not late and all(kind in _NUMERIC for kind in kinds):
        return MomentPass(aggregation, moments)
    if isinstance(aggregation, Compiled) and all(kind in _NUMERIC for kind in kinds):
        return CompiledPass(aggregation)
    return ObjectPass(aggregation)


def _ordered(aggregation: Aggregation, kinds: Sequence[str], late: bool) -> Pass | None:
    """The pass over a column that has an order and no numbers; None if there is none."""
    if isinstance(aggregation, (TopK, BottomK)):
        ranks = is_built_in(aggregation) and aggregation.nan == "skip" and kinds[-1] in _ORDERED
        return CodedPass(TopPass(aggregation)) if ranks and "object" not in kinds and not late else None
    if not aggregation.also or kinds[0] not in _ORDERED:
        return None
    if aggregation.picks in ("least", "greatest") and "object" not in kinds:
        return CodedPass(ArgumentPass(aggregation, "arg_max" if aggregation.picks == "greatest" else "arg_min"))
    part = fits(aggregation)
    match "" if part is None else part[0].kernel:
        case "max" | "min" as kernel:
            return CodedPass(EndPass(aggregation, f"arg_{kernel}"))
        case "max_count" | "min_count":
            assert part is not None
            return CodedPass(KernelPass(aggregation, part[0]))
        case "sum" if kinds[0] != "alike":
            return SumPass(aggregation)
        case "range" if kinds[0] != "alike":
            return DifferencePass(aggregation, "arg_max", "arg_min")
        case "delta" if kinds[0] != "alike":
            return DifferencePass(aggregation, "last", "first")
    return None


def _kernel(aggregation: Aggregation) -> Part | None:
    """The kernel that frames have for it, as a part of a record names it; None if they have none."""
    native, fitting = aggregation.native(), fits(aggregation)
    return None if native is None or fitting is None or not native.batch else fitting[0]


def _twin(aggregation: Aggregation, kinds: Sequence[str]) -> str | None:
    """The kernel that adds the floats of such columns in any order; None if there is none."""
    fitting = fits(aggregation)
    if fitting is None or not (aggregation.inputs == "ignored" or all(kind in _NUMERIC for kind in kinds)):
        return None
    return fitting[0].kernel if reproducible(fitting[0], floats="real" in kinds) else None


def _ranks_numbers(aggregation: Aggregation, kinds: Sequence[str]) -> bool:
    """Whether it ranks by a column of numbers, and is what is built in."""
    return is_built_in(aggregation) and aggregation.nan == "skip" and kinds[-1] in ("integer", "real")


def _moments(aggregation: Aggregation) -> Part | None:
    """The part of a record that merges centred moments; None if it does not."""
    fitting = fits(aggregation)
    return fitting[0] if fitting is not None and fitting[0].kernel in _MOMENTS else None


@dataclass(frozen=True)
class FilteredPass:
    """Another pass, over the events of which a condition is true."""

    condition: Expression
    inner: Pass

    def how(self, stacks: str) -> str:
        """How it runs."""
        return f"{self.inner.how(stacks)}; the condition is a mask"

    def run(self, batch: Batch, bounds: _batch.Bounds) -> ResultColumn:
        """The result of every row."""
        return self.inner.run(replace(batch, columns=batch.columns.where(self.condition)), bounds)


@dataclass(frozen=True)
class CodedPass:
    """Another pass, over numbers of the order that the values have."""

    inner: Pass

    def how(self, stacks: str) -> str:
        """How it runs."""
        return f"{self.inner.how(stacks)}; values are numbered in their order first"

    def run(self, batch: Batch, bounds: _batch.Bounds) -> ResultColumn:
        """The result of every row."""
        return self.inner.run(replace(batch, columns=batch.columns.coded()), bounds)


@dataclass(frozen=True)
class RoundedPass:
    """Another pass, over decimals as floats."""

    inner: Pass

    def how(self, stacks: str) -> str:
        """How it runs."""
        return f"{self.inner.how(stacks)}; decimals are read as floats"

    def run(self, batch: Batch, bounds: _batch.Bounds) -> ResultColumn:
        """The result of every row."""
        return self.inner.run(replace(batch, columns=batch.columns.real()), bounds)


@dataclass(frozen=True)
class SumPass:
    """Decimals or durations as integers of their unit: one running sum where 64 bits are enough, else four."""

    aggregation: Aggregation

    def how(self, stacks: str) -> str:
        """How it runs."""
        return "differences of running sums of integers: exact, no combine"

    def run(self, batch: Batch, bounds: _batch.Bounds) -> ResultColumn:
        """The result of every row."""
        (name,) = self.aggregation.columns
        columns = batch.columns.parts(batch.order, name)
        found = [_batch.aggregate("sum", batch.order, bounds, column, batch.known) for column in columns]
        sums = [values.view(np.int64) for values, _ in found]
        total = Wide.of(sums[0]) if len(sums) == 1 else Wide.total(sums)
        valid = enough(batch, bounds, columns[0], found[0][1], batch.min_periods)
        return Amounts(name, total, valid, batch.min_periods > 0)


@dataclass(frozen=True)
class DifferencePass:
    """The difference between the values of two rows of the window."""

    aggregation: Aggregation
    #: What finds the row whose value is taken, and the one whose value is subtracted.
    one: str
    other: str

    def how(self, stacks: str) -> str:
        """How it runs."""
        return f"native, by {stacks} of row numbers: the values of two rows are subtracted"

    def run(self, batch: Batch, bounds: _batch.Bounds) -> ResultColumn:
        """The result of every row."""
        (name,) = self.aggregation.columns
        # The ends of a window do not depend on values.
        found_by = batch if self.one == "last" else replace(batch, columns=batch.columns.coded())
        one, other = (_rows(self.aggregation, kernel, found_by, bounds) for kernel in (self.one, self.other))
        amounts, valid = batch.columns.amounts(name), one >= 0
        # The rows of what nobody asks for may be anything.
        last = max(len(amounts.low) - 1, 0)
        found = amounts.at(np.clip(one, 0, last)).minus(amounts.at(np.clip(other, 0, last)))
        return Amounts(name, found, None if valid.all() else valid, True)


@dataclass(frozen=True)
class KernelPass:
    """Numbers in, numbers out, all of it native."""

    aggregation: Aggregation
    part: Part

    def how(self, stacks: str) -> str:
        """How it runs."""
        return _KERNELS.get(self.part.kernel, "native, by {}: 3 combines a row").format(stacks)

    def run(self, batch: Batch, bounds: _batch.Bounds) -> ResultColumn:
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
        return Numbers(values, enough(batch, bounds, column, counts, least), kind, least > 0)


@dataclass(frozen=True)
class EndPass:
    """The first or the last value, of any type, or one so many before it: found by row number, and taken from the
    column."""

    aggregation: Aggregation
    kernel: str
    behind: int = 0

    def how(self, stacks: str) -> str:
        """How it runs."""
        return "by row number, no combine; the value is taken from its column"

    def run(self, batch: Batch, bounds: _batch.Bounds) -> ResultColumn:
        """The result of every row."""
        return Taken(self.aggregation.columns[0], _rows(self.aggregation, self.kernel, batch, bounds, self.behind))


@dataclass(frozen=True)
class ArgumentPass:
    """What goes with the extreme: a value of another column, of several, or the whole row."""

    aggregation: Aggregation
    kernel: str

    def how(self, stacks: str) -> str:
        """How it runs."""
        return f"native, by {stacks} of row numbers, 3 combines a row; the value is taken from its column"

    def run(self, batch: Batch, bounds: _batch.Bounds) -> ResultColumn:
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

    def run(self, batch: Batch, bounds: _batch.Bounds) -> ResultColumn:
        """The result of every row."""
        codes = batch.columns.codes(self.aggregation.columns[0], batch.order.threads)
        column = batch.columns.numbers(batch.order, self.aggregation)
        values = _batch.distinct(batch.order, bounds, column, codes.codes, codes.count)
        valid = enough(batch, bounds, column, None, batch.min_periods)
        return Numbers(values.view(np.int64), valid, "integer", batch.min_periods > 0)


@dataclass(frozen=True)
class ModePass:
    """The most frequent value, of any type: found by the row at which it appears first, and taken from the column."""

    aggregation: Aggregation

    def how(self, stacks: str) -> str:
        """How it runs."""
        return "counts of each value, up and down, in a tournament: O(log n) a row, no combine"

    def run(self, batch: Batch, bounds: _batch.Bounds) -> ResultColumn:
        """The result of every row."""
        (name,) = self.aggregation.columns
        codes = batch.columns.codes(name, batch.order.threads)
        column = batch.columns.numbers(batch.order, self.aggregation)
        rows = _batch.modes(batch.order, bounds, column, codes.codes, codes.count).view(np.int64)
        valid = enough(batch, bounds, column, None, batch.min_periods)
        return Taken(name, rows if valid is None else np.where(valid, rows, -1))


@dataclass(frozen=True)
class CollectPass:
    """Every value in a list: slices of the sorted column."""

    aggregation: Aggregation

    def how(self, stacks: str) -> str:
        """How it runs."""
        return "slices of the column: O(length) a row"

    def run(self, batch: Batch, bounds: _batch.Bounds) -> ResultColumn:
        """The result of every row."""
        rows = batch.columns.rows_of(self.aggregation)
        column = batch.columns.presence(batch.order, self.aggregation, rows)
        results = _batch.collect(batch.order, bounds, column, rows)
        results = nulled(results, enough(batch, bounds, column, None, batch.min_periods))
        return as_objects(self.aggregation, results)


@dataclass(frozen=True)
class CollectDistinctPass:
    """The different values in a list, each where it appears first: a mark for each row that is the first with its value
    in the window."""

    aggregation: Aggregation

    def how(self, stacks: str) -> str:
        """How it runs."""
        return "marks of the rows that are the first with their value, no combine: O(length of the result) a row"

    def run(self, batch: Batch, bounds: _batch.Bounds) -> ResultColumn:
        """The result of every row."""
        (name,) = self.aggregation.columns
        values, codes = batch.columns.objects(name), batch.columns.codes(name, batch.order.threads)
        # A column of one type is hashable if one of its values is.
        hashable(next((value for value in values if value is not None), None))
        column = batch.columns.numbers(batch.order, self.aggregation)
        results = _batch.collect_distinct(batch.order, bounds, column, values, codes.codes, codes.count)
        results = nulled(results, enough(batch, bounds, column, None, batch.min_periods))
        return as_objects(self.aggregation, results)


@dataclass(frozen=True)
class CompiledPass:
    """A user's aggregation as native functions over records of numbers."""

    aggregation: Compiled

    def how(self, stacks: str) -> str:
        """How it runs."""
        return f"compiled, by {stacks}: 3 combines a row, without the interpreter"

    def run(self, batch: Batch, bounds: _batch.Bounds) -> ResultColumn:
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
        sufficient = enough(batch, bounds, column, counts, batch.min_periods)
        if sufficient is not None:
            valid = valid & sufficient
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
class ReproduciblePass:
    """Sums of floats, and what is made of them, that do not depend on the order of the additions: a stream that added
    the same floats in another order has the same bits."""

    aggregation: Aggregation
    kernel: str

    def how(self, stacks: str) -> str:
        """How it runs."""
        return f"native, by {stacks} of sums that do not depend on their order: 3 combines a row"

    def run(self, batch: Batch, bounds: _batch.Bounds) -> ResultColumn:
        """The result of every row. Where a value is refused, the Python methods run, and say why."""
        over, columns = self.aggregation, batch.columns
        columns.check(over)
        column = columns.pair(batch.order, over)[0] if len(over.columns) > 1 else columns.numbers(batch.order, over)
        read = () if over.inputs == "ignored" else over.columns
        inputs = [_words(columns.values(name), integer=False) for name in read] or [np.ones(columns.frame.rows)]
        fitting = fits(over)
        assert fitting is not None
        options: dict[str, Any] = dict(fitting[0].options) | (columns.scale() if over.timed else {})
        done = _batch.reproducible(self.kernel, batch.order, bounds, column, inputs, batch.known, **options)
        if done is None:
            return ObjectPass(over).run(batch, bounds)
        words, present, counts = done
        valid = present.view(np.bool_)
        sufficient = enough(batch, bounds, column, counts, batch.min_periods)
        if sufficient is not None:
            valid = valid & sufficient
        return Numbers(words, None if valid.all() else valid, "real", batch.min_periods > 0 or over.empty is None)


@dataclass(frozen=True)
class ObjectPass:
    """Any aggregation by its own methods, called from the native pass."""

    aggregation: Aggregation

    def how(self, stacks: str) -> str:
        """How it runs."""
        return f"its Python methods, by {stacks}: 3 combines a row"

    def run(self, batch: Batch, bounds: _batch.Bounds) -> ResultColumn:
        """The result of every row."""
        rows = batch.columns.rows_of(self.aggregation)
        column = batch.columns.presence(batch.order, self.aggregation, rows)
        times = batch.columns.times if self.aggregation.timed else None
        results, counts = _batch.aggregate_objects(
            self.aggregation, batch.order, bounds, column, rows, times, batch.known
        )
        results = nulled(results, enough(batch, bounds, column, counts, batch.min_periods))
        return typed(self.aggregation, results, batch.columns)


def _rows(
    aggregation: Aggregation, kernel: str, batch: Batch, bounds: _batch.Bounds, behind: int = 0
) -> npt.NDArray[np.int64]:
    column = batch.columns.numbers(batch.order, aggregation)
    rows, counts = _batch.aggregate(kernel, batch.order, bounds, column, batch.known, behind=behind)
    valid = enough(batch, bounds, column, counts, batch.min_periods)
    return rows if valid is None else np.where(valid, rows, -1)


def _words(values: Values, integer: bool) -> npt.NDArray[np.float64]:
    """Numbers as the words that compiled functions read: an integer lies in its word bit by bit."""
    assert values.numbers is not None
    kind = np.int64 if integer else np.float64
    return np.ascontiguousarray(values.numbers, kind).view(np.float64)


def typed(aggregation: Aggregation, results: list[Any], columns: Columns | Frame) -> ResultColumn:
    """Results in the type of the column that they are of, if that has an order and no numbers; else `tidy`."""
    found = as_objects(aggregation, results)
    if found.column is not None and columns.values(found.column).type in _ORDERED[:-1]:
        return found
    return tidy(results)


def tidy(results: list[Any]) -> ResultColumn:
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
