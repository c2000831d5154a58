"""Every policy, trigger and emit mode over native members, beside the same over members in Python."""

import datetime as dt
from itertools import groupby

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import sash
from sash.operator.engine import Engine
from sash.testing import same
from sash.triggers import AtWatermark, EachEvent, EveryEvents, EverySlide, OnDemand
from sash.windows import CountWindow, LandmarkWindow, SessionWindow, TimeWindow, TumblingWindow

from .stories import EMITS, Interpreted


class Digest(sash.Aggregation):
    """The sequence of the values as one number: it differs with their order, and nothing can be taken out of it."""

    identity = (0.0, 1.0)

    def lift(self, value):
        return value % 65521.0, 31.0

    def combine(self, older, newer):
        return (older[0] * newer[1] + newer[0]) % 65521.0, older[1] * newer[1] % 65521.0

    def lower(self, partial):
        return partial[0]


#: In the core, and in Python. Their results are exact for the values of these tests, however they are associated.
SUBJECTS = {
    "sum": (sash.Sum(), sash.Sum()),
    "digest": (sash.compiled(Digest()), Digest()),
    "composite": (sash.Composite(total=sash.Sum(), gain=sash.Delta(), low=sash.Min(), count=sash.Count()),) * 2,
}
WINDOWS = {
    "time": [TimeWindow(7), TimeWindow(12, closed="left"), TimeWindow(5, closed="neither")],
    "tumbling": [TumblingWindow(6, origin=2), TumblingWindow(6, closed="left", origin=2)],
    "session": [SessionWindow(3), SessionWindow(6)],
    "one session": [SessionWindow(3)],
    "count": [CountWindow(3), TumblingWindow(count=4)],
    "landmark": [LandmarkWindow(), LandmarkWindow(since=5)],
    "mixed": [TimeWindow(7, closed="both"), CountWindow(2), SessionWindow(4), TumblingWindow(5), LandmarkWindow()],
}
TRIGGERS = [EachEvent(), EveryEvents(2), EverySlide(3), EverySlide(4, origin=1), AtWatermark(), OnDemand()]

values = st.integers(-5, 5) | st.none() | st.sampled_from([0.5, -1.25])
keys = st.sampled_from(["a", "b", 1, 1.0, True, (1, "x"), None])
times = st.integers(-8, 30)
#: An event, or a watermark if there is one part alone.
steps = st.lists(st.one_of([st.tuples(keys, times, values)] * 6 + [st.tuples(times)]), max_size=30)
options = st.fixed_dictionaries(
    {
        "lateness": st.none() | st.integers(0, 15),
        "expire": st.none() | st.integers(3, 20),
        "changes_only": st.booleans(),
        "min_periods": st.sampled_from([0, 0, 1, 3]),
    }
)


def triggers_of(windows):
    """The triggers that these windows can share."""
    apart = windows in ("count", "mixed")
    return [trigger for trigger in TRIGGERS if not (apart and isinstance(trigger, AtWatermark))]


def plain(results):
    """Results as plain tuples."""
    return [(r.key, r.start, r.end, r.value, r.revision, r.time, r.number, r.window) for r in results]


def agree(native, python):
    native, python = plain(native), plain(python)
    assert [one[:3] + one[4:] for one in native] == [one[:3] + one[4:] for one in python]
    for one, other in zip(native, python, strict=True):
        assert same(one[3], other[3], 1e-9, scale=100.0), (one, other)


def both(subject, windows, **options):
    native, python = SUBJECTS[subject]
    return (
        sash.Sliding(native, windows, by=True, **options),
        sash.Sliding(Interpreted(python), windows, by=True, **options),
    )


def take(operator, batch):
    """Events in one call, or a watermark."""
    if len(batch[0]) == 1:
        return [result for (time,) in batch for result in operator.advance(time)]
    return operator.push_many(*[list(column) for column in zip(*batch, strict=True)])


def compare(native, python, drawn):
    """One by one, then a restored one in batches, then the end; after each step all that can be asked."""
    half = len(drawn) // 2
    for step in drawn[:half]:
        agree(take(native, [step]), take(python, [step]))
    native = sash.Sliding.restore(native.snapshot(), aggregation=native.aggregation)
    for _, batch in groupby(drawn[half:], key=len):
        batch = list(batch)
        agree(take(native, batch), take(python, batch))
    agree(native.results, python.results)
    assert (native.late, native.late_counts) == (python.late, python.late_counts)
    assert (native.watermark, native.keys) == (python.watermark, python.keys)
    for key in [*native.keys, "nobody"]:
        agree(native.query(key), python.query(key))
    agree(native.finish(), python.finish())


@pytest.mark.parametrize("emit", EMITS)
@pytest.mark.parametrize("windows", WINDOWS)
def test_native_and_python_members_agree(windows, emit):
    """With every trigger, late events, nulls, equal times, keys of all kinds, idle keys, watermarks and a restore."""

    @given(steps, st.sampled_from(sorted(SUBJECTS)), st.sampled_from(triggers_of(windows)), options)
    def check(drawn, subject, trigger, drawn_options):
        compare(*both(subject, WINDOWS[windows], trigger=trigger, emit=emit, on_late="keep", **drawn_options), drawn)

    check()


