"""Decimals, times, durations and texts in windows and operators: exact, and of one kind."""

from __future__ import annotations

import copy
import datetime as dt
import gc
import weakref
from decimal import Decimal
from typing import Any
from zoneinfo import ZoneInfo

import numpy as np
import pandas as pd
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


def refused(window: sash.Window, *inserts: Any) -> None:
    """Each insert fails, in words, and the window is what it was."""
    before, result = window.snapshot(), window.query()
    for insert in inserts:
        with pytest.raises(TypeError, match="of one kind"):
            insert(window)
        assert (window.snapshot(), window.query()) == (before, result)


IN_ORDER = sorted(name for name in sash.algorithms.ALGORITHMS if name not in ("subtract_on_evict", "auto"))


@pytest.mark.parametrize("algorithm", IN_ORDER)
def test_a_window_that_came_back_refuses_what_it_refused(algorithm: str) -> None:
    """From a snapshot, or as a copy: what is in it says which kind it holds, not only what was inserted."""
    window = sash.Window(sash.Max(), algorithm=algorithm)
    window.bulk_insert([1, 2, 3], ["a", "b", "c"])
    for again in (sash.Window.restore(window.snapshot()), copy.copy(window)):
        refused(again, lambda one: one.insert(9, 5), lambda one: one.bulk_insert([8, 9], ["x", 5]))
        again.insert(9, "d")
        assert again.query() == "d"


@pytest.mark.parametrize(("one", "other"), [("a", 5), (5, "a"), (Decimal(1), 2.5), (2.5, Decimal(1))], ids=repr)
def test_windows_of_two_kinds_are_not_merged(one: Any, other: Any) -> None:
    """Neither changes, and what a window got by merging is of a kind too."""
    windows = [sash.Window(sash.Max()) for _ in range(3)]
    windows[0].bulk_insert([1, 2], [one, one])
    windows[1].bulk_insert([3, 4], [other, other])
    refused(windows[0], lambda window: window.merge(windows[1]))
    assert windows[1].query() == other
    windows[2].merge(windows[0])
    refused(windows[2], lambda window: window.insert(9, other))


def test_a_decimal_comes_after_floats_that_came_after_integers() -> None:
    """All values of a window are looked at, not the first one alone."""
    window = sash.Window(sash.ArgMax())
    window.insert(1, (1, "a"))
    window.insert(2, (2.5, "b"))
    refused(window, lambda one: one.insert(3, (Decimal(3), "c")), lambda one: one.bulk_insert([3], [(Decimal(3), "c")]))


@pytest.mark.parametrize("cls", [sash.Max, sash.Sum])
@pytest.mark.parametrize("integer", [np.int8(3), np.uint64(3), True, np.True_])
def test_integers_of_numpy_and_truths_go_with_decimals(cls: Any, integer: Any) -> None:
    """As an int does; so do texts and bytes of NumPy with those of Python, which they become."""
    window = sash.Window(cls())
    window.bulk_insert([1, 2], [Decimal("0.5"), integer])
    window.insert(3, integer)
    assert window.query() == cls().lower(cls().combine(Decimal("0.5"), int(integer) * (2 if cls is sash.Sum else 1)))
    texts = sash.Window(sash.Max())
    texts.bulk_insert([1, 2], np.array([b"a", b"b"]))
    texts.insert(3, np.bytes_(b"c"))
    texts.insert(4, b"d")
    assert texts.query() == b"d"
    texts = sash.Window(sash.Last())
    texts.insert(1, np.str_("a"))
    assert sash.Window.restore(texts.snapshot()).query() == "a"


def test_zones_and_units_of_other_libraries_are_kinds_too() -> None:
    """Stamps of pandas with and without a zone, and months beside days, are refused in the same words."""
    for one, other in (
        (pd.Timestamp("2024-01-01"), pd.Timestamp("2024-01-02", tz="UTC")),
        (np.timedelta64(1, "M"), np.timedelta64(40, "D")),
    ):
        window = sash.Window(sash.Max())
        window.insert(1, one)
        refused(window, lambda window, other=other: window.insert(2, other))


