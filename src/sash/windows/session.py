"""Windows of activity."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, ClassVar

from sash.durations import Duration, parse_duration
from sash.windows.base import WindowPolicy, policy

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

    gap: Duration

    def __init__(self, gap: Any) -> None:
        object.__setattr__(self, "gap", parse_duration(gap))

    def describe(self) -> str:
        """The policy in words, with which ends are in."""
        return f"the session so far: [first event, T], with less than {self.gap} between neighbours"
