"""The operator from outside: what it takes and refuses, what it does with late events, and that failures undo."""

import math
import random

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import sash
from sash.errors import LateEventError, WindowSpecError
from sash.operator import LateEvent, Sliding
from sash.triggers import AtWatermark, EachEvent, EveryEvents, EverySlide, OnDemand, OnPunctuation
from sash.windows import (
    AdaptiveWindow,
    CountWindow,
    DeltaWindow,
    LandmarkWindow,
    PolicyWindow,
    PunctuatedWindow,
    SessionWindow,
    TimeWindow,
    TumblingWindow,
)

from .stories import EMITS, POLICIES, SUBJECTS, TRIGGERS, streams


def values(results):
    return [result.value for result in results]


class TestWindows:
    def test_an_event_exactly_as_old_as_the_window_has_left(self):
        """(T - length, T]: the start is out, the end is in."""
        #  0         10
        #  a--------(b      a has left when b comes
        s = Sliding(sash.Concat(), TimeWindow(10))
        assert values(s.push(0, "a") + s.push(10, "b")) == ["a", "b"]

    def test_peers_see_those_that_came_before_them(self):
        """At arrival an event sees its peers so far; finally all of them see each other."""
        arrivals = Sliding(sash.Concat(), TimeWindow(10))
        assert values(arrivals.push(1, "a") + arrivals.push(1, "b")) == ["a", "ab"]
        finals = Sliding(sash.Concat(), TimeWindow(10), emit="final")
        finals.push_many([1, 1], ["a", "b"])
        assert values(finals.finish()) == ["ab", "ab"]

    def test_a_count_window_ends_at_its_own_event(self):
        """Peers do not see each other in a window of events, even finally."""
        s = Sliding(sash.Concat(), CountWindow(2), emit="final")
        s.push_many([1, 1, 1], ["a", "b", "c"])
        assert values(s.finish()) == ["a", "ab", "bc"]

    def test_the_session_ends_tell_the_first_and_the_last_event(self):
        """A late event joins two sessions, and the result is of the whole of it."""
        s = Sliding(sash.Concat(), SessionWindow(5), trigger=AtWatermark())
        for time, value in [(1, "a"), (9, "c"), (5, "b"), (30, "d")]:
            assert s.push(time, value) == []
        assert [(emitted.start, emitted.end, emitted.value) for emitted in s.finish()] == [(1, 9, "abc"), (30, 30, "d")]

    def test_results_tell_their_ends_and_the_event(self):
        """A result of an event has its time and number; one of a slide has neither."""
        s = Sliding(sash.Sum(), TimeWindow(10), by=True)
        s.push("a", 1, 5)
        (emitted,) = s.push("b", 3, 7)
        assert emitted == ("b", -7, 3, 7, 0, 3, 1, TimeWindow(10), False)
        slid = Sliding(sash.Sum(), TimeWindow(10, every=5)).push_many([3, 6], [1, 2])
        assert [(emitted.start, emitted.end, emitted.time, emitted.number) for emitted in slid] == [(-5, 5, None, None)]

    def test_several_windows_answer_in_their_order(self):
        """One structure, several lengths: a result each, in the order in which the windows were given."""
        s = Sliding(sash.Concat(), [TimeWindow(2), TimeWindow(4), CountWindow(1)])
        s.push_many([1, 2, 3], ["a", "b", "c"])
        assert [(emitted.window, emitted.value) for emitted in s.push(4, "d")] == [
            (TimeWindow(2), "cd"),
            (TimeWindow(4), "abcd"),
            (CountWindow(1), "d"),
        ]

    def test_a_row_may_be_a_mapping(self):
        """Policies and triggers read columns, and so may aggregations of the user."""

        class Spent(sash.Aggregation):
            identity = 0
            lift = staticmethod(lambda row: row["amount"])
            combine = staticmethod(lambda older, newer: older + newer)
            lower = staticmethod(lambda partial: partial)

        s = Sliding(Spent(), [PunctuatedWindow("last"), DeltaWindow("km", 5)], trigger=OnPunctuation("last"))
        emitted = s.push_many(
            [1, 2, 3, 4], {"amount": [1, 2, 4, 8], "last": [False, True, False, True], "km": [0, 3, 6, 20]}
        )
        assert values(emitted) == [3, 3, 12, 8]
        with pytest.raises(WindowSpecError, match="no column 'last'"):
            s.push(5, {"amount": 1})

    def test_a_column_of_what_is_no_row(self):
        """A policy that reads a column of a plain number says what to push instead."""
        with pytest.raises(WindowSpecError, match="push rows"):
            Sliding(sash.Sum(), PunctuatedWindow("last")).push(1, 5)

    def test_a_timed_aggregation_gets_the_time(self):
        """`lift(value, time)` sees times as they were pushed, in windows over times and over places alike."""

        class Last(sash.Aggregation):
            timed = True
            identity = None

            def lift(self, value, time):
                return time

            def combine(self, older, newer):
                return newer if newer is not None else older

            def lower(self, partial):
                return partial

        for policy in (CountWindow(2), TimeWindow("1d")):
            s = Sliding(Last(), policy)
            assert values(s.push(np.datetime64("2024-02-29"), 1)) == [np.datetime64("2024-02-29")]


