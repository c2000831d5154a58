"""Skewed keys, too large for one task, are split by time. Each part comes with one window length of history.

    part 0  |=========|                      = rows of the part
    part 1       -----|=========|            - history: for the windows of this part; their results are in part 0
    part 2                 -----|=========|

A part holds the times after one cut, up to and with the next, so that rows of one time are never separated.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, Final, TypeAlias

import pyarrow as pa
from pyspark.sql import Column, DataFrame
from pyspark.sql import functions as F  # noqa: N812  the name that PySpark's own documents use
from pyspark.sql.pandas.types import to_arrow_type
from pyspark.sql.types import (
    ArrayType,
    DataType,
    DateType,
    DoubleType,
    FractionalType,
    LongType,
    StructField,
    StructType,
    TimestampNTZType,
    TimestampType,
)

from sash.aggregations.of_row import looks_back
from sash.plan import Plan
from sash.spark.layout import key_column, named
from sash.spark.partition import OWN, PART
from sash.times import FLOAT, encode_array

__all__ = ["Cuts", "find_cuts", "split_by_time", "split_problems"]

#: A key, as the values of its columns, and the ticks at which it is cut, ascending.
Cuts: TypeAlias = dict[tuple[Any, ...], list[Any]]

#: A key is cut at some of this many shares of its rows, so into this many parts at most.
_STEPS: Final = 256
_LEAST_PART: Final = 100_000
#: How many tasks must run at once for "auto" to look for skewed keys.
_LEAST_SLOTS: Final = 4

_TICK: Final = "__sash_tick"
_CUTS: Final = "__sash_cuts"
_BEFORE: Final = "__sash_before"


def split_problems(plan: Plan, split: Any) -> list[str]:
    """Why the keys of the plan cannot be split like that.

    >>> import sash
    >>> split_problems(sash.Plan(on="t", windows="1h", aggregations={"n": sash.Count()}), -3)
    ["split_skewed_keys is a number of rows, a dictionary of keys and numbers of parts, 'auto' or None, not -3"]
    """
    if split is None:
        return []
    problems = []
    other = [window for window in plan.windows if window.reach is None or window.slides]
    if other:
        problems.append(
            f"split_skewed_keys: {other[0]!r} has no length in time for a part of a key to begin with: only windows"
            " such as '1h' can be split"
        )
    problems += [
        f"split_skewed_keys: {one!r} looks at the event before a window, which may be in another part"
        for one in plan.aggregations.values()
        if looks_back(one)
    ]
    if isinstance(split, Mapping):
        return problems + [why for key, parts in split.items() if (why := _wrong_entry(plan, key, parts))]
    if split != "auto" and not _is_count(split):
        problems.append(
            "split_skewed_keys is a number of rows, a dictionary of keys and numbers of parts, 'auto' or None, not"
            f" {split!r:.60}"
        )
    return problems


def _is_count(value: Any) -> bool:
    return isinstance(value, int) and not isinstance(value, bool) and value > 0


def _wrong_entry(plan: Plan, key: Any, parts: Any) -> str | None:
    columns = len(_as_key(key))
    if columns != len(plan.by):
        return f"split_skewed_keys: the key {key!r:.60} has {columns} columns, and that of the plan {len(plan.by)}"
    if _is_count(parts):
        return None
    return f"split_skewed_keys: {key!r:.60} is split into 1 part or more, not {parts!r:.60}"


def _as_key(key: Any) -> tuple[Any, ...]:
    return key if isinstance(key, tuple) else (key,)


def find_cuts(df: DataFrame, plan: Plan, split: Any) -> Cuts:
    """Where each skewed key is cut: at even shares of its rows. Runs one or two aggregations over keys and times."""
    narrow = df.select(*(key_column(df, name).alias(name) for name in plan.by), _ticks(df, plan).alias(_TICK))
    given = {_as_key(key): count for key, count in split.items()} if isinstance(split, Mapping) else None
    parts = _counted(narrow, plan, split) if given is None else given
    parts = {key: min(count, _STEPS) for key, count in parts.items() if count > 1}
    return _placed(narrow, plan, parts) if parts else {}


def _counted(narrow: DataFrame, plan: Plan, split: Any) -> dict[tuple[Any, ...], int]:
    """How many parts each skewed key is split into."""
    if split == "auto":
        return _worth_splitting(narrow, plan, _slots(narrow.sparkSession))
    return {key: -(-rows // split) for key, rows in _sizes(narrow, plan, split).items() if key is not None}


def _worth_splitting(narrow: DataFrame, plan: Plan, slots: int) -> dict[tuple[Any, ...], int]:
    """Keys that would make one task last as long as two shares of the work, into parts of half a share.

    To count and to cut takes about as long as a share or two: with few slots nothing is won, and nothing is counted.
    """
    if slots < _LEAST_SLOTS:
        return {}
    sizes = _sizes(narrow, plan, _LEAST_PART)
    share = sum(sizes.values()) / slots
    part = max(_LEAST_PART, int(share / 2))
    return {key: -(-rows // part) for key, rows in sizes.items() if key is not None and rows > max(part, 2 * share)}


def _slots(spark: Any) -> int:
    """How many tasks run at once, as far as it is known."""
    partitions = int(spark.conf.get("spark.sql.shuffle.partitions") or 1)
    return min(partitions, spark.sparkContext.defaultParallelism) if hasattr(spark, "_jsparkSession") else partitions


def _sizes(narrow: DataFrame, plan: Plan, least: int) -> dict[tuple[Any, ...] | None, int]:
    """The rows of each key that has more than the least, and under None those of all others. One aggregation."""
    counted = narrow.groupBy(*map(named, plan.by)).agg(F.count("*").alias(_TICK))
    large = F.col(_TICK) > least
    keys = [F.when(large, named(name)).alias(name) for name in plan.by]
    found = counted.groupBy(large.alias(_BEFORE), *keys).agg(F.sum(_TICK).alias(_TICK)).collect()
    return {tuple(row)[1:-1] if row[0] else None: row[_TICK] for row in found}


def _placed(narrow: DataFrame, plan: Plan, parts: Mapping[tuple[Any, ...], int]) -> Cuts:
    """The ticks at even shares of each key's rows. They are approximate, which does no harm: any cut is a right one."""
    shares = [step / _STEPS for step in range(1, _STEPS)]
    large = narrow
    if plan.by:
        keys = StructType([narrow.schema[name] for name in plan.by])
        large = _join_keys(narrow, narrow.sparkSession.createDataFrame(list(parts), keys), plan, "leftsemi")
    found = large.groupBy(*map(named, plan.by)).agg(F.percentile_approx(_TICK, shares, 10_000).alias(_TICK))
    cuts: Cuts = {}
    for *key, steps in found.collect():
        if steps is not None:
            count = parts[tuple(key)]
            cuts[tuple(key)] = sorted({steps[place * _STEPS // count - 1] for place in range(1, count)})
    return cuts


def _join_keys(df: DataFrame, few: DataFrame, plan: Plan, how: str) -> DataFrame:
    """Joins each row with the few rows of its key. The columns of the key come first in those; nulls are keys too."""
    own = [f"__sash_key{place}" for place in range(len(plan.by))]
    renamed = few.toDF(*own, *few.columns[len(own) :])
    same: Column = F.lit(True)
    for name, key in zip(plan.by, own, strict=True):
        same = same & key_column(df, name).eqNullSafe(F.col(key))
    return df.join(F.broadcast(renamed), same, how)


def split_by_time(df: DataFrame, plan: Plan, cuts: Cuts) -> DataFrame:
    """The rows with the part that they are in, and once more for each later part whose windows may hold them."""
    tick = _ticks(df, plan)
    own = _passed(_CUTS, lambda cut: cut < tick)
    # The windows of a part begin behind its cut, so they reach back less than the longest length before it.
    last = _passed(_BEFORE, lambda start: start <= tick)
    placed = _join_cuts(df, plan, cuts).withColumn(OWN, own).withColumn(_BEFORE, last)
    spread = placed.withColumn(PART, F.explode(F.sequence(F.col(OWN), F.greatest(OWN, _BEFORE))))
    return spread.select(*map(named, df.columns), F.col(PART), (F.col(PART) == F.col(OWN)).alias(OWN))


def _passed(steps: str, passed: Callable[[Column], Column]) -> Column:
    """How many of the steps are passed; 0 for a key that is not split."""
    return F.when(F.col(steps).isNull(), F.lit(0)).otherwise(F.size(F.filter(steps, passed)))


def _join_cuts(df: DataFrame, plan: Plan, cuts: Cuts) -> DataFrame:
    """Joins each row with the cuts of its key, and with where the history of the parts behind them begins."""
    kind = ArrayType(_tick_type(df.schema[str(plan.on)].dataType))
    length = _longest(df, plan)
    rows = [(*key, steps, [step - length for step in steps]) for key, steps in cuts.items()]
    fields = [StructField(name, df.schema[name].dataType) for name in plan.by]
    schema = StructType([*fields, StructField(_CUTS, kind), StructField(_BEFORE, kind)])
    return _join_keys(df, df.sparkSession.createDataFrame(rows, schema), plan, "left")


def _ticks(df: DataFrame, plan: Plan) -> Column:
    """The time of a row as a number that grows with it: what the encoder of times counts, and floats as they are."""
    time = named(str(plan.on))
    kind = df.schema[str(plan.on)].dataType
    if isinstance(kind, TimestampType):
        return F.unix_micros(time)
    if isinstance(kind, TimestampNTZType):
        # By way of instants it would depend on the zone of the session, and the hour that comes twice would be one.
        return F.expr(f"timestampdiff(MICROSECOND, TIMESTAMP_NTZ'1970-01-01', {_text(str(plan.on))})")
    return F.unix_date(time).cast("long") if isinstance(kind, DateType) else time.cast(_tick_type(kind))


def _text(name: str) -> str:
    return "`" + name.replace("`", "``") + "`"


def _tick_type(kind: DataType) -> DataType:
    """What the number is.

    >>> _tick_type(TimestampType()), _tick_type(DoubleType())
    (LongType(), DoubleType())
    """
    return DoubleType() if isinstance(kind, FractionalType) else LongType()


def _longest(df: DataFrame, plan: Plan) -> Any:
    """The length of the longest window in such numbers."""
    empty = pa.array([], to_arrow_type(df.schema[str(plan.on)].dataType, timezone="UTC"))
    kind = encode_array(empty)[0]
    lengths = [window.reach for window in plan.windows if window.reach is not None]
    return max(length.amount if kind == FLOAT else length.ticks(kind) for length in lengths)
