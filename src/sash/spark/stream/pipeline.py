"""A plan over a streaming DataFrame: packed by bucket, through the state, unpacked."""

from __future__ import annotations

import uuid
from collections.abc import Callable, Iterator
from typing import Any, get_args

import pyarrow as pa
from pyspark.sql import DataFrame
from pyspark.sql import functions as F  # noqa: N812
from pyspark.sql.types import IntegerType, IntegralType, StringType, StructField, StructType

from sash.aggregations.filtered import unfiltered
from sash.aggregations.of_row import OfRow
from sash.batch.retractions import check_names
from sash.batch.slides import slides
from sash.durations import parse_duration
from sash.errors import PlanError
from sash.plan import Plan
from sash.spark.layout import key_column, named
from sash.spark.opaque import in_plain_values
from sash.spark.schema import Types, arrow_types, not_compared, output_fields, settle, slide_fields
from sash.spark.session import check_session
from sash.spark.stream.changes import id_problems
from sash.spark.stream.job import REVISION, Clock, Job, OnError, OnLate
from sash.spark.stream.metrics import OBSERVED, observed_metrics
from sash.spark.stream.packing import PACKS_SQL, Packer, unpacked
from sash.spark.stream.processor import RESULTS_SQL, BucketProcessor, sealed
from sash.spark.stream.tree import by_operator
from sash.spark.stream.watermark import Mark, input_watermark, with_watermark
from sash.times import FLOAT, encode_array

__all__ = ["make_job", "packed", "run"]


def run(
    df: DataFrame,
    plan: Plan,
    *,
    types: Types | None = None,
    buckets: int | None = None,
    initial: DataFrame | None = None,
    on_late: OnLate = "drop",
    on_error: OnError = "raise",
    retain: Any = None,
    retract: str | None = None,
    id: str | None = None,
) -> DataFrame:
    """The stream with the results behind its columns, by `sash.spark.rolling`."""
    mark = input_watermark(df, plan.on)
    job, schema = make_job(df, plan, types, buckets, on_late, on_error, retain, mark, (retract, id))
    check_session(df.sparkSession, job.buckets)
    packs = packed(df, job)
    if mark is None and plan.lateness is not None:
        # Without the column itself, Spark filters no pack: so that late rows can be counted.
        packs = packs.withWatermark("newest", f"{job.clock.milliseconds(plan.lateness)} milliseconds")
    timed = mark is not None or plan.lateness is not None
    history = None if initial is None else packed(_checked_history(initial, df, job), job, False)
    results = (
        packs.drop("newest")
        .groupBy("bucket")
        .transformWithState(
            sealed(BucketProcessor(job, timed)),
            RESULTS_SQL,
            "Append",
            "EventTime" if timed else "None",
            None if history is None else history.groupBy("bucket"),
        )
    )
    observed = results.observe(f"{OBSERVED}-{job.name}", *observed_metrics())
    return observed.select(F.col("rows_out").alias("rows")).mapInArrow(unpacked, schema)


