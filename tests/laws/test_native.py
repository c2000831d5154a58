"""A window gives what the Python definition of its aggregation gives, by its compiled twin or not: same values, same
types."""

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

import sash
from sash.aggregations import Bloom, Concat, built_ins
from sash.testing import TOLERANCE, Oracle, same, values_for
from sash.testing.samples import inputs_of

AGGREGATIONS = [make() for make in built_ins().values()] + [Concat(separator=", "), Bloom(bits=64, hashes=16)]
PAIRED = ("pair", "weighted", "labelled")
NAN = [
    make(nan=nan)
    for nan in ("skip", "propagate")
    for make in built_ins().values()
    if "nan" in make.defaults and inputs_of(make()) not in PAIRED
]


def agree(native, python, aggregation):
    """Equal, or equal within rounding; numbers of one type."""
    assert same(native, python, 0.0 if aggregation.exact else TOLERANCE, scale=1e6)
    if isinstance(python, (int, float)):
        assert isinstance(native, (int, float))


def within_64_bits(aggregation, events):
    """As many as have a result: products of more integers leave 64 bits, which is a test of its own."""
    return events[:3] if isinstance(aggregation, sash.Product) else events


def follow(aggregation, values):
    """Put the values in one by one, then take them out, and ask after each step."""
    window, oracle = sash.Window(aggregation, algorithm="two_stacks_lite"), Oracle(aggregation)
    for time, value in enumerate(values):
        window.insert(time, value)
        oracle.insert(time, value)
        agree(window.query(), oracle.query(), aggregation)
    while len(oracle):
        window.evict()
        oracle.evict()
        agree(window.query(), oracle.query(), aggregation)
    assert len(window) == 0


@pytest.mark.parametrize("aggregation", AGGREGATIONS, ids=repr)
def test_the_window_agrees_with_the_definition(aggregation):
    """After every insertion and eviction."""

    @given(st.lists(values_for(aggregation), max_size=8))
    def check(values):
        follow(aggregation, within_64_bits(aggregation, values))

    check()


@pytest.mark.parametrize("aggregation", NAN, ids=repr)
def test_the_window_agrees_about_nan(aggregation):
    """Skipped or propagated."""
    nan = st.just((math.nan, 1) if inputs_of(aggregation) == "keyed" else math.nan)

    @given(st.lists(nan | values_for(aggregation), max_size=3))
    def check(values):
        follow(aggregation, values)

    check()


@pytest.mark.parametrize("name", sorted({type(aggregation).__name__ for aggregation in NAN}))
def test_nan_can_be_an_error(name):
    """And changes nothing."""
    aggregation = built_ins()[name](nan="error")
    window = sash.Window(aggregation)
    with pytest.raises(ValueError, match="NaN"):
        window.insert(1, (math.nan, 1) if inputs_of(aggregation) == "keyed" else math.nan)
    assert len(window) == 0


@pytest.mark.parametrize("aggregation", AGGREGATIONS, ids=repr)
def test_an_empty_window_gives_the_declared_result(aggregation):
    """Before the first event."""
    assert sash.Window(aggregation).query() == aggregation.empty


@pytest.mark.parametrize("aggregation", AGGREGATIONS, ids=repr)
def test_the_window_agrees_when_values_come_in_bulk(aggregation):
    """Many at once are as one after the other; equal times combine in order of arrival."""

    @given(st.lists(st.tuples(st.integers(0, 3), values_for(aggregation)), max_size=4))
    def check(events):
        events = within_64_bits(aggregation, events)
        window, oracle = sash.Window(aggregation, algorithm="recalc"), Oracle(aggregation)
        for window_or_oracle in (window, oracle):
            window_or_oracle.bulk_insert([time for time, _ in events], [value for _, value in events])
        agree(window.query(), oracle.query(), aggregation)
        agree(window.query(1, 2), oracle.query(1, 2), aggregation)
        agree(list(window.items()), list(oracle.items()), aggregation)

    check()


NUMERIC = [aggregation for aggregation in AGGREGATIONS if inputs_of(aggregation) in ("number", "real", "any")]


@pytest.mark.parametrize("aggregation", NUMERIC, ids=repr)
def test_integers_give_integers_and_floats_give_floats(aggregation):
    """The type of a result is the one that the definition gives."""
    for values in ([3, 1, 2], [3.0, 1.0, 2.0], [3, 1, 2.0]):
        window, oracle = sash.Window(aggregation), Oracle(aggregation)
        for time, value in enumerate(values):
            window.insert(time, value)
            oracle.insert(time, value)
        assert type(window.query()) is type(oracle.query())
        assert same(window.query(), oracle.query(), TOLERANCE)
