"""Every built-in aggregation satisfies the laws, and what it says of itself."""

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

import sash.aggregations
from sash.aggregations import (
    Aggregation,
    ApproxCountDistinct,
    ApproxQuantiles,
    ArgMax,
    Bloom,
    Concat,
    CountMin,
    Histogram,
    IthYoungest,
    NaiveBayes,
    Quantiles,
    Std,
    TopK,
    Var,
    built_ins,
)
from sash.testing import assert_lawful, nasty_values, same, values_for
from sash.testing.samples import inputs_of

AGGREGATIONS = [make() for make in built_ins().values()] + [
    Concat(separator=", "),
    Bloom(bits=64, hashes=1),
    IthYoungest(i=1),
    Std(ddof=0),
    Var(ddof=0),
    TopK(k=2),
    ApproxCountDistinct(kind="cpc"),
    ApproxCountDistinct(kind="theta"),
    ApproxQuantiles(at=[0.1, 0.9], kind="req"),
    ApproxQuantiles(kind="tdigest"),
    Quantiles(at=[0.1, 0.9], interpolation="nearest"),
]
PARTS = ("keyed", "labelled", "pair", "weighted")
#: Those that take one number or value and let a NaN through.
WITH_NAN = [
    make(nan="propagate")
    for make in built_ins().values()
    if "nan" in make.defaults and make is not Bloom and inputs_of(make()) not in PARTS[1:]
]

#: name: commutative, invertible, exact, the result of an empty window
DECLARED = {
    "Count": (True, True, True, 0),
    "Sum": (True, True, False, 0),
    "Product": (True, False, False, 1),
    "Mean": (True, True, False, None),
    "GeometricMean": (True, True, False, None),
    "HarmonicMean": (True, False, False, None),
    "WeightedMean": (True, False, False, None),
    "Min": (True, False, True, None),
    "Max": (True, False, True, None),
    "Range": (True, False, True, None),
    "MinCount": (True, False, True, 0),
    "MaxCount": (True, False, True, 0),
    "ArgMin": (False, False, True, None),
    "ArgMax": (False, False, True, None),
    "First": (False, False, True, None),
    "Last": (False, False, True, None),
    "IthYoungest": (False, False, True, None),
    "Delta": (False, False, True, None),
    "Var": (True, False, False, None),
    "Std": (True, False, False, None),
    "Skewness": (True, False, False, None),
    "Kurtosis": (True, False, False, None),
    "Covariance": (True, False, False, None),
    "Correlation": (True, False, False, None),
    "LinearRegression": (True, False, False, None),
    "Any": (True, False, True, False),
    "All": (True, False, True, True),
    "BitOr": (True, False, True, 0),
    "BitAnd": (True, False, True, -1),
    "Concat": (False, False, True, None),
    "Collect": (False, False, True, []),
    "CollectDistinct": (False, False, True, []),
    "CountDistinct": (True, True, True, 0),
    "Mode": (False, False, True, None),
    "TopK": (False, False, True, []),
    "BottomK": (False, False, True, []),
    "Histogram": (True, True, True, Histogram().lower(Histogram().identity)),
    "M4": (False, False, True, None),
    "LongestIncreasingRun": (False, False, True, None),
    "DecayedSum": (True, False, False, 0.0),
    "Rate": (False, False, False, None),
    "TimeWeightedMean": (False, False, False, None),
    "NaiveBayes": (False, False, False, NaiveBayes().lower({})),
    "Bloom": (True, False, True, Bloom().lower(0)),
    "ApproxCountDistinct": (True, False, True, (0.0, 0.0, 0.0)),
    "CountMin": (True, False, True, CountMin().lower(())),
    "FrequentItems": (True, False, False, []),
    "ApproxQuantiles": (True, False, False, ((0.5, None, None, None),)),
    "Quantiles": (True, False, True, None),
    "Quantile": (True, False, True, None),
    "Median": (True, False, True, None),
    "Rank": (False, False, True, None),
}


@pytest.mark.parametrize("aggregation", AGGREGATIONS, ids=repr)
def test_the_laws_hold(aggregation):
    """Purity, identity, associativity, the codec; commutativity and inverse where declared."""

    @given(st.lists(values_for(aggregation), max_size=3))
    def check(values):
        assert_lawful(aggregation, values)

    check()


def is_wild(value):
    """Whether there is an infinity in it, which no subtraction survives, or a number whose powers overflow."""
    parts = value if isinstance(value, tuple) else (value,)
    return any(isinstance(part, float) and math.isinf(part) for part in parts)


@pytest.mark.parametrize("aggregation", AGGREGATIONS, ids=repr)
def test_the_laws_hold_for_nasty_values(aggregation):
    """Nulls, NaN, -0.0, ties, large numbers that differ by little; infinities too where nothing is rounded."""
    wild = aggregation.exact and not aggregation.invertible
    nasty = st.sampled_from([value for value in nasty_values(aggregation) if wild or not is_wild(value)])

    @given(st.lists(nasty, max_size=3))
    def check(values):
        assert_lawful(aggregation, values)

    check()


@pytest.mark.parametrize("aggregation", WITH_NAN, ids=repr)
def test_the_laws_hold_for_nan_where_it_propagates(aggregation):
    """NaN is one more value, more extreme than any number. It cannot be subtracted, so no inverse is asked for."""
    nan = st.just((math.nan, "nan") if inputs_of(aggregation) == "keyed" else math.nan)

    class Undirected(type(aggregation)):
        inverse = Aggregation.inverse
        inputs = inputs_of(aggregation)

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


#: Two events whose order shows, where "a" before "b" does not do.
IN_ORDER = {
    "keyed": [(1, "a"), (1, "b")],
    "labelled": [("a", 1), ("b", 1)],
    "number": [1, 2],
    "real": [1, 2],
}


@pytest.mark.parametrize("aggregation", [a for a in AGGREGATIONS if not a.commutative], ids=repr)
def test_what_is_not_declared_commutative_is_not(aggregation):
    """The declaration is not merely cautious: there is a counterexample."""
    # Of equal values the oldest form is kept.
    ties = [1, 1.0] if type(aggregation).__name__ in ("TopK", "BottomK") else ["a", "b"]
    values = IN_ORDER.get(inputs_of(aggregation), ties) if ties == ["a", "b"] else ties
    a, b = (aggregation.lift(value, *[time] * aggregation.timed) for time, value in enumerate(values))
    one, other = aggregation.combine(a, b), aggregation.combine(b, a)
    assert not same(one, other) or repr(one) != repr(other)


@pytest.mark.parametrize("aggregation", AGGREGATIONS, ids=repr)
def test_nasty_values_are_taken_or_skipped(aggregation):
    """They are nasty, not wrong: only a t-digest and -2**63 in sums refuse one, and say why."""
    for value in nasty_values(aggregation):
        if not aggregation.skips(value) and not (is_wild(value) and "tdigest" in repr(aggregation)):
            partial = aggregation.lift(value, *[0] * aggregation.timed)
            aggregation.combine(partial, aggregation.identity)


def test_ties_are_among_the_nasty_values():
    """Of equal keys the first wins, and the values let us see it."""
    values = [value for value in nasty_values(ArgMax()) if value is not None and value[0] == 1]
    assert len(values) >= 2
    assert len({argument for _, argument in values}) == len(values)
