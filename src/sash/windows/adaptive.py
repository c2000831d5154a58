"""Windows that drop old events when the mean of the stream has changed."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, ClassVar

from sash.errors import WindowSpecError
from sash.windows.base import WindowPolicy, policy
from sash.windows.config import PolicyConfig
from sash.windows.described import reader
from sash.windows.scale import Scale

__all__ = ["AdaptiveWindow"]


@policy
@dataclass(frozen=True, slots=True, init=False, repr=False)
class AdaptiveWindow(WindowPolicy):
    """The newest events among which the mean has not changed (ADWIN). The newest event is always in.

    After each event the window is cut in two at O(log n) places. Where the means of the older and the newer part
    differ by more than chance allows, the older part leaves in bulk. `delta` is the chance of a false alarm: the
    smaller, the longer the window. The measure is the value itself, or what `of` reads from it, a column or a
    function; it should lie within a range of about 1. Events without a measure count for nothing.

    Cost an event: O(log n) range queries, each of O(log n) combines.

    >>> AdaptiveWindow(delta=0.01)
    AdaptiveWindow(delta=0.01)
    >>> AdaptiveWindow().describe()
    'the newest events whose mean has not changed (delta 0.002)'
    >>> AdaptiveWindow(delta=1)
    Traceback (most recent call last):
    ...
    sash.errors.WindowSpecError: delta is a probability between 0 and 1, both out, and 1 is not
    """

    by_value: ClassVar[bool] = True
    measures: ClassVar[bool] = True
    defaults: ClassVar[Mapping[str, Any]] = {"delta": 0.002, "of": None}

    delta: float
    of: str | Callable[[Any], Any] | None

    def __init__(self, delta: float = 0.002, of: str | Callable[[Any], Any] | None = None) -> None:
        if isinstance(delta, bool) or not isinstance(delta, (int, float)) or not 0 < delta < 1:
            raise WindowSpecError(f"delta is a probability between 0 and 1, both out, and {delta!r:.60} is not")
        object.__setattr__(self, "delta", float(delta))
        object.__setattr__(self, "of", None if of is None else reader("of", of, "that measures an event"))

    def core(self, scale: Scale, output: int = 0) -> PolicyConfig:
        """The policy as the core takes it."""
        return PolicyConfig("adaptive", delta=self.delta)

    @property
    def reads(self) -> str | Callable[[Any], Any] | None:
        """The measure; None where it is the value itself."""
        return self.of

    def measuring(self, columns: tuple[str, ...]) -> AdaptiveWindow:
        """Without `of`, the mean is that of the column."""
        return AdaptiveWindow(self.delta, columns[0]) if self.of is None else self

    def describe(self) -> str:
        """The policy in words, with which ends are in."""
        return f"the newest events whose mean has not changed (delta {self.delta})"
