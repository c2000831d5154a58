"""What each aggregation gives, what it takes, what it refuses; and how to make your own."""

import copy
import math
import pickle
import statistics
from decimal import Decimal
from fractions import Fraction
from functools import reduce

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from sash.aggregations import (
    Aggregation,
    All,
    Any,
    ArgMax,
    ArgMin,
    BitAnd,
    BitOr,
    Bloom,
    Collect,
    Concat,
    Count,
    First,
    GeometricMean,
    Last,
    Max,
    MaxCount,
    Mean,
    Min,
    MinCount,
    Native,
    Product,
    Range,
    Std,
    Sum,
    Var,
    aggregation,
    built_ins,
)
from sash.aggregations.hashing import hash_value
from sash.codec import dumps
from sash.errors import AggregationError, SnapshotError
from sash.results import BloomFilter
from sash.testing import assert_lawful

NAN = math.nan


def result(over, values):
    """What a window of these values would give."""
    partials = [over.lift(value) for value in values if not over.skips(value)]
    return over.lower(reduce(over.combine, partials, over.identity))


# What they give


@pytest.mark.parametrize(
    ("over", "values", "expected"),
    [
        (Count(), ["a", 1, None], 2),
        (Sum(), [1, 2, 3], 6),
        (Sum(), [1, 2.5], 3.5),
        (Product(), [2, 3, 4], 24),
        (Product(), [0.5, 4], 2.0),
        (Mean(), [1, 2], 1.5),
        (Min(), [3, 1, 2], 1),
        (Max(), [3, 1, 2], 3),
        (Range(), [3, 1, 2], 2),
        (Range(), [3.5, 1], 2.5),
        (MinCount(), [3, 1, 1], 2),
        (MaxCount(), [3, 1, 1], 1),
        (MaxCount(), [1, 1.0, True], 3),
        (ArgMin(), [(3, "c"), (1, "a"), (1, "b")], "a"),
        (ArgMax(), [(3, "c"), (1, "a"), (3, "d")], "c"),
        (First(), ["a", "b"], "a"),
        (Last(), ["a", "b"], "b"),
        (Var(), [1, 2, 3, 4], 5 / 3),
        (Var(ddof=0), [1, 2, 3, 4], 1.25),
        (Std(), [1, 3], math.sqrt(2)),
        (Std(ddof=0), [1, 3], 1.0),
        (Var(), [5], None),
        (Var(ddof=0), [5], 0.0),
        (Any(), [False, True], True),
        (Any(), [False, False], False),
        (All(), [False, True], False),
        (All(), [1, np.bool_(True)], True),
        (BitOr(), [1, 4], 5),
        (BitAnd(), [7, 12], 4),
        (Concat(), ["a", "", "b"], "ab"),
        (Concat(separator="-"), ["a", "", "b"], "a--b"),
        (Collect(), [2, "x", 1.5], [2, "x", 1.5]),
    ],
    ids=repr,
)
def test_results(over, values, expected):
    """The value and its type: integers stay integers, floats floats."""
    given_result = result(over, values)
    assert given_result == expected
    assert type(given_result) is type(expected)


def test_the_geometric_mean_is_by_logarithms():
    """So that the product does not overflow; a zero makes it zero."""
    assert result(GeometricMean(), [2, 8]) == pytest.approx(4)
    assert result(GeometricMean(), [1e300, 1e300]) == pytest.approx(1e300)
    assert result(GeometricMean(), [0, 5]) == 0.0
    assert result(GeometricMean(), [math.inf, 1]) == math.inf
    with pytest.raises(ValueError, match="no negative numbers"):
        GeometricMean().lift(-1)


@given(st.lists(st.floats(-1e6, 1e6), min_size=2, max_size=30))
def test_variance_is_that_of_the_statistics_module(values):
    """Which computes with fractions."""
    scale = max(1.0, *map(abs, values)) ** 2
    assert result(Var(), values) == pytest.approx(statistics.variance(values), rel=1e-9, abs=1e-12 * scale)
    assert result(Std(ddof=0), values) == pytest.approx(
        statistics.pstdev(values), rel=1e-6, abs=1e-6 * math.sqrt(scale)
    )


def test_variance_far_from_zero_does_not_cancel():
    """A sum of squares would give nonsense here."""
    assert result(Var(ddof=0), [1e9 + offset for offset in (4, 7, 13, 16)]) == 22.5


