"""Random operators and streams for them: every policy, trigger and emit mode, late events, idle keys, watermarks."""

from __future__ import annotations

from random import Random
from typing import Any

import sash
from sash.triggers import AtWatermark, EachEvent, EveryEvents, EverySlide, OnDemand, Trigger
from sash.windows import (
    CountWindow,
    LandmarkWindow,
    PolicyWindow,
    SessionWindow,
    TimeWindow,
    TumblingWindow,
    WindowPolicy,
)

#: A batch of (key, time, value), or a watermark.
Step = list[tuple[Any, int, Any]] | int


def keep_three(total: int, old: int) -> bool:
    """Three values stay."""
    return total - old >= 3


def draw_policy(random: Random) -> WindowPolicy:
    """Any window that needs no measure of a value."""
    closed: Any = random.choice(["right", "left", "both", "neither"])
    return random.choice(
        [
            lambda: TimeWindow(random.randrange(1, 20), closed=closed),
            lambda: CountWindow(random.randrange(1, 9)),
            lambda: SessionWindow(random.randrange(1, 8)),
            lambda: TumblingWindow(random.randrange(1, 12), origin=random.randrange(3)),
            lambda: TumblingWindow(count=random.randrange(1, 6)),
            lambda: LandmarkWindow(since=random.choice([None, 5])),
            lambda: PolicyWindow(keep_three, over=sash.Count()),
        ]
    )()


def draw_trigger(random: Random, plan: list[WindowPolicy]) -> Trigger:
    """A trigger that the windows can share."""
    every = random.randrange(1, 7)
    triggers = [EachEvent(), EveryEvents(every), EverySlide(every, origin=random.randrange(3)), OnDemand()]
    if len(plan) == 1 and not isinstance(plan[0], PolicyWindow):
        triggers.append(AtWatermark())
    return random.choice(triggers)


def draw_plan(random: Random) -> tuple[list[WindowPolicy], Trigger, dict[str, Any]]:
    """Windows, a trigger, and the options of an operator."""
    plan = list(dict.fromkeys(draw_policy(random) for _ in range(random.choice([1, 1, 1, 2, 3]))))
    options = {
        "emit": random.choice(["arrival", "final", "update"]),
        "lateness": random.choice([None, 0, 3, 10]),
        "expire": random.choice([None, None, 6, 15]),
        "changes_only": random.random() < 0.3,
        "min_periods": random.choice([0, 0, 1, 3]),
    }
    return plan, draw_trigger(random, plan), options


def draw_steps(random: Random, keys: str = "abc", size: int = 25) -> list[Step]:
    """Batches whose times go back and forth, with nulls; a watermark now and then."""
    steps: list[Step] = []
    now = 0
    for _ in range(random.randrange(1, size)):
        now += random.choice([0, 1, 1, 2, 9])
        if random.random() < 0.1:
            steps.append(now - random.randrange(5))
            continue
        batch = [
            (random.choice(keys), now + random.randrange(-8, 3), random.choice([None, *range(12)]))
            for _ in range(random.choice([1, 1, 1, 2, 5, 12]))
        ]
        steps.append(batch)
    return steps


def take(operator: sash.Sliding, step: Step) -> list[sash.Result]:
    """The results of a step: of one event, of a batch, or of a watermark."""
    if isinstance(step, int):
        return list(operator.advance(step))
    if len(step) == 1:
        return operator.push(*step[0])
    return list(operator.push_many(*(list(column) for column in zip(*step, strict=True))))


def emitted(results: list[sash.Result]) -> list[tuple[Any, ...]]:
    """Results as they are compared."""
    return [tuple(result) for result in results]
