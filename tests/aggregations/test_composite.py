"""Many aggregations over one window give what each gives over a window of its own."""

import copy
import datetime as dt
import math
import pickle

import numpy as np
import pandas as pd
import pyarrow as pa
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import sash
from sash import Aggregation, AggregationError, Composite, Window
from sash.results import Record
from sash.testing import assert_lawful, same

from .cases import NAN, clock
from .test_your_own import ALGORITHMS as WITHOUT_INVERSE
from .test_your_own import Firm, calls_of, check_failures

TOLERANCE = 1e-7
#: Each of the many combinations gets a few examples.
FEW = settings(max_examples=max(10, settings.default.max_examples // 4))


class Trail(Aggregation):
    """An aggregation of one's own: every value with its time, oldest first."""

    timed = True
    identity = ()

    def __init__(self, column=None):
        self.column = column

    def lift(self, value, time):
        return ((time, value),)

    def combine(self, older, newer):
        return older + newer

    def lower(self, partial):
        return list(partial)

    # Times of every kind, some of which codecs do not know.

    def encode(self, partial):
        return pickle.dumps(partial)

    def decode(self, data):
        return pickle.loads(data)


class Longest(Aggregation):
    """An aggregation of one's own with `skips` of its own: the longest text, the oldest on ties."""

    identity = ""

    def __init__(self, column=None):
        self.column = column

    def skips(self, value):
        return value is None or value == "a"

    def lift(self, value):
        return value

    def combine(self, older, newer):
        return newer if len(newer) > len(older) else older

    def lower(self, partial):
        return partial


#: Every built-in of a fixed size: `whole` has integers, `real` both kinds, `size` positive numbers, `true` bools.
FIXED = {
    "rows": sash.Count(),
    "counted": sash.Count("real"),
    "total": sash.Sum("whole"),
    "real_total": sash.Sum("real"),
    "nan_total": sash.Sum("real", nan="propagate"),
    "product": sash.Product("true"),
    "mean": sash.Mean("real"),
    "geometric": sash.GeometricMean("size"),
    "harmonic": sash.HarmonicMean("size"),
    "variance": sash.Var("real"),
    "population": sash.Var("whole", ddof=0),
    "deviation": sash.Std("real"),
    "spread": sash.Std("real", ddof=0),
    "least": sash.Min("real"),
    "nan_least": sash.Min("real", nan="propagate"),
    "most": sash.Max("whole"),
    "nan_most": sash.Max("real", nan="propagate"),
    "range": sash.Range("real"),
    "least_count": sash.MinCount("real"),
    "most_count": sash.MaxCount("whole"),
    "bits": sash.BitOr("whole"),
    "common": sash.BitAnd("whole"),
    "some": sash.Any("true"),
    "every": sash.All("true"),
    "skewness": sash.Skewness("real"),
    "kurtosis": sash.Kurtosis("whole"),
    "covariance": sash.Covariance("real", "size"),
    "correlation": sash.Correlation("whole", "size"),
    "line": sash.LinearRegression("size", "whole"),
    "weighted": sash.WeightedMean("real", "size"),
    "delta": sash.Delta("whole"),
    "real_delta": sash.Delta("real"),
}
#: Those that use the times.
TIMED = {
    "m4": sash.M4("real"),
    "run": sash.LongestIncreasingRun("whole"),
    "decayed": sash.DecayedSum("real", half_life=2),
    "rate": sash.Rate(),
    "value_rate": sash.Rate("real", of="values"),
    "held": sash.TimeWeightedMean("real"),
}
#: Those whose partials are Python objects; most are not commutative.
OBJECTS = {
    "said": sash.Concat("text"),
    "all": sash.Collect("real"),
    "who": sash.ArgMax("whole", "text"),
    "which": sash.ArgMin("size"),
    "first": sash.First("text"),
    "last": sash.Last("real"),
    "words": sash.CountDistinct("text"),
    "longest": Longest("text"),
    "trail": Trail("whole"),
    "middle": sash.IthYoungest("text", i=1),
}
EVERYTHING = {**FIXED, **TIMED, **OBJECTS}

#: Nulls and NaN come to each column by itself.
rows = st.fixed_dictionaries(
    {
        "whole": st.none() | st.integers(-3, 3),
        "real": st.none() | st.integers(-9, 9) | st.floats(-9, 9, width=16) | st.just(NAN),
        "size": st.none() | st.integers(1, 9) | st.floats(0.5, 9, width=16),
        "text": st.none() | st.sampled_from(["a", "b", "cc", "dd", ""]),
        "true": st.none() | st.booleans(),
    }
)
#: Few times, so that some are equal and some are late.
events = st.lists(st.tuples(st.integers(0, 7), rows), max_size=10)


def in_order(drawn):
    """The same events by their times."""
    return sorted(drawn, key=lambda event: event[0])


def row(**values):
    """One row; a column that is not named is null."""
    return {"whole": None, "real": None, "size": None, "text": None, "true": None, **values}


class Apart:
    """The members, each in a window of its own."""

    def __init__(self, members, algorithm, one=None):
        self.together = Composite(**members)
        self.windows = one or {name: Window(member, algorithm) for name, member in members.items()}

    def insert(self, time, event):
        for window in self.windows.values():
            window.insert(time, event)

    def bulk_evict(self, time):
        for window in self.windows.values():
            window.bulk_evict(time)

    def check(self, answer, *ends):
        assert answer.keys() == self.together.names
        for name, window in self.windows.items():
            member, expected = self.together.members[name], window.query(*ends)
            tolerance = 0.0 if member.exact else TOLERANCE
            assert same(answer[name], expected, tolerance, scale=100.0), (name, answer[name], expected)


def check_side_by_side(members, algorithm, drawn):
    """One window beside many: every answer after every step, down to the last eviction."""
    can = sash.algorithms.ALGORITHMS[algorithm]
    window, apart = Window(Composite(**members), algorithm), Apart(members, algorithm)
    for time, event in drawn if can.late else in_order(drawn):
        window.insert(time, event)
        apart.insert(time, event)
        apart.check(window.query())
        window.check_invariants()
    if can.ranges and (can.late or algorithm == "flatfat") and len(window):
        apart.check(window.query(window.oldest + 1, 5), window.oldest + 1, 5)
    while len(window):
        oldest = window.oldest
        window.evict()
        apart.bulk_evict(oldest)
        apart.check(window.query())
        window.check_invariants()


# Side by side


@pytest.mark.parametrize("algorithm", WITHOUT_INVERSE)
def test_every_member_answers_as_in_a_window_of_its_own(algorithm):
    """Built-in members, those that use times and those in Python, with nulls and NaN here and there."""

    @given(events)
    def check(drawn):
        check_side_by_side(EVERYTHING, algorithm, drawn)

    check()


@pytest.mark.parametrize("algorithm", WITHOUT_INVERSE)
@pytest.mark.parametrize("members", [FIXED | TIMED, TIMED, {"total": FIXED["total"], "range": FIXED["range"]}], ids=len)
def test_records_of_any_size_run_without_python(members, algorithm):
    """A few words lie in the nodes, many beside them: the answers are the same."""

    @FEW
    @given(events)
    def check(drawn):
        check_side_by_side(members, algorithm, drawn)

    check()


@pytest.mark.parametrize("name", FIXED | TIMED)
def test_a_single_member_is_a_record_of_one(name):
    """The smallest records, each with its own width."""

    @FEW
    @given(events)
    def check(drawn):
        check_side_by_side({name: EVERYTHING[name]}, "fiba", drawn)

    check()


def test_what_has_an_inverse_may_be_subtracted():
    """A Composite has one if all members have; in Python and not."""
    members = {name: member for name, member in FIXED.items() if member.invertible and "nan" not in name}
    assert {"rows", "total", "mean"} <= members.keys()
    append = sash.aggregation(
        combine=lambda a, b: a + b, inverse=lambda whole, a: whole[len(a) :], identity="", column="text", name="append"
    )

    @given(events)
    def check(drawn):
        check_side_by_side(members, "subtract_on_evict", drawn)
        check_side_by_side({**members, "append": append}, "subtract_on_evict", drawn)

    check()
    with pytest.raises(AggregationError, match="needs an inverse"):
        Window(Composite(total=sash.Sum("x"), most=sash.Max("x")), "subtract_on_evict")


@given(events)
def test_an_event_that_all_members_skip_is_skipped(drawn):
    """It leaves no trace: the times are those of the events that a member took."""
    window = Window(Composite(total=sash.Sum("whole"), longest=Longest("text")))
    for time, event in drawn:
        window.insert(time, event)
    taken = {time for time, event in drawn if event["whole"] is not None or event["text"] not in (None, "a")}
    assert [time for time, _ in window.items()] == sorted(taken)
    window.insert(100, None)
    assert len(window) == len(taken)


# Kinds of numbers and times


@pytest.mark.parametrize("algorithm", WITHOUT_INVERSE)
@pytest.mark.parametrize("extra", [{}, {"said": sash.Concat("text")}], ids=["native", "mixed"])
def test_a_float_in_a_column_of_integers_promotes_that_column_alone(algorithm, extra):
    """What was kept is converted; the other columns stay integers."""
    names = ["real_total", "total", "product", "least", "most", "range", "delta", "real_delta", "least_count", "m4"]
    members = {name: EVERYTHING[name] for name in names} | extra
    window, apart = Window(Composite(**members), algorithm), Apart(members, algorithm)
    for time, real in enumerate([3, -2, 5, 0.5, 4]):
        event = row(real=real, whole=time, true=True, text="ab"[time % 2])
        window.insert(time, event)
        apart.insert(time, event)
        apart.check(window.query())
    answer = window.query()
    kinds = {name: type(answer[name]) for name in ("real_total", "total", "least", "most", "range", "real_delta")}
    assert kinds == {
        "real_total": float,
        "total": int,
        "least": float,
        "most": int,
        "range": float,
        "real_delta": float,
    }
    assert answer.m4.first == sash.results.Point(0, 3.0)
    window.evict()
    apart.bulk_evict(0)
    apart.check(window.query())


@pytest.mark.parametrize("algorithm", ["fiba", "daba_lite", "recalc"])
@pytest.mark.parametrize(
    "when",
    [int, float, clock, lambda second: np.datetime64("2024-02-28", "ns") + np.timedelta64(second, "s")],
    ids=["int", "float", "datetime", "datetime64"],
)
def test_members_that_use_times_take_every_kind(when, algorithm):
    """The times in their answers are those that came."""

    @FEW
    @given(events)
    def check(drawn):
        members = TIMED | {"trail": OBJECTS["trail"], "said": OBJECTS["said"]}
        check_side_by_side_at(members, algorithm, [(when(time), event) for time, event in in_order(drawn)])

    check()


def check_side_by_side_at(members, algorithm, drawn):
    """Times of any kind, in order."""
    window, apart = Window(Composite(**members), algorithm), Apart(members, algorithm)
    for time, event in drawn:
        window.insert(time, event)
        apart.insert(time, event)
    apart.check(window.query())
    again = Window.restore(window.snapshot(), window.aggregation)
    apart.check(again.query())
    if drawn:
        again.bulk_evict(drawn[len(drawn) // 2][0])
        apart.bulk_evict(drawn[len(drawn) // 2][0])
        apart.check(again.query())


@pytest.mark.parametrize("algorithm", ["fiba", "two_stacks_lite"])
def test_a_float_time_promotes_the_times_that_members_keep(algorithm):
    """Integers until then, floats from then on, in the partials too."""
    members = TIMED | {"trail": OBJECTS["trail"]}
    window, apart = Window(Composite(**members), algorithm), Apart(members, algorithm)
    for time, whole in [(1, 2), (3, 1), (4.5, 6), (7, 0)]:
        window.insert(time, row(whole=whole, real=whole))
        apart.insert(time, row(whole=whole, real=whole))
        apart.check(window.query())
    assert [type(point.time) for point in window.query().m4] == [float] * 4
    assert window.query().rate == 0.5


def test_months_have_no_length():
    """A member that measures seconds refuses them, and nothing changes."""
    window = Window(Composite(rate=sash.Rate(), total=sash.Sum("x")))
    with pytest.raises(TypeError, match="no length in seconds"):
        window.insert(np.datetime64("2024-02", "M"), {"x": 1})
    assert len(window) == 0


# Windows as a whole


def filled(drawn, members=EVERYTHING, algorithm="fiba"):
    """A window and its members apart."""
    window, apart = Window(Composite(**members), algorithm), Apart(members, algorithm)
    for time, event in in_order(drawn):
        window.insert(time, event)
        apart.insert(time, event)
    return window, apart


@pytest.mark.parametrize("algorithm", WITHOUT_INVERSE)
@pytest.mark.parametrize("members", [FIXED | TIMED, EVERYTHING], ids=["native", "mixed"])
def test_snapshots_pickles_and_copies_are_as_good_as_the_window(members, algorithm):
    """Equal bytes, equal answers, and each goes on by itself."""

    @FEW
    @given(events, st.tuples(st.just(9), rows))
    def check(drawn, more):
        window, apart = filled(drawn, members, algorithm)
        blob = window.snapshot()
        twins = [Window.restore(blob, window.aggregation), pickle.loads(pickle.dumps(window)), window.copy()]
        for twin in twins:
            assert twin.snapshot() == blob
            twin.insert(*more)
            twin.check_invariants()
        assert window.snapshot() == blob
        apart.insert(*more)
        for twin in twins:
            apart.check(twin.query())

    check()


def test_a_snapshot_of_built_in_members_needs_no_aggregation():
    """Its description has all of them, in their order."""
    window = Window(Composite(total=sash.Sum("x"), a=sash.ArgMax("x", "who"), m=sash.Mean("y", nan="error")))
    window.bulk_insert([1, 2], [{"x": 1, "y": 2.5, "who": "ada"}, {"x": 3, "y": None, "who": "bob"}])
    again = Window.restore(window.snapshot())
    assert again.aggregation == window.aggregation
    assert again.query() == Record(("total", "a", "m"), (4, "bob", 2.5))
    with pytest.raises(sash.SnapshotError, match="restore it with its own aggregation"):
        Window.restore(window.snapshot(), Composite(total=sash.Sum("x")))


@pytest.mark.parametrize("members", [FIXED | TIMED, EVERYTHING], ids=["native", "mixed"])
def test_merging_is_inserting_what_the_other_has(members):
    """At equal times, that of the other is the newer."""

    @given(events, events)
    def check(ours, theirs):
        window, apart = filled(ours, members)
        other, _ = filled(theirs, members)
        window.merge(other)
        window.check_invariants()
        for time, event in in_order(theirs):
            apart.insert(time, event)
        apart.check(window.query())

    check()


@pytest.mark.parametrize("algorithm", ["fiba", "btree", "amta", "log_mta"])
def test_a_policy_sees_records(algorithm):
    """It may look at any member."""
    members = {"total": sash.Sum("whole"), "said": sash.Concat("text")}
    window = Window(Composite(**members), algorithm)
    for time, text in enumerate("abcdef"):
        window.insert(time, row(whole=time, text=text))
    window.evict_while(lambda total, old: total.total - old.total >= 9 and total.said.startswith(old["said"]))
    assert window.query() == (9, "ef")


# Bulk


FRAMES = {
    "dict of lists": lambda columns: columns,
    "dict of arrays": lambda columns: {name: np.array(values) for name, values in columns.items()},
    "pandas": pd.DataFrame,
    "pandas with nulls of its own": lambda columns: pd.DataFrame(columns).convert_dtypes(),
    "polars": lambda columns: pytest.importorskip("polars").DataFrame(columns, strict=False),
    "arrow": pa.table,
    "record batch": pa.RecordBatch.from_pydict,
    "rows": lambda columns: [dict(zip(columns, event, strict=True)) for event in zip(*columns.values(), strict=True)],
}
COLUMNS = {"whole": [3, 1, 2, 3], "real": [0.5, NAN, -1.5, 4.0], "size": [1.0, 2.0, 4.0, 8.0], "true": [True] * 4}


@pytest.mark.parametrize("frame", FRAMES)
@pytest.mark.parametrize("members", [FIXED | TIMED, EVERYTHING], ids=["native", "mixed"])
def test_a_frame_is_its_rows(members, frame):
    """Whoever made it; late and equal times included; NaN is NaN, but for pandas' own types, which have nulls."""
    columns = COLUMNS | ({"text": ["b", "a", "cc", "dd"]} if members is EVERYTHING else {})
    times = [3, 1, 2, 3]
    window, apart = Window(Composite(**members)), Apart(members, "fiba")
    window.bulk_insert(times, FRAMES[frame](columns))
    if frame == "pandas with nulls of its own":
        columns["real"] = [None if real != real else real for real in columns["real"]]
    for time, event in zip(times, FRAMES["rows"](columns), strict=True):
        apart.insert(time, event)
    apart.check(window.query())
    window.check_invariants()


@pytest.mark.parametrize("frame", FRAMES)
def test_a_null_in_a_frame_is_a_null_of_its_column_alone(frame):
    """The other columns of that row count."""
    columns = {"whole": [3, None, 2], "real": [None, 1.5, None]}
    window = Window(
        Composite(n=sash.Count(), whole=sash.Count("whole"), total=sash.Sum("whole"), high=sash.Max("real"))
    )
    window.bulk_insert([1, 2, 3], FRAMES[frame](columns))
    assert window.query() == (3, 2, 5, 1.5)


@given(events, events)
def test_many_rows_at_once_are_as_one_after_the_other(first, then):
    """Into a window that holds something, columns of another kind included."""
    window, apart = filled(first)
    window.bulk_insert([time for time, _ in then], [event for _, event in then])
    for time, event in then:
        apart.insert(time, event)
    apart.check(window.query())


# Refusals


REFUSED = [
    (lambda w: w.insert(5, {"whole": 1}), KeyError, "the row has no column 'text'"),
    (lambda w: w.insert(5, 7), TypeError, "a row is needed, a mapping with the column 'whole', not 7"),
    (lambda w: w.insert(5, "whole"), TypeError, "a row is needed"),
    (lambda w: w.insert(5, [1, 2]), TypeError, "a row is needed"),
    (lambda w: w.insert(5, {"whole": "x", "text": "a"}), TypeError, "a number is needed"),
    (lambda w: w.insert(5, {"whole": 1, "text": 2}), TypeError, "text"),
    (lambda w: w.insert(5, {"whole": 2**64, "text": "a"}), OverflowError, "does not fit in 64 bits"),
    (lambda w: w.insert(5, {"whole": 0.5, "text": "a"}), TypeError, "is no float64 exactly"),
    (lambda w: w.bulk_insert([5], {"whole": [1]}), KeyError, "no column 'text'"),
    (lambda w: w.bulk_insert([5, 6], {"whole": [1], "text": ["a"]}), ValueError, "2 times and 1 values"),
    (lambda w: w.bulk_insert([5, 6], [{"whole": 1, "text": "a"}]), ValueError, "2 times and 1 values"),
    (lambda w: w.bulk_insert([5, 6], [{"whole": 1, "text": "a"}, {"text": "b"}]), KeyError, "no column 'whole'"),
    (lambda w: w.bulk_insert([5, 6], [{"whole": n, "text": "a"} for n in (1, 2**63)]), OverflowError, "64 bits"),
]


@pytest.mark.parametrize(("call", "error", "message"), REFUSED)
@pytest.mark.parametrize("mixed", [False, True], ids=["native", "mixed"])
def test_what_is_refused_changes_nothing(mixed, call, error, message):
    """One member's refusal is everybody's."""
    members = {"total": sash.Sum("whole"), "most": sash.Max("whole"), "texts": sash.Count("text")}
    if mixed:
        members["said"] = sash.Concat("text")
    elif message == "text":
        pytest.skip("counting takes anything")
    window = Window(Composite(**members))
    window.bulk_insert([1, 2], [{"whole": 2**62, "text": "a"}, {"whole": 3, "text": "b"}])
    before = window.snapshot(), window.query()
    with pytest.raises(error, match=message):
        call(window)
    assert (window.snapshot(), window.query()) == before
    window.check_invariants()


@pytest.mark.parametrize("method", ["lift", "combine", "lower"])
@pytest.mark.parametrize("algorithm", WITHOUT_INVERSE)
def test_a_failure_of_one_member_changes_none(algorithm, method):
    """Whichever call it happens in, and at whichever step: words and objects stay together."""

    class Troubled(Composite):
        def __init__(self):
            super().__init__(mine=Firm(), said=sash.Concat(), n=sash.Count(), first=sash.First())
            self.arm, self.disarm = self.members["mine"].arm, self.members["mine"].disarm

    found = {
        name: check_failures(Troubled, algorithm, method, name, call) for name, call in calls_of(algorithm).items()
    }
    assert sum(found.values()), "the failure was reached"


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (lambda: Composite(), "needs a member"),
        (lambda: Composite(total=3), "total: an aggregation is needed"),
        (lambda: Composite(inner=Composite(a=sash.Sum())), "inner is a Composite itself"),
        (lambda: Composite(keys=sash.Sum()), "'keys' cannot be a field"),
        (lambda: Composite(_hidden=sash.Sum()), "'_hidden' cannot be a field"),
        (
            lambda: Window(Composite(**{f"s{i}": sash.Sum(f"x{i}") for i in range(257)})),
            "at most 256 different columns",
        ),
    ],
)
def test_what_is_no_composite_is_refused(make, message):
    """With the name that is at fault."""
    with pytest.raises(AggregationError, match=message):
        make()


# What it is


def test_members_that_compute_the_same_share_a_partial():
    """The variance and its root are two results of one partial only if they are asked for alike."""
    alone = Window(Composite(a=sash.Mean("x")))
    both = Window(Composite(a=sash.Mean("x"), b=sash.Mean("x"), c=sash.Mean("x", nan="skip")))
    for window in (alone, both):
        window.bulk_insert(range(1000), {"x": np.arange(1000.0)})
    assert both.query() == (499.5, 499.5, 499.5)
    assert both.memory() == alone.memory()
    row_of = Composite(a=sash.Sum("x"), b=sash.Sum("y"), c=sash.Sum("x", nan="propagate"), d=sash.Sum("x")).native().row
    assert [result.position for result in row_of.results] == [0, 1, 2, 0]


def test_an_empty_window_gives_what_its_members_give():
    """Before the first event, in an empty range, and after the last; a list is the caller's own."""
    window = Window(Composite(**EVERYTHING))
    expected = tuple(member.empty for member in EVERYTHING.values())
    assert window.query() == expected == window.aggregation.empty
    window.query().all.append(1)
    assert window.query() == expected
    window.insert(1, row(whole=1, real=2.0, size=1, text="x", true=True))
    assert window.query(2, 3) == expected
    window.evict()
    assert window.query() == expected


def test_members_without_columns_take_the_whole_value():
    """Values need not be rows then."""
    window = Window(Composite(count=sash.Count(), total=sash.Sum(), where=sash.Collect()))
    window.bulk_insert([1, 2, 3], [5, None, 7])
    assert window.query() == (2, 12, [5, 7])
    window = Window(Composite(move=sash.Covariance(), pairs=sash.Collect()))
    window.bulk_insert([1, 2], [(1.0, 2.0), (3.0, 6.0)])
    assert window.query() == (4.0, [(1.0, 2.0), (3.0, 6.0)])


def test_a_record_is_a_tuple_with_names():
    """By name, by key, by place; equal to the tuple; named like any result."""
    record = Record(("total", "count", "a b"), (12, 3, None))
    assert (record.total, record["total"], record[0], record[-1]) == (12, 12, 12, None)
    assert (record.count, record["a b"]) == (3, None)
    assert record == (12, 3, None)
    assert hash(record) == hash((12, 3, None))
    assert record.keys() == ("total", "count", "a b")
    assert dict(record) == dict(record.items()) == {"total": 12, "count": 3, "a b": None}
    assert repr(record) == "Record(total=12, count=3, a b=None)"
    for again in (pickle.loads(pickle.dumps(record)), copy.copy(record), copy.deepcopy(record)):
        assert (again, again.keys(), type(again)) == (record, record.keys(), type(record))
    assert Record(("x",), (7,)).index(7) == Record(("x",), (7,)).count(7) - 1 == 0
    with pytest.raises(AttributeError, match="no field 'mean': it has total, count, a b"):
        _ = record.mean
    with pytest.raises(KeyError, match="no field 'mean'"):
        record["mean"]


def test_a_description_makes_it_again():
    """With all members in their order; its pickle has no more than they have."""
    made = Composite(
        **{name: member for name, member in EVERYTHING.items() if not isinstance(member, (Trail, Longest))}
    )
    made.native()
    for again in (Aggregation.from_dict(made.to_dict()), pickle.loads(pickle.dumps(made)), copy.deepcopy(made)):
        assert again == made
        assert hash(again) == hash(made)
        assert again.names == made.names
    assert "_row" in vars(made)
    assert "_row" not in vars(pickle.loads(pickle.dumps(made)))
    assert eval(repr(made), vars(sash)) == made
    assert Composite(a=sash.Sum(), b=sash.Max()) != Composite(b=sash.Max(), a=sash.Sum())
    assert made.columns == ("real", "whole", "true", "size", "text")


@pytest.mark.parametrize(
    "members", [None, 1, [1], [["a"]], [["a", 1]], [[1, sash.Sum().to_dict()]], [["a", sash.Sum().to_dict()]] * 2]
)
def test_a_description_of_nothing_is_refused(members):
    """A damaged one is no TypeError from inside."""
    with pytest.raises(AggregationError, match="describes no"):
        Aggregation.from_dict({"name": "Composite", "columns": [], "options": {"members": members}})


def test_what_it_declares_is_what_its_members_declare():
    """All of them, or it does not."""
    assert Composite(a=sash.Sum(), b=sash.Max()).commutative
    assert not Composite(a=sash.Sum(), b=sash.First()).commutative
    assert not Composite(a=sash.Sum(), b=sash.Max()).exact
    assert Composite(a=sash.Count(), b=sash.Max()).exact
    assert Composite(a=sash.Rate(), b=sash.Max()).timed
    assert not Composite(a=sash.Sum(), b=sash.Max()).invertible


@given(st.lists(rows, max_size=3))
def test_the_laws_hold(drawn):
    """Of members that are exact, together as alone."""
    exact = {name: member for name, member in EVERYTHING.items() if member.exact and "nan" not in name}
    assert {"said", "who", "most", "m4"} <= exact.keys()
    assert_lawful(Composite(**exact), drawn)


def test_a_member_that_breaks_a_law_is_found():
    """A Composite is held to the laws of all its members."""
    minus = sash.aggregation(combine=lambda a, b: a - b, identity=0, column="x", name="minus")
    with pytest.raises(sash.testing.LawError, match="breaks the law"):
        assert_lawful(Composite(total=sash.Sum("x"), wrong=minus), [{"x": 1}, {"x": 2}])


def test_a_story():
    """Purchases, one of them late: what was spent, where most, and how it went."""
    #  9:00   9:10   9:20   9:30
    #  bread         cinema           then, late: tea at 9:10
    at = lambda minute: dt.datetime(2024, 5, 1, 9, minute, tzinfo=dt.UTC)  # noqa: E731
    window = Window(
        Composite(spent=sash.Sum("amount"), shop=sash.ArgMax("amount", "shop"), path=sash.Concat("shop", separator=">"))
    )
    window.insert(at(0), {"amount": 4, "shop": "bread"})
    window.insert(at(20), {"amount": 30, "shop": "cinema"})
    assert window.query() == (34, "cinema", "bread>cinema")
    window.insert(at(10), {"amount": 2.5, "shop": "tea"})
    assert window.query() == (36.5, "cinema", "bread>tea>cinema")
    assert window.query(at(0), at(10)) == (6.5, "bread", "bread>tea")
    window.bulk_evict(at(10))
    assert window.query() == (30.0, "cinema", "cinema")
    assert math.isclose(window.query().spent, 30)
