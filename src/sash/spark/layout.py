"""How the rows of a batch come together: all rows of a key in one partition, in the order of their times.

What a DataFrame has already is not done again. Only what Spark will do for certain counts: where it may change its plan
while it runs, a partitioning counts if the user asked for it by `repartition`; what a join or an aggregation happened
to leave behind does not.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any, Final

from pyspark.sql import Column, DataFrame
from pyspark.sql import functions as F  # noqa: N812  the name that PySpark's own documents use
from pyspark.sql.types import DoubleType, FloatType

from sash.plan import Plan

__all__ = ["Existing", "existing", "key_column", "laid_out", "named", "order_matters"]

_PLACE: Final = "__sash_place"
#: What may stand above a shuffle or a cached table without moving rows between partitions.
_UNMOVED: Final = ("Project", "Filter", "Sort")
_ADAPTIVE: Final = "AdaptiveSparkPlan"
_ASKED: Final = ("REPARTITION_BY_COL", "REPARTITION_BY_NUM")


def laid_out(df: DataFrame, plan: Plan, has: Existing, parts: Sequence[str] = ()) -> DataFrame:
    """The rows, shuffled by key and sorted by key and time within partitions; of equal times as they stood.

    What the DataFrame has already is not done again. `parts` are columns that split a key.
    """
    if has.ordered:
        return df
    keys = [*(key_column(df, name) for name in plan.by), *map(named, parts)]
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
    by_time = all(window.by_time for window in plan.windows)
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


@dataclass(frozen=True)
class Existing:
    """What a DataFrame brings along."""

    #: All rows of a key are in one partition.
    partitioned: bool
    #: And there they stand by key, then by time.
    ordered: bool


def existing(df: DataFrame, plan: Plan) -> Existing:
    """How the rows of the DataFrame lie, as far as it is known before it runs; nothing is known through Connect."""
    # Floats are compared in a way of their own: both zeros are one key.
    floats = any(isinstance(df.schema[name].dataType, (FloatType, DoubleType)) for name in plan.by)
    if floats or not hasattr(df, "_jdf"):
        return Existing(partitioned=False, ordered=False)
    physical: Any = df._jdf.queryExecution().executedPlan()
    if not _is_certain(physical):
        return Existing(partitioned=False, ordered=False)
    settled = physical.inputPlan() if physical.nodeName() == _ADAPTIVE else physical
    ids = {attribute.name(): attribute.exprId().id() for attribute in _each(settled.output())}
    partitioned = _is_partitioned(settled.outputPartitioning(), {ids[name] for name in plan.by})
    wanted = [ids[name] for name in plan.by], None if plan.on is None else ids[plan.on]
    return Existing(partitioned, partitioned and _is_ordered(list(_each(settled.outputOrdering())), *wanted))


def _each(items: Any) -> Iterator[Any]:
    """The items of a sequence of Scala's."""
    return (items.apply(place) for place in range(items.length()))


def _is_certain(physical: Any) -> bool:
    """Whether the rows will lie as the plan says: it is not changed any more, or not in what the user asked for.

    A cached table counts for what its plan says, not for how it lies: it may be gone by then.
    """
    if physical.nodeName() != _ADAPTIVE:
        return True
    physical = physical.inputPlan()
    while physical.nodeName() in _UNMOVED:
        physical = physical.children().apply(0)
    if physical.nodeName() == "InMemoryTableScan":
        return _is_certain(physical.relation().cachedPlan())
    return physical.nodeName() == "Exchange" and physical.shuffleOrigin().toString() in _ASKED


def _is_partitioned(partitioning: Any, keys: set[int]) -> bool:
    if partitioning.numPartitions() == 1:
        return True
    if partitioning.getClass().getSimpleName() != "HashPartitioning":
        return False
    columns = {_column(expression) for expression in _each(partitioning.expressions())}
    return bool(columns) and columns <= keys


def _is_ordered(orders: Sequence[Any], keys: list[int], time: int | None) -> bool:
    """By the columns of the key, in whatever order, then by the time from old to new."""
    columns = [_column(order.child()) for order in orders]
    if set(columns[: len(keys)]) != set(keys) or len(columns) < len(keys):
        return False
    if time is None:
        return True
    rest = orders[len(keys) :]
    return bool(rest) and columns[len(keys)] == time and rest[0].direction().toString() == "Ascending"


def _column(expression: Any) -> int:
    """The column that an expression is; -1 if it is more than that."""
    is_column = expression.getClass().getSimpleName() == "AttributeReference"
    return int(expression.exprId().id()) if is_column else -1
