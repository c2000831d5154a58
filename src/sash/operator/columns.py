"""Columns of events on their way into the core: their sizes, their keys, and their rows as Python has them."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sized
from decimal import Decimal
from typing import Any

import numpy as np

from sash.aggregations.reading import is_null
from sash.aggregations.records import Path, found
from sash.columns import Column, as_columns, as_row, items_of, read_with_nulls
from sash.suggestions import did_you_mean

__all__ = [
    "batch_parts",
    "check_sizes",
    "checked_key",
    "checked_keys",
    "column_of",
    "read_slot",
    "row_parts",
    "rows_of",
]

_NAN = math.nan
_DECIMAL_NAN = Decimal("NaN")


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
    """The key that stands for the one given: one NaN for all of them, also in tuples; Python's numbers for NumPy's.

    >>> checked_key(np.int64(3)), checked_key(float("nan")) is checked_key(np.float64("nan"))
    (3, True)
    >>> checked_key(("a", float("nan"))) == checked_key(("a", float("nan")))
    True
    """
    key = _one_nan(key)
    try:
        hash(key)
    except TypeError:
        raise TypeError(
            f"a key must be hashable, and {key!r:.60} is not: make it a tuple, a text or a number"
        ) from None
    return key


def _one_nan(key: Any) -> Any:
    """NaN is equal to itself alone: a key with another one would be another key."""
    if isinstance(key, np.generic):
        key = key.item()
    if isinstance(key, float) and math.isnan(key):
        return _NAN
    if isinstance(key, Decimal) and key.is_nan():
        return _DECIMAL_NAN
    if isinstance(key, tuple):
        parts = tuple(_one_nan(part) for part in key)
        return parts if any(one is not other for one, other in zip(parts, key, strict=True)) else key
    return key


def checked_keys(keys: Any) -> Any:
    """Integers as an array, all others one by one."""
    if isinstance(keys, np.ndarray) and keys.dtype.kind == "i":
        return np.ascontiguousarray(keys, np.int64)
    return [checked_key(key) for key in items_of(keys)]


def rows_of(values: Any) -> list[Any]:
    """Values as they are, or the rows of a mapping of columns.

    >>> rows_of({"km": [1, 2], "last": [False, True]})
    [{'km': 1, 'last': False}, {'km': 2, 'last': True}]
    """
    if not isinstance(values, Mapping):
        return items_of(values)
    columns = {name: items_of(column) for name, column in values.items()}
    return [dict(zip(columns, row, strict=True)) for row in zip(*columns.values(), strict=True)]


def row_parts(events: tuple[Any, ...], by: str | tuple[str, ...] | None, on: str) -> tuple[Any, Any, Any]:
    """The key, the time and the whole of a row; or of columns by name, the keys, the times and the columns.

    >>> row_parts(({"card": "x", "time": 3, "amount": 5},), "card", "time")
    ('x', 3, {'card': 'x', 'time': 3, 'amount': 5})
    """
    if len(events) != 1:
        raise TypeError(
            f"an event of this operator is a row with the column {on!r}, and {len(events)} parts were given"
        )
    row = as_row(as_columns(events[0]))
    if not isinstance(row, Mapping):
        raise TypeError(f"a row is a mapping with the column {on!r}, not {type(row).__name__} ({row!r:.60})")
    missing = [name for name in ((by,) if isinstance(by, str) else by or ()) + (on,) if name not in row]
    if missing:
        raise KeyError(f"the row has no column {missing[0]!r}: {did_you_mean(missing[0], row)}")
    return _key(row, by), row[on], row


def batch_parts(
    events: tuple[Any, ...], by: str | tuple[str, ...] | None, on: str, *, untimed: bool
) -> tuple[Any, Any, Any]:
    """The keys, the times and the rows of a list of rows, or of columns by name; `untimed` rows may have no time.

    >>> batch_parts(([{"card": "x", "time": 3}, {"card": "y", "time": 4}],), "card", "time", untimed=False)
    (['x', 'y'], [3, 4], [{'card': 'x', 'time': 3}, {'card': 'y', 'time': 4}])
    """
    if len(events) != 1 or not isinstance(events[0], (list, tuple)):
        return row_parts(events, by, on)
    given = [as_row(row) for row in events[0]]
    rows = [{on: None, **row} if untimed and isinstance(row, Mapping) else row for row in given]
    parts = [row_parts((row,), by, on) for row in rows]
    keys = None if by is None else [key for key, _, _ in parts]
    return keys, [time for _, time, _ in parts], rows


def _key(row: Mapping[str, Any], by: str | tuple[str, ...] | None) -> Any:
    if by is None or isinstance(by, str):
        return None if by is None else row[by]
    parts = [row[name] for name in by]
    scalar = not hasattr(parts[0], "__len__") or isinstance(parts[0], (str, bytes))
    return tuple(parts) if scalar else list(zip(*(items_of(part) for part in parts), strict=True))


def read_slot(values: Any, path: Path, inputs: str, size: int) -> Column:
    """What the values hold at the path, one a row, as numbers or as objects.

    A column that is named is read, of a mapping of columns or of rows one by one. Where none is named the values
    themselves are read, and a mapping is only counted.

    >>> read_slot({"km": np.array([5, 6])}, Path("km"), "number", 2)
    array([5, 6])
    """
    if path.column is not None:
        values = column_of(values, path.column)
    elif isinstance(values, Mapping):
        if inputs == "ignored":
            return np.ones(size, np.int64)
        raise TypeError(
            f"a value is needed, and the events are rows with {', '.join(map(repr, values))}: name the column that the"
            ' aggregation reads, such as Sum("amount")'
        )
    if path.index is not None:
        values = [_item(value, path) for value in items_of(values)]
    return read_with_nulls(values, inputs)


def column_of(values: Any, column: str) -> Any:
    """A column by its name, of columns or of rows one by one."""
    if isinstance(values, Mapping):
        if column not in values:
            raise KeyError(f"there is no column {column!r}: {did_you_mean(column, values)}")
        return values[column]
    return [None if row is None else found(Path(column), row) for row in items_of(values)]


def _item(value: Any, path: Path) -> Any:
    if is_null(value):
        return None
    if not isinstance(value, (tuple, list)) or len(value) != path.length:
        raise TypeError(f"a tuple of {path.length} values is needed, not {type(value).__name__} ({value!r:.60})")
    return value[path.index or 0]
