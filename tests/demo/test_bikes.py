"""The synthetic stream has the disorder and the bursts that it promises."""

import bisect

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from sash.demo import bikes
from sash.report.disorder import overtaken

DAY = np.timedelta64(1, "D")


@pytest.fixture(scope="module", params=[1, 2])
def stream(request: pytest.FixtureRequest) -> bikes.Trips:
    """A stream of the size that the demo has."""
    return bikes.trips(200_000, seed=request.param)


def distances(times: list[int]) -> list[int]:
    """How many earlier ones are greater, for each: looked up in a sorted list of all that came before."""
    seen: list[int] = []
    found = []
    for time in times:
        place = bisect.bisect_right(seen, time)
        found.append(len(seen) - place)
        seen.insert(place, time)
    return found


@given(st.lists(st.integers(0, 20), max_size=70))
def test_overtaken_counts_who_came_earlier_and_ended_later(times: list[int]) -> None:
    """The merge sort counts what looking at every pair counts; equal times do not overtake each other."""
    pairs = [sum(earlier > time for earlier in times[:place]) for place, time in enumerate(times)]
    assert overtaken(np.array(times, np.int64)).tolist() == pairs


def test_the_disorder_is_that_of_the_papers(stream: bikes.Trips) -> None:
    """The mean of d is 56.47, 99% have d <= 9, and one in ten thousand has d >= 150,000."""
    d = np.array(distances(stream.ended.astype(np.int64).tolist()))
    assert d.mean() == pytest.approx(56.47, rel=0.03)
    assert np.quantile(d, 0.99, method="higher") <= 9
    assert np.mean(d >= 150_000) == pytest.approx(1e-4, rel=0.1)
    assert 0.2 < np.mean(d > 0) < 0.4


def evicted_at_once(stream: bikes.Trips, length: np.timedelta64) -> np.ndarray:
    """How many trips leave a window of the length when a trip arrives."""
    newest = np.maximum.accumulate(stream.ended)
    left = np.searchsorted(np.sort(stream.ended), newest - length, side="right")
    return np.diff(left)


@pytest.mark.parametrize("length", [np.timedelta64(1, "h"), DAY])
def test_some_trips_push_out_thousands(stream: bikes.Trips, length: np.timedelta64) -> None:
    """Most trips push out one other or none; after a storm one trip pushes out thousands."""
    pushed = evicted_at_once(stream, length)
    assert np.median(pushed) <= 1
    assert pushed.max() > 1_000


def test_hours_are_unequal(stream: bikes.Trips) -> None:
    """The busiest hour has many times the trips of a quiet one, and in some hours nobody rides."""
    hours = np.bincount((stream.ended - bikes.FIRST_DAY).astype("timedelta64[h]").astype(int), minlength=96)
    assert len(hours) == 96
    assert hours.max() > 20 * np.quantile(hours, 0.1)
    assert hours.min() == 0


def test_a_seed_is_a_stream() -> None:
    """The same seed gives the same trips, another one others."""
    one, same, other = (bikes.trips(3_000, seed) for seed in (5, 5, 6))
    for name in ("trip", "ended", "station", "bike", "seconds"):
        assert (getattr(one, name) == getattr(same, name)).all()
    assert (one.ended != other.ended).any()


@pytest.mark.parametrize("count", [1, 10, 500, 5_000])
def test_short_streams(count: int) -> None:
    """A stream of any length has its trips, within four days, and only trips of the kind."""
    stream = bikes.trips(count, seed=3)
    assert stream.trip.tolist() == list(range(count))
    assert (stream.ended >= bikes.FIRST_DAY).all()
    assert (stream.ended < bikes.FIRST_DAY + 4 * DAY).all()
    assert set(stream.station) <= set(bikes.STATIONS)
    assert stream.seconds.min() >= 60


def test_late_trips_come_in_runs(stream: bikes.Trips) -> None:
    """What comes very late comes from few stations, many trips at once: docks that were offline."""
    late = overtaken(stream.ended.astype(np.int64)) > 100
    stations, counts = np.unique(stream.station[late], return_counts=True)
    assert len(stations) < len(bikes.STATIONS) / 3
    assert counts.max() > 30
