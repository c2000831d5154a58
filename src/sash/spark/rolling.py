"""`sash.spark.rolling`: one function for batch and streaming DataFrames."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from pyspark.sql import DataFrame

from sash.aggregations.base import Aggregation
from sash.batch.labels import labels_of, offsets_of
from sash.errors import PlanError
from sash.expressions import Expression
from sash.plan import Emit, Plan
from sash.rolling import as_plan
from sash.spark.batch import run as run_batch
from sash.spark.derived import derived
from sash.spark.labels import run_at
from sash.spark.schema import Types, crossing_problems, name_problems, settle
from sash.spark.session import python_of_workers
from sash.spark.stream.job import ERROR, LATE, REVISION, OnError, OnLate
from sash.spark.stream.pipeline import run as run_stream
from sash.windows.time import Closed

__all__ = ["rolling"]


def rolling(
    df: DataFrame,
    plan: Plan | None = None,
    *,
    on: str | None = None,
    by: str | Sequence[str] | None = None,
    window: Any = None,
    every: Any = None,
    closed: Closed | None = None,
    min_periods: int | None = None,
    peers: bool | None = None,
    emit: Emit | None = None,
    lateness: Any = None,
    types: Types | None = None,
    at: DataFrame | None = None,
    known: str | None = None,
    offset: Any = 0,
    split_skewed_keys: Any = None,
    buckets: int | None = None,
    initial: DataFrame | None = None,
    on_late: OnLate | None = None,
    on_error: OnError | None = None,
    retain: Any = None,
    retract: str | None = None,
    id: str | None = None,
    **aggregations: Aggregation | Expression,
) -> DataFrame:
    """The same rows, with a column for each aggregation and window behind them: what `sash.rolling` gives for a frame.

    A batch is shuffled by key, sorted within partitions and run through the native engine, chunk by chunk. A stream
    keeps its windows in state, and emits results as the plan's `emit` says. `docs/spark.md` describes both.

    Give a `Plan`, or in short its parts, as to `sash.rolling`: with one `window` the columns are called as the
    aggregations are, and expressions over results are columns of their own.

    - `types`: the Spark types of results that an aggregation of your own gives, by its name: `{"best": "double"}`.
    - `at`, `known`, `offset`: of a batch: the rows of another DataFrame come out, labels, with the windows of the
      events that end there, as known then, so long before. See `docs/labels.md`.
    - `split_skewed_keys`: of a batch: split keys that are too large for one task by time. See `docs/spark.md`.
    - `on_late`: what becomes of rows without a time and, in a stream, beyond the lateness: "drop" or "keep". A batch
      fails without it, if there are any; a stream drops them.
    - `on_error`: of a stream: what becomes of rows that cannot be computed on: "raise", "drop" or "keep".
    - `buckets`, `initial`, `retain`: of a stream: into how many buckets its state is divided, the rows that it starts
      from, and how long rows are retained, if longer than the longest window. Rows of `initial` are in windows and get
      no results of their own; a window that slides by a time is emitted only if a row of the stream is in it. See
      `docs/spark-streams.md`.
    - `retract`, `id`: of a stream: the column that says that a row takes an earlier one back, and the one that tells
      which. See `docs/late-data.md`.

    `PlanError` names all that does not fit, before anything runs. Cost of a batch: a shuffle, a sort, and O(1) combines
    a row for each aggregation and window.

    >>> import sash
    >>> plan = sash.Plan(by="card", on="time", windows="1h", aggregations={"spent": sash.Sum("amount")})
    >>> spark = getfixture("spark")
    >>> rows = spark.createDataFrame([(1, 0, 5), (1, 60, 7)], "card int, seconds long, amount int")
    >>> df = rows.selectExpr("card", "timestamp_seconds(seconds) time", "amount")
    >>> [row.spent_1h for row in rolling(df, plan).sort("time").collect()]
    [5, 12]
    >>> [row.n for row in rolling(df, on="time", by="card", window="30s", n=sash.Count()).sort("time").collect()]
    [1, 1]
    """
    if not hasattr(df, "isStreaming"):
        raise TypeError(f"df is a DataFrame of Spark, not {type(df).__name__}: sash.rolling takes other frames")
    parts = {"on": on, "by": by, "every": every, "closed": closed, "min_periods": min_periods, "peers": peers}
    plan, names = as_plan(plan, window, aggregations, parts | {"emit": emit, "lateness": lateness})
    ends = [""] if at is None else list(offsets_of(offset))
    added = {} if at is not None else _added(df.isStreaming, plan, on_late, on_error)
    settle(name_problems(df if at is None else at, plan, names, offsets=ends, added=added))
    of_batch = {"split_skewed_keys": split_skewed_keys, "at": at, "known": known, "offset": offset or None}
    of_stream = {"buckets": buckets, "initial": initial, "on_error": on_error, "retain": retain}
    of_stream |= {"retract": retract, "id": id}
    # Expressions are over columns of a row, so they come behind all that is shuffled.
    bare = Plan(**plan._parts() | {"expressions": None}) if plan.expressions else plan
    with python_of_workers(df.sparkSession):
        if df.isStreaming:
            _refuse("a stream", "a batch", of_batch)
            options = {name: value for name, value in of_stream.items() if value is not None}
            done = run_stream(df, bare, types=types, on_late=on_late or "drop", **options)
        else:
            _refuse("a batch", "a stream", of_stream)
            done = _batch(df, bare, labels_of(at, known, offset), types, split_skewed_keys, on_late)
        short = {name + end: own + end for name, own in names.items() for end in ends}
        done = done.toDF(*(short.get(name, name) for name in done.columns)) if short else done
        return derived(done, plan)


def _added(live: bool, plan: Plan, on_late: Any, on_error: Any) -> dict[str, str]:
    """The columns that options add behind the results, with the options."""
    added = {REVISION: 'emit="update"'} if live and plan.emit == "update" else {}
    added |= {LATE: 'on_late="keep"'} if on_late == "keep" else {}
    return added | ({ERROR: 'on_error="keep"'} if live and on_error == "keep" else {})


def _batch(df: DataFrame, plan: Plan, where: Any, types: Types | None, split: Any, on_late: Any) -> DataFrame:
    if where is None:
        return run_batch(df, plan, types=types, split_skewed_keys=split, on_late=on_late)
    if split is not None or on_late is not None:
        raise PlanError("split_skewed_keys= and on_late= are for one DataFrame, and labels are another: leave them out")
    if getattr(where[0], "isStreaming", True):
        raise TypeError("at is a DataFrame of Spark at rest, as the events are: a stream has no labels")
    settle(crossing_problems(where[0].schema.fields))
    return run_at(df, where[0], plan, where[1], types=types)


def _refuse(kind: str, other: str, given: Mapping[str, Any]) -> None:
    foreign = [name for name, value in given.items() if value is not None]
    if foreign:
        named = " and ".join(f"{name}=" for name in foreign)
        raise PlanError(f"{named} belongs to {other}, and this DataFrame is {kind}: leave it out")
