"""Windows that slide by a time of their own, over frames: a row for each key and end of a window with events in it."""

from __future__ import annotations

import datetime as dt
from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

import sash

rows = st.lists(
    st.tuples(st.sampled_from("ab"), st.integers(-20, 40), st.none() | st.integers(-2, 2)), min_size=1, max_size=25
)
slides = st.tuples(st.integers(1, 12), st.integers(1, 12)).map(lambda pair: (max(pair), min(pair)))
closed = st.sampled_from(["right", "left", "both", "neither"])


class Pairs(sash.Aggregation):
    """Texts of two columns, one after another: of one's own, and not commutative. Every event counts, nulls too."""

    identity = ""

    def lift(self, value: tuple[Any, Any]) -> str:
        return f"{value[0]}{value[1]} "

    def combine(self, older: str, newer: str) -> str:
        return older + newer

    def lower(self, partial: str) -> str:
        return partial


def pairs(*columns: str) -> Pairs:
    made = Pairs()
    made.column = columns
    return made


def table(events: list[Any], real: bool = False) -> pa.Table:
    keys, times, values = zip(*events, strict=True)
    return pa.table(
        {
            "k": pa.array(keys),
            "t": pa.array([time / 4 if real else time for time in times], pa.float64() if real else pa.int64()),
            "x": pa.array(values, pa.int64()),
            "s": [chr(97 + i % 26) for i in range(len(events))],
        }
    )


def by_operator(frame: pa.Table, over: sash.Aggregation, window: sash.TimeWindow, column: str) -> dict[Any, Any]:
    """What sash.Sliding emits, by key and end."""
    operator = sash.Sliding(over, window, by=True, emit="final")
    operator.push_many(frame["k"].to_pylist(), frame["t"].to_pylist(), frame[column].to_pylist())
    return {(result.key, result.end): (result.start, result.value) for result in operator.finish()}


@given(rows, slides, closed, st.booleans())
def test_slides_over_a_frame_are_those_of_the_operator(events: Any, slide: Any, ends: Any, real: bool) -> None:
    """The same ends, the same starts, the same results: with late rows, ties and nulls, at every boundary."""
    length, every = (slide[0] / 4, slide[1] / 4) if real else slide
    window = sash.TimeWindow(length, every=every, closed=ends)
    frame = table(events, real)
    ours = sash.rolling(frame, by="k", on="t", window=window, all=sash.Concat("s"), sum=sash.Sum("x"))
    emitted = {(row["k"], row["window_end"]): (row["window_start"], row["all"], row["sum"]) for row in ours.to_pylist()}
    texts, sums = by_operator(frame, sash.Concat(), window, "s"), by_operator(frame, sash.Sum(), window, "x")
    assert len(emitted) == ours.num_rows
    assert emitted == {where: (*texts[where], sums[where][1]) for where in texts}


@given(rows, slides, closed)
def test_slides_hold_what_brute_force_finds(events: Any, slide: Any, ends: Any) -> None:
    """For each multiple of the slide, walk over all rows."""
    length, every = slide
    frame = table(events)
    window = sash.TimeWindow(length, every=every, closed=ends)
    ours = sash.rolling(frame, by="k", on="t", window=window, n=sash.Count(), x=sash.Count("x"), own=pairs("x", "s"))
    expected = []
    for key in dict.fromkeys(key for key, _, _ in events):
        for end in range(-10 * every * 5, 60 + 13 * every, every):
            if end % every:
                continue
            start = end - length
            inside = [
                (time, i)
                for i, (k, time, _) in enumerate(events)
                if k == key
                and (time >= start if ends in ("left", "both") else time > start)
                and (time <= end if ends in ("right", "both") else time < end)
            ]
            if inside:
                seen = [i for _, i in sorted(inside)]
                values = [events[i][2] for i in seen]
                own = "".join(f"{events[i][2]}{chr(97 + i % 26)} " for i in seen)
                expected.append((key, end, len(seen), sum(value is not None for value in values), own))
    assert [(row["k"], row["window_end"], row["n"], row["x"], row["own"]) for row in ours.to_pylist()] == expected


