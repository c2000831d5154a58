"""Aggregations that use the times of the events, over every kind of time."""

import datetime as dt
import math
from itertools import pairwise
from zoneinfo import ZoneInfo

import numpy as np
import pandas as pd
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

import sash
from sash import codec
from sash.errors import SnapshotError
from sash.testing import same
from sash.testing.oracle import Oracle
from sash.times import seconds_between

from .cases import NAN, TIMED, clock, name, numbers, reals, result, result_at


#: Events in the order of their times; some times are equal.
def in_order(values):
    return st.lists(st.tuples(st.integers(0, 20), values), min_size=1, max_size=12).map(
        lambda events: sorted(events, key=lambda event: event[0])
    )


KINDS = {
    "int": lambda second: second,
    "float": lambda second: float(second),
    "numpy integer": lambda second: np.int64(second),
    "date": lambda second: dt.date(2024, 2, 28) + dt.timedelta(days=second),
    "naive": lambda second: clock(second).replace(tzinfo=None),
    "zone": lambda second: clock(second).astimezone(ZoneInfo("Europe/Berlin")),
    "datetime64": lambda second: np.datetime64("2024-02-28T00:00:00", "ns") + np.timedelta64(second, "s"),
    "pandas": lambda second: pd.Timestamp(clock(second)),
    "arrow": lambda second: pa.scalar(clock(second), pa.timestamp("ms", "UTC")),
}


# Seconds


@pytest.mark.parametrize("kind", KINDS)
def test_seconds_between_two_times_of_any_kind(kind):
    """Numbers are read as seconds; a day of dates has 86,400."""
    when = KINDS[kind]
    unit = 86_400.0 if kind == "date" else 1.0
    assert seconds_between(when(3), when(10)) == 7 * unit
    assert seconds_between(when(10), when(3)) == -7 * unit
    assert seconds_between(when(5), when(5)) == 0.0


def test_seconds_are_rounded_once():
    """The difference is taken in ticks, however far from the epoch."""
    start = np.datetime64(2**62, "ns")
    assert seconds_between(start, start + np.timedelta64(1, "ns")) == 1e-9
    assert seconds_between(2**62, 2**62 + 1) == 1.0
    assert seconds_between(-(2**63), 2**63 - 1) == float(2**64 - 1)
    assert seconds_between(math.inf, math.inf) == 0.0
    assert seconds_between(0, math.inf) == math.inf


def test_seconds_across_a_change_of_clocks_are_those_that_pass():
    """The night of the change has 23 hours."""
    zone = ZoneInfo("Europe/Berlin")
    assert seconds_between(dt.datetime(2024, 3, 31, tzinfo=zone), dt.datetime(2024, 4, 1, tzinfo=zone)) == 23 * 3600


@pytest.mark.parametrize(("start", "end"), [(1, clock(0)), (clock(0), 1.5), (np.datetime64("2024-01"), clock(0))])
def test_no_seconds_lie_between_times_that_do_not_go_together(start, end):
    """Numbers and clocks; months, which have no length."""
    with pytest.raises(TypeError, match="no number of seconds lies between"):
        seconds_between(start, end)


# All of them


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("case", TIMED, ids=name)
def test_every_kind_of_time_serves_and_survives_its_bytes(case, kind):
    """Zones, units and libraries are kept."""
    over = case[0]
    values = [3, 1, 2, 4, 4] if over != sash.Rate() else list("abcde")
    when = KINDS[kind]
    total = over.identity
    for second, value in enumerate(values):
        total = over.combine(total, over.lift(value, when(second)))
    back = over.decode(over.encode(total))
    assert back == total
    assert over.encode(back) == over.encode(total)
    for place in over.time_fields:
        assert type(back[place]) is type(total[place])
        assert getattr(back[place], "tzinfo", None) == getattr(total[place], "tzinfo", None)
    assert same(over.lower(back), over.lower(total))


@pytest.mark.parametrize("case", TIMED, ids=name)
def test_the_oracle_passes_the_times(case):
    """Late events, equal times and evictions: what is left decides."""
    over, values = case

    @given(st.lists(st.tuples(st.integers(0, 6), values), max_size=8))
    def check(events):
        oracle = Oracle(over)
        for time, value in events:
            oracle.insert(time, value)
        oracle.bulk_evict(2)
        left = sorted(((time, value) for time, value in events if time > 2), key=lambda event: event[0])
        assert same(oracle.query(), result_at(over, left), 1e-9, scale=100.0)

    check()


@pytest.mark.parametrize("case", TIMED, ids=name)
@pytest.mark.parametrize("time", [None, "noon", NAN, True])
def test_what_is_no_time_is_refused(case, time):
    """Before anything is made of it."""
    with pytest.raises((TypeError, ValueError), match="time"):
        case[0].lift(1, time)


@pytest.mark.parametrize("time", ["noon", None, True, ("datetime", "x"), ("noon", 1), ("datetime", 2**80), (1, 2, 3)])
def test_a_damaged_time_is_a_snapshot_error(time):
    """It could not have come from here."""
    with pytest.raises(SnapshotError):
        sash.DecayedSum().decode(codec.dumps((1.0, time)))


# M4


