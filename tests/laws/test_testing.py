"""The law checks find what is broken and show it; the oracle is right."""

import copy
import datetime as dt
import subprocess
import sys

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sash import testing
from sash.aggregations import Aggregation, ArgMax, Collect, Concat, First, Last, Max, Mean, Sum, aggregation
from sash.errors import AggregationError, EmptyWindowError, OutOfOrderError
from sash.testing import LawError, Oracle, assert_lawful, same


def law_broken_by(broken, values=(1, 2, 4)):
    """The name of the law that it breaks."""
    with pytest.raises(LawError) as caught:
        assert_lawful(broken, values)
    assert repr(broken) in str(caught.value)
    return caught.value.law


class Wrong(Max):
    """A right aggregation, to be made wrong."""


def test_a_combine_that_is_not_associative_is_found():
    """The mean of means is not the mean."""
    average = aggregation(combine=lambda a, b: b if a is None else a if b is None else (a + b) / 2, identity=None)
    assert law_broken_by(average) == "associativity"


def test_the_counterexample_can_be_read():
    """The three values and both sides, by name and in the message."""
    minus = aggregation(combine=lambda a, b: a - b if b else a, identity=0, name="minus")
    with pytest.raises(LawError) as caught:
        testing.check_associative(minus, [1, 2])
    error = caught.value
    a, b, c = (error.operands[name] for name in "abc")
    assert error.left == ("combine(combine(a, b), c)", minus.combine(minus.combine(a, b), c))
    assert error.right == ("combine(a, combine(b, c))", minus.combine(a, minus.combine(b, c)))
    assert str(error).splitlines() == [
        "<aggregation minus> breaks the law of associativity:",
        f"  a = {a}",
        f"  b = {b}",
        f"  c = {c}",
        f"  combine(combine(a, b), c) = {error.left[1]}",
        f"  combine(a, combine(b, c)) = {error.right[1]}",
    ]


def test_a_wrong_identity_is_found():
    """The mistake that a geometric mean lived with for years: 0 for a product."""
    assert law_broken_by(aggregation(combine=lambda a, b: a * b, identity=0)) == "identity"


def test_an_identity_that_is_neutral_on_one_side_only_is_found():
    """Both sides are tried."""
    assert law_broken_by(aggregation(combine=lambda a, b: b, identity=0)) == "identity"


def test_a_wrong_inverse_is_found():
    """Newer minus older, not older minus newer."""
    total = aggregation(combine=lambda a, b: a + b, identity=0, inverse=lambda whole, older: older - whole)
    assert law_broken_by(total) == "inverse"


def test_a_false_claim_of_commutativity_is_found():
    """First is not commutative."""

    class Claim(First):
        commutative = True

    assert law_broken_by(Claim()) == "commutativity"


@pytest.mark.parametrize("method", ["lift", "combine", "lower", "inverse"])
def test_a_method_that_changes_its_arguments_is_found(method):
    """Windows share partials, so that would change other results."""

    class Careless(Aggregation):
        identity = ()

        def lift(self, value):
            return value.pop() and [1] if method == "lift" and value else list(value)

        def combine(self, older, newer):
            if method == "combine" and newer:
                newer.append(0)
            return [*older, *newer]

        def lower(self, partial):
            if method == "lower" and partial:
                partial.sort(reverse=True)
            return sum(partial)

        def inverse(self, whole, older):
            if method == "inverse" and whole:
                whole.clear()
            return whole[len(older) :]

    assert law_broken_by(Careless(), [[1, 2], [3]]) == "purity"


def test_a_changed_identity_is_found():
    """It is shared by all windows of the aggregation."""

    class Careless(Aggregation):
        def __init__(self):
            self.identity = []

        def lift(self, value):
            return [value]

        def combine(self, older, newer):
            self.identity += newer
            return older + newer

        def lower(self, partial):
            return len(partial)

    assert law_broken_by(Careless()) == "purity"


def test_changes_of_objects_without_equality_are_found():
    """They are compared by their attributes."""

    class Box:
        def __init__(self, total):
            self.total = total

    def careless(older, newer):
        older.total += newer.total
        return older

    boxes = aggregation(lift=Box, combine=careless, lower=lambda box: box.total, identity=Box(0))
    assert law_broken_by(boxes) == "purity"


def test_a_codec_that_loses_something_is_found():
    """What is read back must be what was written."""
    lossy = aggregation(combine=max, identity=0, encode=lambda partial: b"", decode=lambda data: 0)
    assert law_broken_by(lossy) == "codecs"


def test_a_codec_that_gives_no_bytes_is_refused():
    """With the name of the method."""
    with pytest.raises(AggregationError, match="must give bytes"):
        assert_lawful(aggregation(combine=max, identity=0, encode=str, decode=int), [1])


