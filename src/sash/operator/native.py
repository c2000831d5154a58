"""The engine in the core for time windows whose events answer at once: it keeps partials alone, and no events."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
import numpy.typing as npt

from sash import _core
from sash.columns import Column
from sash.operator.answers import AnswerColumn, number_at, numbers_of
from sash.operator.core_columns import plain, taken_keys
from sash.operator.core_engine import CoreEngine, CoreTold, Ticks, length_of, seconds_of
from sash.operator.scale import Scale
from sash.operator.spec import Spec
from sash.operator.voice import Spoken
from sash.triggers import EachEvent
from sash.windows import TimeWindow

__all__ = ["NativeEngine", "NativeTold", "answers_at_once"]


def answers_at_once(spec: Spec) -> bool:
    """Whether this engine can run the operator, if the core has its aggregation.

    >>> import sash
    >>> answers_at_once(Spec(sash.Sum(), (sash.TimeWindow(5),), EachEvent()))
    True
    """
    plain = spec.emit == "arrival" and not spec.changes_only and not spec.min_periods
    return plain and isinstance(spec.trigger, EachEvent) and all(isinstance(one, TimeWindow) for one in spec.policies)


class NativeEngine(CoreEngine):
    """Every key's windows in one native table. Cost of an event in order: O(1) combines for the longest window if
    nothing may be late, O(log n) for each other."""

    version = 1
    #: How many rows were taken in.
    count = 0

    def _make(self) -> _core.Keyed:
        bound, scale = self.bound, self.bound.scale
        return _core.Keyed(
            self.row,
            [_span(policy, scale) for policy in bound.spec.policies if isinstance(policy, TimeWindow)],
            length_of(bound.lateness),
            length_of(bound.expire),
            seconds_of(scale) if self.row.timed else 1.0,
            scale.kind.name == "float",
        )

    def _extend(self, keys: Any, ticks: Ticks, columns: list[Column], kept: npt.NDArray[np.bool_]) -> NativeTold:
        answers = self._core.extend(keys, ticks, columns)
        first, self.count = self.count, self.count + int(kept.sum())
        return NativeTold(self, taken_keys(keys, kept), ticks[kept], answers, first)

    def advance(self, ticks: int | None) -> list[Spoken]:
        """Move the watermark on, to the end if None. Nothing waits to be told."""
        if ticks is None:
            self.finished = True
        elif not self.finished:
            self._core.advance(ticks)
        return []

    def ask(self, key: Any, ticks: int | None) -> list[Spoken]:
        """The windows of a key that end at the ticks, or now."""
        clock, watermark = self._core.clock()
        at = max((one for one in (clock, watermark) if one is not None), default=None) if ticks is None else ticks
        if at is None:
            return []
        told = []
        answers = self._core.ask(key if self.bound.spec.keyed else 0, at)
        for window, (parts, filled) in enumerate(answers):
            start = self.start(window, at) if filled else None
            told.append(Spoken(key, window, start, at, None, self.shaped(parts), 0, None))
        return told

    def start(self, window: int, end: int) -> int:
        """Where a window begins that ends at the ticks."""
        policy = self.bound.spec.policies[window]
        assert isinstance(policy, TimeWindow)
        return self.bound.scale.back(end, self.bound.scale.length(policy.length))

    def _saved(self) -> dict[str, Any]:
        reals, body = self._core.save()
        return {"count": self.count, "keys": self._core.keys(), "reals": list(reals), "body": body}

    def _restore(self, state: Mapping[str, Any]) -> None:
        super()._restore(state)
        self.count = state["count"]


def _span(policy: TimeWindow, scale: Scale) -> tuple[int, float, bool, bool]:
    length = length_of(scale.length(policy.length))
    assert length is not None
    return *length, policy.closed in ("left", "both"), policy.closed in ("right", "both")


class NativeTold(CoreTold):
    """The results of a batch, a window after the other for each event. Each is made when it is asked for."""

    def __init__(self, engine: NativeEngine, keys: Any, ticks: Ticks, answers: list[AnswerColumn], first: int) -> None:
        self._engine = engine
        self._keys = keys
        self._ticks = ticks
        self._answers = answers
        self._first = first
        self._windows = len(engine.bound.spec.policies)
        self._parts = len(engine.row.parts)

    def __len__(self) -> int:
        return len(self._ticks) * self._windows

    def _at(self, place: int) -> Spoken:
        event, window = divmod(place, self._windows)
        ticks = int(self._ticks[event])
        parts = [number_at(self._answers[window * self._parts + part], event) for part in range(self._parts)]
        start = self._engine.start(window, ticks)
        key = None if self._keys is None else plain(self._keys[event])
        return Spoken(key, window, start, ticks, ticks, self._engine.shaped(parts), 0, self._first + event)

    def column(self, name: str) -> npt.NDArray[Any] | None:
        """A column of the results without a loop in Python; None if there is no way without."""
        match name:
            case "ticks" | "end":
                return np.repeat(self._ticks, self._windows)
            case "window":
                return np.tile(np.arange(self._windows), len(self._ticks))
            case "revision":
                return np.zeros(len(self), np.int64)
            case "number":
                return np.repeat(np.arange(self._first, self._first + len(self._ticks)), self._windows)
            case "key" if isinstance(self._keys, np.ndarray):
                return np.repeat(self._keys, self._windows)
            case "value" if not self._engine.row.composite:
                answer = self._engine.row.answers[0]
                return numbers_of(self._answers[answer.position :: self._parts], answer.truth)
        return None
