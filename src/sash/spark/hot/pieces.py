"""The rows of keys that are cut, each in its piece, and in the pieces that need it as history."""

from __future__ import annotations

from collections.abc import Callable
from typing import Final

from pyspark.sql import Column, DataFrame
from pyspark.sql import functions as F  # noqa: N812  the name that PySpark's own documents use
from pyspark.sql.types import ArrayType, StructField, StructType

from sash.plan import Plan
from sash.spark.hot.cuts import Cuts, beside_keys
from sash.spark.hot.ticks import longest, tick_type, ticks
from sash.spark.layout import named

__all__ = ["PIECE", "TOLD", "in_pieces"]

#: The columns that cutting adds: which piece a row is in, and whether that piece tells it.
PIECE: Final = "__sash_piece"
TOLD: Final = "__sash_told"

_CUTS: Final = "__sash_cuts"
_BEFORE: Final = "__sash_before"


def in_pieces(df: DataFrame, plan: Plan, cuts: Cuts) -> DataFrame:
    """The rows with the piece that they are in, and once more for each later piece whose windows may hold them."""
    tick = ticks(df, plan)
    own = _passed(_CUTS, lambda cut: cut < tick)
    # The windows of a piece begin behind its cut, so they reach back less than the longest length before it.
    last = _passed(_BEFORE, lambda start: start <= tick)
    placed = _beside(df, plan, cuts).withColumn(TOLD, own).withColumn(_BEFORE, last)
    spread = placed.withColumn(PIECE, F.explode(F.sequence(F.col(TOLD), F.greatest(TOLD, _BEFORE))))
    return spread.select(*map(named, df.columns), F.col(PIECE), (F.col(PIECE) == F.col(TOLD)).alias(TOLD))


def _passed(steps: str, passed: Callable[[Column], Column]) -> Column:
    """How many of the steps are passed; 0 for a key that is not cut."""
    return F.when(F.col(steps).isNull(), F.lit(0)).otherwise(F.size(F.filter(steps, passed)))


def _beside(df: DataFrame, plan: Plan, cuts: Cuts) -> DataFrame:
    """Beside each row the cuts of its key, and where the history of the pieces behind them begins."""
    kind = ArrayType(tick_type(df.schema[str(plan.on)].dataType))
    length = longest(df, plan)
    rows = [(*key, steps, [step - length for step in steps]) for key, steps in cuts.items()]
    fields = [StructField(name, df.schema[name].dataType) for name in plan.by]
    schema = StructType([*fields, StructField(_CUTS, kind), StructField(_BEFORE, kind)])
    return beside_keys(df, df.sparkSession.createDataFrame(rows, schema), plan, "left")
