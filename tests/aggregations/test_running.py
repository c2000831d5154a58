"""Quantiles, ranks and distinct counts over windows that change anywhere: exact, and O(log n) a change."""

import functools
import itertools
import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import sash
from sash.testing import check_running, same

ROWS = sash.Composite(
    middle=sash.Median("v"),
    kinds=sash.CountDistinct("v"),
    place=sash.Rank("v", method="max"),
    order=sash.Concat("s"),
    total=sash.Sum("v"),
    many=sash.Quantile("v", 0.9, where=sash.col("v") > 0),
)
OVER = [
    sash.Median(),
    sash.Median(nan="propagate"),
    sash.Quantiles(at=[0, 0.3, 1], interpolation="nearest"),
    sash.CountDistinct(),
    sash.Rank(),
    sash.Rank(method="dense", pct=True),
]

times = st.integers(0, 40)
values = st.sampled_from([0, 1, 1.0, -0.0, 2.5, -7, math.inf, math.nan, None]) | st.integers(-50, 50)
steps = st.lists(
    st.one_of(
        st.tuples(st.just("insert"), times, values),
        st.tuples(st.just("bulk_insert"), st.lists(st.tuples(times, values), max_size=20)),
        st.tuples(st.just("evict")),
        st.tuples(st.just("evict_at"), times),
        st.tuples(st.just("bulk_evict"), times),
        st.tuples(st.just("copy")),
        st.tuples(st.just("restore")),
        st.tuples(st.just("clear")),
    ),
    max_size=30,
)


def as_row(value):
    return {"v": value, "s": "-" if value is None or value != value else str(value)}


def combined(aggregation, values):
    """What the definition gives: all partials combined, oldest first."""
    lifted = [aggregation.lift(value) for value in values if not aggregation.skips(value)]
    return functools.reduce(aggregation.combine, lifted, aggregation.identity)


class Model:
    """The values at each time, in the order in which they came."""

    def __init__(self, aggregation):
        self.aggregation = aggregation
        self.at = {}

    def insert(self, time, value):
        if not self.aggregation.skips(value):
            self.at.setdefault(time, []).append(value)

    def result(self, start=-math.inf, end=math.inf):
        inside = [self.at[time] for time in sorted(self.at) if start <= time <= end]
        return self.aggregation.lower(combined(self.aggregation, itertools.chain(*inside)))


def changed(window, model, step):
    """Both after the step; a copy and a restored window go on in place of the first."""
    match step:
        case ("insert", time, value):
            window.insert(time, value)
            model.insert(time, value)
        case ("bulk_insert", events):
            window.bulk_insert([time for time, _ in events], [value for _, value in events])
            for event in events:
                model.insert(*event)
        case ("evict",) if model.at:
            window.evict()
            del model.at[min(model.at)]
        case ("evict_at", time):
            assert window.evict(time) == (model.at.pop(time, None) is not None)
        case ("bulk_evict", end):
            window.bulk_evict(end)
            model.at = {time: kept for time, kept in model.at.items() if time > end}
        case ("clear",):
            window.clear()
            model.at.clear()
        case ("copy",):
            return window.copy()
        case ("restore",):
            return sash.Window.restore(window.snapshot(), window.aggregation)
    return window


def check(window, model):
    """The whole, each event, and the bytes: those of a window that got the same events in order."""
    window.check_invariants()
    assert same(window.query(), model.result())
    assert same(list(window.items()), [(time, model.result(time, time)) for time in sorted(model.at)])
    twin = sash.Window(window.aggregation)
    for time in sorted(model.at):
        for value in model.at[time]:
            twin.insert(time, value)
    assert window.snapshot() == twin.snapshot()


@pytest.mark.parametrize("over", OVER, ids=repr)
@given(steps=steps, part=st.tuples(times, times))
def test_a_window_that_changes_anywhere_gives_what_its_definition_gives(over, steps, part):
    """Late and equal times, evictions from the middle and in bulk, copies and snapshots between them."""
    window, model = sash.Window(over), Model(over)
    for step in steps:
        window = changed(window, model, step)
        assert same(window.query(), model.result())
        assert same(window.query(*part), model.result(*part))
    check(window, model)


@given(steps=steps)
def test_members_of_a_record_do_too(steps):
    """Beside members that are compiled, that are not commutative, and that have a condition."""
    window, model = sash.Window(ROWS), Model(ROWS)
    for step in steps:
        match step:
            case ("insert", time, value):
                step = ("insert", time, as_row(value))
            case ("bulk_insert", events):
                step = ("bulk_insert", [(time, as_row(value)) for time, value in events])
        window = changed(window, model, step)
        assert same(window.query(), model.result())
    check(window, model)


class Counted(sash.Median):
    """A median that counts what goes in and out, and whose partials are never combined."""

    def __init__(self, *args, **options):
        super().__init__(*args, **options)
        self.calls = 0

    def combine(self, older, newer):
        raise AssertionError("nothing is combined")

    def running(self):
        values, outer = sash.Median.running(self), self

        class Values:
            def add(self, partial):
                outer.calls += 1
                values.add(partial)

            def remove(self, partial):
                outer.calls += 1
                values.remove(partial)

            result = values.result

        return Values()


