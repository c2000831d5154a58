"""Window policies as the core takes them: lengths in ticks of one kind of time. For the operator and for frames."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Final

from sash.times import bound
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
from sash.windows.scale import Grid, Length, Scale

__all__ = ["CoreLength", "PolicyConfig", "length_of", "policy_config"]

_LONGEST: Final = 2**63 - 1
#: A length in ticks that are counts, and as a real.
CoreLength = tuple[int, float]


@dataclass(frozen=True, slots=True)
class PolicyConfig:
    """A window policy in ticks. The core reads what its kind needs."""

    kind: str
    length: CoreLength = (1, 1.0)
    with_start: bool = False
    with_end: bool = True
    origin: int = 0
    since: int | None = None
    count: int = 1
    #: Of a delta window; of an adaptive one, its confidence.
    delta: Any = None
    #: Of a programmable window: the function, and which output it sees.
    evict_when: Any = None
    output: int = 0


def policy_config(policy: WindowPolicy, scale: Scale, output: int = 0) -> PolicyConfig:
    """The policy over one kind of time; `WindowSpecError` if a length has no meaning in it.

    >>> from sash.times import INT
    >>> from sash.windows import SessionWindow
    >>> policy_config(SessionWindow(5), Scale(INT)).length
    (5, 5.0)
    """
    match policy:
        case TimeWindow(length=length, closed=closed):
            start, end = closed in ("left", "both"), closed in ("right", "both")
            return PolicyConfig("time", length_of(scale.length(length)), start, end)
        case TumblingWindow(count=int(count)):
            return PolicyConfig("tumbling_count", count=count)
        case TumblingWindow(length=length, closed=closed, origin=origin) if length is not None:
            grid = Grid(scale, length, origin)
            return PolicyConfig("tumbling", length_of(grid.every), closed == "left", closed == "right", grid.origin)
        case SessionWindow(gap=gap):
            return PolicyConfig("session", length_of(scale.length(gap)))
        case LandmarkWindow(since=since):
            return PolicyConfig("landmark", since=None if since is None else bound(scale.kind, since, up=True))
        case CountWindow(n=n):
            return PolicyConfig("count", count=n)
        case PunctuatedWindow():
            return PolicyConfig("punctuated")
        case DeltaWindow(delta=delta):
            return PolicyConfig("delta", delta=delta)
        case PolicyWindow(evict_when=evict_when):
            return PolicyConfig("programmable", evict_when=evict_when, output=output)
        case AdaptiveWindow(delta=delta):
            return PolicyConfig("adaptive", delta=float(delta))
    raise AssertionError(policy)


def length_of(length: Length) -> CoreLength:
    """A length as the core takes it: in ticks that are counts, and as a real.

    >>> length_of(5), length_of(2**70)[0] == 2**63 - 1
    ((5, 5.0), True)
    """
    return min(int(length), _LONGEST), float(length)
