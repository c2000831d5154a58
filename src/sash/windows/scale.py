"""Arithmetic on encoded times: lengths, distances and the grid of a slide, for one kind of time.

Ticks are Python integers, so that a start before the earliest time that 64 bits hold is still a start. Float times are
subtracted as floats, because the map that orders them keeps no distances.
"""

from __future__ import annotations

import math
from typing import Any

from sash.durations import Duration
from sash.errors import WindowSpecError
from sash.times import FLOAT, Kind, decode, decode_real, encode_as, encode_real

__all__ = ["Grid", "Scale"]

Length = int | float


class Scale:
    """What a tick is worth."""

    __slots__ = ("kind",)

    def __init__(self, kind: Kind) -> None:
        self.kind = kind

    def length(self, duration: Duration) -> Length:
        """A duration in the unit of `back` and `apart`; `WindowSpecError` if it does not fit the kind of time."""
        if self.kind != FLOAT:
            return duration.ticks(self.kind)
        if not duration.plain:
            raise WindowSpecError(
                f"{duration} over times of kind float, which have no unit of time: give a plain number"
            )
        return float(duration.amount)

    def seconds(self) -> float:
        """How long a tick is; TypeError if it has no length. Those of plain numbers are seconds."""
        if self.kind.name in ("int", "float"):
            return 1.0
        if self.kind.step is None:
            raise TypeError(f"times of kind {self.kind} have no length in seconds: use days or finer")
        return self.kind.step * 1e-18

    def back(self, ticks: int, length: Length) -> int:
        """The ticks of the time that lies the length before."""
        if self.kind == FLOAT:
            return encode_real(decode_real(ticks) - length)
        return ticks - int(length)

    def apart(self, older: int, newer: int, length: Length) -> bool:
        """Whether the two times are at least the length apart."""
        if self.kind == FLOAT:
            return decode_real(newer) - decode_real(older) >= length
        return newer - older >= length

    def ticks(self, time: Any) -> int:
        """The ticks of a time that is given as such."""
        return encode_as(self.kind, time)

    def time(self, ticks: int | None) -> Any:
        """The time of the ticks; None if there is no such time, because it lies before the first one."""
        if ticks is None:
            return None
        try:
            return decode(self.kind, ticks)
        except (OverflowError, ValueError):
            return None


class Grid:
    """The multiples of a slide, from an origin on, in both directions."""

    __slots__ = ("every", "origin", "scale")

    def __init__(self, scale: Scale, every: Duration, origin: Any = None) -> None:
        self.scale = scale
        self.every = scale.length(every)
        zero = encode_real(0.0) if scale.kind == FLOAT else 0
        self.origin = zero if origin is None else scale.ticks(origin)

    def first(self, ticks: int) -> int:
        """The least multiple at or after."""
        return self._at(self._index(ticks))

    def after(self, ticks: int) -> int:
        """The least multiple after."""
        index = self._index(ticks)
        found = self._at(index)
        return found if found > ticks else self._at(index + 1)

    def before(self, ticks: int) -> int:
        """The greatest multiple before."""
        return self._at(self._index(ticks) - 1)

    def last(self, ticks: int) -> int:
        """The greatest multiple at or before."""
        index = self._index(ticks)
        found = self._at(index)
        return found if found == ticks else self._at(index - 1)

    def _at(self, index: int) -> int:
        if self.scale.kind == FLOAT:
            return encode_real(decode_real(self.origin) + index * self.every)
        return self.origin + index * int(self.every)

    def _index(self, ticks: int) -> int:
        """Which multiple is the least at or after the ticks."""
        if self.scale.kind != FLOAT:
            return -((self.origin - ticks) // int(self.every))
        distance = (decode_real(ticks) - decode_real(self.origin)) / self.every
        # Beyond 2**52 neighbouring multiples are one float: there is no next one to go to.
        if not abs(distance) < 2.0**52:
            raise ValueError(
                f"the time {decode_real(ticks)} has no place among the multiples of {self.every}: use a longer slide,"
                " or integers"
            )
        index = math.ceil(distance)
        while self._at(index) < ticks:
            index += 1
        while self._at(index - 1) >= ticks:
            index -= 1
        return index