def make_job(
    df: DataFrame,
    plan: Plan,
    types: Types | None = None,
    buckets: int | None = None,
    on_late: OnLate = "drop",
    on_error: OnError = "raise",
    retain: Any = None,
    mark: Mark | None = None,
    retraction: tuple[str | None, str | None] = (None, None),
) -> tuple[Job, StructType]:
    """What runs, and the columns of what comes out; `PlanError` names all that does not fit."""
    problems = [*_problems(plan, mark), *_option_problems(plan, on_late, on_error, buckets)]
    problems += _retraction_problems(df, plan, *retraction)
    whole = in_plain_values(plan)
    fields = output_fields(df.schema, plan, types, problems, live=True)
    zone = df.sparkSession.conf.get("spark.sql.session.timeZone") or "UTC"
    columns = pa.schema([pa.field(name, kind) for name, kind in arrow_types(df.schema.fields, zone).items()])
    clock = Clock(encode_array(pa.array([], columns.field(str(plan.on)).type))[0])
    if clock.kind == FLOAT:
        settle([f"on: Spark's watermark knows no floats, and column {plan.on!r} holds them: make it a timestamp"])
    made = [*slide_fields(df.schema, plan), *fields] if slides(plan) else fields
    job = Job(
        uuid.uuid4().hex,
        whole,
        columns,
        arrow_types(made, zone),
        clock,
        on_late,
        buckets,
        _retained(plan, clock, retain),
        chained=mark is not None and mark.chained,
        on_error=on_error,
        retract=retraction[0],
        id=retraction[1],
    )
    if by_operator(job) and plan.closed != "right" and any(one.closed_by_plan for one in plan.windows):
        settle(
            [
                f"closed={plan.closed!r}: the windows of this plan run by the operator, where rows are counted with the"
                " newest: leave it out, or give the windows that count rows a plan of their own"
            ]
        )
    return job, with_watermark(_schema(df, job, made), plan, _delay(plan, clock, mark))


def _delay(plan: Plan, clock: Clock, mark: Mark | None) -> int | None:
    """How many milliseconds the watermark is behind the newest time; None if there is none."""
    try:
        asked = None if plan.lateness is None else clock.milliseconds(plan.lateness)
    except (TypeError, ValueError) as error:
        raise PlanError(f"lateness: {error}") from None
    if mark is None:
        return asked
    if asked not in (None, mark.delay):
        settle(
            [
                f"lateness: the DataFrame has a watermark {mark.delay} ms behind the newest {mark.column!r}, and the"
                f" plan waits for {asked} ms: leave lateness out of the plan, or make both the same"
            ]
        )
    return mark.delay


def _schema(df: DataFrame, job: Job, made: list[StructField]) -> StructType:
    """The columns that come out. Where rows without results come out, all results may be null."""
    own = [df.schema[name] for name in job.plan.by] if slides(job.plan) else df.schema.fields
    extra = [StructField(REVISION, IntegerType())] if job.plan.emit == "update" else []
    # Where windows slide by several times, those that do not end here have no result.
    several = slides(job.plan) and len({window.slide for window in job.plan.windows}) > 1
    if job.reasons or job.retract is not None or several:
        made = [StructField(field.name, field.dataType) for field in made]
    return StructType([*own, *made, *extra, *(StructField(name, StringType()) for name in job.reasons)])


def _problems(plan: Plan, mark: Mark | None) -> list[str]:
    """What a stream cannot do, beside what no DataFrame can."""
    found = []
    if plan.on is None:
        found.append("on: a stream needs times: name their column with on=")
    if plan.lateness is None and plan.emit != "arrival" and mark is None:
        found.append(f"lateness: emit={plan.emit!r} waits for late rows: give the longest wait, lateness='10m'")
    if mark is not None and plan.on is not None and mark.column != plan.on:
        found.append(mark.refusal(plan.on))
    found += [
        f"{window!r} is for frames and batches: a stream takes every other window"
        for window in plan.windows
        if not window.for_streams
    ]
    found += [
        f"aggregation {name!r}: {one!r} is of a row and its window: use a DataFrame at rest"
        for name, one in plan.aggregations.items()
        if isinstance(unfiltered(one), OfRow)
    ]
    return found


def _option_problems(plan: Plan, on_late: Any, on_error: Any, buckets: Any) -> list[str]:
    """What is wrong beside the plan."""
    found = []
    for name, value, known in (("on_late", on_late, OnLate), ("on_error", on_error, OnError)):
        if value not in get_args(known):
            found.append(f"{name} is {' or '.join(map(repr, get_args(known)))}, not {value!r}")
        elif value == "keep" and slides(plan):
            found.append(f"{name}: a row of the input is no row of a plan whose windows slide by a time: drop it")
    if buckets is not None and (not isinstance(buckets, int) or isinstance(buckets, bool) or buckets < 1):
        found.append(f"buckets is a number, 1 or more, not {buckets!r}: leave it out for as many as fit")
    return found


