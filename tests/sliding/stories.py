"""What the tests of the operator draw: aggregations with their results, policies, triggers, and streams of events."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

from hypothesis import strategies as st

import sash
from sash.operator import Result, Sliding
from sash.triggers import AtWatermark, EachEvent, EveryEvents, EverySlide, OnDelta, OnDemand, OnPunctuation, Trigger
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
    WindowPolicy,
)

from .reference import Emitted


class Subject(NamedTuple):
    """An aggregation, the value of the n-th event, and the result straight from values in order."""

    aggregation: sash.Aggregation
    value: Callable[[int], Any]
    aggregate: Callable[[list[Any]], Any]


SUBJECTS = {
    "concat": Subject(
        sash.Concat(), lambda number: chr(0x4E00 + number), lambda values: "".join(values) if values else None
    ),
    "first": Subject(sash.First(), lambda number: number, lambda values: values[0] if values else None),
    "arg_max": Subject(
        sash.ArgMax(),
        lambda number: (number % 3, f"event {number}"),
        lambda values: max(values, key=lambda pair: pair[0])[1] if values else None,
    ),
    "sum": Subject(sash.Sum(), lambda number: number * 7 % 11 - 3, sum),
}


def measure(value: Any) -> int:
    """A number that goes up and down, from a value of any of the subjects."""
    number = ord(value) if isinstance(value, str) else value[0] if isinstance(value, tuple) else value
    return number * 3 % 8


def tenfold(value: Any) -> int:
    return 10 * measure(value)


def is_even(value: Any) -> bool:
    return measure(value) % 2 == 0


def keep_three(total: int, old: int) -> bool:
    return total - old >= 3


POLICIES: dict[str, WindowPolicy] = {
    **{f"time_{closed}": TimeWindow(5, closed=closed) for closed in ("right", "left", "both", "neither")},
    "time_every": TimeWindow(6, every=4),
    "count": CountWindow(3),
    "count_every": CountWindow(4, every=2),
    "session": SessionWindow(3),
    "tumbling": TumblingWindow(5),
    "tumbling_left": TumblingWindow(5, closed="left", origin=2),
    "tumbling_count": TumblingWindow(count=3),
    "delta": DeltaWindow(measure, 3),
    "tumbling_delta": DeltaWindow(measure, 3, tumbling=True),
    "punctuated": PunctuatedWindow(is_even),
    "landmark": LandmarkWindow(),
    "landmark_since": LandmarkWindow(since=4),
    "policy": PolicyWindow(keep_three, over=sash.Count()),
    "adaptive": AdaptiveWindow(0.9, of=tenfold),
}

TRIGGERS: dict[str, Trigger | None] = {
    "implied": None,
    "each": EachEvent(),
    "every_2": EveryEvents(2),
    "slide": EverySlide(3),
    "slide_origin": EverySlide(4, origin=1),
    "punctuation": OnPunctuation(is_even),
    "delta": OnDelta(measure, 2),
    "demand": OnDemand(),
    "watermark": AtWatermark(),
}

EMITS = ("arrival", "final", "update")


class Interpreted(sash.Aggregation):
    """An aggregation without its compiled twin: the operator runs its Python methods."""

    def __init__(self, inner: sash.Aggregation) -> None:
        self.inner = inner
        self.identity = inner.identity
        self.nan = inner.nan
        self.timed = inner.timed  # type: ignore[misc]

    def lift(self, *event: Any) -> Any:
        return self.inner.lift(*event)

    def combine(self, older: Any, newer: Any) -> Any:
        return self.inner.combine(older, newer)

    def lower(self, partial: Any) -> Any:
        return self.inner.lower(partial)

    def skips(self, value: Any) -> bool:
        return self.inner.skips(value)


class Step(NamedTuple):
    """An event, or a watermark if there is no key to it."""

    key: str | None
    time: int
    null: bool = False


def streams(keys: str = "a", watermarks: bool = True, size: int = 14) -> st.SearchStrategy[list[Step]]:
    """Events at times that go back and forth and are often equal, negative ones too; a watermark now and then."""
    times = st.integers(-4, 12)
    events = st.builds(Step, st.sampled_from(keys), times, st.sampled_from([False, False, False, True]))
    steps = [events, events, events, events, st.builds(Step, st.none(), times)] if watermarks else [events]
    return st.lists(st.one_of(steps), max_size=size)


def emitted(result: Result) -> Emitted:
    return Emitted(*result[:7], result.retracted)


def run(operator: Any, subject: Subject, steps: list[Step]) -> list[list[Emitted]]:
    """What an operator or the reference says at each step, and at the end."""
    actual = []
    for number, step in enumerate(steps):
        if step.key is None:
            actual.append(operator.advance(step.time))
        else:
            actual.append(operator.push(step.key, step.time, None if step.null else subject.value(number)))
    actual.append(operator.finish())
    if isinstance(operator, Sliding):
        return [[emitted(result) for result in results] for results in actual]
    return actual