def test_windows_of_several_lengths_share_their_ends() -> None:
    """A row as long as the longest holds an event; the start is that of the longest; a shorter one may be empty."""
    #  t   3
    #      x   10   20   30   40
    frame = {"t": np.array([3]), "x": np.array([7])}
    plan = sash.Plan(
        on="t",
        windows=[sash.TimeWindow(20, every=10), sash.TimeWindow(40, every=10)],
        aggregations={"sum": sash.Sum("x"), "last": sash.Last("x")},
    )
    made = sash.rolling(frame, plan)
    assert made["window_end"].tolist() == [10, 20, 30, 40]
    assert made["window_start"].tolist() == [-30, -20, -10, 0]
    assert made["sum_20"].tolist() == [7, 7, 0, 0]
    assert made["last_20"].tolist() == [7, 7, None, None]
    assert made["sum_40"].tolist() == [7, 7, 7, 7]


@pytest.mark.parametrize("name", sorted(sash.aggregations.built_ins()))
def test_every_aggregation_slides(name: str) -> None:
    """Whatever pass it takes, the rows that are no events are not in it."""
    from tests.rolling.test_every_aggregation import arrays, made, same
    from tests.rolling.test_every_aggregation import frame as sample

    over, window = made(name), sash.TimeWindow(12, every=5)
    frame = arrays(sample(late=True))
    ours = sash.rolling(frame, by="k", on="t", window=window, out=over)
    # With a window of one row's length at each end, the frame's own rows answer the same question.
    ends = {"t": ours["window_end"], "k": ours["k"]}
    for end, key, result in zip(ends["t"].tolist(), ends["k"].tolist(), ours["out"].tolist(), strict=True):
        inside = (frame["t"] > end - 12) & (frame["t"] <= end) & (frame["k"] == key)
        part = {column: array[inside] for column, array in frame.items()}
        whole = sash.rolling(part, on="t", window=sash.LandmarkWindow(), out=over)["out"].tolist()
        assert same(result, whole[int(np.argmax(part["t"]))]), (end, key)


def test_each_kind_of_frame_comes_back_as_its_kind() -> None:
    """Keys and times keep their types, in pandas, polars, Arrow and NumPy."""
    noon = dt.datetime(2024, 3, 1, 12)
    data = {"k": ["a", "a", "b"], "t": [noon, noon + dt.timedelta(seconds=70), noon], "x": [1, 2, 3]}
    window = sash.TimeWindow("2m", every="1m")
    expected = [("a", noon, 1), ("a", noon + dt.timedelta(minutes=1), 1), ("a", noon + dt.timedelta(minutes=2), 2)]

    def run(frame: Any) -> Any:
        return sash.rolling(frame, by="k", on="t", window=window, sum=sash.Sum("x"))

    pandas = run(pd.DataFrame(data))
    assert isinstance(pandas, pd.DataFrame)
    assert pandas["window_end"].dtype == pd.DataFrame(data)["t"].dtype
    assert [tuple(row) for row in pandas[["k", "window_end", "sum"]].head(3).to_numpy()] == expected
    polars = run(pl.DataFrame(data))
    assert polars.schema["window_end"] == pl.DataFrame(data).schema["t"]
    assert polars.select("k", "window_end", "sum").rows()[:3] == expected
    arrow = run(pa.table(data))
    assert arrow.schema.field("window_start").type == pa.table(data).schema.field("t").type
    lazy = run(pl.DataFrame(data).lazy())
    assert lazy.collect().equals(polars)
    categories = run(pd.DataFrame(data).astype({"k": "category", "x": "int32"}))
    assert categories["k"].dtype == "category"


def test_no_rows_give_no_slides() -> None:
    """An empty frame gives an empty frame with all columns."""
    made = sash.rolling(
        {"t": np.array([], np.int64), "x": np.array([])}, on="t", window=sash.TimeWindow(2, every=1), n=sash.Count()
    )
    assert {name: len(array) for name, array in made.items()} == {"window_start": 0, "window_end": 0, "n": 0}