class TestSlides:
    def test_slides_are_multiples_since_the_epoch(self):
        """Each multiple that event time has passed is emitted, as long as there are events in its window."""
        s = Sliding(sash.Concat(), TimeWindow(10, every=5))
        s.push_many([1, 4], ["a", "b"])
        assert [(emitted.end, emitted.value) for emitted in s.push(12, "c")] == [(5, "ab"), (10, "ab")]
        assert [(emitted.end, emitted.value) for emitted in s.finish()] == [(15, "c"), (20, "c")]

    def test_a_gap_is_silent(self):
        """Nothing is emitted of windows without events, however many there are."""
        s = Sliding(sash.Count(), TimeWindow(2, every=1))
        s.push(0, "a")
        assert [emitted.end for emitted in s.push(10**15, "b")] == [0, 1]

    def test_a_key_speaks_when_another_moves_the_clock(self):
        """Event time is one for all keys: a key that is silent still emits at its slides."""
        s = Sliding(sash.Concat(), TumblingWindow(10), by=True)
        s.push("a", 5, "x")
        assert [(emitted.key, emitted.end, emitted.value) for emitted in s.push("b", 25, "y")] == [("a", 10, "x")]

    def test_float_slides(self):
        """Multiples of a float are floats, and every event is in exactly one tumbling window."""
        s = Sliding(sash.Count(), TumblingWindow(0.1))
        times = np.arange(100) / 100
        s.push_many(times, [1] * 100)
        emitted = s.results
        assert (
            sum(values(emitted)) + sum(values(Sliding(sash.Count(), TumblingWindow(0.1)).push_many(times, times)))
            == 100
        )

    def test_a_slide_too_fine_for_its_times(self):
        """A time where floats lie further apart than slides is refused, and nothing has changed."""
        s = Sliding(sash.Count(), TumblingWindow(0.5))
        s.push(0.25, 1)
        for time in (1e300, math.inf):
            with pytest.raises(ValueError, match=r"multiples of 0\.5"):
                s.push(time, 1)
        assert [(emitted.end, emitted.value) for emitted in s.finish()] == [(0.5, 1)]