def test_minus_zero_is_zero_among_extremes():
    """They are equal, so a result must not depend on which came first."""
    for values in ([0.0, -0.0], [-0.0, 0.0]):
        assert math.copysign(1, result(Min(), values)) == 1
        assert math.copysign(1, result(Max(), values)) == 1


# Integers


@pytest.mark.parametrize("over", [Sum(), Product()], ids=repr)
def test_an_integer_result_beyond_64_bits_is_an_error_never_a_wrong_number(over):
    """Only the result that needs it is refused; what is in the window is whole."""
    half = 2**62
    partial = over.combine(over.lift(half), over.lift(half))
    with pytest.raises(OverflowError, match="64 bits; pass floats, or scale the values down"):
        over.lower(partial)
    if over.invertible:
        assert over.lower(over.inverse(partial, over.lift(half))) == half


def test_the_ends_of_int64():
    """They are integers like others, and results like others."""
    assert result(Sum(), [2**63 - 1]) == 2**63 - 1
    assert result(Sum(), [-(2**63)]) == -(2**63)
    assert result(Sum(), [-(2**63) + 1, -1]) == -(2**63)
    assert result(Product(), [2**32, 2**31, -1]) == -(2**63)
    assert result(Max(), [-(2**63)]) == -(2**63)
    with pytest.raises(OverflowError, match="64 bits"):
        result(Sum(), [-(2**63), -1])
    with pytest.raises(OverflowError, match="64 bits"):
        result(Range(), [-(2**63), 1])


@pytest.mark.parametrize("over", [Sum(), Min(), BitOr(), MaxCount(), Mean()], ids=repr)
def test_an_integer_beyond_64_bits_is_refused(over):
    """At once, not when it is asked for."""
    for value in (2**63, -(2**63) - 1, 10**400):
        with pytest.raises(OverflowError, match="64 bits"):
            over.lift(value)


def test_one_float_makes_a_float_of_the_result():
    """Whether it wins or not, and in whichever order."""
    for values in ([3, 2.5], [2.5, 3]):
        assert type(result(Max(), values)) is float
        assert type(result(Min(), values)) is float
        assert type(result(Range(), [*values, 7])) is float
        assert type(result(Sum(), values)) is float


# What they take and refuse


@pytest.mark.parametrize("value", [np.int8(3), np.uint64(3), np.float32(3), np.float64(3), True, np.bool_(True)])
def test_numbers_of_numpy_and_truths_are_numbers(value):
    """They come out as Python's own."""
    assert result(Sum(), [value]) == value
    assert type(result(Sum(), [value])) in (int, float)


NO_NUMBERS = ["3", b"3", Decimal(3), Fraction(3), 3j, [3], np.timedelta64(3, "s"), object()]
#: What each takes all the same.
TAKES = {
    "Sum": (Decimal, np.timedelta64),
    "Mean": (Decimal,),
    "Var": (Decimal,),
    "GeometricMean": (Decimal,),
    "Range": (Decimal, np.timedelta64),
    **dict.fromkeys(["Min", "MaxCount"], (Decimal, np.timedelta64, str, bytes)),
}


@pytest.mark.parametrize("name", ["Sum", "Product", "Mean", "Min", "MaxCount", "Range", "Var", "GeometricMean"])
@pytest.mark.parametrize("value", NO_NUMBERS, ids=lambda value: type(value).__name__)
def test_what_is_no_number_is_a_type_error(name, value):
    """Nothing is guessed, nothing is parsed."""
    if isinstance(value, TAKES.get(name, ())):
        assert built_ins()[name]().lift(value) is not None
        return
    with pytest.raises(TypeError, match="a number is needed"):
        built_ins()[name]().lift(value)


