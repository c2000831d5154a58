"""Windows as users write them: durations, numbers of events, and policies."""

from __future__ import annotations

from typing import Any

from sash.durations import parse_duration
from sash.errors import WindowSpecError
from sash.windows.base import WindowPolicy
from sash.windows.calendar import CALENDAR_UNITS, CalendarWindow, is_calendar
from sash.windows.count import CountWindow
from sash.windows.time import Closed, TimeWindow

__all__ = ["as_policies", "as_policy", "as_written"]


def as_policy(value: Any, closed: Closed = "right") -> WindowPolicy:
    """A policy as it is, a whole number as the `CountWindow` of so many events, as in pandas and polars, and a duration
    as the `TimeWindow` of that length with these ends; `WindowSpecError` for anything else.

    >>> as_policy("10m"), as_policy(100), as_policy("1mo", "left")
    (TimeWindow('10m'), CountWindow(100), CalendarWindow('1mo', closed='left'))
    """
    if isinstance(value, WindowPolicy):
        return value
    if isinstance(value, int) and not isinstance(value, bool):
        return CountWindow(value)
    if is_calendar(value):
        return CalendarWindow(value, closed=closed)
    try:
        policy = TimeWindow(parse_duration(value, CALENDAR_UNITS), closed=closed)
    except WindowSpecError as error:
        raise WindowSpecError(f"{value!r:.80} is no window: {error}") from None
    if policy.length.plain:
        raise WindowSpecError(f"{value!r} is no number of events: write TimeWindow({value!r}) if it is a length")
    return policy


def as_written(policy: WindowPolicy, label: str, closed: Closed) -> str | int | None:
    """What `as_policy` makes the policy of, with its label for text; None if there is nothing so short.

    >>> as_written(TimeWindow("60m"), "60m", "right"), as_written(CountWindow(3), "3", "right")
    ('60m', 3)
    >>> as_written(TimeWindow(3), "3", "right")
    """
    short = int(label) if label.isdecimal() else label
    try:
        return short if as_policy(short, closed) == policy else None
    except WindowSpecError:
        return None


def as_policies(value: Any) -> tuple[WindowPolicy, ...]:
    """One policy or several, all different; `WindowSpecError` if there is none or one is twice.

    >>> as_policies(["10m", "1h"])
    (TimeWindow('10m'), TimeWindow('1h'))
    """
    policies = tuple(map(as_policy, value)) if isinstance(value, (list, tuple)) else (as_policy(value),)
    if not policies:
        raise WindowSpecError("no window at all: give at least one, such as '1h' or TimeWindow('1h')")
    for place, one in enumerate(policies):
        if one in policies[:place]:
            raise WindowSpecError(f"{one!r} is there twice: give each window once")
    return policies
