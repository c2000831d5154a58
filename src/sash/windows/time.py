"""Windows of a length in time."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, ClassVar, Literal

from sash.durations import Duration, parse_duration
from sash.errors import WindowSpecError
from sash.windows.base import WindowPolicy, policy
from sash.windows.config import PolicyConfig, length_of
from sash.windows.scale import Scale

__all__ = ["CLOSED", "Closed", "TimeWindow", "check_closed", "ends_in"]

Closed = Literal["right", "left", "both", "neither"]

#: How each word of `closed` writes the ends of an interval.
CLOSED: dict[str, tuple[str, str]] = {
    "right": ("(", "]"),
    "left": ("[", ")"),
    "both": ("[", "]"),
    "neither": ("(", ")"),
}


def check_closed(closed: Any, words: tuple[str, ...] = tuple(CLOSED)) -> Closed:
    """One of the words; `WindowSpecError` if it is none of them."""
    if closed not in words:
        raise WindowSpecError(f"closed is {', '.join(map(repr, words))}, not {closed!r}")
    return closed  # type: ignore[no-any-return]


def ends_in(closed: Closed) -> tuple[bool, bool]:
    """Whether the start and the end are in.

    >>> ends_in("right")
    (False, True)
    """
    return closed in ("left", "both"), closed in ("right", "both")


@policy
@dataclass(frozen=True, slots=True, init=False, repr=False)
class TimeWindow(WindowPolicy):
    """The events of the last `length`: a window that ends at T holds (T - length, T]: the start is out, the end is in.

    An event exactly `length` old has left. `closed` changes the ends with pandas' words: "right" (the default),
    "left" [T - length, T), "both" [T - length, T], "neither" (T - length, T). With `every`, the trigger fires at
    the multiples of `every` in event time instead of at each event. Lengths are durations, such as "1h", or plain
    numbers for times that are plain numbers.

    >>> TimeWindow("1h", every="1m")
    TimeWindow('1h', every='1m')
    >>> TimeWindow("1h", closed="left").describe()
    'the events in [T - 1h, T)'
    >>> TimeWindow("1m", every="1h")
    Traceback (most recent call last):
    ...
    sash.errors.WindowSpecError: every (1h) must not exceed length (1m): events between two windows would be lost
    """

    positional: ClassVar[tuple[str, ...]] = ("length",)
    defaults: ClassVar[Mapping[str, Any]] = {"every": None, "closed": "right"}

    length: Duration
    every: Duration | None
    closed: Closed

    def __init__(self, length: Any, every: Any = None, closed: Closed = "right") -> None:
        whole, slide = parse_duration(length), None if every is None else parse_duration(every)
        if slide is not None and slide.plain != whole.plain:
            raise WindowSpecError(
                f"length ({whole}) and every ({slide}) must both have a unit of time, or neither: one is a plain number"
            )
        if slide is not None and slide.amount > whole.amount:
            raise WindowSpecError(
                f"every ({slide}) must not exceed length ({whole}): events between two windows would be lost"
            )
        object.__setattr__(self, "length", whole)
        object.__setattr__(self, "every", slide)
        object.__setattr__(self, "closed", check_closed(closed))

    def core(self, scale: Scale, output: int = 0) -> PolicyConfig:
        """The policy as the core takes it."""
        return PolicyConfig("time", length_of(scale.length(self.length)), *ends_in(self.closed))

    @property
    def slide(self) -> tuple[Duration, Any] | None:
        """Its results are `every` apart, if that is given."""
        return None if self.every is None else (self.every, None)

    @property
    def label(self) -> str:
        """The length."""
        return str(self.length)

    @property
    def by_time(self) -> bool:
        """Nothing else is looked at."""
        return True

    @property
    def span(self) -> TimeWindow:
        """Itself."""
        return self

    @property
    def pane_ends(self) -> Closed:
        """Those of the window."""
        return self.closed

    @property
    def reach(self) -> Duration:
        """The length."""
        return self.length

    def serves(self, other: WindowPolicy) -> bool:
        """What a shorter one needs is there."""
        return other.reach is not None and self.length.amount >= other.reach.amount

    def early_start(self, scale: Scale, end: int, by_event: bool) -> int:
        """The length before the end."""
        return scale.back(end, scale.length(self.length))

    def describe(self) -> str:
        """The policy in words, with which ends are in."""
        before, after = CLOSED[self.closed]
        words = f"the events in {before}T - {self.length}, T{after}"
        return words if self.every is None else f"{words}, for T at every {self.every}"
