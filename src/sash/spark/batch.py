"""A plan over a DataFrame at rest: one shuffle by key, one sort, whole chunks of Arrow through the native engine."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import replace
from typing import Any, TypeAlias, get_args

import pyarrow as pa
from pyspark.sql import DataFrame
from pyspark.sql import functions as F  # noqa: N812  the name that PySpark's own documents use
from pyspark.sql.types import StructField, StructType

from sash.batch.slides import slides
from sash.plan import Plan
from sash.spark.beside import with_results
from sash.spark.layout import Existing, existing, laid_out, named
from sash.spark.opaque import in_plain_values
from sash.spark.partition import OWN, PART, Partition, RowChunks, SlideChunks, SplitKeyChunks, rows_at_once
from sash.spark.reads import columns_read
from sash.spark.schema import Types, arrow_types, output_fields, slide_fields
from sash.spark.skew import find_cuts, split_by_time, split_problems
from sash.spark.stream.job import LATE, NO_TIME, OnLate

__all__ = ["check", "run"]

Batches: TypeAlias = Iterator[pa.RecordBatch]


def run(
    df: DataFrame,
    plan: Plan,
    *,
    types: Types | None = None,
    split_skewed_keys: Any = None,
    on_late: OnLate | None = None,
) -> DataFrame:
    """The DataFrame with the results behind its columns, by `sash.spark.rolling`."""
    fields = check(df, plan, types, split_skewed_keys, on_late)
    if on_late is None:
        return _results(df, plan, fields, split_skewed_keys)
    time = named(str(plan.on))
    done = _results(df.where(time.isNotNull()), plan, fields, split_skewed_keys)
    return done if on_late == "drop" else _with_untimed(done, df.where(time.isNull()), fields)


def _with_untimed(done: DataFrame, untimed: DataFrame, fields: list[StructField]) -> DataFrame:
    """The results, and behind them the rows without a time, which have none."""
    # By their places: before results get short names, Spark may take one for another column.
    nothing = [F.lit(None).cast(field.dataType).alias(field.name) for field in fields]
    timed = done.select("*", F.lit(None).cast("string").alias(LATE))
    return timed.union(untimed.select("*", *nothing, F.lit(NO_TIME).alias(LATE)))


def _results(df: DataFrame, plan: Plan, fields: list[StructField], split_skewed_keys: Any) -> DataFrame:
    zone = df.sparkSession.conf.get("spark.sql.session.timeZone") or "UTC"
    made, plain = arrow_types(fields, zone), in_plain_values(plan)
    cuts = find_cuts(df, plan, split_skewed_keys) if split_skewed_keys is not None else {}
    if cuts:
        nothing = Existing(partitioned=False, ordered=False)
        rows = laid_out(split_by_time(df, plan, cuts), plan, nothing, [PART])
        work = _worker(SplitKeyChunks(plain, made))
        return with_results(rows, [*columns_read(plain, df.columns), PART], fields, work, hidden=[PART, OWN], own=OWN)
    rows = laid_out(df, plan, existing(df, plan))
    if slides(plan):
        return _slides(rows, df, plain, fields, made)
    return with_results(rows, list(columns_read(plain, df.columns)), fields, _worker(RowChunks(plain, made)))


def _slides(
    rows: DataFrame, df: DataFrame, plan: Plan, fields: list[StructField], made: Mapping[str, pa.DataType]
) -> DataFrame:
    """A row for each key and slide, of the columns that the plan reads."""
    schema = StructType([*(df.schema[name] for name in plan.by), *fields])
    read = list(columns_read(plan, df.columns))
    work = _worker(SlideChunks(plan, made, rows_at_once(plan)), read)
    # PySpark looks up columns by what it reads as a path: names with a dot would not be found.
    numbered = rows.select(*map(named, read)).toDF(*(f"c{place}" for place in range(len(read))))
    return numbered.mapInArrow(work, schema)


def check(
    df: DataFrame, plan: Plan, types: Types | None, split_skewed_keys: Any, on_late: Any = None
) -> list[StructField]:
    """The columns that come behind the key or the row; `PlanError` names all that does not fit."""
    problems = split_problems(plan, split_skewed_keys)
    if on_late not in (None, *get_args(OnLate)):
        problems.append(f"on_late is 'drop' or 'keep', not {on_late!r}")
    elif on_late is not None and plan.on is None:
        problems.append("on_late is about rows without a time, and the plan has no times: leave it out")
    if on_late == "keep" and slides(plan):
        problems.append("on_late: a row of the input is no row of a plan whose windows slide by a time: drop it")
    if plan.emit != "final":
        problems.append(
            f'emit={plan.emit!r} is for streams: Spark retains no order of arrival in a batch: use emit="final"'
        )
    fields = output_fields(df.schema, plan, types, problems)
    return [*slide_fields(df.schema, plan), *fields] if slides(plan) else fields


def _worker(partition: Partition, names: list[str] | None = None) -> Callable[[Batches], Batches]:
    """What runs in the executors: a function of the batches of a partition, whose columns get the names."""

    def work(batches: Batches) -> Batches:
        renamed = batches if names is None else (batch.rename_columns(names) for batch in batches)
        return replace(partition).run(renamed)

    return work
