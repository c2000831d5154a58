"""Windows at labels: against brute force "as known then", against the stream, and in every kind of frame."""

from __future__ import annotations

import datetime as dt
import math
from decimal import Decimal
from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

import sash
from sash.batch.naming import output_name, window_label
from sash.windows import CountWindow, LandmarkWindow, SessionWindow, TimeWindow, TumblingWindow
from tests.rolling import brute
from tests.rolling.test_brute_force import AGGREGATIONS, assert_same, masked, plain, rows

CLOSED = ["right", "left", "both", "neither"]
events = st.lists(st.tuples(rows, st.integers(0, 9)).map(lambda pair: {**pair[0], "late": pair[1]}), max_size=20)
marks = st.lists(
    st.fixed_dictionaries({"t": st.integers(-10, 25), "k": st.sampled_from(["x", "y", None, "z"])}), max_size=12
)
windows = st.one_of(
    st.integers(1, 12).map(TimeWindow),
    st.integers(1, 5).map(CountWindow),
    st.integers(1, 6).map(SessionWindow),
    st.integers(1, 6).map(TumblingWindow),
    st.integers(1, 4).map(lambda count: TumblingWindow(count=count)),
    st.integers(-5, 9).map(LandmarkWindow),
)


def before_end(row: brute.Row, end: int, closed: str) -> bool:
    return bool(row["t"] <= end if closed in ("right", "both") else row["t"] < end)


def after_start(row: brute.Row, start: int, closed: str) -> bool:
    return bool(row["t"] >= start if closed in ("left", "both") else row["t"] > start)


