"""Every built-in aggregation satisfies the laws, and what it says of itself."""

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

import sash.aggregations
from sash.aggregations import Aggregation, Bloom, Concat, built_ins
from sash.testing import assert_lawful, same, values_for

AGGREGATIONS = [make() for make in built_ins().values()] + [Concat(separator=", "), Bloom(bits=64, hashes=1)]
WITH_NAN = [make(nan="propagate") for make in built_ins().values() if "nan" in make.defaults and make is not Bloom]

#: name: commutative, invertible, exact, the result of an empty window
DECLARED = {
    "Count": (True, True, True, 0),
    "Sum": (True, True, False, 0),
    "Product": (True, False, False, 1),
    "Mean": (True, True, False, None),
    "GeometricMean": (True, True, False, None),
    "Min": (True, False, True, None),
    "Max": (True, False, True, None),
    "Range": (True, False, True, None),
    "MinCount": (True, False, True, 0),
    "MaxCount": (True, False, True, 0),
    "ArgMin": (False, False, True, None),
    "ArgMax": (False, False, True, None),
    "First": (False, False, True, None),
    "Last": (False, False, True, None),
    "SampleVariance": (True, False, False, None),
    "PopulationVariance": (True, False, False, None),
    "SampleStdDev": (True, False, False, None),
    "PopulationStdDev": (True, False, False, None),
    "Any": (True, False, True, False),
    "All": (True, False, True, True),
    "BitOr": (True, False, True, 0),
    "BitAnd": (True, False, True, -1),
    "Concat": (False, False, True, None),
    "Collect": (False, False, True, []),
    "Bloom": (True, False, True, Bloom().lower(0)),
}


@pytest.mark.parametrize("aggregation", AGGREGATIONS, ids=repr)
def test_the_laws_hold(aggregation):
    """Purity, identity, associativity, the codec; commutativity and inverse where declared."""

    @given(st.lists(values_for(aggregation), max_size=3))
    def check(values):
        assert_lawful(aggregation, values)

    check()


@pytest.mark.parametrize("aggregation", WITH_NAN, ids=repr)
def test_the_laws_hold_for_nan_where_it_propagates(aggregation):
    """NaN is one more value, more extreme than any number. It cannot be subtracted, so no inverse is asked for."""
    keyed = aggregation.native().inputs == "keyed"
    nan = st.just(math.nan).map(lambda value: (value, "nan") if keyed else value)

    class Undirected(type(aggregation)):
        inverse = Aggregation.inverse

    @given(st.lists(nan | values_for(aggregation), max_size=3))
    def check(values):
        assert_lawful(Undirected(nan="propagate"), values)

    check()


@pytest.mark.parametrize("name", DECLARED)
def test_an_aggregation_declares_what_it_is(name):
    """This table is the contract."""
    aggregation = getattr(sash.aggregations, name)()
    declared = (aggregation.commutative, aggregation.invertible, aggregation.exact, aggregation.empty)
    assert declared == DECLARED[name]


def test_the_table_names_every_built_in():
    """A new aggregation is entered here, or this fails."""
    assert set(built_ins()) == set(DECLARED)


@pytest.mark.parametrize("aggregation", [a for a in AGGREGATIONS if not a.commutative], ids=repr)
def test_what_is_not_declared_commutative_is_not(aggregation):
    """The declaration is not merely cautious: there is a counterexample."""
    one, other = [(1, "a"), (1, "b")] if "Arg" in repr(aggregation) else ["a", "b"]
    a, b = aggregation.lift(one), aggregation.lift(other)
    assert not same(aggregation.combine(a, b), aggregation.combine(b, a))
