"""What is true of each of them: laws, windows against brute force, snapshots, descriptions, nulls, bad options."""

import math
import pickle
from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

import sash
from sash import Aggregation, codec
from sash.errors import SnapshotError
from sash.testing import assert_lawful, same
from sash.testing.oracle import Oracle

from .cases import EVERY, NAN, TIMED, UNTIMED, clock, lifted, name, result

TOLERANCE = 1e-7


def agree(one, other, over):
    """Equal, or equal within rounding; models by what they say."""
    if isinstance(one, sash.results.BayesModel):
        one, other = (model.predict_proba((0.5, "red")) for model in (one, other))
        assert list(one) == list(other)
    assert same(one, other, 0.0 if over.exact else TOLERANCE, scale=100.0)


def close(over, a, b):
    """Whether two partials are the same: exactly, or but for rounding."""
    if over.exact:
        return same(a, b)
    return over.close(a, b) if hasattr(over, "close") else same(a, b, TOLERANCE, scale=1e4)


# Laws


@pytest.mark.parametrize("case", [case for case in UNTIMED if case[0].exact], ids=name)
def test_the_laws_hold(case):
    """As sash.testing states them, to the last bit."""
    over, values = case

    @given(st.lists(values, max_size=3))
    def check(drawn):
        assert_lawful(over, drawn)

    check()


@pytest.mark.parametrize("case", EVERY, ids=name)
def test_how_events_are_grouped_makes_no_difference(case):
    """Associativity and the identity, over partials of several events in the order of their times."""
    over, values = case

    @given(st.lists(values, max_size=9), st.integers(0, 9), st.integers(0, 9))
    def check(drawn, first, second):
        first, second = sorted((first, second))
        partials = lifted(over, list(enumerate(drawn)))
        a, b, c = (fold(over, part) for part in (partials[:first], partials[first:second], partials[second:]))
        assert close(over, over.combine(over.identity, a), a)
        assert close(over, over.combine(a, over.identity), a)
        left, right = over.combine(over.combine(a, b), c), over.combine(a, over.combine(b, c))
        agree(over.lower(left), over.lower(fold(over, partials)), over)
        agree(over.lower(right), over.lower(fold(over, partials)), over)
        assert close(over, left, right)
        if over.commutative:
            assert close(over, over.combine(a, b), over.combine(b, a))
        if over.invertible:
            assert close(over, over.inverse(over.combine(a, b), a), b)

    check()


def fold(over, partials):
    """All of them as one."""
    total = over.identity
    for partial in partials:
        total = over.combine(total, partial)
    return total


@pytest.mark.parametrize("case", EVERY, ids=name)
def test_no_method_changes_a_partial(case):
    """Windows share them."""
    over, values = case

    @given(st.lists(values, min_size=2, max_size=5))
    def check(drawn):
        partials = lifted(over, list(enumerate(drawn)))
        before = pickle.dumps([partials, over.identity])
        for a, b in pairwise(partials):
            both = over.combine(a, b)
            over.lower(both)
            over.combine(both, a)
            if over.invertible:
                over.inverse(both, a)
        assert pickle.dumps([partials, over.identity]) == before

    check()


@pytest.mark.parametrize("case", EVERY, ids=name)
def test_a_partial_survives_its_bytes(case):
    """The same partial, the same result, the same bytes again."""
    over, values = case

    @given(st.lists(values, max_size=5))
    def check(drawn):
        partial = fold(over, lifted(over, list(enumerate(drawn))))
        back = over.decode(over.encode(partial))
        assert same(back, partial)
        assert same(over.lower(back), over.lower(partial))
        assert over.encode(back) == over.encode(partial)

    check()


@pytest.mark.parametrize(
    "damaged", ["garbage", 7, (1,), [1], [("a", 0)], [("a", 1), ("a", 1)], [([], 1)], -1, [[], []]]
)
@pytest.mark.parametrize(
    "over",
    [
        sash.CountDistinct(),
        sash.CollectDistinct(),
        sash.Mode(),
        sash.Histogram(),
        sash.NaiveBayes(),
        sash.M4(),
        sash.Rate(),
    ],
    ids=repr,
)
def test_damaged_bytes_of_a_partial_are_a_snapshot_error(over, damaged):
    """Never a wrong partial."""
    if isinstance(over, sash.CollectDistinct) and damaged in ([1], [("a", 0)]):
        pytest.skip("a list of distinct values is what it writes")
    with pytest.raises(SnapshotError):
        over.decode(codec.dumps(damaged))


