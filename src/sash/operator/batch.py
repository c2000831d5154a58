"""Columns of events as they were given: their sizes, and their rows as Python has them."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sized
from typing import Any

import numpy as np

__all__ = ["check_sizes", "checked_key", "items_of", "rows_of"]

_NAN = math.nan


def check_sizes(keys: Any, ticks: Sized, values: Any, keyed: bool) -> None:
    """ValueError unless there are as many keys and values as times.

    >>> check_sizes(None, [1, 2], {"km": [5]}, keyed=False)
    Traceback (most recent call last):
    ...
    ValueError: 2 times and 1 values of 'km': there must be one of each an event
    """
    counts = [(len(keys), "keys")] if keyed else []
    counts.append((len(ticks), "times"))
    if isinstance(values, Mapping):
        counts += [(len(column), f"values of {name!r}") for name, column in values.items()]
    else:
        counts.append((len(values), "values"))
    if len({count for count, _ in counts}) > 1:
        text = " and ".join(f"{count} {what}" for count, what in counts)
        raise ValueError(f"{text}: there must be one of each an event")


def checked_key(key: Any) -> Any:
    """The key that stands for the one given: one NaN for all of them, Python's numbers for NumPy's.

    >>> checked_key(np.int64(3)), checked_key(float("nan")) is checked_key(np.float64("nan"))
    (3, True)
    """
    if isinstance(key, np.generic):
        key = key.item()
    if isinstance(key, float) and math.isnan(key):
        return _NAN
    try:
        hash(key)
    except TypeError:
        raise TypeError(
            f"a key must be hashable, and {key!r:.60} is not: make it a tuple, a text or a number"
        ) from None
    return key


def items_of(column: Any) -> list[Any]:
    """The items of a column, as Python has them.

    >>> items_of(np.array([1, 2]))
    [1, 2]
    """
    for name in ("to_pylist", "tolist", "to_list"):
        if hasattr(column, name):
            return list(getattr(column, name)())
    return list(column)


def rows_of(values: Any) -> list[Any]:
    """Values as they are, or the rows of a mapping of columns.

    >>> rows_of({"km": [1, 2], "last": [False, True]})
    [{'km': 1, 'last': False}, {'km': 2, 'last': True}]
    """
    if not isinstance(values, Mapping):
        return items_of(values)
    columns = {name: items_of(column) for name, column in values.items()}
    return [dict(zip(columns, row, strict=True)) for row in zip(*columns.values(), strict=True)]