def test_an_event_of_a_window_enters_and_leaves_once():
    """Whatever its time; the query takes nothing in or out. One entry costs O(log n): see ordered_multiset_test.cpp."""
    rng = np.random.default_rng(3)
    counted = Counted()
    window = sash.Window(counted)
    order = rng.permutation(4_000)
    window.bulk_insert(order[:1_000], order[:1_000].astype(float))
    window.query()
    counted.calls = 0
    for late, gone in zip(order[1_000:], rng.permutation(order[:3_000]), strict=True):
        window.insert(int(late), float(late))
        window.evict(int(gone))
        window.query()
    assert counted.calls <= 2 * 3_000
    window.bulk_evict(2_000)
    assert window.query() == np.median([time for time, _ in window.items()])
    assert counted.calls <= 2 * 4_000


@pytest.mark.parametrize("in_order", [False, True])
def test_a_window_of_events_in_order_keeps_the_running_form_too(in_order):
    """No algorithm that combines is chosen for what is dear to combine."""
    assert sash.Window(sash.Median(), in_order=in_order).algorithm == "fiba"
    assert sash.Window(sash.Max(), in_order=in_order).algorithm == ("two_stacks_lite" if in_order else "fiba")


def test_windows_by_other_algorithms_combine_and_take_what_fiba_has():
    """A merge into one of them is a merge of partials."""
    late, plain = sash.Window(sash.Median()), sash.Window(sash.Median(), algorithm="btree")
    late.bulk_insert([3, 1, 3, 3], [5, 1, 2, 9])
    plain.bulk_insert([2, 3], [4, 4])
    plain.merge(late)
    late.merge(plain)
    assert plain.query() == 4.0
    assert late.query() == np.median([5, 1, 2, 9, 4, 4, 5, 1, 2, 9])


class Slow(sash.Median):
    """Without the running form: partials are combined."""

    def running(self):
        return None


def slow(**options):
    return sash.Sliding(sash.Composite(m=Slow("v"), n=sash.Count("v")), **options)


def quick(**options):
    return sash.Sliding(sash.Composite(m=sash.Median("v"), n=sash.Count("v")), **options)


@pytest.mark.parametrize("emit", ["arrival", "final", "update"])
@pytest.mark.parametrize(
    "policy", [[sash.TimeWindow(60), sash.TimeWindow(9)], sash.CountWindow(40), sash.TumblingWindow(50), "session"]
)
def test_an_operator_gives_what_combining_gives(emit, policy):
    """Several windows and keys, late events, revisions, calls that fail between them, and a snapshot."""
    rng = np.random.default_rng(11)
    policy = sash.SessionWindow(8) if policy == "session" else policy
    options = {"windows": policy, "by": "k", "on": "t", "emit": emit, "lateness": 30}
    one, other = quick(**options), slow(**options)
    for place in range(0, 300, 30):
        batch = {
            "k": rng.integers(0, 2, 30).tolist(),
            "t": (place + rng.integers(-25, 40, 30)).tolist(),
            "v": [None if rng.random() < 0.1 else float(v) for v in rng.integers(0, 9, 30)],
        }
        failing = {name: [*batch[name], last] for name, last in (("k", 0), ("t", place + 40), ("v", "five"))}
        for operator in (one, other):
            with pytest.raises(TypeError):
                operator.push_many(failing)
        assert one.push_many(batch) == other.push_many(batch)
        if place == 150:
            one = sash.Sliding.restore(one.snapshot())
    assert one.finish() == other.finish()


def test_an_event_of_an_operator_enters_and_leaves_each_window_once():
    """In order, and with events that are a little late; nothing is combined."""
    counted = Counted("v")
    operator = sash.Sliding(counted, [sash.TimeWindow(500), sash.TimeWindow(100)], on="t", lateness=50)
    rng = np.random.default_rng(4)
    arrivals = np.arange(3_000) - np.where(rng.random(3_000) < 0.02, rng.integers(0, 20, 3_000), 0)
    for time in arrivals.tolist():
        operator.push({"t": time, "v": float(time % 97)})
    # Twice for each window, and again for what an event that is d late moves over, there and back.
    assert counted.calls <= 2 * 2 * 3_000 + 2 * 2 * 2 * 20 * 0.03 * 3_000


@pytest.mark.parametrize("over", OVER, ids=repr)
def test_the_running_form_is_a_law(over):
    """As every aggregation that has one is held to it."""
    check_running(over, [3, 1, 1.0, 2.5, -0.0, math.inf])


def test_a_running_form_that_forgets_is_found():
    """With what it gave and what it should have given."""

    class Wrong(sash.CountDistinct):
        def running(self):
            values = sash.CountDistinct.running(self)
            values.remove = lambda partial: None
            return values

    with pytest.raises(sash.testing.LawError, match="the law of the running form"):
        sash.testing.assert_lawful(Wrong(), [1, 2, 3])


def test_who_changes_the_definition_has_no_running_form_but_their_own():
    """As with the compiled twin."""

    class Third(sash.Median):
        def lower(self, partial):
            return partial[2]

    window = sash.Window(Third())
    window.bulk_insert(range(5), [9, 5, 7, 1, 3])
    assert window.query() == 5.0
