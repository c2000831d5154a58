"""How a plan runs over a DataFrame, in words, before it runs."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any, Final

from pyspark.sql import DataFrame
from pyspark.sql.types import StructField

from sash.batch.slides import slides
from sash.plan import Plan
from sash.spark.batch import check
from sash.spark.layout import existing, order_matters
from sash.spark.partition import CHUNK, rows_at_once
from sash.spark.schema import Types, name_problems, settle
from sash.spark.session import buckets_for, partitions_of
from sash.spark.stream.job import REVISION, Job
from sash.spark.stream.pipeline import make_job
from sash.spark.stream.tree import by_operator, split
from sash.spark.stream.watermark import input_watermark

__all__ = ["explain"]

_WHEN: Final = {
    "arrival": "a row is emitted at once, with what has been seen",
    "final": "a row is emitted once, when the watermark has passed it",
    "update": "a row is emitted at once, and again, as a revision, when a late row changes its results",
}

_WHEN_IT_ENDS: Final = {
    "arrival": "once a row behind it has come, with what has been seen",
    "final": "when the watermark has passed it",
    "update": "once a row behind it has come, and again, as a revision, when a late row changes its results",
}


def explain(df: DataFrame, plan: Plan, *, types: Types | None = None, split_skewed_keys: Any = None) -> str:
    """How the plan runs over the DataFrame, in words: what is shuffled, sorted and retained. Nothing runs.

    `PlanError` if it does not fit. `plan.explain()` says how each aggregation is computed. Cost: Spark's planning.

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
    revision = {REVISION: 'emit="update"'} if df.isStreaming and plan.emit == "update" else {}
    settle(name_problems(df, plan, {}, added=revision))
    return "\n".join(_stream(df, plan, types) if df.isStreaming else _batch(df, plan, types, split_skewed_keys))


def _added(fields: Iterable[StructField]) -> str:
    return f"adds: {', '.join(f'{field.name} {field.dataType.simpleString()}' for field in fields)}"


# Batches


def _batch(df: DataFrame, plan: Plan, types: Types | None, split_keys: Any) -> list[str]:
    fields = check(df, plan, types, split_keys)
    has = existing(df, plan)
    whole = split_keys is None
    return [
        _head(plan),
        _shuffle(plan, has.partitioned and whole, split_keys),
        _sort(plan, has.ordered and whole),
        f"memory of a task: {_memory(plan)}.",
        _added(fields),
    ]


def _head(plan: Plan) -> str:
    if not slides(plan):
        return "batch: one result for each row, behind its columns."
    return "batch: another DataFrame, one row for each key and end of a window that holds an event."


def _named(plan: Plan) -> str:
    return ", ".join(map(repr, plan.by))


def _shuffle(plan: Plan, partitioned: bool, split_keys: Any) -> str:
    if split_keys is not None:
        keys = f"{_named(plan)} and " if plan.by else ""
        return f"shuffle: by {keys}parts of time, each after one window of history: {_split(split_keys)}."
    if partitioned:
        return "shuffle: none, the rows of a key are in one partition already."
    if not plan.by:
        return "shuffle: all rows into one partition, for they are one key; split_skewed_keys= splits it by time."
    return f"shuffle: by {_named(plan)}, all rows of a key into one partition."


def _split(split_keys: Any) -> str:
    if isinstance(split_keys, Mapping):
        return f"{len(split_keys)} keys are split as asked"
    return "skewed keys are found" if split_keys == "auto" else f"keys of more than {split_keys} rows are split"


def _sort(plan: Plan, ordered: bool) -> str:
    if ordered:
        return "sort: none, the rows are in the order of key and time already."
    by = ", ".join(map(repr, [*plan.by, *([] if plan.on is None else [plan.on])])) or "the order of the input"
    ties = (
        "Rows with equal times keep the order of the input."
        if order_matters(plan)
        else "Results do not depend on the order of rows with equal times."
    )
    return f"sort: by {by} within partitions. {ties}"


def _memory(plan: Plan) -> str:
    chunk = f"a chunk of {rows_at_once(plan) if slides(plan) else CHUNK} rows"
    if any(window.reach is None and window.events is None for window in plan.windows):
        return f"{chunk}, and the rows of one key since the oldest of its windows began"
    lengths = [window.reach for window in plan.windows if window.reach is not None]
    counts = [window.events for window in plan.windows if window.events is not None]
    longest = [str(max(lengths, key=lambda length: length.amount))] if lengths else []
    longest += [f"{max(counts)} rows"] if counts else []
    return f"{chunk}, and the rows of one key in the longest window ({', '.join(longest)})"


# Streams


def _stream(df: DataFrame, plan: Plan, types: Types | None) -> list[str]:
    job, schema = make_job(df, plan, types, mark=input_watermark(df, plan.on))
    buckets = buckets_for(partitions_of(df.sparkSession))
    return [
        f"stream: {_emitted(plan)}.",
        f"late: {_late(plan)}.",
        f"shuffle: packs of rows by bucket, {buckets} of them; all rows of a key are in one.",
        f"state: a log segment a bucket and micro-batch, of {_columns(job)}; {_retained(job)}.",
        *_engines(job),
        _added(schema.fields[-len(job.types) - (plan.emit == "update") :]),
    ]


def _emitted(plan: Plan) -> str:
    if not slides(plan):
        return _WHEN[plan.emit]
    return f"a row for each key and end of a window, {_WHEN_IT_ENDS[plan.emit]}"


def _late(plan: Plan) -> str:
    if plan.lateness is None:
        return "nothing is late, and nothing is ever dropped: give lateness= for a stream that does not end"
    behind = f"more than {plan.lateness} behind" if plan.lateness else "behind"
    return f"rows {behind} the newest of the batches before are counted and left out"


def _columns(job: Job) -> str:
    if len(job.log_columns) == len(job.schema.names):
        return "all columns"
    return ", ".join(map(repr, job.log_columns))


def _retained(job: Job) -> str:
    if job.retain is None and by_operator(job):
        return "replaced by a snapshot of the operators, but for rows to be emitted, whenever rows have doubled"
    if job.retain is None:
        return "compacted to the rows that windows need whenever rows have doubled"
    return f"dropped when its newest row is {job.retain} ticks behind the watermark"


def _engines(job: Job) -> list[str]:
    if by_operator(job):
        return [f"by the operator, row by row: {', '.join(job.plan.outputs)}."]
    if slides(job.plan):
        return ["windows: over the retained rows, in each micro-batch."]
    native, other = split(job)
    passes = dict(job.plan.aggregations) if job.plan.emit != "arrival" else other
    lines = []
    if passes:
        lines.append(f"over the retained rows of the keys in a micro-batch: {', '.join(passes)}.")
    if native:
        when = "from trees" if job.plan.emit == "arrival" else "from trees instead, once that costs less"
        lines.append(f"{when}, whatever the size of the windows: {', '.join(native)}.")
    return lines