def members(frame: list[brute.Row], seen: list[int], window: Any, end: int, closed: str) -> list[int]:
    """Which of the rows that are known, oldest first, are in the window that ends at a time."""
    match window:
        case TimeWindow():
            start = end - int(window.length.amount)
            return [i for i in seen if after_start(frame[i], start, closed) and before_end(frame[i], end, closed)]
        case CountWindow(n=n):
            return [i for i in seen if before_end(frame[i], end, closed)][-n:]
    there = [i for i in seen if frame[i]["t"] <= end]
    match window:
        case LandmarkWindow(since=since):
            return [i for i in there if frame[i]["t"] >= since]
        case TumblingWindow(count=int(count)):
            return there[(len(there) - 1) // count * count :] if there else []
        case TumblingWindow():
            length = int(window.length.amount)
            return [i for i in there if -(-frame[i]["t"] // length) == -(-end // length)]
    gap = int(window.gap.amount)
    session: list[int] = []
    for i in reversed(there):
        if (frame[session[-1]]["t"] if session else end) - frame[i]["t"] >= gap:
            break
        session.append(i)
    return session[::-1]


def expected(frame: list[brute.Row], labels: list[brute.Row], plan: sash.Plan, offset: int, known: bool) -> Any:
    """Every column of the plan at the labels, by walking over all events for each of them."""
    columns: dict[str, list[Any]] = {}
    for text, window in zip(plan.labels, plan.windows, strict=True):
        closed = getattr(window, "closed", plan.closed) if isinstance(window, TimeWindow) else plan.closed
        spans = []
        for label in labels:
            there = (not known or row["t"] + row["late"] <= label["t"] for row in frame)
            seen = [i for i, here in enumerate(there) if here and frame[i]["k"] == label["k"]]
            seen.sort(key=lambda i: (frame[i]["t"], frame[i]["t"] + frame[i]["late"] if known else 0, i))
            spans.append(members(frame, seen, window, label["t"] - offset, closed))
        for name, one in plan.aggregations.items():
            columns[output_name(name, text)] = [brute.result(one, frame, span, plan.min_periods) for span in spans]
    return columns


def arrays(frame: list[brute.Row]) -> dict[str, Any]:
    """The events as arrays, with when each was known."""
    known = [row["t"] + row["late"] for row in frame]
    return {**masked(frame), "known": np.array(known, np.int64)}


def label_arrays(labels: list[brute.Row]) -> dict[str, Any]:
    keys = np.empty(len(labels), object)
    keys[:] = [label["k"] for label in labels]
    return {"t": np.array([label["t"] for label in labels], np.int64), "k": keys}


@given(
    events,
    marks,
    st.lists(windows, min_size=1, max_size=2, unique_by=window_label),
    st.sampled_from(CLOSED),
    st.sampled_from([None, 0, 2]),
    st.sampled_from([0, 1, 7]),
    st.booleans(),
    st.booleans(),
)
def test_labels_get_what_brute_force_finds(
    frame: Any, labels: Any, policies: Any, closed: Any, least: Any, offset: int, known: bool, keyed: bool
) -> None:
    """Whatever the window, its ends, the order of the rows and of their arrival: a label sees the events before it."""
    if known:
        policies = [one for one in policies if isinstance(one, (TimeWindow, CountWindow, LandmarkWindow))] or [3]
    if not keyed:
        frame, labels = ([{**row, "k": None} for row in some] for some in (frame, labels))
    if not any(isinstance(one, (TimeWindow, CountWindow, int)) for one in policies):
        closed = "right"
    shaped = [TimeWindow(one.length, closed=closed) if isinstance(one, TimeWindow) else one for one in policies]
    plan = sash.Plan(
        by="k" if keyed else None, on="t", windows=shaped, aggregations=AGGREGATIONS, closed=closed, min_periods=least
    )
    ours = sash.rolling(arrays(frame), plan, at=label_arrays(labels), known="known" if known else None, offset=offset)
    assert list(ours) == ["t", "k", *plan.outputs]
    assert_same(ours, expected(frame, labels, plan, offset, known))


AT_ARRIVAL: list[tuple[str, Any]] = [
    ("s", sash.Concat),
    ("v", sash.Sum),
    *[("i", over) for over in (sash.Sum, sash.Min, sash.Max, sash.Median)],
    *[("s", over) for over in (sash.First, sash.Last, sash.Mode, sash.CountDistinct, sash.CollectDistinct)],
]


@given(events, marks, st.integers(1, 12), st.sampled_from(CLOSED))
def test_a_label_gets_what_the_stream_emitted_at_arrival(frame: Any, labels: Any, length: int, closed: Any) -> None:
    """An event without a value, pushed at the label's time behind all that had arrived, gets the same result, to the
    last bit."""
    window = TimeWindow(length, closed=closed)
    came = [(row["t"] + row["late"], 0, place, row) for place, row in enumerate(frame)]
    came += [(label["t"], 1, place, label) for place, label in enumerate(labels)]
    for column, over in AT_ARRIVAL:
        operator = sash.Sliding(over(), window, by=True, emit="arrival")
        emitted: dict[int, Any] = {}
        for _, label, place, row in sorted(came, key=lambda one: one[:3]):
            results = operator.push(row["k"], row["t"], row.get(column))
            if label:
                emitted[place] = results[0].value
        ours = sash.rolling(
            arrays(frame), at=label_arrays(labels), by="k", on="t", window=window, known="known", out=over(column)
        )["out"]
        # Sums of quarters are not rounded, so nothing is left to differ in.
        assert plain(ours) == [emitted[place] for place in range(len(labels))]


@pytest.mark.parametrize("kind", ["pandas", "polars", "lazy", "arrow"])
def test_every_kind_of_frame_takes_labels(kind: str) -> None:
    """The labels come back as they were given, with the results behind them, values of other columns too."""
    times = [dt.datetime(2024, 5, 1, 9), dt.datetime(2024, 5, 1, 11), dt.datetime(2024, 5, 1, 9, 30)]
    frame = pl.DataFrame({"time": times, "card": ["a", "a", "b"], "amount": [20, 7, 5], "shop": ["x", None, "z"]})
    labels = pl.DataFrame(
        {
            "card": ["b", "a", "c", "a"],
            "time": [dt.datetime(2024, 5, 1, hour) for hour in (10, 9, 9, 12)],
            "y": [1, 0, 1, 0],
        }
    ).cast({"time": pl.Datetime("ms")})
    make: dict[str, Any] = {
        "pandas": lambda one: one.to_pandas(),
        "polars": lambda one: one,
        "lazy": lambda one: one.lazy(),
        "arrow": lambda one: one.to_arrow(),
    }
    ours = sash.rolling(
        make[kind](frame),
        at=make[kind](labels),
        by="card",
        on="time",
        window="2h",
        closed="both",
        offset=["1h", 0],
        spent=sash.Sum("amount"),
        shop=sash.ArgMax("amount", "shop"),
    )
    assert type(ours) is type(make[kind](labels))
    whole = (
        pl.from_pandas(ours) if kind == "pandas" else pl.from_arrow(ours) if kind == "arrow" else ours.lazy().collect()
    )
    assert whole.columns == ["card", "time", "y", "spent_1h_ago", "shop_1h_ago", "spent", "shop"]
    assert whole["y"].to_list() == [1, 0, 1, 0]
    assert whole["spent"].to_list() == [5, 20, 0, 7]
    assert whole["spent_1h_ago"].to_list() == [0, 0, 0, 27]
    assert whole["shop"].to_list() == ["z", "x", None, None]
    assert whole["shop_1h_ago"].to_list() == [None, None, None, "x"]


@pytest.mark.parametrize("zero", [0, 0.0, "0s", "0h", dt.timedelta(0), pd.Timedelta(0), None])
def test_zero_of_any_unit_is_no_offset(zero: Any) -> None:
    """Alone, and among others, where it has no name."""
    times = pd.date_range("2024-05-01", periods=4, freq="30min")
    frame = pd.DataFrame({"t": times, "v": [1, 2, 4, 8]})
    ours = sash.rolling(frame, at=frame[["t"]], on="t", window="1h", offset=[zero, "30m"], s=sash.Sum("v"))
    assert ours["s"].tolist() == [1, 3, 6, 12]
    assert ours["s_30m_ago"].tolist() == [0, 1, 3, 6]
    alone = sash.rolling(frame, at=frame[["t"]], on="t", window="1h", offset=zero, s=sash.Sum("v"))
    assert alone["s"].tolist() == [1, 3, 6, 12]


def test_empty_events_and_empty_labels() -> None:
    """Labels without events have empty windows; no labels, no rows."""
    events = {"t": np.array([], np.int64), "x": np.array([], np.int64)}
    out = sash.rolling(
        events, at={"t": np.array([1, 2])}, on="t", window=TimeWindow(5), n=sash.Sum("x"), last=sash.Last("x")
    )
    assert out["n"].tolist() == [0, 0]
    assert out["last"].tolist() == [None, None]
    none = sash.rolling(
        {"t": np.array([1]), "x": np.array([3])}, at={"t": np.array([], np.int64)}, on="t", window=3, n=sash.Count()
    )
    assert none["n"].tolist() == []


def test_labels_agree_with_duckdb_and_with_asof() -> None:
    """A range join with aggregation finds the same, and the last value is what `merge_asof` joins."""
    rng = np.random.default_rng(4)
    events = pd.DataFrame(
        {"t": rng.integers(0, 2_000, 900), "k": rng.integers(0, 9, 900), "x": rng.integers(0, 99, 900)}
    )
    labels = pd.DataFrame({"t": rng.integers(0, 2_000, 300), "k": rng.integers(0, 11, 300)}).sort_values("t")
    ours = sash.rolling(
        events,
        at=labels,
        by="k",
        on="t",
        window=TimeWindow(250, closed="left"),
        total=sash.Sum("x"),
        n=sash.Count(),
        top=sash.Max("x"),
        last=sash.Last("x"),
    )
    joined = labels.reset_index().merge(events, on="k", suffixes=("", "_event"), how="left")
    inside = joined[(joined.t_event >= joined.t - 250) & (joined.t_event < joined.t)].groupby("index")["x"]
    assert ours["total"].tolist() == inside.sum().reindex(labels.index, fill_value=0).astype(int).tolist()
    assert ours["n"].tolist() == inside.size().reindex(labels.index, fill_value=0).tolist()
    assert ours["top"].astype(float).equals(inside.max().reindex(labels.index).rename("top"))
    asof = pd.merge_asof(
        labels, events.sort_values("t", kind="stable"), on="t", by="k", allow_exact_matches=False, tolerance=250
    )
    assert ours["last"].astype(float).tolist() == pytest.approx(asof["x"].tolist(), nan_ok=True)


def frame(**columns: Any) -> dict[str, Any]:
    return {"t": np.array([1, 2]), "k": np.array([1, 2]), "x": np.array([1.0, 2.0]), **columns}


@pytest.mark.parametrize(
    ("options", "complaint"),
    [
        ({"window": TimeWindow(4, every=2)}, "leave out every="),
        ({"peers": False}, "peers=False is about rows of one time"),
        ({"emit": "arrival"}, "known="),
        ({"known": "seen"}, "no column 'seen'"),
        ({"known": "x", "window": SessionWindow(3)}, "changes as late rows come"),
        ({"offset": []}, "at least one"),
        ({"offset": "soon"}, "offset: 'soon' is no duration"),
        ({"offset": [1, 1]}, "twice"),
        ({"window": sash.windows.DeltaWindow("x", 1)}, "a label has none"),
        ({"at": {"t": np.array([1])}}, "the labels have no column 'k'"),
        ({"at": frame(n=np.array([1, 2]))}, "the labels have a column 'n' already"),
    ],
)
def test_what_has_no_meaning_at_labels_is_refused(options: Any, complaint: str) -> None:
    """One error says what does not fit, before anything runs."""
    given = {"at": frame(), "by": "k", "on": "t", "window": TimeWindow(3), "n": sash.Count()} | options
    with pytest.raises(sash.PlanError, match=complaint):
        sash.rolling(frame(), **given)


def test_times_of_two_kinds_are_refused() -> None:
    """Numbers and instants have no order among them; known= and offset= need labels; frames are of one kind."""
    stamps = np.array([1, 2], "datetime64[s]")
    with pytest.raises(TypeError, match="no order among them"):
        sash.rolling(frame(), at=frame(t=stamps), on="t", window=3, n=sash.Count())
    with pytest.raises(sash.PlanError, match="are about labels"):
        sash.rolling(frame(), on="t", window=3, offset=1, n=sash.Count())
    with pytest.raises(TypeError, match="two kinds"):
        sash.rolling(frame(), at=pa.table({"t": [1]}), on="t", window=3, n=sash.Count())
    with pytest.raises(ValueError, match="column 't' of the labels"):
        sash.rolling(frame(), at=frame(t=np.array([1.0, np.nan])), on="t", window=3, n=sash.Count())


@pytest.mark.parametrize("make", [pd.DataFrame, pl.DataFrame, pa.table, dict])
def test_keys_that_can_never_be_equal_are_refused(make: Any) -> None:
    """Numbers in one frame and texts in the other: every window would be empty, and nobody told."""
    events, texts = make({"t": np.arange(2), "k": np.array([1, 2])}), np.array(["1", "2"])
    labels = make({"t": np.arange(2), "k": pd.Series(texts, dtype="string") if make is pd.DataFrame else texts})
    with pytest.raises(sash.PlanError, match=r"the column 'k' of the two frames is int64 and .*: convert one of them"):
        sash.rolling(events, at=labels, by="k", on="t", window=TimeWindow(3), n=sash.Count())


@pytest.mark.parametrize("kind", ["int8", "uint16", "int64", "float32", "float64"])
@pytest.mark.parametrize("make", [pd.DataFrame, pl.DataFrame, pa.table, dict])
def test_keys_of_numbers_meet_whatever_their_width(make: Any, kind: str) -> None:
    """A key is its number, in integers and in floats."""
    events = make({"t": np.arange(4), "k": np.array([1, 3, 1, 2])})
    labels = make({"t": np.full(3, 9), "k": np.array([1, 2, 4], kind)})
    out = sash.rolling(events, at=labels, by="k", on="t", window=TimeWindow(10), n=sash.Count())
    assert list(np.asarray(out["n"])) == [2, 1, 0]


def test_integers_meet_floats_and_seconds_meet_milliseconds() -> None:
    """The finer kind is the kind of both."""
    out = sash.rolling(frame(), at=frame(t=np.array([1.5, 3.0])), on="t", window=TimeWindow(1), s=sash.Sum("x"))
    assert out["s"].tolist() == [1.0, 0.0]
    events = {"t": np.array([1, 2], "datetime64[s]"), "x": np.array([1, 2])}
    labels = {"t": np.array([1_999, 2_000], "datetime64[ms]")}
    assert sash.rolling(events, at=labels, on="t", window="1s", s=sash.Sum("x"))["s"].tolist() == [1, 2]


def test_many_keys_with_one_event_each_and_values_of_every_kind() -> None:
    """10,000 keys of one event; decimals, infinities, -0.0 and NaN among the values."""
    n = 10_000
    events = {"t": np.arange(n), "k": np.arange(n)[::-1].copy(), "x": np.arange(n)}
    out = sash.rolling(
        events, at={"t": np.full(n, n), "k": np.arange(n)}, by="k", on="t", window=TimeWindow(n), s=sash.Sum("x")
    )
    assert out["s"].tolist() == [n - 1 - key if n - 1 - key > 0 else 0 for key in range(n)]
    special = {
        "t": np.arange(4),
        "x": np.array([np.inf, -0.0, np.nan, -np.inf]),
        "d": np.array([Decimal("1.10"), Decimal("2.20"), None, Decimal("3.30")], object),
    }
    at = {"t": np.array([1, 2, 3])}
    out = sash.rolling(
        special, at=at, on="t", window=TimeWindow(2), low=sash.Min("x"), n=sash.Count("x"), last=sash.Last("d")
    )
    assert out["low"].tolist() == [0.0, 0.0, -np.inf]
    assert out["n"].tolist() == [2, 1, 1]
    assert out["last"].tolist() == [Decimal("2.20"), Decimal("2.20"), Decimal("3.30")]


@given(
    st.lists(st.floats(-1e300, 1e300) | st.floats(-9, 9) | st.integers(-9, 9).map(lambda n: 1e12 + n), max_size=20),
    st.randoms(use_true_random=False),
)
def test_sums_of_what_was_known_are_rounded_once(values: list[float], random: Any) -> None:
    """Nearly the exact sum: of each value less than 2**-64 of the largest is lost, in whatever order they came."""
    places = list(range(len(values)))
    found = set()
    for _ in range(2):
        random.shuffle(places)
        frame = {"t": np.arange(len(values)), "x": np.array(values, float), "known": np.array(places, np.int64) + 99}
        totals = sash.rolling(frame, at={"t": np.array([200])}, on="t", window=999, known="known", total=sash.Sum("x"))
        found.add(float(totals["total"][0]).hex())
    assert len(found) == 1
    exact, lost = math.fsum(values), len(values) * max(map(abs, values), default=0.0) * 2.0**-64
    assert abs(float.fromhex(found.pop()) - exact) <= max(lost, abs(exact) * 2.0**-52 if lost else 0.0)


def test_variances_of_what_was_known_do_not_cancel() -> None:
    """Whatever all values have in common."""
    for offset in (0.0, 1e9, -1e12):
        frame = {"t": np.arange(3), "x": offset + np.arange(3.0), "known": np.array([5, 3, 4])}
        out = sash.rolling(frame, at={"t": np.array([9])}, on="t", window=99, known="known", spread=sash.Var("x"))
        assert out["spread"].tolist() == [1.0]
