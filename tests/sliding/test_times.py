"""Every kind of time through the operator: zones and their changes of clock, leap days, nanoseconds, negative times."""

import datetime as dt
from zoneinfo import ZoneInfo

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import sash
from sash.operator import Sliding
from sash.triggers import AtWatermark, EachEvent
from sash.windows import CountWindow, LandmarkWindow, SessionWindow, TimeWindow, TumblingWindow

from .reference import Reference
from .stories import EMITS, SUBJECTS, Emitted, emitted, run, streams

BERLIN = ZoneInfo("Europe/Berlin")


def values(results):
    return [result.value for result in results]


def test_the_hour_that_is_there_twice():
    """When clocks go back, an hour is an hour of time that passes, not of what the clock shows."""
    #  02:30 in summer -- 03:00 becomes 02:00 -- 02:30 in winter: an hour apart
    first = dt.datetime(2026, 10, 25, 2, 30, tzinfo=BERLIN)
    second = dt.datetime(2026, 10, 25, 2, 30, fold=1, tzinfo=BERLIN)
    s = Sliding(sash.Concat(), TimeWindow("1h"))
    assert values(s.push(first, "a") + s.push(second, "b")) == ["a", "b"]
    wider = Sliding(sash.Concat(), TimeWindow("61m"))
    assert values(wider.push(first, "a") + wider.push(second, "b")) == ["a", "ab"]


def test_the_hour_that_is_missing():
    """When clocks go forward, 01:30 and 03:30 are an hour apart; results leave in the zone that came."""
    s = Sliding(sash.Concat(), TimeWindow("2h"))
    before, after = (dt.datetime(2026, 3, 29, hour, 30, tzinfo=BERLIN) for hour in (1, 3))
    s.push(before, "a")
    (one,) = s.push(after, "b")
    assert (one.value, one.end.isoformat()) == ("ab", "2026-03-29T03:30:00+02:00")
    assert one.start.isoformat() == "2026-03-29T00:30:00+01:00"


def test_days_of_a_zone_by_an_origin():
    """Tumbling days begin at midnight UTC, or where an origin says."""
    origin = dt.datetime(2024, 1, 1, tzinfo=BERLIN)
    s = Sliding(sash.Count(), TumblingWindow("1d", closed="left", origin=origin))
    s.push(dt.datetime(2024, 2, 28, 23, 59, tzinfo=BERLIN), 1)
    s.push(dt.datetime(2024, 2, 29, 0, 0, tzinfo=BERLIN), 1)
    told_days = s.finish()
    assert [result.end.isoformat() for result in told_days] == [
        "2024-02-29T00:00:00+01:00",
        "2024-03-01T00:00:00+01:00",
    ]


def test_the_leap_day():
    """February 29 is a day like any other, as dates and as instants."""
    s = Sliding(sash.Count(), TimeWindow("2d"))
    days = [dt.date(2024, 2, 28), dt.date(2024, 2, 29), dt.date(2024, 3, 1)]
    assert values(s.push_many(days, [1, 1, 1])) == [1, 2, 2]
    common = [dt.date(2023, 2, 28), dt.date(2023, 3, 1)]
    assert values(Sliding(sash.Count(), TimeWindow("2d")).push_many(common, [1, 1])) == [1, 2]


def test_nanoseconds():
    """A nanosecond is seen, in and out of the window."""
    start = np.datetime64("2024-02-29T12:00:00.000000001", "ns")
    s = Sliding(sash.Concat(), TimeWindow("1us"))
    s.push(start, "a")
    assert values(s.push(start + np.timedelta64(999, "ns"), "b")) == ["ab"]
    (one,) = s.push(start + np.timedelta64(1000, "ns"), "c")
    assert (one.value, one.start) == ("bc", start)


def test_instants_of_different_kinds_go_together():
    """A datetime among nanoseconds is the same instant; one that falls between two ticks is refused."""
    s = Sliding(sash.Concat(), TimeWindow("1h"))
    s.push(np.datetime64("2024-01-01T00:00:00", "ns"), "a")
    assert values(s.push(dt.datetime(2024, 1, 1, 0, 30, tzinfo=dt.UTC), "b")) == ["ab"]
    days = Sliding(sash.Concat(), TimeWindow("1d"))
    days.push(dt.date(2024, 1, 1), "a")
    with pytest.raises(ValueError, match="between two steps"):
        days.push_many([dt.datetime(2024, 1, 2, 1)], ["b"])
    assert values(days.push(dt.datetime(2024, 1, 2), "c")) == ["c"]


