"""Whether a plan can go on from the state that another one left."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

from sash.errors import PlanError

__all__ = ["check_promise", "differences"]

_FIXED: Final = {
    "by": "the key",
    "on": "the column of times",
    "times": "the type of the times",
    "emit": "emit",
    "buckets": "the number of buckets",
}


def differences(kept: Mapping[str, Any], wanted: Mapping[str, Any]) -> list[str]:
    """In what the wanted plan asks for more than was kept, or for something else. Empty if it can go on.

    >>> kept = {"by": ["a"], "on": "t", "times": "int", "emit": "final", "buckets": 4,
    ...         "columns": {"a": "int64", "t": "int64"}, "retain": 10, "windows": []}
    >>> differences(kept, kept | {"retain": 5})
    []
    >>> differences(kept, kept | {"retain": 20, "columns": {"t": "int64", "x": "double"}})
    ["column 'x' is not in the log", 'rows are kept for 10 ticks, and the longest window needs 20']
    """
    found = [
        f"{words} was {kept[name]!r} and is {wanted[name]!r}"
        for name, words in _FIXED.items()
        if kept[name] != wanted[name]
    ]
    for name, kind in wanted["columns"].items():
        if name not in kept["columns"]:
            found.append(f"column {name!r} is not in the log")
        elif kept["columns"][name] != kind:
            found.append(f"column {name!r} was {kept['columns'][name]} and is {kind}")
    return found + _windows(kept, wanted)


def _windows(kept: Mapping[str, Any], wanted: Mapping[str, Any]) -> list[str]:
    if kept["windows"] != wanted["windows"]:
        return [
            f"the windows were {kept['windows'] or 'lengths of time'} and are {wanted['windows'] or 'lengths of time'}"
        ]
    if kept["retain"] is not None and wanted["retain"] is not None and wanted["retain"] > kept["retain"]:
        return [f"rows are kept for {kept['retain']} ticks, and the longest window needs {wanted['retain']}"]
    return []


def check_promise(kept: Mapping[str, Any], wanted: Mapping[str, Any]) -> None:
    """`PlanError` with everything that differs, if the plan cannot go on from what was kept."""
    found = differences(kept, wanted)
    if found:
        raise PlanError(
            "\n- ".join(
                ["the plan cannot go on from this checkpoint: start a new one, with initial= for history", *found]
            )
        )
