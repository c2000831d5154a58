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


def ranges(count, size):
    """Pairs of places, some near each other and some far apart."""
    draw = random.Random(5)
    for _ in range(count):
        first = draw.randrange(size)
        yield first, min(size - 1, first + draw.randrange(2 << draw.randrange(size.bit_length())))


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


def shaken(aggregation):
    """A window that much has happened to: late events, some of them at one place, evictions, bulks; and its times."""
    draw = random.Random(3)
    window = sash.Window(aggregation)
    window.bulk_insert(range(0, 2 * SIZE, 2), [1.0] * SIZE)
    for _ in range(2000):
        window.insert(draw.randrange(2 * SIZE), 1.0)
    for time in range(SIZE, SIZE + 100):
        window.insert(time, 1.0)
    for _ in range(2000):
        window.evict(draw.randrange(2 * SIZE))
    window.bulk_insert([draw.randrange(2 * SIZE) for _ in range(1000)], [1.0] * 1000)
    window.bulk_evict(SIZE // 8)
    return window, [time for time, _ in window.items()]


@pytest.mark.parametrize("python", [False, True])
def test_any_range_right_after_a_late_event_takes_three_logarithms_and_forty(aggregation, python):
    """Nodes keep the aggregates of groups of neighbours, and no range has to have come before."""
    window, times = shaken(First() if python else aggregation)
    for first, last in ranges(500, len(times)):
        window.insert(times[(first + last) // 2], 1.0)
        taken = combines_of(lambda first=first, last=last: window.query(times[first], times[last]))
        assert taken <= 3 * math.log2(last - first + 1) + 40


@pytest.mark.parametrize("python", [False, True])
def test_windows_that_share_one_tree_take_a_few_combines_each(aggregation, python):
    """Three ranges that slide over one window, in order: at most 8 an event for each of them, whatever its length."""
    size, rounds = 4096, 1000
    window = sash.Window(First() if python else aggregation)
    window.bulk_insert(range(size), [1.0] * size)
    taken = 0
    for time in range(size, size + rounds):
        window.evict()
        window.insert(time, 1.0)
        for length in (size // 8, size // 2, 3 * size // 4):
            taken += combines_of(lambda time=time, length=length: window.query(time - length, time))
    assert taken <= 8 * 3 * rounds


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
    """O(1) is at most 4 combines, O(log n) at most 8 log2(n)."""
    n = 512
    bounds = {"O(1)": 4, "O(log n)": 8 * math.log2(n), "O(n)": math.inf}
    declared = ALGORITHMS[algorithm].worst
    for operation, most in worst_of(sash.Window(aggregation, algorithm=algorithm), n).items():
        assert most <= bounds[getattr(declared, operation)], operation


@pytest.mark.parametrize("algorithm", ["daba", "daba_lite"])
def test_the_papers_counts_hold_for_a_compiled_aggregation(aggregation, algorithm):
    """At most 3 combines an insert, 2 an eviction, 1 a query: its methods cannot raise, so nothing is asked first."""
    worst = worst_of(sash.Window(aggregation, algorithm=algorithm), 512)
    assert worst["insert"] <= 3
    assert worst["evict"] <= 2
    assert worst["query"] <= 1


class Bounded(Digest):
    """Refuses a large value when it is combined with older ones."""

    def combine(self, older, newer):
        if newer[1] == 31.0 and newer[0] > 60000.0:
            raise ValueError
        return (counted(older[0]) * newer[1] + newer[0]) % 65521.0, older[1] * newer[1] % 65521.0


def test_a_method_that_may_raise_is_asked_before_an_insert():
    """A query and a combine more than the algorithm's own, and the window stays as it was."""
    window = sash.Window(sash.compiled(Bounded()), algorithm="daba")
    for time in range(64):
        assert combines_of(lambda time=time: window.insert(time, 1.0)) <= 3 + 2
    before = window.query()
    with pytest.raises(sash.AggregationError):
        window.insert(64, 65000.0)
    assert (len(window), window.query()) == (64, before)


@pytest.mark.parametrize("times", [[101, 301], range(1, 800, 2)])
def test_a_batch_that_raises_leaves_the_window_as_it_was(times):
    """The entries are as they were, and the total is put back: a query takes no more combines than before."""
    window = sash.Window(sash.compiled(Bounded()))
    window.bulk_insert(range(0, 2048, 2), [1.0] * 1024)
    before, whole = list(window.items()), window.query()
    with pytest.raises(sash.AggregationError):
        window.bulk_insert(times, [*[2.0] * (len(times) - 1), 65000.0])
    assert list(window.items()) == before
    assert combines_of(lambda: window.query()) <= 3
    assert window.query() == whole


def test_a_bulk_eviction_of_an_operator_takes_the_logarithm_of_what_goes(aggregation):
    """One event that makes half of the window leave."""
    operator = sash.Sliding(aggregation, sash.TimeWindow(SIZE), trigger=sash.OnDemand(), lateness=0)
    operator.push_many(range(SIZE), [1.0] * SIZE)
    operator.query()
    taken = combines_of(lambda: (operator.push(SIZE + SIZE // 2, 1.0), operator.query()))
    assert taken <= 80 + 16 * math.log2(SIZE)


@pytest.mark.parametrize("algorithm", ["two_stacks", "aba", "daba"])
def test_a_second_query_is_free(aggregation, algorithm):
    """The result is kept until the window changes."""
    window = sash.Window(aggregation, algorithm=algorithm)
    for time in range(100):
        window.insert(time, 1.0)
        if time % 3:
            window.evict()
        window.query()
        assert combines_of(window.query) == 0


def test_evictions_of_flatfat_wait_for_a_query(aggregation):
    """m of them are paid for together: 16 all over 1,024 entries take at most m (1 + log2(n / m)) combines."""
    window = sash.Window(aggregation, algorithm="flatfat")
    window.bulk_insert(range(1024), [1.0] * 1024)
    window.query()
    assert combines_of(lambda: [window.evict(time) for time in range(32, 1024, 64)]) == 0
    assert combines_of(window.query) <= 16 * (1 + 6)


@pytest.mark.parametrize("algorithm", ["amta", "log_mta", "two_stacks_lite", "aba", "daba"])
@pytest.mark.parametrize("native", [False, True])
def test_an_eviction_frees_as_much_for_many_events_as_for_few(aggregation, algorithm, native):
    """Two chunks of each level at most go back to the allocator at once; the calls after it free the others."""
    window = sash.Window(sash.Max() if native else aggregation, algorithm=algorithm)
    for time in range(SIZE):
        window.insert(time, 1.0)
    held = window.memory()
    most = held // 6
    window.bulk_evict(SIZE - 2)
    assert held - window.memory() <= most
    for time in range(SIZE, 2 * SIZE):
        before = window.memory()
        window.insert(time, 1.0)
        window.evict()
        assert before - window.memory() <= most
    assert window.memory() <= held // 2
