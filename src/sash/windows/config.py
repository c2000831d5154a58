"""A window policy as the core takes it: lengths in ticks of one kind of time. For the operator and for frames."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Final

from sash.windows.scale import Length

__all__ = ["CoreLength", "PolicyConfig", "length_of"]

_LONGEST: Final = 2**63 - 1
#: A length in ticks that are counts, and as a real.
CoreLength = tuple[int, float]


@dataclass(frozen=True, slots=True)
class PolicyConfig:
    """A window policy in ticks. The core reads what its kind needs."""

    #: One of the names in core/include/sash/windows/policy.hpp.
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
    #: Of a programmable window: it sees how many values there are.
    counts: bool = False


def length_of(length: Length) -> CoreLength:
    """A length as the core takes it: in ticks that are counts, and as a real.

    >>> length_of(5), length_of(2**70)[0] == 2**63 - 1
    ((5, 5.0), True)
    """
    return min(int(length), _LONGEST), float(length)
