"""A plan over a streaming DataFrame: packed by bucket, through the state, unpacked."""

from __future__ import annotations

import uuid
from collections.abc import Callable, Iterator
from typing import Any, Final, get_args

import pyarrow as pa
from pyspark.sql import DataFrame
from pyspark.sql import functions as F  # noqa: N812
from pyspark.sql.types import IntegerType, StringType, StructField, StructType

from sash.aggregations.of_row import OfRow
from sash.batch.slides import slides
from sash.durations import parse_duration
from sash.plan import Plan
from sash.spark.layout import key_column
from sash.spark.opaque import in_plain_values
from sash.spark.schema import Types, arrow_types, output_fields, settle, slide_fields
from sash.spark.stream.job import LATE, REVISION, Clock, Job, OnLate
from sash.spark.stream.metrics import OBSERVED, metric_names
from sash.spark.stream.packing import BUCKET, PACKS_SQL, Packer, unpacked
from sash.spark.stream.processor import RESULTS_SQL, BucketProcessor
from sash.times import FLOAT, encode_array
from sash.windows import (
    AdaptiveWindow,
    DeltaWindow,
    PolicyWindow,
    PunctuatedWindow,
)

__all__ = ["make_job", "packed", "run"]

_LEAST_BUCKETS: Final = 16
_REFUSED: Final = (DeltaWindow, PunctuatedWindow, PolicyWindow, AdaptiveWindow)


def run(
    df: DataFrame,
    plan: Plan,
    *,
    types: Types | None = None,
    buckets: int | None = None,
    initial: DataFrame | None = None,
    on_late: OnLate = "drop",
    retain: Any = None,
) -> DataFrame:
    """The stream with the results behind its columns, by `sash.spark.rolling`."""
    job, schema = make_job(df, plan, types, buckets, on_late, retain)
    packs = packed(df, job)
    timed = plan.lateness is not None
    if plan.lateness is not None:
        # Without the column itself, Spark filters no pack: so that late rows can be counted.
        packs = packs.withWatermark("newest", job.clock.delay(plan.lateness))
    history = None if initial is None else packed(_checked_history(initial, df), job).select("bucket", "rows")
    results = (
        packs.select("bucket", "source", "place", "rows")
        .groupBy("bucket")
        .transformWithState(
            BucketProcessor(job, timed),
            RESULTS_SQL,
            "Append",
            "EventTime" if timed else "None",
            None if history is None else history.groupBy("bucket"),
        )
    )
    numbers = [F.sum(name).alias(name) for name in metric_names()]
    observed = results.observe(OBSERVED, *numbers)
    return observed.select(F.col("rows_out").alias("rows")).mapInArrow(unpacked, schema)


def make_job(
    df: DataFrame, plan: Plan, types: Types | None, buckets: int | None, on_late: OnLate, retain: Any
) -> tuple[Job, StructType]:
    """What runs, and the columns of what comes out; `PlanError` names all that does not fit."""
    problems = _problems(plan, on_late, df.columns)
    whole = in_plain_values(plan)
    asked = Plan(**plan._parts() | {"emit": "final"}) if plan.emit == "update" else plan
    fields = output_fields(df.schema, asked, types, problems)
    zone = df.sparkSession.conf.get("spark.sql.session.timeZone") or "UTC"
    columns = pa.schema([pa.field(name, kind) for name, kind in arrow_types(df.schema.fields, zone).items()])
    kind = encode_array(pa.array([], columns.field(str(plan.on)).type))[0]
    if kind == FLOAT:
        settle([f"on: Spark's watermark knows no floats, and column {plan.on!r} holds them: make it a timestamp"])
    made = [*slide_fields(df.schema, plan), *fields] if slides(plan) else fields
    job = Job(
        uuid.uuid4().hex,
        whole,
        columns,
        arrow_types(made, zone),
        Clock(kind),
        on_late,
        buckets or max(_LEAST_BUCKETS, int(df.sparkSession.conf.get("spark.sql.shuffle.partitions") or 0)),
        _retained(plan, Clock(kind), retain),
    )
    return job, _schema(df, plan, made, on_late)


