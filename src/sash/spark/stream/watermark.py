"""The watermark of a stream: the input's own where it has one, and a mark on the results for what follows them."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Any, Final

from pyspark.sql import DataFrame
from pyspark.sql.types import StructField, StructType, TimestampType

from sash.batch.slides import BOUNDS, slides
from sash.plan import Plan

__all__ = ["Mark", "input_watermark", "with_watermark"]

#: Where Spark notes that a column has a watermark: operators that follow look for it.
_DELAY: Final = "spark.watermarkDelayMs"
_NODE: Final = re.compile(r"^[\s:+-]*~?EventTimeWatermark ", re.MULTILINE)
#: What may keep rows until the watermark passes them.
_STATEFUL: Final = re.compile(
    r"^[\s:+-]*~?(Aggregate|Deduplicate|Distinct|Join|TransformWithState|FlatMapGroups)", re.MULTILINE
)


@dataclass(frozen=True)
class Mark:
    """A watermark that a stream has already."""

    #: Its column; None if that is no longer among the columns.
    column: str | None
    delay: int
    #: There is a stateful operator before this one. It emits rows when the watermark passes them, so that they come in
    #: the same batch as that watermark, and are not late.
    chained: bool

    def refusal(self, on: str) -> str:
        """Why windows over another column cannot run behind it."""
        where = "of a column that is no longer there" if self.column is None else f"on column {self.column!r}"
        return (
            f"on: the DataFrame has a watermark {where}, and Spark moves a stream by one, so windows over {on!r} would"
            " wait for ever: set it on that column, or make the times of its column, as window_time(window) does"
        )


def input_watermark(df: DataFrame) -> Mark | None:
    """The watermark of the DataFrame; None if it has none, so that the plan's lateness makes one. Cost: O(plan)."""
    described = _described(df)
    # A column may come with the mark of a stream that wrote it to a file: only what is in the plan counts.
    if not _NODE.search(described):
        return None
    chained = _STATEFUL.search(described) is not None
    for field in df.schema.fields:
        if _DELAY in (field.metadata or {}):
            return Mark(field.name, int(field.metadata[_DELAY]), chained)
    return Mark(None, 0, chained)


def _described(df: Any) -> str:
    """Spark's plan as text: through Connect there is no other."""
    if hasattr(df, "_jdf"):
        return str(df._jdf.queryExecution().analyzed().toString())
    return str(df._explain_string(extended=True))


def with_watermark(schema: StructType, plan: Plan, delay: int | None) -> StructType:
    """The schema of results, which carry the event time: a row its own, a slide the end of its window.

    A row is emitted when the watermark passes it and not before, so it is late for no operator that follows.
    """
    name = BOUNDS[1] if slides(plan) else plan.on
    return StructType([_marked(field, delay if field.name == name else None) for field in schema.fields])


def _marked(field: StructField, delay: int | None) -> StructField:
    others = {key: value for key, value in (field.metadata or {}).items() if key != _DELAY}
    known = delay is not None and isinstance(field.dataType, TimestampType)
    return StructField(field.name, field.dataType, field.nullable, others | ({_DELAY: delay} if known else {}))