class TestLateness:
    def test_an_event_at_the_watermark_is_not_late(self):
        """Late is what is before the watermark, and the watermark is the newest event less the lateness."""
        s = Sliding(sash.Concat(), TimeWindow(10), lateness=3, on_late="keep")
        s.push(10, "a")
        assert values(s.push(7, "b")) == ["b"]
        assert s.push(6, "c") == []
        assert s.late == [LateEvent(None, 6, "c", 7)]
        assert s.late_counts == {"watermark": 1, "finished": 0}

    def test_late_events_may_be_errors(self):
        """on_late="raise": the event is refused, nothing is counted, and a batch is refused as a whole."""
        s = Sliding(sash.Sum(), TimeWindow(10), lateness=0, on_late="raise")
        s.push(5, 1)
        with pytest.raises(LateEventError, match="before the watermark 6"):
            s.push_many([6, 4], [1, 1])
        assert s.watermark == 5
        assert s.late_counts == {"watermark": 0, "finished": 0}
        assert values(s.push(6, 1)) == [2]

    def test_late_events_may_go_to_a_function(self):
        """on_late may be a function; what it raises reaches the caller, and then nothing was counted."""
        seen = []
        s = Sliding(sash.Sum(), TimeWindow(10), by=True, lateness=0, on_late=seen.append)
        s.push("k", 5, 1)
        s.push("k", 4, 2)
        assert seen == [LateEvent("k", 4, 2, 5)]
        failing = Sliding(sash.Sum(), TimeWindow(10), lateness=0, on_late=lambda event: 1 / 0)
        failing.push(5, 1)
        with pytest.raises(ZeroDivisionError):
            failing.push(4, 1)
        assert failing.late_counts == {"watermark": 0, "finished": 0}

    def test_after_the_end_everything_is_late(self):
        """finish is the end of time: what comes then is counted by its own reason."""
        s = Sliding(sash.Sum(), TimeWindow(10), on_late="keep")
        s.finish()
        assert s.push(5, 1) == []
        assert s.late_counts == {"watermark": 0, "finished": 1}
        assert s.late == [LateEvent(None, 5, 1, None)]
        assert s.finish() == []

    def test_a_watermark_does_not_go_back(self):
        """advance to a time behind changes nothing; a time between two ticks closes the one before."""
        s = Sliding(sash.Concat(), TimeWindow(10), emit="final")
        s.push_many([1, 2, 3], ["a", "b", "c"])
        assert values(s.advance(2.5)) == ["a", "ab"]
        assert s.advance(1) == []
        assert s.watermark == 3
        assert values(s.advance(None)) == ["abc"]

    def test_the_watermark_is_of_all_keys(self):
        """A key that is ahead closes the times of the others."""
        s = Sliding(sash.Sum(), TimeWindow(10), by=True, lateness=5)
        s.push("a", 100, 1)
        assert s.push("b", 94, 1) == []
        assert s.late_counts["watermark"] == 1

    @pytest.mark.parametrize("zero", [0, 0.0, "0s", "0"])
    def test_no_lateness_at_all(self, zero):
        """Zero is a lateness: events may be of equal time, and no older."""
        s = Sliding(sash.Sum(), TimeWindow(10), lateness=zero)
        assert values(s.push(1, 1) + s.push(1, 1) + s.push(0, 1)) == [1, 2]


class TestNulls:
    def test_a_null_value_has_its_answer(self):
        """A null changes no window, and its row has a result as any other."""
        s = Sliding(sash.Sum(), TimeWindow(10))
        assert values(s.push_many([1, 2, 3], [5, None, math.nan])) == [5, 5, 5]
        assert values(Sliding(sash.Max(), TimeWindow(10)).push(1, None)) == [None]

    def test_a_null_value_takes_its_place(self):
        """In a window of events a null is one of them."""
        s = Sliding(sash.Concat(), CountWindow(2))
        assert values(s.push_many([1, 2, 3], ["a", None, "c"])) == ["a", "a", "c"]

    def test_a_null_key_is_a_key(self):
        """None is a key among others, and so is NaN, which is one key."""
        s = Sliding(sash.Count(), LandmarkWindow(), by=True)
        keys = [None, "a", None, math.nan, float("nan")]
        assert values(s.push_many(keys, range(5), [1] * 5)) == [1, 1, 2, 1, 2]

    @pytest.mark.parametrize("time", [None, math.nan, np.datetime64("NaT")])
    def test_a_null_time_is_an_error(self, time):
        """An event without a time has no place in an order."""
        s = Sliding(sash.Count(), TimeWindow(5))
        with pytest.raises((TypeError, ValueError)):
            s.push(time, 1)
        assert s.push(1.5, 1)

    def test_min_periods(self):
        """A window with too few values is null; nulls are no values."""
        s = Sliding(sash.Sum(), TimeWindow(10), min_periods=2)
        assert values(s.push_many([1, 2, 3], [5, None, 7])) == [None, None, 12]
        assert Sliding(sash.Sum(), TimeWindow(10), by=True, min_periods=1).query("nobody") == []


