"""Decimals, times, durations and texts in windows and operators: exact, and of one kind."""

from __future__ import annotations

import datetime as dt
from decimal import Decimal
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import sash
from sash.testing import assert_lawful

NOON = dt.datetime(2024, 3, 31, 12)
VALUES: dict[str, Any] = {
    "decimals": st.decimals(-1000, 1000, places=2) | st.decimals(-1, 1, places=5) | st.integers(-9, 9),
    "naive": st.datetimes(dt.datetime(2024, 1, 1), dt.datetime(2024, 12, 31)),
    "aware": st.datetimes(
        dt.datetime(2024, 1, 1),
        dt.datetime(2024, 12, 31),
        timezones=st.sampled_from([dt.UTC, dt.timezone(dt.timedelta(hours=2))]),
    ),
    "dates": st.dates(dt.date(2024, 1, 1), dt.date(2024, 2, 1)),
    "clocks": st.times(),
    "durations": st.timedeltas(dt.timedelta(-9), dt.timedelta(9)),
    "texts": st.text(max_size=3),
}
EXTREMES = [sash.Max, sash.Min, sash.MaxCount, sash.MinCount]
CASES = [
    *((cls, kind) for cls in EXTREMES for kind in VALUES),
    *((cls, kind) for cls in (sash.Range, sash.Delta) for kind in ("decimals", "naive", "aware", "dates", "durations")),
    *((sash.Sum, kind) for kind in ("decimals", "durations")),
]


def by_hand(cls: type[sash.Aggregation], values: list[Any]) -> Any:
    """What the aggregation gives, in Python's own words."""
    if cls is sash.Sum:
        return sum(values[1:], values[0]) if values else 0
    if not values:
        return cls().empty
    low, high = min(values), max(values)
    return {
        sash.Max: high,
        sash.Min: low,
        sash.MaxCount: values.count(high),
        sash.MinCount: values.count(low),
        sash.Range: high - low if cls is sash.Range else None,
        sash.Delta: values[-1] - values[0] if cls is sash.Delta else None,
    }[cls]


#: Delta is a record, of which windows keep numbers alone.
IN_WINDOWS = [case for case in CASES if case[0] is not sash.Delta]


@pytest.mark.parametrize(("cls", "kind"), IN_WINDOWS, ids=lambda part: part if isinstance(part, str) else part.__name__)
@settings(max_examples=30, deadline=None)
@given(data=st.data())
def test_windows_give_what_python_gives(cls: Any, kind: str, data: st.DataObject) -> None:
    """Over values of one kind, with nulls and late events among them; a snapshot goes on as if nothing had happened."""
    values = data.draw(st.lists(VALUES[kind] | st.none(), min_size=1, max_size=12))
    if kind == "decimals":
        values.insert(0, Decimal("0.5"))
    order = data.draw(st.permutations(range(len(values))))
    windows = [sash.Window(cls()) for _ in range(2)]
    for time in order if kind != "decimals" else range(len(values)):
        windows[0].insert(time, values[time])
    windows[1].bulk_insert(list(range(len(values))), values)
    while True:
        present = [value for value in values if value is not None]
        for window in windows:
            again = sash.Window.restore(window.snapshot())
            assert window.query() == again.query() == by_hand(cls, present)
        if not len(windows[0]):
            break
        oldest = windows[0].oldest
        values = [None if time <= oldest else value for time, value in enumerate(values)]
        for window in windows:
            window.evict()


@pytest.mark.parametrize(("cls", "kind"), CASES, ids=lambda part: part if isinstance(part, str) else part.__name__)
@settings(max_examples=30, deadline=None)
@given(data=st.data())
def test_an_operator_gives_what_python_gives(cls: Any, kind: str, data: st.DataObject) -> None:
    """Event by event and in a batch, by key, beside numbers, and from a snapshot on."""
    values = data.draw(st.lists(VALUES[kind], min_size=1, max_size=10))
    if kind == "decimals":
        values.insert(0, Decimal("0.5"))
    rows = [{"t": time, "k": time % 2, "x": value, "n": time} for time, value in enumerate(values)]
    over = {"out": cls("x"), "n": sash.Sum("n")}
    one = sash.Sliding(over, sash.TimeWindow(6), by="k", on="t")
    found = []
    for row in rows:
        found += one.push(row)
        one = sash.Sliding.restore(one.snapshot())
    many = sash.Sliding(over, sash.TimeWindow(6), by="k", on="t").push_many(rows)
    for place, row in enumerate(rows):
        inside = [other for other in rows[: place + 1] if other["k"] == row["k"] and other["t"] > row["t"] - 6]
        expected = (by_hand(cls, [other["x"] for other in inside]), sum(other["n"] for other in inside))
        assert tuple(found[place].value) == tuple(many[place].value) == expected


MIXED = [
    (sash.Max, Decimal("1.5"), 2.5),
    (sash.Max, 2.5, Decimal("1.5")),
    (sash.Min, 3, "a"),
    (sash.Min, "a", 3),
    (sash.MaxCount, "a", b"a"),
    (sash.Max, NOON, NOON.replace(tzinfo=dt.UTC)),
    (sash.Max, NOON.date(), NOON),
    (sash.Sum, Decimal("1.5"), dt.timedelta(1)),
    (sash.Sum, dt.timedelta(1), 3),
    (sash.Sum, 1.5, Decimal("1.5")),
    (sash.Range, NOON, dt.timedelta(1)),
]


