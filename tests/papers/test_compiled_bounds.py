"""What the papers promise of FiBA, counted for a compiled aggregation: its machine code calls back at each combine."""

import copy
import ctypes
import math
import random

import pytest

import sash
from sash.algorithms import ALGORITHMS

pytest.importorskip("numba")

COMBINES = 0


def _count(number: float) -> float:
    global COMBINES
    COMBINES += 1
    return number


#: Gives its number back, and counts.
counted = ctypes.CFUNCTYPE(ctypes.c_double, ctypes.c_double)(_count)


class Digest(sash.Aggregation):
    """The sequence of the values as one number: it differs with their order, and nothing can be taken out of it."""

    identity = (0.0, 1.0)

    def lift(self, value):
        return value % 65521.0, 31.0

    def combine(self, older, newer):
        return (counted(older[0]) * newer[1] + newer[0]) % 65521.0, older[1] * newer[1] % 65521.0

    def lower(self, partial):
        return partial[0]


SIZE = 1 << 14


@pytest.fixture(scope="module")
def aggregation():
    """Compiled once."""
    return sash.compiled(Digest())


@pytest.fixture
def window(aggregation):
    """Even times, so that a late event has a place of its own."""
    window = sash.Window(aggregation)
    window.bulk_insert(range(0, 2 * SIZE, 2), [float(number % 97) for number in range(SIZE)])
    return window


def combines_of(call):
    """How many combines a call takes."""
    before = COMBINES
    call()
    return COMBINES - before


def test_a_round_in_order_takes_few(window):
    """Evict, insert and query: amortized O(1)."""

    def rounds():
        for time in range(2 * SIZE, 2 * SIZE + 2000, 2):
            window.evict()
            window.insert(time, 1.0)
            window.query()

    assert combines_of(rounds) <= 8 * 1000


@pytest.mark.parametrize("distance", [16, 256, 4096])
def test_a_late_event_takes_the_logarithm_of_its_distance(window, distance):
    """Nodes up to the spine and the spine below, each folded once."""
    late = combines_of(lambda: window.insert(2 * (SIZE - distance) + 1, 5.0))
    assert late <= 64 + 20 * math.log2(distance)


def test_a_bulk_in_order_takes_a_few_an_event(aggregation):
    """Leaf after leaf is filled."""
    window = sash.Window(aggregation)
    assert combines_of(lambda: window.bulk_insert(range(SIZE), [1.0] * SIZE)) <= 3 * SIZE


def test_a_small_bulk_does_not_depend_on_the_window(window):
    """Two events beside each other cost a path, not a copy of the window."""
    assert combines_of(lambda: window.bulk_insert([SIZE + 1, SIZE + 3], [1.0, 2.0])) <= 400


@pytest.mark.parametrize("gone", [8, 512, SIZE // 2])
def test_a_bulk_eviction_takes_the_logarithm_of_what_goes(window, gone):
    """Whole subtrees go as they are; only the new left spine is folded."""
    assert combines_of(lambda: window.bulk_evict(2 * gone)) <= 80 + 16 * math.log2(gone)


def ranges(count):
    draw = random.Random(5)
    for _ in range(count):
        yield sorted(draw.sample(range(SIZE), 2))


def test_a_range_takes_three_logarithms_and_two_leaves(window):
    """The leaves that its ends cut are folded, the nodes between are not."""
    for first, last in ranges(200):
        taken = combines_of(lambda first=first, last=last: window.query(2 * first, 2 * last))
        assert taken <= 3 * math.log2(last - first + 1) + 124


def test_a_range_over_leaves_that_were_cut_before_takes_three_logarithms_and_forty(window):
    """A leaf keeps what a range has folded of it: the aggregates of its groups."""
    for first in range(0, SIZE, 16):
        window.query(2 * first, 2 * first + SIZE)
    for first, last in ranges(1000):
        taken = combines_of(lambda first=first, last=last: window.query(2 * first, 2 * last))
        assert taken <= 3 * math.log2(last - first + 1) + 40


class First(sash.Aggregation):
    """The oldest value, by combines in Python, which are counted."""

    def lift(self, value):
        return (value,)

    identity = ()

    def combine(self, older, newer):
        _count(0.0)
        return older or newer

    def lower(self, partial):
        return partial[0] if partial else None


def test_any_range_over_an_aggregation_in_python_takes_three_logarithms_and_forty():
    """Its leaves are narrow, so that no range needs to have come before."""
    window = sash.Window(First())
    window.bulk_insert(range(0, 2 * SIZE, 2), range(SIZE))
    for first, last in ranges(300):
        taken = combines_of(lambda first=first, last=last: window.query(2 * first, 2 * last))
        assert taken <= 3 * math.log2(last - first + 1) + 40
        assert window.query(2 * first, 2 * last) == first


def test_a_scattered_batch_costs_an_event_the_leaf_and_the_nodes_above_it(window):
    """A batch is sorted and inserted by one pass: each node is folded once, however many events go below it."""
    times = [2 * (i * 7919 % 1024) * (SIZE // 1024) + 1 for i in range(1024)]
    one_by_one = copy.copy(window)
    batch = combines_of(lambda: window.bulk_insert(times, [1.0] * 1024))
    single = combines_of(lambda: [one_by_one.insert(time, 1.0) for time in times])
    assert batch <= single / 2
    assert window.query() == one_by_one.query()


def worst_of(window, n):
    """The most combines that one call of each operation takes, while the window fills, slides and goes by halves."""
    worst = dict.fromkeys(("insert", "evict", "query", "bulk_evict"), 0)

    def run(operation, *arguments):
        taken = combines_of(lambda: getattr(window, operation)(*arguments))
        worst[operation] = max(worst[operation], taken)

    for time in range(4 * n):
        if len(window) == n:
            run("evict")
        run("insert", time, 1.0)
        if time % 3:
            run("query")
        if time % (n + n // 3) == n:
            run("bulk_evict", (window.oldest + window.youngest) // 2)
    return worst


@pytest.mark.parametrize("algorithm", sorted(set(ALGORITHMS) - {"subtract_on_evict"}))
def test_no_single_call_takes_more_than_is_declared(aggregation, algorithm):
    """O(1) is at most 4 combines, O(log n) at most 8 log2(n); an insert asks first whether the total would fail."""
    n = 512
    bounds = {"O(1)": 4, "O(log n)": 8 * math.log2(n), "O(n)": math.inf}
    declared = ALGORITHMS[algorithm].worst
    for operation, most in worst_of(sash.Window(aggregation, algorithm=algorithm), n).items():
        asked = bounds[declared.query] + 1 if operation == "insert" else 0
        assert most <= bounds[getattr(declared, operation)] + asked, operation


def test_evictions_of_flatfat_wait_for_a_query(aggregation):
    """m of them are paid for together: 16 all over 1,024 entries take at most m (1 + log2(n / m)) combines."""
    window = sash.Window(aggregation, algorithm="flatfat")
    window.bulk_insert(range(1024), [1.0] * 1024)
    window.query()
    assert combines_of(lambda: [window.evict(time) for time in range(32, 1024, 64)]) == 0
    assert combines_of(window.query) <= 16 * (1 + 6)