def test_the_first_times_that_there_are():
    """A window may begin before time does: events are not lost, and a start that is no time is None."""
    s = Sliding(sash.Concat(), TimeWindow(10))
    assert values(s.push(-(2**63), "a") + s.push(-(2**63) + 1, "b")) == ["a", "ab"]
    early = Sliding(sash.Concat(), TimeWindow("10d"))
    (one,) = early.push(dt.datetime(1, 1, 2), "a")
    assert (one.start, one.value) == (None, "a")
    assert early.push_many([dt.datetime(1, 1, 3)], ["b"]).starts.tolist() == [None]


def test_integers_become_floats():
    """A float among integers makes all times floats, whatever has been seen and emitted by then."""
    for emit in EMITS:
        for policy in (TimeWindow(3), TimeWindow(4, every=2), CountWindow(2), SessionWindow(2), LandmarkWindow()):
            steps = [(1, "a"), (5, "b"), (3, "c"), (4.5, "d"), (2, "e"), (9, "f")]
            mixed, floats = (Sliding(sash.Concat(), policy, emit=emit, lateness=4) for _ in range(2))
            for time, value in steps:
                assert mixed.push(time, value) == floats.push(float(time), value)
            assert mixed.finish() == floats.finish()
    s = Sliding(sash.Concat(), TimeWindow(3))
    s.push(2**53 + 1, "a")
    with pytest.raises(TypeError, match="float64 exactly"):
        s.push(1.5, "b")
    assert values(s.push(2**53 + 2, "b")) == ["ab"]


CLOCKS = {
    "float": (lambda ticks: ticks / 4 - 100.5, lambda length: length / 4),
    # Instants, not what the clock shows: an hour more is an hour later, whatever the zone does meanwhile.
    "datetime": (
        lambda ticks: (dt.datetime(2026, 3, 29, tzinfo=dt.UTC) + dt.timedelta(hours=ticks)).astimezone(BERLIN),
        lambda length: dt.timedelta(hours=length),
    ),
    "date": (lambda ticks: dt.date(2024, 2, 28) + dt.timedelta(days=ticks), lambda length: f"{length}d"),
    "datetime64": (
        lambda ticks: np.datetime64("1969-12-31T23:59:59.999999998", "ns") + np.timedelta64(ticks, "ns"),
        lambda length: f"{length}ns",
    ),
}
POLICIES = [TimeWindow, SessionWindow, lambda length: CountWindow(2), lambda length: LandmarkWindow()]


@pytest.mark.parametrize("clock", CLOCKS)
@given(steps=streams("ab"), emit=st.sampled_from(EMITS), policy=st.sampled_from(POLICIES))
def test_every_clock_tells_what_integers_tell(clock, steps, emit, policy):
    """The same story at times of another kind has the same results, at the times that go with it."""
    at, length = CLOCKS[clock]
    trigger = AtWatermark() if policy is SessionWindow else EachEvent()
    subject = SUBJECTS["concat"]
    operator = Sliding(subject.aggregation, policy(length(4)), by=True, trigger=trigger, emit=emit)
    actual = []
    for number, step in enumerate(steps):
        value = None if step.null else subject.value(number)
        time = at(step.time)
        actual.append(operator.advance(time) if step.key is None else operator.push(step.key, time, value))
    actual.append(operator.finish())
    expected = [
        [Emitted(one.key, at(one.start), at(one.end), *one[3:5], at(one.time), one.number) for one in results]
        for results in run(Reference(subject.aggregate, policy(4), trigger, emit), subject, steps)
    ]
    assert [[emitted(result) for result in results] for results in actual] == expected


@pytest.mark.parametrize("policy", [TumblingWindow(10), TimeWindow(20, every=10)])
@pytest.mark.parametrize("emit", EMITS)
def test_a_window_that_would_end_beyond_all_times_is_refused(policy, emit):
    """Not left out without a word; the operator goes on."""
    s = Sliding(sash.Concat(), policy, emit=emit, lateness=5)
    results = list(s.push(1, "a"))
    with pytest.raises(OverflowError, match="end beyond 64 bits: use earlier times"):
        s.push(2**63 - 4, "b")
    with pytest.raises(OverflowError, match=f"the event at {2**63 - 4} end"):
        s.push_many([2, 2**63 - 4], ["b", "c"])
    results += [*s.push(3, "d"), *s.finish()]
    fresh = Sliding(sash.Concat(), policy, emit=emit, lateness=5)
    assert results == [*fresh.push(1, "a"), *fresh.push(3, "d"), *fresh.finish()]


def test_the_last_window_that_there_is():
    """Times up to the last whose windows end within 64 bits are taken."""
    last = 2**63 - 1
    s = Sliding(sash.Concat(), TimeWindow(20, every=10), lateness=0)
    ends = [result.end for result in [*s.push(last - 20, "a"), *s.finish()]]
    assert ends == [last - 17, last - 7]
