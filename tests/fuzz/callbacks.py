"""Callbacks that come back into the window or operator that calls them: served or refused, never a crash.

Each program runs in a fork, since a crash would end more than the program.
"""

from __future__ import annotations

from collections.abc import Callable
from random import Random
from typing import Any

from children import in_child

import sash
from sash.algorithms import ALGORITHMS

from .plans import draw_plan, draw_steps, take


class Meddling(sash.Aggregation):
    """Counts, and now and then does something to whoever counts by it."""

    identity = 0

    def __init__(self, random: Random) -> None:
        self.random = random
        self.deeds: list[Callable[[], Any]] = []
        self.busy = False

    def _meddle(self) -> None:
        if self.deeds and not self.busy and self.random.random() < 0.1:
            self.busy = True
            try:
                self.random.choice(self.deeds)()
            except (RuntimeError, sash.errors.SashError, ValueError, TypeError):
                pass
            finally:
                self.busy = False

    def lift(self, value: Any) -> int:
        """One."""
        self._meddle()
        return 1

    def combine(self, older: int, newer: int) -> int:
        """As many as both."""
        self._meddle()
        return older + newer

    def lower(self, partial: int) -> int:
        """How many."""
        self._meddle()
        return partial

    def to_dict(self) -> dict[str, Any]:
        """What it does beside counting is no part of it."""
        return {"name": "Meddling"}


def program(random: Random) -> int:
    """An operator or a window, in a process of its own."""
    in_child(random.choice([operators, windows]), Random(random.randrange(2**32)))
    return 1


def operators(random: Random) -> None:
    """Whatever the aggregation and the late events call, the operator still counts right."""
    plan, trigger, options = draw_plan(random)
    meddling = Meddling(random)

    def on_late(event: Any) -> None:
        meddling._meddle()

    s = sash.Sliding(meddling, plan, by=True, trigger=trigger, on_late=on_late, **options)
    twin = sash.Sliding(Meddling(random), plan, by=True, trigger=trigger, **options)
    meddling.deeds = [
        lambda: s.push("a", 5, 1),
        lambda: s.push_many(["a", "b"], [5, 6], [1, 1]),
        lambda: s.advance(100),
        lambda: s.finish(),
        lambda: s.query("a"),
        lambda: s.snapshot(),
        lambda: s.results,
        lambda: s.keys,
        lambda: repr(s),
    ]
    for step in draw_steps(random):
        assert take(s, step) == take(twin, step)


def windows(random: Random) -> None:
    """The same of a window."""
    name = random.choice([one for one, known in ALGORITHMS.items() if not known.needs_inverse])
    meddling = Meddling(random)
    window = sash.Window(meddling, name)
    meddling.deeds = [
        lambda: window.insert(5, 1),
        lambda: window.bulk_insert([1, 2], [1, 1]),
        lambda: window.evict(),
        lambda: window.clear(),
        lambda: window.query(),
        lambda: window.snapshot(),
        lambda: window.merge(window.copy()),
        lambda: len(window),
        lambda: list(window.items()),
        lambda: repr(window),
    ]
    count = 0
    for time in range(60):
        window.insert(time, 1)
        count += 1
        if random.random() < 0.3:
            window.evict()
            count -= 1
        assert len(window) == count
    meddling.deeds = []
    assert window.query() == (count or None) or count == 0
