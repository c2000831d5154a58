"""The ends of sliding windows: for each key the multiples of the slide at which its windows hold an event."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, TypeAlias

import numpy as np
import numpy.typing as npt

from sash._batch import Order
from sash.durations import Duration
from sash.errors import WindowSpecError
from sash.times import FLOAT, Kind, decode_array, encode_array
from sash.windows import TimeWindow
from sash.windows.time import ends_in

__all__ = ["Ends", "ends_of"]

Ticks: TypeAlias = npt.NDArray[np.int64]
Marks: TypeAlias = npt.NDArray[np.bool_]
#: Beyond it neighbouring multiples of a float are one.
_FARTHEST = 2.0**52


@dataclass(frozen=True)
class Ends:
    """The ends, key by key in the order of the codes, then in the order of time."""

    codes: npt.NDArray[np.uint32]
    ticks: Ticks

    def only(self, wanted: Marks) -> Ends:
        """Some of them."""
        return Ends(self.codes[wanted], self.ticks[wanted])


def ends_of(order: Order, kind: Kind, windows: Sequence[TimeWindow]) -> Ends:
    """Where a window of any key ends with an event in it. Cost: O(events + ends).

    >>> from sash.times import INT
    >>> events = Order(2, np.array([3, 31]), None, 1)
    >>> ends_of(events, INT, [TimeWindow(20, every=10)]).ticks.tolist()
    [10, 20, 40, 50]
    """
    times, groups = order.times(), order.groups()
    grid = _Reals(kind, windows) if kind == FLOAT else _Ticks(kind, windows)
    read = decode_array(FLOAT, times) if kind == FLOAT else times
    low, high = grid.reach(read)
    codes = np.repeat(np.arange(len(groups) - 1, dtype=np.uint32), np.diff(groups))
    counts, starts = _new(low, high, codes)
    ends = np.repeat(starts - (np.cumsum(counts) - counts), counts) + np.arange(counts.sum())
    return Ends(np.repeat(codes, counts), grid.ticks(ends))


def _new(low: Ticks, high: Ticks, codes: npt.NDArray[np.uint32]) -> tuple[Ticks, Ticks]:
    """How many ends each event adds to those of the events before it, and the first of these."""
    starts = low.copy()
    if len(low):
        # Both ends of the reach ascend with the times, so the one event before says it all.
        same = codes[1:] == codes[:-1]
        starts[1:] = np.where(same, np.maximum(low[1:], high[:-1] + 1), low[1:])
    return np.maximum(high - starts + 1, 0), starts


class _Ticks:
    """Multiples of a whole number of ticks."""

    def __init__(self, kind: Kind, windows: Sequence[TimeWindow]) -> None:
        assert windows[0].every is not None
        self._every = windows[0].every.ticks(kind)
        self._spans = [(window.length.ticks(kind), *ends_in(window.closed)) for window in windows]

    def reach(self, times: Ticks) -> tuple[Ticks, Ticks]:
        """The first and the last multiple, by number, whose windows hold an event at the time."""
        _refuse_far(times, max(length for length, _, _ in self._spans), self._every)
        lows, highs = zip(*(self._span(times, *span) for span in self._spans), strict=True)
        return np.minimum.reduce(lows), np.maximum.reduce(highs)

    def _span(self, times: Ticks, length: int, start_in: bool, end_in: bool) -> tuple[Ticks, Ticks]:
        # The end is at the time or behind it, or behind it only; less than the length behind, or just the length.
        low = -(-(times if end_in else times + 1) // self._every)
        high = (times + length if start_in else times + length - 1) // self._every
        return low, high

    def ticks(self, numbers: Ticks) -> Ticks:
        """The multiples of these numbers."""
        return numbers * self._every


class _Reals:
    """Multiples of a float: found by division, settled by the very comparison that the windows make."""

    def __init__(self, kind: Kind, windows: Sequence[TimeWindow]) -> None:
        assert windows[0].every is not None
        self._every = _real(windows[0].every)
        self._spans = [(_real(window.length), *ends_in(window.closed)) for window in windows]

    def reach(self, times: Any) -> tuple[Ticks, Ticks]:
        """The first and the last multiple, by number, whose windows hold an event at the time."""
        far = ~(np.abs(times / self._every) < _FARTHEST)
        if far.any():
            raise ValueError(
                f"the time {times[far.argmax()]} has no place among the multiples of {self._every}:"
                " use a longer slide, or integers"
            )
        lows, highs = zip(*(self._span(times, *span) for span in self._spans), strict=True)
        return np.minimum.reduce(lows), np.maximum.reduce(highs)

    def _span(self, times: Any, length: float, start_in: bool, end_in: bool) -> tuple[Ticks, Ticks]:
        def ended(numbers: Ticks) -> Marks:
            ends = numbers * self._every
            return ends >= times if end_in else ends > times  # type: ignore[no-any-return]

        def begun(numbers: Ticks) -> Marks:
            starts = numbers * self._every - length
            return times >= starts if start_in else times > starts  # type: ignore[no-any-return]

        low = _settled(np.ceil(times / self._every).astype(np.int64), ended, 1)
        high = _settled(np.floor((times + length) / self._every).astype(np.int64), begun, -1)
        return low, high

    def ticks(self, numbers: Ticks) -> Ticks:
        """The multiples of these numbers, encoded."""
        return encode_array(numbers * self._every)[1]


def _settled(guess: Ticks, holds: Callable[[Ticks], Marks], step: int) -> Ticks:
    """The outermost number for which it holds, from a guess that is off by few: inwards goes by the step."""
    while not (held := holds(guess)).all():
        guess = np.where(held, guess, guess + step)
    while (further := holds(guess - step)).any():
        guess = np.where(further, guess - step, guess)
    return guess


def _real(length: Duration) -> float:
    if not length.plain:
        raise WindowSpecError(f"{length} over times of kind float, which have no unit of time: give a plain number")
    return float(length.amount)


def _refuse_far(times: Ticks, length: int, every: int) -> None:
    """A window must end at a time that there is."""
    if len(times) and int(times.max()) > 2**63 - 1 - length - every:
        raise OverflowError(f"the window of the latest time ends beyond 64 bits: use times below {2**63 - length}")