# Windows


def events_of(values):
    """Events at few times, so that some are equal and some are late."""
    return st.lists(st.tuples(st.integers(0, 6), values | st.none()), max_size=8)


@pytest.mark.parametrize("algorithm", ["fiba", "recalc"])
@pytest.mark.parametrize("case", UNTIMED, ids=name)
def test_a_window_gives_what_brute_force_gives(case, algorithm):
    """With late events, equal times, nulls, range queries and evictions."""
    over, values = case
    check_windows(over, algorithm, events_of(values))


@pytest.mark.parametrize("algorithm", ["fiba", "recalc"])
@pytest.mark.parametrize("case", TIMED, ids=name)
def test_a_window_gives_what_brute_force_gives_over_times(case, algorithm):
    """The same for those that use the times."""
    over, values = case
    check_windows(over, algorithm, events_of(values))


def check_windows(over, algorithm, events):
    """Side by side with the oracle."""

    @given(events)
    def check(drawn):
        window, oracle = sash.Window(over, algorithm=algorithm), Oracle(over)
        for time, value in drawn:
            window.insert(time, value)
            oracle.insert(time, value)
            agree(window.query(), oracle.query(), over)
        agree(window.query(1, 3), oracle.query(1, 3), over)
        for side in (window, oracle):
            side.bulk_evict(2)
        agree(window.query(), oracle.query(), over)
        window.check_invariants()

    check()


@pytest.mark.parametrize("case", UNTIMED, ids=name)
def test_a_window_survives_snapshot_and_restore(case):
    """The same answers, the same bytes, and it goes on as before."""
    over, values = case
    check_snapshots(over, values, lambda time: time)


@pytest.mark.parametrize("when", [int, float, clock], ids=["int", "float", "datetime"])
@pytest.mark.parametrize("case", TIMED, ids=name)
def test_a_window_over_times_survives_snapshot_and_restore(case, when):
    """The times in its partials too."""
    over, values = case
    check_snapshots(over, values, when)


def check_snapshots(over, values, when):
    """A blob there and back."""

    @given(st.lists(values, max_size=6), st.lists(values, max_size=2))
    def check(before, after):
        window = sash.Window(over)
        window.bulk_insert([when(time) for time in range(len(before))], before)
        again = sash.Window.restore(window.snapshot(), aggregation=over)
        assert again.snapshot() == window.snapshot()
        for time, value in enumerate(after, start=len(before)):
            window.insert(when(time), value)
            again.insert(when(time), value)
        agree(again.query(), window.query(), over)

    check()


@pytest.mark.parametrize("case", [case for case in UNTIMED if case[0].invertible], ids=name)
def test_what_says_it_is_invertible_serves_subtract_on_evict(case):
    """Evictions subtract, and the answers are those of brute force."""
    over, values = case

    @given(st.lists(values, max_size=8))
    def check(drawn):
        window, oracle = sash.Window(over, algorithm="subtract_on_evict"), Oracle(over)
        for time, value in enumerate(drawn):
            for side in (window, oracle):
                side.insert(time, value)
                if time % 3 == 2:
                    side.evict()
            agree(window.query(), oracle.query(), over)

    check()


# Descriptions


@pytest.mark.parametrize("case", EVERY, ids=name)
def test_a_description_and_a_repr_make_it_again(case):
    """With its columns and options."""
    over = case[0]
    again = Aggregation.from_dict(over.to_dict())
    assert again == over
    assert hash(again) == hash(over)
    assert eval(repr(over), vars(sash)) == over
    assert pickle.loads(pickle.dumps(over)) == over


