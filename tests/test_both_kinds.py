"""Ints and floats in one window: a result, and the bytes of a snapshot, are those of the numbers that are there now."""

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

import sash
from sash.algorithms import ALGORITHMS

WITHOUT_INVERSE = [name for name, algorithm in ALGORITHMS.items() if not algorithm.needs_inverse]
#: What each gives by the definition of Python's own numbers.
BY_HAND = {
    "Sum": (sash.Sum(), sum),
    "Product": (sash.Product(), math.prod),
    "Min": (sash.Min(), min),
    "Max": (sash.Max(), max),
    "Range": (sash.Range(), lambda values: max(values) - min(values)),
    "Delta": (sash.Delta(), lambda values: values[-1] - values[0]),
}
OTHERS = [sash.MinCount(), sash.MaxCount(), sash.M4(), sash.LongestIncreasingRun()]
NUMBERS = [aggregation for aggregation, _ in BY_HAND.values()] + OTHERS
few = st.integers(-4, 4) | st.sampled_from([-0.5, 0.5, 2.0, -0.0])


def filled(aggregation, events, algorithm="fiba"):
    window = sash.Window(aggregation, algorithm=algorithm)
    for time, value in events:
        window.insert(time, value)
    return window


def as_floats(values):
    """One float makes the result a float."""
    return [float(value) for value in values] if any(isinstance(value, float) for value in values) else values


@pytest.mark.parametrize("algorithm", WITHOUT_INVERSE)
@pytest.mark.parametrize("aggregation", NUMBERS, ids=repr)
def test_a_float_that_has_left_leaves_no_trace(aggregation, algorithm):
    """The window is, byte for byte, the one that never held it."""
    ints = [(2, 3), (3, 7), (4, 1)]
    window = filled(aggregation, [(1, 0.5), *ints], algorithm)
    window.evict()
    fresh = filled(aggregation, ints, algorithm)
    assert (repr(window.query()), window.snapshot()) == (repr(fresh.query()), fresh.snapshot())
    window.check_invariants()


@pytest.mark.parametrize("aggregation", NUMBERS, ids=repr)
def test_neither_do_ints(aggregation):
    """What is left of ints and floats are floats."""
    window = filled(aggregation, [(1, 4), (2, 0.5), (3, 1.5)])
    window.evict(1)
    fresh = filled(aggregation, [(2, 0.5), (3, 1.5)])
    assert (repr(window.query()), window.snapshot()) == (repr(fresh.query()), fresh.snapshot())


def test_a_float_among_the_keys_of_pairs():
    for aggregation in (sash.ArgMax(), sash.ArgMin()):
        window = filled(aggregation, [(1, (0.5, 10)), (2, (3, 20)), (3, (1, 30))])
        window.evict(1)
        fresh = filled(aggregation, [(2, (3, 20)), (3, (1, 30))])
        assert (window.query(), window.snapshot()) == (fresh.query(), fresh.snapshot())


@pytest.mark.parametrize("name", BY_HAND)
@given(events=st.lists(st.tuples(st.integers(0, 12), few), max_size=16), start=st.integers(0, 12))
def test_results_are_of_the_kind_of_what_is_there(name, events, start):
    """Floats while there is a float, in the whole and in each part; ints otherwise."""
    aggregation, by_hand = BY_HAND[name]
    window = filled(aggregation, events)
    values = [value for _, value in sorted(events, key=lambda event: event[0])]
    later = [value for time, value in sorted(events, key=lambda event: event[0]) if time >= start]
    for result, held in [(window.query(), values), (window.query(start, None), later)]:
        if held:
            expected = by_hand(as_floats(held))
            assert (result, type(result)) == (pytest.approx(expected), type(expected))
    if values:
        assert sash.Window.restore(window.snapshot()).snapshot() == window.snapshot()


@pytest.mark.parametrize("aggregation", NUMBERS, ids=repr)
@given(events=st.lists(st.tuples(st.integers(0, 12), few), max_size=16), dropped=st.sets(st.integers(0, 12)))
def test_equal_contents_give_equal_bytes(aggregation, events, dropped):
    """Whatever has left, and in whatever order kinds came."""
    window = filled(aggregation, events)
    for time in dropped:
        window.evict(time)
    fresh = filled(aggregation, sorted(((t, v) for t, v in events if t not in dropped), key=lambda event: event[0]))
    assert window.snapshot() == fresh.snapshot()