@pytest.mark.parametrize("kind", ["float", "datetime", "datetime64"])
@pytest.mark.parametrize("trigger", [EachEvent(), EverySlide("5m")], ids=repr)
@pytest.mark.parametrize("emit", EMITS)
def test_other_kinds_of_time(kind, trigger, emit):
    """Each is counted in its own ticks; slides of floats are floats."""
    day = dt.datetime(2024, 2, 28, 23, tzinfo=dt.UTC)
    make = {
        "float": lambda n: n / 4,
        "datetime": lambda n: day + dt.timedelta(minutes=n),
        "datetime64": lambda n: np.datetime64("1969-12-31T23:59:59", "s") + np.timedelta64(n, "m"),
    }[kind]
    length = 2.3 if kind == "float" else "10m"
    if kind == "float" and isinstance(trigger, EverySlide):
        trigger = EverySlide(0.7)
    windows = [TimeWindow(length), TumblingWindow(length), SessionWindow(length)]
    native, python = both("composite", windows, trigger=trigger, emit=emit, lateness=length)
    for place, minute in enumerate([0, 3, 9, 10, 4, 19, 20, 13, 40, 38, 61]):
        event = ("k", make(minute), place)
        agree(native.push(*event), python.push(*event))
    agree(native.finish(), python.finish())


@pytest.mark.parametrize("emit", EMITS)
@pytest.mark.parametrize("windows", WINDOWS)
def test_integer_times_become_floats(windows, emit):
    """Once a float comes, and what waits, what was emitted and where windows begin stay what they were."""
    events = [("a", 1, 5), ("b", 4, None), ("a", 6, 2), ("a", 8.5, 3), ("b", 9.25, 4), ("a", 2, 7), ("b", 19, 1)]
    for trigger in triggers_of(windows):
        native, python = both("composite", WINDOWS[windows], trigger=trigger, emit=emit, lateness=9, min_periods=1)
        for event in events:
            agree(native.push(*event), python.push(*event))
        agree(native.finish(), python.finish())


@pytest.mark.parametrize("emit", ["final", "update"])
def test_a_sum_that_overflows_changes_nothing(emit):
    """The batch in which a result is due that does not fit is refused."""
    s = sash.Sliding(sash.Sum(), [TimeWindow(10), CountWindow(3)], by=True, emit=emit, lateness=3, expire=50)
    s.push_many(["a", "b"], [1, 2], [2**62, 1])
    before = s.snapshot()
    with pytest.raises(OverflowError, match="does not fit in 64 bits"):
        s.push_many(["c", "b", "a", "a", "b"], [2, 3, 4, 30, 90], [1, 5, 2**62, 1, 2])
    assert s.snapshot() == before
    assert s.keys == ["a", "b"]
    assert [r.value for r in [*s.push("b", 4, 2), *s.finish()] if r.key == "b"][-1] == 3


@pytest.mark.parametrize("emit", EMITS)
@pytest.mark.parametrize("trigger", [EachEvent(), EverySlide(3), EveryEvents(2)], ids=repr)
def test_a_compiled_function_that_fails_changes_nothing(emit, trigger):
    """Neither rows, nor what waits, nor what was emitted: the batch that follows says what it would have actual."""

    class Picky(Digest):
        def lower(self, partial):
            if partial[0] == 13.0:
                raise ValueError("unlucky")
            return partial[0]

    def make(aggregation):
        windows = [TimeWindow(4), CountWindow(1), SessionWindow(2)]
        made = {"trigger": trigger, "emit": emit, "lateness": 2, "changes_only": True}
        return sash.Sliding(aggregation, windows, by=True, expire=9, **made)

    s, other = make(sash.compiled(Picky())), make(SUBJECTS["digest"][0])
    for operator in (s, other):
        operator.push_many(["a", "b", "a", "a"], [1, 2, 3, 2], [1.0, 5.0, 2.0, 4.0])
    before = s.snapshot()
    with pytest.raises(sash.AggregationError, match="a compiled function raised an error"):
        s.push_many([*"cabba", "d", "d", "d"], [2, 2, 7, 8, 6, 30, 31, 40], [2.0, 7.0, 1.0, 3.0, 4.0, 13.0, 13.0, 13.0])
    assert s.snapshot() == before
    batch = ([*"cab"], [2, 2, 9], [2.0, 7.0, 1.0])
    agree(s.push_many(*batch), other.push_many(*batch))
    agree(s.finish(), other.finish())


def test_a_time_off_the_grid_changes_nothing():
    """Where floats are too large for the slide, there is no next multiple to go to."""
    s = sash.Sliding(sash.Sum(), TimeWindow(5.0, every=0.5), by=True)
    s.push_many(["a", "b"], [1.0, 2.0], [1, 2])
    before = s.snapshot()
    with pytest.raises(ValueError, match="no place among the multiples"):
        s.push_many(["c", "a"], [2.5, 1e300], [1, 2])
    assert s.snapshot() == before


