"""In words: which way a DataFrame goes through a plan, before it goes."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from pyspark.sql import DataFrame

from sash.batch.slides import slides
from sash.plan import Plan
from sash.spark.batch import check
from sash.spark.existing import existing
from sash.spark.layout import order_matters
from sash.spark.partition import CHUNK
from sash.spark.schema import Types
from sash.spark.slide_chunks import rows_at_once
from sash.windows import CountWindow, TimeWindow

__all__ = ["explain", "explain_batch"]


def explain(df: DataFrame, plan: Plan, *, types: Types | None = None, split_hot_keys: Any = None) -> str:
    """Which way the plan takes over the DataFrame, in words: what is shuffled, sorted and kept. Nothing runs.

    `PlanError` if it does not fit. `plan.explain()` tells how each aggregation is computed. Cost: Spark's planning.

    >>> import sash
    >>> plan = sash.Plan(by="k", on="t", windows=sash.TimeWindow(5), aggregations={"n": sash.Count()})
    >>> df = getfixture("spark").range(9).selectExpr("id % 2 k", "id t")
    >>> print(explain(df, plan))
    batch: one result for each row, behind its columns.
    shuffle: by 'k', all rows of a key into one partition.
    sort: by 'k', 't' within partitions. Results do not depend on the order of rows with equal times.
    memory of a task: a chunk of 262144 rows, and the rows of one key in the longest window (5).
    adds: n_5 bigint
    """
    if df.isStreaming:
        from sash.spark.stream import explain as explain_stream

        return str(explain_stream(df, plan, types=types))
    return explain_batch(df, plan, types, split_hot_keys)


def explain_batch(df: DataFrame, plan: Plan, types: Types | None = None, split_hot_keys: Any = None) -> str:
    """The way of a batch."""
    fields = check(df, plan, types, split_hot_keys)
    has = existing(df, plan)
    cut = split_hot_keys is not None
    lines = [
        _head(plan),
        _shuffle(plan, has.partitioned and not cut, split_hot_keys),
        _sort(plan, has.ordered and not cut),
        f"memory of a task: {_memory(plan)}.",
        f"adds: {', '.join(f'{field.name} {field.dataType.simpleString()}' for field in fields)}",
    ]
    return "\n".join(lines)


def _head(plan: Plan) -> str:
    if not slides(plan):
        return "batch: one result for each row, behind its columns."
    return "batch: another DataFrame, one row for each key and end of a window that holds an event."


def _named(plan: Plan) -> str:
    return ", ".join(map(repr, plan.by))


def _shuffle(plan: Plan, partitioned: bool, split: Any) -> str:
    if split is not None:
        keys = f"{_named(plan)} and " if plan.by else ""
        return f"shuffle: by {keys}pieces of time, each after one window of history: {_cut(split)}."
    if partitioned:
        return "shuffle: none, the rows of a key are in one partition already."
    if not plan.by:
        return "shuffle: all rows into one partition, for they are one key; split_hot_keys= would cut it by time."
    return f"shuffle: by {_named(plan)}, all rows of a key into one partition."


def _cut(split: Any) -> str:
    if isinstance(split, Mapping):
        return f"{len(split)} keys are cut by hand"
    return "large keys are found and cut" if split == "auto" else f"keys of more than {split} rows are cut"


def _sort(plan: Plan, ordered: bool) -> str:
    if ordered:
        return "sort: none, the rows stand by key and time already."
    by = ", ".join(map(repr, [*plan.by, *([] if plan.on is None else [plan.on])])) or "the order of the input"
    ties = (
        "Rows with equal times keep the order of the input."
        if order_matters(plan)
        else "Results do not depend on the order of rows with equal times."
    )
    return f"sort: by {by} within partitions. {ties}"


def _memory(plan: Plan) -> str:
    chunk = f"a chunk of {rows_at_once(plan) if slides(plan) else CHUNK} rows"
    bounded = [window for window in plan.windows if isinstance(window, (TimeWindow, CountWindow))]
    if len(bounded) < len(plan.windows):
        return f"{chunk}, and the rows of one key since the oldest of its windows began"
    lengths = [window.length for window in bounded if isinstance(window, TimeWindow)]
    counts = [window.n for window in bounded if isinstance(window, CountWindow)]
    longest = [str(max(lengths, key=lambda length: length.amount))] if lengths else []
    longest += [f"{max(counts)} rows"] if counts else []
    return f"{chunk}, and the rows of one key in the longest window ({', '.join(longest)})"
