"""Results beside their rows. Python gets the columns that a plan reads and gives its results; the rows stay in Spark.

An Arrow UDF over an iterator sees the rows of a partition in order and gives one result for each. Spark takes a UDF for
a function of one row, and so would move filters and limits below it, which change what windows hold. Here it may not:
the UDF is said to be nondeterministic, and above it stands a filter that is too.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from datetime import timedelta
from typing import Any, Final, TypeAlias

import pyarrow as pa
from pyspark.sql import Column, DataFrame
from pyspark.sql import functions as F  # noqa: N812  the name that PySpark's own documents use
from pyspark.sql.pandas.functions import arrow_udf
from pyspark.sql.types import ArrayType, BinaryType, DayTimeIntervalType, StructField, StructType

from sash.spark.layout import named

__all__ = ["with_results"]

Batches: TypeAlias = Iterator[pa.RecordBatch]
_MADE: Final = "__sash_made"


def with_results(
    rows: DataFrame,
    read: list[str],
    fields: list[StructField],
    work: Callable[[Batches], Batches],
    hidden: Iterable[str] = (),
    own: str | None = None,
) -> DataFrame:
    """The rows with the results behind their columns, without the hidden columns; where `own` is a column, without the
    rows that it is false for, which are there for the windows of others.

    `work` gets the columns that are read and gives those of the fields, a row for a row, in order.
    """
    # A UDF has at least one argument.
    arguments = [named(name) for name in read] or [F.lit(0)]
    # Its stubs know no structs.
    udf: Any = arrow_udf(_as_udf(work, read, fields), StructType(fields))  # type: ignore[call-overload]
    made = udf.asNondeterministic()(*arguments)
    # One condition, that no part of it is moved below. It reads the results, so that they are computed for a count too.
    wanted = F.col(_MADE).isNotNull() if own is None else F.col(_MADE).isNotNull() & named(own)
    done = rows.withColumn(_MADE, made).where(F.when(F.spark_partition_id() >= 0, wanted))
    gone = set(hidden)
    return done.select(*(named(name) for name in rows.columns if name not in gone), *map(_result, fields))


def _as_udf(work: Callable[[Batches], Batches], read: list[str], fields: list[StructField]) -> Callable[..., Any]:
    names, made = read or ["__sash_nothing"], [field.name for field in fields]
    nullable = [field.nullable for field in fields]

    def udf(columns: Iterator[tuple[pa.Array, ...]]) -> Iterator[pa.Array]:
        for batch in work(_batch(arrays, names) for arrays in columns):
            arrays = batch.select(made).columns
            kinds = zip(made, arrays, nullable, strict=True)
            yield pa.StructArray.from_arrays(
                arrays, fields=[pa.field(name, array.type, nullable=null) for name, array, null in kinds]
            )

    return udf


def _batch(arrays: Any, names: list[str]) -> pa.RecordBatch:
    """PySpark gives a single argument as it is."""
    return pa.RecordBatch.from_arrays([arrays] if len(names) == 1 else list(arrays), names=names)


def _result(field: StructField) -> Column:
    """A column of the results. What is never null is said to be something otherwise, so that Spark knows."""
    found = F.col(_MADE).getField(field.name)
    return (found if field.nullable else F.coalesce(found, _blank(field))).alias(field.name)


def _blank(field: StructField) -> Column:
    """Some value that the field may have."""
    kind = field.dataType
    if field.nullable:
        return F.lit(None).cast(kind)
    if isinstance(kind, StructType):
        return F.struct(*(_blank(part).alias(part.name) for part in kind.fields))
    if isinstance(kind, ArrayType):
        return F.array().cast(kind)
    if isinstance(kind, DayTimeIntervalType):
        return F.lit(timedelta(0))
    return F.lit(bytearray()) if isinstance(kind, BinaryType) else F.lit(0).cast(kind)
