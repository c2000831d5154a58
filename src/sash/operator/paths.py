"""Policies whose window begins where the one before it began, or later: what has left does not come back.

Each is one step: where the window of a row begins, given where that of the row before began. A late event changes the
steps from its place on, until a window begins where it did and the late event is no longer in it.
"""

# The methods are described once, in View.
# ruff: noqa: D102

from __future__ import annotations

import math
from bisect import bisect_left
from collections.abc import Callable
from typing import Any

from sash.operator.line import Line, Path, Span
from sash.operator.scale import Scale
from sash.operator.views import Placed, found
from sash.windows import AdaptiveWindow, DeltaWindow, PolicyWindow, PunctuatedWindow, SessionWindow
from sash.windows.described import read_by

__all__ = ["AdaptiveView", "DeltaView", "PolicyView", "PunctuatedView", "SessionView", "Stepping"]


class Stepping(Placed):
    """What these views share; places in paths count from the first row that the key ever had."""

    #: Which of the views of the operator it is: the line keeps its path under this number.
    index = 0

    def path(self) -> Path:
        return Path()

    def step(self, line: Line, path: Path, start: int, place: int) -> int:
        """Where the window of the row at `place` begins, given where that of the row before began."""
        raise NotImplementedError

    def first(self, line: Line, place: int) -> int:
        return self._path(line).starts[place] - line.dropped

    def _path(self, line: Line) -> Path:
        path = line.paths[self.index]
        assert path is not None
        return path

    def settle(self, line: Line, place: int, mark: Any) -> tuple[int, list[int]]:
        path = self._path(line)
        before = path.starts[place:]
        path.marks.insert(place, mark)
        try:
            return self._walk(line, path, place), before
        except BaseException:
            self.unsettle(line, place, before)
            raise

    def _walk(self, line: Line, path: Path, place: int) -> int:
        absolute = line.dropped + place
        old = [start + (start >= absolute) for start in path.starts[place:]]
        del path.starts[place:]
        start = path.starts[-1] if place else line.dropped
        for at in range(place, len(line)):
            start = line.dropped + self.step(line, path, start - line.dropped, at)
            path.starts.append(start)
            if at > place and start > absolute and start == old[at - place - 1]:
                path.starts += old[at - place :]
                return at
        return len(line)

    def unsettle(self, line: Line, place: int, before: list[int]) -> None:
        path = self._path(line)
        path.starts[place:] = before
        del path.marks[place]


class SessionView(Stepping):
    """Rows that follow one another by less than the gap; peers see each other."""

    aligned = True
    fades = True

    def __init__(self, policy: SessionWindow, scale: Scale) -> None:
        self._gap = scale.length(policy.gap)
        self._scale = scale

    def step(self, line: Line, path: Path, start: int, place: int) -> int:
        return place if not place or self.ends(line, place - 1, line.ticks[place]) else start

    def ends(self, line: Line, place: int, ticks: int) -> bool:
        """Whether a row is the last of its session, if the next one is at the ticks."""
        return self._scale.apart(line.ticks[place], ticks, self._gap)

    def of_row(self, line: Line, place: int) -> Span:
        low = self.first(line, place)
        return Span(low, line.through(line.ticks[place]), line.ticks[low], line.ticks[place])

    def at(self, line: Line, ticks: int) -> Span | None:
        last = line.through(ticks) - 1
        if last < 0 or self.ends(line, last, ticks):
            return None
        return found(self.of_row(line, last)._replace(end=ticks))


class PunctuatedView(Stepping):
    """Rows after the last punctuation."""

    def __init__(self, policy: PunctuatedWindow) -> None:
        self._predicate = policy.predicate

    def mark(self, value: Any) -> bool:
        return value is not None and bool(read_by(self._predicate, value))

    def step(self, line: Line, path: Path, start: int, place: int) -> int:
        return place if not place or path.marks[place - 1] else start