def test_a_declared_empty_result_that_is_not_the_lowered_identity_is_found():
    """One meaning of the empty window."""

    class Claim(Sum):
        empty = None

    assert law_broken_by(Claim()) == "the empty window"


def test_a_lift_of_the_wrong_type_is_found():
    """The message names the method that failed, what it was given, and shows the user's own error."""
    wrong = aggregation(lift=str, combine=lambda a, b: a + b, identity=0, name="wrong")
    with pytest.raises(LawError) as caught:
        assert_lawful(wrong, [7])
    assert caught.value.law == "types"
    assert str(caught.value).splitlines()[:4] == [
        "<aggregation wrong> breaks the law of types:",
        "  a = 0",
        "  b = '7'",
        """  combine(a, b) = TypeError("unsupported operand type(s) for +: 'int' and 'str'")""",
    ]
    assert isinstance(caught.value.__cause__, TypeError)


@pytest.mark.parametrize("method", ["lift", "combine", "lower", "inverse", "encode", "decode"])
def test_a_method_that_fails_is_named_with_what_it_was_given(method):
    """Whichever of them it is."""

    def fail(*arguments):
        raise KeyError("lost")

    methods = {
        "lift": abs,
        "combine": max,
        "lower": abs,
        "inverse": lambda whole, older: whole,
        "encode": lambda partial: bytes([partial]),
        "decode": lambda data: data[0],
    }
    broken = aggregation(**{**methods, method: fail}, identity=0, name="broken")
    check = testing.check_codec if method in ("encode", "decode") else testing.check_pure
    with pytest.raises(LawError, match=rf"{method}\(.*\) = KeyError\('lost'\)") as caught:
        check(broken, [5])
    assert caught.value.law == "types"


def test_the_smallest_counterexample_comes_first():
    """Single values before pairs, and the identity before both."""
    shaky = aggregation(combine=lambda a, b: a if not b else b if not a else 10 * a - b, identity=0, name="shaky")
    with pytest.raises(LawError) as caught:
        testing.check_associative(shaky, [1, 2, 3])
    assert list(caught.value.operands.values()) == [1, 1, 1]


def test_a_long_counterexample_is_shortened_in_the_message_and_whole_in_the_fields():
    """A page of numbers shows nothing."""
    with pytest.raises(LawError) as caught:
        testing.check_commutative(Collect(), [0, *range(500)])
    assert all(len(line) < 1000 for line in str(caught.value).splitlines())
    lossy = aggregation(combine=lambda a, b: a + b, identity=b"", encode=lambda a: b"", decode=lambda data: b"")
    with pytest.raises(LawError) as caught:
        testing.check_codec(lossy, [bytes(5000)])
    assert len(str(caught.value)) < 2000
    assert caught.value.operands["a"] == bytes(5000)


def test_many_values_do_not_make_the_checks_slow():
    """Combines are counted: all triples of a few partials, and one walk over the rest."""
    combines = 0

    def combine(older, newer):
        nonlocal combines
        combines += 1
        return older + newer

    assert_lawful(aggregation(combine=combine, identity=0, commutative=True), range(1000))
    assert combines < 50_000


def test_a_breach_among_many_values_is_found():
    """Neighbours beyond the first few are tried too."""
    late = aggregation(combine=lambda a, b: a if not b else b if not a else min(a + b, 7), identity=0, name="late")
    assert_lawful(late, [1, 2, 3])
    odd = aggregation(combine=lambda a, b: a + b if 500 not in (a, b) or not a or not b else 0, identity=0, name="odd")
    assert_lawful(odd, [1, 2, 3])
    assert law_broken_by(odd, [*range(1, 60), 500]) == "associativity"


# Laws of what uses times


class Span(Aggregation):
    """From the first to the last event; right as long as the older comes first."""

    timed = True
    identity = None

    def lift(self, value, time):
        return time, time

    def combine(self, older, newer):
        if older is None or newer is None:
            return newer if older is None else older
        return older[0], newer[1]

    def lower(self, partial):
        return None if partial is None else partial[1] - partial[0]


def test_timed_aggregations_are_tried_in_the_order_of_time():
    """The times 0, 1, 2 are given to lift, and what came later is never the older one."""
    seen = []

    class Watched(Span):
        def combine(self, older, newer):
            if older is not None and newer is not None:
                seen.append((older, newer))
            return super().combine(older, newer)

    assert_lawful(Watched(), ["a", None, "b", "c"])
    assert seen
    assert all(older[1] < newer[0] for older, newer in seen)
    assert {time for older, newer in seen for time in older + newer} == {0, 1, 2}


