"""What holds for every operator: order does not matter to what is final, and nothing that stops it changes it."""

from collections import Counter

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from sash.operator import Sliding

from .stories import EMITS, POLICIES, SUBJECTS, TRIGGERS, Step, emitted, run, streams

#: Each example runs several operators to their ends, so that a third of the examples is plenty.
some = settings(max_examples=max(10, settings().max_examples // 3))
subjects = st.sampled_from(sorted(SUBJECTS))
lateness = st.sampled_from([None, 0, 3])

#: Triggers whose moments do not depend on how the watermark moves.
STEADY = [name for name in TRIGGERS if name not in ("demand", "watermark")]


def last_revisions(actual):
    """What was emitted last of each result."""
    last = {}
    for result in (result for results in actual for result in results):
        about = (result.key, result.end if result.number is None else result.number)
        if about in last:
            assert result.revision == last[about].revision + 1
        else:
            assert result.revision == 0
        last[about] = result
    return Counter(result._replace(revision=0) for result in last.values() if not result.retracted)


def of_keys(results):
    """Results without the number of the event that asked, which counts the events of all keys."""
    return Counter(result._replace(number=None) for results in results for result in results)


@pytest.mark.parametrize("policy", POLICIES)
@some
@given(steps=streams("ab", watermarks=False), data=st.data(), subject=subjects)
def test_final_does_not_depend_on_the_order_of_arrival(policy, steps, data, subject):
    """Shuffle the events, those of equal time among themselves excepted, and "final" says the same."""
    made = SUBJECTS[subject]
    events = [(step, made.value(number)) for number, step in enumerate(steps)]
    mixed = data.draw(st.permutations(events))
    # Where times are equal, the order of arrival is the order: keep it.
    waiting = {}
    for event in events:
        waiting.setdefault((event[0].key, event[0].time), []).append(event)
    mixed = [waiting[step.key, step.time].pop(0) for step, _ in mixed]
    for name in STEADY:
        actual = []
        for order in (events, mixed):
            operator = Sliding(made.aggregation, POLICIES[policy], by=True, trigger=TRIGGERS[name], emit="final")
            for step, value in order:
                assert operator.push(step.key, step.time, None if step.null else value) == []
            actual.append(of_keys([[emitted(result) for result in operator.finish()]]))
        assert actual[0] == actual[1], name


@pytest.mark.parametrize("policy", POLICIES)
@some
@given(steps=streams("ab"), subject=subjects, lateness=lateness)
def test_the_last_revision_is_final(policy, steps, subject, lateness):
    """ "update" ends with what "final" says, result by result, and its revisions count up from 0."""
    made = SUBJECTS[subject]
    for name in STEADY:
        actual = {}
        for emit in ("update", "final"):
            options = {"trigger": TRIGGERS[name], "emit": emit, "lateness": lateness}
            actual[emit] = run(Sliding(made.aggregation, POLICIES[policy], by=True, **options), made, steps)
        assert last_revisions(actual["update"]) == last_revisions(actual["final"]), name


@pytest.mark.parametrize("emit", EMITS)
@pytest.mark.parametrize("policy", POLICIES)
@some
@given(steps=streams("ab"), cut=st.integers(0, 14), subject=subjects, lateness=lateness, data=st.data())
def test_a_restored_operator_goes_on(policy, emit, steps, cut, subject, lateness, data):
    """Whether it was a snapshot for a moment or not, an operator says the same ever after."""
    made = SUBJECTS[subject]
    options = {
        "trigger": TRIGGERS[data.draw(st.sampled_from(sorted(TRIGGERS)))],
        "emit": emit,
        "lateness": lateness,
        "on_late": "keep",
        "changes_only": data.draw(st.booleans()),
        "expire": data.draw(st.sampled_from([None, 4])),
        "min_periods": data.draw(st.sampled_from([0, 2])),
    }
    original, before = (Sliding(made.aggregation, POLICIES[policy], by=True, **options) for _ in range(2))
    for number, step in enumerate(steps[:cut]):
        for operator in (original, before):
            if step.key is None:
                operator.advance(step.time)
            else:
                operator.push(step.key, step.time, None if step.null else made.value(number))
    restored = Sliding.restore(before.snapshot(), windows=POLICIES[policy], trigger=before.trigger)
    assert restored.results == original.results
    assert run(restored, made, steps[cut:]) == run(original, made, steps[cut:])
    assert (restored.late, restored.late_counts) == (original.late, original.late_counts)


@pytest.mark.parametrize("emit", EMITS)
@pytest.mark.parametrize("policy", POLICIES)
@some
@given(steps=streams("abc", watermarks=False), subject=subjects)
def test_keys_do_not_see_each_other(policy, emit, steps, subject):
    """One operator with keys says of each key what an operator of its own says, where each event asks."""
    made = SUBJECTS[subject]
    for name in ("each", "every_2", "punctuation", "delta"):
        options = {"trigger": TRIGGERS[name], "emit": emit}
        together = Sliding(made.aggregation, POLICIES[policy], by=True, **options)
        actual = run(together, made, steps)
        for key in "abc":
            alone = Sliding(made.aggregation, POLICIES[policy], **options)
            own = []
            for number, step in enumerate(steps):
                if step.key == key:
                    own.append(alone.push(step.time, None if step.null else made.value(number)))
            own.append(alone.finish())
            expected = [emitted(result)._replace(number=None) for results in own for result in results]
            found = [one._replace(key=None, number=None) for results in actual for one in results if one.key == key]
            assert found == expected, name


@pytest.mark.parametrize("policy", POLICIES)
@some
@given(steps=streams("ab", watermarks=False), subject=subjects, lateness=lateness, emit=st.sampled_from(EMITS))
def test_a_batch_is_its_events_one_by_one(policy, steps, subject, lateness, emit):
    """`push_many` says what `push` says, all of it in order."""
    made = SUBJECTS[subject]
    for trigger in TRIGGERS.values():
        options = {"trigger": trigger, "emit": emit, "lateness": lateness}
        one_by_one, at_once = (Sliding(made.aggregation, POLICIES[policy], by=True, **options) for _ in range(2))
        values = [None if step.null else made.value(number) for number, step in enumerate(steps)]
        expected = [
            result
            for step, value in zip(steps, values, strict=True)
            for result in one_by_one.push(step.key, step.time, value)
        ]
        actual = at_once.push_many([step.key for step in steps], [step.time for step in steps], values)
        assert list(actual) == expected
        assert at_once.finish() == one_by_one.finish()


@pytest.mark.parametrize("emit", EMITS)
@some
@given(steps=streams("ab"), subject=subjects, lateness=lateness, trigger=st.sampled_from(["each", "slide", "every_2"]))
def test_windows_that_share_a_structure_say_what_each_would(emit, steps, subject, lateness, trigger):
    """Several windows in one operator give, window by window, what one operator each gives."""
    made = SUBJECTS[subject]
    shared = ["time_right", "time_neither", "count", "session", "punctuated", "policy"]
    options = {"trigger": TRIGGERS[trigger], "emit": emit, "lateness": lateness}
    together = Sliding(made.aggregation, [POLICIES[name] for name in shared], by=True, **options)
    actual = []
    for number, step in enumerate(steps):
        if step.key is None:
            actual += together.advance(step.time)
        else:
            actual += together.push(step.key, step.time, None if step.null else made.value(number))
    actual += together.finish()
    for name in shared:
        alone = run(Sliding(made.aggregation, POLICIES[name], by=True, **options), made, steps)
        own = Counter(emitted(result) for result in actual if result.window == POLICIES[name])
        assert own == Counter(one for results in alone for one in results), name


def test_the_stories_reach_every_rule():
    """The streams of these tests make late events, revisions, equal times and slides: a test of the tests."""
    operator = Sliding(SUBJECTS["concat"].aggregation, POLICIES["time_right"], by=True, emit="update", lateness=5)
    steps = [Step("a", 8), Step("a", 5), Step("b", 8), Step("a", 8), Step("a", 2)]
    actual = run(operator, SUBJECTS["concat"], steps)
    assert [len(results) for results in actual] == [1, 2, 1, 2, 0, 0]
    assert operator.late_counts["watermark"] == 1
