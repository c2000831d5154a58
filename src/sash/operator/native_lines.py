"""The engine in the core for all other policies, triggers and emits that ask nothing of Python."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any, Final, NamedTuple

import numpy as np
import numpy.typing as npt

from sash import _core
from sash.columns import Column
from sash.operator.answers import AnswerColumn, all_numbers, number_at, numbers_of
from sash.operator.core_columns import plain
from sash.operator.core_engine import CoreEngine, CoreTold, Ticks, length_of, seconds_of
from sash.operator.scale import Grid, Scale
from sash.operator.spec import Spec
from sash.operator.voice import Spoken
from sash.triggers import AtWatermark, EachEvent, EveryEvents, EverySlide, OnDemand, resolve_trigger
from sash.windows import CountWindow, LandmarkWindow, SessionWindow, TimeWindow, TumblingWindow, WindowPolicy

__all__ = ["LinesTold", "NativeLines", "asks_no_python"]

_POLICIES: Final = (TimeWindow, TumblingWindow, SessionWindow, LandmarkWindow, CountWindow)
_TRIGGERS: Final = (EachEvent, EveryEvents, EverySlide, AtWatermark, OnDemand)
#: A start that lies before all times that 64 bits hold comes out as this one.
_EARLIEST: Final = -(2**63)

#: Kind, length, whether start and end are in, origin, since, count.
_PolicyArgs = tuple[str, tuple[int, float], bool, bool, int, int | None, int]


def asks_no_python(spec: Spec) -> bool:
    """Whether this engine can run the operator, if the core has its aggregation.

    >>> import sash
    >>> from sash.triggers import EachEvent
    >>> asks_no_python(Spec(sash.Sum(), (sash.CountWindow(5), sash.SessionWindow(3)), EachEvent(), emit="final"))
    True
    >>> asks_no_python(Spec(sash.Sum(), (sash.PolicyWindow(lambda total, old: total > 9),), EachEvent()))
    False
    """
    return isinstance(spec.trigger, _TRIGGERS) and all(isinstance(policy, _POLICIES) for policy in spec.policies)


class _Told(NamedTuple):
    """What the core tells, a column each."""

    keys: Any
    windows: npt.NDArray[np.int64]
    starts: npt.NDArray[np.int64]
    ends: npt.NDArray[np.int64]
    ticks: npt.NDArray[np.int64]
    numbers: npt.NDArray[np.int64]
    revisions: npt.NDArray[np.int64]
    missing: npt.NDArray[np.uint8]
    answers: list[AnswerColumn]


class NativeLines(CoreEngine):
    """One line a key in the core: its events, and their partials in a tree.

    Cost of an event in order: one range query a window, O(log n) combines. A late event with emit="update" costs one
    more for each result that it may change.
    """

    version = 2

    def _make(self) -> _core.Lines:
        bound, spec, scale = self.bound, self.bound.spec, self.bound.scale
        asks = _asks(spec)
        return _core.Lines(
            self.row,
            [_policy(policy, scale) for policy in spec.policies],
            asks.who,
            asks.emit,
            asks.every,
            None if asks.slide is None else _slide(asks.slide, scale),
            length_of(bound.lateness),
            length_of(bound.expire),
            spec.changes_only,
            spec.min_periods,
            self.empties(),
            seconds_of(scale) if self.row.timed else 1.0,
            scale.kind.name == "float",
        )

    def _extend(self, keys: Any, ticks: Ticks, columns: list[Column], kept: npt.NDArray[np.bool_]) -> LinesTold:
        return self._told(self._core.extend(keys, ticks, columns))

    def advance(self, ticks: int | None) -> Sequence[Spoken]:
        """Move the watermark on, to the end if None; what that makes final, or due."""
        if self.finished:
            return []
        told = self._told(self._core.finish() if ticks is None else self._core.advance(ticks))
        self.finished = ticks is None
        return told

    def ask(self, key: Any, ticks: int | None) -> list[Spoken]:
        """The windows of a key that end at the ticks, or now."""
        at = self._core.clock()[0] if ticks is None else ticks
        if at is None:
            return []
        told = []
        for window, (parts, found) in enumerate(self._core.ask(key if self.bound.spec.keyed else 0, at)):
            start = None if found is None else self.start(window, found, at, by_event=False)
            value = None if parts is None else self.shaped(parts)
            told.append(Spoken(key, window, start, at, None, value, 0, None))
        return told

    def start(self, window: int, found: int, end: int, by_event: bool) -> int:
        """Where a window begins that ends at the ticks: where the core found it to, or before all times."""
        if found != _EARLIEST:
            return found
        scale, policy = self.bound.scale, self.bound.spec.policies[window]
        if isinstance(policy, TimeWindow):
            return scale.back(end, scale.length(policy.length))
        if isinstance(policy, TumblingWindow) and policy.length is not None:
            grid = Grid(scale, policy.length, policy.origin)
            return grid.last(end) if by_event and policy.closed == "left" else grid.before(end)
        return found

    def _told(self, columns: tuple[Any, ...]) -> LinesTold:
        return LinesTold(self, _Told(*columns))

    def _saved(self) -> dict[str, Any]:
        reals, keys, body = self._core.save()
        return {"keys": keys, "reals": list(reals), "body": body}


class LinesTold(CoreTold):
    """The results of a call. Each is made when it is asked for."""

    def __init__(self, engine: NativeLines, told: _Told) -> None:
        self._engine = engine
        self._told = told
        self._keyed = engine.bound.spec.keyed
        self._by_event = _asks(engine.bound.spec).who != "slides"

    def __len__(self) -> int:
        return len(self._told.ends)

    def _at(self, place: int) -> Spoken:
        told = self._told
        window, end = int(told.windows[place]), int(told.ends[place])
        start = self._engine.start(window, int(told.starts[place]), end, self._by_event)
        key = plain(told.keys[place]) if self._keyed else None
        ticks = int(told.ticks[place]) if self._by_event else None
        number = int(told.numbers[place]) if self._by_event else None
        return Spoken(key, window, start, end, ticks, self._value(place), int(told.revisions[place]), number)

    def __iter__(self) -> Iterator[Spoken]:
        """All results, several times as fast as one by one."""
        told, start_of, by_event = self._told, self._engine.start, self._by_event
        nothing = [None] * len(self)
        places = zip(
            told.keys if self._keyed else nothing,
            told.windows.tolist(),
            told.starts.tolist(),
            told.ends.tolist(),
            told.ticks.tolist() if by_event else nothing,
            self._values(),
            told.revisions.tolist(),
            told.numbers.tolist() if by_event else nothing,
            strict=True,
        )
        for key, window, start, *rest in places:
            yield Spoken(plain(key), window, start_of(window, start, rest[0], by_event), *rest)

    def _values(self) -> Iterator[Any]:
        parts = zip(*(all_numbers(column) for column in self._told.answers), strict=True)
        shaped = self._engine.shaped
        for missing, answers in zip(self._told.missing.tolist(), parts, strict=True):
            yield None if missing else shaped(answers)

    def _value(self, place: int) -> Any:
        if self._told.missing[place]:
            return None
        return self._engine.shaped([number_at(column, place) for column in self._told.answers])

    def column(self, name: str) -> npt.NDArray[Any] | list[Any] | None:
        """A column of the results without a result being made; None if there is no way without."""
        told = self._told
        match name:
            case "end":
                return told.ends
            case "window":
                return told.windows
            case "revision":
                return told.revisions
            case "start" if not (told.starts == _EARLIEST).any():
                return told.starts
            case "ticks" | "number" if not self._by_event:
                return [None] * len(self)
            case "ticks":
                return told.ticks
            case "number":
                # Seen as NumPy's own int64: the core's has the same bits and another name.
                return told.numbers.view(np.int64)
            case "key" if not self._keyed:
                return [None] * len(self)
            case "key":
                return told.keys.view(np.int64) if isinstance(told.keys, np.ndarray) else told.keys
            case "value" if not self._engine.row.composite and not told.missing.any():
                answer = self._engine.row.answers[0]
                return numbers_of([told.answers[answer.position]], answer.truth)
        return None


# What the operator was asked to do, as the core takes it


class _Asks(NamedTuple):
    who: str
    emit: str
    every: int = 1
    slide: EverySlide | None = None


def _asks(spec: Spec) -> _Asks:
    match spec.trigger:
        case OnDemand():
            return _Asks("nobody", spec.emit)
        case EverySlide() as slide:
            return _Asks("slides", spec.emit, slide=slide)
        case EveryEvents(k=k):
            return _Asks("events", spec.emit, every=k)
        case AtWatermark():
            return _at_watermark(spec.policies)
    return _Asks("events", spec.emit)


def _at_watermark(policies: tuple[WindowPolicy, ...]) -> _Asks:
    implied = resolve_trigger(None, policies)
    if isinstance(implied, EverySlide):
        return _Asks("slides", "final", slide=implied)
    sessions = len(policies) == 1 and isinstance(policies[0], SessionWindow)
    return _Asks("session_end" if sessions else "passed", "final")


def _slide(slide: EverySlide, scale: Scale) -> tuple[tuple[int, float], int]:
    assert slide.every is not None
    return _grid(Grid(scale, slide.every, slide.origin))


def _grid(grid: Grid) -> tuple[tuple[int, float], int]:
    every = length_of(grid.every)
    assert every is not None
    return every, grid.origin


def _policy(policy: WindowPolicy, scale: Scale) -> _PolicyArgs:
    nothing = 1, 1.0
    match policy:
        case TimeWindow(length=length, closed=closed):
            ends = closed in ("left", "both"), closed in ("right", "both")
            return "time", _length(scale, length), *ends, 0, None, 1
        case TumblingWindow(count=int(count)):
            return "tumbling_count", nothing, False, True, 0, None, count
        case TumblingWindow(length=length, closed=closed, origin=origin) if length is not None:
            every, start = _grid(Grid(scale, length, origin))
            return "tumbling", every, closed == "left", closed == "right", start, None, 1
        case SessionWindow(gap=gap):
            return "session", _length(scale, gap), False, True, 0, None, 1
        case LandmarkWindow(since=since):
            return "landmark", nothing, True, True, 0, None if since is None else scale.ticks(since), 1
        case CountWindow(n=n):
            return "count", nothing, False, True, 0, None, n
    raise AssertionError(policy)


def _length(scale: Scale, duration: Any) -> tuple[int, float]:
    length = length_of(scale.length(duration))
    assert length is not None
    return length