def test_times_of_numpy_in_two_units_are_compared_exactly() -> None:
    """Or not at all: NumPy itself compares what is left of them in the finer unit."""
    window = sash.Window(sash.Max())
    window.bulk_insert([1, 2], [np.timedelta64(2, "s"), np.timedelta64(1999, "ms")])
    assert window.query() == np.timedelta64(2, "s")
    with pytest.raises(OverflowError, match="coarser unit"):
        window.insert(3, np.timedelta64(2**62, "D"))
    for cls in (sash.Sum, sash.Max):
        with pytest.raises(OverflowError, match="coarser unit"):
            cls().combine(np.timedelta64(2**62, "s"), np.timedelta64(1, "ns"))


def test_differences_of_numpy_that_do_not_fit_are_errors() -> None:
    """Not other durations, nor NaT."""
    far = sash.Window(sash.Range())
    far.bulk_insert([1, 2], [np.datetime64(2**62, "ns"), np.datetime64(-(2**62) - 5, "ns")])
    with pytest.raises(OverflowError, match="coarser unit"):
        far.query()
    half = np.timedelta64(2**62, "ns")
    with pytest.raises(OverflowError, match="coarser unit"):
        sash.Sum().inverse(half, -half)


BERLIN = ZoneInfo("Europe/Berlin")


@pytest.mark.parametrize("fold", [0, 1])
def test_datetimes_with_a_zone_are_instants(fold: int) -> None:
    """Also within one zone, whose clock is put back or forward in between: Python compares and subtracts the clocks."""
    early = dt.datetime(2024, 10, 27, 2, 45, tzinfo=BERLIN)
    late = dt.datetime(2024, 10, 27, 2, 30, fold=1, tzinfo=BERLIN)
    values = [early, late] if fold else [late, early]
    expected = {sash.Max: late, sash.Min: early, sash.MaxCount: 1, sash.Range: dt.timedelta(minutes=45)}
    for cls, result in expected.items():
        for over in (sash.Window(cls()), sash.Sliding({"": cls("x")}, sash.TimeWindow(10), on="t")):
            if isinstance(over, sash.Window):
                over.bulk_insert([1, 2], values)
                assert same_instants(over.query(), result)
            else:
                found = over.push_many([{"t": place, "x": value} for place, value in enumerate(values)])
                assert same_instants(found[1].value[0], result)
    arg = sash.Window(sash.ArgMax())
    arg.bulk_insert([1, 2], [(value, value is late) for value in values])
    assert arg.query() is True
    top = sash.TopK(k=1)
    assert same_instants(top.combine(top.lift(values[0]), top.lift(values[1]))[0], late)


def same_instants(one: Any, other: Any) -> bool:
    return one == other and getattr(one, "fold", 0) == getattr(other, "fold", 0)


@pytest.mark.parametrize("value", [Decimal("NaN"), Decimal("sNaN"), float("nan")])
def test_a_decimal_that_is_nan_is_passed_over(value: Any) -> None:
    """Where NaN is, by the definition, in windows and operators too; else it is an error."""
    window, operator = sash.Window(sash.Max()), sash.Sliding(sash.Max(), sash.TimeWindow(10))
    for time, one in enumerate([Decimal(1), value, Decimal("0.5")]):
        window.insert(time, one)
        operator.push(time, one)
    window.bulk_insert([4, 5], [value, Decimal(2)])
    assert (len(window), window.query(), operator.query()[0].value) == (3, 2, 1)
    first = sash.Window(sash.First())
    first.bulk_insert([1, 2], [value, "a"])
    assert first.query() == "a"
    for strict in (sash.Window(sash.Max(nan="error")), sash.Window(sash.First(nan="error"))):
        with pytest.raises(ValueError, match="is NaN"):
            strict.insert(1, value)