@pytest.mark.parametrize("algorithm", ["fiba", "recalc", "two_stacks", "daba_lite"])
@pytest.mark.parametrize(("cls", "one", "other"), MIXED, ids=repr)
def test_values_of_two_kinds_are_refused(cls: Any, one: Any, other: Any, algorithm: str) -> None:
    """In words, and nothing changes."""
    window = sash.Window(cls(), algorithm=algorithm)
    window.insert(1, one)
    before = window.snapshot()
    for insert in (lambda: window.insert(2, other), lambda: window.bulk_insert([2, 3], [one, other])):
        with pytest.raises(TypeError, match="of one kind"):
            insert()
        assert window.snapshot() == before
    operator = sash.Sliding(cls(), sash.TimeWindow(10))
    result = operator.push(1, one)[0].value
    state = operator.snapshot()
    with pytest.raises(TypeError, match="of one kind"):
        operator.push(2, other)
    assert operator.snapshot() == state
    assert operator.query()[0].value == result


def test_integers_go_with_decimals() -> None:
    """Exactly, whichever came first; what was an integer leaves a window of decimals as one of them."""
    for values in ([Decimal("1.5"), 2], [2, Decimal("1.5")]):
        for cls, expected in ((sash.Sum, Decimal("3.5")), (sash.Max, Decimal(2))):
            window = sash.Window(cls())
            for time, value in enumerate(values):
                window.insert(time, value)
            assert window.query() == expected
    operator = sash.Sliding(sash.Sum(), sash.TimeWindow(10))
    assert [one.value for one in operator.push_many([1, 2, 3], [1, Decimal("0.1"), 2])] == [
        Decimal(1),
        Decimal("1.1"),
        Decimal("3.1"),
    ]
    numbers = sash.Sliding(sash.Sum(), sash.TimeWindow(10))
    numbers.push(1, 5)
    with pytest.raises(TypeError, match="from the first event on"):
        numbers.push(2, Decimal("1.5"))
    assert numbers.push(2, 6)[0].value == 11


def test_decimals_are_added_exactly() -> None:
    """Python itself rounds to 28 digits."""
    large, small = Decimal("9" * 30), Decimal("0.00000000000000000001")
    window = sash.Window(sash.Sum())
    window.bulk_insert([1, 2], [large, small])
    assert str(window.query()) == "9" * 30 + ".00000000000000000001"
    window.evict()
    assert window.query() == small
    with pytest.raises(OverflowError, match="more than 100 digits"):
        sash.Sum().combine(small, Decimal("1e200"))


@pytest.mark.parametrize("value", [Decimal("NaN"), Decimal("Infinity")])
def test_a_decimal_is_finite(value: Decimal) -> None:
    """NaN is passed over, as among floats, or refused; infinity is refused."""
    with pytest.raises(ValueError, match=r"is finite|is NaN"):
        sash.Max(nan="error").lift(value)
    assert sash.Max().skips(value) == value.is_nan()


@pytest.mark.parametrize("cls", [sash.Max, sash.Min, sash.MaxCount, sash.Range, sash.Sum, sash.Delta])
def test_the_laws_hold(cls: Any) -> None:
    """For decimals and durations too."""
    assert_lawful(cls(), [Decimal("1.5"), Decimal("-2.25"), 3, Decimal(0)])
    # Of durations nothing is left as the duration 0, and nothing at all is the number.
    if cls is not sash.Sum:
        assert_lawful(cls(), [dt.timedelta(1), dt.timedelta(-2), dt.timedelta(0)])


def test_means_of_decimals_are_floats() -> None:
    """Each is read as the nearest float."""
    window = sash.Window({"mean": sash.Mean("x"), "std": sash.Std("x"), "median": sash.Median("x")})
    window.bulk_insert([1, 2], [{"x": Decimal("0.1")}, {"x": Decimal("0.2")}])
    assert window.query().mean == (0.1 + 0.2) / 2


def test_times_of_numpy() -> None:
    """They leave as they came; a sum that does not fit in 64 bits is an error, not another duration."""
    window = sash.Window(sash.Max())
    window.bulk_insert([1, 2], np.array(["2024-01-02", "2024-01-01"], "datetime64[D]"))
    assert window.query() == np.datetime64("2024-01-02")
    half = np.timedelta64(2**62, "ns")
    for one in (half, -half - np.timedelta64(1, "ns")):
        with pytest.raises(OverflowError, match="coarser unit"):
            sash.Sum().combine(one, one)


def test_a_record_of_a_window_takes_numbers() -> None:
    """It says what takes the others."""
    for over in ({"top": sash.Max("x"), "n": sash.Count()}, sash.Delta("x")):
        window = sash.Window(over)
        with pytest.raises(TypeError, match=r"a number is needed .*sash.Sliding takes these"):
            window.insert(1, {"x": Decimal("1.5")})
        assert not len(window)
