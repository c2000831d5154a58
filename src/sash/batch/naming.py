"""The names of result columns, and windows as users write them."""

from __future__ import annotations

from typing import Any

from sash.aggregations.base import Aggregation
from sash.errors import WindowSpecError
from sash.windows import CalendarWindow, CountWindow, TimeWindow, WindowPolicy
from sash.windows.calendar import is_calendar
from sash.windows.described import plain_part
from sash.windows.time import Closed

__all__ = ["output_name", "read_window", "window_label"]


def output_name(name: str, label: str) -> str:
    """The column of an aggregation over a window.

    >>> output_name("spent", "1h")
    'spent_1h'
    """
    return f"{name}_{label}"


def window_label(value: Any) -> str:
    """A window in the name of a column: a duration as it was written, a length, a number, or a policy and its parts.

    >>> window_label("24h"), window_label(TimeWindow("1h")), window_label(100), window_label(CountWindow(100))
    ('24h', '1h', '100', '100')
    >>> from sash.windows import DeltaWindow
    >>> window_label(DeltaWindow("km", 9)), window_label(DeltaWindow("km", 9, tumbling=True))
    ('delta_km_9', 'delta_km_9_tumbling')
    """
    if isinstance(value, (TimeWindow, CalendarWindow)):
        return str(value.length)
    if isinstance(value, CountWindow):
        return str(value.n)
    if not isinstance(value, WindowPolicy):
        return "".join(value.split()) if isinstance(value, str) else window_label(read_window(value))
    word = type(value).__name__.removesuffix("Window").lower()
    parts = {name: getattr(value, name) for name in (*value.positional, *value.defaults)}
    shown = {name: part for name, part in parts.items() if part is not None and part is not False}
    return "_".join([word, *(name if part is True else _part_label(part) for name, part in shown.items())])


def _part_label(part: Any) -> str:
    """A part of a policy: a function by its name, an aggregation by its own and its columns."""
    if isinstance(part, Aggregation):
        return "_".join([type(part).__name__.lower(), *part.columns])
    return str(getattr(part, "__name__", "function")).strip("<>") if callable(part) else str(plain_part(part))


def read_window(value: Any, closed: Closed = "right") -> WindowPolicy:
    """A policy as it is, a whole number as so many rows, a duration as that length of time with the ends.

    >>> read_window(100), read_window("1h", "left")
    (CountWindow(100), TimeWindow('1h', closed='left'))
    """
    if isinstance(value, WindowPolicy):
        return value
    if isinstance(value, int) and not isinstance(value, bool):
        return CountWindow(value)
    if is_calendar(value):
        return CalendarWindow(value, closed=closed)
    try:
        policy = TimeWindow(value, closed=closed)
    except WindowSpecError as error:
        raise WindowSpecError(f"{value!r:.80} is no window: {error}") from None
    if policy.length.plain:
        raise WindowSpecError(f"{value!r} is no number of rows: write TimeWindow({value!r}) if it is a length")
    return policy