def test_a_timed_combine_that_is_not_associative_is_found():
    """The gap between neighbours, forgetting where they end."""

    class Gaps(Span):
        def combine(self, older, newer):
            if older is None or newer is None:
                return newer if older is None else older
            return older[0], newer[0]

    assert law_broken_by(Gaps(), "abcd") == "associativity"


def test_a_false_claim_of_commutativity_is_found_where_times_are_used():
    """The claim is tried on neighbours, turned around."""

    class Claim(Span):
        commutative = True

    assert law_broken_by(Claim(), "ab") == "commutativity"


def test_a_timed_lift_that_takes_no_time_is_found():
    """It says which method."""

    class Forgetful(Span):
        def lift(self, value):
            return 0, 0

    with pytest.raises(LawError, match=r"lift\(value, time\) = TypeError"):
        assert_lawful(Forgetful(), "ab")


# Approximate aggregations


def test_an_approximate_aggregation_says_what_is_close():
    """Its own word is taken, and only where the partials differ; the codec must still lose nothing."""

    class Rounded(Aggregation):
        identity = 0

        def lift(self, value):
            return value

        def combine(self, older, newer):
            return (older + newer) // 2 * 2 if older and newer else older + newer

        def lower(self, partial):
            return partial

    class Close(Rounded):
        def close(self, a, b):
            return abs(a - b) <= 4

    class Strict(Rounded):
        def close(self, a, b):
            return False

    class Lossy(Close):
        def encode(self, partial):
            return bytes([partial // 2])

        def decode(self, data):
            return data[0] * 2

    values = [1, 2, 3]
    assert law_broken_by(Rounded(), values) == "associativity"
    assert law_broken_by(Strict(), values) == "associativity"
    assert_lawful(Close(), values)
    assert law_broken_by(Lossy(), values) == "codecs"


# Values


def test_an_aggregation_of_your_own_may_name_its_inputs():
    """Then there are strategies and nasty values for it."""

    class Total(Aggregation):
        identity = 0
        inputs = "integer"

        def lift(self, value):
            return value

        def combine(self, older, newer):
            return older + newer

        def lower(self, partial):
            return partial

    assert 2**63 - 1 in testing.nasty_values(Total())

    @given(st.lists(testing.values_for(Total(), nasty=True), max_size=3))
    def check(values):
        assert_lawful(Total(), values)

    check()


def test_an_unknown_word_for_inputs_is_refused():
    """With the words that there are."""

    class Odd(Max):
        inputs = "colours"

    with pytest.raises(AggregationError, match="ignored, number, real"):
        testing.values_for(Odd())


def test_floats_are_compared_within_a_tolerance():
    """0.1 + 0.2 + 0.3 depends on the order; how much it may is the user's to say."""
    values = [0.1, 0.2, 0.3]
    assert_lawful(Sum(), values)
    with pytest.raises(LawError):
        assert_lawful(Sum(), values, tolerance=0.0)
    plain = aggregation(combine=lambda a, b: a + b, identity=0.0)
    with pytest.raises(LawError):
        assert_lawful(plain, values)
    assert_lawful(plain, values, tolerance=1e-12)


def test_nulls_are_left_out_of_the_laws():
    """As they are left out of windows."""
    assert_lawful(Mean(), [None, float("nan"), 1.0])


def test_the_laws_need_no_hypothesis():
    """Only the strategies do."""
    code = (
        "import sys; sys.modules['hypothesis'] = None\n"
        "import sash.testing, sash.aggregations\n"
        "sash.testing.assert_lawful(sash.aggregations.Sum(), [1, 2])\n"
    )
    subprocess.run([sys.executable, "-c", code], check=True)


def test_only_you_know_which_values_your_aggregation_takes():
    """There is no strategy for what is not built in."""
    with pytest.raises(AggregationError, match="only you know"):
        testing.values_for(aggregation(combine=max, identity=0))


def test_same_looks_into_containers():
    """Where == would be wrong about NaN, or too strict about rounding."""
    nan = float("nan")
    assert same({"a": [nan, (1.0,)]}, {"a": [nan, (1.0,)]})
    assert not same([1.0], [1.0, 2.0])
    assert not same({"a": 1}, {"b": 1})
    assert not same(1.0, "1")
    assert not same((1,), [1])
    assert same(1e9, 1e9 + 0.1, tolerance=1e-9)
    assert not same(1.0, 1.0 + 1e-6, tolerance=1e-9)


# The oracle


def test_equal_times_combine_older_first_in_order_of_arrival():
    """Also within a bulk, also out of order."""
    #  1    2    3
    #  b    a,c  d
    window = Oracle(Concat())
    window.insert(2, "a")
    window.bulk_insert([1, 3, 2], ["b", "d", "c"])
    assert window.query() == "bacd"
    assert list(window.items()) == [(1, "b"), (2, "ac"), (3, "d")]


def test_both_ends_of_a_range_are_in():
    """And None leaves an end open."""
    window = Oracle(Concat())
    window.bulk_insert([1, 2, 3], "abc")
    assert window.query(1, 2) == "ab"
    assert window.query(2) == "bc"
    assert window.query(None, 2) == "ab"
    assert window.query(1.5, 2.5) == "b"
    assert window.query(4, 9) is None
    assert window.query(3, 1) is None


def test_evictions():
    """The oldest, one anywhere, all up to a time."""
    window = Oracle(Concat())
    window.bulk_insert(range(6), "abcdef")
    window.evict()
    assert window.evict(3)
    assert not window.evict(3)
    assert not window.evict(3.5)
    assert window.query() == "bcef"
    window.bulk_evict(2.5)
    assert window.query() == "ef"
    assert (len(window), window.oldest, window.youngest) == (2, 4, 5)
    window.clear()
    assert (len(window), window.query()) == (0, None)


@pytest.mark.parametrize("ask", [Oracle.evict, lambda window: window.oldest, lambda window: window.youngest])
def test_an_empty_window_has_nothing_to_give(ask):
    """The same error as of the fast windows."""
    with pytest.raises(EmptyWindowError):
        ask(Oracle(Sum()))


def test_nulls_change_nothing():
    """No entry, no result; not even the kind of time is decided."""
    window = Oracle(Sum())
    window.insert(1, None)
    window.insert(2, float("nan"))
    assert len(window) == 0
    window.insert(dt.datetime(2024, 1, 1), 5)
    assert window.query() == 5


def test_in_order_windows_refuse_late_events_and_stay_as_they_were():
    """Equal times are not late."""
    window = Oracle(Collect(), in_order=True)
    window.bulk_insert([1, 1, 2], [1, 2, 3])
    with pytest.raises(OutOfOrderError):
        window.insert(1, 9)
    with pytest.raises(OutOfOrderError):
        window.bulk_insert([3, 2], [4, 9])
    assert list(window.items()) == [(1, [1, 2]), (2, [3])]


def test_a_failed_bulk_changes_nothing():
    """A wrong value, a wrong time, lengths that differ."""
    window = Oracle(Sum())
    window.insert(1, 1)
    for moments, values in [([2, 3], [1, "x"]), ([2, "x"], [1, 1]), ([2, 3], [1]), ([0.5, 2], [1, "x"])]:
        with pytest.raises((TypeError, ValueError)):
            window.bulk_insert(moments, values)
    assert repr(list(window.items())) == "[(1, 1)]"


def test_a_float_among_integer_times_makes_all_of_them_floats():
    """If they are floats exactly."""
    window = Oracle(Sum())
    window.bulk_insert([1, 2.5], [1, 1])
    assert window.oldest == 1.0
    assert type(window.oldest) is float
    other = Oracle(Sum())
    other.insert(2**53 + 1, 1)
    with pytest.raises(TypeError, match="no float64 exactly"):
        other.insert(0.5, 1)


@given(st.lists(st.tuples(st.integers(0, 5), st.integers(0, 3)), max_size=8))
def test_the_oracle_agrees_with_sorting(events):
    """A stable sort by time, and a fold: there is no simpler definition of a window."""
    window = Oracle(ArgMax())
    last = Oracle(Last())
    for time, value in events:
        window.insert(time, (value, time))
        last.insert(time, value)
    ordered = sorted(events, key=lambda event: event[0])
    window.check_invariants()
    expected = max(ordered, key=lambda event: event[1])[0] if ordered else None
    assert window.query() == expected
    assert last.query() == (ordered[-1][1] if ordered else None)


def test_a_copy_is_a_window_of_its_own():
    """Changing one leaves the other."""
    window = Oracle(Sum())
    window.insert(1, 1)
    twin = window.copy()
    twin.insert(2, 2)
    assert (window.query(), twin.query()) == (1, 3)
    assert copy.deepcopy(twin).query() == 3


def test_without_hypothesis_the_laws_run_on_values_that_are_given():
    """Only the strategies need it, and say so."""
    code = (
        "import sys; sys.modules['hypothesis'] = None\n"
        "import sash, sash.testing\n"
        "sash.testing.assert_lawful(sash.Sum(), [1, 2, 3])\n"
        "sash.testing.assert_lawful(sash.Concat(), sash.testing.nasty_values(sash.Concat()))\n"
        "try: sash.testing.values_for(sash.Sum())\n"
        "except ImportError as error: print(error)\n"
    )
    ran = subprocess.run([sys.executable, "-c", code], check=True, capture_output=True, text=True)
    assert "pip install hypothesis" in ran.stdout
