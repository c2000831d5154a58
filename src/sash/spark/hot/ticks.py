"""The times of a DataFrame as numbers, on both sides: in expressions of Spark and in Python."""

from __future__ import annotations

from typing import Any

import pyarrow as pa
from pyspark.sql import Column, DataFrame
from pyspark.sql import functions as F  # noqa: N812  the name that PySpark's own documents use
from pyspark.sql.pandas.types import to_arrow_type
from pyspark.sql.types import (
    DataType,
    DateType,
    DoubleType,
    FractionalType,
    LongType,
    TimestampNTZType,
    TimestampType,
)

from sash.plan import Plan
from sash.spark.layout import named
from sash.times import FLOAT, encode_array
from sash.windows import TimeWindow

__all__ = ["longest", "tick_type", "ticks"]


def ticks(df: DataFrame, plan: Plan) -> Column:
    """The time of a row as a number that grows with it: what the encoder of times counts, and floats as they are."""
    time = named(str(plan.on))
    kind = df.schema[str(plan.on)].dataType
    if isinstance(kind, TimestampType):
        return F.unix_micros(time)
    if isinstance(kind, TimestampNTZType):
        # By way of instants it would depend on the zone of the session, and the hour that comes twice would be one.
        return F.expr(f"timestampdiff(MICROSECOND, TIMESTAMP_NTZ'1970-01-01', {_text(str(plan.on))})")
    return F.unix_date(time).cast("long") if isinstance(kind, DateType) else time.cast(tick_type(kind))


def _text(name: str) -> str:
    return "`" + name.replace("`", "``") + "`"


def tick_type(kind: DataType) -> DataType:
    """What the number is.

    >>> tick_type(TimestampType()), tick_type(DoubleType())
    (LongType(), DoubleType())
    """
    return DoubleType() if isinstance(kind, FractionalType) else LongType()


def longest(df: DataFrame, plan: Plan) -> Any:
    """The length of the longest window in such numbers."""
    empty = pa.array([], to_arrow_type(df.schema[str(plan.on)].dataType, timezone="UTC"))
    kind = encode_array(empty)[0]
    lengths = [window.length for window in plan.windows if isinstance(window, TimeWindow)]
    return max(length.amount if kind == FLOAT else length.ticks(kind) for length in lengths)
