"""A plan over a DataFrame at rest: one shuffle by key, one sort, whole chunks of Arrow through the native engine."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from typing import Any, TypeAlias

import pyarrow as pa
from pyspark.sql import DataFrame
from pyspark.sql.types import StructField, StructType

from sash.batch.slides import slides
from sash.plan import Plan
from sash.spark.layout import Existing, existing, laid_out
from sash.spark.opaque import in_plain_values
from sash.spark.partition import PART, Partition, RowChunks, SlideChunks, SplitKeyChunks, rows_at_once
from sash.spark.schema import Types, arrow_types, output_fields, slide_fields
from sash.spark.skew import find_cuts, split_by_time, split_problems

__all__ = ["check", "run"]

Batches: TypeAlias = Iterator[pa.RecordBatch]


def run(df: DataFrame, plan: Plan, *, types: Types | None = None, split_skewed_keys: Any = None) -> DataFrame:
    """The DataFrame with the results behind its columns, by `sash.spark.rolling`."""
    fields = check(df, plan, types, split_skewed_keys)
    schema = _schema(df, plan, fields)
    zone = df.sparkSession.conf.get("spark.sql.session.timeZone") or "UTC"
    made = arrow_types(schema.fields[-len(fields) :], zone)
    cuts = find_cuts(df, plan, split_skewed_keys) if split_skewed_keys is not None else {}
    if not cuts:
        rows = laid_out(df, plan, existing(df, plan))
    else:
        nothing = Existing(partitioned=False, ordered=False)
        rows = laid_out(split_by_time(df, plan, cuts), plan, nothing, [PART])
    work = _worker(in_plain_values(plan), made, rows.columns)
    # PySpark looks up columns by what it reads as a path: names with a dot would not be found.
    numbered = (f"c{place}" for place in range(len(rows.columns)))
    return rows.toDF(*numbered).mapInArrow(work, schema)


def check(df: DataFrame, plan: Plan, types: Types | None, split_skewed_keys: Any) -> list[StructField]:
    """The columns that come behind the key or the row; `PlanError` names all that does not fit."""
    problems = split_problems(plan, split_skewed_keys)
    if plan.emit != "final":
        problems.append(
            f'emit={plan.emit!r} is for streams: Spark retains no order of arrival in a batch: use emit="final"'
        )
    fields = output_fields(df.schema, plan, types, problems)
    return [*slide_fields(df.schema, plan), *fields] if slides(plan) else fields


def _schema(df: DataFrame, plan: Plan, fields: list[StructField]) -> StructType:
    own = [df.schema[name] for name in plan.by] if slides(plan) else df.schema.fields
    return StructType([*own, *fields])


def _worker(plan: Plan, types: Mapping[str, pa.DataType], names: list[str]) -> Callable[[Batches], Batches]:
    """What runs in the executors: a function of the batches of a partition."""

    def work(batches: Batches) -> Batches:
        return _partition(plan, types, names).run(batch.rename_columns(names) for batch in batches)

    return work


def _partition(plan: Plan, types: Mapping[str, pa.DataType], names: list[str]) -> Partition:
    if slides(plan):
        return SlideChunks(plan, types, rows_at_once(plan))
    return SplitKeyChunks(plan, types) if PART in names else RowChunks(plan, types)
