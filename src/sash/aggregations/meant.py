"""What is meant by something that stands where an aggregation belongs: a class, a name, a function."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

from sash.aggregations.base import Aggregation, built_ins
from sash.errors import AggregationError
from sash.suggestions import nearest

__all__ = ["checked_aggregation", "what_is_meant"]

#: What pandas, polars and SQL call some of them.
_ALIASES: Final[Mapping[str, str]] = {
    **dict.fromkeys(("avg", "average"), "Mean"),
    **dict.fromkeys(("len", "size", "n"), "Count"),
    **dict.fromkeys(("nunique", "n_unique"), "CountDistinct"),
    **dict.fromkeys(("list", "implode", "array_agg"), "Collect"),
    **dict.fromkeys(("idxmax", "arg_max"), "ArgMax"),
    **dict.fromkeys(("idxmin", "arg_min"), "ArgMin"),
    **dict.fromkeys(("stddev", "std_dev"), "Std"),
    "variance": "Var",
    "prod": "Product",
    "corr": "Correlation",
    "cov": "Covariance",
    "skew": "Skewness",
    "kurt": "Kurtosis",
}


def checked_aggregation(value: Any) -> Aggregation:
    """The aggregation, or the `Composite` of several by name; `AggregationError` says what to write for a class, a name
    or a function.

    >>> from sash.aggregations import Max, Sum
    >>> checked_aggregation({"total": Sum("x"), "peak": Max("x")})
    Composite(total=Sum("x"), peak=Max("x"))

    >>> checked_aggregation("sum")
    Traceback (most recent call last):
    ...
    sash.errors.AggregationError: 'sum' is a name: write sash.Sum()
    """
    if isinstance(value, Aggregation):
        return value
    if isinstance(value, Mapping):
        return _together(value)
    raise AggregationError(what_is_meant(value))


def _together(members: Mapping[Any, Any]) -> Aggregation:
    from sash.aggregations.composite import Composite

    for name in members:
        if not isinstance(name, str):
            raise AggregationError(f"aggregation {name!r:.60}: its name is a text")
    return Composite(**members)


def what_is_meant(value: Any, column: str = "") -> str:
    """What to write instead of something that is no aggregation; `column` is the one to name, if one is read."""
    if isinstance(value, type) and issubclass(value, Aggregation):
        return f"{value.__name__} is a class: write {value.__name__}({column})"
    name = value if isinstance(value, str) else getattr(value, "__name__", None)
    near = nearest(name, [*built_ins(), *_ALIASES])
    if near is None:
        return f"an aggregation is needed, such as sash.Sum({column}) or one of your own, not {value!r:.60}"
    what = "a name" if isinstance(value, str) else "a function"
    return f"{name!r} is {what}: write sash.{_ALIASES.get(near, near)}({column})"
