"""Aggregations that fail in the midst of a call and go on failing while it is rolled back: nothing has changed."""

from __future__ import annotations

from collections.abc import Callable
from random import Random
from typing import Any

import sash
from sash.algorithms import ALGORITHMS

from .plans import draw_plan, draw_steps, emitted, take


class UnwellError(Exception):
    """What the moody aggregation raises."""


class Moody(sash.Aggregation):
    """Texts one behind the other, in Python. From the moment on at which its patience is spent, every call raises."""

    identity = ""

    def __init__(self) -> None:
        self.patience: int | None = None

    def _bear(self) -> None:
        if self.patience is not None:
            self.patience -= 1
            if self.patience < 0:
                raise UnwellError

    def lift(self, value: Any) -> str:
        """The text of the value."""
        self._bear()
        return f"{value},"

    def combine(self, older: str, newer: str) -> str:
        """The older text first."""
        self._bear()
        return older + newer

    def lower(self, partial: str) -> str:
        """The text itself."""
        self._bear()
        return partial

    def to_dict(self) -> dict[str, Any]:
        """Its patience is no part of it."""
        return {"name": "Moody"}


def attempt(random: Random, subject: Any, twin: Any, state: Callable[[Any], Any], work: Callable[[Any], Any]) -> None:
    """The subject may fail at any of its calls of the aggregation; it is then what it was, and does it again well."""
    before = state(subject)
    subject.aggregation.patience = random.choice([0, 1, 2, 3, 5, 8, 20])
    try:
        results = work(subject)
    except UnwellError:
        subject.aggregation.patience = None
        assert state(subject) == before, "a call that failed has changed something"
        results = work(subject)
    subject.aggregation.patience = None
    assert results == work(twin)
    assert state(subject) == state(twin)


def operators(random: Random) -> int:
    """An operator with a moody aggregation beside one whose aggregation is never unwell."""
    plan, trigger, options = draw_plan(random)
    subject, twin = (sash.Sliding(Moody(), plan, by=True, trigger=trigger, on_late="keep", **options) for _ in range(2))
    steps = draw_steps(random)
    for step in steps:
        attempt(random, subject, twin, sash.Sliding.snapshot, lambda operator, step=step: emitted(take(operator, step)))
    attempt(random, subject, twin, sash.Sliding.snapshot, lambda operator: emitted(operator.finish()))
    return len(steps)


def windows(random: Random) -> int:
    """The same of a window, by every algorithm that takes an aggregation without an inverse."""
    names = [name for name, known in ALGORITHMS.items() if not known.needs_inverse]
    name = random.choice(names)
    subject, twin = sash.Window(Moody(), name), sash.Window(Moody(), name)
    now = 0
    count = random.randrange(5, 60)
    for _ in range(count):
        now, work = _window_step(random, now, ALGORITHMS[name].late, len(twin))
        attempt(random, subject, twin, _contents, work)
        subject.check_invariants()
    return count


def _contents(window: sash.Window) -> Any:
    return window.snapshot(), len(window), window.query()


def _window_step(random: Random, now: int, late: bool, size: int) -> tuple[int, Callable[[sash.Window], Any]]:
    now += random.choice([0, 1, 1, 3])
    back = random.randrange(20) if late else 0
    value = random.randrange(100)
    times = sorted(now + random.randrange(6) for _ in range(random.randrange(1, 12)))
    if late:
        times = [time - random.randrange(20) for time in times]
    match random.randrange(8):
        case 0 | 1 | 2 | 3:
            return now, lambda window: window.insert(now - back, value)
        case 4:
            return max(now, *times), lambda window: window.bulk_insert(times, [value] * len(times))
        case 5 if size:
            return now, lambda window: window.evict()
        case 6:
            return now, lambda window: window.bulk_evict(now - 10)
    return now, lambda window: window.query()
