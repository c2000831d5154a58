"""How the rows of a batch come together: all of a key in one partition, in the order of their times."""

from __future__ import annotations

from collections.abc import Sequence

from pyspark.sql import Column, DataFrame
from pyspark.sql import functions as F  # noqa: N812  the name that PySpark's own documents use
from pyspark.sql.types import DoubleType, FloatType

from sash.plan import Plan
from sash.spark.existing import Existing
from sash.windows import TimeWindow

__all__ = ["key_column", "laid_out", "named", "order_matters"]

_PLACE = "__sash_place"


def laid_out(df: DataFrame, plan: Plan, has: Existing, pieces: Sequence[str] = ()) -> DataFrame:
    """The rows, shuffled by key and sorted by key and time within partitions; of equal times as they stood.

    What the DataFrame has already is not done again. `pieces` are columns that cut a key.
    """
    if has.ordered:
        return df
    keys = [*(key_column(df, name) for name in plan.by), *map(named, pieces)]
    times = [] if plan.on is None else [named(plan.on)]
    if not order_matters(plan):
        return _gathered(df, keys, has).sortWithinPartitions(*keys, *times)
    placed = df.withColumn(_PLACE, F.monotonically_increasing_id())
    return _gathered(placed, keys, has).sortWithinPartitions(*keys, *times, named(_PLACE)).drop(_PLACE)


def order_matters(plan: Plan) -> bool:
    """Whether results depend on the order of rows with equal times.

    >>> import sash
    >>> order_matters(sash.Plan(on="t", windows="1h", aggregations={"last": sash.Last("x")}))
    True
    """
    by_time = all(isinstance(window, TimeWindow) for window in plan.windows)
    return not (by_time and plan.peers and all(one.commutative for one in plan.aggregations.values()))


def _gathered(df: DataFrame, keys: list[Column], has: Existing) -> DataFrame:
    if has.partitioned:
        return df
    return df.repartition(*keys) if keys else df.repartition(1)


def key_column(df: DataFrame, name: str) -> Column:
    """A column of the key as it is compared: both zeros are one, and so are NaN and null."""
    column = named(name)
    if isinstance(df.schema[name].dataType, (FloatType, DoubleType)):
        return F.when(~F.isnan(column), column + F.lit(0.0))
    return column


def named(name: str) -> Column:
    """The column of that name, whatever is in the name."""
    return F.col("`" + name.replace("`", "``") + "`")