@pytest.mark.parametrize(
    "value",
    [
        np.datetime64("2024-01-02"),
        np.datetime64("2024-01-02T03", "25m"),
        np.timedelta64(7, "ns"),
        np.timedelta64(7, "W"),
        pd.Timestamp("2024-01-02 03:04:05.000000007"),
        pd.Timestamp("2024-10-27 00:30", tz="UTC").tz_convert("Europe/Berlin"),
        pd.Timedelta(7),
    ],
    ids=repr,
)
def test_times_of_numpy_and_pandas_are_in_snapshots(value: Any) -> None:
    """With their type, unit and zone, so that a window goes on with values of the same kind."""
    for door in (sash.Window(sash.Max()), sash.Sliding(sash.Max(), sash.TimeWindow(10))):
        insert = door.insert if isinstance(door, sash.Window) else door.push
        insert(1, value)
        again = type(door).restore(door.snapshot())
        found = again.query() if isinstance(again, sash.Window) else again.query()[0].value
        assert (type(found), repr(found)) == (type(value), repr(value))
        (again.insert if isinstance(again, sash.Window) else again.push)(2, value)
        assert again.snapshot() != door.snapshot()


def test_values_that_have_left_are_let_go() -> None:
    """A window remembers what kind its values are by one of them, and forgets it with the last."""

    class Text(str):
        """A text that can be watched."""

    for empty in (sash.Window.clear, sash.Window.evict, lambda window: window.bulk_evict(9)):
        window = sash.Window(sash.Max())
        text = Text("a")
        watched = weakref.ref(text)
        window.insert(1, text)
        del text
        empty(window)
        gc.collect()
        assert watched() is None


def test_a_window_is_collected_with_the_text_that_stands_for_its_values() -> None:
    """Even if the text refers to the window."""

    class Text(str):
        """A text that can be watched, and refer to what holds it."""

    window = sash.Window(sash.Max())
    text = Text("a")
    text.holder = window  # type: ignore[attr-defined]
    watched = weakref.ref(text)
    window.insert(1, text)
    window.insert(1, "b")
    del text, window
    gc.collect()
    assert watched() is None


def test_what_numbers_are_refused_beside_is_said() -> None:
    """The core has numbers alone, and the error does not name one that nobody gave."""
    window = sash.Window(sash.Max())
    window.insert(1, 5)
    with pytest.raises(TypeError, match=r"there are numbers beside 'a', an integer and a text"):
        window.insert(2, "a")
    count = sash.Window(sash.MaxCount())
    count.insert(1, 5)
    with pytest.raises(TypeError, match=r"this one of MaxCount\(\) has read numbers: .* integers as decimals"):
        count.insert(2, Decimal("0.5"))


@pytest.mark.parametrize(
    "beside",
    [
        sash.Correlation("x", "y"),
        sash.WeightedMean("x", "y"),
        sash.DecayedSum("x", half_life=2),
        sash.Rate("x"),
        sash.Mean("x"),
        sash.TopK("x", k=1),
        sash.ArgMax("x", "y"),
        sash.Max("x", where=sash.col("y") > 2),
    ],
    ids=repr,
)
@pytest.mark.parametrize("many", [False, True])
def test_an_operator_reads_decimals_for_all_that_take_them(beside: sash.Aggregation, many: bool) -> None:
    """Also beside what reads several columns, or times: floats where those are computed, decimals elsewhere."""
    rows = [{"t": 1, "x": Decimal("1.5"), "y": 2}, {"t": 2, "x": Decimal("2.5"), "y": 3}]
    operators = [
        sash.Sliding(over, sash.TimeWindow(10), on="t") for over in ({"": beside}, {"": beside, "top": sash.Max("x")})
    ]
    found = [list(one.push_many(rows)) if many else [one.push(row)[0] for row in rows] for one in operators]
    assert [one.value[0] for one in found[0]] == [one.value[0] for one in found[1]]
    assert [one.value.top for one in found[1]] == [Decimal("1.5"), Decimal("2.5")]


def test_an_operator_that_reads_a_column_anew_is_where_it_was() -> None:
    """Once all keys have expired the column may hold values of another kind, and the watermark stays."""
    operator = sash.Sliding(sash.Max(), sash.TimeWindow(10), by=True, expire=5, lateness=100, on_late="keep")
    operator.push("k", 1, 2)
    operator.push("k", 2, 3)
    operator.advance(100)
    assert operator.keys == []
    (result,) = operator.push("k", 150, Decimal("1.5"))
    assert (result.value, result.number, operator.watermark) == (Decimal("1.5"), 2, 100)
    assert operator.push("k", 60, Decimal(9)) == []
    assert operator.restore(operator.snapshot()).push("k", 151, Decimal(2))[0].number == 3
