"""The programmable slide policy of the Monoid Tree paper, and the IStream of the Reactive Aggregator's."""

from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

import sash
from sash.operator import Sliding
from sash.windows import CountWindow, PolicyWindow, TimeWindow


class SumAndMax(sash.Aggregation):
    """The two aggregates of the running example, and the newest value: what a policy needs to judge the oldest."""

    identity = (0, None, None)

    def lift(self, value):
        return (value, value, value)

    def combine(self, older, newer):
        if None in (older[1], newer[1]):
            return newer if older[1] is None else older
        return (older[0] + newer[0], max(older[1], newer[1]), newer[2])

    def lower(self, partial):
        return partial


def above_ten(total, old):
    """The newest of the old ones, and everything after it, sum up to more than 10: so it leaves."""
    return total[0] - old[0] + old[2] > 10


def test_the_running_example():
    """[2, 2, 3, 3] and then 4: the two oldest leave, [3, 3, 4] stay, and the maximum goes from 3 to 4."""
    s = Sliding(SumAndMax(), PolicyWindow(above_ten))
    emitted = s.push_many([1, 2, 3, 4, 5], [2, 2, 3, 3, 4])
    assert [result.value[1] for result in emitted] == [2, 2, 3, 3, 4]
    assert (emitted[3].value[0], emitted[3].start) == (10, 1)
    assert (emitted[4].value[0], emitted[4].start) == (10, 3)


@given(st.lists(st.integers(0, 12), max_size=60))
def test_the_window_is_the_longest_that_sums_to_ten(values):
    """Event i is in the window if, and only if, the events from i on sum up to at most 10."""
    s = Sliding(SumAndMax(), PolicyWindow(above_ten))
    for end, value in enumerate(values):
        (result,) = s.push(end, value)
        inside = [values[i] for i in range(end + 1) if sum(values[i : end + 1]) <= 10]
        assert result.value[:2] == (sum(inside), max(inside, default=None))


@given(st.lists(st.integers(0, 40 * 60_000), max_size=60))
def test_the_last_hour_by_a_function(gaps):
    """Listing 1: evict while total.timestamp - old.timestamp >= 3_600_000 is a time window of an hour."""
    times = [sum(gaps[:end]) for end in range(1, len(gaps) + 1)]
    # Updates are timestamps aggregated by max, as in the paper; another aggregate runs beside it over the same window.
    listing = Sliding(sash.Collect(), PolicyWindow(lambda total, old: total - old >= 3_600_000, over=sash.Max()))
    for end, time in enumerate(times):
        (result,) = listing.push(end, time)
        assert list(result.value) == [other for other in times[: end + 1] if time - other < 3_600_000]


def test_the_listing_of_the_experiments():
    """Listing 3: evict while total.count - old.count >= maxSize is a window of maxSize events."""
    size = 8
    by_function = Sliding(sash.Concat(), PolicyWindow(lambda total, old: total - old >= size, over=sash.Count()))
    by_count = Sliding(sash.Concat(), CountWindow(size))
    for time in range(50):
        letter = chr(97 + time % 26)
        assert by_function.push(time, letter)[0].value == by_count.push(time, letter)[0].value


def test_a_policy_asks_few_times():
    """The longest run that leaves is found in O(log k) questions, also when thousands leave at once."""
    asked = []

    def last_ten(newest, old):
        asked.append(old)
        return newest - old >= 10

    s = Sliding(sash.Max(), PolicyWindow(last_ten))
    s.push_many(range(9), range(9))
    s.push_many([9] * 2000, [9] * 2000)
    asked.clear()
    (result,) = s.push(100, 100)
    assert (result.value, result.start) == (100, 100)
    assert len(asked) <= 2 * 12


@given(st.lists(st.tuples(st.integers(0, 3), st.integers(0, 5)), max_size=60))
def test_istream_tells_what_enters_the_relation(steps):
    """The Reactive Aggregator's output: a tuple whenever the relation of the result has a new one."""
    times = [sum(gap for gap, _ in steps[: end + 1]) for end in range(len(steps))]
    values = [(value, f"caller {number}") for number, (_, value) in enumerate(steps)]
    everything = Sliding(sash.ArgMax(), TimeWindow(4)).push_many(times, values)
    news = Sliding(sash.ArgMax(), TimeWindow(4), changes_only=True).push_many(times, values)
    relation = [None, *everything.values.tolist()]
    assert news.values.tolist() == [after for before, after in pairwise(relation) if before != after]


POLICIES = sorted(name for name, algorithm in sash.algorithms.ALGORITHMS.items() if algorithm.policies)
READINGS = st.lists(st.integers(0, 9), min_size=1, max_size=80)


@pytest.mark.parametrize("algorithm", POLICIES)
@given(READINGS)
def test_experiment_three_the_maximum_and_what_follows_it(algorithm, readings):
    """Of the latest events, those before the maximum leave in bulk; no later maximum is among them."""
    size = 16
    window = sash.Window(sash.Max(), algorithm=algorithm)
    for now, reading in enumerate(readings):
        window.insert(now, reading)
        window.bulk_evict(now - size)
        window.evict_while(lambda total, old: old < total)
        latest = readings[max(0, now + 1 - size) : now + 1]
        assert window.query() == max(latest)
        assert len(window) == len(latest) - latest.index(max(latest))


@pytest.mark.parametrize("algorithm", POLICIES)
@given(READINGS)
def test_experiment_three_the_longest_rise_and_what_follows_it(algorithm, readings):
    """Of the latest events, those before the longest increasing run leave in bulk; no later result needs them."""
    size = 16
    rise = sash.LongestIncreasingRun()
    window = sash.Window(sash.Composite(run=rise, events=sash.Count()), algorithm=algorithm)
    plain = sash.Window(rise, algorithm="recalc")
    for now, reading in enumerate(readings):
        for one in (window, plain):
            one.insert(now, reading)
            one.bulk_evict(now - size)
        first = window.oldest
        window.evict_while(lambda total, old, first=first: first + old["events"] <= total["run"].start)
        run = plain.query()
        assert window.query()["run"] == run
        assert window.oldest == run.start
