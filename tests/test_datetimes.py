"""Datetimes that the core encodes and decodes itself are those that `sash.times` makes, in every zone."""

from __future__ import annotations

import datetime as dt
from typing import Any
from zoneinfo import ZoneInfo

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

import sash
from sash.times import decode, encode

EAST, WEST = (dt.timezone(dt.timedelta(hours=hours, microseconds=7)) for hours in (14, -12))
ZONES = [None, dt.UTC, dt.timezone(dt.timedelta(0), "here"), EAST, WEST, ZoneInfo("UTC"), ZoneInfo("Europe/Berlin")]
#: Nearer to the ends of the calendar some zones have no datetime for an instant of others.
FIRST, LAST = dt.datetime(1, 1, 3), dt.datetime(9999, 12, 29)


class Later(dt.datetime):
    """A datetime of one's own, which the core leaves to `sash.times`."""


@pytest.mark.parametrize("zone", ZONES, ids=str)
@given(times=st.lists(st.datetimes(FIRST, LAST, timezones=st.sampled_from(ZONES)), min_size=1, max_size=5))
@example(times=[FIRST, LAST, dt.datetime(1969, 12, 31, 23, 59, 59, 999999)])
def test_times_come_out_as_they_went_in(zone: Any, times: list[dt.datetime]) -> None:
    """Whatever their zones are, they come out in that of the first, at the same instant."""
    first = dt.datetime(2024, 10, 27, 2, 30, tzinfo=zone, fold=1)
    kind, _ = encode(first)
    w = sash.Window(sash.Count())
    w.insert(first, 1)
    for time in times:
        w.insert(time, 1)
    ticks = sorted({encode(time)[1] for time in [first, *times]})
    assert [(time, time.tzinfo, time.fold) for time, _ in w.items()] == [
        (time, time.tzinfo, time.fold) for time in (decode(kind, tick) for tick in ticks)
    ]
    assert (w.oldest, w.youngest) == (decode(kind, ticks[0]), decode(kind, ticks[-1]))
    for time in times:
        assert w.query(time, time) == sum(encode(other)[1] == encode(time)[1] for other in [first, *times])


def test_a_clock_that_is_set_back_keeps_its_hours_apart() -> None:
    """Half past two comes twice in Berlin that night."""
    berlin = ZoneInfo("Europe/Berlin")
    early, late = (dt.datetime(2024, 10, 27, 2, 30, tzinfo=berlin, fold=fold) for fold in (0, 1))
    s = sash.Sliding(sash.Sum(), "30m")
    (first,), (second,) = s.push(early, 1), s.push(late, 2)
    assert (first.value, second.value) == (1, 2)
    assert (first.end.fold, second.end.fold) == (0, 1)
    assert second.end - dt.timedelta(0) == late


def test_derived_datetimes_and_dates_are_left_to_the_encoder() -> None:
    """They go among datetimes as they did."""
    w = sash.Window(sash.Concat())
    w.insert(dt.datetime(2024, 5, 1), "a")
    w.insert(Later(2024, 5, 1, 12), "b")
    w.insert(dt.date(2024, 5, 2), "c")
    assert w.query() == "abc"
    assert w.query(Later(2024, 5, 1, 1), None) == "bc"
    with pytest.raises(TypeError, match="a time of kind int among times of kind datetime"):
        w.insert(5, "d")


def test_no_datetime_is_encoded_in_python(monkeypatch: pytest.MonkeyPatch) -> None:
    """After the first one, which decides what times are, a call of `sash.times` would take longer than an event."""
    hour = dt.datetime(2024, 5, 1, tzinfo=dt.UTC)
    s, w = sash.Sliding(sash.Sum(), "1h"), sash.Window(sash.Sum())
    s.push(hour, 1)
    w.insert(hour, 1)
    called: list[str] = []
    for name in ("encode", "encode_as", "bound", "decode"):
        monkeypatch.setattr(f"sash.times.{name}", lambda *args, name=name, **options: called.append(name))
    for minute in range(1, 100):
        time = hour + dt.timedelta(minutes=minute)
        (result,) = s.push(time, 1)
        w.insert(time, 1)
        assert (result.value, result.end) == (min(minute + 1, 60), time)
        assert (w.query(time, None), w.youngest) == (1, time)
    assert called == []
