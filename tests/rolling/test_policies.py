"""Windows whose ends depend on what the events say, over frames: row for row what the operator gives."""

from __future__ import annotations

from typing import Any

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

import sash


def far(total: int, prefix: int) -> bool:
    """Whether what is left without the oldest is still 6 or more."""
    return total - prefix >= 6


def is_even(row: dict[str, Any]) -> bool:
    return row["x"] is not None and row["x"] % 2 == 0


POLICIES = [
    sash.DeltaWindow("m", 3),
    sash.DeltaWindow(lambda row: row["m"], 2),
    sash.PunctuatedWindow("stop"),
    sash.PunctuatedWindow(is_even),
    sash.AdaptiveWindow(0.3, of="m"),
    sash.PolicyWindow(far, over=sash.Sum("m")),
]
AGGREGATIONS = {"all": sash.Concat("s"), "n": sash.Count(), "best": sash.ArgMax("x", "s"), "sum": sash.Sum("x")}
rows = st.lists(
    st.tuples(
        st.sampled_from("ab"), st.integers(0, 9), st.none() | st.integers(0, 4), st.integers(0, 5), st.booleans()
    ),
    max_size=30,
)


def table(events: list[Any]) -> pa.Table:
    names = ("k", "t", "x", "m", "stop")
    kinds = (pa.string(), pa.int64(), pa.int64(), pa.int64(), pa.bool_())
    columns = list(zip(*events, strict=True)) or [()] * 5
    made = {name: pa.array(column, kind) for name, kind, column in zip(names, kinds, columns, strict=True)}
    return pa.table({**made, "s": pa.array([chr(97 + i % 26) for i in range(len(events))], pa.string())})


def by_brute_force(events: list[Any], window: Any, of: Any) -> list[Any]:
    """For each row, the rows of its key in the window, oldest first, by the words of each policy."""
    found: dict[int, list[int]] = {}
    for key in "ab":
        mine = sorted((i for i, event in enumerate(events) if event[0] == key), key=lambda i: (events[i][1], i))
        start = 0
        for place, i in enumerate(mine):
            start = of(events, mine, start, place)
            found[i] = mine[start : place + 1]
    return [found[i] for i in range(len(events))]


def delta(events: list[Any], mine: list[int], start: int, place: int) -> int:
    """Events leave oldest first while the measure is 3 or more behind."""
    while events[mine[place]][3] - events[mine[start]][3] >= 3:
        start += 1
    return start


def punctuated(events: list[Any], mine: list[int], start: int, place: int) -> int:
    return place if place and events[mine[place - 1]][4] else start


def policy(events: list[Any], mine: list[int], start: int, place: int) -> int:
    """The longest run of oldest events leaves that leaves a sum of 6 or more."""
    left = sum(events[i][3] for i in mine[start : place + 1])
    while start <= place and left - events[mine[start]][3] >= 6:
        left -= events[mine[start]][3]
        start += 1
    return start


RULES = [(POLICIES[0], delta), (POLICIES[2], punctuated), (POLICIES[5], policy)]


@given(rows, st.sampled_from(RULES))
def test_a_policy_over_a_frame_is_what_its_words_say(events: list[Any], case: Any) -> None:
    """Rows in any order, ties, nulls, keys: each row sees the rows before it that its policy keeps."""
    window, rule = case
    ours = sash.rolling(table(events), by="k", on="t", window=window, **AGGREGATIONS).to_pylist()
    for row, seen in zip(ours, by_brute_force(events, window, rule), strict=True):
        assert row["all"] == "".join(chr(97 + i % 26) for i in seen)
        assert row["n"] == len(seen)
        values = [(events[i][2], chr(97 + i % 26)) for i in seen if events[i][2] is not None]
        assert row["sum"] == sum(x for x, _ in values)
        assert row["best"] == (max(values, key=lambda pair: pair[0])[1] if values else None)


@pytest.mark.parametrize("window", POLICIES, ids=lambda window: type(window).__name__)
def test_a_policy_goes_beside_other_windows(window: Any) -> None:
    """One plan, one frame: each window by what runs it."""
    rng = np.random.default_rng(3)
    events = [("ab"[i % 2], int(rng.integers(0, 20)), int(rng.integers(0, 5)), i, i % 7 == 0) for i in range(40)]
    plan = sash.Plan(by="k", on="t", windows=[sash.TimeWindow(5), window], aggregations=AGGREGATIONS)
    both = sash.rolling(table(events), plan)
    alone = sash.rolling(table(events), by="k", on="t", window=window, **AGGREGATIONS)
    names = list(plan.outputs)[len(AGGREGATIONS) :]
    assert [both[name].to_pylist() for name in names] == [alone[name].to_pylist() for name in AGGREGATIONS]


def test_an_adaptive_window_measures_the_column_of_its_aggregation() -> None:
    """Without of=, the values themselves are watched: after the jump the old ones are gone."""
    frame = {"t": np.arange(200), "x": np.repeat([0.0, 1.0], 100)}
    mean = sash.rolling(frame, on="t", window=sash.AdaptiveWindow(), mean=sash.Mean("x"))["mean"]
    theirs = sash.Sliding(sash.Mean(), sash.AdaptiveWindow()).push_many(frame["t"], frame["x"]).values
    assert mean.tolist() == theirs.tolist()
    assert mean[99] == 0.0
    assert mean[-1] > 0.98


def test_an_evicting_function_gets_the_results_of_its_aggregation() -> None:
    """As in sash.Sliding: without over=, the results of the aggregation itself."""
    frame = {"t": np.arange(6), "x": np.array([1, 2, 3, 4, 5, 6])}
    window = sash.PolicyWindow(lambda total, prefix: total - prefix >= 6)
    ours = sash.rolling(frame, on="t", window=window, sum=sash.Sum("x"))["sum"]
    theirs = sash.Sliding(sash.Sum(), window).push_many(frame["t"], frame["x"]).values
    assert ours.tolist() == theirs.tolist()


def test_what_a_policy_lacks_is_named_before_anything_runs() -> None:
    """A column that is not there, a value that is none, an order of arrival that a frame does not run."""
    frame = {"t": np.arange(3), "x": np.arange(3)}
    with pytest.raises(sash.PlanError, match="no column 'km'"):
        sash.rolling(frame, on="t", window=sash.DeltaWindow("km", 1), n=sash.Count())
    with pytest.raises(sash.PlanError, match="give of="):
        sash.rolling(frame, on="t", window=sash.AdaptiveWindow(), n=sash.Count())
    with pytest.raises(sash.PlanError, match="arrival"):
        sash.rolling(frame, on="t", window=sash.DeltaWindow("x", 1), n=sash.Count(), emit="arrival")


def test_min_periods_holds_for_policies_too() -> None:
    """A window with fewer values has no result."""
    frame = {"t": np.arange(4), "x": np.array([1.0, 2.0, np.nan, 3.0])}
    ours = sash.rolling(frame, on="t", window=sash.DeltaWindow(lambda row: 1, 5), min_periods=2, sum=sash.Sum("x"))
    assert np.isnan(ours["sum"][0])
    assert ours["sum"][1:].tolist() == [3.0, 3.0, 6.0]
