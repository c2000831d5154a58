"""The names of result columns, and windows as users write them."""

from __future__ import annotations

from typing import Any

from sash.errors import WindowSpecError
from sash.windows import CountWindow, TimeWindow, WindowPolicy
from sash.windows.time import Closed

__all__ = ["output_name", "read_window", "window_label"]


def output_name(name: str, window: WindowPolicy) -> str:
    """The column of an aggregation over a window.

    >>> output_name("spent", TimeWindow("1h")), output_name("spent", CountWindow(100))
    ('spent_1h', 'spent_100')
    """
    return f"{name}_{window_label(window)}"


def window_label(window: WindowPolicy) -> str:
    """A window in the name of a column: its length, or the policy and its parts."""
    if isinstance(window, TimeWindow):
        return str(window.length)
    if isinstance(window, CountWindow):
        return str(window.n)
    parts = window.to_dict()
    word = str(parts.pop("policy")).removesuffix("Window").lower()
    return "_".join([word, *(str(value) for value in parts.values())])


def read_window(value: Any, closed: Closed = "right") -> WindowPolicy:
    """A policy as it is, a whole number as so many rows, a duration as that length of time with the ends.

    >>> read_window(100), read_window("1h", "left")
    (CountWindow(100), TimeWindow('1h', closed='left'))
    """
    if isinstance(value, WindowPolicy):
        return value
    if isinstance(value, int) and not isinstance(value, bool):
        return CountWindow(value)
    try:
        policy = TimeWindow(value, closed=closed)
    except WindowSpecError as error:
        raise WindowSpecError(f"{value!r:.80} is no window: {error}") from None
    if policy.length.plain:
        raise WindowSpecError(f"{value!r} is no number of rows: write TimeWindow({value!r}) if it is a length")
    return policy
