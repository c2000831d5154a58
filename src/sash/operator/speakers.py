"""Triggers at work, where events ask: at once, when they are final, or at once and again."""

# The methods are described once, in Speaker.
# ruff: noqa: D102

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Protocol

from sash.operator.line import Line
from sash.operator.paths import SessionView
from sash.operator.voice import Heap, Voice
from sash.triggers import EveryEvents, OnPunctuation, Trigger
from sash.windows.described import read_by

__all__ = ["AtOnce", "OnSessionEnd", "Picker", "Revised", "Silent", "Speaker", "WhenFinal", "WhenPassed"]


class Speaker(Protocol):
    """Hears what happens, and speaks when its trigger says so."""

    def mark(self, value: Any) -> bool:
        """Whether the event asks, by its value; may fail, and is asked before anything changes."""

    def row(self, line: Line, place: int, settled: Sequence[int], asks: bool) -> None:
        """A row has come; windows end to be affected by it at `settled`, one place a window."""

    def clock(self, limit: int | None) -> None:
        """Event time moves on; None is its end."""

    def watermark(self, limit: int | None) -> None:
        """What is before the limit is final; None is the end."""

    @property
    def heap(self) -> Heap | None:
        """What waits."""

    @property
    def counts(self) -> bool:
        """Whether its results are about events by their number in the order of time."""


class Picker:
    """Which events ask."""

    __slots__ = ("_every", "_predicate")

    def __init__(self, trigger: Trigger) -> None:
        self._every = trigger.k if isinstance(trigger, EveryEvents) else 1
        self._predicate = trigger.predicate if isinstance(trigger, OnPunctuation) else None

    @property
    def counts(self) -> bool:
        """Whether it goes by the number of the event."""
        return self._every > 1

    def mark(self, value: Any) -> bool:
        """Whether an event asks, by its value."""
        if self._predicate is None:
            return True
        return value is not None and bool(read_by(self._predicate, value))

    def picks(self, number: int) -> bool:
        """Whether the event of that number asks, the first being 1."""
        return number % self._every == 0


class Silent:
    """On demand: nobody asks."""

    heap: Heap | None = None
    counts = False

    def mark(self, value: Any) -> bool:
        return False

    def row(self, line: Line, place: int, settled: Sequence[int], asks: bool) -> None:
        pass

    def clock(self, limit: int | None) -> None:
        pass

    def watermark(self, limit: int | None) -> None:
        pass


class _ByRow(Silent):
    """What the speakers have in common that events ask."""

    def __init__(self, voice: Voice, picker: Picker) -> None:
        self._voice = voice
        self._picker = picker
        self.counts = picker.counts
        self._views = voice.bound.views

    def mark(self, value: Any) -> bool:
        return self._picker.mark(value)

    def _tell(self, line: Line, place: int, number: int) -> None:
        for window, view in enumerate(self._views):
            self._voice.tell(line, window, view.of_row(line, place), line.ticks[place], number)


class AtOnce(_ByRow):
    """emit="arrival": each event answers with what has been seen."""

    def row(self, line: Line, place: int, settled: Sequence[int], asks: bool) -> None:
        if asks and self._picker.picks(line.arrivals):
            self._tell(line, place, line.numbers[place])


class Revised(_ByRow):
    """emit="update": at once, and again for whatever a late event changes."""

    def row(self, line: Line, place: int, settled: Sequence[int], asks: bool) -> None:
        first = line.until(line.ticks[place])
        if self._picker.counts:
            # The new row makes every later one the next in number: each of their results is about another event.
            for at in range(first, len(line)):
                if self._picker.picks(line.dropped + at + 1):
                    self._revise(line, at, line.dropped + at + 1, range(len(self._views)))
            return
        if asks:
            self._revise(line, place, line.numbers[place], range(len(self._views)))
        for at in range(first, max(settled)):
            told = [
                window
                for window, end in enumerate(settled)
                if at < end and at != place and (line.numbers[at], window) in line.revisions
            ]
            self._revise(line, at, line.numbers[at], told)

    def _revise(self, line: Line, place: int, number: int, windows: Sequence[int]) -> None:
        for window in windows:
            span = self._views[window].of_row(line, place)
            self._voice.revise(line, window, span, line.ticks[place], number)


class _Waiting(_ByRow):
    """Rows wait until the watermark has passed them."""

    def __init__(self, voice: Voice, picker: Picker) -> None:
        super().__init__(voice, picker)
        self.waiting = self.heap = Heap(voice.undo)

    def row(self, line: Line, place: int, settled: Sequence[int], asks: bool) -> None:
        if asks:
            self.waiting.push((line.ticks[place], line.numbers[place], line))


class WhenFinal(_Waiting):
    """emit="final": each event answers once, when the watermark has passed it."""

    def watermark(self, limit: int | None) -> None:
        while (entry := self.waiting.pop_before(limit)) is not None:
            ticks, number, line = entry
            place = line.place_of(ticks, number)
            count = line.dropped + place + 1
            if self._picker.picks(count):
                self._tell(line, place, count if self._picker.counts else number)


class WhenPassed(_Waiting):
    """At the watermark: each key that it has passed events of answers once, for the newest of those."""

    def watermark(self, limit: int | None) -> None:
        newest: dict[int, tuple[int, int, Line]] = {}
        while (entry := self.waiting.pop_before(limit)) is not None:
            newest[entry[2].order] = entry
        for ticks, number, line in sorted(newest.values(), key=lambda entry: entry[:2]):
            self._tell(line, line.place_of(ticks, number), number)


class OnSessionEnd(_Waiting):
    """At the watermark, for sessions: each answers once, when no event can join it any more."""

    def watermark(self, limit: int | None) -> None:
        view = self._views[0]
        assert isinstance(view, SessionView)
        while self.waiting.entries:
            ticks, number, line = self.waiting.entries[0]
            place = line.place_of(ticks, number)
            if limit is not None and not view.ends(line, place, limit):
                return
            self.waiting.pop_before(None)
            if place + 1 == len(line) or view.ends(line, place, line.ticks[place + 1]):
                self._tell(line, place, number)
