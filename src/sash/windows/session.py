"""Windows of activity."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, ClassVar

from sash.durations import Duration, parse_duration
from sash.windows.base import WindowPolicy, policy
from sash.windows.config import PolicyConfig, length_of
from sash.windows.scale import Scale

__all__ = ["SessionWindow"]


@policy
@dataclass(frozen=True, slots=True, init=False, repr=False)
class SessionWindow(WindowPolicy):
    """The session so far: events that follow one another by less than `gap`. First and last event are in.

    An event exactly `gap` after the one before it begins a new session. A late event between two sessions may join
    them.

    >>> SessionWindow("30m")
    SessionWindow('30m')
    >>> SessionWindow("30m").describe()
    'the session so far: [first event, T], with less than 30m between neighbours'
    """

    positional: ClassVar[tuple[str, ...]] = ("gap",)
    closes: ClassVar[bool] = True

    gap: Duration

    def __init__(self, gap: Any) -> None:
        object.__setattr__(self, "gap", parse_duration(gap))

    def core(self, scale: Scale, output: int = 0) -> PolicyConfig:
        """The policy as the core takes it."""
        return PolicyConfig("session", length_of(scale.length(self.gap)))

    @property
    def by_time(self) -> bool:
        """Gaps lie between times."""
        return True

    @property
    def moves_with_late(self) -> bool:
        """A late event may join two sessions."""
        return True

    def serves(self, other: WindowPolicy) -> bool:
        """What a session with a shorter gap needs is there."""
        return isinstance(other, SessionWindow) and self.gap.amount >= other.gap.amount

    def describe(self) -> str:
        """The policy in words, with which ends are in."""
        return f"the session so far: [first event, T], with less than {self.gap} between neighbours"
