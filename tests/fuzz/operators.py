"""Operators over one window, beside the brute force of `sliding.reference`; restored now and then."""

from __future__ import annotations

from random import Random
from typing import Any

from sliding.reference import Emitted, Reference

import sash
from sash.triggers import AtWatermark

from .plans import draw_plan, draw_steps


def aggregate(values: list[Any]) -> str:
    """The values one behind the other, as `Concat` has them."""
    return "".join(values) if values else None  # type: ignore[return-value]


def program(random: Random) -> int:
    """One operator, event by event."""
    plan, trigger, options = draw_plan(random)
    plan = plan[:1]
    if isinstance(trigger, AtWatermark) and options["emit"] != "arrival":
        options["emit"] = "final"
    s = sash.Sliding(sash.Concat(), plan[0], by=True, trigger=trigger, **options)
    reference = Reference(aggregate, plan[0], trigger, **options)
    steps = draw_steps(random)
    for step in steps:
        if isinstance(step, int):
            compare([*s.advance(step)], reference.advance(step))
            continue
        events = [(key, time, None if value is None else chr(97 + value)) for key, time, value in step]
        expected = [emitted for event in events for emitted in reference.push(*event)]
        columns = [list(column) for column in zip(*events, strict=True)]
        compare([*s.push_many(*columns)] if len(events) > 1 else s.push(*events[0]), expected)
        if random.random() < 0.1:
            s = sash.Sliding.restore(s.snapshot(), windows=plan[0])
    compare([*s.finish()], reference.finish())
    return len(steps)


def compare(results: list[sash.results.Result], expected: list[Emitted]) -> None:
    """The same results in the same order."""
    assert [Emitted(r.key, r.start, r.end, r.value, r.revision, r.time, r.number) for r in results] == expected
