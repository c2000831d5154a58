"""Columns whose type has changed while a folder was filled: the type that holds all of their values."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from pyspark.sql.types import (
    ArrayType,
    DataType,
    DecimalType,
    DoubleType,
    FloatType,
    IntegralType,
    MapType,
    NullType,
    StructField,
    StructType,
)

__all__ = ["Widening"]


@dataclass(frozen=True)
class Widening:
    """Puts schemas together: int and bigint are bigint, and what else is numbers is double.

    >>> same = Widening(str.lower)
    >>> old, new = StructType().add("a", "integer").add("b", "string"), StructType().add("A", "long").add("c", "date")
    >>> same.wider(old, new).simpleString()
    'struct<a:bigint,b:string,c:date>'
    >>> same.read_as(old, same.wider(old, new)).simpleString()
    'struct<a:int,b:string,c:date>'
    """

    #: Of two names that it makes equal, Spark sees one.
    fold: Callable[[str], str]

    @classmethod
    def of(cls, spark: Any) -> Widening:
        """As the session compares names."""
        told_apart = str(spark.conf.get("spark.sql.caseSensitive")).lower() == "true"
        return cls(str if told_apart else str.lower)

    def wider(self, old: StructType, new: StructType) -> StructType:
        """The columns of both, each in a type that holds the values of both; `TypeError` names one that has none."""
        later = {self.fold(field.name): field for field in new.fields}
        fields = []
        for field in old.fields:
            other = later.pop(self.fold(field.name), field)
            kind = self._wider(field.dataType, other.dataType)
            if kind is None:
                was, now = field.dataType.simpleString(), other.dataType.simpleString()
                raise TypeError(f"column {field.name!r} is {was}, and now {now}")
            fields.append(StructField(field.name, kind, True, field.metadata))
        return StructType([*fields, *later.values()])

    def read_as(self, own: StructType, whole: StructType) -> StructType:
        """How files of their own schema are read for the whole one: in their own types, with the columns of both, so
        that a cast is all that is left to do."""
        mine = {self.fold(field.name): field.dataType for field in own.fields}
        kinds = ((field, mine.get(self.fold(field.name))) for field in whole.fields)
        return StructType(
            [
                StructField(field.name, field.dataType if kind is None else self._read_as(kind, field.dataType))
                for field, kind in kinds
            ]
        )

    def _wider(self, old: DataType, new: DataType) -> DataType | None:
        """The type that holds the values of both; None if there is none."""
        if old == new or isinstance(new, NullType):
            return old
        if isinstance(old, NullType):
            return new
        if isinstance(old, StructType) and isinstance(new, StructType):
            return self.wider(old, new)
        if isinstance(old, ArrayType) and isinstance(new, ArrayType):
            element = self._wider(old.elementType, new.elementType)
            return None if element is None else ArrayType(element)
        if isinstance(old, MapType) and isinstance(new, MapType):
            key, value = self._wider(old.keyType, new.keyType), self._wider(old.valueType, new.valueType)
            return None if key is None or value is None else MapType(key, value)
        return _wider_number(old, new)

    def _read_as(self, own: DataType, whole: DataType) -> DataType:
        if isinstance(own, StructType) and isinstance(whole, StructType):
            return self.read_as(own, whole)
        if isinstance(own, ArrayType) and isinstance(whole, ArrayType):
            return ArrayType(self._read_as(own.elementType, whole.elementType))
        if isinstance(own, MapType) and isinstance(whole, MapType):
            return MapType(self._read_as(own.keyType, whole.keyType), self._read_as(own.valueType, whole.valueType))
        return own


def _wider_number(old: DataType, new: DataType) -> DataType | None:
    """The type of numbers that holds both.

    >>> from pyspark.sql.types import LongType, StringType
    >>> _wider_number(FloatType(), LongType()), _wider_number(LongType(), StringType())
    (DoubleType(), None)
    """
    if isinstance(old, DecimalType) and isinstance(new, DecimalType):
        return max(old, new, key=lambda kind: kind.precision) if old.scale == new.scale else None
    numbers = (IntegralType, FloatType, DoubleType)
    if not isinstance(old, numbers) or not isinstance(new, numbers):
        return None
    if isinstance(old, IntegralType) and isinstance(new, IntegralType):
        return max(old, new, key=lambda kind: _SIZES[kind.typeName()])
    return DoubleType()


_SIZES = {"byte": 1, "short": 2, "integer": 4, "long": 8}
