"""The types that columns of text and JSON may have, and what each is in Arrow and in Spark."""

from __future__ import annotations

from typing import Final, NamedTuple

__all__ = ["TYPES", "ColumnType"]


class ColumnType(NamedTuple):
    """How Arrow and Spark write it, and what a reader of messages calls it."""

    arrow: str
    spark: str
    words: str


#: Times are UTC where they name no zone; those that are numbers count from 1970.
TYPES: Final = {
    "text": ColumnType("string", "string", "a text"),
    "int": ColumnType("int64", "bigint", "a whole number"),
    "float": ColumnType("float64", "double", "a number"),
    "bool": ColumnType("bool", "boolean", "true or false"),
    "timestamp": ColumnType("timestamp[us, tz=UTC]", "timestamp", "a time such as 2024-05-01T10:00:00Z"),
    "seconds": ColumnType("timestamp[us, tz=UTC]", "timestamp", "a number of seconds since 1970"),
    "milliseconds": ColumnType("timestamp[us, tz=UTC]", "timestamp", "a whole number of milliseconds since 1970"),
}
