"""Triggers: when a window emits its result. Frozen, checked when they are made; `sash.windows` has the policies."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, ClassVar, TypeVar

from sash.durations import Duration, parse_duration
from sash.errors import WindowSpecError
from sash.windows import WindowPolicy
from sash.windows.described import Described, checked_time, distance, read_description, reader, whole_number

__all__ = [
    "AtWatermark",
    "EachEvent",
    "EveryEvents",
    "EverySlide",
    "OnDelta",
    "OnDemand",
    "OnPunctuation",
    "Trigger",
    "resolve_trigger",
]

_TRIGGERS: dict[str, type[Trigger]] = {}


class Trigger(Described):
    """When a window emits its result. Frozen, like the policies.

    >>> Trigger.from_dict({"trigger": "EveryEvents", "k": 10})
    EveryEvents(10)
    """

    __slots__ = ()

    word: ClassVar[str] = "trigger"

    @staticmethod
    def from_dict(description: Mapping[str, Any]) -> Trigger:
        """The trigger that `to_dict` described; `WindowSpecError` if it is none.

        >>> Trigger.from_dict(EverySlide("1m").to_dict())
        EverySlide('1m')
        """
        return read_description(description, "trigger", _TRIGGERS)


TriggerType = TypeVar("TriggerType", bound=type[Trigger])


def _trigger(cls: TriggerType) -> TriggerType:
    _TRIGGERS[cls.__name__] = cls
    return cls


@_trigger
@dataclass(frozen=True, slots=True, repr=False)
class EachEvent(Trigger):
    """Fires at each event, for the window that ends at its own time.

    >>> EachEvent().describe()
    'at each event'
    """

    def describe(self) -> str:
        """When it fires, in words."""
        return "at each event"


@_trigger
@dataclass(frozen=True, slots=True, init=False, repr=False)
class EveryEvents(Trigger):
    """Fires at each k-th event of a key: the k-th, the 2k-th, and so on.

    With emit="arrival" they are counted as they come. Otherwise they are counted in the order of their times, so that
    the result does not depend on the order in which they came.

    >>> EveryEvents(10).describe()
    'at each 10th event of a key'
    >>> EveryEvents(0)
    Traceback (most recent call last):
    ...
    sash.errors.WindowSpecError: k must be at least 1, and 0 is not
    """

    positional: ClassVar[tuple[str, ...]] = ("k",)

    k: int

    def __init__(self, k: int) -> None:
        object.__setattr__(self, "k", whole_number("k", k, 1))

    def describe(self) -> str:
        """When it fires, in words."""
        return f"at each {self.k}th event of a key"


@_trigger
@dataclass(frozen=True, slots=True, init=False, repr=False)
class EverySlide(Trigger):
    """Fires at each multiple T of `every` in event time, for the window that ends at T, of every key with events in it.

    The multiples count from 1970-01-01 UTC or zero, or from `origin`. It fires when event time has passed T, for the
    events seen by then. Without `every` it is that of the window. A window with no events emits nothing.

    >>> EverySlide("1m").describe()
    'at every 1m of event time'
    """

    positional: ClassVar[tuple[str, ...]] = ("every",)
    defaults: ClassVar[Mapping[str, Any]] = {"every": None, "origin": None}

    every: Duration | None
    origin: Any

    def __init__(self, every: Any = None, origin: Any = None) -> None:
        object.__setattr__(self, "every", None if every is None else parse_duration(every))
        object.__setattr__(self, "origin", checked_time("origin", origin))

    def describe(self) -> str:
        """When it fires, in words."""
        since = "" if self.origin is None else f" since {self.origin}"
        return f"at every {'slide' if self.every is None else self.every} of event time{since}"


@_trigger
@dataclass(frozen=True, slots=True, init=False, repr=False)
class OnPunctuation(Trigger):
    """Fires at events that are punctuations, by a function of the value or a column that is true.

    Without a predicate it is that of the `PunctuatedWindow`.

    >>> OnPunctuation("last_of_trip").describe()
    'at each punctuation (last_of_trip)'
    """

    positional: ClassVar[tuple[str, ...]] = ("predicate",)
    defaults: ClassVar[Mapping[str, Any]] = {"predicate": None}

    predicate: str | Callable[[Any], Any] | None

    def __init__(self, predicate: str | Callable[[Any], Any] | None = None) -> None:
        checked = None if predicate is None else reader("predicate", predicate, "that marks punctuations")
        object.__setattr__(self, "predicate", checked)

    def describe(self) -> str:
        """When it fires, in words."""
        name = getattr(self.predicate, "__name__", "a function") if callable(self.predicate) else self.predicate
        return "at each punctuation" if name is None else f"at each punctuation ({name})"


@_trigger
@dataclass(frozen=True, slots=True, init=False, repr=False)
class OnDelta(Trigger):
    """Fires at an event whose measure has moved by more than `delta`, up or down, since it fired last.

    `of` is a column of the rows that are pushed, or a function of the value. The first measure of a key does not fire:
    moves are counted from it. An event without a measure does not fire. With emit="arrival" events are compared as they
    come. Otherwise they are compared in the order of their times, so that the result does not depend on the order in
    which they came; with "update" a late event may make others fire, and results of those that do no longer are taken
    back.

    >>> OnDelta("price", 0.5).describe()
    'at each event at which price has moved by more than 0.5'
    >>> OnDelta("price", 0)
    Traceback (most recent call last):
    ...
    sash.errors.WindowSpecError: delta must be a finite number above zero, and 0 is not
    """

    positional: ClassVar[tuple[str, ...]] = ("of", "delta")
    measures: ClassVar[bool] = True

    of: str | Callable[[Any], Any]
    delta: int | float

    def __init__(self, of: str | Callable[[Any], Any], delta: int | float) -> None:
        object.__setattr__(self, "of", reader("of", of, "that measures an event"))
        object.__setattr__(self, "delta", distance("delta", delta))

    @property
    def reads(self) -> str | Callable[[Any], Any]:
        """The measure."""
        return self.of

    def describe(self) -> str:
        """When it fires, in words."""
        what = getattr(self.of, "__name__", "the measure") if callable(self.of) else self.of
        return f"at each event at which {what} has moved by more than {self.delta}"


@_trigger
@dataclass(frozen=True, slots=True, repr=False)
class OnDemand(Trigger):
    """Never fires by itself: a result is computed when `query` is called.

    >>> OnDemand().describe()
    'on demand'
    """

    def describe(self) -> str:
        """When it fires, in words."""
        return "on demand"


@_trigger
@dataclass(frozen=True, slots=True, repr=False)
class AtWatermark(Trigger):
    """Fires at the watermark: what it has passed is final, and is emitted once.

    For windows with an end of their own it fires when the watermark has passed that end: for sessions when they are
    over, for windows with a slide at each slide. For the others it fires whenever the watermark has passed events of
    theirs: once, for the window that ends at the newest of those.

    >>> AtWatermark().describe()
    'when the watermark has passed'
    """

    def describe(self) -> str:
        """When it fires, in words."""
        return "when the watermark has passed"


def resolve_trigger(trigger: Trigger | None, policies: Sequence[WindowPolicy]) -> Trigger:
    """The trigger that runs: the one given, with what it leaves to the windows filled in, or the one they imply.

    For windows with a slide it fires at their slides, for count windows at their `every`, for all others at each event.

    >>> from sash.windows import TimeWindow
    >>> resolve_trigger(None, [TimeWindow("1h", every="1m")]), resolve_trigger(None, [TimeWindow("1h")])
    (EverySlide('1m'), EachEvent())
    >>> resolve_trigger(EverySlide(), [TimeWindow("1h")])
    Traceback (most recent call last):
    ...
    sash.errors.WindowSpecError: EverySlide() needs a slide, and TimeWindow('1h') has none: write EverySlide('1m')
    """
    if trigger is not None and not isinstance(trigger, Trigger):
        raise WindowSpecError(f"a trigger is EachEvent(), EverySlide('1m') or the like, not {trigger!r:.60}")
    if trigger is None:
        return _implied(policies)
    if isinstance(trigger, AtWatermark):
        # It fires at the slides of the windows, where they have some: they must have the same.
        _implied(policies)
    if isinstance(trigger, EverySlide) and trigger.every is None:
        implied = _same([_slide_of(policy) for policy in policies], policies)
        if implied is None:
            raise WindowSpecError(f"{trigger!r} needs a slide, and {policies[0]!r} has none: write EverySlide('1m')")
        return EverySlide(implied.every, trigger.origin if trigger.origin is not None else implied.origin)
    if isinstance(trigger, OnPunctuation) and trigger.predicate is None:
        predicates = [policy.reads for policy in policies if policy.reads is not None and not policy.measures]
        if not predicates:
            raise WindowSpecError(f"{trigger!r} needs a predicate, and {policies[0]!r} has none: pass it one")
        return OnPunctuation(predicates[0])
    return trigger


def _implied(policies: Sequence[WindowPolicy]) -> Trigger:
    return _same([_slide_of(policy) or _step_of(policy) for policy in policies], policies) or EachEvent()


def _slide_of(policy: WindowPolicy) -> EverySlide | None:
    return None if policy.slide is None else EverySlide(*policy.slide)


def _step_of(policy: WindowPolicy) -> EveryEvents | None:
    return None if policy.step is None else EveryEvents(policy.step)


Same = TypeVar("Same")


def _same(implied: Sequence[Same], policies: Sequence[WindowPolicy]) -> Same:
    """The one trigger that all windows imply: windows that share a structure share their trigger."""
    if any(one != implied[0] for one in implied):
        raise WindowSpecError(
            f"the windows {', '.join(map(repr, policies))} imply different triggers: give one trigger for all, or each"
            " window an operator of its own"
        )
    return implied[0]