class TestKeys:
    def test_keys_of_every_kind(self):
        """Whatever hashes is a key; NumPy's numbers are Python's."""
        s = Sliding(sash.Count(), LandmarkWindow(), by=True)
        keys = [1, "1", (1, "1"), np.int64(1), b"1", np.str_("1")]
        assert values(s.push(key, 0, 1)[0] for key in keys) == [1, 1, 1, 2, 1, 2]
        assert s.keys == [1, "1", (1, "1"), b"1"]

    @pytest.mark.parametrize("key", [["a"], ("a", []), {}])
    def test_a_key_that_is_none(self, key):
        """A list is no key, in a tuple neither."""
        with pytest.raises(TypeError, match="hashable"):
            Sliding(sash.Count(), LandmarkWindow(), by=True).push(key, 0, 1)

    def test_idle_keys_are_dropped(self):
        """A key that is idle for `expire` begins anew, and what waited to be emitted of it is emitted."""
        s = Sliding(sash.Sum(), LandmarkWindow(), by=True, expire=10, emit="final", lateness=20)
        s.push("a", 0, 1)
        s.push("b", 9, 1)
        assert s.keys == ["a", "b"]
        s.push("b", 10, 1)
        assert s.keys == ["b"]
        s.push("a", 11, 5)
        assert [(emitted.key, emitted.value) for emitted in s.finish()] == [("a", 1), ("b", 1), ("b", 2), ("a", 5)]

    def test_equal_times_across_keys(self):
        """Results of one moment come in the order of the events; slides in the order of the keys."""
        s = Sliding(sash.Concat(), TimeWindow(5), by=True, emit="final")
        s.push_many(["b", "a", "b"], [1, 1, 1], ["x", "y", "z"])
        assert [(emitted.key, emitted.value) for emitted in s.finish()] == [("b", "xz"), ("a", "y"), ("b", "xz")]


class TestOnDemand:
    def test_a_window_answers_when_asked(self):
        """Any time from the watermark on; asking changes nothing."""
        s = Sliding(sash.Concat(), TimeWindow(10), trigger=OnDemand(), lateness=5)
        assert s.query() == []
        assert list(s.push_many([1, 8], ["a", "b"])) == []
        assert values(s.query() + s.query(at=11) + s.query(at=50)) == ["ab", "b", None]
        with pytest.raises(ValueError, match="before the watermark 3"):
            s.query(at=2)

    def test_an_unknown_key_has_an_empty_window(self):
        """Nothing was seen of it, and that is the result."""
        s = Sliding(sash.Sum(), CountWindow(3), by=True)
        s.push("a", 1, 5)
        assert values(s.query("a") + s.query("b")) == [5, 0]


class TestChangesOnly:
    def test_only_news_is_told(self):
        """A result is emitted if its value is not the one that was emitted last for its key."""
        s = Sliding(sash.Max(), TimeWindow(10), by=True, changes_only=True)
        emitted = s.push_many(["a", "a", "b", "a", "a"], [1, 2, 3, 4, 20], [5, 3, 3, 7, 7])
        assert [(one.key, one.end, one.value) for one in emitted] == [("a", 1, 5), ("b", 3, 3), ("a", 4, 7)]

    def test_nan_is_no_news_after_nan(self):
        """NaN is not equal to itself, and still no news."""
        s = Sliding(sash.Last(nan="propagate"), CountWindow(1), changes_only=True)
        assert len(s.push_many([1, 2, 3], [math.nan, math.nan, 1.0])) == 2


