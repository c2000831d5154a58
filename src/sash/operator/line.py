"""The events of one key, in the order of their times, and what the windows remember of them."""

from __future__ import annotations

from bisect import bisect_left, bisect_right, insort
from collections.abc import Sequence
from typing import Any, NamedTuple

from sash.operator.axes import Axis

__all__ = ["Line", "Path", "Span"]


class Span(NamedTuple):
    """A window found: its rows from `low` to `high`, the last one out, and its ends in ticks."""

    low: int
    high: int
    start: int | None
    end: int


class Path:
    """Where the window of each row begins, for policies where that depends on where the one before it began.

    `starts` counts from the first row that the key ever had, so that forgetting rows changes nothing in it. `marks` is
    what the policy reads of each row.
    """

    __slots__ = ("marks", "starts")

    def __init__(self) -> None:
        self.starts: list[int] = []
        self.marks: list[Any] = []


class Line:
    """One key: its rows, its axis, and the paths of its windows.

    Row `i` is the event at `ticks[i]` with `values[i]`, which came as number `numbers[i]`. Ticks do not descend, and
    among equal ticks the numbers ascend. `dropped` rows were there before the first and have been forgotten.
    """

    __slots__ = (
        "arrivals",
        "axis",
        "dropped",
        "due",
        "key",
        "last",
        "newest",
        "nulls",
        "numbers",
        "order",
        "paths",
        "retired",
        "revisions",
        "ticks",
        "values",
    )

    def __init__(self, key: Any, order: int, axis: Axis, paths: Sequence[Path | None]) -> None:
        self.key = key
        #: The how-manyeth key it is: results of one moment come in this order.
        self.order = order
        self.axis = axis
        self.paths = paths
        self.ticks: list[int] = []
        self.numbers: list[int] = []
        self.values: list[Any] = []
        #: (ticks, number) of the rows without a value.
        self.nulls: list[tuple[int, int]] = []
        self.dropped = 0
        self.arrivals = 0
        #: The ticks of its newest row, forgotten or not.
        self.newest: int | None = None
        #: The next slide at which it speaks.
        self.due: int | None = None
        #: The clock when it was dropped for being idle.
        self.retired: int | None = None
        #: The last value that was told, by window.
        self.last: dict[int, Any] = {}
        #: What was told of a result that may still change, by (what it is about, window): (ends, value, revision).
        self.revisions: dict[tuple[int, int], tuple[tuple[int | None, int], Any, int]] = {}

    def __len__(self) -> int:
        return len(self.ticks)

    def put(self, ticks: int, number: int, value: Any, null: bool) -> int:
        """Take a row in, and say at which place; a failure leaves the line as it was."""
        place = bisect_right(self.ticks, ticks)
        self._insert(place, ticks, number, value)
        try:
            self.axis.insert(self, place)
        except BaseException:
            self._delete(place)
            raise
        if null:
            insort(self.nulls, (ticks, number))
        self.arrivals += 1
        return place

    def take_back(self, place: int) -> None:
        """Undo `put`."""
        row = (self.ticks[place], self.numbers[place])
        self.axis.remove(self, place)
        if row in self.nulls:
            self.nulls.remove(row)
        self._delete(place)
        self.arrivals -= 1

    def _insert(self, place: int, ticks: int, number: int, value: Any) -> None:
        self.ticks.insert(place, ticks)
        self.numbers.insert(place, number)
        self.values.insert(place, value)

    def _delete(self, place: int) -> None:
        del self.ticks[place], self.numbers[place], self.values[place]

    def forget(self, count: int) -> None:
        """Forget the first rows, all of a time or none."""
        while 0 < count < len(self) and self.ticks[count - 1] == self.ticks[count]:
            count -= 1
        if not count:
            return
        self.axis.forget(self, count)
        horizon = self.ticks[count - 1]
        del self.ticks[:count], self.numbers[:count], self.values[:count]
        del self.nulls[: bisect_right(self.nulls, (horizon, 2**63))]
        for path in self.paths:
            if path is not None:
                del path.starts[:count], path.marks[:count]
        self.dropped += count

    def place_of(self, ticks: int, number: int) -> int:
        """Where a row is."""
        return bisect_left(self.numbers, number, self.until(ticks), self.through(ticks))

    def through(self, ticks: int) -> int:
        """How many rows are at or before the ticks."""
        return bisect_right(self.ticks, ticks)

    def until(self, ticks: int) -> int:
        """How many rows are before the ticks."""
        return bisect_left(self.ticks, ticks)

    def valued(self, low: int, high: int) -> int:
        """How many of the rows from low to high, the last one out, have a value."""
        if low >= high:
            return 0
        if not self.nulls:
            return high - low
        first = bisect_left(self.nulls, (self.ticks[low], self.numbers[low]))
        last = bisect_right(self.nulls, (self.ticks[high - 1], self.numbers[high - 1]))
        return high - low - (last - first)
