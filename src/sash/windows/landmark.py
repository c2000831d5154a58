"""Windows that only grow."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, ClassVar

from sash.times import bound
from sash.windows.base import WindowPolicy, policy
from sash.windows.config import PolicyConfig
from sash.windows.described import checked_time
from sash.windows.scale import Scale

__all__ = ["LandmarkWindow"]


@policy
@dataclass(frozen=True, slots=True, init=False, repr=False)
class LandmarkWindow(WindowPolicy):
    """Everything from the landmark on: [since, T], both ends in. Without `since`, from the first event of the key.

    Nothing ever leaves, so the state grows with the stream.

    >>> LandmarkWindow(since=0)
    LandmarkWindow(since=0)
    >>> LandmarkWindow().describe()
    'the events in [first event, T]'
    """

    defaults: ClassVar[Mapping[str, Any]] = {"since": None}

    since: Any

    def __init__(self, since: Any = None) -> None:
        object.__setattr__(self, "since", checked_time("since", since))

    def core(self, scale: Scale, output: int = 0) -> PolicyConfig:
        """The policy as the core takes it."""
        return PolicyConfig("landmark", since=None if self.since is None else bound(scale.kind, self.since, up=True))

    @property
    def by_time(self) -> bool:
        """Nothing else is looked at."""
        return True

    def serves(self, other: WindowPolicy) -> bool:
        """Without `since` everything is there."""
        return self.since is None or self == other

    def describe(self) -> str:
        """The policy in words, with which ends are in."""
        return f"the events in [{'first event' if self.since is None else self.since}, T]"
