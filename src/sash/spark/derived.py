"""Expressions over results on Spark: columns behind those that a plan has made, by the code that frames run."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import TypeAlias

import pyarrow as pa
from pyspark.sql import DataFrame
from pyspark.sql.types import BooleanType, DoubleType, LongType, StructField, StructType

from sash.batch.derived import expression_problems, with_expressions
from sash.frames.arrow import ArrowFrame
from sash.frames.base import Numbers
from sash.plan import Plan
from sash.spark.schema import arrow_types, settle

__all__ = ["derived"]

Batches: TypeAlias = Iterator[pa.RecordBatch]


def derived(df: DataFrame, plan: Plan) -> DataFrame:
    """The results of a plan with its expressions behind their columns; `PlanError` names what they cannot read.

    Of a batch or a stream: each row's own columns are enough.
    """
    if not plan.expressions:
        return df
    settle(expression_problems(plan, df.columns, []))
    # No row: the types of the columns say what the expressions give.
    zone = df.sparkSession.conf.get("spark.sql.session.timeZone") or "UTC"
    empty = ArrowFrame(pa.schema(arrow_types(df.schema.fields, zone)).empty_table())
    types = {"bool": BooleanType(), "real": DoubleType(), "integer": LongType()}
    made = [
        StructField(name, types[result.type])
        for name, result in with_expressions(plan, empty, {}).items()
        if isinstance(result, Numbers)
    ]
    # PySpark looks up columns by what it reads as a path: names with a dot would not be found.
    numbered = (f"c{place}" for place in range(len(df.columns)))
    schema = StructType([*df.schema.fields, *made])
    return df.toDF(*numbered).mapInArrow(_worker(plan, df.columns), schema)


def _worker(plan: Plan, names: list[str]) -> Callable[[Batches], Batches]:
    """What runs in the executors: a function of the batches of a partition."""

    def work(batches: Batches) -> Batches:
        for batch in batches:
            frame = ArrowFrame(pa.Table.from_batches([batch]).rename_columns(names))
            yield from frame.with_columns(with_expressions(plan, frame, {})).to_batches()

    return work