@pytest.mark.parametrize(
    ("windows", "options", "why"),
    [
        ([sash.TimeWindow(4, every=2), sash.TimeWindow(5)], {}, "give each kind its own plan"),
        ([sash.TimeWindow(4, every=2), sash.TimeWindow(9, every=3)], {}, "give each slide its own plan"),
        ([sash.TimeWindow(4, every=2)], {"emit": "arrival"}, "emit='arrival' has no slides"),
        ([sash.TimeWindow(4, every=2)], {"peers": False}, "a slide is no row"),
        ([sash.TimeWindow(4, every=2)], {"by": "window_end"}, "says where a window lies"),
        (sash.CountWindow(4, every=2), {}, "does not emit at every row"),
    ],
)
def test_slides_that_do_not_go_together_are_refused(windows: Any, options: Any, why: str) -> None:
    """Before anything runs, with the way out."""
    plan = sash.Plan(on="t", windows=windows, aggregations={"n": sash.Count()}, **options)
    frame = {"t": np.arange(3), "window_end": np.arange(3)}
    with pytest.raises(sash.PlanError, match=why):
        sash.rolling(frame, plan)


@pytest.mark.parametrize("name", ["k", "window_start", "window_end"])
def test_a_result_takes_the_name_of_no_column_beside_it(name: str) -> None:
    """Neither that of the key nor those that say where a window lies."""
    frame = {"t": np.arange(3), "k": np.zeros(3, np.int64)}
    with pytest.raises(sash.PlanError, match=f"has a column '{name}' already: rename"):
        sash.rolling(frame, on="t", by="k", window=sash.TimeWindow(2, every=1), **{name: sash.Count()})


FRAME = pd.DataFrame(
    {
        "t": pd.to_datetime(["2024-05-01 09:00", "2024-05-01 09:05", "2024-05-01 09:21"]),
        "k": ["a", "b", "a"],
        "x": [1, 2, 3],
    }
)


@pytest.mark.parametrize(
    ("window", "words"),
    [
        ("1h", {}),
        ("1h", {"closed": "left"}),
        (["1h", dt.timedelta(minutes=20)], {"closed": "both"}),
        (sash.TimeWindow("1h", closed="left"), {}),
    ],
)
def test_every_beside_the_window_is_every_of_each_window(window, words):
    """A result every 10 minutes, not at every row."""
    found = sash.rolling(FRAME, on="t", by="k", window=window, every="10m", s=sash.Sum("x"), **words)
    windows = window if isinstance(window, list) else [window]
    policies = [one if isinstance(one, sash.TimeWindow) else sash.TimeWindow(one, **words) for one in windows]
    made = [sash.TimeWindow(one.length, every="10m", closed=one.closed) for one in policies]
    expected = sash.rolling(FRAME, on="t", by="k", window=made if len(made) > 1 else made[0], s=sash.Sum("x"))
    pd.testing.assert_frame_equal(found, expected)


@pytest.mark.parametrize(
    ("words", "error"),
    [
        ({"window": 3}, "every= is for windows of a length of time that have none of their own, not 3: leave it out"),
        ({"window": sash.TimeWindow("1h", every="5m")}, "that have none of their own, not TimeWindow"),
        ({"window": "5m"}, r"every: every \(10m\) must not exceed length \(5m\)"),
        ({"window": sash.TimeWindow("1h"), "closed": "left"}, "closed"),
        ({"window": "1h", "step": 3}, 'rolling has no step=: write every="10m"'),
        (
            {"window": "1h", "center": True},
            "rolling has no center=: a window ends at its row, and knows",
        ),
        ({"window": "1mo"}, "by the calendar, '1mo', does not slide: give the times of its ends as labels"),
    ],
)
def test_every_that_has_no_meaning_is_refused(words, error):
    """With what to write instead."""
    with pytest.raises(sash.errors.PlanError, match=error):
        sash.rolling(FRAME, on="t", every="10m", s=sash.Sum("x"), **words)