@pytest.mark.parametrize(
    ("over", "value", "message"),
    [
        (BitOr(), 1.0, "an integer is needed"),
        (BitAnd(), "1", "an integer is needed"),
        (Any(), 2, "True or False is needed"),
        (All(), "yes", "True or False is needed"),
        (All(), 1.0, "True or False is needed"),
        (Concat(), b"a", "a text is needed"),
        (Concat(), 1, "a text is needed"),
        (ArgMax(), 3, "a pair .* is needed"),
        (ArgMax(), (1, 2, 3), "a pair .* is needed"),
        (ArgMin(), ([3], 1), "a number is needed"),
        (Bloom(), [1], "an int, float, str or bytes is needed"),
        (Bloom(), None, "an int, float, str or bytes is needed"),
    ],
    ids=repr,
)
def test_a_value_of_the_wrong_type_is_a_type_error(over, value, message):
    """It says what is needed and shows what was given."""
    with pytest.raises(TypeError, match=message) as caught:
        over.lift(value)
    assert ", not " in str(caught.value)


# Nulls and NaN


def test_none_is_passed_over_by_all():
    """Built in or not."""
    assert all(make().skips(None) for make in built_ins().values())
    assert aggregation(combine=max, identity=0).skips(None)


def test_a_pair_with_a_null_is_passed_over():
    """In its key or in its argument."""
    assert result(ArgMax(), [(None, "a"), (1, "b"), (9, None), (NAN, "c")]) == "b"


#: Those that read two values an event.
PAIRS = {"ArgMax", "ArgMin", "Correlation", "Covariance", "LinearRegression", "NaiveBayes", "WeightedMean"}


@pytest.mark.parametrize("name", [name for name, make in built_ins().items() if "nan" in make.defaults])
def test_nan_is_a_null_unless_said_otherwise(name):
    """Skipped by default; an error if so declared; let through if so declared."""
    make = built_ins()[name]
    value = (NAN, 1.0) if name in PAIRS else NAN
    assert make().skips(value)
    assert make(nan="skip").skips(value)
    assert not make(nan="propagate").skips(value)
    assert not make(nan="error").skips(value)
    with pytest.raises(ValueError, match='the value is NaN, and nan="error" was asked for'):
        make(nan="error").lift(value)


@pytest.mark.parametrize("over", [Sum, Product, Mean, Min, Max, Range, Var, Std, GeometricMean])
def test_a_propagated_nan_is_the_result(over):
    """Whatever else is in the window."""
    assert math.isnan(result(over(nan="propagate"), [1, NAN, 2.5]))


def test_a_propagated_nan_is_more_extreme_than_any_number():
    """So the oldest NaN wins, and is counted."""
    values = [(1, "a"), (NAN, "b"), (NAN, "c"), (math.inf, "d")]
    assert result(ArgMax(nan="propagate"), values) == "b"
    assert result(ArgMin(nan="propagate"), values) == "b"
    assert result(MaxCount(nan="propagate"), [1, NAN, NAN, math.inf]) == 2


@pytest.mark.parametrize("nan", ["ignore", None, "", 0])
def test_an_unknown_way_with_nan_is_refused(nan):
    """It says which there are."""
    with pytest.raises(ValueError, match='nan is "skip", "propagate" or "error"'):
        Sum(nan=nan)


# Descriptions


@pytest.mark.parametrize(
    ("over", "text"),
    [
        (Sum(), "Sum()"),
        (Sum("amount"), 'Sum("amount")'),
        (Sum("amount", nan="error"), 'Sum("amount", nan="error")'),
        (ArgMax("amount", "merchant"), 'ArgMax("amount", "merchant")'),
        (Concat("name", separator=", "), 'Concat("name", separator=", ")'),
        (Bloom(bits=64), "Bloom(bits=64)"),
        (Count('a "b"'), r'Count("a \"b\"")'),
    ],
)
def test_the_repr_makes_it_again(over, text):
    """What is written is what was said."""
    assert repr(over) == text
    assert eval(text) == over


@pytest.mark.parametrize("name", sorted(built_ins()))
def test_a_description_makes_it_again(name):
    """In plain values, so that it can be written anywhere."""
    make = built_ins()[name]
    for over in (make(), make("a", "b") if name in PAIRS else make("a")):
        description = over.to_dict()
        assert description.keys() == {"name", "columns", "options"}
        assert description["name"] == name
        assert dumps(description)
        again = Aggregation.from_dict(description)
        assert again == over
        assert hash(again) == hash(over)
        assert repr(again) == repr(over)


