"""The four points that draw a line chart: first, last, least and greatest, with their times (M4)."""

# The methods are described once, in Aggregation.
# ruff: noqa: D102

from __future__ import annotations

from typing import Any, ClassVar, NamedTuple

from sash.aggregations.base import Native, built_in
from sash.aggregations.declared import Inputs, Result
from sash.aggregations.extrema import beats
from sash.aggregations.reading import Number, not_nan, read_number
from sash.aggregations.records import record
from sash.aggregations.timed import Timed, plain_time

__all__ = ["M4", "Point", "Points"]

#: Time and value of the first, the last, the least and the greatest event.
Flat = tuple[Any, ...]


class Point(NamedTuple):
    """A time and the value at it.

    >>> Point(time=3, value=0.5).value
    0.5
    """

    time: Any
    value: Number


class Points(NamedTuple):
    """The first, the last, the least and the greatest point.

    >>> Points(Point(1, 5), Point(3, 4), Point(2, 0), Point(1, 5)).min
    Point(time=2, value=0)
    """

    first: Point
    last: Point
    min: Point
    max: Point


@built_in
class M4(Timed):
    """First, last, least and greatest value, each with its time: `Points` of `Point` (time, value). The oldest wins a
    tie. A chart of a pixel column needs no more than these (Jugel and others, 2014).

    Not commutative, not invertible, exact; None for an empty window. It uses the times. Cost of combine: O(1).

    >>> chart = M4()
    >>> both = chart.lower(chart.combine(chart.lift(5, time=1), chart.lift(2, time=4)))
    >>> both.first, both.min
    (Point(time=1, value=5), Point(time=4, value=2))
    """

    gives: ClassVar[str] = "Points (first, last, min, max), each (time, value)"
    size: ClassVar[str] = "72 bytes"
    inputs: ClassVar[Inputs] = "number"
    result: ClassVar[Result] = {name: {"time": "time", "value": "number"} for name in Points._fields}
    time_fields: ClassVar[tuple[int, ...]] = (0, 2, 4, 6)
    width: ClassVar[int] = 8

    def lift(self, value: Any, time: Any = None) -> Flat:
        number = read_number(not_nan(value, self.nan))
        # -0.0 is 0.0: they are equal, and a window must not show which of them came.
        return (plain_time(time), number + 0.0 if isinstance(number, float) else number) * 4

    def combine(self, older: Flat | None, newer: Flat | None) -> Flat | None:
        if older is None or newer is None:
            return newer if older is None else older
        least = newer if beats(newer[5], older[5], greatest=False) else older
        greatest = newer if beats(newer[7], older[7], greatest=True) else older
        return older[:2] + newer[2:4] + least[4:6] + greatest[6:8]

    def lower(self, partial: Flat | None) -> Points | None:
        return None if partial is None else self.shape(partial)

    def shape(self, fields: Flat) -> Points:
        """The result of its numbers and times in order."""
        return Points(*(Point(*fields[place : place + 2]) for place in (0, 2, 4, 6)))

    def native(self) -> Native:
        return record(self, "m4", ("number",))
