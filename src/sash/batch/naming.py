"""The names of result columns."""

from __future__ import annotations

from typing import Any

from sash.aggregations.base import Aggregation
from sash.windows import CalendarWindow, CountWindow, TimeWindow, WindowPolicy, as_policy
from sash.windows.described import plain_part

__all__ = ["output_name", "window_label"]


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
        return "".join(value.split()) if isinstance(value, str) else window_label(as_policy(value))
    word = type(value).__name__.removesuffix("Window").lower()
    parts = {name: getattr(value, name) for name in (*value.positional, *value.defaults)}
    shown = {name: part for name, part in parts.items() if part is not None and part is not False}
    return "_".join([word, *(name if part is True else _part_label(part) for name, part in shown.items())])


def _part_label(part: Any) -> str:
    """A part of a policy: a function by its name, an aggregation by its own and its columns."""
    if isinstance(part, Aggregation):
        return "_".join([type(part).__name__.lower(), *part.columns])
    return str(getattr(part, "__name__", "function")).strip("<>") if callable(part) else str(plain_part(part))
