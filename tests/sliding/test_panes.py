"""Panes: windows that slide in steps retain one partial a step, and say what operators that retain events say."""

import datetime as dt

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import sash
from sash.errors import WindowSpecError
from sash.triggers import EachEvent, EverySlide
from sash.windows import CountWindow, LandmarkWindow, SessionWindow, TimeWindow, TumblingWindow

from .stories import EMITS, emitted

#: Each example runs two operators to their ends.
some = settings(max_examples=max(10, settings().max_examples // 3))

#: Windows with their trigger, whose ends lie on a common grid.
ON_A_GRID = {
    "one": ([TimeWindow(12, every=4)], None),
    "no multiple": ([TimeWindow(10, every=4)], None),
    "left": ([TimeWindow(12, every=4, closed="left")], None),
    "several": ([TimeWindow(6), TimeWindow(12), TimeWindow(9)], EverySlide(3)),
    "origin": ([TimeWindow(8), TimeWindow(4)], EverySlide(4, origin=-1)),
    "tumbling": ([TumblingWindow(5)], None),
    "tumbling left": ([TumblingWindow(6, closed="left", origin=2)], None),
    "blocks within blocks": ([TumblingWindow(12, origin=4), TimeWindow(8)], EverySlide(8)),
}


def events_of(count):
    """Some events of one key, in order, three a tick."""
    return [time // 3 for time in range(count)], [time % 7 for time in range(count)]


def bytes_of(aggregation, policy, **options):
    """What an operator retains of thirty thousand events."""
    s = sash.Sliding(aggregation, policy, **options)
    s.push_many(*events_of(30_000))
    return s._running.engine.core.memory()


class Digest(sash.Aggregation):
    """The values in their order, as one number."""

    identity = (0.0, 1.0)

    def lift(self, value):
        return value % 65521.0, 31.0

    def combine(self, older, newer):
        return (older[0] * newer[1] + newer[0]) % 65521.0, older[1] * newer[1] % 65521.0

    def lower(self, partial):
        return partial[0]


#: In the core and of any order, compiled and in Python, which only come in order.
RETAINED = {
    "native": (sash.Sum(), {}),
    "native, late": (sash.Composite(total=sash.Sum(), peak=sash.Max()), {"lateness": 500}),
    "native, in order": (sash.Delta(), {"lateness": 0}),
    "compiled": (sash.compiled(Digest()), {"lateness": 0}),
    "python": (Digest(), {"lateness": 0, "keep": "panes"}),
}


@pytest.mark.parametrize("kind", RETAINED)
def test_a_window_retains_panes_not_events(kind):
    """Ten thousand ticks in panes of a thousand take less than a fiftieth of what their events take."""
    aggregation, options = RETAINED[kind]
    window = TimeWindow(10_000, every=1_000)
    events = bytes_of(aggregation, window, **{**options, "keep": "events"})
    assert 50 * bytes_of(aggregation, window, **options) < events


class Counted(Digest):
    combines = 0

    def combine(self, older, newer):
        Counted.combines += 1
        return super().combine(older, newer)


def test_an_event_in_its_pane_takes_few_combines():
    """It is combined with its pane and with the total of the window, however many events are there."""
    s = sash.Sliding(Counted(), TimeWindow(10_000, every=1_000), lateness=0, keep="panes")
    s.push_many(*events_of(30_000))
    Counted.combines = 0
    s.push_many([10_001] * 1000, [1.0] * 1000)
    assert Counted.combines <= 6 * 1000


@pytest.mark.parametrize("emit", EMITS)
@pytest.mark.parametrize("name", ON_A_GRID)
def test_panes_say_what_events_say(name, emit):
    """At every step: late events, watermarks, nulls, idle keys, a restore in the middle, the end."""
    windows, trigger = ON_A_GRID[name]
    event = st.tuples(st.sampled_from("ab"), st.integers(-9, 40), st.none() | st.integers(-3, 3))
    steps = st.lists(event | st.tuples(st.integers(-9, 40)), max_size=25)
    made = st.fixed_dictionaries(
        {
            "lateness": st.none() | st.integers(0, 9),
            "expire": st.none() | st.integers(4, 20),
            "changes_only": st.booleans(),
        }
    )

    @some
    @given(steps, made, st.sampled_from([sash.Sum(), sash.Composite(low=sash.Min(), n=sash.Count())]))
    def check(drawn, options, aggregation):
        panes, events = (
            sash.Sliding(aggregation, windows, by=True, trigger=trigger, emit=emit, keep=keep, **options)
            for keep in ("panes", "events")
        )
        for place, step in enumerate(drawn):
            if place == len(drawn) // 2:
                panes = sash.Sliding.restore(panes.snapshot())
            take = (panes.push, events.push) if len(step) == 3 else (panes.advance, events.advance)
            actual = [[(emitted(one), one.window) for one in call(*step)] for call in take]
            assert actual[0] == actual[1]
        for key in "ab":
            assert panes.query(key) == events.query(key)
        assert list(panes.finish()) == list(events.finish())

    check()


@pytest.mark.parametrize("emit", EMITS)
@some
@given(times=st.lists(st.integers(0, 4), max_size=40), closed=st.sampled_from(["left", "right"]))
def test_what_depends_on_order_is_in_order(emit, times, closed):
    """With lateness=0 nothing comes between two events of a pane, so that texts may share it."""
    window = TimeWindow(9, every=3, closed=closed)
    panes, events = (
        sash.Sliding(sash.Concat(), window, emit=emit, lateness=0, keep=keep) for keep in ("panes", "events")
    )
    now = 0
    for number, step in enumerate(times):
        now += step - 1
        assert panes.push(now, chr(97 + number % 26)) == events.push(now, chr(97 + number % 26))
    assert list(panes.finish()) == list(events.finish())


DAY = dt.datetime(2024, 2, 29, 23, 59, tzinfo=dt.UTC)
KINDS = {
    "float": (lambda n: n / 4, 6),
    "float, no whole length": (lambda n: n / 4, 2.5),
    "int, then float": (lambda n: n if n < 25 else n + 0.5, 6),
    "clock": (lambda n: DAY + dt.timedelta(seconds=n), "6s"),
    "far": (lambda n: 2**62 + n, 6),
    "far and float": (lambda n: float(2**51 - 30 + n), 6),
}


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("closed", ["left", "right"])
def test_every_kind_of_time_has_its_panes(kind, closed):
    """Also those that become floats on the way, and those whose ends are no floats exactly."""
    time, every = KINDS[kind]
    length = {"6s": "18s", 6: 18, 2.5: 7.5}[every]
    window = TimeWindow(length, every=every, closed=closed)
    panes, events = (sash.Sliding(sash.Sum(), window, lateness=length, keep=keep) for keep in (None, "events"))
    for number in [0, 3, 5, 6, 7, 4, 12, 18, 30, 25, 24, 31, 29, 55, 60, 80]:
        assert panes.push(time(number), number) == events.push(time(number), number)
    assert panes.query() == events.query()
    assert list(panes.finish()) == list(events.finish())


def test_now_is_the_slide_that_fires_next():
    """So that a query says what is emitted if nothing more comes."""
    s = sash.Sliding(sash.Sum(), TimeWindow(10, every=5))
    s.push_many([1, 6, 12], [1, 2, 4])
    (now,) = s.query()
    assert (now.start, now.end, now.value) == (5, 15, 6)
    assert now.value == s.finish()[0].value


def test_a_query_between_two_slides_needs_events():
    """A window that would cut a pane is refused, with the way out; events have results at any time."""
    s = sash.Sliding(sash.Sum(), TimeWindow(10, every=5))
    s.push_many([1, 6, 12], [1, 2, 4])
    assert s.query(at=20)[0].value == 4
    with pytest.raises(ValueError, match=r'17 is between two slides.*ask for 15 or 20.*keep="events"'):
        s.query(at=17)
    apart = sash.Sliding(sash.Sum(), TimeWindow(10, every=5), keep="events")
    apart.push_many([1, 6, 12], [1, 2, 4])
    assert [apart.query(at=time)[0].value for time in (11, 15, 17)] == [2, 6, 4]


@pytest.mark.parametrize(
    ("why", "aggregation", "window", "options"),
    [
        ("does not fire at slides", sash.Sum(), TimeWindow(10), {}),
        ("does not fire at slides", sash.Sum(), TimeWindow(10, every=5), {"trigger": EachEvent()}),
        ("counts events", sash.Sum(), TimeWindow(10, every=5), {"min_periods": 2}),
        ("depends on the order", sash.Concat(), TimeWindow(10, every=5), {"lateness": 3}),
        ("both of its ends or none", sash.Sum(), TimeWindow(10, every=5, closed="both"), {}),
        ("different ends", sash.Sum(), [TimeWindow(10, every=5), TimeWindow(5, every=5, closed="left")], {}),
        ("is not one of", sash.Sum(), SessionWindow(5), {"trigger": EverySlide(5)}),
        ("is not one of", sash.Sum(), CountWindow(5), {"trigger": EverySlide(5)}),
        ("is not one of", sash.Sum(), LandmarkWindow(), {"trigger": EverySlide(5)}),
    ],
)
def test_what_needs_events_says_why(why, aggregation, window, options):
    """Panes that were asked for are refused; without keep= the operator retains events."""
    with pytest.raises(WindowSpecError, match=why):
        sash.Sliding(aggregation, window, keep="panes", **options)
    sash.Sliding(aggregation, window, **options)


def test_panes_of_no_whole_length_are_refused_over_floats():
    """Their ends would be rounded: an event might be on the wrong side of one."""
    s = sash.Sliding(sash.Sum(), TimeWindow(1.5, every=0.5), keep="panes")
    with pytest.raises(WindowSpecError, match="needs whole lengths"):
        s.push(0.25, 1)
    with pytest.raises(ValueError, match='keep is "panes", "events" or None'):
        sash.Sliding(sash.Sum(), TimeWindow(10), keep="all")


class Moody(sash.Concat):
    """Refuses to combine while it is angry."""

    angry = False

    def native(self):
        return None

    def combine(self, older, newer):
        if Moody.angry:
            raise ValueError("no more")
        return super().combine(older, newer)


def test_a_call_that_fails_leaves_the_panes_as_they_were():
    """A pane that was new, one that was there, and one that held nulls alone."""
    operators = [
        sash.Sliding(Moody(), TimeWindow(20, every=5), by=True, lateness=0, keep="panes", expire=50) for _ in range(2)
    ]
    for s in operators:
        s.push_many(["a", "a", "b"], [1, 6, 7], ["x", "y", None])
    Moody.angry = True
    try:
        with pytest.raises(ValueError, match="no more"):
            operators[0].push_many(["b", "c", "a", "a"], [8, 8, 9, 12], ["p", "q", "r", "s"])
    finally:
        Moody.angry = False
    assert operators[0].snapshot() == operators[1].snapshot()
    assert list(operators[0].push_many(["b", "a"], [8, 26], ["p", "s"])) == list(
        operators[1].push_many(["b", "a"], [8, 26], ["p", "s"])
    )
