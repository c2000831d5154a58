"""The columns of a frame on their way into the engine: each read once, however many aggregations want it."""

from __future__ import annotations

from functools import cached_property
from typing import Any

import numpy as np
import numpy.typing as npt

from sash import _batch, times
from sash.aggregations.base import Aggregation
from sash.aggregations.composite import Composite
from sash.expressions import Expression
from sash.frames import Frame
from sash.frames.base import ORDERED, Codes, Marks, NumberType, Values
from sash.frames.wide import Wide, digits
from sash.operands import Operand, truths
from sash.windows.scale import Scale

__all__ = ["Columns"]


class Columns:
    """The columns of one frame in the order of one batch."""

    def __init__(
        self,
        frame: Frame,
        kind: times.Kind | None,
        ticks: npt.NDArray[np.int64] | None,
        absent: Marks | None = None,
        events: Frame | None = None,
        behind: npt.NDArray[np.int64] | None = None,
    ) -> None:
        self.frame = frame
        #: The events alone, where they come first and all that is absent lies behind them; else the frame.
        self._events = events or frame
        #: The times of the last rows lie behind, if they are not among the others.
        self._kind, self._given, self._behind = kind, ticks, behind
        #: Marks the rows that are no events, which no window holds.
        self._absent = absent
        self._values: dict[str, Values] = {}
        self._own: dict[str, Values] = self._values if events is None else {}
        self._codes: dict[str, Codes] = {}
        self._objects: dict[str, list[Any]] = {}
        self._columns: dict[Any, _batch.Column] = {}
        self._pairs: dict[Any, tuple[_batch.Column, _batch.Column]] = {}
        self._filtered: dict[str, Columns] = {}
        self._read_as: dict[str, Columns] = {}
        self._readers: dict[str, _ReadAs] = {}
        self._amounts: dict[str, Wide] = {}
        self._parts: dict[str, list[_batch.Column]] = {}

    @cached_property
    def ticks(self) -> npt.NDArray[np.int64] | None:
        """The times of the rows, encoded; None if they have none."""
        if self._given is None or self._behind is None:
            return self._given
        return np.concatenate([self._given, self._behind])

    def where(self, condition: Expression) -> Columns:
        """The same columns, with the events alone of which the condition is true. Found once."""
        key = repr(condition)
        if key not in self._filtered:
            self._filtered[key] = self.only(truths(condition.over(self._operand, self.frame.rows)))
        return self._filtered[key]

    def only(self, events: npt.NDArray[np.bool_]) -> Columns:
        """The same columns, with some of the events alone."""
        absent = (~events).view(np.uint8)
        if self._absent is not None:
            absent |= self._absent
        kept = Columns(self.frame, self._kind, self._given, absent, behind=self._behind)
        kept._values, kept._codes, kept._objects = self._values, self._codes, self._objects
        kept._amounts, kept._readers = self._amounts, self._readers
        return kept

    def coded(self) -> Columns:
        """The same columns, and those that have an order and no numbers as numbers of that order."""
        return self._as("codes", lambda frame, name: frame.ordering(name), "integer", ORDERED)

    def real(self) -> Columns:
        """The same columns, and decimals as the nearest floats."""
        return self._as("reals", lambda frame, name: frame.reals(name), "real", ("decimal",))

    def _as(self, key: str, read: Any, kind: NumberType, types: tuple[str, ...]) -> Columns:
        if key not in self._read_as:
            if key not in self._readers:
                self._readers[key] = _ReadAs(self.frame, read, kind, types)
            events = None if self._events is self.frame else _ReadAs(self._events, read, kind, types)
            self._read_as[key] = Columns(
                self._readers[key], self._kind, self._given, self._absent, events, self._behind
            )
        return self._read_as[key]

    def events(self, order: _batch.Order) -> _batch.Column:
        """Which rows are events, as a native column without values."""
        return _batch.Column(order, None, self._absent, False)

    @property
    def absent(self) -> Marks:
        """Marks the rows that are no events."""
        return np.zeros(self.frame.rows, np.uint8) if self._absent is None else self._absent

    def since(self, rows: npt.NDArray[np.int64]) -> npt.NDArray[np.float64]:
        """How long before each row another one is: seconds, or what times that are numbers count."""
        assert self._kind is not None
        assert self.ticks is not None
        if self._kind == times.FLOAT:
            reals = times.decode_array(times.FLOAT, self.ticks)
            return np.asarray(reals - reals[rows], np.float64)
        apart = (self.ticks - self.ticks[rows]).astype(np.float64)
        if self._kind == times.INT:
            return apart
        step = self._kind.step
        if step is None:
            raise TypeError(f"times of kind {self._kind} have no length in seconds: use days, or a finer unit")
        # Rounded once: a second is a whole number of steps, or a step is of seconds.
        return apart / (10**18 // step) if step < 10**18 else apart * (step // 10**18)

    def scale(self) -> dict[str, Any]:
        """How long ticks are, for kernels that use times."""
        assert self._kind is not None
        return {"seconds_per_tick": Scale(self._kind).seconds(), "real_times": self._kind == times.FLOAT}

    def _operand(self, name: str) -> Operand:
        """A column for an expression; a NaN is a null."""
        values = self.values(name)
        there = None if values.nulls is None else values.nulls == 0
        if values.numbers is None:
            objects = np.empty(self.frame.rows, object)
            objects[:] = self.objects(name)
            return Operand(objects, there)
        numbers = values.numbers.astype(np.bool_) if values.type == "bool" else values.numbers
        if values.type == "real":
            there = ~np.isnan(numbers) if there is None else there & ~np.isnan(numbers)
        return Operand(numbers, there)

    def values(self, name: str) -> Values:
        """A column as numbers, where it has some, and its nulls."""
        if name not in self._values:
            self._values[name] = self.frame.values(name)
        return self._values[name]

    def own(self, name: str) -> Values:
        """The same, without what lies behind the events, where that is all that is absent: it is not copied then."""
        if name not in self._own:
            self._own[name] = self._events.values(name)
        return self._own[name]

    def codes(self, name: str, threads: int = 1) -> Codes:
        """A column as codes."""
        if name not in self._codes:
            self._codes[name] = self.frame.codes(name, threads)
        return self._codes[name]

    def amounts(self, name: str) -> Wide:
        """A column as numbers of its unit, 0 where it is null."""
        if name not in self._amounts:
            wide, nulls = self.frame.amounts(name), self.values(name).nulls
            self._amounts[name] = wide if nulls is None else Wide(wide.low * (nulls == 0), wide.high * (nulls == 0))
        return self._amounts[name]

    def parts(self, order: _batch.Order, name: str) -> list[_batch.Column]:
        """The same as native columns, whose sums fit in 64 bits each."""
        if name not in self._parts:
            nulls = self.nulls((name,))
            parts = digits(self.amounts(name), self.frame.rows)
            self._parts[name] = [_batch.Column(order, np.ascontiguousarray(part), nulls, False) for part in parts]
        return self._parts[name]

    def objects(self, name: str) -> list[Any]:
        """A column as Python objects."""
        if name not in self._objects:
            self._objects[name] = self.frame.objects(name)
        return self._objects[name]

    @cached_property
    def times(self) -> list[Any]:
        """The times as they leave a window."""
        assert self._kind is not None
        assert self.ticks is not None
        return list(times.decode_array(self._kind, self.ticks))

    def numbers(self, order: _batch.Order, aggregation: Aggregation, *, wide: bool = False) -> _batch.Column:
        """The first column of an aggregation as a native column, without the rows in which any of them is null.

        `wide` reads integers as floats. ValueError for a NaN where the aggregation declares it an error.
        """
        names = aggregation.columns
        key = (names, aggregation.nan, wide)
        if key not in self._columns:
            values = self.own(names[0]) if names else Values("other", None, None, "")
            numbers = values.numbers
            if aggregation.nan == "error" and values.type == "real":
                self._refuse_nan(names[0], values)
            if wide and numbers is not None:
                numbers = numbers.astype(np.float64, copy=False)
            # What lies behind the numbers is absent without a mark.
            short = numbers is not None and self._events is not self.frame
            nulls = self._marked(names) if short else self.nulls(names)
            self._columns[key] = _batch.Column(order, numbers, nulls, aggregation.nan == "skip")
        return self._columns[key]

    def pair(self, order: _batch.Order, aggregation: Aggregation) -> tuple[_batch.Column, _batch.Column]:
        """Both columns of an aggregation of two numbers; the first says in which rows both are there."""
        names = aggregation.columns
        key = (names, aggregation.nan, "pair")
        if key not in self._pairs:
            one, other = (self.values(name) for name in names)
            nulls = self.nulls(names)
            for name, values in zip(names, (one, other), strict=True):
                if aggregation.nan == "error" and values.type == "real":
                    self._refuse_nan(name, values)
            if aggregation.nan == "skip" and other.type == "real":
                assert other.numbers is not None
                nan = np.isnan(other.numbers).view(np.uint8)
                nulls = nan if nulls is None else nulls | nan
            first = _batch.Column(order, one.numbers, nulls, aggregation.nan == "skip")
            self._pairs[key] = first, _batch.Column(order, other.numbers, None, False)
        return self._pairs[key]

    def ranking(self, order: _batch.Order, aggregation: Aggregation) -> _batch.Column:
        """The last column of an aggregation, by whose numbers it ranks, without the rows in which any of its columns is
        null or NaN."""
        names = aggregation.columns
        nulls = self.nulls(names)
        for name in names[:-1]:
            other = self.values(name)
            if other.type == "real" and other.numbers is not None:
                nan = np.isnan(other.numbers).view(np.uint8)
                nulls = nan if nulls is None else nulls | nan
        return _batch.Column(order, self.values(names[-1]).numbers, nulls, True)

    def nulls(self, names: tuple[str, ...]) -> Marks | None:
        """Marks the rows in which any of the columns is null, and those that are no events."""
        marks = [nulls for name in names if (nulls := self.values(name).nulls) is not None]
        return _either(marks if self._absent is None else [*marks, self._absent])

    def _marked(self, names: tuple[str, ...]) -> Marks | None:
        """Marks the events in which any of the columns is null."""
        return _either([nulls for name in names if (nulls := self.own(name).nulls) is not None])

    def _refuse_nan(self, name: str, values: Values) -> None:
        assert values.numbers is not None
        bad = np.isnan(values.numbers)
        if values.nulls is not None:
            bad &= values.nulls == 0
        if self._absent is not None:
            bad &= self._absent[: len(bad)] == 0
        if bad.any():
            raise ValueError(
                f'column {name!r}, row {int(bad.argmax())}: the value is NaN, and nan="error" was asked for: '
                'clean the values, or use nan="skip"'
            )

    def _refuse(self, name: str, bad: npt.NDArray[np.bool_], error: Exception) -> None:
        """Raise the error for the first row that is bad and not null."""
        nulls = self.own(name).nulls
        if nulls is not None:
            bad = bad & (nulls == 0)
        if self._absent is not None:
            bad = bad & (self._absent[: len(bad)] == 0)
        if bad.any():
            raise type(error)(f"column {name!r}, row {int(bad.argmax())}: {error}")

    def check(self, aggregation: Aggregation) -> None:
        """Refuse values that the aggregation does not take, as its definition does."""
        for name in aggregation.columns:
            numbers = self.own(name).numbers
            refused = None if numbers is None else aggregation.refused(numbers)
            if refused is not None:
                self._refuse(name, *refused)

    def rows_of(self, aggregation: Aggregation) -> list[Any]:
        """What an aggregation takes of each row: a value, a tuple of several columns, or a mapping."""
        names = aggregation.columns
        if isinstance(aggregation, Composite):
            parts = [self.objects(name) for name in names]
            return [dict(zip(names, row, strict=True)) for row in zip(*parts, strict=True)]
        if not names:
            return [True] * self.frame.rows
        if len(names) == 1:
            return self.objects(names[0])
        return list(zip(*(self.objects(name) for name in names), strict=True))

    def presence(self, order: _batch.Order, aggregation: Aggregation, rows: list[Any]) -> _batch.Column:
        """Which rows the aggregation does not skip."""
        plain = type(aggregation).skips is Aggregation.skips and len(aggregation.columns) == 1
        if plain and self.own(aggregation.columns[0]).type != "object":
            return self.numbers(order, aggregation)
        return _batch.Column(order, None, self._skipped(aggregation, rows), False)

    def _skipped(self, aggregation: Aggregation, rows: list[Any]) -> Marks:
        if self._absent is None:
            return _batch.skipped(aggregation, rows)
        # What is no event is not shown to the aggregation.
        events = np.flatnonzero(self._absent == 0)
        marks = np.ones(len(rows), np.uint8)
        marks[events] = _batch.skipped(aggregation, [rows[i] for i in events.tolist()])
        return marks


class _ReadAs:
    """A frame of which some types of columns are read as numbers, once; the rest of it is the frame's own."""

    def __init__(self, frame: Frame, read: Any, kind: NumberType, types: tuple[str, ...]) -> None:
        self._frame, self._read, self._kind, self._types = frame, read, kind, types
        self._values: dict[str, Values] = {}

    def values(self, name: str) -> Values:
        """A column of values."""
        if name not in self._values:
            own = self._frame.values(name)
            if own.type in self._types:
                own = Values(self._kind, self._read(self._frame, name), own.nulls, own.name)
            self._values[name] = own
        return self._values[name]

    def __getattr__(self, name: str) -> Any:
        return getattr(self._frame, name)


def _either(marks: list[Marks]) -> Marks | None:
    """Marks what any of them marks."""
    if len(marks) < 2:
        return marks[0] if marks else None
    either: Marks = np.bitwise_or.reduce(marks)
    return either
