"""Lengths of time, exact: "10m", timedelta, timedelta64, or a plain number for windows over plain numbers."""

from __future__ import annotations

import datetime as dt
import math
import re
from dataclasses import dataclass
from fractions import Fraction
from functools import lru_cache
from typing import TYPE_CHECKING, Any, Final, Literal, TypeVar

import numpy as np

from sash.errors import WindowSpecError
from sash.suggestions import nearest

if TYPE_CHECKING:
    from sash.kinds import Kind

__all__ = ["ATTOSECONDS", "Duration", "Lateness", "parse_duration", "parse_lateness"]

#: NumPy's units of fixed length, in the finest of them.
ATTOSECONDS: Final = {
    "as": 1,
    "fs": 10**3,
    "ps": 10**6,
    "ns": 10**9,
    "us": 10**12,
    "ms": 10**15,
    "s": 10**18,
    "m": 60 * 10**18,
    "h": 3_600 * 10**18,
    "D": 86_400 * 10**18,
    "W": 604_800 * 10**18,
}

#: The units of a written duration, in nanoseconds, the longest first.
_NANOSECONDS: Final = {
    "w": 604_800 * 10**9,
    "d": 86_400 * 10**9,
    "h": 3_600 * 10**9,
    "m": 60 * 10**9,
    "s": 10**9,
    "ms": 10**6,
    "us": 10**3,
    "ns": 1,
}
#: What pandas, polars and people also write. Case tells minutes from months, so it counts in what stands alone.
_ALIASES: Final = {
    **dict.fromkeys(("W", "wk", "week", "weeks"), "w"),
    **dict.fromkeys(("D", "day", "days"), "d"),
    **dict.fromkeys(("H", "hr", "hrs", "hour", "hours"), "h"),
    **dict.fromkeys(("T", "min", "mins", "minute", "minutes"), "m"),
    **dict.fromkeys(("S", "sec", "secs", "second", "seconds"), "s"),
    **dict.fromkeys(("L", "milli", "millis", "millisecond", "milliseconds"), "ms"),
    **dict.fromkeys(("U", "µs", "μs", "micro", "micros", "microsecond", "microseconds"), "us"),
    **dict.fromkeys(("N", "nano", "nanos", "nanosecond", "nanoseconds"), "ns"),
}
#: What has no length that is always the same.
_CALENDAR: Final = ("M", "MS", "ME", "mo", "month", "months", "Q", "q", "quarter", "Y", "y", "year", "years")
_PART: Final = re.compile(r"\s*(\d+(?:\.\d+)?)\s*([a-zA-Zµμ]+)", re.ASCII)
_LONGEST: Final = 2**63 - 1
_ZERO: Final = re.compile(r"\s*0+(\.0*)?\s*[a-zA-Zµμ]*\s*")

Amount = TypeVar("Amount", int, float)


@dataclass(frozen=True, slots=True)
class Duration:
    """A positive length: `amount` nanoseconds, or that many of whatever the times count if it is `plain`.

    >>> Duration(600 * 10**9)
    Duration('10m')
    >>> Duration(5, plain=True)
    Duration(5)
    """

    amount: int | float
    plain: bool = False

    def ticks(self, kind: Kind) -> int:
        """How many ticks of the kind it is, exactly; `WindowSpecError` if it is not a whole number of them.

        >>> from sash.kinds import Kind
        >>> parse_duration("10m").ticks(Kind("datetime"))
        600000000
        """
        if self.plain:
            return self._plain_ticks(kind)
        if kind.step is None:
            raise WindowSpecError(f"{self} over times of kind {kind}, which have no unit of time: give a plain number")
        whole, rest = divmod(int(self.amount) * ATTOSECONDS["ns"], kind.step)
        if rest:
            raise WindowSpecError(
                f"{self} is not a whole number of steps of {kind}: use finer times, or another length"
            )
        return whole

    def _plain_ticks(self, kind: Kind) -> int:
        if kind.step is not None:
            raise WindowSpecError(
                f"{self.amount} over times of kind {kind} has no unit: write it as '{self.amount}s', or the like"
            )
        if isinstance(self.amount, float) and not self.amount.is_integer():
            raise WindowSpecError(
                f"{self.amount} is not a whole number of steps of {kind}: use float times, or another length"
            )
        return int(self.amount)

    def __str__(self) -> str:
        if self.plain:
            return str(self.amount)
        unit = next(unit for unit, size in _NANOSECONDS.items() if self.amount % size == 0)
        return f"{self.amount // _NANOSECONDS[unit]}{unit}"

    def __repr__(self) -> str:
        return f"Duration({self.amount})" if self.plain else f"Duration({str(self)!r})"


