"""What an operator was asked to do: all of it, checked, in one frozen object."""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import partial
from typing import Any, Literal

from sash.aggregations import Count, Mean, Var
from sash.aggregations.base import Aggregation
from sash.algorithms import ALGORITHMS
from sash.durations import Duration, parse_duration
from sash.errors import AggregationError, WindowSpecError
from sash.operator.axes import Axis, PlaceAxis, TickAxis, Track
from sash.operator.paths import AdaptiveView, DeltaView, PolicyView, PunctuatedView, SessionView, Stepping, measured
from sash.operator.scale import Length, Scale
from sash.operator.views import CountView, LandmarkView, TimeView, TumblingCountView, TumblingTimeView, View
from sash.triggers import Trigger
from sash.windows import (
    AdaptiveWindow,
    CountWindow,
    DeltaWindow,
    LandmarkWindow,
    PolicyWindow,
    PunctuatedWindow,
    SessionWindow,
    TimeWindow,
    TumblingWindow,
    WindowPolicy,
)

__all__ = ["Bound", "Emit", "Spec"]

Emit = Literal["arrival", "final", "update"]

_ZERO = re.compile(r"\s*0+(\.0*)?\s*[a-zA-Zµμ]*\s*")


@dataclass(frozen=True, slots=True)
class Spec:
    """The configuration of an operator."""

    aggregation: Aggregation
    policies: tuple[WindowPolicy, ...]
    trigger: Trigger
    keyed: bool = False
    emit: Emit = "arrival"
    #: None: no bound. 0: nothing may be late.
    lateness: Duration | Literal[0] | None = None
    expire: Duration | None = None
    changes_only: bool = False
    min_periods: int = 0
    algorithm: str = "fiba"

    def bind(self, scale: Scale) -> Bound:
        """The same for one kind of time; `WindowSpecError` if a length has no meaning in it."""
        return Bound(self, scale)


class Bound:
    """A configuration over one kind of time: its lengths in ticks, its policies as views."""

    __slots__ = ("aligned", "expire", "lateness", "scale", "spec", "tracks", "views")

    def __init__(self, spec: Spec, scale: Scale) -> None:
        self.spec = spec
        self.scale = scale
        self.lateness: Length | None = (
            spec.lateness if spec.lateness is None or spec.lateness == 0 else scale.length(spec.lateness)
        )
        self.expire = None if spec.expire is None else scale.length(spec.expire)
        self.tracks = [Track(spec.aggregation)]
        self.views = [self._view(policy) for policy in spec.policies]
        self.aligned = all(view.aligned for view in self.views)
        for index, view in enumerate(self.views):
            if isinstance(view, Stepping):
                view.index = index

    def axis(self) -> Axis:
        """The place for the partials of a new key."""
        if self.aligned:
            return TickAxis(self.spec.aggregation, self.spec.algorithm, self.scale)
        return PlaceAxis(self.tracks, self.spec.algorithm, self.scale)

    def _view(self, policy: WindowPolicy) -> View:
        match policy:
            case TimeWindow():
                return TimeView(policy, self.scale)
            case TumblingWindow(count=int(count)):
                return TumblingCountView(count)
            case TumblingWindow():
                return TumblingTimeView(policy, self.scale)
            case CountWindow():
                return CountView(policy.n)
            case SessionWindow():
                return SessionView(policy, self.scale)
            case LandmarkWindow():
                return LandmarkView(policy, self.scale)
            case PunctuatedWindow():
                return PunctuatedView(policy)
            case DeltaWindow():
                return DeltaView(policy)
            case PolicyWindow():
                return PolicyView(policy, 0 if policy.over is None else self._track(policy.over))
            case AdaptiveWindow():
                read = partial(measured, policy.of)
                mean, variance, count = (self._track(made, read) for made in (Mean(), Var(ddof=0), Count()))
                return AdaptiveView(policy, (mean, variance, count))
        raise WindowSpecError(f"{policy!r:.80} is no window that an operator can run: use one of sash.windows")

    def _track(self, aggregation: Aggregation, read: Any = None) -> int:
        self.tracks.append(Track(aggregation, read))
        return len(self.tracks) - 1


# Checks of the arguments


def check_aggregation(aggregation: Any) -> Aggregation:
    """An aggregation, or an `AggregationError`."""
    if not isinstance(aggregation, Aggregation):
        raise AggregationError(
            f"an aggregation is needed, such as sash.Sum() or one of your own, not {aggregation!r:.60}"
        )
    return aggregation


def check_emit(emit: Any) -> Emit:
    """One of the three words, or a ValueError."""
    if emit not in ("arrival", "final", "update"):
        raise ValueError(f'emit is "arrival", "final" or "update", not {emit!r}')
    return emit  # type: ignore[no-any-return]


def check_lateness(lateness: Any) -> Duration | Literal[0] | None:
    """A duration, zero, or None for no bound."""
    if lateness is None:
        return None
    zero = _ZERO.fullmatch(lateness) if isinstance(lateness, str) else not isinstance(lateness, bool) and not lateness
    return 0 if zero else parse_duration(lateness)


def check_algorithm(name: Any) -> str:
    """An algorithm that takes late events and answers for parts of a window; ValueError for another."""
    fit = [one.name for one in ALGORITHMS.values() if one.late and one.ranges and one.evicts_anywhere]
    if name == "auto":
        return "fiba"
    if name not in fit:
        raise ValueError(f"algorithm is {', '.join(fit)} or auto, which take late events and ranges, not {name!r}")
    return str(name)


def check_min_periods(count: Any) -> int:
    """A count of events, or a ValueError."""
    if isinstance(count, bool) or not isinstance(count, int) or count < 0:
        raise ValueError(f"min_periods is a count of events from 0 on, not {count!r}")
    return count
