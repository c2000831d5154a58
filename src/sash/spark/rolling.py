"""`sash.spark.rolling`: one function for batch and streaming DataFrames."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from pyspark.sql import DataFrame
from pyspark.sql.types import DataType

from sash.batch.labels import labels_of
from sash.errors import PlanError
from sash.plan import Plan
from sash.spark.batch import run as run_batch
from sash.spark.labels import run_at

__all__ = ["rolling"]


def rolling(
    df: DataFrame,
    plan: Plan,
    *,
    types: Mapping[str, str | DataType] | None = None,
    at: DataFrame | None = None,
    known: str | None = None,
    offset: Any = 0,
    split_skewed_keys: Any = None,
    buckets: int | None = None,
    initial: DataFrame | None = None,
    on_late: Any = "drop",
    retain: Any = None,
) -> DataFrame:
    """The same rows, with a column for each aggregation and window behind them: what `sash.rolling` gives for a frame.

    A batch is shuffled by key, sorted within partitions and run through the native engine, chunk by chunk. A stream
    keeps its windows in state, and emits results as the plan's `emit` says. `docs/spark.md` describes both.

    - `types`: the Spark types of results that an aggregation of your own gives, by its name: `{"best": "double"}`.
    - `at`, `known`, `offset`: of a batch: the rows of another DataFrame come out, labels, with the windows of the
      events that end there, as known then, so long before. See `docs/labels.md`.
    - `split_skewed_keys`: of a batch: split keys that are too large for one task by time. See `docs/spark.md`.
    - `buckets`, `initial`, `on_late`, `retain`: of a stream: into how many buckets its state is divided, the rows that
      it starts from, what becomes of rows beyond the plan's lateness ("drop" or "keep"), and how long rows are
      retained, if longer than the longest window. See `docs/spark-streams.md`.

    `PlanError` names all that does not fit, before anything runs. Cost of a batch: a shuffle, a sort, and O(1) combines
    a row for each aggregation and window.

    >>> import sash
    >>> plan = sash.Plan(by="card", on="time", windows="1h", aggregations={"spent": sash.Sum("amount")})
    >>> spark = getfixture("spark")
    >>> rows = spark.createDataFrame([(1, 0, 5), (1, 60, 7)], "card int, seconds long, amount int")
    >>> df = rows.selectExpr("card", "timestamp_seconds(seconds) time", "amount")
    >>> [row.spent_1h for row in rolling(df, plan).sort("time").collect()]
    [5, 12]
    """
    if not isinstance(plan, Plan):
        raise TypeError(f"plan is a sash.Plan, not {type(plan).__name__}")
    if not hasattr(df, "isStreaming"):
        raise TypeError(f"df is a DataFrame of Spark, not {type(df).__name__}: sash.rolling takes other frames")
    if df.isStreaming:
        moved = None if offset == 0 else offset
        _refuse("a stream", "a batch", split_skewed_keys=split_skewed_keys, at=at, known=known, offset=moved)
        from sash.spark.stream import run

        return run(df, plan, types=types, buckets=buckets, initial=initial, on_late=on_late, retain=retain)
    late = None if on_late == "drop" else on_late
    _refuse("a batch", "a stream", buckets=buckets, initial=initial, on_late=late, retain=retain)
    where = labels_of(at, known, offset)
    if where is None:
        return run_batch(df, plan, types=types, split_skewed_keys=split_skewed_keys)
    if split_skewed_keys is not None:
        raise PlanError("split_skewed_keys= splits keys of one DataFrame, and labels are another: leave it out")
    if getattr(where[0], "isStreaming", True):
        raise TypeError("at is a DataFrame of Spark at rest, as the events are: a stream has no labels")
    return run_at(df, where[0], plan, where[1], types=types)


def _refuse(kind: str, other: str, **given: Any) -> None:
    foreign = [name for name, value in given.items() if value is not None]
    if foreign:
        named = " and ".join(f"{name}=" for name in foreign)
        raise PlanError(f"{named} belongs to {other}, and this DataFrame is {kind}: leave it out")