def _schema(df: DataFrame, plan: Plan, made: list[StructField], on_late: OnLate) -> StructType:
    """The columns that come out. A late row has no results, so all of them may be null where late rows come out."""
    own = [df.schema[name] for name in plan.by] if slides(plan) else df.schema.fields
    extra = [StructField(REVISION, IntegerType())] if plan.emit == "update" else []
    if on_late == "keep":
        made = [StructField(field.name, field.dataType) for field in made]
        extra.append(StructField(LATE, StringType()))
    return StructType([*own, *made, *extra])


def _problems(plan: Plan, on_late: Any, columns: list[str]) -> list[str]:
    """What a stream cannot do, beside what no DataFrame can."""
    found = []
    if plan.on is None:
        found.append("on: a stream needs times: name their column with on=")
    if plan.lateness is None and plan.emit != "arrival":
        found.append(f"lateness: emit={plan.emit!r} waits for late rows: give the longest wait, lateness='10m'")
    found += [
        f"{window!r} is for frames and batches: a stream takes windows of time, rows and sessions"
        for window in plan.windows
        if isinstance(window, _REFUSED)
    ]
    found += [
        f"aggregation {name!r}: {one!r} is of a row and its window: use a DataFrame at rest"
        for name, one in plan.aggregations.items()
        if isinstance(getattr(one, "inner", one), OfRow)
    ]
    if slides(plan) and on_late == "keep":
        found.append("on_late: a late row is no row of a plan whose windows slide by a time: it can only be dropped")
    if on_late not in get_args(OnLate):
        found.append(f"on_late is 'drop' or 'keep', not {on_late!r}")
    taken = [REVISION] * (plan.emit == "update") + [LATE] * (on_late == "keep")
    found += [f"the DataFrame has a column {name!r} already: rename it" for name in taken if name in columns]
    return found


def _retained(plan: Plan, clock: Clock, retain: Any) -> int | None:
    """How long rows are retained: as asked, or as long as the longest window; None if windows count rows."""
    lengths = []
    for window in plan.windows:
        if window.reach is None:
            return None
        lengths.append(window.reach.ticks(clock.kind))
    longest = max(lengths)
    if retain is None:
        return longest
    asked = parse_duration(retain).ticks(clock.kind)
    if asked < longest:
        settle([f"retain: rows are retained for {retain!r}, and the longest window is longer: retain them for as long"])
    return asked


def _checked_history(initial: DataFrame, df: DataFrame) -> DataFrame:
    missing = [name for name in df.columns if name not in initial.columns]
    if initial.isStreaming:
        settle(["initial= is a batch of rows from before the stream, and this DataFrame is a stream"])
    settle([f"initial= has no column {name!r}, and the stream has" for name in missing])
    typed = {field.name: field.dataType for field in initial.schema.fields}
    wrong = [
        f"initial= has {typed[field.name].simpleString()} in {field.name!r}, not {field.dataType.simpleString()}"
        for field in df.schema.fields
        if typed[field.name] != field.dataType
    ]
    settle(wrong)
    return initial.select(*df.columns)


def packed(df: DataFrame, job: Job) -> DataFrame:
    """Packs of rows, by bucket."""
    keys = [key_column(df, name) for name in job.plan.by]
    number = F.pmod(F.hash(*keys), F.lit(job.buckets)) if keys else F.lit(0)
    rows = df.withColumn(BUCKET, number)
    return rows.toDF(*(f"c{place}" for place in range(len(rows.columns)))).mapInArrow(_packing(job), PACKS_SQL)


def _packing(job: Job) -> Callable[[Iterator[pa.RecordBatch]], Iterator[pa.RecordBatch]]:
    """A function that travels: what it calls is made where it runs."""

    def packing(batches: Iterator[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        return Packer(job)(batches)

    return packing
