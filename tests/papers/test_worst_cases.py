"""What the papers promise of a single call, counted: `sash.algorithms` declares it, and these runs hold it to that.

The aggregation is one that a user writes. It is not commutative, and its combine sees that it is called in the order of
time: whatever is older ends before whatever is newer begins.
"""

import math
import random
import weakref

import pytest

import sash
from sash.algorithms import ALGORITHMS

IN_ONE_PASS = sorted(set(ALGORITHMS) - {"subtract_on_evict"})


class Stretch(sash.Aggregation):
    """The first and the last of successive numbers; counts its combines, and refuses those out of order."""

    identity = None

    def __init__(self):
        self.combines = 0

    def lift(self, value):
        return (value, value)

    def combine(self, older, newer):
        if older is None or newer is None:
            return newer if older is None else older
        self.combines += 1
        assert older[1] < newer[0], "combined out of order"
        return (older[0], newer[1])

    def lower(self, partial):
        return partial


class Meter:
    """A window, and the most combines that one call of each operation has taken."""

    def __init__(self, algorithm):
        self.aggregation = Stretch()
        self.window = sash.Window(self.aggregation, algorithm=algorithm)
        self.worst = dict.fromkeys(("insert", "evict", "query", "bulk_evict"), 0)
        self.next = 0

    def run(self, operation, *arguments):
        before = self.aggregation.combines
        getattr(self.window, operation)(*arguments)
        self.worst[operation] = max(self.worst[operation], self.aggregation.combines - before)

    def insert(self):
        self.run("insert", self.next, self.next)
        self.next += 1

    def story(self, n, seed=3):
        """Fills, slides, drains and saws; asks now and then; lets half of the window go at once, again and again."""
        rng = random.Random(seed)
        for _ in range(n):
            self.insert()
        self.run("query")
        for step in range(2 * n):
            self.run("evict")
            self.insert()
            if step % 3:
                self.run("query")
        for cut in (2, 3, 16):
            oldest, youngest = self.window.oldest, self.window.youngest
            self.run("bulk_evict", youngest - (youngest - oldest) // cut)
            self.run("query")
            while len(self.window) < n:
                self.insert()
        while len(self.window) > 1:
            self.run("evict")
            if rng.random() < 0.3:
                self.insert()
            self.run("query")
        assert self.window.query() == (self.window.oldest, self.window.youngest)


@pytest.mark.parametrize("algorithm", IN_ONE_PASS)
def test_no_single_call_takes_more_than_is_declared(algorithm):
    """O(1) is at most 4 combines, O(log n) at most 8 log2(n); and what is declared O(n) does reach it."""
    n = 2048
    meter = Meter(algorithm)
    meter.story(n)
    bounds = {"O(1)": 4, "O(log n)": 8 * math.log2(n), "O(n)": math.inf}
    for operation, most in meter.worst.items():
        declared = getattr(ALGORITHMS[algorithm].worst, operation)
        assert most <= bounds[declared], f"{operation} is declared {declared}"
        if declared == "O(n)":
            assert most > bounds["O(log n)"], f"{operation} is better than declared"


def test_subtraction_takes_one_inverse_an_event():
    """subtract_on_evict, whose inverse the others do not have: one call a single operation, O(m) a bulk."""
    calls = []

    def count(result):
        calls.append(1)
        return result

    add = sash.aggregation(
        combine=lambda a, b: count(a + b), identity=0, inverse=lambda whole, older: count(whole - older)
    )
    window = sash.Window(add, algorithm="subtract_on_evict")
    window.bulk_insert(range(1000), [1] * 1000)
    for call, most in ((lambda: window.insert(1000, 1), 1), (window.evict, 1), (window.query, 0)):
        calls.clear()
        call()
        assert len(calls) <= most
    calls.clear()
    window.bulk_evict(300)
    assert 290 <= len(calls) <= 310


def test_the_default_for_worst_cases_evicts_in_bulk_in_a_few_combines():
    """btree once stood here, and took 70 combines for each event of a bulk."""
    meter = Meter(sash.Window(sash.Max(), worst_case=True).algorithm)
    for _ in range(8192):
        meter.insert()
    meter.run("bulk_evict", 8190)
    assert meter.worst["bulk_evict"] <= 8 * 13


@pytest.mark.parametrize("algorithm", ["two_stacks", "aba", "daba"])
def test_a_second_query_is_free(algorithm):
    """The result is kept until the window changes."""
    meter = Meter(algorithm)
    for time in range(100):
        meter.insert()
        if time % 3:
            meter.run("evict")
        meter.window.query()
        meter.run("query")
    assert meter.worst["query"] == 0


@pytest.mark.parametrize("algorithm", ["flatfat", "flatfat_fifo"])
def test_changes_wait_for_a_query(algorithm):
    """The Reactive Aggregator's batches: m changes are paid for together, by the query that asks."""
    meter = Meter(algorithm)
    for _ in range(1024):
        meter.insert()
    assert meter.worst["insert"] == 0
    meter.run("query")
    assert meter.worst["query"] == 1023
    meter.worst["query"] = 0
    for _ in range(16):
        meter.run("evict")
    meter.run("query")
    assert meter.worst["evict"] == 0
    assert meter.worst["query"] <= 16 * (1 + 6)


def test_scattered_evictions_share_their_ancestors():
    """64 evictions all over a window of 4,096: at most m (1 + log2(n / m)) combines, 7 each."""
    meter = Meter("flatfat")
    for _ in range(4096):
        meter.insert()
    meter.run("query")
    for time in range(32, 4096, 64):
        assert meter.window.evict(time)
    meter.worst["query"] = 0
    meter.run("query")
    assert meter.worst["query"] <= 64 * (1 + 6)


class Tracked:
    """A partial that can be watched."""

    __slots__ = ("__weakref__",)


class Watched(sash.Aggregation):
    """Objects, so that what an eviction frees can be counted."""

    identity = Tracked()

    def lift(self, value):
        return value

    def combine(self, older, newer):
        return newer

    def lower(self, partial):
        return None


@pytest.mark.parametrize("algorithm", ["amta", "log_mta", "two_stacks_lite", "aba", "daba"])
def test_an_eviction_frees_as_much_for_many_events_as_for_few(algorithm):
    """What a bulk eviction drops is freed by the calls after it, a piece at a time; shrink_to_fit frees it at once."""
    gone = []
    window = sash.Window(Watched(), algorithm=algorithm)
    watches = []
    for time in range(20_000):
        partial = Tracked()
        watches.append(weakref.ref(partial, gone.append))
        window.insert(time, partial)
        del partial
    window.query()
    gone.clear()
    window.bulk_evict(19_998)
    assert len(gone) <= 1200
    worst = 0
    for time in range(20_000, 40_000):
        before = len(gone)
        window.insert(time, Tracked())
        window.evict()
        worst = max(worst, len(gone) - before)
    assert worst <= 1200
    assert len(gone) >= 18_000
    window.bulk_evict(50_000)
    window.shrink_to_fit()
    assert len(gone) >= 19_999  # a cached result may outlive its window
