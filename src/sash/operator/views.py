"""Policies at work: which rows of a line are in the window that ends at a row, or at a time.

A policy is frozen and knows no kind of time. Its view is made for one kind, and finds windows as runs of rows. The
first row of the window moves on with its end, never back; all that is said here about settling rests on that.
"""

# The methods are described once, in View.
# ruff: noqa: D102

from __future__ import annotations

from typing import Any, Protocol

from sash.operator.line import Line, Path, Span
from sash.operator.scale import Grid, Scale
from sash.windows import LandmarkWindow, TimeWindow, TumblingWindow

__all__ = ["CountView", "LandmarkView", "TimeView", "TumblingCountView", "TumblingTimeView", "View"]


class View(Protocol):
    """A policy over one kind of time."""

    @property
    def aligned(self) -> bool:
        """Windows begin and end between different times, so that one entry a time is enough."""

    @property
    def fades(self) -> bool:
        """A window that ends long after the last row is empty."""

    def path(self) -> Path | None:
        """What it keeps of a new line."""

    def mark(self, value: Any) -> Any:
        """What it reads of a value; may fail, and is asked before anything changes."""

    def of_row(self, line: Line, place: int) -> Span:
        """The window that ends at a row."""

    def at(self, line: Line, ticks: int) -> Span | None:
        """The window that ends at a time; None if no rows are in it."""

    def settle(self, line: Line, place: int, mark: Any) -> tuple[int, list[int]]:
        """Take notice of a new row: from which place on windows are what they were, and the starts before, to undo."""

    def unsettle(self, line: Line, place: int, before: list[int]) -> None:
        """Undo `settle`."""

    def keep(self, line: Line, ticks: int) -> int:
        """The first row that a window which ends at or after the ticks may need."""


def found(span: Span) -> Span | None:
    """The span, if there are rows in it."""
    return span if span.low < span.high else None


class Plain:
    """What views share that keep nothing of their own."""

    aligned = True
    fades = True

    def path(self) -> Path | None:
        return None

    def mark(self, value: Any) -> Any:
        return None

    def of_row(self, line: Line, place: int) -> Span:
        raise NotImplementedError

    def settle(self, line: Line, place: int, mark: Any) -> tuple[int, list[int]]:
        # A window that begins after the new row does not hold it, and neither does any later one.
        low, high = place, len(line)
        while low < high:
            middle = (low + high) // 2
            low, high = (middle + 1, high) if self.of_row(line, middle).low <= place else (low, middle)
        return low, []

    def unsettle(self, line: Line, place: int, before: list[int]) -> None:
        pass


class TimeView(Plain):
    """(T - length, T], or as `closed` says; peers of equal time see each other."""

    def __init__(self, policy: TimeWindow, scale: Scale) -> None:
        self._length = scale.length(policy.length)
        self._scale = scale
        self._with_start = policy.closed in ("left", "both")
        self._with_end = policy.closed in ("right", "both")

    def of_row(self, line: Line, place: int) -> Span:
        return self._span(line, line.ticks[place])

    def at(self, line: Line, ticks: int) -> Span | None:
        return found(self._span(line, ticks))

    def _span(self, line: Line, ticks: int) -> Span:
        start = self._scale.back(ticks, self._length)
        low = line.until(start) if self._with_start else line.through(start)
        return Span(low, line.through(ticks) if self._with_end else line.until(ticks), start, ticks)

    def keep(self, line: Line, ticks: int) -> int:
        return line.until(self._scale.back(ticks, self._length))


class TumblingTimeView(Plain):
    """The part of the tumbling window up to the row or the time."""

    def __init__(self, policy: TumblingWindow, scale: Scale) -> None:
        assert policy.length is not None
        self._grid = Grid(scale, policy.length, policy.origin)
        self._left = policy.closed == "left"

    def of_row(self, line: Line, place: int) -> Span:
        ticks = line.ticks[place]
        if not self._left:
            return self._ending(line, ticks)
        start = self._grid.last(ticks)
        return Span(line.until(start), line.through(ticks), start, ticks)

    def at(self, line: Line, ticks: int) -> Span | None:
        return found(self._ending(line, ticks))

    def _ending(self, line: Line, ticks: int) -> Span:
        start = self._grid.before(ticks)
        if self._left:
            return Span(line.until(start), line.until(ticks), start, ticks)
        return Span(line.through(start), line.through(ticks), start, ticks)

    def keep(self, line: Line, ticks: int) -> int:
        return line.until(self._grid.before(ticks))


class LandmarkView(Plain):
    """[since, T], or everything."""

    fades = False

    def __init__(self, policy: LandmarkWindow, scale: Scale) -> None:
        self._since = None if policy.since is None else scale.ticks(policy.since)

    def of_row(self, line: Line, place: int) -> Span:
        return self._span(line, line.ticks[place])

    def at(self, line: Line, ticks: int) -> Span | None:
        return found(self._span(line, ticks))

    def _span(self, line: Line, ticks: int) -> Span:
        low = 0 if self._since is None else line.until(self._since)
        start = self._since if self._since is not None else line.ticks[0]
        return Span(low, line.through(ticks), start, ticks)

    def settle(self, line: Line, place: int, mark: Any) -> tuple[int, list[int]]:
        return len(line), []

    def keep(self, line: Line, ticks: int) -> int:
        return 0


class Placed(Plain):
    """Windows that end at a row itself, not at its peers; at a time, at the last row before it."""

    aligned = False
    fades = False

    def at(self, line: Line, ticks: int) -> Span | None:
        last = line.through(ticks) - 1
        return None if last < 0 else found(self.of_row(line, last)._replace(end=ticks))

    def first(self, line: Line, place: int) -> int:
        """Where the window of a row begins."""
        raise NotImplementedError

    def of_row(self, line: Line, place: int) -> Span:
        low = self.first(line, place)
        # An empty window begins and ends at its row.
        return Span(low, place + 1, line.ticks[min(low, place)], line.ticks[place])

    def keep(self, line: Line, ticks: int) -> int:
        # The last row that is final is the one that the next depends on.
        last = line.until(ticks) - 1
        return 0 if last < 0 else min(self.first(line, last), last)


class CountView(Placed):
    """The last n rows."""

    def __init__(self, n: int) -> None:
        self._n = n

    def first(self, line: Line, place: int) -> int:
        return max(0, place - self._n + 1)

    def settle(self, line: Line, place: int, mark: Any) -> tuple[int, list[int]]:
        return min(len(line), place + self._n), []


class TumblingCountView(Placed):
    """Rows 1 to n, n + 1 to 2n, and so on: the part up to the row."""

    def __init__(self, n: int) -> None:
        self._n = n

    def first(self, line: Line, place: int) -> int:
        return place - (line.dropped + place) % self._n

    def settle(self, line: Line, place: int, mark: Any) -> tuple[int, list[int]]:
        # A new row pushes every later one a place on, and with them the bounds of all windows.
        return len(line), []