@given(in_order(numbers))
def test_m4_is_first_last_min_and_max_with_their_times(events):
    """The oldest wins a tie."""
    found = result_at(sash.M4(), events)
    assert found.first == events[0]
    assert found.last == events[-1]
    assert found.min == min(events, key=lambda event: event[1])
    assert found.max == max(events, key=lambda event: event[1])


def test_m4_and_nan():
    """A NaN that is let through is more extreme than any number."""
    found = result(sash.M4(nan="propagate"), [1, NAN, -math.inf, math.inf])
    assert (found.min.time, found.max.time) == (1, 1)
    assert result(sash.M4(), [NAN, 2, None]) == result_at(sash.M4(), [(1, 2)])
    assert sash.M4().empty is None


# Runs


def longest_run(events):
    """By looking at every start and every end."""
    best = None
    for start in range(len(events)):
        for end in range(start, len(events)):
            rises = all(a[1] < b[1] for a, b in pairwise(events[start : end + 1]))
            if rises and (best is None or end - start + 1 > best[3]):
                best = (events[start][0], events[end][0], events[end][1] - events[start][1], end - start + 1)
    return best


@given(in_order(numbers))
def test_the_longest_run_is_that_of_brute_force(events):
    """Strictly rising, neighbours only, the oldest on ties."""
    assert result_at(sash.LongestIncreasingRun(), events) == longest_run(events)


def test_runs_by_example():
    """A transcript: the run grows, breaks and is outgrown."""
    #  5 1 2 4 3 6 7 8      1 2 4 first, then 3 6 7 8
    rise = sash.LongestIncreasingRun()
    assert result(rise, [5, 1, 2, 4]) == sash.results.Run(1, 3, 3, 3)
    assert result(rise, [5, 1, 2, 4, 3, 6, 7]) == sash.results.Run(1, 3, 3, 3)
    assert result(rise, [5, 1, 2, 4, 3, 6, 7, 8]) == sash.results.Run(4, 7, 5, 4)
    assert result(rise, [2, 2, 2]) == sash.results.Run(0, 0, 0, 1)
    assert result(rise, [0.0, -0.0]).length == 1
    assert result(sash.LongestIncreasingRun(nan="propagate"), [1, NAN, 2, 3]).start == 2
    assert rise.empty is None
    with pytest.raises(OverflowError, match="64 bits"):
        result(rise, [-(2**63), 2**63 - 1])


# Decay


@given(in_order(reals), st.sampled_from([0.5, 3, 100]))
def test_a_decayed_sum_is_that_of_the_formula(events, half_life):
    """Each value halves with every half life up to the youngest event."""
    youngest = events[-1][0]
    expected = math.fsum(value * 2 ** (-(youngest - time) / half_life) for time, value in events)
    assert result_at(sash.DecayedSum(half_life=half_life), events) == pytest.approx(expected, rel=1e-9, abs=1e-9)


def test_half_lives_are_durations_or_seconds():
    """Over clock times the same; written alike they are alike."""
    events = [(clock(0), 8.0), (clock(120), 1.0)]
    for half_life in (60, 60.0, "1m", "60s", dt.timedelta(minutes=1), np.timedelta64(1, "m")):
        assert result_at(sash.DecayedSum(half_life=half_life), events) == 3.0
    assert sash.DecayedSum(half_life="60s") == sash.DecayedSum(half_life=dt.timedelta(minutes=1))
    assert sash.DecayedSum().empty == 0.0
    assert result_at(sash.DecayedSum(half_life=1e-9), [(0, 1e300), (10**9, 1.0)]) == 1.0


# Rates


@given(in_order(reals))
def test_a_rate_is_what_came_after_the_first_event_by_the_time_since(events):
    """Events, or their values; None where no time has passed."""
    seconds = events[-1][0] - events[0][0]
    count, amount = len(events) - 1, math.fsum(value for _, value in events[1:])
    for of, expected in (("events", count), ("values", amount)):
        found = result_at(sash.Rate(of=of), events)
        assert found == (pytest.approx(expected / seconds, abs=1e-9) if seconds else None)


def test_a_steady_stream_has_its_rate():
    """One event a second is 1, and 5 every 2 seconds is 2.5."""
    assert result_at(sash.Rate(), [(clock(second), "x") for second in range(10)]) == 1.0
    assert result_at(sash.Rate(of="values"), [(clock(2 * i), 5) for i in range(10)]) == 2.5
    assert sash.Rate().empty is None


# Means over time


@given(in_order(reals))
def test_a_time_weighted_mean_is_the_area_by_the_time(events):
    """Each value holds until the next event."""
    seconds = events[-1][0] - events[0][0]
    area = math.fsum(a[1] * (b[0] - a[0]) for a, b in pairwise(events))
    expected = area / seconds if seconds else events[-1][1]
    assert result_at(sash.TimeWeightedMean(), events) == pytest.approx(expected, rel=1e-9, abs=1e-9)


def test_time_weighted_means_at_the_ends():
    """One value, equal times, infinities, far from zero, nothing."""
    over = sash.TimeWeightedMean()
    assert result(over, [7]) == 7.0
    assert result_at(over, [(3, math.inf), (3, 2)]) == 2.0
    assert result(over, [math.inf, 1, 1]) == math.inf
    assert result(over, [1e9, 1e9 + 1, 1e9 + 2, 0]) == pytest.approx(1e9 + 1, abs=1e-6)
    assert over.empty is None
