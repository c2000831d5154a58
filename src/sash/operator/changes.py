"""Rows that take others back: what each row of a batch does, and what it is known by."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from sash.batch.retractions import DELETE, changes_of
from sash.columns import as_row, items_of
from sash.operator.columns import checked_key, checked_keys, column_of, rows_of
from sash.operator.failed import Events, taken
from sash.operator.spec import Spec

__all__ = ["Changes", "as_batch", "read_changes"]

#: Flags, as the core reads them. A row that replaces another has both.
ADDS, REMOVES = 1, 2


class Changes(NamedTuple):
    """What each row does, what it is known by, and which rows are added; None if all are."""

    does: npt.NDArray[np.uint8]
    ids: Any
    added: list[int] | None

    def of_added(self, column: Any) -> Any:
        """Of a column, or of columns, what belongs to the rows that are added."""
        if self.added is None:
            return column
        # A row that only takes another back need not have the columns.
        return taken(column, self.added) if self.added else []


def read_changes(spec: Spec, events: Events) -> Changes:
    """What the rows do; ValueError for a word that is not known, or a row that cannot be told apart.

    >>> import sash
    >>> spec = Spec(sash.Sum("km"), (sash.TimeWindow(5),), sash.EachEvent(), retract="op", id="trip")
    >>> rows = {"km": [5, None], "trip": [7, 7], "op": ["insert", "delete"]}
    >>> read_changes(spec, Events(None, [1, None], rows))
    Changes(does=array([3, 2], dtype=uint8), ids=[7, 7], added=[0])
    """
    assert spec.retract is not None
    words = items_of(_column(spec, events.values, spec.retract))
    changes = changes_of(words, spec.retract, spec.id is not None)
    removed = changes == DELETE
    # An id tells one row: whatever comes with it takes the place of the one before.
    removes = removed | (spec.id is not None)
    does = np.where(removed, 0, ADDS) | np.where(removes, REMOVES, 0)
    ids = _identities(spec, events) if spec.id is None else _ids(spec, events.values)
    return Changes(does.astype(np.uint8), ids, np.flatnonzero(~removed).tolist() if removed.any() else None)


def _column(spec: Spec, values: Any, name: str) -> Any:
    if not isinstance(values, Mapping) and not all(isinstance(row, Mapping) for row in items_of(values)):
        raise TypeError(
            f"retract={spec.retract!r} names a column, so values are rows: give mappings, or columns by name"
        )
    return column_of(values, name)


def _ids(spec: Spec, values: Any) -> Any:
    assert spec.id is not None
    ids = checked_keys(_column(spec, values, spec.id))
    if isinstance(ids, list) and None in ids:
        raise ValueError(f"column {spec.id!r} tells rows apart, and row {ids.index(None)} has none")
    return ids


def _identities(spec: Spec, events: Events) -> list[Any]:
    """All that a row holds, but for what it does."""
    rows = rows_of(events.values)
    times = [None] * len(rows) if spec.on is not None else items_of(events.times)
    return [_identity(spec, time, row) for time, row in zip(times, rows, strict=True)]


def _identity(spec: Spec, time: Any, row: Mapping[str, Any]) -> Any:
    parts = (time, *((name, row[name]) for name in sorted(row) if name != spec.retract))
    try:
        return checked_key(parts)
    except TypeError:
        return repr(parts)


def as_batch(spec: Spec, event: tuple[Any, ...]) -> tuple[Any, ...]:
    """One event as columns. A row that removes another need not have a time.

    >>> import sash
    >>> spec = Spec(sash.Sum("km"), (sash.TimeWindow(5),), sash.EachEvent(), on="at", retract="op", id="trip")
    >>> as_batch(spec, ({"trip": 7, "op": "delete"},))
    ({'at': [None], 'trip': [7], 'op': ['delete']},)
    """
    if spec.on is not None and len(event) == 1 and isinstance(row := as_row(event[0]), Mapping):
        return ({name: [part] for name, part in ({spec.on: None} | dict(row)).items()},)
    return tuple([part] for part in event)
