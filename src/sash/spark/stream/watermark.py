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
#: A line of a plan for a node whose rows are a stream: how deep it is, three characters a level, and its name.
_LINE: Final = re.compile(r"^((?:[:+ ][- ] )*)~!?(\w+)")
#: What may keep rows of a stream until the watermark passes them. So may a join, but only of two streams.
_STATEFUL: Final = ("Aggregate", "Deduplicate", "Distinct", "TransformWithState", "FlatMapGroups")


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


def input_watermark(df: DataFrame, on: str | None = None) -> Mark | None:
    """The watermark of the DataFrame, that on the column of times if there are several; None if it has none, so that
    the plan's lateness makes one. Cost: O(plan)."""
    nodes = _streaming(_described(df))
    # A column may come with the mark of a stream that wrote it to a file: only what is in the plan counts.
    if not any(node.name == "EventTimeWatermark" for node in nodes):
        return None
    chained = any(node.is_stateful for node in nodes)
    marks = {field.name: int(field.metadata[_DELAY]) for field in df.schema.fields if _DELAY in (field.metadata or {})}
    # A join of two streams has the watermarks of both.
    column = on if on in marks else next(iter(marks), None)
    return Mark(None, 0, chained) if column is None else Mark(column, marks[column], chained)


@dataclass
class _Node:
    """A node of a plan whose rows are a stream."""

    name: str
    depth: int
    #: How many of its inputs are streams.
    streams: int = 0

    @property
    def is_stateful(self) -> bool:
        """Whether it may keep rows. Beside a table at rest, a join keeps none."""
        return self.streams > 1 if self.name == "Join" else self.name.startswith(_STATEFUL)


def _streaming(described: str) -> list[_Node]:
    """The nodes that stream. What streams makes all that is above it a stream; a subquery is two levels below its node,
    and no input of it."""
    found: list[_Node] = []
    above: list[_Node] = []
    for line in filter(None, map(_LINE.match, described.splitlines())):
        node = _Node(line[2], len(line[1]) // 3)
        above = [one for one in above if one.depth < node.depth]
        if above and above[-1].depth == node.depth - 1:
            above[-1].streams += 1
        above.append(node)
        found.append(node)
    return found


def _described(df: Any) -> str:
    """Spark's plan as text, in which a tilde marks what streams: through Connect there is no other."""
    if hasattr(df, "_jdf"):
        return str(df._jdf.queryExecution().analyzed().toString())
    # Headings divide it from the plans before and behind it.
    described = str(df._explain_string(extended=True))
    return described.partition("== Analyzed Logical Plan ==")[2].partition("== Optimized Logical Plan ==")[0]


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
