"""Windows of a number of events."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, ClassVar

from sash.errors import WindowSpecError
from sash.windows.base import WindowPolicy, policy
from sash.windows.config import PolicyConfig
from sash.windows.described import whole_number
from sash.windows.scale import Scale

__all__ = ["CountWindow"]


@policy
@dataclass(frozen=True, slots=True, init=False, repr=False)
class CountWindow(WindowPolicy):
    """The last `n` events, the newest included: both ends are events, and both are in.

    Events are in the order of their times, and events of equal time in the order in which they came. So a window
    ends at its own event, not at its peers. An event whose value is null takes its place. With `every`, only each
    `every`-th event fires the trigger.

    >>> CountWindow(100, every=10)
    CountWindow(100, every=10)
    >>> CountWindow(100).describe()
    'the last 100 events'
    >>> CountWindow(0)
    Traceback (most recent call last):
    ...
    sash.errors.WindowSpecError: n must be at least 1, and 0 is not
    """

    positional: ClassVar[tuple[str, ...]] = ("n",)
    defaults: ClassVar[Mapping[str, Any]] = {"every": 1}
    closed_by_plan: ClassVar[bool] = True

    n: int
    every: int

    def __init__(self, n: int, every: int = 1) -> None:
        size, slide = whole_number("n", n, 1), whole_number("every", every, 1)
        if slide > size:
            raise WindowSpecError(
                f"every ({slide}) must not exceed n ({size}): events between two windows would be lost"
            )
        object.__setattr__(self, "n", size)
        object.__setattr__(self, "every", slide)

    def core(self, scale: Scale, output: int = 0) -> PolicyConfig:
        """The policy as the core takes it."""
        return PolicyConfig("count", count=self.n)

    @property
    def label(self) -> str:
        """The number."""
        return str(self.n)

    @property
    def in_time(self) -> bool:
        """It counts events."""
        return False

    @property
    def moves_with_late(self) -> bool:
        """What was known at arrival is found by counting what had come."""
        return False

    @property
    def each_row(self) -> bool:
        """Without `every`."""
        return self.every == 1

    @property
    def events(self) -> int:
        """The number."""
        return self.n

    def serves(self, other: WindowPolicy) -> bool:
        """What a window of fewer events needs is there."""
        return other.events is not None and self.n >= other.events

    @property
    def step(self) -> int | None:
        """Its results are `every` events apart, if that is not at each event."""
        return None if self.every == 1 else self.every

    def describe(self) -> str:
        """The policy in words, with which ends are in."""
        words = "the last event" if self.n == 1 else f"the last {self.n} events"
        return words if self.every == 1 else f"{words}, at each {self.every} of them"
