"""What runs an operator: the seam, and the engine in Python that can do everything.

The operator gives rows with encoded times to an engine and gets results back. An engine keeps the keys, the watermark
and what is yet to be told. A call that fails leaves it as it was.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Sequence
from typing import Any, Protocol

import numpy as np
import numpy.typing as npt

from sash.operator.batch import checked_key, items_of, rows_of
from sash.operator.line import Line, Span
from sash.operator.scale import Grid, Scale
from sash.operator.slides import AtSlides
from sash.operator.speakers import (
    AtOnce,
    OnSessionEnd,
    Picker,
    Revised,
    Silent,
    Speaker,
    WhenFinal,
    WhenPassed,
)
from sash.operator.spec import Bound, Spec
from sash.operator.voice import Heap, Now, Spoken, Undo, Voice
from sash.triggers import AtWatermark, EverySlide, OnDemand, resolve_trigger
from sash.windows import SessionWindow

__all__ = ["Engine", "LineEngine", "OnLateRow", "Row"]

#: (key, ticks, value)
Row = tuple[Any, int, Any]
Ticks = npt.NDArray[np.int64]
#: Told of a late row: key, ticks, value, watermark (None if the stream had ended).
OnLateRow = Callable[[Any, int, Any, int | None], None]

#: Fewer rows than this are not worth forgetting one by one.
_FEW = 64


class Engine(Protocol):
    """The seam between the operator and what runs it. Every call does all of it, or fails and does nothing.

    An engine is made for one configuration and one kind of time. Results are a sequence; one that has the method
    `column(name)`, for the names of `Spoken`, may give whole columns as arrays, or None where it cannot.
    """

    @property
    def bound(self) -> Bound:
        """What it was asked to do, and over which kind of time."""

    @property
    def now(self) -> Now:
        """How far event time has come."""

    @property
    def lines(self) -> Collection[Any]:
        """The keys that have state, in the order in which they came."""

    def extend(self, rows: Iterable[Row], on_late: OnLateRow) -> Sequence[Spoken]:
        """Take events in, in the order of their arrival; what they trigger."""

    def extend_columns(self, keys: Any, ticks: Ticks, values: Any, on_late: OnLateRow) -> Sequence[Spoken]:
        """The same by columns of equal size, as they were given; keys are None where there are none."""

    def advance(self, ticks: int | None) -> Sequence[Spoken]:
        """Move the watermark on, to the end if None; what that makes final, or due."""

    def ask(self, key: Any, ticks: int | None) -> Sequence[Spoken]:
        """The windows of a key that end at the ticks, or now."""

    def finish(self) -> None:
        """Nothing may come any more, since the stream ended before it began."""


class LineEngine:
    """One line a key, in Python: every policy, every trigger, every aggregation.

    Cost of an event in order: one range query a window, O(log n) combines. A late event with emit="update" costs one
    more for each result that it may change.
    """

    def __init__(self, spec: Spec, scale: Scale) -> None:
        self.bound = Bound(spec, scale)
        self.now = Now()
        self.lines: dict[Any, Line] = {}
        #: How many rows were taken in, and how many keys there ever were.
        self.count = 0
        self.orders = 0
        self._undo = Undo()
        self._voice = Voice(self.bound, self.now, self._undo)
        self.speaker = _speaker(self._voice)
        #: (newest ticks when it was looked at last, order, line): lines that may have fallen idle.
        self.idle = Heap(self._undo)

    def extend_columns(self, keys: Any, ticks: Ticks, values: Any, on_late: OnLateRow) -> list[Spoken]:
        """Take columns of events in; what they trigger."""
        names = [None] * len(ticks) if keys is None else [checked_key(key) for key in items_of(keys)]
        return self.extend(zip(names, ticks.tolist(), rows_of(values), strict=True), on_late)

    def extend(self, rows: Iterable[Row], on_late: OnLateRow) -> list[Spoken]:
        """Take events in, in the order of their arrival; what they trigger."""
        touched: dict[int, Line] = {}

        def work() -> None:
            for row in rows:
                line = self._take(row, on_late)
                if line is not None:
                    touched[line.order] = line

        told = self._attempt(work)
        for line in touched.values():
            self._forget(line)
        return told

    def advance(self, ticks: int | None) -> list[Spoken]:
        """Move the watermark on, to the end if None; what that makes final, or due."""
        told = self._attempt(lambda: self._advance(ticks))
        if ticks is not None:
            for line in self.lines.values():
                self._forget(line)
        return told

    def ask(self, key: Any, ticks: int | None) -> list[Spoken]:
        """The windows of a key that end at the ticks, or now."""
        at = self.now.clock if ticks is None else ticks
        if at is None:
            return []
        # Of a key that has not been seen, nothing has been seen: its windows are empty.
        line = self.lines.get(key) or self.make_line(key, -1)
        told = []
        for window, view in enumerate(self.bound.views):
            span = (view.at(line, at) if len(line) else None) or Span(0, 0, None, at)
            told.append(Spoken(key, window, span.start, at, None, self.value(line, span), 0, None))
        return told

    def finish(self) -> None:
        """Nothing may come any more, since the stream ended before it began."""
        self.now.finished = True

    def value(self, line: Line, span: Span) -> Any:
        """The result of a window of a line."""
        return self._voice.value(line, span)

    # A call, and the way back

    def _attempt(self, work: Callable[[], None]) -> list[Spoken]:
        now = self.now
        before = (now.clock, now.watermark, now.finished, self.count, self.orders)
        self._voice.out = []
        try:
            work()
        except BaseException:
            self._undo.run()
            now.clock, now.watermark, now.finished, self.count, self.orders = before
            raise
        finally:
            self._undo.clear()
        return self._voice.out

    # A row

    def _take(self, row: Row, on_late: OnLateRow) -> Line | None:
        key, ticks, value = row
        now = self.now
        if now.finished or (now.watermark is not None and ticks < now.watermark):
            on_late(key, ticks, value, None if now.finished else now.watermark)
            return None
        # Functions of the user are asked first: if one fails, there is nothing to undo.
        marks = [view.mark(value) for view in self.bound.views]
        asks = self.speaker.mark(value)
        self._move_clock(ticks)
        line = self.lines.get(key)
        if line is None:
            line = self._new_line(key, ticks)
        place = self._put(line, ticks, value)
        settled = [self._settle(line, index, place, mark) for index, mark in enumerate(marks)]
        self.speaker.row(line, place, settled, asks)
        if self.bound.lateness is not None:
            assert now.clock is not None
            self._move_watermark(self.bound.scale.back(now.clock, self.bound.lateness))
        return line

    def _new_line(self, key: Any, ticks: int) -> Line:
        line = self.make_line(key, self.orders)
        self.orders += 1
        self.lines[key] = line
        self._undo.add(lambda: self.lines.pop(key))
        if self.bound.expire is not None:
            self.idle.push((ticks, line.order, line))
        return line

    def make_line(self, key: Any, order: int) -> Line:
        """A line without rows."""
        return Line(key, order, self.bound.axis(), [view.path() for view in self.bound.views])

    def _put(self, line: Line, ticks: int, value: Any) -> int:
        newest = line.newest
        place = line.put(ticks, self.count, value, self.bound.spec.aggregation.skips(value))
        line.newest = ticks if newest is None else max(newest, ticks)
        self.count += 1

        def back() -> None:
            line.take_back(place)
            line.newest = newest

        self._undo.add(back)
        return place

    def _settle(self, line: Line, index: int, place: int, mark: Any) -> int:
        view = self.bound.views[index]
        settled, before = view.settle(line, place, mark)
        self._undo.add(lambda: view.unsettle(line, place, before))
        return settled

    # Time

    def _advance(self, ticks: int | None) -> None:
        if self.now.finished:
            return
        if ticks is None:
            self.speaker.clock(None)
            self.speaker.watermark(None)
            self.now.finished = True
            return
        self._move_clock(ticks)
        self._move_watermark(ticks)

    def _move_clock(self, ticks: int) -> None:
        if self.now.clock is not None and ticks <= self.now.clock:
            return
        self.speaker.clock(ticks)
        self.now.clock = ticks
        if self.bound.expire is not None:
            self._retire(ticks, self.bound.expire)

    def _move_watermark(self, ticks: int) -> None:
        if self.now.watermark is not None and ticks <= self.now.watermark:
            return
        self.now.watermark = ticks
        self.speaker.watermark(ticks)

    def _retire(self, clock: int, expire: int | float) -> None:
        """Drop the keys that have been idle too long. What still waits to be told of them is told."""
        while self.idle.entries and self.bound.scale.apart(self.idle.entries[0][0], clock, expire):
            entry = self.idle.pop_before(None)
            assert entry is not None
            seen, order, line = entry
            assert line.newest is not None
            if line.newest > seen:
                self.idle.push((line.newest, order, line))
                continue
            line.retired = clock
            del self.lines[line.key]
            self._undo.add(lambda line=line: self._restore(line))  # type: ignore[misc]

    def _restore(self, line: Line) -> None:
        line.retired = None
        self.lines[line.key] = line

    # Memory

    def _forget(self, line: Line) -> None:
        """Forget rows that no window will need, now and then: half of them at a time, so that it costs O(1) a row."""
        watermark = self.now.watermark
        if watermark is None or self.now.finished:
            return
        if len(line) > _FEW:
            needless = min(view.keep(line, watermark) for view in self.bound.views)
            if 2 * needless > len(line):
                line.forget(needless)
        if len(line.revisions) > 2 * max(_FEW, len(line) * len(self.bound.views)):
            line.revisions = {about: told for about, told in line.revisions.items() if told[0][1] >= watermark}


def _speaker(voice: Voice) -> Speaker:
    """The one that does what the trigger and emit ask for."""
    spec, scale = voice.bound.spec, voice.bound.scale
    trigger = spec.trigger
    emit = spec.emit
    if isinstance(trigger, OnDemand):
        return Silent()
    if isinstance(trigger, AtWatermark):
        implied = resolve_trigger(None, spec.policies)
        if isinstance(implied, EverySlide):
            trigger, emit = implied, "final"
        elif len(spec.policies) == 1 and isinstance(spec.policies[0], SessionWindow):
            return OnSessionEnd(voice, Picker(trigger))
        else:
            return WhenPassed(voice, Picker(trigger))
    if isinstance(trigger, EverySlide):
        assert trigger.every is not None
        return AtSlides(voice, Grid(scale, trigger.every, trigger.origin), emit)
    speakers = {"arrival": AtOnce, "final": WhenFinal, "update": Revised}
    return speakers[emit](voice, Picker(trigger))
