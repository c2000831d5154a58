"""The Spark type of every result: what the definition of an aggregation gives over columns of known types."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, Final, TypeAlias

from pyspark.sql.types import (
    ArrayType,
    BinaryType,
    BooleanType,
    DataType,
    DoubleType,
    FractionalType,
    IntegralType,
    LongType,
    StringType,
    StructField,
    StructType,
)

from sash.aggregations.base import Aggregation, built_ins
from sash.aggregations.compiled import Compiled
from sash.aggregations.composite import Composite
from sash.errors import PlanError
from sash.spark.column_kinds import is_number

__all__ = ["OPAQUE", "is_built_in", "result_type"]

#: The types of the columns of a DataFrame, by name.
Columns: TypeAlias = Mapping[str, DataType]
_Rule: TypeAlias = Callable[[Aggregation, Columns, DataType | None], DataType]

_LONG: Final = LongType()
_DOUBLE: Final = DoubleType()

#: Results that are objects to be asked: their column holds the bytes of the partial.
OPAQUE: Final = ("Bloom", "CountMin", "NaiveBayes")

_WORDS: Final[dict[str, DataType]] = {
    "int": _LONG,
    "float": _DOUBLE,
    "bool": BooleanType(),
    "str": StringType(),
    "text": StringType(),
    "bytes": BinaryType(),
}
_KINDS: Final[dict[str, DataType]] = {"int": _LONG, "float": _DOUBLE, "bool": BooleanType()}


def is_built_in(aggregation: Aggregation) -> bool:
    """Whether its results are known by its name: it is a built-in one, not derived from one."""
    return built_ins().get(type(aggregation).__name__) is type(aggregation)


def result_type(aggregation: Aggregation, columns: Columns, time: DataType | None) -> DataType:
    """The type of the results; `PlanError` if it cannot be known. `time` is the type of the times.

    >>> import sash
    >>> from pyspark.sql.types import IntegerType
    >>> result_type(sash.Sum("n"), {"n": IntegerType()}, None)
    LongType()
    >>> result_type(sash.TopK("n", k=3), {"n": IntegerType()}, None).simpleString()
    'array<bigint>'
    """
    if isinstance(aggregation, Composite):
        return _struct({name: result_type(one, columns, time) for name, one in aggregation.members.items()})
    if isinstance(aggregation, Compiled):
        return _compiled(aggregation)
    rule = _RULES.get(type(aggregation).__name__) if is_built_in(aggregation) else None
    if rule is not None:
        return rule(aggregation, columns, time)
    if aggregation.gives in _WORDS:
        return _WORDS[aggregation.gives]
    raise PlanError(f'the type of the results of {aggregation!r} is not known: say it, types={{"name": "double"}}')


def _compiled(aggregation: Compiled) -> DataType:
    form = aggregation._functions.result
    if not form.several:
        return _KINDS[form.kinds[0]]
    raise PlanError(
        f"{aggregation!r} gives several numbers: say their type, "
        'types={"name": "struct<low: double, high: double>"} or "array<double>"'
    )


def _struct(parts: Mapping[str, DataType]) -> StructType:
    return StructType([StructField(name, kind) for name, kind in parts.items()])


def _number(column: DataType) -> DataType:
    """Integers and truths are counted in 64 bits, everything else is a float."""
    return _LONG if isinstance(column, (IntegralType, BooleanType)) else _DOUBLE


def _always(kind: DataType) -> _Rule:
    return lambda aggregation, columns, time: kind


def _first_column(aggregation: Aggregation, columns: Columns) -> DataType:
    return columns[aggregation.columns[0]]


def _of_column(make: Callable[[DataType], DataType]) -> _Rule:
    return lambda aggregation, columns, time: make(_first_column(aggregation, columns))


def _argument(aggregation: Aggregation, columns: Columns, time: DataType | None) -> DataType:
    arguments = aggregation.columns[1:]
    if len(arguments) == 1:
        return columns[arguments[0]]
    return _struct({name: columns[name] for name in arguments or columns})


def _points(aggregation: Aggregation, columns: Columns, time: DataType | None) -> DataType:
    assert time is not None
    point = _struct({"time": time, "value": _number(_first_column(aggregation, columns))})
    return _struct(dict.fromkeys(("first", "last", "min", "max"), point))


def _run(aggregation: Aggregation, columns: Columns, time: DataType | None) -> DataType:
    assert time is not None
    span = _number(_first_column(aggregation, columns))
    return _struct({"start": time, "end": time, "span": span, "length": _LONG})


def _histogram(aggregation: Any, columns: Columns, time: DataType | None) -> DataType:
    bins = ArrayType(_LONG)
    return _struct({"below": _LONG, "bins": bins, "above": _LONG}) if aggregation.outside else bins


def _item(column: DataType) -> DataType:
    # A sketch knows equal numbers as one: an integer that came as a float leaves as an integer.
    return _number(column) if is_number(column) and not isinstance(column, FractionalType) else column


_REALS: Final = (
    *("Mean", "GeometricMean", "HarmonicMean", "WeightedMean", "Covariance", "Correlation", "Skewness", "Kurtosis"),
    *("SampleVariance", "PopulationVariance", "SampleStdDev", "PopulationStdDev"),
    *("DecayedSum", "Rate", "TimeWeightedMean"),
)
_RULES: Final[dict[str, _Rule]] = {
    **dict.fromkeys(("Count", "MinCount", "MaxCount", "CountDistinct", "BitOr", "BitAnd"), _always(_LONG)),
    **dict.fromkeys(_REALS, _always(_DOUBLE)),
    **dict.fromkeys(("Any", "All"), _always(BooleanType())),
    **dict.fromkeys(("Sum", "Product", "Min", "Max", "Range", "Delta"), _of_column(_number)),
    **dict.fromkeys(("First", "Last", "IthYoungest", "Mode"), _of_column(lambda column: column)),
    **dict.fromkeys(("Collect", "CollectDistinct"), _of_column(ArrayType)),
    **dict.fromkeys(("TopK", "BottomK"), _of_column(lambda column: ArrayType(_number(column)))),
    **dict.fromkeys(("ArgMin", "ArgMax"), _argument),
    **dict.fromkeys(OPAQUE, _always(BinaryType())),
    "Concat": _always(StringType()),
    "M4": _points,
    "LongestIncreasingRun": _run,
    "Histogram": _histogram,
    "LinearRegression": _always(_struct(dict.fromkeys(("slope", "intercept", "r_squared"), _DOUBLE))),
    "Quantiles": _always(ArrayType(_struct(dict.fromkeys(("rank", "value", "lower", "upper"), _DOUBLE)))),
    "ApproxCountDistinct": _always(_struct(dict.fromkeys(("estimate", "lower", "upper"), _DOUBLE))),
    "FrequentItems": _of_column(
        lambda column: ArrayType(_struct({"item": _item(column), "estimate": _LONG, "lower": _LONG, "upper": _LONG}))
    ),
}
