"""In words: which way a stream goes through a plan, before it goes."""

from __future__ import annotations

from pyspark.sql import DataFrame

from sash.batch.slides import slides
from sash.plan import Plan
from sash.spark.schema import Types
from sash.spark.stream.job import Job
from sash.spark.stream.pipeline import make_job
from sash.spark.stream.tree import split

__all__ = ["explain"]

_WHEN = {
    "arrival": "a row is told at once, with what has been seen",
    "final": "a row is told once, when the watermark has passed it",
    "update": "a row is told at once, and again when a late row changes its results",
}


def explain(df: DataFrame, plan: Plan, *, types: Types | None = None) -> str:
    """The way of a stream, and what each part of it costs. `PlanError` if the plan does not fit."""
    job, schema = make_job(df, plan, types, None, "drop", None)
    added = schema.fields[-len(job.types) - (plan.emit == "update") :]
    lines = [
        f"stream: {_told(plan)}.",
        f"late: {_late(plan)}.",
        f"shuffle: packs of rows by bucket, {job.buckets} of them; all rows of a key are in one.",
        f"state: a log segment a bucket and micro-batch, of {_columns(job)}; {_kept(job)}.",
        *_engines(job),
        f"adds: {', '.join(f'{field.name} {field.dataType.simpleString()}' for field in added)}",
    ]
    return "\n".join(lines)


def _told(plan: Plan) -> str:
    if slides(plan):
        return "a row for each key and end of a window, when the watermark has passed it"
    return _WHEN[plan.emit]


def _late(plan: Plan) -> str:
    if plan.lateness is None:
        return "nothing is late, and nothing is ever forgotten: give lateness= for a stream that does not end"
    return f"rows more than {plan.lateness} behind the newest of the batches before are counted and left out"


def _columns(job: Job) -> str:
    if len(job.log_columns) == len(job.schema.names):
        return "all columns"
    return ", ".join(map(repr, job.log_columns))


def _kept(job: Job) -> str:
    if job.retain is None:
        return "written anew with the rows that windows need whenever rows have doubled"
    return f"dropped when its newest row is {job.retain} ticks behind the watermark"


def _engines(job: Job) -> list[str]:
    if slides(job.plan):
        return ["windows: over the kept rows, in each micro-batch."]
    native, other = split(job)
    lines = []
    if native:
        lines.append(f"from trees, whatever the size of the windows: {', '.join(native)}.")
    if other:
        lines.append(f"over the kept rows of the keys in a micro-batch: {', '.join(other)}.")
    return lines
