"""What an operator was asked to do: all of it, checked, in one frozen object."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Literal, get_args

from sash.aggregations.base import Aggregation
from sash.durations import Duration, Lateness
from sash.errors import WindowSpecError
from sash.triggers import OnDemand, Trigger
from sash.windows import WindowPolicy
from sash.windows.described import MOST_EVENTS

__all__ = ["Emit", "Keep", "Spec"]

Emit = Literal["arrival", "final", "update"]
Keep = Literal["panes", "events"]


@dataclass(frozen=True, slots=True)
class Spec:
    """The configuration of an operator."""

    aggregation: Aggregation
    policies: tuple[WindowPolicy, ...]
    trigger: Trigger
    keyed: bool = False
    #: Where events are rows: the column of times, and those of the key, a name or a tuple of names.
    on: str | None = None
    by: str | tuple[str, ...] | None = None
    emit: Emit = "arrival"
    lateness: Lateness = None
    expire: Duration | None = None
    changes_only: bool = False
    min_periods: int = 0
    #: None: panes where that costs nothing.
    keep: Keep | None = None
    #: The column that says what a row does to those before it, and the one that tells which row it does it to.
    retract: str | None = None
    id: str | None = None
    #: The columns of floats, where results must not depend on the order in which those are added; None if they may.
    floats: frozenset[str] | None = None
    #: The columns whose values are no numbers, such as decimals; None is the value itself, where no column is named.
    others: frozenset[str | None] = frozenset()

    @property
    def aggregations(self) -> tuple[Aggregation, ...]:
        """The aggregation, and behind it those that programmable windows look at."""
        seen = (policy.looks_at for policy in self.policies)
        return (self.aggregation, *(one for one in seen if one is not None))


# Checks of the arguments


def check_columns(by: Any, on: Any) -> tuple[str | tuple[str, ...] | None, str | None]:
    """The columns of the key and of the times, where events are rows; `WindowSpecError` if they do not go together."""
    if by in (None, True, False) and on is None:
        return None, None
    if not isinstance(by, (str, list, tuple)) and by is not None:
        what = "by= names the columns of the key too" if on is not None else "by is True if every event has a key first"
        raise WindowSpecError(f"{what}, or is None if there is no key; not {by!r:.60}")
    wrong = [name for name in by if not isinstance(name, str)] if isinstance(by, (list, tuple)) else []
    if wrong:
        raise WindowSpecError(f"by names the columns of the key by texts, not {wrong[0]!r:.60}")
    if not isinstance(on, str):
        raise WindowSpecError(f"by={by!r:.60} names columns, so events are rows: on= names the column of times")
    return (tuple(by) or None if isinstance(by, (list, tuple)) else by), on


def check_emit(emit: Any) -> Emit:
    """One of the words, or a ValueError."""
    if emit not in get_args(Emit):
        raise ValueError(f"emit is {', '.join(map(repr, get_args(Emit)))}, not {emit!r:.60}")
    return emit  # type: ignore[no-any-return]


def check_keep(keep: Any) -> Keep | None:
    """One of the two words, None for what suits, or a ValueError."""
    if keep not in (None, "panes", "events"):
        raise ValueError(f'keep is "panes", "events" or None, not {keep!r}')
    return keep  # type: ignore[no-any-return]


def check_min_periods(count: Any) -> int:
    """A number of values, where None is 0, or a ValueError."""
    if count is None:
        return 0
    if isinstance(count, bool) or not isinstance(count, int) or not 0 <= count <= MOST_EVENTS:
        raise ValueError(f"min_periods is a number of values from 0 to 2**62, or None, not {count!r}")
    return count


def check_retract(retract: Any, id: Any, emit: Emit, trigger: Trigger) -> tuple[str | None, str | None]:
    """The columns that say which rows are taken back; `WindowSpecError` where that has no meaning."""
    if retract is None:
        if id is not None:
            raise WindowSpecError("id= tells which row is taken back: name the column that says so, retract=")
        return None, None
    for name, column in (("retract", retract), ("id", id)):
        if column is not None and not isinstance(column, str):
            raise WindowSpecError(f"{name} is the name of a column, not {column!r:.60}")
    if emit == "arrival" and not isinstance(trigger, OnDemand):
        raise WindowSpecError('retract: what was known when a row came is not taken back: use emit="final" or "update"')
    return retract, id
