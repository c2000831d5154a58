"""Bulk calls with an aggregation in Python: as cheap as with a native one, and undone where a combine raises."""

import math
import sys

import pytest

import sash
from sash.windows import TimeWindow


class RefusedError(Exception):
    """What a combine raises that is told to."""


class Joined(sash.Aggregation):
    """All texts in order, in lists of their own; counts its combines, and refuses one of them."""

    identity = ()

    def __init__(self):
        self.combines = 0
        self.left = math.inf
        self.watch = lambda: None

    def lift(self, value):
        return [value]

    def combine(self, older, newer):
        self.combines += 1
        self.watch()
        if self.combines > self.left:
            raise RefusedError
        return [*older, *newer]

    def lower(self, partial):
        return "".join(partial)

    def refuse(self, after):
        """From the next combine on, so many are left."""
        self.combines, self.left = 0, after


def window_of(n, **options):
    """Events at the even times below 2 n."""
    joined = Joined()
    window = sash.Window(joined, **options)
    window.bulk_insert(range(0, 2 * n, 2), [chr(97 + i % 26) for i in range(n)])
    return window, joined


def remembering():
    """The aggregation, and the list of partials that it lifts."""
    joined, kept = Joined(), []
    lift = joined.lift

    def remembered(value):
        kept.append(lift(value))
        return kept[-1]

    joined.lift = remembered
    return joined, kept


def late_batch(n, m, distance):
    """m events, evenly over the last `distance` entries."""
    first = 2 * (n - distance)
    return [first + 2 * (i * distance // m) + 1 for i in range(m)], ["Z"] * m


@pytest.mark.parametrize("n", [1_000, 20_000])
@pytest.mark.parametrize(("m", "distance"), [(2, 64), (2, 500), (64, 64), (64, 1_000), (500, 1_000)])
def test_a_late_batch_costs_m_log_of_d_over_m(n, m, distance):
    """However large the window is: it is not copied, and the way to the batch's places is shared."""
    window, joined = window_of(n)
    joined.combines = 0
    window.bulk_insert(*late_batch(n, m, distance))
    assert joined.combines <= 60 + m * (24 + 8 * math.log2(max(2, distance / m)))
    window.check_invariants()


def test_a_batch_behind_the_window_costs_about_one_combine_an_event():
    """In order, a batch fills leaf after leaf."""
    window, joined = window_of(1_000)
    joined.combines = 0
    window.bulk_insert(range(2_000, 2_500), ["x"] * 500)
    assert joined.combines <= 2 * 500


def test_a_batch_holds_no_entry_twice():
    """While the window takes a batch in, only nodes on its way are kept for the case that it fails."""
    joined, kept = remembering()
    window = sash.Window(joined)
    window.bulk_insert(range(0, 10_000, 2), ["a"] * 5_000)
    alone = min(sys.getrefcount(one) for one in kept)
    twice = []
    joined.watch = lambda: twice.append(sum(sys.getrefcount(one) > alone for one in kept))
    window.bulk_insert([9_001, 9_003], ["b", "c"])
    assert 0 < max(twice) <= 100


@pytest.mark.parametrize("m", [2, 9, 40])
@pytest.mark.parametrize("distance", [10, 200])
def test_a_combine_that_raises_leaves_the_window_as_it_was(m, distance):
    """At whichever combine it raises: entries and aggregates are put back, and no combine is called for it."""
    window, joined = window_of(200)
    before, whole = list(window.items()), window.query()
    for left in range(10_000):
        joined.refuse(left)
        times, values = late_batch(200, m, distance)
        try:
            window.bulk_insert([*times, 500, 0], [*values, "y", "z"])
        except RefusedError:
            joined.refuse(2)
            assert window.query() == whole
            joined.refuse(math.inf)
            window.check_invariants()
        else:
            break
        assert list(window.items()) == before
    joined.refuse(math.inf)
    assert left > m
    assert len(window) > 200
    window.check_invariants()
    assert window.query() == "".join(value for _, value in window.items())


def sliding_with(n):
    """An operator whose window has n events, and the partials that it made."""
    joined, kept = remembering()
    operator = sash.Sliding(joined, TimeWindow(n), trigger=sash.OnDemand(), lateness=0)
    operator.push_many(range(n), ["a"] * n)
    return operator, joined, kept


def test_an_eviction_in_bulk_copies_a_logarithm_of_what_goes():
    """One event that makes thousands leave: they are held where they are until the call has gone well."""
    n = 4_096
    operator, joined, kept = sliding_with(n)
    alone = min(sys.getrefcount(one) for one in kept)
    copied = []
    joined.watch = lambda: copied.append(sum(sys.getrefcount(one) > alone for one in kept))
    operator.push_many([n + n // 2, n + n // 2 + 1, n + n // 2 + 1], ["b", "c", "d"])
    assert copied
    assert max(copied) <= 100


@pytest.mark.parametrize("n", [5, 40, 700])
def test_an_eviction_in_bulk_is_undone(n):
    """A call that evicts most of the window and then fails has evicted nothing."""
    operator, joined, _ = sliding_with(n)
    twin, _, _ = sliding_with(n)
    for left in range(100):
        joined.refuse(left)
        try:
            operator.push_many([n + n // 3, n + 2 * n // 3, n + 2 * n // 3, 2 * n - 2], ["b", "c", "d", "e"])
        except RefusedError:
            joined.refuse(math.inf)
            assert [r.value for r in operator.query()] == [r.value for r in twin.query()]
        else:
            break
    assert left > 0
    joined.refuse(math.inf)
    twin.push_many([n + n // 3, n + 2 * n // 3, n + 2 * n // 3, 2 * n - 2], ["b", "c", "d", "e"])
    assert [r.value for r in operator.query()] == [r.value for r in twin.query()]


@pytest.mark.parametrize("late", [False, True])
def test_any_range_costs_a_logarithm_of_its_entries(late):
    """At most 3 log2 of the entries between its ends, and 40 combines."""
    n = 4_096
    joined = Joined()
    window = sash.Window(joined)
    order = [i * 1_237 % n for i in range(n)] if late else range(n)
    for time in order:
        window.insert(time, "a")
    for seed in range(600):
        low, high = sorted((seed * 7_919 % n, (seed * 104_729 + 11) % n))
        joined.combines = 0
        assert len(window.query(low, high)) == high - low + 1
        assert joined.combines <= 3 * math.log2(high - low + 1) + 40
    window.check_invariants()


@pytest.mark.parametrize("lateness", [0, 7])
@pytest.mark.parametrize("emit", ["arrival", "final"])
def test_windows_that_share_a_tree_cost_a_few_combines_each(lateness, emit):
    """As they slide on, whatever their lengths; and each result is that of the events between its ends."""
    joined = Joined()
    lengths = [1_000, 700, 130, 40]
    operator = sash.Sliding(joined, [TimeWindow(length) for length in lengths], lateness=lateness, emit=emit)
    texts = [chr(97 + i % 26) for i in range(2_400)]
    operator.push_many(range(2_000), texts[:2_000])
    joined.combines = 0
    results = operator.push_many(range(2_000, 2_400), texts[2_000:])
    assert joined.combines / (400 * len(lengths)) <= 10
    for result in results:
        assert result.value == "".join(texts[result.start + 1 : result.end + 1])
