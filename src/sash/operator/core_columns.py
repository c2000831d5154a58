"""Columns of events on their way into the core, as an engine there reads them."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
import numpy.typing as npt

from sash.aggregations.records import Path
from sash.columns import Column, read_with_nulls
from sash.operator.batch import checked_key, items_of

__all__ = ["checked_keys", "plain", "read_column", "taken_keys"]


def read_column(values: Any, path: Path, inputs: str, size: int) -> Column:
    """What the values hold at the path, one a row, as numbers or as objects.

    >>> read_column({"km": np.array([5, 6])}, Path("km"), "number", 2)
    array([5, 6])
    """
    if path.column is not None:
        values = _named(values, path.column)
    if path.index is not None:
        values = [_item(value, path) for value in _listed(values)]
    if isinstance(values, Mapping):
        # The events themselves are counted: rows, of which no column is read.
        return np.ones(size, np.int64)
    return read_with_nulls(values, inputs)


def _named(values: Any, column: str) -> Any:
    if isinstance(values, Mapping) or not isinstance(values, (list, tuple, np.ndarray)):
        return values[column]
    return [None if row is None else row[column] for row in values]


def _item(value: Any, path: Path) -> Any:
    if value is None:
        return None
    if not isinstance(value, (tuple, list)) or len(value) != path.length:
        raise TypeError(f"a tuple of {path.length} values is needed, not {type(value).__name__} ({value!r:.60})")
    return value[path.index or 0]


def _listed(values: Any) -> list[Any]:
    return values.tolist() if isinstance(values, np.ndarray) else list(values)


def checked_keys(keys: Any) -> Any:
    """Integers as an array, all others one by one."""
    if isinstance(keys, np.ndarray) and keys.dtype.kind == "i":
        return np.ascontiguousarray(keys, np.int64)
    return [checked_key(key) for key in items_of(keys)]


def taken_keys(keys: Any, kept: npt.NDArray[np.bool_]) -> Any:
    """The keys of the rows that were kept."""
    if keys is None or kept.all():
        return keys
    return [key for key, taken in zip(keys, kept, strict=True) if taken]


def plain(key: Any) -> Any:
    """The key as Python has it."""
    return key.item() if isinstance(key, np.generic) else key
