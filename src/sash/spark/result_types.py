"""The Spark type of every result: what the definition of an aggregation gives over columns of known types."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final, TypeAlias

from pyspark.sql.types import (
    ArrayType,
    BinaryType,
    BooleanType,
    DataType,
    DayTimeIntervalType,
    DecimalType,
    DoubleType,
    FractionalType,
    IntegralType,
    LongType,
    StringType,
    StructField,
    StructType,
)

from sash.aggregations.base import Aggregation
from sash.aggregations.compiled import Compiled
from sash.aggregations.composite import Composite
from sash.aggregations.declared import Result
from sash.aggregations.filtered import Filtered
from sash.errors import PlanError
from sash.spark.column_kinds import is_number, takes

__all__ = ["result_type"]

#: The types of the columns of a DataFrame, by name.
Columns: TypeAlias = Mapping[str, DataType]

_WORDS: Final[dict[str, DataType]] = {
    "int": LongType(),
    "float": DoubleType(),
    "bool": BooleanType(),
    "str": StringType(),
    "bytes": BinaryType(),
    # An object to be asked: the column holds the bytes of the partial.
    "object": BinaryType(),
}


def result_type(aggregation: Aggregation, columns: Columns, time: DataType | None) -> DataType:
    """The type of the results, as the aggregation declares them; `PlanError` if it does not. `time` is the type of the
    times.

    >>> import sash
    >>> from pyspark.sql.types import IntegerType
    >>> result_type(sash.Sum("n"), {"n": IntegerType()}, None)
    LongType()
    >>> result_type(sash.TopK("n", k=3), {"n": IntegerType()}, None).simpleString()
    'array<bigint>'
    """
    if isinstance(aggregation, Filtered):
        return result_type(aggregation.inner, columns, time)
    if isinstance(aggregation, Composite):
        return _struct({name: result_type(one, columns, time) for name, one in aggregation.members.items()})
    if isinstance(aggregation, Compiled) and aggregation.result is None:
        raise PlanError(
            f"{aggregation!r} gives several numbers: say their type, "
            'types={"name": "struct<low: double, high: double>"} or "array<double>"'
        )
    return _TypeReader(aggregation, columns, time).read(aggregation.result)


@dataclass(frozen=True)
class _TypeReader:
    """Reads what an aggregation says of its result over these columns."""

    aggregation: Aggregation
    columns: Columns
    time: DataType | None

    def read(self, result: Result) -> DataType:
        if isinstance(result, list):
            return ArrayType(self.read(result[0]))
        if isinstance(result, Mapping):
            return _struct({name: self.read(part) for name, part in result.items()})
        if result in _WORDS:
            return _WORDS[result]
        match result:
            case "number" if self._takes_first():
                return self._amount(self._first())
            case "number":
                return _number(self._first())
            case "value":
                return self._first()
            case "item":
                return _item(self._first())
            case "argument":
                return self._argument()
            case "time" if self.time is not None:
                return self.time
        raise PlanError(
            f'the type of the results of {self.aggregation!r} is not known: say it, types={{"name": "double"}}'
        )

    def _takes_first(self) -> bool:
        """Whether the first column holds no 64-bit numbers, and the results neither."""
        return bool(self.aggregation.columns) and takes(self.aggregation, self._first())

    def _amount(self, column: DataType) -> DataType:
        """One of the values; or their sum, or a difference of two, if that is what it gives."""
        if "ordered" in self.aggregation.also:
            return column
        return DecimalType(38, column.scale) if isinstance(column, DecimalType) else DayTimeIntervalType()

    def _first(self) -> DataType:
        return self.columns[self.aggregation.columns[0]]

    def _argument(self) -> DataType:
        """What goes with the key: a column, or several, or the row."""
        arguments = self.aggregation.columns[1:]
        if len(arguments) == 1:
            return self.columns[arguments[0]]
        return _struct({name: self.columns[name] for name in arguments or self.columns})


def _struct(parts: Mapping[str, DataType]) -> StructType:
    return StructType([StructField(name, kind) for name, kind in parts.items()])


def _number(column: DataType) -> DataType:
    """Integers and truths are counted in 64 bits, everything else is a float."""
    return LongType() if isinstance(column, (IntegralType, BooleanType)) else DoubleType()


def _item(column: DataType) -> DataType:
    # A sketch knows equal numbers as one: an integer that came as a float leaves as an integer.
    return _number(column) if is_number(column) and not isinstance(column, FractionalType) else column
