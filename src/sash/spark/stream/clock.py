"""Spark's watermark and timers, which are milliseconds, and the times of a plan, which are ticks."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Final

from sash.durations import ATTOSECONDS, Duration
from sash.times import INT, Kind, encode

__all__ = ["Clock"]

_MILLISECOND: Final = ATTOSECONDS["ms"]


@dataclass(frozen=True)
class Clock:
    """For one kind of time. Integers count milliseconds here: Spark's watermark knows nothing else.

    >>> clock = Clock(Kind("arrow", "us", "UTC"))
    >>> clock.watermark(5), clock.timer(4_999), clock.timer(5_000)
    (5000, 5, 6)
    """

    kind: Kind

    @property
    def step(self) -> int:
        """The length of a tick in attoseconds."""
        return _MILLISECOND if self.kind == INT or self.kind.step is None else self.kind.step

    def watermark(self, milliseconds: int) -> int | None:
        """The first tick that is not late; None as long as Spark has no watermark."""
        return -(-milliseconds * _MILLISECOND // self.step) if milliseconds > 0 else None

    def timer(self, ticks: int) -> int:
        """The first watermark that is behind the ticks."""
        return ticks * self.step // _MILLISECOND + 1

    def microseconds(self, time: Any) -> int:
        """An Arrow scalar as the microseconds since the epoch that the watermark is made from."""
        ticks = encode(time)[1]
        return ticks * self.step // ATTOSECONDS["us"]

    def delay(self, lateness: Duration) -> str:
        """The lateness in words that Spark reads, rounded up.

        >>> from sash.durations import parse_duration
        >>> Clock(INT).delay(parse_duration(10)), Clock(Kind("arrow", "us")).delay(parse_duration("1m"))
        ('10 milliseconds', '60000 milliseconds')
        """
        length = lateness.ticks(self.kind) * self.step
        return f"{-(-length // _MILLISECOND)} milliseconds"
