"""Windows by how far a measure has moved."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, ClassVar

from sash.windows.base import WindowPolicy, policy
from sash.windows.config import PolicyConfig
from sash.windows.described import distance, reader
from sash.windows.scale import Scale

__all__ = ["DeltaWindow"]


@policy
@dataclass(frozen=True, slots=True, init=False, repr=False)
class DeltaWindow(WindowPolicy):
    """The events whose measure is less than `delta` behind the newest: (m - delta, m] of a measure that grows.

    `of` is a column of the rows that are pushed, or a function of the value, such as `float` for the value itself: a
    distance, a mileage, a counter. An event exactly `delta` behind has left. Events leave oldest first and do not come
    back: if the measure falls, the window keeps what it has. An event without a measure stays as long as its elders.
    With `tumbling=True` windows follow one another: an event whose measure is at least `delta` ahead of the first of
    its window begins the next one.

    >>> DeltaWindow("mileage", 10)
    DeltaWindow('mileage', 10)
    >>> DeltaWindow("mileage", 10).describe()
    'the events less than 10 of mileage behind the newest'
    >>> DeltaWindow("mileage", 10, tumbling=True).describe()
    'the events less than 10 of mileage ahead of the first'
    >>> DeltaWindow("mileage", -1)
    Traceback (most recent call last):
    ...
    sash.errors.WindowSpecError: delta must be a finite number above zero, and -1 is not
    """

    by_value: ClassVar[bool] = True
    measures: ClassVar[bool] = True
    positional: ClassVar[tuple[str, ...]] = ("of", "delta")
    defaults: ClassVar[Mapping[str, Any]] = {"tumbling": False}

    of: str | Callable[[Any], Any]
    delta: int | float
    tumbling: bool

    def __init__(self, of: str | Callable[[Any], Any], delta: int | float, *, tumbling: bool = False) -> None:
        object.__setattr__(self, "of", reader("of", of, "that measures an event"))
        object.__setattr__(self, "delta", distance("delta", delta))
        object.__setattr__(self, "tumbling", bool(tumbling))

    def core(self, scale: Scale, output: int = 0) -> PolicyConfig:
        """The policy as the core takes it."""
        return PolicyConfig("tumbling_delta" if self.tumbling else "delta", delta=self.delta)

    @property
    def reads(self) -> str | Callable[[Any], Any]:
        """The measure."""
        return self.of

    def describe(self) -> str:
        """The policy in words, with which ends are in."""
        what = getattr(self.of, "__name__", "the measure") if callable(self.of) else self.of
        where = "ahead of the first" if self.tumbling else "behind the newest"
        return f"the events less than {self.delta} of {what} {where}"
