"""The most frequent and the most extreme values of windows over frames, beside their definitions."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import sash
from tests.rolling import brute

pd = pytest.importorskip("pandas")

LARGE = 2**62
numbers = st.none() | st.integers(-3, 3) | st.sampled_from([LARGE, LARGE + 1, -LARGE])
reals = st.none() | st.integers(-2, 2).map(float) | st.sampled_from([-0.0, math.inf, -math.inf, math.nan])
texts = st.none() | st.sampled_from(["a", "b", "c"])
rows = st.lists(st.tuples(st.sampled_from("ab"), st.integers(0, 30), numbers, reals, texts), max_size=40)
OVER = [
    sash.Mode("i"),
    sash.Mode("r"),
    sash.Mode("s"),
    sash.Mode("s", where=sash.col("r") > 0),
    sash.CollectDistinct("i"),
    sash.CollectDistinct("r"),
    sash.CollectDistinct("i", where=sash.col("s") != "a"),
    sash.TopK("i", k=3),
    sash.BottomK("i", k=2),
    sash.TopK("r", k=3),
    sash.BottomK("r", k=4, where=sash.col("s") != "a"),
    sash.TopK("s", by="r", k=2),
    sash.BottomK("r", by="i", k=2),
]


def frame_of(events: Any) -> Any:
    columns = dict(zip("ktirs", zip(*events, strict=True) if events else [()] * 5, strict=True))
    kinds = {"k": object, "t": "int64", "i": "Int64", "r": float, "s": object}
    return pd.DataFrame({name: pd.array(list(values), kinds[name]) for name, values in columns.items()})


def plain(value: Any) -> Any:
    if isinstance(value, list):
        return list(map(plain, value))
    return (
        None
        if value is None or value is pd.NA or value != value
        else (value, math.copysign(1, value))
        if (isinstance(value, float))
        else value
    )


@pytest.mark.parametrize("over", OVER, ids=repr)
@given(events=rows, size=st.integers(1, 12), closed=st.sampled_from(["right", "left"]), least=st.none() | st.just(2))
def test_they_are_those_of_the_definition(over: Any, events: Any, size: int, closed: Any, least: Any) -> None:
    """Rows in any order, equal values and times, nulls, NaN, infinities, both zeros, integers that are no floats."""
    window = sash.TimeWindow(size, closed=closed)
    plan = sash.Plan(by="k", on="t", windows=window, aggregations={"m": over}, min_periods=least)
    (name,) = plan.outputs
    found = [dict(zip("ktirs", event, strict=True)) for event in events]
    ours = [plain(value) for value in sash.rolling(frame_of(events), plan)[name]]
    assert ours == [plain(value) for value in brute.rolling(found, plan)[name]]


@pytest.mark.parametrize("over", [sash.Mode("x"), sash.CollectDistinct("x"), sash.TopK("x", k=3)], ids=repr)
@pytest.mark.parametrize("size", [7, 3_000])
def test_many_rows_in_stretches(over: Any, size: int) -> None:
    """What one stretch of rows leaves behind is not in the next; two threads give what one gives."""
    values = np.random.default_rng(8).integers(0, 40, 100_000)
    ours = sash.rolling({"x": values}, window=size, threads=2, m=over)["m"].tolist()
    assert ours == sash.rolling({"x": values}, window=size, threads=1, m=over)["m"].tolist()
    for row in [*range(0, 100_000, 9_973), 32_767, 32_768, 65_536]:
        inside = values[max(row - size + 1, 0) : row + 1].tolist()
        lifted = sash.Plan(windows=size, aggregations={"m": over}).aggregations["m"]
        expected = lifted.identity
        for value in inside:
            expected = lifted.combine(expected, lifted.lift(value))
        assert ours[row] == lifted.lower(expected)


def test_different_texts_are_collected_where_they_appear_first() -> None:
    """Of text, by a plan in which nothing calls the aggregation's methods."""
    texts = np.array(["b", "a", "b", "c", "a", "a"])
    plan = sash.Plan(windows=3, aggregations={"seen": sash.CollectDistinct("s")})
    assert "no combine" in plan.explain()
    found = sash.rolling({"s": texts}, plan)["seen_3"].tolist()
    assert found == [["b"], ["b", "a"], ["b", "a"], ["a", "b", "c"], ["b", "c", "a"], ["c", "a"]]


def test_lists_are_no_values_to_tell_apart() -> None:
    """A column of lists is refused, as in a window."""
    pa = pytest.importorskip("pyarrow")
    with pytest.raises(TypeError, match="a hashable value is needed, not list"):
        sash.rolling(pa.table({"s": [[1], [2]]}), window=2, seen=sash.CollectDistinct("s"))
