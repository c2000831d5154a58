"""Panes: which operators may retain the events of a stretch of time as one partial, and how long that stretch is."""

from __future__ import annotations

from dataclasses import dataclass
from math import gcd
from typing import Any

from sash.aggregations.records import Row
from sash.errors import WindowSpecError
from sash.operator.spec import Spec
from sash.times import FLOAT, INT, decode_real
from sash.windows import WindowPolicy
from sash.windows.config import CoreLength, PolicyConfig, length_of
from sash.windows.scale import Scale

__all__ = ["Panes", "obstacle", "panes_of"]

#: Plain times may be floats, or become such. Below this, every end of a window is a float exactly.
_MOST_PLAIN = 2**51


@dataclass(frozen=True, slots=True)
class Panes:
    """Every window holds a pane whole or not at all: the multiples of `length` from `origin` on lie between them."""

    length: CoreLength
    origin: int
    #: A pane has its start and not its end, as the windows have.
    left: bool


def obstacle(spec: Spec, row: Row) -> str | None:
    """Why events that fire at slides are retained one by one, whatever the kind of their times; None if they need not.

    >>> import sash
    >>> from sash.aggregations.records import row_of
    >>> windows, trigger = (sash.TimeWindow(10, every=5, closed="both"),), sash.EverySlide(5)
    >>> obstacle(Spec(sash.Sum(), windows, trigger), row_of(sash.Sum()))
    "TimeWindow(10, every=5, closed='both') has both of its ends or none: an event at an end is in two windows or none"
    """
    if spec.keep == "events":
        return 'keep="events"'
    if spec.retract is not None:
        return "retract= takes events out one by one"
    if spec.min_periods:
        return "min_periods counts events"
    if not spec.aggregation.commutative and spec.lateness != 0:
        return (
            f"{spec.aggregation!r} depends on the order of events, and one may come between two others of its pane"
            " unless lateness=0"
        )
    if row.objects and spec.keep != "panes":
        return f"partials of {spec.aggregation!r} may grow with their events"
    return next((why for policy in spec.policies if (why := _cut_by(policy, spec.policies[0]))), None)


def _cut_by(policy: WindowPolicy, first: WindowPolicy) -> str | None:
    if policy.pane_ends is None:
        return f"{policy!r} is not one of TimeWindow and TumblingWindow in time"
    if policy.pane_ends not in ("left", "right"):
        return f"{policy!r} has both of its ends or none: an event at an end is in two windows or none"
    if policy.pane_ends != first.pane_ends:
        return f"{policy!r} and {first!r} have different ends"
    return None


def panes_of(
    spec: Spec, policies: tuple[PolicyConfig, ...], slide: tuple[CoreLength, int], scale: Scale
) -> Panes | None:
    """The longest panes over this kind of time, where there is no obstacle; None if times are too fine.

    Their length is the greatest common divisor of the slide and of all windows.
    """
    lengths = [_number(scale, length) for length in (slide[0], *(policy.length for policy in policies))]
    starts = [slide[1], *(policy.origin for policy in policies if policy.kind == "tumbling")]
    origins = [decode_real(start) if scale.kind == FLOAT else start for start in starts]
    if scale.kind in (INT, FLOAT) and not all(_is_plain(number) for number in (*lengths, *origins)):
        if spec.keep == "panes":
            raise WindowSpecError(
                f'keep="panes" over plain times needs whole lengths and origins below 2**51, not {lengths} from'
                f" {origins}: leave keep= out"
            )
        return None
    length = gcd(*(int(number) for number in lengths), *(int(origin - origins[0]) for origin in origins))
    return Panes(length_of(length), starts[0], policies[0].with_start)


def _number(scale: Scale, length: CoreLength) -> Any:
    return length[1] if scale.kind == FLOAT else length[0]


def _is_plain(number: float) -> bool:
    return abs(number) < _MOST_PLAIN and number == int(number)