@pytest.mark.parametrize(
    ("over", "columns"),
    [
        (sash.Covariance("x", "y"), ("x", "y")),
        (sash.WeightedMean("price", "volume"), ("price", "volume")),
        (sash.NaiveBayes("fraud", "amount", "country"), ("fraud", "amount", "country")),
        (sash.ArgMax("amount"), ("amount",)),
        (sash.ArgMax("amount", ["shop", "city"]), ("amount", "shop", "city")),
        (sash.TopK("amount", k=3), ("amount",)),
        (sash.DecayedSum("amount", half_life="90s"), ("amount",)),
    ],
    ids=repr,
)
def test_columns_are_told_and_kept(over, columns):
    """In the order in which values have them."""
    assert over.columns == columns
    assert Aggregation.from_dict(over.to_dict()) == over
    assert eval(repr(over), vars(sash)) == over


@pytest.mark.parametrize("case", EVERY, ids=name)
def test_it_says_what_it_takes_and_gives_and_how_large_it_is(case):
    """In a few words, for the table of the documents."""
    over = case[0]
    assert over.size != Aggregation.size
    assert over.gives != Aggregation.gives
    assert "Cost of combine: O(" in " ".join(type(over).__doc__.split())


# Nulls and NaN


def nan_like(over):
    """A value of its kind with a NaN in it."""
    if isinstance(over, (sash.NaiveBayes, sash.WeightedMean, sash.Covariance, sash.Correlation, sash.LinearRegression)):
        return (NAN, 1.0)
    return (NAN, ("a", 1)) if isinstance(over, (sash.ArgMin, sash.ArgMax)) else NAN


@pytest.mark.parametrize("case", EVERY, ids=name)
def test_nan_is_a_null_unless_said_otherwise(case):
    """Skipped, an error, or let through."""
    over, value = case[0], nan_like(case[0])
    made = {nan: type(over)(*over.columns, **{**over.options, "nan": nan}) for nan in ("skip", "propagate", "error")}
    assert made["skip"].skips(value)
    assert made["skip"].skips(None)
    assert not made["propagate"].skips(value)
    with pytest.raises(ValueError, match='the value is NaN, and nan="error" was asked for'):
        made["error"].lift(value, 1) if over.timed else made["error"].lift(value)


@pytest.mark.parametrize(
    "over",
    [
        sash.WeightedMean(nan="propagate"),
        sash.Covariance(nan="propagate"),
        sash.Correlation(nan="propagate"),
        sash.Skewness(nan="propagate"),
        sash.Kurtosis(nan="propagate"),
        sash.HarmonicMean(nan="propagate"),
        sash.DecayedSum(nan="propagate"),
        sash.Rate(of="values", nan="propagate"),
        sash.TimeWeightedMean(nan="propagate"),
    ],
    ids=repr,
)
def test_a_propagated_nan_is_the_result(over):
    """Whatever else is in the window."""
    pair = isinstance(nan_like(over), tuple)
    values = [(number, 2.0 + number) if pair else number for number in (1, NAN, 2.5, 3, 5)]
    assert math.isnan(result(over, values))


# Refusals