class TestRefusals:
    @pytest.mark.parametrize(
        ("arguments", "error", "words"),
        [
            ({"windows": 5.5}, WindowSpecError, "no number of events"),
            ({"windows": []}, WindowSpecError, "no window"),
            ({"windows": ["1h", "1h"]}, WindowSpecError, "twice"),
            ({"windows": [TimeWindow("1h", every="1m"), TimeWindow("2h")]}, WindowSpecError, "different triggers"),
            ({"trigger": "often"}, WindowSpecError, "a trigger is"),
            ({"trigger": EverySlide()}, WindowSpecError, "needs a slide"),
            ({"trigger": OnPunctuation()}, WindowSpecError, "needs a predicate"),
            ({"emit": "often"}, ValueError, "emit is"),
            ({"lateness": "soon"}, WindowSpecError, "no duration"),
            ({"lateness": -1}, WindowSpecError, "longer than zero"),
            ({"on_late": "ignore"}, ValueError, "on_late is"),
            ({"min_periods": -1}, ValueError, "min_periods"),
            ({"by": "card"}, WindowSpecError, "on= names the column of times"),
            ({"by": 7}, WindowSpecError, "by is True"),
            ({"by": ["card", 7], "on": "time"}, WindowSpecError, "by texts, not 7"),
            ({"aggregation": {7: sash.Sum("x")}}, sash.AggregationError, "its name is a text"),
            ({"by": True, "on": "time"}, WindowSpecError, "by= names the columns"),
            ({"aggregation": sum}, sash.AggregationError, "is a function: write sash.Sum"),
        ],
    )
    def test_an_argument_that_makes_no_sense(self, arguments, error, words):
        """The message names the rule, and the value that breaks it."""
        with pytest.raises(error, match=words):
            Sliding(**{"aggregation": sash.Sum(), "windows": "1h", **arguments})

    def test_the_wrong_number_of_parts(self):
        """With keys an event has three parts, without it has two."""
        with pytest.raises(TypeError, match="a time and a value"):
            Sliding(sash.Sum(), "1h").push("a", 1, 2)
        with pytest.raises(TypeError, match="a key, a time and a value"):
            Sliding(sash.Sum(), "1h", by=True).push(1, 2)
        with pytest.raises(ValueError, match="2 times and 1 values"):
            Sliding(sash.Sum(), CountWindow(2)).push_many([1, 2], [1])

    def test_a_length_that_the_times_cannot_have(self):
        """An hour of integers means nothing; the operator stays new, and takes other times."""
        s = Sliding(sash.Sum(), "1h")
        with pytest.raises(WindowSpecError, match="plain number"):
            s.push(1, 2)
        assert values(s.push(np.datetime64("2024-01-01T00:00"), 2)) == [2]

    def test_kinds_of_time_do_not_mix(self):
        """Integers go with floats, and instants with instants; nothing else does."""
        s = Sliding(sash.Sum(), TimeWindow(10))
        s.push(1, 2)
        with pytest.raises(TypeError, match="one window takes one kind"):
            s.push(np.datetime64("2024-01-01"), 2)


class RefusedError(Exception):
    """What the fragile aggregation and policy raise."""


