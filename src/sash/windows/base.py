"""What a window policy is."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Any, ClassVar, Final, TypeVar

import numpy as np
import numpy.typing as npt

from sash.durations import Duration
from sash.kinds import Kind
from sash.windows.config import PolicyConfig
from sash.windows.described import Described, plain_part, read_description
from sash.windows.scale import Scale

if TYPE_CHECKING:
    from sash.aggregations.base import Aggregation
    from sash.windows.time import Closed, TimeWindow

__all__ = ["WindowPolicy", "known_policies"]

_POLICIES: dict[str, type[WindowPolicy]] = {}
#: A start that lies before all times that 64 bits hold.
_EARLIEST: Final = -(2**63)


class WindowPolicy(Described):
    """Which events are in a window. Frozen: a policy says what, and whoever runs it keeps the state.

    Every policy is checked when it is made, compares and hashes by its parts, and has a repr that makes it again.
    Nobody asks for its class: what follows is all that the rest of the package knows of it. The defaults are right for
    every policy; what it says instead makes it cheaper, or possible in more places.

    >>> import sash.windows as windows
    >>> windows.WindowPolicy.from_dict({"policy": "TimeWindow", "length": "1h"})
    TimeWindow('1h')
    """

    __slots__ = ()

    word: ClassVar[str] = "policy"
    #: Where a window begins depends on the values of events, or on the window before it: the operator alone finds it,
    #: event by event.
    by_value: ClassVar[bool] = False
    #: The ends of a window are those that a plan has for numbers of rows.
    closed_by_plan: ClassVar[bool] = False
    #: A window is over once no event can join it, and its last result is final then.
    closes: ClassVar[bool] = False
    #: A stream has results for it.
    for_streams: ClassVar[bool] = True
    #: What such a window reads of a value is a number; what others read says whether it is a punctuation.
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
    def looks_at(self) -> Aggregation | None:
        """The aggregation that says which events leave, where it is not the one whose results are emitted."""
        return None

    @property
    def label(self) -> str:
        """The window in the name of a column: what it is, and its parts.

        >>> import sash.windows as windows
        >>> windows.TimeWindow("1h").label, windows.DeltaWindow("km", 9, tumbling=True).label
        ('1h', 'delta_km_9_tumbling')
        """
        word = type(self).__name__.removesuffix("Window").lower()
        parts = {name: getattr(self, name) for name in (*self.positional, *self.defaults)}
        shown = {name: part for name, part in parts.items() if part is not None and part is not False}
        return "_".join([word, *(name if part is True else _part_label(part) for name, part in shown.items())])

    @property
    def in_time(self) -> bool:
        """Whether the window looks at times, not at their order alone."""
        return True

    @property
    def by_time(self) -> bool:
        """Whether its events follow from times alone, so that events of one time are in together, in any order."""
        return False

    @property
    def span(self) -> TimeWindow | None:
        """The length of time that holds just the same events; None if there is none."""
        return None

    @property
    def pane_ends(self) -> Closed | None:
        """Which of its ends are in, where windows begin whole lengths before slides, so that events between two
        multiples may be retained as one; None if they are retained one by one."""
        return None

    @property
    def slide(self) -> tuple[Duration, Any] | None:
        """How far apart in time its results are, and since when; None if they are not."""
        return None

    @property
    def slides(self) -> bool:
        """Whether it ends at slides alone, so that a frame gets a row for each of them."""
        return self.span is not None and self.span.every is not None

    @property
    def step(self) -> int | None:
        """How many events lie between its results; None if that does not say when there is one."""
        return None

    @property
    def moves_with_late(self) -> bool:
        """Whether a late event moves the windows of later ones, so that what was known at arrival is lost."""
        return not self.by_time

    @property
    def each_row(self) -> bool:
        """Whether it has a result at each row of a frame."""
        return True

    @property
    def reach(self) -> Duration | None:
        """How old an event is at most that changes anything about the window; None if that has no bound in time."""
        return None

    @property
    def events(self) -> int | None:
        """Of how many events, its own the last, the window is made; None if that has no bound."""
        return None

    def serves(self, other: WindowPolicy) -> bool:
        """Whether all that another window needs is retained where this one is."""
        return self == other

    def lengths(self, kind: Kind, ticks: npt.NDArray[np.int64]) -> npt.NDArray[np.int64] | None:
        """How long the window is that ends at each of the times, in ticks, where only Python knows; else None."""
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


def _part_label(part: Any) -> str:
    """A part of a policy: a function by its name, an aggregation by its own and its columns."""
    if isinstance(columns := getattr(part, "columns", None), tuple):
        return "_".join([type(part).__name__.lower(), *columns])
    return str(getattr(part, "__name__", "function")).strip("<>") if callable(part) else str(plain_part(part))


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
