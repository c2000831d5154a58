"""One definition for all doors: an operator takes what a plan takes, and a plan itself."""

from __future__ import annotations

import datetime as dt
from collections.abc import Iterable
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import sash
from sash import CountWindow, PlanError, Sliding, TimeWindow

#: Without an inverse, in the order of time, and picking a row.
AGGREGATIONS = {"all": sash.Concat("s"), "best": sash.ArgMax("x", "s"), "first": sash.First("s"), "sum": sash.Sum("x")}
WINDOWS = [[TimeWindow(3), TimeWindow(7, closed="both")], [CountWindow(2), TimeWindow(5)], [sash.SessionWindow(2)]]
EMITS = ["final", "update", "arrival"]
events = st.lists(st.tuples(st.sampled_from("ab"), st.integers(0, 12), st.integers(-3, 3)), min_size=1, max_size=25)


def columns(rows: list[tuple[str, int, int]]) -> dict[str, Any]:
    """A frame of them; each has a letter of its own."""
    keys, times, numbers = zip(*rows, strict=True)
    letters = [chr(ord("a") + place) for place in range(len(rows))]
    return {"k": np.array(keys), "t": np.array(times), "x": np.array(numbers), "s": np.array(letters)}


def by_row(plan: sash.Plan, results: Iterable[Any], rows: int) -> dict[str, list[Any]]:
    """The results of an operator as the columns that a frame has; the last revision counts."""
    made: dict[str, list[Any]] = {name: [None] * rows for name in plan.outputs}
    labels = dict(zip(plan.windows, plan.labels, strict=True))
    for result in results:
        for name, value in result.value.items():
            made[f"{name}_{labels[result.window]}"][result.number] = value
    return made


@pytest.mark.parametrize(
    ("windows", "emit"),
    # What was known of a session is lost when a late row joins two, so a frame refuses it.
    [(windows, emit) for windows in WINDOWS for emit in EMITS if (windows, emit) != (WINDOWS[-1], "arrival")],
)
@given(rows=events)
def test_an_operator_runs_a_plan_as_a_frame_does(windows: list[Any], emit: Any, rows: list[Any]) -> None:
    """Row for row: once all is known, or what was known when a row came."""
    plan = sash.Plan(by="k", on="t", windows=windows, aggregations=AGGREGATIONS, emit=emit)
    frame = columns(rows)
    s = Sliding(plan)
    emitted = [*s.push_many(frame), *s.finish()]
    whole = sash.rolling(
        frame, sash.Plan(by="k", on="t", windows=windows, aggregations=AGGREGATIONS, emit=_of_frame(emit))
    )
    found = by_row(plan, emitted, len(rows))  # type: ignore[arg-type]
    assert found == {name: whole[name].tolist() for name in plan.outputs}


def _of_frame(emit: Any) -> Any:
    """What a frame calls the last revision."""
    return "final" if emit == "update" else emit


def test_aggregations_by_name_are_a_record() -> None:
    """In an operator, in a window, and when either is restored."""
    several = {"total": sash.Sum("x"), "last": sash.Last("s")}
    s = Sliding(several, TimeWindow(5), on="t")
    row = {"t": 1, "x": 5, "s": "a"}
    assert s.push(row)[0].value == (5, "a")
    assert s.aggregation == sash.Composite(**several)
    assert Sliding.restore(s.snapshot(), aggregation=several).push(row | {"s": "b"})[0].value == (10, "b")
    w = sash.Window(several)
    w.insert(1, row)
    assert w.query().last == "a"


@pytest.mark.parametrize("lateness", ["10m", "0s", 0, dt.timedelta(0), dt.timedelta(minutes=1), None])
def test_lateness_is_written_alike(lateness: Any) -> None:
    """None is no bound, and zero of any unit is nothing late; a plan keeps it when it is written down."""
    plan = sash.Plan(on="t", windows="1h", aggregations={"n": sash.Count()}, lateness=lateness, emit="update")
    hour = dt.datetime(2024, 5, 1, 12)
    times = [hour, hour - dt.timedelta(seconds=30), hour - dt.timedelta(minutes=5)]
    counted = []
    for s in (Sliding({"n": sash.Count()}, "1h", on="t", lateness=lateness, emit="update"), Sliding(plan)):
        for time in times:
            s.push({"t": time})
        counted.append(s.late_counts["watermark"])
    allowed = {None: dt.timedelta.max, "10m": dt.timedelta(minutes=10)}.get(lateness, lateness)
    allowed = dt.timedelta(0) if not isinstance(allowed, dt.timedelta) else allowed
    assert counted == [sum(hour - time > allowed for time in times)] * 2
    assert sash.Plan.from_toml(plan.to_toml()) == plan


@pytest.mark.parametrize("written", ["1h", "90min", 5, dt.timedelta(hours=1), ["10m", "1h"], [TimeWindow("1h"), 3]])
def test_windows_are_written_alike(written: Any) -> None:
    """Durations, numbers of events and policies mean the same."""
    plan = sash.Plan(on="t", windows=written, aggregations={"n": sash.Count()})
    assert plan.windows == Sliding(sash.Count(), written).policies


@pytest.mark.parametrize("written", [5.5, [], "1 fortnight", None, ["1h", "1h"]])
def test_what_is_no_window_is_none_anywhere(written: Any) -> None:
    """And both say so."""
    with pytest.raises(PlanError):
        sash.Plan(on="t", windows=written, aggregations={"n": sash.Count()})
    with pytest.raises(sash.WindowSpecError):
        Sliding(sash.Count(), written)


@pytest.mark.parametrize(
    ("parts", "words"),
    [
        ({"expressions": {"twice": sash.col("n_1h") * 2}}, "compute them from the results"),
        ({"peers": False}, "events of one time are in each other's windows"),
        ({"min_periods": 2, "aggregations": {"n": sash.Count(), "x": sash.Sum("x")}}, "make an operator for each"),
        ({"windows": [3, "1h"], "closed": "left"}, "a number of events ends with the newest"),
    ],
)
def test_what_only_a_frame_has_is_refused(parts: dict[str, Any], words: str) -> None:
    """With what to do instead."""
    plan = sash.Plan(**({"on": "t", "windows": "1h", "aggregations": {"n": sash.Count()}} | parts))
    with pytest.raises(PlanError, match=words):
        Sliding(plan)


@pytest.mark.parametrize(("by", "key"), [(None, None), ("k", "a"), (["k"], "a"), (["k", "s"], ("a", "x"))])
def test_a_key_of_one_column_is_its_value(by: Any, key: Any) -> None:
    """Several make a tuple."""
    s = Sliding(sash.Plan(by=by, on="t", windows=TimeWindow(5), aggregations={"n": sash.Count()}, emit="arrival"))
    (result,) = s.push({"k": "a", "s": "x", "t": 1})
    assert result.key == key


def test_a_plan_stands_alone() -> None:
    """What it says is not said again."""
    plan = sash.Plan(on="t", windows="1h", aggregations={"n": sash.Count()})
    with pytest.raises(PlanError, match="a plan has all parts: leave out windows, emit, or the plan"):
        Sliding(plan, "1h", emit="update")
