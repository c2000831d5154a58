"""Rows behind those of a frame that are no events: nothing is in them, and each gets the result of the window that ends
there. They run through the same passes as the events.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import numpy.typing as npt

from sash._batch import Order
from sash.batch.columns import Columns
from sash.frames.base import (
    Amounts,
    Codes,
    Foreign,
    Frame,
    Marks,
    Numbers,
    Objects,
    Part,
    ResultColumn,
    Taken,
    TakenRows,
    Values,
)
from sash.frames.wide import Wide
from sash.times import Kind

__all__ = ["Probed", "Probes"]

Rows = npt.NDArray[np.int64]


@dataclass(frozen=True)
class Probes:
    """The events of a frame and the probes behind them, in one order."""

    #: How many events there are.
    events: int
    order: Order
    columns: Columns
    #: Marks the probes.
    marks: Marks
    #: Where each row came from, if rows were put in the order of their arrival.
    rows: Rows | None

    @classmethod
    def of(
        cls,
        frame: Frame,
        kind: Kind,
        ticks: Rows,
        ends: Rows,
        codes: Codes | None,
        came: Rows | None = None,
        threads: int = 1,
    ) -> Probes:
        """The events of the frame, with these times, the probes at these ends, and the keys of them all. `came` says
        when each came: of those that came at once, events first. Cost: that of sorting them."""
        size, count = len(ticks) + len(ends), 1 if codes is None else codes.count
        marks = np.zeros(size, np.uint8)
        marks[frame.rows :] = 1
        keys = None if codes is None else codes.codes
        if came is None:
            # Nobody asks about the events themselves.
            order = Order(size, ticks, keys, count, threads, frame.rows, ends)
            columns = Columns(Probed(frame, len(ends)), kind, ticks, marks, frame, ends)
            return cls(frame.rows, order, columns, marks, None)
        rows = np.argsort(came, kind="stable")
        ticks, marks, keys = np.concatenate([ticks, ends])[rows], marks[rows], None if keys is None else keys[rows]
        order = Order(size, ticks, keys, count, threads)
        return cls(frame.rows, order, Columns(Probed(frame, len(ends), rows), kind, ticks, marks), marks, rows)

    def result(self, result: ResultColumn, first: int, last: int) -> ResultColumn:
        """What the passes found, for some of the probes."""
        wanted = self._places(self.events + first, self.events + last)
        match result:
            case Numbers(values, valid, kind, nullable):
                return Numbers(values[wanted], None if valid is None else valid[wanted], kind, nullable)
            case Taken(column, rows):
                return Taken(column, self._given(rows[wanted]))
            case TakenRows(columns, rows):
                return TakenRows(columns, self._given(rows[wanted]))
            case Amounts(column, wide, valid, nullable):
                return Amounts(column, wide.at(wanted), None if valid is None else valid[wanted], nullable)
            case Objects(values=values):
                own = values[wanted] if isinstance(wanted, slice) else [values[i] for i in wanted.tolist()]
                return replace(result, values=own)

    def _places(self, first: int, last: int) -> slice | Rows:
        """Where the rows from the first up to the last are."""
        if self.rows is None:
            return slice(first, last)
        places = np.empty(len(self.rows), np.int64)
        places[self.rows] = np.arange(len(self.rows))
        return places[first:last]

    def _given(self, rows: Rows) -> Rows:
        """The rows of the frame that rows in their order are; -1 is none."""
        return rows if self.rows is None else np.where(rows < 0, -1, self.rows[rows])


class Probed:
    """A frame with rows behind its own that are no events, and all of them in another order, if one is given. It is
    only read."""

    def __init__(self, frame: Frame, more: int, order: Rows | None = None) -> None:
        self._frame = frame
        self._more = more
        self._order = order

    @property
    def names(self) -> Sequence[str]:
        """The columns that can be read."""
        return self._frame.names

    @property
    def rows(self) -> int:
        """How many rows there are, with those that are no events."""
        return self._frame.rows + self._more

    def times(self, name: str) -> tuple[Kind, npt.NDArray[np.int64]]:
        """The times of the events alone: the caller knows the others."""
        return self._frame.times(name)

    def values(self, name: str) -> Values:
        """A column of values; no event has none."""
        own = self._frame.values(name)
        numbers = None if own.numbers is None else self._array(own.numbers, 0)
        return Values(own.type, numbers, None if own.nulls is None else self._array(own.nulls, 1), own.name)

    def ordering(self, name: str) -> npt.NDArray[np.int64]:
        """A column as numbers of its order; no event has 0."""
        return self._array(self._frame.ordering(name), 0)

    def amounts(self, name: str) -> Wide:
        """A column as numbers of its unit; no event has 0."""
        own = self._frame.amounts(name)
        return Wide(self._array(own.low, 0), self._array(own.high, 0))

    def reals(self, name: str) -> npt.NDArray[np.float64]:
        """A column as floats; no event has 0."""
        return self._array(self._frame.reals(name), 0)

    def objects(self, name: str) -> list[Any]:
        """A column as Python objects; no event has None."""
        values = self._frame.objects(name) + [None] * self._more
        return values if self._order is None else [values[row] for row in self._order.tolist()]

    def codes(self, name: str, threads: int = 1) -> Codes:
        """A column as codes; no event has the first."""
        own = self._frame.codes(name, threads)
        return Codes(self._array(own.codes, 0), own.count)

    def _array(self, values: npt.NDArray[Any], none: int) -> npt.NDArray[Any]:
        whole = np.concatenate([values, np.full(self._more, none, values.dtype)])
        return whole if self._order is None else whole[self._order]

    def codes_with(self, name: str, other: Frame, threads: int = 1) -> Codes:
        """Not of this frame: its rows are not the data."""
        raise NotImplementedError

    def with_columns(self, columns: Mapping[str, ResultColumn | Foreign]) -> Any:
        """Not this frame: its rows are not the data."""
        raise NotImplementedError

    def made_of(self, columns: Mapping[str, Part]) -> Any:
        """Not this frame: its rows are not the data."""
        raise NotImplementedError

    def column(self, result: ResultColumn) -> Any:
        """Not of this frame: its rows are not the data."""
        raise NotImplementedError