def parse_duration(value: Any, calendar: str = "") -> Duration:
    """The exact length that `value` means; `WindowSpecError` if it means none. It names the units of the `calendar`
    too, if the caller takes them.

    Takes text made of numbers and units (w d h m s ms us ns, or as words: "1 hour"), `timedelta`, `numpy.timedelta64`,
    `pandas.Timedelta`, and plain numbers for windows over plain numbers. A length is longer than zero, and nothing is
    rounded.

    >>> parse_duration("1h30m"), parse_duration("0.5s"), parse_duration(dt.timedelta(days=7)), parse_duration(10)
    (Duration('90m'), Duration('500ms'), Duration('1w'), Duration(10))
    >>> parse_duration("10 furlongs")
    Traceback (most recent call last):
    ...
    sash.errors.WindowSpecError: unknown unit 'furlongs' in the duration '10 furlongs': the units are w d h m s ms us ns
    """
    value = _as_timedelta(value)
    if isinstance(value, Duration):
        return value
    if isinstance(value, str):
        return _nanoseconds(_parse_text(value, calendar), value)
    # A timedelta64 is an integer to NumPy, so it is asked for before numbers are.
    if isinstance(value, np.timedelta64):
        return _nanoseconds(_from_timedelta64(value), value)
    if isinstance(value, dt.timedelta):
        return _nanoseconds(Fraction(value // dt.timedelta(microseconds=1) * 1_000), value)
    if isinstance(value, (int, float, np.integer, np.floating)) and not isinstance(value, bool):
        return _plain(value.item() if isinstance(value, np.generic) else value)
    raise WindowSpecError(
        f"{value!r} is no duration: write '10m' or '1h30m', or pass a timedelta, a timedelta64, or a number for plain"
        " times"
    )


#: How late an event may come: None for no bound, 0 for nothing late, which is so over every kind of times.
Lateness = Duration | Literal[0] | None


def parse_lateness(value: Any) -> Lateness:
    """The lateness that `value` means: a duration, zero of whatever unit, or None.

    >>> parse_lateness("10m"), parse_lateness("0s"), parse_lateness(dt.timedelta(0)), parse_lateness(None)
    (Duration('10m'), 0, 0, None)
    """
    if value is None:
        return None
    zero = _ZERO.fullmatch(value) if isinstance(value, str) else not isinstance(value, bool) and not value
    return 0 if zero else parse_duration(value)


def _as_timedelta(value: Any) -> Any:
    """A Timedelta or a fixed offset of pandas, or a scalar of Arrow, as what it is made of; anything else as it is."""
    if hasattr(value, "as_py"):
        value = value.as_py()
    if hasattr(value, "to_timedelta64"):
        # A Timedelta is a timedelta too, without its nanoseconds.
        return value.to_timedelta64()
    if not isinstance(value, np.generic) and hasattr(type(value), "nanos"):
        try:
            return np.timedelta64(value.nanos, "ns")
        except ValueError:
            raise WindowSpecError(f"{value!r} has no fixed length: use days or a finer unit") from None
    return value


@lru_cache(maxsize=256)
def _parse_text(text: str, calendar: str) -> Fraction:
    total = Fraction(0)
    position = 0
    while position < len(text.rstrip()):
        part = _PART.match(text, position)
        if part is None:
            raise WindowSpecError(
                f"{text!r} is no duration: write numbers with units, such as '10m', '250ms' or '1h30m'"
            )
        total += Fraction(part[1]) * _NANOSECONDS[_unit(part[2], text, calendar)]
        position = part.end()
    return total


def _unit(written: str, text: str, calendar: str) -> str:
    unit = _ALIASES.get(written, written)
    if unit in _NANOSECONDS:
        return unit
    if written in _CALENDAR:
        way_out = f"use days, or minutes as 'm'{calendar and f', or alone {calendar}'}"
        raise WindowSpecError(f"{written!r} in the duration {text!r} has no fixed length: {way_out}")
    if written == "i":
        raise WindowSpecError(f"{text!r} is a number of rows in polars: write the number alone")
    near = nearest(written, [*_NANOSECONDS, *_ALIASES]) if len(written) > 2 else None
    hint = "" if near is None else f"did you mean {near!r}? "
    units = f"{' '.join(_NANOSECONDS)}{calendar and f', and alone {calendar}'}"
    raise WindowSpecError(f"unknown unit {written!r} in the duration {text!r}: {hint}the units are {units}")


def _from_timedelta64(value: np.timedelta64) -> Fraction:
    if np.isnat(value):
        raise WindowSpecError("NaT is no duration: give a length longer than zero")
    unit, count = np.datetime_data(value.dtype)
    if unit not in ATTOSECONDS:
        raise WindowSpecError(f"{value!r} has no fixed length: use weeks, days or a finer unit")
    return Fraction(int(value.astype(np.int64)) * count * ATTOSECONDS[unit], ATTOSECONDS["ns"])


def _nanoseconds(length: Fraction, value: Any) -> Duration:
    if length.denominator != 1:
        raise WindowSpecError(f"{value!r} is finer than a nanosecond: give a whole number of nanoseconds")
    return Duration(_checked(length.numerator, value))


def _plain(value: int | float) -> Duration:
    if isinstance(value, float) and not math.isfinite(value):
        raise WindowSpecError(f"{value!r} is no duration: give a finite length longer than zero")
    return Duration(_checked(value, value), plain=True)


def _checked(length: Amount, value: Any) -> Amount:
    if length <= 0:
        raise WindowSpecError(f"a duration must be longer than zero, and {value!r} is not")
    if length > _LONGEST:
        raise WindowSpecError(
            f"{value!r} is longer than 64 bits can count (292 years of nanoseconds): use a shorter one"
        )
    return length
