"""How a result is told: its value, whether it is news, and the way back if the call fails."""

from __future__ import annotations

from collections.abc import Callable
from heapq import heapify, heappop, heappush
from typing import Any, NamedTuple

from sash.operator.line import Line, Span
from sash.operator.spec import Bound

__all__ = ["Heap", "Now", "Spoken", "Undo", "Voice", "same"]


class Spoken(NamedTuple):
    """A result as the engine tells it: times are ticks, the window is its position in the list."""

    key: Any
    window: int
    start: int | None
    end: int
    #: The time of the event that asked; None if a slide did.
    ticks: int | None
    value: Any
    revision: int
    #: Which event asked: how many came before it, or which one it is in the order of time; None if a slide did.
    number: int | None


class Undo:
    """What to do to be where the call began: each change leaves its opposite here."""

    __slots__ = ("_steps",)

    def __init__(self) -> None:
        self._steps: list[Callable[[], Any]] = []

    def add(self, step: Callable[[], Any]) -> None:
        """How to undo the change that was just made."""
        self._steps.append(step)

    def run(self) -> None:
        """Undo everything, the last change first."""
        while self._steps:
            self._steps.pop()()

    def clear(self) -> None:
        """The call went well."""
        self._steps.clear()


class Heap:
    """Entries that wait for a time, the least first, with the way back."""

    __slots__ = ("_undo", "entries")

    def __init__(self, undo: Undo) -> None:
        self.entries: list[tuple[int, int, Line]] = []
        self._undo = undo

    def push(self, entry: tuple[int, int, Line]) -> None:
        """Add an entry. Cost: O(log n)."""
        heappush(self.entries, entry)
        self._undo.add(lambda: self._discard(entry))

    def _discard(self, entry: tuple[int, int, Line]) -> None:
        self.entries.remove(entry)
        heapify(self.entries)

    def pop_before(self, limit: int | None) -> tuple[int, int, Line] | None:
        """The least entry, if it waits for a time before the limit; None is the end of time. Cost: O(log n)."""
        if not self.entries or (limit is not None and self.entries[0][0] >= limit):
            return None
        entry = heappop(self.entries)
        self._undo.add(lambda: heappush(self.entries, entry))
        return entry


class Now:
    """How far event time has come: the newest event, and the watermark that trails it."""

    __slots__ = ("clock", "finished", "watermark")

    def __init__(self) -> None:
        self.clock: int | None = None
        self.watermark: int | None = None
        self.finished = False


class Voice:
    """Tells results, for all speakers."""

    __slots__ = ("bound", "now", "out", "undo")

    def __init__(self, bound: Bound, now: Now, undo: Undo) -> None:
        self.bound = bound
        self.now = now
        self.undo = undo
        #: What this call has told so far.
        self.out: list[Spoken] = []

    def value(self, line: Line, span: Span) -> Any:
        """The result of a window; None if it has fewer values than it needs."""
        least = self.bound.spec.min_periods
        if least and line.valued(span.low, span.high) < least:
            return None
        return line.axis.query(line, span.low, span.high)

    def tell(self, line: Line, window: int, span: Span, ticks: int | None, number: int | None) -> None:
        """Tell a result once and for all."""
        self._say(line, Spoken(line.key, window, span.start, span.end, ticks, self.value(line, span), 0, number))

    def revise(self, line: Line, window: int, span: Span, ticks: int | None, number: int | None) -> None:
        """Tell a result that may be told again, if it is new or not what it was."""
        about = (span.end if number is None else number, window)
        value = self.value(line, span)
        ends = (span.start, span.end)
        before = line.revisions.get(about)
        if before is not None and before[0] == ends and same(before[1], value):
            return
        revision = 0 if before is None else before[2] + 1
        set_item(self.undo, line.revisions, about, (ends, value, revision))
        self._say(line, Spoken(line.key, window, span.start, span.end, ticks, value, revision, number))

    def _say(self, line: Line, spoken: Spoken) -> None:
        if self.bound.spec.changes_only:
            if spoken.window in line.last and same(line.last[spoken.window], spoken.value):
                return
            set_item(self.undo, line.last, spoken.window, spoken.value)
        self.out.append(spoken)


_MISSING = object()


def set_item(undo: Undo, table: dict[Any, Any], key: Any, value: Any) -> None:
    """Set an item of a dictionary, with the way back."""
    before = table.get(key, _MISSING)
    table[key] = value
    undo.add(lambda: table.pop(key) if before is _MISSING else table.__setitem__(key, before))


def same(one: Any, other: Any) -> bool:
    """Whether two results are one and the same; NaN is NaN, and what cannot be compared is not the same.

    >>> same(1, 1.0), same(float("nan"), float("nan")), same(None, 0)
    (True, True, False)
    """
    if one is other:
        return True
    try:
        return bool(one == other) or bool(one != one and other != other)
    except (TypeError, ValueError):
        return False
