"""Windows by a function over their own aggregate: the slide policy of the Monoid Tree paper."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, ClassVar

from sash.aggregations.base import Aggregation
from sash.errors import WindowSpecError
from sash.windows.base import WindowPolicy, policy
from sash.windows.config import PolicyConfig
from sash.windows.scale import Scale

__all__ = ["PolicyWindow"]


@policy
@dataclass(frozen=True, slots=True, init=False, repr=False)
class PolicyWindow(WindowPolicy):
    """The newest events, for as long as a function of yours keeps them. The newest event is in, unless it leaves too.

    After each event, the longest run of oldest events leaves for which `evict_when(total, prefix)` is true. It gets
    the results of the whole window and of that run. It must be monotone: where it is false for a run, it is false for
    every longer one. Nothing but the two results may decide. These are of the operator's aggregation, or of another
    one, `over`, that aggregates the same values beside it. What has left does not come back.

    Cost an event: O(log k) calls for k events that leave, each after a query of O(log n) combines.

    >>> last_hour = PolicyWindow(lambda newest, old: newest - old >= 3_600_000)
    >>> last_hour.describe()
    'the newest events, until <lambda>(total, prefix) of their results lets the oldest go'
    >>> last_hour.to_dict()  # doctest: +ELLIPSIS
    Traceback (most recent call last):
    ...
    sash.errors.WindowSpecError: evict_when=<function <lambda> at ...> of PolicyWindow is a function, ...
    """

    by_value: ClassVar[bool] = True
    positional: ClassVar[tuple[str, ...]] = ("evict_when",)
    defaults: ClassVar[Mapping[str, Any]] = {"over": None}

    evict_when: Callable[[Any, Any], Any]
    over: Aggregation | None

    def __init__(self, evict_when: Callable[[Any, Any], Any], over: Aggregation | None = None) -> None:
        if not callable(evict_when):
            raise WindowSpecError(
                f"evict_when is a function of (total, prefix), not {type(evict_when).__name__} ({evict_when!r:.60})"
            )
        if over is not None and not isinstance(over, Aggregation):
            raise WindowSpecError(f"over is an aggregation, such as sash.Sum(), not {over!r:.60}")
        object.__setattr__(self, "evict_when", evict_when)
        object.__setattr__(self, "over", over)

    def core(self, scale: Scale, output: int = 0) -> PolicyConfig:
        """The policy as the core takes it."""
        return PolicyConfig("programmable", evict_when=self.evict_when, output=output)

    @property
    def looks_at(self) -> Aggregation | None:
        """The one that is given beside the function."""
        return self.over

    @property
    def columns(self) -> tuple[str, ...]:
        """Those of the aggregation that it looks at."""
        return () if self.over is None else self.over.columns

    def describe(self) -> str:
        """The policy in words, with which ends are in."""
        name = getattr(self.evict_when, "__name__", "a function")
        results = "their results" if self.over is None else f"{self.over!r}"
        return f"the newest events, until {name}(total, prefix) of {results} lets the oldest go"
