"""Windows that follow one another without overlap."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, ClassVar

from sash.durations import Duration, parse_duration
from sash.errors import WindowSpecError
from sash.windows.base import WindowPolicy, policy
from sash.windows.config import PolicyConfig, length_of
from sash.windows.described import checked_time, whole_number
from sash.windows.scale import Grid, Scale
from sash.windows.time import CLOSED, Closed, check_closed, ends_in

__all__ = ["TumblingWindow"]


@policy
@dataclass(frozen=True, slots=True, init=False, repr=False)
class TumblingWindow(WindowPolicy):
    """Windows one after another, each event in exactly one: of `length` in time, or of `count` events.

    In time they are (k * length, (k + 1) * length], counted from 1970-01-01 UTC or zero, or from `origin`: the start
    is out, the end is in. `closed="left"` makes them [k * length, (k + 1) * length), as on a wall clock. By count they
    are events 1 to n, n + 1 to 2n, and so on, in the order of their times. Each window emits once, when it is over;
    with a trigger at each event it emits what it holds so far.

    >>> TumblingWindow("1h", closed="left")
    TumblingWindow('1h', closed='left')
    >>> TumblingWindow("1h").describe(), TumblingWindow(count=3).describe()
    ('the events in (k * 1h, (k + 1) * 1h]', 'events 1 to 3, 4 to 6, and so on')
    >>> TumblingWindow()
    Traceback (most recent call last):
    ...
    sash.errors.WindowSpecError: a tumbling window has a length in time or a count of events: give one of the two
    """

    positional: ClassVar[tuple[str, ...]] = ("length",)
    defaults: ClassVar[Mapping[str, Any]] = {"length": None, "count": None, "closed": "right", "origin": None}

    length: Duration | None
    count: int | None
    closed: Closed
    origin: Any

    def __init__(
        self, length: Any = None, *, count: int | None = None, closed: Closed = "right", origin: Any = None
    ) -> None:
        if (length is None) == (count is None):
            raise WindowSpecError("a tumbling window has a length in time or a count of events: give one of the two")
        if count is not None and (closed != "right" or origin is not None):
            raise WindowSpecError("closed and origin are of windows in time: leave them out beside a count")
        object.__setattr__(self, "length", None if length is None else parse_duration(length))
        object.__setattr__(self, "count", None if count is None else whole_number("count", count, 1))
        object.__setattr__(self, "closed", check_closed(closed, ("right", "left")))
        object.__setattr__(self, "origin", checked_time("origin", origin))

    def core(self, scale: Scale, output: int = 0) -> PolicyConfig:
        """The policy as the core takes it."""
        if self.count is not None:
            return PolicyConfig("tumbling_count", count=self.count)
        grid = self._grid(scale)
        return PolicyConfig("tumbling", length_of(grid.every), *ends_in(self.closed), grid.origin)

    def _grid(self, scale: Scale) -> Grid:
        assert self.length is not None
        return Grid(scale, self.length, self.origin)

    @property
    def slide(self) -> tuple[Duration, Any] | None:
        """A window in time has its result when it is over."""
        return None if self.length is None else (self.length, self.origin)

    @property
    def step(self) -> int | None:
        """So has a window of a number of events."""
        return self.count

    @property
    def by_time(self) -> bool:
        """A late event shifts blocks of a number of events."""
        return self.count is None

    @property
    def pane_ends(self) -> Closed | None:
        """Those of blocks in time."""
        return None if self.length is None else self.closed

    @property
    def reach(self) -> Duration | None:
        """The length, if it has one."""
        return self.length

    def early_start(self, scale: Scale, end: int, by_event: bool) -> int:
        """Where the block begins."""
        if self.length is None:
            return WindowPolicy.early_start(self, scale, end, by_event)
        grid = self._grid(scale)
        return grid.last(end) if by_event and self.closed == "left" else grid.before(end)

    def describe(self) -> str:
        """The policy in words, with which ends are in."""
        if self.count is not None:
            return f"events 1 to {self.count}, {self.count + 1} to {2 * self.count}, and so on"
        before, after = CLOSED[self.closed]
        since = "" if self.origin is None else f" since {self.origin}"
        return f"the events in {before}k * {self.length}, (k + 1) * {self.length}{after}{since}"