@pytest.mark.parametrize(
    "description",
    [
        {},
        {"name": "Sum"},
        {"name": "Sum", "columns": "amount", "options": {}},
        {"name": "Sum", "columns": [], "options": []},
        {"name": "Sum", "columns": [1], "options": {}},
        {"name": "Sum", "columns": ["a", "b"], "options": {}},
        {"name": "Sum", "columns": [], "options": {"nan": "maybe"}},
        {"name": "Sum", "columns": [], "options": {"column": "a"}},
        {"name": "Sum", "columns": [], "options": {1: 2}},
        {"name": "Bloom", "columns": [], "options": {"bits": 63}},
        {"name": "Bloom", "columns": [], "options": {"bits": [64]}},
        {"name": "os.system", "columns": ["true"], "options": {}},
        {"name": "Aggregation", "columns": [], "options": {}},
        None,
    ],
    ids=repr,
)
def test_a_description_that_describes_nothing_is_refused(description):
    """Only the table of built-ins is looked into."""
    with pytest.raises(AggregationError):
        Aggregation.from_dict(description)


def test_aggregations_are_equal_if_they_do_the_same():
    """By class, columns and options."""
    assert Sum("a") == Sum("a")
    assert Sum("a") != Sum("b")
    assert Sum("a") != Sum("a", nan="error")
    assert Sum() != Product()
    assert Sum() != "Sum()"
    assert len({Sum("a"), Sum("a"), Max("a")}) == 2


def test_columns():
    """None, one or two."""
    assert Sum().columns == ()
    assert Sum("a").columns == ("a",)
    assert ArgMin("a", "b").columns == ("a", "b")


INPUTS = {"ignored", "number", "real", "integer", "bool", "any", "keyed", "text", "hashable"}
INPUTS |= {"ordered", "measure", "amount"}


#: Their partials grow, or belong to another library.
IN_PYTHON = {"ApproxCountDistinct", "BottomK", "CollectDistinct", "CountDistinct", "CountMin", "FrequentItems"}
IN_PYTHON |= {"ApproxQuantiles", "Histogram", "IthYoungest", "Median", "Mode", "NaiveBayes", "Quantile", "Quantiles"}
IN_PYTHON |= {"Rank", "TopK"}


@pytest.mark.parametrize("name", sorted(built_ins()))
def test_a_built_in_names_its_native_twin(name):
    """The name of the kernel, how values are read, and plain parameters."""
    native = built_ins()[name]().native()
    if native is None:
        assert name in IN_PYTHON
        return
    assert isinstance(native, Native)
    assert native.row is not None or native.inputs in INPUTS
    parts = [native] if native.row is None else native.row.parts
    assert all(isinstance(value, (int, float, str, bool)) for part in parts for value in part.options.values())


def test_options_reach_the_native_twin():
    """What differs in the definition differs in the twin."""
    assert Var().native().options == {"ddof": 1, "root": False}
    assert Std(ddof=0).native().options == {"ddof": 0, "root": True}
    assert GeometricMean().native().options == {"geometric": True}
    assert Concat(separator=";").native().options == {"separator": ";"}
    assert Bloom(bits=128, hashes=2).native().options == {"bits": 128, "hashes": 2}


def test_a_separator_is_a_text():
    """Not a number, not None."""
    with pytest.raises(TypeError, match="separator is a text"):
        Concat(separator=None)


# Bloom

# From the core's hash.hpp: they must never change, since filters are kept in snapshots.
HASHES = [
    (0, 0xE220A8397B1DCDAF),
    (1, 0x910A2DEC89025CC1),
    (-1, 0xE4D971771B652C20),
    (2**63 - 1, 0x2A67D7552E039EA7),
    (-(2**63), 0x481EC0A212A9F3DB),
    (0.5, 0x5FD0F36D051585EC),
    (-0.0, 0xE220A8397B1DCDAF),
    (1e300, 0xEDED43BD05D1B54A),
    (math.inf, 0xEA8F06AA484E21CE),
    (math.nan, 0x199FC54ECB10491B),
    (2.0**63, 0x5B9F1BE6062D5B5C),
    (-(2.0**63), 0x481EC0A212A9F3DB),
    ("", 0x399CB48BC72E8D68),
    ("a", 0x9E4676A12A8E4769),
    ("12345678", 0xED478D1D08E1D8D8),
    ("123456789", 0x004F3DD25BA52544),
    ("größe", 0x1E41C53339EAF749),
    (b"", 0x8FFD3F943FAE5847),
    (b"a", 0x9C7205FC5E75F993),
    (b"\x00" * 9, 0x4319937C1C4E1E76),
]


