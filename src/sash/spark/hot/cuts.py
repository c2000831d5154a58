"""Which keys are cut, and where."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final, TypeAlias

from pyspark.sql import Column, DataFrame
from pyspark.sql import functions as F  # noqa: N812  the name that PySpark's own documents use
from pyspark.sql.types import StructType

from sash.plan import Plan
from sash.spark.hot.ticks import ticks
from sash.spark.layout import key_column, named
from sash.windows import TimeWindow

__all__ = ["Cuts", "beside_keys", "cuts_of", "split_problems"]

#: A key, as the values of its columns, and the ticks at which it is cut, ascending.
Cuts: TypeAlias = dict[tuple[Any, ...], list[Any]]

_TICK: Final = "__sash_tick"
#: A key is cut at some of this many shares of its rows, so into this many pieces at most.
_STEPS: Final = 256
_LEAST_PIECE: Final = 100_000


def split_problems(plan: Plan, split: Any) -> list[str]:
    """Why the keys of the plan cannot be cut like that.

    >>> import sash
    >>> split_problems(sash.Plan(on="t", windows="1h", aggregations={"n": sash.Count()}), -3)
    ["split_hot_keys is a number of rows, a dictionary of keys and numbers of pieces, 'auto' or None, not -3"]
    """
    if split is None:
        return []
    problems = []
    other = [window for window in plan.windows if not isinstance(window, TimeWindow) or window.every is not None]
    if other:
        problems.append(
            f"split_hot_keys: {other[0]!r} has no length in time for a piece of a key to begin with: only windows such"
            " as '1h' can be split"
        )
    if isinstance(split, Mapping):
        return problems + [why for key, pieces in split.items() if (why := _wrong_entry(plan, key, pieces))]
    if split != "auto" and not _is_count(split):
        problems.append(
            "split_hot_keys is a number of rows, a dictionary of keys and numbers of pieces, 'auto' or None, not"
            f" {split!r:.60}"
        )
    return problems


def _is_count(value: Any) -> bool:
    return isinstance(value, int) and not isinstance(value, bool) and value > 0


def _wrong_entry(plan: Plan, key: Any, pieces: Any) -> str | None:
    if len(_as_key(key)) != len(plan.by):
        return f"split_hot_keys: the key {key!r:.60} has {len(_as_key(key))} parts, and that of the plan {len(plan.by)}"
    return None if _is_count(pieces) else f"split_hot_keys: {key!r:.60} is cut into 1 piece or more, not {pieces!r:.60}"


def _as_key(key: Any) -> tuple[Any, ...]:
    return key if isinstance(key, tuple) else (key,)


def cuts_of(df: DataFrame, plan: Plan, split: Any) -> Cuts:
    """Where each large key is cut: at even shares of its rows. Runs one or two aggregations over keys and times."""
    narrow = df.select(*(key_column(df, name).alias(name) for name in plan.by), ticks(df, plan).alias(_TICK))
    given = {_as_key(key): count for key, count in split.items()} if isinstance(split, Mapping) else None
    pieces = _counted(narrow, plan, split) if given is None else given
    pieces = {key: min(count, _STEPS) for key, count in pieces.items() if count > 1}
    return _placed(narrow, plan, pieces) if pieces else {}


def _counted(narrow: DataFrame, plan: Plan, split: Any) -> dict[tuple[Any, ...], int]:
    """How many pieces each large key is cut into."""
    if split == "auto":
        partitions = int(narrow.sparkSession.conf.get("spark.sql.shuffle.partitions") or 1)
        split = max(_LEAST_PIECE, narrow.count() // (2 * partitions))
    counted = narrow.groupBy(*map(named, plan.by)).agg(F.count("*").alias(_TICK))
    return {tuple(row)[:-1]: -(-row[_TICK] // split) for row in counted.filter(F.col(_TICK) > split).collect()}


def _placed(narrow: DataFrame, plan: Plan, pieces: Mapping[tuple[Any, ...], int]) -> Cuts:
    """The ticks at even shares of each key's rows. They are approximate, which does no harm: any cut is a right one."""
    shares = [step / _STEPS for step in range(1, _STEPS)]
    large = narrow
    if plan.by:
        keys = StructType([narrow.schema[name] for name in plan.by])
        large = beside_keys(narrow, narrow.sparkSession.createDataFrame(list(pieces), keys), plan, "leftsemi")
    found = large.groupBy(*map(named, plan.by)).agg(F.percentile_approx(_TICK, shares, 10_000).alias(_TICK))
    cuts: Cuts = {}
    for *key, steps in found.collect():
        if steps is not None:
            count = pieces[tuple(key)]
            cuts[tuple(key)] = sorted({steps[place * _STEPS // count - 1] for place in range(1, count)})
    return cuts


def beside_keys(df: DataFrame, few: DataFrame, plan: Plan, how: str) -> DataFrame:
    """Beside each row what the few say of its key. The columns of the key come first in them; nulls are keys too."""
    own = [f"__sash_key{place}" for place in range(len(plan.by))]
    renamed = few.toDF(*own, *few.columns[len(own) :])
    same: Column = F.lit(True)
    for name, key in zip(plan.by, own, strict=True):
        same = same & key_column(df, name).eqNullSafe(F.col(key))
    return df.join(F.broadcast(renamed), same, how)