def test_the_ends_of_time():
    """Windows that begin before the first time that 64 bits hold have no start, and hold what is there."""
    least, most = -(2**63), 2**63 - 1
    windows = [TimeWindow(10), TumblingWindow(10, closed="left"), TumblingWindow(7)]
    native, python = both("sum", windows, trigger=EachEvent(), emit="final")
    for place, time in enumerate([least, least + 3, most - 3, most]):
        event = ("k", time, place)
        agree(native.push(*event), python.push(*event))
    agree(native.finish(), python.finish())


@pytest.mark.parametrize("order", ["up", "down", "mixed"])
def test_many_late_events_at_one_place(order):
    """Labels between two neighbours run out, and are given anew."""
    places = np.arange(2, 400)
    late = {"up": places, "down": places[::-1], "mixed": np.random.default_rng(3).permutation(places)}[order]
    ticks = np.concatenate([[1, 1000], late])
    windows = [CountWindow(5), TumblingWindow(count=3), TimeWindow(9)]
    native, python = both("digest", windows, trigger=EachEvent(), emit="final")
    columns = ["k"] * len(ticks), ticks, np.arange(len(ticks))
    agree(native.push_many(*columns), python.push_many(*columns))
    agree(native.finish(), python.finish())


def test_columns_come_out_as_arrays():
    """Without a result being made."""
    s = sash.Sliding(sash.Max(), [TimeWindow(2), CountWindow(2)], by=True, emit="final", lateness=1)
    actual = s.push_many(np.array([7, 8, 7]), np.array([1, 2, 9]), np.array([4.0, 5.0, 3.0]))
    assert actual.values.dtype == np.float64
    assert actual.values.tolist() == [4.0, 4.0, 5.0, 5.0]
    assert actual.keys.tolist() == [7, 7, 8, 8]
    assert actual.starts.tolist() == [-1, 1, 0, 2]
    assert actual.ends.tolist() == actual.times.tolist() == [1, 1, 2, 2]
    assert actual.numbers.tolist() == [0, 0, 1, 1]
    assert actual.windows.tolist() == [0, 1, 0, 1]
    slides = sash.Sliding(sash.Sum(), TimeWindow(4, every=2)).push_many([1, 2, 9], [4, 5, 3])
    assert slides.ends.tolist() == [2, 4]
    assert slides.times.tolist() == slides.numbers.tolist() == [None, None]


def test_keys_come_out_as_they_were_first_given():
    """Keys that are equal are one key, and it is emitted as the first of them."""
    s = sash.Sliding(sash.Sum(), CountWindow(2), by=True)
    actual = s.push_many([2.0, 2, True, 1, "a"], [1, 2, 3, 4, 5], [1, 2, 3, 4, 5])
    assert [repr(one.key) for one in actual] == ["2.0", "2.0", "True", "True", "'a'"]
    assert [repr(key) for key in sash.Sliding.restore(s.snapshot()).keys] == ["2.0", "True", "'a'"]


def test_keys_that_came_late_or_fell_idle_leave_nothing():
    """Neither in the list of keys nor in the memory."""
    s = sash.Sliding(sash.Sum(), TimeWindow(5), by=True, emit="final", lateness=2, expire=10)
    for start in range(0, 100_000, 1000):
        names = np.arange(start, start + 1000)
        s.push_many(names, names, names)
        s.push_many(names + 10**9, np.full(1000, start - 50), names)
    assert len(s.keys) == 10
    assert s.late_counts["watermark"] == 100_000
    assert s._running.engine.core.memory() < 3_000_000


def test_what_is_forgotten_is_not_needed():
    """A long stream in one line keeps what its windows may still need, and says what the other engine says."""
    windows = [TimeWindow(50), CountWindow(20), SessionWindow(3), TumblingWindow(count=7)]
    native, python = both("digest", windows, trigger=EachEvent(), emit="final", lateness=30)
    drawn = np.random.default_rng(5)
    ticks = np.arange(3000) - drawn.integers(0, 30, 3000)
    for start in range(0, 3000, 250):
        batch = ["k"] * 250, ticks[start : start + 250], np.arange(start, start + 250)
        agree(native.push_many(*batch), python.push_many(*batch))
    assert native._running.engine.core.memory() < 60_000
    agree(native.finish(), python.finish())


@pytest.mark.parametrize("place", [30, 200, -40])
def test_a_damaged_snapshot_is_an_error(place):
    """Never a crash: a state that does not fit together is refused."""
    s = sash.Sliding(sash.Sum(), [CountWindow(3), SessionWindow(2)], by=True, emit="final", changes_only=True)
    s.push_many(["a", "b", "a"], [1, 2, 3], [1, 2, 3])
    state = s._running.engine.dump()
    body = bytearray(state["body"])
    for flipped in range(0, len(body), 8):
        damaged = body.copy()
        damaged[(place + flipped) % len(body)] ^= 0x55
        try:
            twin = Engine.load(s._spec, s._running.engine.scale.kind, {**state, "body": bytes(damaged)})
            twin.advance(None)
        except (sash.SnapshotError, OverflowError):
            pass