@pytest.mark.parametrize(("value", "expected"), HASHES, ids=repr)
def test_hashes_are_stable_and_those_of_the_core(value, expected):
    """In every process, on every platform, in every version."""
    assert hash_value(value) == expected


def test_the_bits_of_a_filter_are_those_of_the_core():
    """Double hashing from the two halves of one hash."""
    over = Bloom(bits=64)
    assert over.combine(over.lift("a"), over.lift(7)) == 0x10000A0200800400


@given(st.lists(st.integers().filter(lambda i: abs(i) < 2**63) | st.text(st.characters(exclude_categories=["Cs"]))))
def test_a_filter_is_never_wrong_about_a_value_that_is_there(values):
    """No false negatives."""
    over = Bloom(bits=256, hashes=4)
    found = result(over, values)
    assert all(value in found for value in values)


def test_a_filter_is_seldom_wrong_about_a_value_that_is_not():
    """As seldom as it says."""
    found = result(Bloom(), range(1_000))
    wrong = sum(value in found for value in range(1_000, 11_000)) / 10_000
    assert wrong == pytest.approx(found.false_positive_rate, abs=0.005)
    assert found.estimated_count == pytest.approx(1_000, rel=0.05)


def test_numbers_of_one_value_are_one_value():
    """1, 1.0 and True; but not "1"."""
    found = result(Bloom(), [1])
    assert 1.0 in found
    assert True in found
    assert np.int64(1) in found
    assert "1" not in found


def test_a_full_filter_says_so():
    """It holds everything, so the estimate is infinite."""
    full = BloomFilter(64, 1, b"\xff" * 8)
    assert full.estimated_count == math.inf
    assert full.false_positive_rate == 1.0
    assert full.bits_set == 64


@pytest.mark.parametrize(
    ("bits", "hashes"), [(0, 3), (63, 3), (32, 3), (2**25, 3), (64.0, 3), (64, 0), (64, 17), (64, "3")]
)
def test_a_shape_that_is_none_is_refused(bits, hashes):
    """Powers of two, and a few hashes."""
    with pytest.raises(ValueError, match="must be"):
        Bloom(bits=bits, hashes=hashes)


def test_a_filter_needs_all_of_its_bytes():
    """Neither more nor fewer."""
    with pytest.raises(ValueError, match="64 bits has 8 bytes, not 7"):
        BloomFilter(64, 3, b"\x00" * 7)


@pytest.mark.parametrize("partial", [-1, 2**64, "x", None, True])
def test_a_damaged_filter_is_a_snapshot_error(partial):
    """It could not have come from here."""
    with pytest.raises(SnapshotError, match="not the bits of a filter"):
        Bloom(bits=64).decode(dumps(partial))


# Your own


class LongestRun(Aggregation):
    """The longest run of equal values: length, prefix, suffix; not commutative."""

    identity = None

    def lift(self, value):
        """(best, all, first value, its run, last value, its run)"""
        return (1, 1, value, 1, value, 1)

    def combine(self, older, newer):
        """Runs meet in the middle."""
        if older is None or newer is None:
            return newer if older is None else older
        joint = older[5] + newer[3] if older[4] == newer[2] else 0
        first = older[3] + newer[3] if older[3] == older[1] and joint else older[3]
        last = newer[5] + older[5] if newer[5] == newer[1] and joint else newer[5]
        return (max(older[0], newer[0], joint), older[1] + newer[1], older[2], first, newer[4], last)

    def lower(self, partial):
        """The length alone."""
        return 0 if partial is None else partial[0]


def test_a_class_of_your_own():
    """Three methods and an identity; the rest is there."""
    over = LongestRun()
    assert result(over, "aabbba") == 3
    assert over.empty == 0
    assert not over.invertible
    assert over.native() is None
    assert repr(over) == "LongestRun()"
    assert over == LongestRun()
    assert over.to_dict()["name"].endswith("test_aggregations.LongestRun")
    assert_lawful(over, "aabab")


@pytest.mark.parametrize("method", ["lift", "combine", "lower", "inverse"])
def test_a_method_that_is_missing_says_so(method):
    """With its name."""
    arguments = (1, 2) if method in ("combine", "inverse") else (1,)
    with pytest.raises(AggregationError, match="inverse" if method == "inverse" else method):
        getattr(Aggregation(), method)(*arguments)


