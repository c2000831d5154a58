"""Windows of months, quarters and years, as the calendar of their zone has them."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, ClassVar, Final, NoReturn

import numpy as np
import numpy.typing as npt

from sash.errors import WindowSpecError
from sash.kinds import Kind
from sash.windows.base import WindowPolicy, policy
from sash.windows.scale import Scale
from sash.windows.time import CLOSED, Closed, check_closed
from sash.windows.zones import at_clock, clock_of

__all__ = ["CALENDAR_UNITS", "CalendarWindow", "is_calendar"]

Ticks = npt.NDArray[np.int64]

_MONTHS: Final = {"mo": 1, "q": 3, "y": 12}
#: Its units, as an error lists them.
CALENDAR_UNITS: Final = " ".join(_MONTHS)
_WRITTEN: Final = re.compile(r"\s*([1-9]\d{0,4})\s*(mo|q|y)\s*", re.ASCII)


def is_calendar(value: Any) -> bool:
    """Whether it is a length that the calendar has: "1mo", "2q", "1y".

    >>> is_calendar("1mo"), is_calendar("1m")
    (True, False)
    """
    return isinstance(value, str) and _WRITTEN.fullmatch(value) is not None


@policy
@dataclass(frozen=True, slots=True, init=False, repr=False)
class CalendarWindow(WindowPolicy):
    """The events since the same day and clock time so many months before: "1mo", "1q" (3 months) or "1y". For frames.

    The day of a month that is too short is its last. Times with a zone go by its clock, so a month is an hour shorter
    or longer where the clock changes; of a clock time that comes twice the first counts, and one that is left out is
    as far behind the change as if there was none. `closed` as in `TimeWindow`. Cost: that of a `TimeWindow` for each
    length that occurs: four for months without a zone.

    >>> import numpy as np
    >>> import sash
    >>> days = np.array(["2024-02-28", "2024-02-29", "2024-03-28", "2024-03-31"], "datetime64[D]")
    >>> sash.rolling({"t": days}, on="t", window="1mo", n=sash.Count())["n"]
    array([1, 2, 2, 2])
    """

    positional: ClassVar[tuple[str, ...]] = ("length",)
    defaults: ClassVar[Mapping[str, Any]] = {"closed": "right"}
    for_streams: ClassVar[bool] = False

    length: str
    closed: Closed

    def __init__(self, length: str, closed: Closed = "right") -> None:
        if not is_calendar(length):
            raise WindowSpecError(f"{length!r} is no length of the calendar: write '1mo', '1q' or '1y'")
        object.__setattr__(self, "length", "".join(length.split()))
        object.__setattr__(self, "closed", check_closed(closed))

    @property
    def months(self) -> int:
        """How many months it is.

        >>> CalendarWindow("2q").months
        6
        """
        found = _WRITTEN.fullmatch(self.length)
        assert found is not None
        return int(found[1]) * _MONTHS[found[2]]

    @property
    def label(self) -> str:
        """The length."""
        return self.length

    @property
    def by_time(self) -> bool:
        """Nothing else is looked at."""
        return True

    def core(self, scale: Scale, output: int = 0) -> NoReturn:
        """Not in the core: its length differs from one time to the next."""
        raise WindowSpecError(
            f"{self!r} is run by sash.rolling over frames alone: use a length such as '30d' in a stream, on Spark, and"
            " where rows are read in parts"
        )

    def lengths(self, kind: Kind, ticks: Ticks) -> Ticks:
        """How long the window is that ends at each of the times, in ticks; `WindowSpecError` if they are no dates.

        >>> CalendarWindow("1mo").lengths(Kind("date"), np.array([31, 59]))
        array([31, 28])
        """
        unit = kind.unit or {"date": "D", "datetime": "us"}.get(kind.name, "")
        if kind.step is None:
            raise WindowSpecError(f"{self!r} over times of kind {kind}, which have no calendar: use dates or instants")
        if kind.zone is None:
            return ticks - _months_before(ticks, unit, self.months)
        return ticks - at_clock(kind, _months_before(clock_of(kind, ticks), unit, self.months))

    def describe(self) -> str:
        """The policy in words, with which ends are in."""
        before, after = CLOSED[self.closed]
        return f"the events in {before}T - {self.length}, T{after} by the calendar"


def _months_before(ticks: Ticks, unit: str, months: int) -> Ticks:
    """The same day and time of so many months before; the last day of a month that is too short."""
    stamps = ticks.view(f"datetime64[{unit}]")
    days, own = stamps.astype("datetime64[D]"), stamps.astype("datetime64[M]")
    target = own - months
    length = ((target + 1).astype("datetime64[D]") - target.astype("datetime64[D]")).astype(np.int64)
    day = np.minimum((days - own.astype("datetime64[D]")).astype(np.int64), length - 1)
    moved = (target.astype("datetime64[D]") + day).astype(stamps.dtype) + (stamps - days.astype(stamps.dtype))
    return np.ascontiguousarray(moved).view(np.int64)