class DeltaView(Stepping):
    """Rows whose measure is less than delta behind."""

    def __init__(self, policy: DeltaWindow) -> None:
        self._of = policy.of
        self._delta = policy.delta

    def mark(self, value: Any) -> Any:
        return measured(self._of, value)

    def step(self, line: Line, path: Path, start: int, place: int) -> int:
        newest = path.marks[place]
        if newest is None:
            return start
        for at in range(start, place):
            if path.marks[at] is None:
                continue
            if newest - path.marks[at] < self._delta:
                break
            start = at + 1
        return start


def measured(of: str | Callable[[Any], Any] | None, value: Any) -> Any:
    """The measure of a value; None where there is none."""
    measure = None if value is None else read_by(of, value)
    if measure is None:
        return None
    if not hasattr(measure, "__float__"):
        raise TypeError(f"a measure is a number, not {type(measure).__name__} ({measure!r:.60})")
    return None if math.isnan(measure) else measure


class PolicyView(Stepping):
    """Rows that the user's function has not let go."""

    def __init__(self, policy: PolicyWindow, track: int) -> None:
        self._evict_when = policy.evict_when
        self._track = track

    def step(self, line: Line, path: Path, start: int, place: int) -> int:
        if not line.valued(start, place + 1):
            return start
        total = line.axis.query(line, start, place + 1, self._track)

        def stays(end: int) -> bool:
            """Whether the run from the start up to and with the row at `end` may not leave."""
            # Rows without a value have no result to ask about: they go with the first that has one.
            while not line.valued(start, end + 1):
                end += 1
            return not self._evict_when(total, line.axis.query(line, start, end + 1, self._track))

        # The run that leaves is short as a rule: look near the start first, then halve.
        reach = 1
        while start + reach - 1 <= place and not stays(start + reach - 1):
            reach *= 2
        return bisect_left(range(place + 1), True, start + reach // 2, min(start + reach - 1, place + 1), key=stays)


class AdaptiveView(Stepping):
    """Rows among which the mean has not changed."""

    def __init__(self, policy: AdaptiveWindow, tracks: tuple[int, int, int]) -> None:
        self._delta = policy.delta
        self._mean, self._variance, self._count = tracks

    def step(self, line: Line, path: Path, start: int, place: int) -> int:
        cut: int | None = start
        while cut is not None:
            start, cut = cut, self._cut(line, cut, place + 1)
        return start

    def _cut(self, line: Line, low: int, high: int) -> int | None:
        """The oldest place that parts rows of different means; None if there is none."""
        count = line.axis.query(line, low, high, self._count)
        if count < 2:
            return None
        variance = line.axis.query(line, low, high, self._variance)
        chance = math.log(2 * max(1.0, math.log(count)) / self._delta)
        for cut in reversed(cuts(low, high)):
            if self._differ(line, (low, cut, high), variance, chance):
                return cut
        return None

    def _differ(self, line: Line, bounds: tuple[int, int, int], variance: float, chance: float) -> bool:
        low, cut, high = bounds
        older = line.axis.query(line, low, cut, self._count)
        newer = line.axis.query(line, cut, high, self._count)
        if not older or not newer:
            return False
        means = line.axis.query(line, low, cut, self._mean), line.axis.query(line, cut, high, self._mean)
        weight = 1 / older + 1 / newer
        return bool(abs(means[0] - means[1]) > math.sqrt(2 * weight * variance * chance) + 2 / 3 * weight * chance)


def cuts(low: int, high: int) -> list[int]:
    """The places at which a run of rows is cut: some of each distance from its end, the distances doubling.

    >>> cuts(0, 20)
    [19, 18, 17, 16, 14, 12, 10, 8, 4]
    """
    places: list[int] = []
    at, step = high, 1
    while True:
        for _ in range(4):
            at -= step
            if at <= low:
                return places
            places.append(at)
        step *= 2