def test_ints_are_summed_exactly_beside_floats():
    """No int is rounded on behalf of a float that is gone."""
    window = filled(sash.Sum(), [(1, 2**53), (2, 1), (3, 0.5)])
    window.evict(3)
    assert window.query() == 2**53 + 1


def test_nothing_is_left_of_floats_that_were_subtracted():
    """0.1 + 0.2 - 0.2 - 0.1 is not 0 in floats."""
    window = filled(sash.Sum(), [(1, 0.1), (2, 0.2), (3, 5)], "subtract_on_evict")
    window.evict()
    window.evict()
    assert (window.query(), type(window.query())) == (5, int)
    assert window.snapshot() == filled(sash.Sum(), [(3, 5)], "subtract_on_evict").snapshot()


def test_a_product_of_ints_beyond_64_bits_has_a_value_beside_floats():
    window = filled(sash.Product(), [(1, 2**40), (2, 2**40), (3, 0.5)])
    assert window.query() == 2.0**79
    window.evict(3)
    with pytest.raises(OverflowError, match="does not fit in 64 bits"):
        window.query()


@pytest.mark.parametrize("order", [["a", "b"], ["b", "a"]])
def test_the_floats_of_a_key_are_its_own(order):
    """A key of ints has results that are ints, whatever other keys hold."""
    events = {"a": [3, 4], "b": [0.5, 2]}
    s = sash.Sliding(sash.Sum(), sash.TimeWindow(10), by=True)
    results = {}
    for key in order:
        for time, value in enumerate(events[key]):
            results[key] = s.push(key, time, value)[0].value
    assert {key: (value, type(value)) for key, value in results.items()} == {"a": (7, int), "b": (2.5, float)}


@given(events=st.lists(st.tuples(st.sampled_from("ab"), st.integers(0, 30), few), max_size=24), many=st.booleans())
def test_an_operator_gives_what_python_gives(events, many):
    """Event by event, and by columns of both kinds."""
    s = sash.Sliding(sash.Sum(), sash.TimeWindow(5), by=True)
    if many:
        results = list(s.push_many(*map(list, zip(*events, strict=True)))) if events else []
    else:
        results = [result for event in events for result in s.push(*event)]
    for place, (result, (key, time, _)) in enumerate(zip(results, events, strict=True)):
        held = [v for k, t, v in events[: place + 1] if k == key and time - 5 < t <= time]
        assert (result.value, type(result.value)) == (sum(held), type(sum(held)))


@pytest.mark.parametrize("emit", ["arrival", "final", "update"])
@given(events=st.lists(st.tuples(st.sampled_from("ab"), st.integers(0, 30), few), max_size=24))
def test_a_restored_operator_goes_on_as_the_first(emit, events):
    s = sash.Sliding(sash.Sum(), sash.TimeWindow(5), by=True, emit=emit, lateness=40)
    for event in events:
        s.push(*event)
    twin = sash.Sliding.restore(s.snapshot())
    assert twin.snapshot() == s.snapshot()
    assert repr(twin.push("a", 20, 1)) == repr(s.push("a", 20, 1))
    assert repr(list(twin.finish())) == repr(list(s.finish()))


def test_an_operator_whose_floats_have_left_is_as_one_without():
    """Byte for byte, as a window is."""
    operators = []
    for first in (0.5, 7):
        s = sash.Sliding(sash.Sum(), sash.TimeWindow(5), lateness=0)
        for time, value in [(1, first), (10, 2), (11, 3)]:
            s.push(time, value)
        operators.append(s.snapshot())
    assert operators[0] == operators[1]


@given(
    rows=st.lists(st.tuples(st.integers(0, 9), st.none() | few, st.none() | few), max_size=12),
    start=st.integers(0, 9),
)
def test_columns_of_a_record_are_of_kinds_of_their_own(rows, start):
    """A null is of no kind, and a float in one column is nothing to another."""
    record = sash.Composite(most=sash.Max("x"), least=sash.Min("y"), span=sash.Range("x"))
    window = filled(record, [(time, {"x": x, "y": y}) for time, x, y in rows])
    window.bulk_evict(start)
    left = [(x, y) for time, x, y in rows if time > start]
    for name, column, by_hand in [("most", 0, max), ("least", 1, min)]:
        values = [row[column] for row in left if row[column] is not None]
        result = window.query()[name]
        expected = by_hand(as_floats(values)) if values else None
        assert (result, type(result)) == (expected, type(expected))
    fresh = filled(record, [(time, {"x": x, "y": y}) for time, x, y in rows if time > start])
    assert window.snapshot() == fresh.snapshot()
