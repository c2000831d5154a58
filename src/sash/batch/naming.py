"""The names of result columns."""

from __future__ import annotations

from typing import Any

from sash.windows import as_policy

__all__ = ["output_name", "window_label"]


def output_name(name: str, label: str) -> str:
    """The column of an aggregation over a window.

    >>> output_name("spent", "1h")
    'spent_1h'
    """
    return f"{name}_{label}"


def window_label(value: Any) -> str:
    """A window in the name of a column: a duration as it was written, a length, a number, or a policy and its parts.

    >>> from sash.windows import CountWindow, TimeWindow
    >>> window_label("24h"), window_label(TimeWindow("1h")), window_label(100), window_label(CountWindow(100))
    ('24h', '1h', '100', '100')
    """
    return "".join(value.split()) if isinstance(value, str) else as_policy(value).label
