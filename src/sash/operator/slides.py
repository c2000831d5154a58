"""The trigger at every slide of event time: each key with events in its window speaks at each multiple of the slide."""

# The methods are described once, in Speaker.
# ruff: noqa: D102

from __future__ import annotations

from collections.abc import Sequence

from sash.operator.line import Line, Span
from sash.operator.scale import Grid
from sash.operator.speakers import Silent
from sash.operator.spec import Emit
from sash.operator.voice import Heap, Voice

__all__ = ["AtSlides"]


class AtSlides(Silent):
    """Each line has at most one entry that counts in the heap: the next slide at which it may speak, `line.due`.

    With emit="final" a slide is due when the watermark has passed it, otherwise when the newest event has. Slides that
    were due before a line had events are not its own; with "update" a late event makes them so.
    """

    def __init__(self, voice: Voice, grid: Grid, emit: Emit) -> None:
        self._voice = voice
        self._grid = grid
        self._final = emit == "final"
        self._tell = voice.revise if emit == "update" else voice.tell
        self._updates = emit == "update"
        self._views = voice.bound.views
        self.slides = self.heap = Heap(voice.undo)

    def row(self, line: Line, place: int, settled: Sequence[int], asks: bool) -> None:
        ticks, clock = line.ticks[place], self._voice.now.clock
        if self._updates:
            self._revise(line, place, settled)
        behind = not self._final and clock is not None and clock > ticks
        due = self._grid.first(clock if behind and clock is not None else ticks)
        if line.due is None or due < line.due:
            self._schedule(line, due)

    def _schedule(self, line: Line, due: int | None) -> None:
        before, line.due = line.due, due
        self._voice.undo.add(lambda: setattr(line, "due", before))
        if due is not None:
            self.slides.push((due, line.order, line))

    def clock(self, limit: int | None) -> None:
        if not self._final:
            self._speak(limit)

    def watermark(self, limit: int | None) -> None:
        if self._final:
            self._speak(limit)

    def _speak(self, limit: int | None) -> None:
        while (entry := self.slides.pop_before(limit)) is not None:
            ticks, _, line = entry
            if line.due == ticks:
                self._slide(line, ticks, ending=limit is None)

    def _slide(self, line: Line, ticks: int, ending: bool) -> None:
        if line.retired is not None and ticks >= line.retired:
            self._schedule(line, None)
            return
        spans = self._spans(line, ticks, ending)
        for window, span in spans:
            self._tell(line, window, span, None, None)
        if spans:
            self._schedule(line, self._grid.after(ticks))
            return
        # A row at the slide itself is in a later window, where the end is out.
        following = line.until(ticks)
        later = following < len(line)
        self._schedule(line, max(self._grid.after(ticks), self._grid.first(line.ticks[following])) if later else None)

    def _spans(self, line: Line, ticks: int, ending: bool) -> list[tuple[int, Span]]:
        # At the end of the stream a window that never empties would speak forever: it stops where event time has.
        clock = self._voice.now.clock
        past = clock is not None and ticks >= clock and line.newest is not None
        over = ending and past and ticks > self._grid.first(line.newest or 0)
        found = ((window, view.at(line, ticks)) for window, view in enumerate(self._views) if view.fades or not over)
        return [(window, span) for window, span in found if span is not None]

    def _revise(self, line: Line, place: int, settled: Sequence[int]) -> None:
        clock = self._voice.now.clock
        assert clock is not None
        due = self._grid.first(line.ticks[place])
        touched = set(range(len(self._views)))
        while touched and due < clock:
            for window in sorted(touched):
                span = self._views[window].at(line, due)
                if self._beyond(line, place, window, settled[window], due, span):
                    touched.discard(window)
                elif span is not None:
                    self._voice.revise(line, window, span, None, None)
            due = self._grid.after(due)

    def _beyond(self, line: Line, place: int, window: int, settled: int, due: int, span: Span | None) -> bool:
        """Whether this window at the slide, and at every later one, is what it was before the row came."""
        # Not at the time of the settled row: where the end is out, the window there ends before that row.
        if settled < len(line) and due > line.ticks[settled]:
            return True
        # A slide at the time of the row itself need not hold it, where the end is out.
        return self._views[window].fades and due > line.ticks[place] and (span is None or span.low > place)