def _retraction_problems(df: DataFrame, plan: Plan, retract: str | None, id: str | None) -> list[str]:
    """What is wrong with the columns that say which rows are taken back."""
    if retract is None:
        return ["id= tells which row is taken back: name the column that says so, retract="] if id is not None else []
    try:
        check_names(df.columns, retract, id, plan.emit)
    except PlanError as error:
        return [str(error)]
    found = [f"retract: {window!r} reads values: use a frame" for window in plan.windows if window.by_value]
    if slides(plan) and (plan.emit != "final" or len({getattr(one, "every", None) for one in plan.windows}) > 1):
        found.append('retract: windows that slide by a time, all by the same, are emitted once: use emit="final"')
    for option, name in {"retract": retract, "id": id}.items():
        if name is not None and (why := not_compared(name, df.schema[name].dataType)):
            found.append(f"{option}: {why}")
    if id is not None and not found:
        found += id_problems(id, df.schema[id].dataType)
    if found:
        return found
    kind = df.schema[retract].dataType
    if not isinstance(kind, (StringType, IntegralType)):
        return [f"retract: column {retract!r} has {kind.simpleString()}: +1 and -1, or words such as insert and delete"]
    return []


def _retained(plan: Plan, clock: Clock, retain: Any) -> int | None:
    """How long rows are retained: as asked, or as long as the longest window; None if windows count rows."""
    lengths = []
    for window in plan.windows:
        if window.reach is None:
            if retain is not None:
                settle(
                    [f"retain: {window!r} is no length of time, and its rows are retained as it needs: leave it out"]
                )
            return None
        lengths.append(window.reach.ticks(clock.kind))
    longest = max(lengths)
    if retain is None:
        return longest
    try:
        asked = parse_duration(retain).ticks(clock.kind)
    except (TypeError, ValueError) as error:
        raise PlanError(f"retain: {error}") from None
    if asked < longest:
        settle([f"retain: rows are retained for {retain!r}, and the longest window is longer: retain them for as long"])
    return asked


def _checked_history(initial: DataFrame, df: DataFrame, job: Job) -> DataFrame:
    if not hasattr(initial, "isStreaming"):
        settle([f"initial= is a DataFrame of Spark, the rows from before the stream, not {initial!r:.60}"])
    missing = [name for name in df.columns if name not in initial.columns]
    if initial.isStreaming:
        settle(["initial= is a batch of rows from before the stream, and this DataFrame is a stream"])
    settle([f"initial= has no column {name!r}, and the stream has" for name in missing])
    # Whether something may be null is no matter, in lists and structs neither.
    typed = {field.name: field.dataType for field in initial.schema.toNullable().fields}
    wrong = [
        f"initial= has {typed[field.name].simpleString()} in {field.name!r}, not {field.dataType.simpleString()}"
        for field in df.schema.toNullable().fields
        if typed[field.name] != field.dataType
    ]
    settle(wrong)
    rows = initial.select(*df.columns)
    # What takes a row back comes behind it, and packs of several tasks come in no order.
    return rows if job.retract is None else rows.coalesce(1)


def packed(df: DataFrame, job: Job, greets: bool = True) -> DataFrame:
    """Packs of rows, by bucket; see `Packer` for `greets`."""
    keys = [key_column(df, name) for name in job.plan.by]
    hashed = F.hash(*keys) if keys else F.lit(0)
    # Columns travel by number, the hash last: PySpark reads a dot in a name as a path.
    columns = [column.alias(f"c{place}") for place, column in enumerate([*map(named, df.columns), hashed])]
    return df.select(*columns).mapInArrow(_packing(job, greets), PACKS_SQL)


def _packing(job: Job, greets: bool) -> Callable[[Iterator[pa.RecordBatch]], Iterator[pa.RecordBatch]]:
    """A function that travels: what it calls is made where it runs."""

    def packing(batches: Iterator[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        return Packer(job, greets)(batches)

    return packing
