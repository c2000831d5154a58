"""Which pass each aggregation runs by: the fastest over columns of these types."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Final

from sash import _batch
from sash.aggregations.base import Aggregation, is_built_in
from sash.aggregations.collecting import Collect
from sash.aggregations.compiled import Compiled
from sash.aggregations.declared import needed
from sash.aggregations.distinct import CollectDistinct, CountDistinct, Mode
from sash.aggregations.ends import IthYoungest
from sash.aggregations.filtered import Filtered
from sash.aggregations.of_row import OfRow
from sash.aggregations.quantiles import Ordered
from sash.aggregations.ranks import Rank
from sash.aggregations.records import Part, fits, reproducible
from sash.aggregations.top import BottomK, TopK
from sash.batch.base import Batch, Pass
from sash.batch.kernel_passes import CompiledPass, KernelPass, ReproduciblePass
from sash.batch.object_pass import ObjectPass
from sash.batch.ordered_passes import CodedPass, DifferencePass, RoundedPass, SumPass
from sash.batch.picking_passes import (
    ArgumentPass,
    CollectDistinctPass,
    CollectPass,
    DistinctPass,
    EndPass,
    ModePass,
)
from sash.batch.statistics import MomentPass, QuantilePass, RankPass, TopPass
from sash.expressions import Expression
from sash.frames.base import ORDERED, ResultColumn, Values

__all__ = ["choose", "wrong_type"]

_NUMERIC: Final = ("integer", "real", "bool")
#: The types of columns in which what is needed cannot be.
_UNFIT: Final = {
    "numbers": ("other", *ORDERED[:-1]),
    "integers": ("other", "real", *ORDERED[:-1]),
    "True and False": ("other", "real", *ORDERED[:-1]),
    "text": _NUMERIC,
}
#: Kernels of centred moments beyond the second, or of two columns.
_MOMENTS: Final = ("skewness", "kurtosis", "covariance", "correlation", "line")


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
        ranks = is_built_in(aggregation) and aggregation.nan == "skip" and kinds[-1] in ORDERED
        return CodedPass(TopPass(aggregation)) if ranks and "object" not in kinds and not late else None
    if not aggregation.also or kinds[0] not in ORDERED:
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
