"""Windows of the calendar over frames: a month is one of a few lengths, and each of these is a window in time."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import TypeAlias

import numpy as np
import numpy.typing as npt

from sash._batch import Bounds, Order
from sash.batch.base import Batch, Pass
from sash.frames.base import Amounts, Marks, Numbers, Objects, ResultColumn, Taken, TakenRows
from sash.frames.wide import Wide
from sash.plan import Plan
from sash.windows import WindowPolicy
from sash.windows.config import PolicyConfig, length_of
from sash.windows.time import ends_in

__all__ = ["CalendarBounds", "calendar_bounds"]

#: Marks the rows, and what they get.
Part: TypeAlias = tuple[npt.NDArray[np.bool_], ResultColumn]


@dataclass(frozen=True)
class CalendarBounds:
    """The bounds of a window in time for each length that occurs, and which rows have that length."""

    parts: Sequence[tuple[npt.NDArray[np.bool_], Bounds]]

    def run(self, one: Pass, batch: Batch) -> ResultColumn:
        """The result of every row: each from the window of its own length."""
        return _merged([(rows, one.run(batch, bounds)) for rows, bounds in self.parts])


def calendar_bounds(
    order: Order, window: WindowPolicy, lengths: npt.NDArray[np.int64], plan: Plan, labels: Marks | None
) -> CalendarBounds:
    """The rows of each window, which has a length of its own. Cost: O(n) for each length that there is."""
    known, ends = plan.emit == "arrival", ends_in(getattr(window, "closed", "right"))
    parts = []
    # A frame without rows has one length, so that there is a result to give its columns their types.
    for length in np.unique(lengths).tolist() or [1]:
        config = PolicyConfig("time", length_of(length), *ends)
        parts.append((lengths == length, order.bounds(config, False, plan.peers, known, labels)))
    return CalendarBounds(parts)


def _merged(parts: Sequence[Part]) -> ResultColumn:
    """One result of several, each for its rows."""
    results = [result for _, result in parts]
    first = results[0]
    if len(parts) == 1:
        return first
    if isinstance(first, Numbers) and all(isinstance(one, Numbers) and one.type == first.type for one in results):
        return _merged_numbers(parts, first)
    if isinstance(first, (Taken, TakenRows)):
        rows = np.full(len(parts[0][0]), -1, np.int64)
        for own, result in parts:
            assert isinstance(result, (Taken, TakenRows))
            rows[own] = result.rows[own]
        return Taken(first.column, rows) if isinstance(first, Taken) else TakenRows(first.columns, rows)
    if isinstance(first, Amounts):
        return _merged_amounts(parts, first)
    values: list[object] = [None] * len(parts[0][0])
    for own, result in parts:
        given = _objects(result)
        for row in np.flatnonzero(own).tolist():
            values[row] = given[row]
    return replace(first, values=values) if isinstance(first, Objects) else Objects(values)


def _merged_numbers(parts: Sequence[Part], first: Numbers) -> Numbers:
    values, valid = first.values.copy(), np.ones(len(first.values), np.bool_)
    for own, result in parts:
        assert isinstance(result, Numbers)
        values[own] = result.values[own]
        if result.valid is not None:
            valid[own] = result.valid[own]
    return Numbers(values, None if valid.all() else valid, first.type, first.nullable)


def _merged_amounts(parts: Sequence[Part], first: Amounts) -> Amounts:
    low, high = first.values.low.copy(), first.values.high.copy()
    valid = np.ones(len(low), np.bool_)
    for own, result in parts:
        assert isinstance(result, Amounts)
        low[own], high[own] = result.values.low[own], result.values.high[own]
        if result.valid is not None:
            valid[own] = result.valid[own]
    return Amounts(first.column, Wide(low, high), None if valid.all() else valid, first.nullable)


def _objects(result: ResultColumn) -> list[object]:
    """Results as objects: numbers in one part may be objects in another, where those of a window are of two types."""
    if isinstance(result, Objects):
        return result.values
    assert isinstance(result, Numbers)
    there = np.ones(len(result.values), np.bool_) if result.valid is None else result.valid
    return [value if here else None for value, here in zip(result.values.tolist(), there.tolist(), strict=True)]