@given(
    steps=streams("ab", watermarks=False),
    policy=st.sampled_from(sorted(POLICIES)),
    trigger=st.sampled_from(sorted(TRIGGERS)),
    emit=st.sampled_from(EMITS),
    bad=st.integers(0, 40),
    lateness=st.sampled_from([None, 0, 3]),
    where=st.sampled_from(["combine", "lower", "lift"]),
)
def test_a_failed_call_changes_nothing(steps, policy, trigger, emit, bad, lateness, where):
    """However deep a batch fails, the operator says afterwards what one says that never saw it."""
    made = SUBJECTS["concat"]
    calls = [0, None]

    class Fragile(sash.Concat):
        def _count(self, name):
            if name == where and calls[1] is not None:
                calls[0] += 1
                if calls[0] > calls[1]:
                    raise RefusedError

        def lift(self, value):
            self._count("lift")
            return super().lift(value)

        def combine(self, older, newer):
            self._count("combine")
            return super().combine(older, newer)

        def lower(self, partial):
            self._count("lower")
            return super().lower(partial)

    options = {"trigger": TRIGGERS[trigger], "emit": emit, "lateness": lateness, "expire": 6, "on_late": "keep"}
    tried, untried = (Sliding(Fragile(), POLICIES[policy], by=True, **options) for _ in range(2))
    half = len(steps) // 2
    events = [(step.key, step.time, None if step.null else made.value(number)) for number, step in enumerate(steps)]
    for event in events[:half]:
        assert tried.push(*event) == untried.push(*event)
    calls[:] = [0, bad]
    try:
        tried.push_many(*zip(*events[half:], strict=True)) if events[half:] else None
    except RefusedError:
        calls[1] = None
        for event in events[half:]:
            assert tried.push(*event) == untried.push(*event)
        assert tried.finish() == untried.finish()
        assert (tried.late, tried.keys) == (untried.late, untried.keys)


class TestCost:
    @pytest.mark.parametrize("policy", ["time_right", "count", "session", "tumbling", "landmark", "policy"])
    def test_an_event_in_order_does_not_scan_its_window(self, policy):
        """Combines an event grow with the logarithm of the window, not with its length."""
        counts = {}
        sizes = {"time_right": TimeWindow, "count": CountWindow}
        for size in (100, 1600):
            made = sizes[policy](size) if policy in sizes else POLICIES[policy]
            if policy == "policy":
                made = PolicyWindow(lambda total, old, size=size: total - old >= size, over=sash.Count())
            if policy == "tumbling":
                made = TumblingWindow(size)
            combines = [0]

            class Counting(sash.Concat):
                def combine(self, older, newer, combines=combines):
                    combines[0] += 1
                    return super().combine(older, newer)

                def lift(self, value):
                    return value

            s = Sliding(Counting(), made, trigger=EachEvent(), lateness=5)
            s.push_many(range(size), [""] * size)
            combines[0] = 0
            s.push_many(range(size, size + 200), [""] * 200)
            counts[size] = combines[0] / 200
        assert counts[1600] <= counts[100] + 4 * math.log2(16)
        assert counts[1600] <= 40

    def test_memory_follows_the_window(self):
        """With a bound on lateness, events that no window needs any more are forgotten."""
        for policy in (TimeWindow(10), CountWindow(10), SessionWindow(1), TumblingWindow(10), TumblingWindow(count=7)):
            s = Sliding(sash.Count(), policy, lateness=10, emit="update", trigger=EachEvent())
            s.push_many(range(5000), [1] * 5000)
            assert len(s.snapshot()) < 20_000, policy

    def test_late_runs_find_room(self):
        """Thousands of events between two that were there keep their order in a window of places."""
        s = Sliding(sash.Count(), CountWindow(10**6))
        s.push_many([0, 10**6], [1, 1])
        assert values(s.push_many(range(1, 4001), [1] * 4000)) == list(range(2, 4002))
        downward = Sliding(sash.Last(), CountWindow(1), emit="final")
        downward.push_many([0, 1000, *range(999, 0, -1)], [0, 1000, *range(999, 0, -1)])
        assert values(downward.finish()) == list(range(1001))


