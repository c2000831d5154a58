"""`sash.spark.upsert`: a micro-batch into a target, exactly once."""

from __future__ import annotations

from collections.abc import Sequence
from functools import reduce
from operator import or_

from pyspark.sql import DataFrame
from pyspark.sql import functions as F  # noqa: N812

from sash.spark.layout import named
from sash.spark.sinks.batch import Batch, Target
from sash.spark.sinks.folder import ParquetFolder
from sash.spark.stream.job import ERROR, LATE

__all__ = ["upsert"]


def upsert(
    df: DataFrame,
    target: Target,
    *,
    key: str | Sequence[str],
    retract: str | None = None,
    rejected: ParquetFolder | None = None,
    batch: int | None = None,
    query: str | None = None,
) -> None:
    """Put rows into a target, each in the place of the row with the same key. For `foreachBatch`.

    A batch that Spark replays after a crash changes nothing: a `ParquetFolder` notes which it has, and a `Table` and a
    `Topic` get equal rows for equal keys.

    - `target`: `ParquetFolder`, `Table` or `Topic`.
    - `key`: the columns that tell one row from another, such as the key of the plan and its time. Two rows of a batch
      that have them in common are an error, before anything is written.
    - `retract`: the column that says that a row removes the one of its key, as `sash.spark.rolling` has it.
    - `rejected`: a folder of their own for rows that have no results, by `on_late="keep"` or `on_error="keep"`. The
      columns of the reasons are only there.
    - `batch`, `query`: the number of the batch and the name of the stream. Spark says them, but not through Connect.

    Cost: the batch is persisted, if it is not yet, counted by key, and written.

    >>> spark, folder = getfixture("spark"), ParquetFolder(f"{getfixture('tmp_path')}/spent")
    >>> rows = spark.createDataFrame([("a", 5), ("b", 7)], "card string, spent int")
    >>> upsert(rows, folder, key="card", query="spent", batch=0)
    >>> upsert(rows, folder, key="card", query="spent", batch=0)  # Spark replays a batch.
    >>> from sash.spark import latest
    >>> sorted(latest(spark, folder).collect())
    [Row(card='a', spent=5), Row(card='b', spent=7)]
    """
    names = (key,) if isinstance(key, str) else tuple(key)
    _check_columns(df, names, retract)
    taken = Batch.of(df, names, query, batch, retract)
    good, bad = _divided(df, rejected)
    level = df.storageLevel
    # Who has persisted the batch may go on to read it.
    own = not (level.useMemory or level.useDisk)
    if own:
        df.persist()
    try:
        _check_rows(good, names)
        if rejected is not None and bad is not None and not bad.isEmpty():
            rejected.put(bad, Batch(taken.query, taken.number, ()))
        if not good.isEmpty():
            target.put(good, taken)
    finally:
        if own:
            df.unpersist()


def _check_columns(df: DataFrame, key: tuple[str, ...], retract: str | None) -> None:
    missing = [name for name in (*key, retract) if name is not None and name not in df.columns]
    if missing:
        raise ValueError(f"the rows have no column {missing[0]!r}: {', '.join(df.columns)}")
    if not key:
        raise ValueError("key: name the columns that tell one row from another")


def _divided(df: DataFrame, rejected: ParquetFolder | None) -> tuple[DataFrame, DataFrame | None]:
    """The rows with results, and those without."""
    if rejected is None:
        return df, None
    reasons = [name for name in (LATE, ERROR) if name in df.columns]
    if not reasons:
        raise ValueError(
            "rejected: no row says why it has no results: ask for them by on_late='keep' or on_error='keep'"
        )
    bad = reduce(or_, [named(name).isNotNull() for name in reasons])
    return df.where(~bad).drop(*reasons), df.where(bad)


def _check_rows(df: DataFrame, key: tuple[str, ...]) -> None:
    counted = df.groupBy(*map(named, key)).agg(F.count(F.lit(1)).alias("__rows"))
    for row in counted.where("__rows > 1").limit(1).collect():
        values = ", ".join(f"{name}={row[name]!r}" for name in key)
        raise ValueError(f"key: {row['__rows']} rows of one batch have {values}: add a column that tells them apart")
