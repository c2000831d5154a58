"""What a window policy is."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, ClassVar, Final, TypeVar

from sash.durations import Duration
from sash.windows.config import PolicyConfig
from sash.windows.described import Described, read_description
from sash.windows.scale import Scale

__all__ = ["WindowPolicy", "known_policies"]

_POLICIES: dict[str, type[WindowPolicy]] = {}
#: A start that lies before all times that 64 bits hold.
_EARLIEST: Final = -(2**63)


class WindowPolicy(Described):
    """Which events are in a window. Frozen: a policy says what, and whoever runs it keeps the state.

    Every policy is checked when it is made, compares and hashes by its parts, and has a repr that makes it again.

    >>> import sash.windows as windows
    >>> windows.WindowPolicy.from_dict({"policy": "TimeWindow", "length": "1h"})
    TimeWindow('1h')
    """

    __slots__ = ()

    word: ClassVar[str] = "policy"
    #: Where a window begins depends on the values of events: the operator alone finds it, event by event.
    by_value: ClassVar[bool] = False
    #: A stream has results for it.
    for_streams: ClassVar[bool] = True
    #: What such a window reads of a value is a number.
    measures: ClassVar[bool] = False

    def core(self, scale: Scale, output: int = 0) -> PolicyConfig:
        """The policy over one kind of time, as the core takes it; `WindowSpecError` if a length has no meaning in it.

        `output` says which result of the operator a programmable window sees.

        >>> import sash.windows as windows
        >>> from sash.times import INT
        >>> windows.SessionWindow(5).core(Scale(INT)).length
        (5, 5.0)
        """
        raise NotImplementedError

    @property
    def reads(self) -> str | Callable[[Any], Any] | None:
        """What the window reads of an event: a column, or a function of the value; None for nothing, or all of it."""
        return None

    @property
    def columns(self) -> tuple[str, ...]:
        """The columns of a row that the window itself reads."""
        return (self.reads,) if isinstance(self.reads, str) else ()

    @property
    def in_time(self) -> bool:
        """Whether the window looks at times, not at their order alone."""
        return True

    @property
    def slide(self) -> tuple[Duration, Any] | None:
        """How far apart in time its results are, and since when; None if they are not."""
        return None

    @property
    def slides(self) -> bool:
        """Whether it ends at slides alone, so that a frame gets a row for each of them."""
        return False

    @property
    def step(self) -> int | None:
        """How many events lie between its results; None if that does not say when there is one."""
        return None

    @property
    def moves_with_late(self) -> bool:
        """Whether a late event moves the windows of later ones, so that what was known at arrival is lost."""
        return self.by_value

    @property
    def reach(self) -> Duration | None:
        """How old an event in the window is at most; None if that has no bound in time."""
        return None

    def measuring(self, columns: tuple[str, ...]) -> WindowPolicy:
        """The window over rows whose columns are aggregated: where it measures the value itself, it measures the
        first of them."""
        return self

    def early_start(self, scale: Scale, end: int, by_event: bool) -> int:
        """The start, in ticks, of a window that begins before all times that 64 bits hold."""
        return _EARLIEST

    @staticmethod
    def from_dict(description: Mapping[str, Any]) -> WindowPolicy:
        """The policy that `to_dict` described; `WindowSpecError` if it is none.

        >>> WindowPolicy.from_dict({"policy": "CountWindow", "n": 3, "every": 2})
        CountWindow(3, every=2)
        >>> WindowPolicy.from_dict({"policy": "BayWindow"})  # doctest: +ELLIPSIS
        Traceback (most recent call last):
        ...
        sash.errors.WindowSpecError: 'BayWindow' is no policy: ...
        """
        return read_description(description, "policy", _POLICIES)


PolicyType = TypeVar("PolicyType", bound=type[WindowPolicy])


def policy(cls: PolicyType) -> PolicyType:
    """Enter a class into the table of `WindowPolicy.from_dict`."""
    _POLICIES[cls.__name__] = cls
    return cls


def known_policies() -> dict[str, type[WindowPolicy]]:
    """Every window policy by its name.

    >>> import sash.windows
    >>> "TimeWindow" in known_policies()
    True
    """
    return dict(_POLICIES)