@pytest.mark.parametrize(
    ("make", "error", "message"),
    [
        (lambda: sash.TopK(k=0), ValueError, "k must be at least 1, not 0"),
        (lambda: sash.BottomK(k=-1), ValueError, "k must be at least 1"),
        (lambda: sash.TopK(k=2.0), TypeError, "k is an integer, not float"),
        (lambda: sash.TopK(k=True), TypeError, "k is an integer, not bool"),
        (lambda: sash.TopK(3), TypeError, r"named by a text, not int \(3\): write k=3"),
        (lambda: sash.IthYoungest(i=-1), ValueError, "i must be at least 0"),
        (lambda: sash.IthYoungest(i="1"), TypeError, "i is an integer"),
        (lambda: sash.Histogram(edges=[1]), ValueError, "at least two edges"),
        (lambda: sash.Histogram(edges=[]), ValueError, "at least two edges"),
        (lambda: sash.Histogram(edges=[0, 2, 1]), ValueError, "edges ascend, and 1 comes after 2"),
        (lambda: sash.Histogram(edges=[0, 0.0]), ValueError, "edges ascend"),
        (lambda: sash.Histogram(edges=[0, NAN, 1]), ValueError, "NaN is no edge"),
        (lambda: sash.Histogram(edges="01"), TypeError, "edges are a list of numbers"),
        (lambda: sash.Histogram(edges=3), TypeError, "edges are a list of numbers"),
        (lambda: sash.Histogram(edges=["a", "b"]), TypeError, "a number is needed"),
        (lambda: sash.Histogram(outside=1), TypeError, "outside is True or False"),
        (lambda: sash.DecayedSum(half_life=0), ValueError, "longer than zero"),
        (lambda: sash.DecayedSum(half_life=-5), ValueError, "longer than zero"),
        (lambda: sash.DecayedSum(half_life=NAN), ValueError, "no duration"),
        (lambda: sash.DecayedSum(half_life="soon"), ValueError, "no duration"),
        (lambda: sash.DecayedSum(half_life=[1]), ValueError, "no duration"),
        (lambda: sash.Rate(of="bytes"), ValueError, 'of is "events" or "values"'),
        (lambda: sash.Covariance("x"), TypeError, "reads two columns, x and y"),
        (lambda: sash.WeightedMean("price"), TypeError, "value and weight"),
        (lambda: sash.Covariance(ddof=-1), ValueError, "ddof must be at least 0"),
        (lambda: sash.Skewness(bias=1), TypeError, "bias is True or False"),
        (lambda: sash.NaiveBayes("label"), TypeError, "at least one feature"),
        (lambda: sash.NaiveBayes(smoothing=0), ValueError, "smoothing must be a finite number above 0"),
        (lambda: sash.NaiveBayes(smoothing="1"), TypeError, "smoothing is a number"),
        (lambda: sash.ArgMax("amount", 3), TypeError, "a column is named by a text"),
        (lambda: sash.ArgMax("amount", ["a", "a"]), ValueError, "names one twice"),
        (lambda: sash.ArgMax(None, "a"), TypeError, "reads the key first"),
    ],
)
def test_a_bad_option_is_refused_when_it_is_given(make, error, message):
    """With the rule and the value."""
    with pytest.raises(error, match=message):
        make()


@pytest.mark.parametrize("over", [sash.CountDistinct(), sash.CollectDistinct(), sash.Mode()], ids=repr)
@pytest.mark.parametrize("value", [[1], {}, {1}, ("a", [1])], ids=repr)
def test_an_unhashable_value_is_refused_and_changes_nothing(over, value):
    """Before it is anywhere in the window."""
    window = sash.Window(over)
    window.bulk_insert([1, 2], ["a", "b"])
    before = window.snapshot()
    with pytest.raises(TypeError, match="a hashable value is needed"):
        window.insert(3, value)
    with pytest.raises(TypeError, match="a hashable value is needed"):
        window.bulk_insert([3, 4], ["c", value])
    assert window.snapshot() == before


@pytest.mark.parametrize(
    ("over", "value"),
    [
        (sash.TopK(), [1]),
        (sash.Histogram(), "a"),
        (sash.Delta(), "a"),
        (sash.Skewness(), "a"),
        (sash.HarmonicMean(), "a"),
        (sash.Covariance(), ("a", 1)),
        (sash.WeightedMean(), (1, "a")),
        (sash.M4(), "a"),
        (sash.LongestIncreasingRun(), "a"),
        (sash.DecayedSum(), "a"),
        (sash.Rate(of="values"), "a"),
        (sash.TimeWeightedMean(), "a"),
    ],
    ids=repr,
)
def test_what_is_no_number_is_a_type_error(over, value):
    """Nothing is guessed."""
    with pytest.raises(TypeError, match="a number is needed"):
        over.lift(value, 1) if over.timed else over.lift(value)


@pytest.mark.parametrize("value", [3, (1,), (1, 2, 3), "ab"], ids=repr)
@pytest.mark.parametrize("over", [sash.Covariance(), sash.WeightedMean()], ids=repr)
def test_what_is_no_pair_is_a_type_error(over, value):
    """It says what the parts are."""
    with pytest.raises(TypeError, match=r"a tuple \(.*\) is needed"):
        over.skips(value)
