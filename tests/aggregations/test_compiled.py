"""A compiled aggregation gives what the interpreted one gives; what cannot be compiled is refused with the reason."""

import pickle
import sys
from functools import cache
from typing import NamedTuple

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import sash
from sash import Aggregation, AggregationError, Composite, Window
from sash.testing import Oracle, same

from .test_your_own import ALGORITHMS as WITHOUT_INVERSE

pytest.importorskip("numba")

TOLERANCE = 1e-9
#: Each of the many combinations gets a few examples.
FEW = settings(max_examples=max(10, settings.default.max_examples // 4))


class Total(Aggregation):
    """The sum, with its inverse."""

    identity = 0.0
    commutative = True
    exact = False

    def lift(self, value):
        return value

    def combine(self, older, newer):
        return older + newer

    def inverse(self, whole, older):
        return whole - older

    def lower(self, partial):
        return partial


class Mean(Total):
    """A float and an integer; None for an empty window."""

    identity = (0.0, 0)
    inverse = Aggregation.inverse

    def lift(self, value):
        return (value, 1)

    def combine(self, older, newer):
        return (older[0] + newer[0], older[1] + newer[1])

    def lower(self, partial):
        if partial[1] == 0:
            return None
        return partial[0] / partial[1]


class Peak(Aggregation):
    """The second column where the first is greatest, the oldest on ties: not commutative."""

    identity = (False, 0.0, 0)

    def __init__(self, *columns):
        self.column = columns or None

    def lift(self, value):
        key, argument = value
        return (True, key, argument)

    def combine(self, older, newer):
        if newer[0] and (not older[0] or newer[1] > older[1]):
            return newer
        return older

    def lower(self, partial):
        return partial[2] if partial[0] else None


class Variance(Aggregation):
    """Welford's, by Chan's formula."""

    identity = (0.0, 0.0, 0.0)
    exact = False

    def lift(self, value):
        return (1.0, value, 0.0)

    def combine(self, older, newer):
        count = older[0] + newer[0]
        if count == 0.0:
            return older
        step = newer[1] - older[1]
        mean = older[1] + step * newer[0] / count
        return (count, mean, older[2] + newer[2] + step * step * older[0] * newer[0] / count)

    def lower(self, partial):
        return partial[2] / partial[0] if partial[0] else 0.0


class Fingerprint(Aggregation):
    """A polynomial hash of the sequence: every order has another one."""

    identity = (0, 1)
    base = 257
    prime = 1_000_003

    def lift(self, value):
        return ((value + 1000) % self.prime, self.base)

    def combine(self, older, newer):
        return ((older[0] * newer[1] + newer[0]) % self.prime, older[1] * newer[1] % self.prime)

    def lower(self, partial):
        return partial[0]


class Affine(Aggregation):
    """Numbers of the instance, one of them NumPy's, one that hides a number of the class."""

    identity = 0.0
    exact = False
    factor = 1.0

    def __init__(self, factor, offset):
        self.factor = factor
        self.offset = np.float64(offset)

    def lift(self, value):
        return value * self.factor + self.offset

    def combine(self, older, newer):
        return older + newer

    def lower(self, partial):
        return partial


class Summary(NamedTuple):
    """A result with names."""

    low: float
    high: float
    count: int
    rising: bool


class Summarised(Aggregation):
    """Floats, an integer and a bool; a NamedTuple or None."""

    identity = (0.0, 0.0, 0.0, 0.0, 0, True)  # low, high, first, last, count, rising

    def lift(self, value):
        return (value, value, value, value, 1, True)

    def combine(self, older, newer):
        if older[4] == 0:
            return newer
        if newer[4] == 0:
            return older
        rising = older[5] and newer[5] and older[3] < newer[2]
        return (min(older[0], newer[0]), max(older[1], newer[1]), older[2], newer[3], older[4] + newer[4], rising)

    def lower(self, partial):
        if partial[4] == 0:
            return None
        return Summary(partial[0], partial[1], partial[4], partial[5])


class Rising(Summarised):
    """A bool."""

    def lower(self, partial):
        return partial[5]


class Ends(Summarised):
    """A plain tuple."""

    def lower(self, partial):
        return (partial[2], partial[3], partial[4])


class Odd(Aggregation):
    """Bools in, bools between."""

    identity = False
    commutative = True

    def lift(self, value):
        return value

    def combine(self, older, newer):
        return older != newer

    def lower(self, partial):
        return partial


def product():
    """From functions; an integer identity that turns into a float."""
    return sash.aggregation(combine=lambda a, b: a * b, lift=lambda v: 1 + v / 100, identity=1, name="product")


reals = st.integers(-8, 8).map(float) | st.floats(-8, 8, width=32)
#: What is compiled, the kind of its values, and values.
CASES = {
    "total": (Total(), None, reals),
    "mean": (Mean(), None, reals),
    "peak": (Peak(), ("float", "int"), st.tuples(reals, st.integers(-9, 9))),
    "variance": (Variance(), None, reals),
    "fingerprint": (Fingerprint(), "int", st.integers(-9, 9)),
    "affine": (Affine(2.5, -1), None, reals),
    "summary": (Summarised(), None, reals),
    "rising": (Rising(), None, reals),
    "ends": (Ends(), None, reals),
    "odd": (Odd(), "bool", st.booleans()),
    "product": (product(), None, reals),
}
#: Tuples and branches take seconds each to compile.
LONG = ("mean", "summary", "rising", "ends")
NAMES = [pytest.param(name, marks=pytest.mark.slow) if name in LONG else name for name in CASES]


@cache
def compiled(name):
    """Compiled once for all tests."""
    aggregation, kinds, _ = CASES[name]
    return sash.compiled(aggregation, value=kinds)


def agree(native, python, name):
    """Equal and of one type; equal within rounding where floats are rounded."""
    tolerance = 0.0 if CASES[name][0].exact and name != "product" else TOLERANCE
    assert same(native, python, tolerance, scale=100.0), (native, python)
    if tolerance == 0.0:
        assert type(native) is type(python)
    if isinstance(python, tuple):
        assert [type(field) for field in native] == [type(field) for field in python]


def events_of(name, ordered):
    """Few times, so that some are equal and some are late; nulls."""
    drawn = st.lists(st.tuples(st.integers(0, 9), st.none() | CASES[name][2]), max_size=12)
    return drawn.map(lambda events: sorted(events, key=lambda event: event[0])) if ordered else drawn


# The same answers


@pytest.mark.parametrize("algorithm", WITHOUT_INVERSE)
@pytest.mark.parametrize("name", NAMES)
def test_the_compiled_agrees_with_the_interpreted(name, algorithm):
    """After every insertion and every eviction, with late events where the algorithm takes them."""

    @FEW
    @given(events_of(name, ordered=not sash.algorithms.ALGORITHMS[algorithm].late))
    def check(events):
        window, oracle = Window(compiled(name), algorithm), Oracle(CASES[name][0])
        for time, value in events:
            window.insert(time, value)
            oracle.insert(time, value)
            agree(window.query(), oracle.query(), name)
        while len(oracle):
            window.evict()
            oracle.evict()
            agree(window.query(), oracle.query(), name)
        assert len(window) == 0
        window.check_invariants()

    check()


@pytest.mark.parametrize("name", NAMES)
def test_it_agrees_in_bulk_in_parts_and_merged(name):
    """Arrays, range queries, bulk evictions, merges, copies."""

    @given(events_of(name, ordered=False), events_of(name, ordered=False))
    def check(first, then):
        window, oracle, other = Window(compiled(name)), Oracle(CASES[name][0]), Window(compiled(name))
        window.bulk_insert([time for time, _ in first], [value for _, value in first])
        other.bulk_insert([time for time, _ in then], [value for _, value in then])
        twin = window.copy()
        window.merge(other)
        for events in (first, sorted(then, key=lambda event: event[0])):
            oracle.bulk_insert([time for time, _ in events], [value for _, value in events])
        agree(window.query(), oracle.query(), name)
        agree(window.query(2, 6), oracle.query(2, 6), name)
        for side in (window, oracle):
            side.bulk_evict(4)
        agree(window.query(), oracle.query(), name)
        assert len(twin) == len({time for time, value in first if value is not None})

    check()


@pytest.mark.parametrize("name", NAMES)
def test_it_survives_snapshots(name):
    """Equal bytes, and it goes on."""

    @FEW
    @given(events_of(name, ordered=True), CASES[name][2])
    def check(events, more):
        window = Window(compiled(name), "daba")
        window.bulk_insert([time for time, _ in events], [value for _, value in events])
        again = Window.restore(window.snapshot(), compiled(name))
        assert again.snapshot() == window.snapshot()
        for side in (window, again):
            side.insert(10, more)
        agree(again.query(), window.query(), name)

    check()


def test_an_inverse_is_compiled_too():
    """So that totals may be subtracted."""
    window = Window(compiled("total"), "subtract_on_evict")
    window.bulk_insert([1, 2, 3], [4.0, 5.0, 6.0])
    window.evict()
    assert window.query() == 11.0
    assert compiled("total").invertible
    assert not compiled("mean").invertible


@cache
def peak_of_columns():
    """Compiled once."""
    return sash.compiled(Peak("x", "n"), value=("float", "int"))


@pytest.mark.parametrize("algorithm", ["fiba", "two_stacks_lite"])
@pytest.mark.parametrize("extra", [{}, {"said": sash.Concat("text")}], ids=["native", "mixed"])
def test_it_is_a_member_like_any_other(algorithm, extra):
    """Beside built-ins and Python objects; a null in one of its columns is a null."""
    members = {"peak": peak_of_columns(), "total": sash.Sum("x"), "first": sash.First("n"), **extra}
    window, apart = Window(Composite(**members), algorithm), Oracle(Composite(**members))
    events = [(1.5, 3, "a"), (2.5, None, "b"), (None, 9, "c"), (2.0, 7, None), (2.0, 8, "e")]
    for time, (x, n, text) in enumerate(events):
        for side in (window, apart):
            side.insert(time, {"x": x, "n": n, "text": text})
        assert window.query() == apart.query()
    assert window.query().peak == 7
    again = Window.restore(window.snapshot(), window.aggregation)
    again.evict()
    assert (again.query().peak, again.query().first) == (7, 9)


def test_arrays_and_nan():
    """NaN is an ordinary number unless the aggregation skips it."""

    class Patient(Total):
        nan = "skip"

    values = np.array([1.0, np.nan, 2.0])
    window, patient = Window(compiled("total")), Window(sash.compiled(Patient()))
    for side in (window, patient):
        side.bulk_insert(np.arange(3), values)
    assert np.isnan(window.query())
    assert (patient.query(), len(patient)) == (3.0, 2)


def test_its_python_methods_are_those_of_the_original():
    """So that whatever has no native form of it still runs."""
    peak, original = compiled("peak"), CASES["peak"][0]
    assert peak.lower(peak.combine(peak.lift((1.0, 2)), peak.lift((1.0, 3)))) == 2
    assert peak.empty is original.empty is None
    assert peak.decode(peak.encode(peak.lift((1.0, 2)))) == (True, 1.0, 2)
    assert peak.skips((1.0, None))
    assert not peak.skips((1.0, 2))
    assert repr(peak).startswith("compiled(")
    sash.testing.assert_lawful(peak, [(1.0, 2), (1.0, 3), (0.5, 4)])


def test_pickles_are_compiled_anew():
    """Addresses hold in one process only, and are in no pickle."""
    both = Composite(mean=compiled("mean"), total=sash.Sum())
    window = Window(both)
    window.bulk_insert([1, 2], [3.0, 5.0])
    again = pickle.loads(pickle.dumps(window))
    assert again.query() == (4.0, 8.0)
    assert again.aggregation == both
    mean = again.aggregation.members["mean"]
    assert mean.functions()["combine"] != compiled("mean").functions()["combine"]
    assert hash(mean) == hash(compiled("mean"))
    assert compiled("mean") != compiled("total")


def test_compiling_twice_is_compiling_once():
    """What is compiled stays as it is; another kind of values is another one."""
    assert sash.compiled(compiled("odd")) is compiled("odd")
    assert sash.compiled(compiled("odd"), value="bool") is compiled("odd")
    with pytest.raises(AggregationError, match="already: compile its original"):
        sash.compiled(compiled("odd"), value="float")


def test_a_snapshot_tells_it_from_the_interpreted():
    """Their partials are written in different ways."""
    window = Window(compiled("mean"))
    window.insert(1, 2.0)
    with pytest.raises(sash.SnapshotError, match="restore it with its own aggregation"):
        Window.restore(window.snapshot(), CASES["mean"][0])
    with pytest.raises(sash.SnapshotError, match="not known here"):
        Window.restore(window.snapshot())


# Errors in compiled code


class Wary(Aggregation):
    """Values that fall are an error, in lift, in combine or in lower."""

    identity = (0.0, 0.0, False)

    def lift(self, value):
        if value < 0.0:
            raise ValueError("negative")
        return (value, value, True)

    def combine(self, older, newer):
        if not older[2]:
            return newer
        if not newer[2]:
            return older
        if older[1] > newer[0]:
            raise ValueError("falling")
        return (older[0], newer[1], True)

    def lower(self, partial):
        return 1.0 / (partial[1] - partial[0]) if partial[2] else None


@cache
def wary():
    """Compiled once."""
    return sash.compiled(Wary())


@pytest.mark.parametrize("algorithm", WITHOUT_INVERSE)
@pytest.mark.parametrize(
    "call",
    [lambda w: w.insert(5, -1.0), lambda w: w.insert(5, 1.0), lambda w: w.bulk_insert([5, 6, 7], [8.0, 9.0, 8.5])],
    ids=["lift", "combine", "in bulk"],
)
def test_an_error_in_compiled_code_refuses_the_event(algorithm, call):
    """With the way to see more, and without a trace in the window."""
    window = Window(wary(), algorithm)
    window.bulk_insert([1, 2, 3], [1.0, 2.0, 3.0])
    before = window.snapshot()
    with pytest.raises(AggregationError, match="a compiled function raised an error: run the aggregation uncompiled"):
        call(window)
    assert (window.snapshot(), window.query()) == (before, 0.5)
    window.insert(5, 5.0)
    assert window.query() == 0.25


@pytest.mark.parametrize("algorithm", ["fiba", "btree", "recalc"])
def test_an_error_in_the_middle_lasts_until_its_event_has_left(algorithm):
    """A late event that fits the end but not its place: answers that need it are errors, evictions are not."""
    #  1: 1.0   2: 5.0   then late, at 1.5: 7.0, which 5.0 may not follow
    window = Window(wary(), algorithm)
    window.bulk_insert([1.0, 2.0], [1.0, 5.0])
    window.insert(1.5, 7.0)
    with pytest.raises(AggregationError, match="compiled function raised"):
        window.query()
    assert window.query(1.0, 1.5) == 1 / 6
    assert "unknown" in repr(window)
    assert window.evict(1.5)
    assert window.query() == 0.25


def test_a_division_by_zero_is_an_error_as_it_is_in_python():
    """Never an infinity that the interpreted would not give."""
    window, plain = Window(wary()), Window(Wary())
    for side in (window, plain):
        side.insert(1, 2.0)
    with pytest.raises(ZeroDivisionError):
        plain.query()
    with pytest.raises(AggregationError, match="compiled function raised"):
        window.query()
    window.insert(2, 4.0)
    assert window.query() == 0.5


def test_an_empty_result_that_is_an_error_is_one_when_it_is_asked_for():
    """Not before: the window can be made."""

    class Inverse(Total):
        def lower(self, partial):
            return 1.0 / partial

    window = Window(sash.compiled(Inverse()))
    with pytest.raises(ZeroDivisionError):
        window.query()
    window.insert(1, 4.0)
    assert window.query() == 0.25


# What cannot be compiled


def variant(**changes):
    """A sum with another method or attribute."""
    return type("Variant", (Total,), {"inverse": Aggregation.inverse, **changes})()


@pytest.mark.parametrize(
    ("aggregation", "message"),
    [
        (variant(identity=(0.0, (1.0,))), r"the identity has tuple \(\(1.0,\)\)"),
        (variant(identity=None), "the identity has NoneType"),
        (variant(identity="x"), "the identity has str"),
        (variant(identity=()), "1 to 63 numbers, and the identity 0"),
        (variant(identity=(0.0,) * 64), "1 to 63 numbers, and the identity 64"),
        (variant(identity=2**64), "the identity has int .* of 64 bits"),
        (variant(lift=lambda self, v: (v, v)), "lift of .* gives .*, and the identity is 0.0: all partials"),
        (variant(combine=lambda self, a, b: (a,)), "combine of .* gives .* all partials must have its shape"),
        (variant(lift=lambda self, v: str(v)), "lift of .* it must give a number"),
        (variant(lift=lambda self, v: v if v > 0 else None), "lift of .* it must give a number"),
        (variant(lower=lambda self, p: {"a": p}), "lower of .* it must give a number"),
        (variant(lower=lambda self, p: "high"), "lower of .* it must give a number"),
        (variant(lower=lambda self, p: None), "lower of .* it must give a number"),
        (variant(lower=lambda self, p: ((p, p), p)), "lower of .* it must give a number"),
        (variant(table=[1.0], lift=lambda self, v: self.table[0]), r"lift of .* it reads self.table \(list\)"),
        (variant(_x=1.0, lift=lambda self, v: self._x), r"lift of .* it reads self._x \(float\), .* public names"),
        (variant(big=2**70, lift=lambda self, v: self.big), r"lift of .* it reads self.big \(int\)"),
        (variant(combine=lambda self, a, b: self.lift(a)), r"combine of .* it reads self.lift \(method\)"),
        (variant(lift=lambda self, v: sorted(vars(v))), "lift of .* cannot be compiled: .*vars"),
        (variant(lift=lambda self, v: unknown_name(v)), "lift of .* cannot be compiled: .*unknown_name"),  # noqa: F821
        (variant(combine=lambda self, a: a), "combine of .* cannot be compiled"),
        (variant(timed=True), "lift of .* takes the time"),
        (variant(skips=lambda self, value: False), "skips of .* runs in Python only"),
        (sash.aggregation(combine=lambda a, b: a + b, identity=[], name="lists"), "the identity has list"),
        (sash.Sum(), "is compiled already"),
        (7, "an aggregation is needed, not 7"),
    ],
)
def test_what_cannot_be_compiled_says_which_method_and_why(aggregation, message):
    """Before any window is made of it."""
    with pytest.raises(AggregationError, match=message):
        sash.compiled(aggregation)


def test_a_number_that_the_instance_hides_is_not_read():
    """What the method would read is what counts."""

    class Hidden(Affine):
        def __init__(self):
            super().__init__(1.0, 0.0)
            self.factor = "two"

    with pytest.raises(AggregationError, match=r"it reads self.factor \(str\)"):
        sash.compiled(Hidden())


@pytest.mark.parametrize(
    ("aggregation", "value", "message"),
    [
        (Total(), "text", 'value is "float", "int" or "bool"'),
        (Total(), (), "a tuple of 1 to 8"),
        (Total(), ("float",) * 9, "a tuple of 1 to 8"),
        (Peak("x", "n"), ("float",), "reads 2 columns, and value names 1 kinds"),
    ],
)
def test_kinds_of_values_are_named_one_a_column(aggregation, value, message):
    """Of three there are."""
    with pytest.raises(AggregationError, match=message):
        sash.compiled(aggregation, value=value)


@pytest.mark.parametrize(
    ("name", "value", "error"),
    [
        ("total", "x", TypeError),
        ("fingerprint", 2.5, TypeError),
        ("peak", 1.0, TypeError),
        ("peak", (1.0, 2, 3), TypeError),
        ("peak", (1.0, 2.5), TypeError),
    ],
)
def test_a_value_of_another_kind_is_refused(name, value, error):
    """As the core reads numbers: an integer serves as a float, a float as no integer."""
    window = Window(compiled(name))
    with pytest.raises(error):
        window.insert(1, value)
    assert len(window) == 0


def test_without_numba_the_error_says_what_to_install(monkeypatch):
    """Numba is an extra."""
    monkeypatch.setitem(sys.modules, "numba", None)
    with pytest.raises(ImportError, match=r"sash.compiled needs Numba: pip install 'numba"):
        sash.compiled(Total())
