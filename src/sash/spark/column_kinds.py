"""Which columns of a DataFrame an aggregation can read, and which can be times."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from pyspark.sql.types import (
    ArrayType,
    BinaryType,
    BooleanType,
    DataType,
    DateType,
    DayTimeIntervalType,
    DecimalType,
    DoubleType,
    FloatType,
    IntegralType,
    MapType,
    NullType,
    StringType,
    StructType,
    TimestampNTZType,
    TimestampType,
)

from sash.aggregations.base import Aggregation
from sash.aggregations.composite import Composite
from sash.aggregations.distinct import CountDistinct
from sash.aggregations.filtered import Filtered
from sash.windows import WindowPolicy

__all__ = ["collated", "is_number", "not_a_key", "not_a_measure", "not_a_time", "takes", "wrong_columns"]

#: What aggregations say of their values if they ask whether two are equal.
_COMPARED: Final = ("distinct", "labelled", "hashable", "plain")
_COLLATED: Final = (
    "text is compared by its bytes here, and column {name!r} is {kind}: take lower({name}), or"
    " collate({name}, 'UTF8_BINARY')"
)
#: The types of what aggregations may take beside numbers, in the words in which they say so.
_ALSO: Final[Mapping[str, tuple[type[DataType], ...]]] = {
    "decimal": (DecimalType,),
    "instant": (TimestampType, TimestampNTZType, DateType),
    "duration": (DayTimeIntervalType,),
    "ordered": (StringType, BinaryType),
}
_TIMES: Final = (TimestampType, TimestampNTZType, DateType, IntegralType, FloatType, DoubleType)


def is_number(kind: DataType) -> bool:
    """Whether it is read as a 64-bit number: integers, floats and truths."""
    return isinstance(kind, (IntegralType, FloatType, DoubleType, BooleanType, NullType))


def not_a_time(name: str, kind: DataType) -> str | None:
    """Why the column cannot be the times; None if it can."""
    if isinstance(kind, _TIMES):
        return None
    return (
        f"on: a time is a timestamp, timestamp_ntz, date, integer or float, and column {name!r} is"
        f" {kind.simpleString()}: convert it first"
    )


def not_a_key(name: str, kind: DataType) -> str | None:
    """Why the column cannot be part of the key; None if it can."""
    if isinstance(kind, MapType):
        return f"by: maps cannot be compared, and column {name!r} is {kind.simpleString()}: take a value out of it"
    if collated(kind):
        return f"by: {_COLLATED.format(name=name, kind=kind.simpleString())}"
    return None


def collated(kind: DataType) -> bool:
    """Whether it holds text that Spark compares by more than its bytes.

    >>> collated(ArrayType(StringType("UTF8_LCASE"))), collated(StringType())
    (True, False)
    """
    if isinstance(kind, StringType):
        return bool(kind.collation != StringType().collation)
    if isinstance(kind, ArrayType):
        return collated(kind.elementType)
    if isinstance(kind, MapType):
        return collated(kind.keyType) or collated(kind.valueType)
    return isinstance(kind, StructType) and any(collated(field.dataType) for field in kind.fields)


def not_a_measure(window: WindowPolicy, columns: Mapping[str, DataType]) -> str | None:
    """Why the window cannot measure rows by the column that it names; None if it can, or names none."""
    name = window.reads if window.measures else None
    kind = columns.get(name) if isinstance(name, str) else None
    if kind is None or is_number(kind) or isinstance(kind, DecimalType):
        return None
    return f"{window!r} measures by numbers, and column {name!r} is {kind.simpleString()}: convert it first"


def wrong_columns(aggregation: Aggregation, columns: Mapping[str, DataType]) -> str | None:
    """Why the aggregation cannot read a column that it names; None if it can, as far as types tell."""
    if isinstance(aggregation, Filtered):
        return wrong_columns(aggregation.inner, columns)
    if isinstance(aggregation, Composite):
        return next((why for one in aggregation.members.values() if (why := wrong_columns(one, columns))), None)
    compared = aggregation.inputs in _COMPARED or isinstance(aggregation, CountDistinct)
    for name in aggregation.columns if compared else ():
        if collated(columns[name]):
            return f"{aggregation!r}: {_COLLATED.format(name=name, kind=columns[name].simpleString())}"
    for name in aggregation.columns[:1] if aggregation.also else ():
        if collated(columns[name]):
            return f"{aggregation!r}: {_COLLATED.format(name=name, kind=columns[name].simpleString())}"
    for name, needed in _needs(aggregation):
        kind = columns[name]
        if takes(aggregation, kind):
            continue
        if why := _wrong(needed, kind):
            way = "cast it to double or, in units, to long" if isinstance(kind, DecimalType) else "convert it first"
            return f"{aggregation!r} reads {why}, and column {name!r} is {kind.simpleString()}: {way}"
    return None


def takes(aggregation: Aggregation, kind: DataType) -> bool:
    """Whether the aggregation takes values of the type that are no 64-bit numbers."""
    word = next((word for word, types in _ALSO.items() if isinstance(kind, types)), None)
    return word in aggregation.also or (word == "decimal" and aggregation.rounds)


def _needs(aggregation: Aggregation) -> list[tuple[str, str]]:
    """The columns and what each must be, in the words with which the aggregation says what its values are."""
    inputs, names = aggregation.inputs, aggregation.columns
    if inputs == "keyed":
        return [(name, "number") for name in names[:1]]
    if isinstance(aggregation, CountDistinct):
        # Counted by codes, which nested values have too.
        return []
    return [(name, inputs) for name in names]


def _wrong(needed: str, kind: DataType) -> str | None:
    """What is needed and not there; None if the type will do."""
    if isinstance(kind, NullType):
        return None
    match needed:
        case "number" | "real" | "positive" | "pair" | "weighted":
            return None if is_number(kind) else "numbers"
        case "bool":
            return None if isinstance(kind, (BooleanType, IntegralType)) else "True and False"
        case "integer":
            return None if isinstance(kind, (BooleanType, IntegralType)) else "integers"
        case "text":
            return None if isinstance(kind, StringType) else "text"
        case "distinct" | "labelled":
            nested = isinstance(kind, (ArrayType, MapType, StructType))
            return "values that can be compared, not nested ones" if nested else None
        case "hashable" | "plain":
            plain = is_number(kind) or isinstance(kind, (StringType, BinaryType))
            return None if plain else "integers, floats, text and bytes"
    return None