def test_a_class_of_your_own_cannot_be_made_from_its_description():
    """Nothing is imported by name."""
    with pytest.raises(AggregationError, match="pass the aggregation itself"):
        Aggregation.from_dict(LongestRun().to_dict())


def test_a_class_that_changes_a_built_in_one_has_no_native_twin():
    """Or windows would run the twin and never call what was changed."""

    class Clipped(Sum):
        def lift(self, value):
            return min(super().lift(value), 10)

    class Named(Sum):
        note = "the same, by another name"

    assert Clipped().native() is None
    assert result(Clipped(), [50, 1]) == 11
    assert Named().native() == Sum().native()


@pytest.mark.parametrize("name", sorted(built_ins()))
def test_aggregations_travel_between_processes(name):
    """By pickle, as clusters do it, and by copy."""
    over = built_ins()[name]()
    assert pickle.loads(pickle.dumps(over)) == over
    assert copy.deepcopy(over) == over


@pytest.mark.parametrize("over", [First(), Last(), Collect(), ArgMax()], ids=repr)
def test_numbers_of_numpy_come_out_as_those_of_python(over):
    """Whatever a window of objects holds."""
    value = np.float32(0.5)
    found = result(over, [(1, value)] if isinstance(over, ArgMax) else [value])
    assert type(found[0] if isinstance(found, list) else found) is float


def test_a_class_that_takes_a_built_in_name_is_not_that_built_in():
    """Names in descriptions are the table's alone."""

    class Sum(Max):
        pass

    assert Sum().to_dict()["name"] != "Sum"


def test_an_aggregation_from_functions():
    """By keyword, with defaults where nothing is to be done."""
    over = aggregation(
        lift=lambda value: (value, 1),
        combine=lambda a, b: (a[0] + b[0], a[1] + b[1]),
        lower=lambda partial: partial[0] / partial[1] if partial[1] else None,
        identity=(0, 0),
        inverse=lambda whole, older: (whole[0] - older[0], whole[1] - older[1]),
        commutative=True,
        name="average",
        column="amount",
    )
    assert result(over, [1, 2]) == 1.5
    assert over.empty is None
    assert over.commutative
    assert over.invertible
    assert over.columns == ("amount",)
    assert repr(over) == "<aggregation average of 'amount'>"
    assert_lawful(over, [1, 2, 3])


def test_an_aggregation_from_functions_may_leave_most_out():
    """Values are partials are results."""
    over = aggregation(combine=math.gcd, identity=0)
    assert result(over, [12, 18]) == 6
    assert not over.commutative
    assert not over.invertible
    with pytest.raises(AggregationError, match="has no inverse"):
        over.inverse(1, 1)
    assert over.to_dict()["name"] == "aggregation:gcd"
    assert over == over
    assert over != aggregation(combine=max, identity=0)


def test_a_codec_of_your_own():
    """For partials that are not plain."""
    over = aggregation(
        combine=lambda a, b: a | b,
        identity=frozenset(),
        lift=lambda value: frozenset([value]),
        lower=len,
        encode=lambda partial: bytes(sorted(partial)),
        decode=frozenset,
    )
    assert over.encode(frozenset([3, 1])) == b"\x01\x03"
    assert_lawful(over, [1, 2, 3])


@pytest.mark.parametrize(
    "arguments",
    [
        {"combine": None, "identity": 0},
        {"combine": 3, "identity": 0},
        {"combine": max, "identity": 0, "lift": "x"},
        {"combine": max, "identity": 0, "inverse": 5},
        {"combine": max, "identity": 0, "encode": str},
        {"combine": max, "identity": 0, "decode": str},
    ],
)
def test_parts_that_do_not_make_an_aggregation_are_refused(arguments):
    """At once, not in the middle of a stream."""
    with pytest.raises(AggregationError):
        aggregation(**arguments)


def test_a_partial_that_is_not_plain_needs_a_codec():
    """And the message says so."""
    over = aggregation(combine=lambda a, b: a, identity=object())
    with pytest.raises(AggregationError, match=r"define encode\(\) and decode\(\)"):
        over.encode(over.identity)
