"""Rows that take others back: they leave their windows, and what changes is revised."""

from collections.abc import Callable
from itertools import groupby
from typing import Any, NamedTuple

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import sash
from sash.operator import Sliding
from sash.triggers import EachEvent, EverySlide, OnDelta, OnDemand, OnPunctuation
from sash.windows import AdaptiveWindow, CountWindow, DeltaWindow, PolicyWindow, PunctuatedWindow, TimeWindow

from .reference import Reference
from .stories import POLICIES, SUBJECTS, TRIGGERS, Interpreted, emitted

some = settings(max_examples=max(10, settings().max_examples // 2))
EMITS = ("final", "update")
AGGREGATIONS = {"concat": sash.Concat("v"), "first": sash.First("v"), "sum": sash.Sum("v")}
lateness = st.sampled_from([None, 0, 3, 8])
options = st.fixed_dictionaries(
    {},
    optional={
        "changes_only": st.just(True),
        "min_periods": st.sampled_from([1, 2]),
        "expire": st.sampled_from([3, 8]),
    },
)


class OfRows(Interpreted):
    """Python methods over the column `v`."""

    column = "v"


class Change(NamedTuple):
    """A row of a feed, or a watermark if there is no word to it."""

    word: str | None
    key: str
    id: int
    time: int
    null: bool = False


def changes(ids: int = 3, size: int = 16) -> st.SearchStrategy[list[Change]]:
    """Few ids and times, so that most changes find a row, some of it late and some of it gone."""
    words = st.sampled_from(["insert", "insert", "update", "delete", "delete", None])
    times = st.integers(-2, 12)
    rows = st.builds(
        Change, words, st.sampled_from("ab"), st.integers(0, ids), times, st.sampled_from([False, False, True])
    )
    return st.lists(rows, max_size=size)


def of_row(function: Callable[[Any], Any]) -> Callable[[Any], Any]:
    return lambda row: None if row["v"] is None else function(row["v"])


def rowwise(part: Any) -> Any:
    """A policy or trigger that reads the column `v` of a row, where it read the value."""
    match part:
        case DeltaWindow(of=of):
            return DeltaWindow(of_row(of), part.delta, tumbling=part.tumbling)
        case AdaptiveWindow(of=of):
            return AdaptiveWindow(part.delta, of=of_row(of))
        case PunctuatedWindow(predicate=predicate):
            return PunctuatedWindow(of_row(predicate))
        case OnDelta(of=of):
            return OnDelta(of_row(of), part.delta)
        case OnPunctuation(predicate=predicate):
            return OnPunctuation(of_row(predicate))
        case PolicyWindow(evict_when=evict_when):
            return PolicyWindow(evict_when, over=sash.Count("v"))
    return part


def row_of(step: Change, value: Any) -> dict[str, Any]:
    """The row as a feed has it: one that removes another need know no more than its id."""
    row = {"op": step.word, "card": step.key, "trip": step.id}
    return row if step.word == "delete" else row | {"at": step.time, "v": None if step.null else value}


def make(policy: Any, aggregation: Any, trigger: Any, **options: Any) -> Sliding:
    made = {"by": "card", "on": "at", "retract": "op", "id": "trip", "trigger": rowwise(trigger)} | options
    return Sliding(aggregation, rowwise(policy), **made)


def run(operator: Sliding, subject: Any, steps: list[Change]) -> list[Any]:
    actual: list[Any] = []
    for number, step in enumerate(steps):
        results = (
            operator.advance(step.time) if step.word is None else operator.push(row_of(step, subject.value(number)))
        )
        actual.append([emitted(result) for result in results])
    return [*actual, [emitted(result) for result in operator.finish()]]


def run_reference(reference: Reference, subject: Any, steps: list[Change]) -> list[Any]:
    actual = []
    for number, step in enumerate(steps):
        value = None if step.null else subject.value(number)
        if step.word is None:
            actual.append(reference.advance(step.time))
        elif step.word == "delete":
            actual.append(reference.take_back(step.key, step.id) or [])
        else:
            actual.append(reference.replace(step.key, step.time, value, step.id))
    return [*actual, reference.finish()]


@pytest.mark.parametrize("emit", EMITS)
@pytest.mark.parametrize("policy", POLICIES)
@some
@given(steps=changes(), subject=st.sampled_from(sorted(AGGREGATIONS)), lateness=lateness, options=options)
def test_says_what_brute_force_says(policy, emit, steps, subject, lateness, options):
    """At every step the same results, revisions and results that are taken back, in the same order."""
    made = SUBJECTS[subject]
    for trigger in TRIGGERS.values():
        given = {"trigger": trigger, "emit": emit, "lateness": lateness, **options}
        operator = make(POLICIES[policy], AGGREGATIONS[subject], **given)
        reference = Reference(made.aggregate, POLICIES[policy], **given)
        assert run(operator, made, steps) == run_reference(reference, made, steps), trigger
        assert operator.late_counts == {"watermark": len(reference.late), "finished": 0}


def survivors(steps: list[Change], subject: Any) -> list[tuple[str, int, Any]]:
    """What is left, one change after the other."""
    left: dict[Any, Any] = {}
    for number, step in enumerate(steps):
        left.pop((step.key, step.id), None)
        if step.word in ("insert", "update"):
            left[step.key, step.id] = (step.key, step.time, None if step.null else subject.value(number))
    return list(left.values())


@pytest.mark.parametrize("emit", EMITS)
@pytest.mark.parametrize("policy", POLICIES)
@some
@given(steps=changes(), subject=st.sampled_from(sorted(AGGREGATIONS)))
def test_what_is_left_has_the_windows_of_a_stream_without_the_others(policy, emit, steps, subject):
    """The last word on each result is that of an operator that never saw the rows that were taken back."""
    steps = [step for step in steps if step.word is not None]
    made = SUBJECTS[subject]
    last: dict[Any, Any] = {}
    for results in run(make(POLICIES[policy], AGGREGATIONS[subject], EachEvent(), emit=emit), made, steps):
        for one in results:
            last[one.number] = one
    other = Sliding(made.aggregation, POLICIES[policy], by=True, trigger=EachEvent(), emit="final")
    for event in survivors(steps, made):
        other.push(*event)
    expected = [result[:4] for result in other.finish()]
    assert sorted(map(repr, expected)) == sorted(repr(one[:4]) for one in last.values() if not one.retracted)


@pytest.mark.parametrize("emit", EMITS)
@pytest.mark.parametrize("policy", POLICIES)
@some
@given(steps=changes(), cut=st.integers(0, 10), subject=st.sampled_from(sorted(AGGREGATIONS)), lateness=lateness)
def test_batches_and_snapshots_change_nothing(policy, emit, steps, cut, subject, lateness):
    """In batches, restored in between, beside one by one; members in Python beside native ones."""
    made = SUBJECTS[subject]
    native = AGGREGATIONS[subject]
    own = OfRows(native)
    for trigger in (EachEvent(), EverySlide(3), TRIGGERS["every_2"]):
        given = {"trigger": trigger, "emit": emit, "lateness": lateness, "expire": 9}
        one_by_one, batched = (make(POLICIES[policy], one, **given) for one in (native, own))
        expected = [one for results in run(one_by_one, made, steps) for one in results]
        actual: list[Any] = []
        rows = [(step, row_of(step, made.value(number))) for number, step in enumerate(steps)]
        for part in (rows[:cut], rows[cut:]):
            for is_time, group in groupby(part, key=lambda pair: pair[0].word is None):
                pairs = list(group)
                if is_time:
                    actual += [emitted(one) for step, _ in pairs for one in batched.advance(step.time)]
                    continue
                names = ("op", "card", "trip", "at", "v")
                columns = {name: [row.get(name) for _, row in pairs] for name in names}
                actual += [emitted(one) for one in batched.push_many(columns)]
            blob = batched.snapshot()
            batched = Sliding.restore(blob, aggregation=own, windows=batched.policies, trigger=batched.trigger)
            assert batched.snapshot() == blob
        assert [*actual, *(emitted(one) for one in batched.finish())] == expected, trigger


@pytest.mark.parametrize("emit", EMITS)
@pytest.mark.parametrize("policy", POLICIES)
@some
@given(steps=changes(), batch=changes(size=8), lateness=lateness)
def test_a_call_that_fails_changes_nothing(policy, emit, steps, batch, lateness):
    """Rows that were taken back are where they were, with their results, ids and places."""

    class Picky(OfRows):
        angry = False

        def combine(self, older: Any, newer: Any) -> Any:
            if self.angry and self.left == 0:
                raise ArithmeticError("no")
            self.left -= 1
            return super().combine(older, newer)

    made = SUBJECTS["concat"]
    for trigger in (EachEvent(), EverySlide(3), TRIGGERS["every_2"]):
        picky = Picky(sash.Concat("v"))
        picky.left = 0
        operator = make(POLICIES[policy], picky, trigger, emit=emit, lateness=lateness, expire=9)
        rows = [row_of(step, made.value(number)) for number, step in enumerate(steps) if step.word]
        for row in rows:
            operator.push(row)
        more = [row_of(step, made.value(99 + number)) for number, step in enumerate(batch) if step.word]
        columns = {name: [row.get(name) for row in more] for name in ("op", "card", "trip", "at", "v")}
        before = operator.snapshot()
        for left in range(0, 12, 3):
            picky.angry, picky.left = True, left
            try:
                operator._running.take(sash.operator.failed.Events.of(*operator._parts((columns,))))
            except ArithmeticError:
                picky.angry = False
                assert operator.snapshot() == before
            else:
                break
        picky.angry = False


class Counting(sash.Aggregation):
    """The first and the last value, and how often they were combined."""

    column = "v"
    identity = ()
    combines = 0

    def lift(self, value: Any) -> Any:
        return (value,)

    def combine(self, older: Any, newer: Any) -> Any:
        type(self).combines += 1
        return (*older[:1], *newer[-1:])

    def lower(self, partial: Any) -> Any:
        return partial


@pytest.mark.parametrize("size", [1000, 4000])
@pytest.mark.parametrize("window", [TimeWindow(10**6), CountWindow(10**6)], ids=repr)
def test_a_row_leaves_by_few_combines(window, size):
    """O(log n), wherever it was: the most of a thousand retractions grows with the logarithm of the window."""
    operator = Sliding(Counting(), window, emit="final", lateness=10**6, retract="op", id="id")
    places = np.arange(size)
    operator.push_many(places, {"v": places, "id": places, "op": np.ones(size, np.int64)})
    most = 0
    for place in np.random.default_rng(3).permutation(size)[:300].tolist():
        Counting.combines = 0
        operator.push(None, {"id": place, "op": -1})
        most = max(most, Counting.combines)
    assert 0 < most <= 8 * np.log2(size)


def test_ids_are_forgotten_with_their_rows():
    """What no window needs leaves nothing behind: neither its row nor what it was known by."""
    operator = Sliding(
        sash.Sum("v"), TimeWindow(50), by=True, emit="final", lateness=20, expire=200, retract="op", id="id"
    )
    for start in range(0, 40_000, 1000):
        ids = np.arange(start, start + 1000)
        words = np.where(ids % 5, 1, -1)
        operator.push_many(ids // 500, ids, {"v": ids, "id": ids - (words < 0), "op": words})
    assert operator._running.engine.core.memory() < 200_000


def test_a_change_of_a_row_that_the_watermark_has_passed_is_late():
    """As long as a window may need that row; then it is not there: what removes it is passed over."""
    operator = Sliding(
        sash.Concat("v"), TimeWindow(10), emit="update", lateness=2, on_late="keep", retract="op", id="id"
    )
    operator.push(1, {"op": "insert", "id": 1, "v": "a"})
    operator.push(8, {"op": "insert", "id": 2, "v": "b"})
    for word in ("delete", "update"):
        assert operator.push(9, {"op": word, "id": 1, "v": "c"}) == []
    assert [(event.time, event.value["op"]) for event in operator.late] == [(1, "delete"), (1, "update")]
    operator.push(30, {"op": "insert", "id": 3, "v": "d"})
    assert operator.push(None, {"op": "delete", "id": 1}) == []
    assert operator.late_counts["watermark"] == 2
    assert [one.value for one in operator.push(31, {"op": "update", "id": 1, "v": "e"})] == ["de"]


def test_an_update_may_be_late_itself():
    """The row that it replaces leaves; it does not come in its place."""
    operator = Sliding(
        sash.Concat("v"), TimeWindow(10), emit="update", lateness=2, on_late="keep", retract="op", id="id"
    )
    operator.push_many([9, 10], {"op": ["insert"] * 2, "id": [1, 2], "v": ["a", "b"]})
    actual = operator.push(5, {"op": "update", "id": 1, "v": "c"})
    assert [(one.time, one.value, one.revision, one.retracted) for one in actual] == [
        (9, None, 1, True),
        (10, "b", 1, False),
    ]
    assert [event.time for event in operator.late] == [5]


def test_a_refused_late_change_changes_nothing():
    """With on_late="raise" the whole batch is refused, whatever it took back before."""
    operator = Sliding(sash.Sum("v"), TimeWindow(10), emit="final", lateness=2, on_late="raise", retract="op", id="id")
    operator.push_many([1, 9, 10], {"op": ["insert"] * 3, "id": [1, 2, 3], "v": [1, 2, 4]})
    before = operator.snapshot()
    with pytest.raises(sash.LateEventError, match="the event at 1 is before the watermark 8"):
        operator.push_many([None, None], {"op": ["delete"] * 2, "id": [3, 1], "v": [None, None]})
    assert operator.snapshot() == before
    assert operator.push(None, {"op": "delete", "id": 3}) == []
    assert [one.value for one in operator.finish()] == [3]


def test_without_an_id_the_last_equal_row_leaves():
    """All other columns tell which, the time too."""
    operator = Sliding(sash.Collect("v"), CountWindow(9), trigger=OnDemand(), retract="sign")
    rows = [(1, "a", 1), (1, "a", 1), (2, "b", 1), (1, "a", -1), (3, "c", -1), (2, "a", -1)]
    for time, value, sign in rows:
        operator.push(time, {"v": value, "sign": sign})
    assert operator.query()[0].value == ["a", "b"]
    again = Sliding.restore(operator.snapshot())
    again.push_many([1], {"sign": [-1], "v": ["a"]})
    assert again.query()[0].value == ["b"]


def test_integer_times_become_floats():
    """Rows are found by their ids before and after."""
    operator = Sliding(sash.Concat("v"), TimeWindow(10), emit="update", retract="op", id="id")
    operator.push(1, {"op": "+I", "id": 1, "v": "a"})
    operator.push(2.5, {"op": "+I", "id": 2, "v": "b"})
    actual = operator.push(None, {"op": "-D", "id": 1})
    assert [(one.end, one.value, one.retracted) for one in actual] == [(1.0, None, True), (2.5, "b", False)]


def test_many_rows_come_and_go_at_one_place():
    """Labels between two neighbours run out in the midst of a call that fails, and all is as it was."""
    operator = make(CountWindow(3), sash.Concat("v"), EachEvent(), emit="update", lateness=10**6)

    def rows(word: str, times: Any) -> dict[str, list[Any]]:
        size = len(times)
        return {"op": [word] * size, "card": ["a"] * size, "trip": [*times], "at": [*times], "v": ["x"] * size}

    operator.push_many(rows("insert", [0, 10**6, *range(1, 120)]))
    before = operator.snapshot()
    batch = rows("insert", range(120, 2000))
    gone = rows("delete", range(50, 110))
    failing = {name: [*gone[name], *batch[name], *batch[name][:1]] for name in batch}
    failing["v"][-1] = 5
    with pytest.raises(TypeError):
        operator._running.take(sash.operator.failed.Events.of(*operator._parts((failing,))))
    assert operator.snapshot() == before


@pytest.mark.parametrize(
    ("options", "words"),
    [
        ({"retract": "op", "emit": "arrival"}, "what was known when a row came is not taken back"),
        ({"id": "id"}, "name the column that says so, retract="),
        ({"retract": 5, "emit": "final"}, "retract is the name of a column, not 5"),
        (
            {"retract": "op", "emit": "final", "windows": TimeWindow(4, every=2), "keep": "panes"},
            "retract= takes events out one by one",
        ),
    ],
)
def test_what_has_no_meaning_is_refused(options, words):
    """In words, when the operator is made."""
    with pytest.raises(sash.WindowSpecError, match=words):
        Sliding(sash.Sum("v"), **({"windows": TimeWindow(2)} | options))


@pytest.mark.parametrize(
    ("row", "words"),
    [
        ({"op": "gone", "id": 1, "v": 2}, r"\+1 or -1, or insert, update, delete; see row 0: 'gone'"),
        ({"op": "insert", "id": None, "v": 2}, "column 'id' tells rows apart, and row 0 has none"),
        ({"id": 1, "v": 2}, "there is no column 'op'|no column 'op'|'op'"),
        (7, "retract='op' names a column, so values are rows"),
    ],
)
def test_rows_that_cannot_be_read_are_refused(row, words):
    """Or kept aside, as every event that cannot be computed on."""
    operator = Sliding(sash.Sum("v"), TimeWindow(2), emit="final", retract="op", id="id")
    with pytest.raises((ValueError, KeyError, TypeError), match=words):
        operator.push(1, row)
    keeping = Sliding(sash.Sum("v"), TimeWindow(2), emit="final", retract="op", id="id", on_error="keep")
    assert keeping.push(1, row) == []
    assert len(keeping.failed) == 1