class TestSnapshots:
    @pytest.mark.parametrize("emit", EMITS)
    @pytest.mark.parametrize("policy", [PunctuatedWindow(lambda value: value % 7 == 0), AdaptiveWindow(0.3)])
    def test_windows_that_depend_on_values_go_on_after_rows_were_dropped(self, policy, emit):
        """Rows that are left may have had windows that began before them; those are final."""
        alone = Sliding(sash.Sum(), policy, emit=emit, lateness=5)
        again = Sliding.restore(alone.snapshot(), windows=policy)
        rng = random.Random(1)
        for place in range(120):
            event = (place // 3 - rng.choice([0, 0, 4]), rng.randint(0, 20))
            assert alone.push(*event) == again.push(*event)
            again = Sliding.restore(again.snapshot(), windows=policy)
        assert list(alone.finish()) == list(again.finish())

    def test_functions_must_be_passed_again(self):
        """A snapshot holds no function: policy, trigger and on_late with one are passed to restore."""
        policy = PolicyWindow(lambda total, old: total - old >= 10)
        s = Sliding(sash.Sum(), policy, trigger=OnPunctuation(bool), on_late=print)
        s.push(1, 5)
        for missing in ({}, {"windows": policy}, {"windows": policy, "trigger": s.trigger}):
            with pytest.raises(sash.SnapshotError, match="function"):
                Sliding.restore(s.snapshot(), **missing)
        restored = Sliding.restore(s.snapshot(), windows=policy, trigger=s.trigger, on_late="drop")
        assert values(restored.push(2, 4)) == [9]

    def test_what_does_not_match_is_refused(self):
        """A snapshot of one window is not restored as another."""
        blob = Sliding(sash.Sum(), TimeWindow(10)).snapshot()
        for other in ({"windows": TimeWindow(11)}, {"aggregation": sash.Max()}, {"trigger": OnDemand()}):
            with pytest.raises(sash.SnapshotError):
                Sliding.restore(blob, **other)
        with pytest.raises(sash.SnapshotError, match="windows"):
            Sliding.restore(blob, windows=[TimeWindow(10), TimeWindow(11)])

    def test_damage_is_found(self):
        """A blob with any byte changed, cut short, or of a Window, is refused."""
        s = Sliding(sash.Sum(), TimeWindow(10), by=True)
        s.push("a", 1, 5)
        blob = s.snapshot()
        for place in range(0, len(blob), 7):
            with pytest.raises(sash.SnapshotError):
                Sliding.restore(blob[:place] + bytes([blob[place] ^ 1]) + blob[place + 1 :])
            with pytest.raises(sash.SnapshotError):
                Sliding.restore(blob[:place])
        with pytest.raises(sash.SnapshotError, match="Window"):
            Sliding.restore(sash.Window(sash.Sum()).snapshot())
        with pytest.raises(sash.SnapshotError):
            sash.Window.restore(blob)

    def test_an_aggregation_of_the_user(self):
        """Partials are not written, events are: an aggregation needs no codec."""

        class Longest(sash.Aggregation):
            identity = ""

            def lift(self, value):
                return value

            def combine(self, older, newer):
                return newer if len(newer) > len(older) else older

            def lower(self, partial):
                return partial

        s = Sliding(Longest(), CountWindow(2))
        s.push(1, "long")
        assert values(Sliding.restore(s.snapshot(), aggregation=Longest()).push(2, "no")) == ["long"]

    def test_an_operator_that_has_seen_nothing(self):
        """A new operator and a finished one are restored as what they are."""
        s = Sliding(sash.Sum(), TimeWindow(10))
        assert values(Sliding.restore(s.snapshot()).push(1.5, 2)) == [2]
        s.finish()
        assert Sliding.restore(s.snapshot()).push(1, 2) == []


def test_columns_of_a_batch():
    """A batch of results has its columns as arrays of the kind of what they hold."""
    s = Sliding(sash.Sum(), TimeWindow("10m"), by=True)
    times = np.array(["2024-02-29T23:55", "2024-03-01T00:04"], "datetime64[ns]")
    emitted = s.push_many(np.array([1, 1]), times, np.array([1.5, 2.5]))
    assert emitted.keys.tolist() == [1, 1]
    assert emitted.values.dtype == np.float64
    assert emitted.ends.dtype == emitted.starts.dtype == emitted.times.dtype == times.dtype
    assert (emitted.ends - emitted.starts == np.timedelta64(10, "m")).all()
    assert emitted.revisions.tolist() == [0, 0]
    assert emitted.numbers.tolist() == [0, 1]
    assert emitted.windows.tolist() == [0, 0]
    assert emitted[1:][0] == emitted[-1]
    assert repr(emitted) == "<2 results, the last 4.0 at 2024-03-01T00:04:00.000000000>"
    assert not s.push_many([], np.array([], "datetime64[ns]"), [])


def test_an_adaptive_window_forgets_what_the_stream_was():
    """After a jump of the mean the window holds the new level only; without one it holds everything."""
    level = [0.1, 0.2] * 100
    s = Sliding(sash.Mean(), AdaptiveWindow())
    steady = s.push_many(range(200), level)
    assert steady[-1].start == 0
    emitted = s.push_many(range(200, 400), [value + 0.7 for value in level])
    assert emitted[-1].start >= 190
    assert emitted[-1].value == pytest.approx(0.85, abs=0.01)


def test_triggers_of_counts():
    """Every k-th event: as they come at arrival, in the order of time otherwise, with a revision when that changes."""
    arrivals = Sliding(sash.Concat(), LandmarkWindow(), trigger=EveryEvents(2))
    assert values(arrivals.push_many([1, 9, 5, 7], ["a", "d", "b", "c"])) == ["ad", "abc"]
    updates = Sliding(sash.Concat(), LandmarkWindow(), trigger=EveryEvents(2), emit="update")
    emitted = updates.push_many([1, 9, 5, 7], ["a", "d", "b", "c"])
    assert [(one.number, one.end, one.value, one.revision) for one in emitted] == [
        (2, 9, "ad", 0),
        (2, 5, "ab", 1),
        (4, 9, "abcd", 0),
    ]


@pytest.mark.parametrize("emit", ["final", "update"])
def test_what_only_a_programmable_window_sees_is_no_change(emit):
    """Neither a change nor a revision: the window holds one event more, and its result is what it was."""
    policy = sash.PolicyWindow(lambda total, old: total - old >= 9, over=sash.Count())
    s = Sliding(sash.Sum(), policy, emit=emit, changes_only=emit == "final")
    actual = [*s.push_many([1, 3, 2], [5, 0, 0]), *s.finish()]
    assert [(one.end, one.value, one.revision) for one in actual] == (
        [(1, 5, 0)] if emit == "final" else [(1, 5, 0), (3, 5, 0), (2, 5, 0)]
    )


@pytest.mark.parametrize("emit", EMITS)
@pytest.mark.parametrize("nan", ["skip", "propagate"])
@pytest.mark.parametrize("as_array", [False, True])
def test_counts_that_rows_know_are_those_that_are_aggregated(emit, nan, as_array):
    """A programmable window over Count asks no partial, and holds what it would if it did: nulls, NaN, late events."""

    class Own(sash.Count):
        """The same, which the operator does not know to be a count."""

    drawn = random.Random(5)
    times = [place - drawn.choice([0, 0, 0, 6]) for place in range(60)]
    values = [drawn.choice([1.0, 2.0, 4.0, math.nan, math.nan if as_array else None]) for _ in times]
    actual = []
    for over in (sash.Count(), Own()):
        policy = sash.PolicyWindow(lambda total, old: total - old >= 3, over=over)
        s = Sliding(sash.Sum(nan=nan), policy, emit=emit, lateness=20)
        results = [*s.push_many(times, np.array(values) if as_array else values), *s.finish()]
        actual.append([(one.start, one.end, repr(one.value), one.revision, one.number) for one in results])
    assert actual[0] == actual[1]
