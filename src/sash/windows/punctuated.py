"""Windows that the stream itself closes."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, ClassVar

from sash.windows.base import WindowPolicy, policy
from sash.windows.config import PolicyConfig
from sash.windows.described import reader
from sash.windows.scale import Scale

__all__ = ["PunctuatedWindow"]


@policy
@dataclass(frozen=True, slots=True, init=False, repr=False)
class PunctuatedWindow(WindowPolicy):
    """The events since the last punctuation: that one is out, and the event that closes the window is in.

    `predicate` is a function that says of a value whether it is a punctuation, or a column that is true where it is
    one. The event after a punctuation begins the next window.

    >>> PunctuatedWindow("last_of_trip")
    PunctuatedWindow('last_of_trip')
    >>> PunctuatedWindow("last_of_trip").describe()
    'the events after the last punctuation (last_of_trip), up to and with the next'
    """

    by_value: ClassVar[bool] = True
    positional: ClassVar[tuple[str, ...]] = ("predicate",)

    predicate: str | Callable[[Any], Any]

    def __init__(self, predicate: str | Callable[[Any], Any]) -> None:
        object.__setattr__(self, "predicate", reader("predicate", predicate, "that says what closes a window"))

    def core(self, scale: Scale, output: int = 0) -> PolicyConfig:
        """The policy as the core takes it."""
        return PolicyConfig("punctuated")

    @property
    def reads(self) -> str | Callable[[Any], Any]:
        """What says whether an event is a punctuation."""
        return self.predicate

    def describe(self) -> str:
        """The policy in words, with which ends are in."""
        name = getattr(self.predicate, "__name__", "a function") if callable(self.predicate) else self.predicate
        return f"the events after the last punctuation ({name}), up to and with the next"
