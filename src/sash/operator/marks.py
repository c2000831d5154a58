"""Marks: what a window reads of an event's value, computed before the event goes into the core."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from functools import partial
from typing import Any

import numpy as np
import numpy.typing as npt

from sash.aggregations.base import Aggregation, skips_plainly
from sash.aggregations.reading import is_null
from sash.triggers import OnDelta
from sash.windows import WindowPolicy
from sash.windows.described import read_by

__all__ = ["Mark", "Marked", "mark_column", "mark_of", "null_column"]

#: From a value to a bool or a number; None where there is none.
Mark = Callable[[Any], Any]
#: What reads marks: a window, or a trigger by a measure.
Marked = WindowPolicy | OnDelta


def mark_of(policy: Marked) -> Mark | None:
    """What a window of the policy, or a trigger, reads of a value; None if it reads nothing.

    >>> import sash
    >>> mark_of(sash.DeltaWindow(int, 5))(3), mark_of(sash.CountWindow(3))
    (3, None)
    """
    if policy.measures:
        return partial(measure, policy.reads)
    return None if policy.reads is None else partial(_punctuation, policy.reads)


def _punctuation(predicate: Any, value: Any) -> bool:
    return not is_null(value) and bool(read_by(predicate, value))


def measure(of: str | Callable[[Any], Any] | None, value: Any) -> Any:
    """The measure of a value; None where there is none.

    >>> measure("km", {"km": 7}), measure(None, float("nan"))
    (7, None)
    """
    measured: Any = None if is_null(value) else read_by(of, value)
    if is_null(measured):
        return None
    if not hasattr(measured, "__float__"):
        raise TypeError(f"a measure is a number, not {type(measured).__name__} ({measured!r:.60})")
    return None if math.isnan(measured) else measured


def mark_column(policy: Marked, values: Any, rows: Callable[[], list[Any]]) -> Any:
    """The marks of a batch: an array where the measures are one, otherwise a list.

    >>> import sash
    >>> mark_column(sash.DeltaWindow("km", 5), {"km": np.array([1, 2])}, list)
    array([1, 2])
    """
    mark = mark_of(policy)
    if mark is None:
        return None
    read = policy.reads
    if policy.measures and not callable(read):
        column = values.get(read) if isinstance(values, Mapping) else values if read is None else None
        if isinstance(column, np.ndarray) and column.ndim == 1 and column.dtype.kind in "if":
            return np.ascontiguousarray(column, np.int64 if column.dtype.kind == "i" else np.float64)
    return [mark(row) for row in rows()]


def null_column(
    aggregation: Aggregation, skips: Callable[[Any], bool], values: Any, rows: Callable[[], list[Any]]
) -> npt.NDArray[np.uint8] | None:
    """Which values of a batch the aggregation passes over; None if they are numbers, all of which it takes.

    >>> import sash
    >>> null_column(sash.Sum(), sash.Sum().skips, np.array([1.0, np.nan]), list)
    array([0, 1], dtype=uint8)
    """
    if skips_plainly(aggregation) and not aggregation.columns and isinstance(values, np.ndarray) and values.ndim == 1:
        if values.dtype.kind in "iub":
            return None
        if values.dtype.kind == "f":
            return (np.isnan(values) & (aggregation.nan == "skip")).astype(np.uint8)
    given = rows()
    return np.fromiter((bool(skips(row)) for row in given), np.uint8, len(given))
