"""Events that cannot be computed on: which of a batch they are, and what becomes of them."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any, Final, Literal, NamedTuple

from sash.aggregations.base import Aggregation
from sash.aggregations.composite import Composite
from sash.aggregations.records import value_of
from sash.columns import as_columns, items_of
from sash.errors import LateEventError, WindowSpecError, retold, text_of
from sash.operator.columns import rows_of

__all__ = ["Events", "FailedEvent", "FailedEvents", "OnError", "check_on_error", "failing", "located", "taken"]


class FailedEvent(NamedTuple):
    """An event that could not be computed on, and why, in words.

    >>> FailedEvent("a", 3, "x", error="TypeError: a number is needed")
    FailedEvent(key='a', time=3, value='x', error='TypeError: a number is needed')
    """

    key: Any
    time: Any
    value: Any
    error: str


OnError = Literal["raise", "keep"] | Callable[[FailedEvent], Any]

#: What no single event is to blame for: misuse of the operator, a plan that does not fit, lateness that was refused.
NOT_OF_AN_EVENT: Final = (RuntimeError, LateEventError, WindowSpecError, MemoryError)


def check_on_error(on_error: Any) -> OnError:
    """One of the words or a function, or a ValueError."""
    if on_error in ("raise", "keep") or callable(on_error):
        return on_error  # type: ignore[no-any-return]
    raise ValueError(f'on_error is "raise", "keep" or a function of a failed event, not {on_error!r:.60}')


class Events(NamedTuple):
    """Events by columns, as they were given."""

    keys: Any
    times: Any
    values: Any

    @classmethod
    def of(cls, keys: Any, times: Any, values: Any) -> Events:
        """The events of a call."""
        return cls(keys, times if hasattr(times, "__len__") else list(times), as_columns(values))

    def between(self, first: int, last: int) -> Events:
        """Those from the first up to the last, which is out."""
        return self.at(range(first, last))

    def at(self, places: Sequence[int]) -> Events:
        """Those at some places."""
        return Events(*(None if part is None else taken(part, list(places)) for part in self))

    def one(self, place: int) -> tuple[Any, Any, Any]:
        """The key, the time and the value at a place."""
        keys, times, values = self.at([place])
        return None if keys is None else items_of(keys)[0], items_of(times)[0], rows_of(values)[0]


class FailedEvents:
    """Where failed events go: to whoever was named, or to the side list."""

    __slots__ = ("_on_error", "kept", "raises")

    def __init__(self, on_error: OnError) -> None:
        self._on_error = on_error
        self.raises = on_error == "raise"
        self.kept: list[FailedEvent] = []

    def hand_over(self, aggregation: Aggregation, event: tuple[Any, Any, Any], error: Exception) -> None:
        """Hand a failed event on."""
        about = _columns_at_fault(aggregation, event[2])
        self._take(FailedEvent(*event, f"{type(error).__name__}: {about}{text_of(error)}"))

    def hand_over_window(self, key: Any, start: Any, end: Any, time: Any, error: str) -> None:
        """Hand on what became of a window whose result failed when its time had come: the time is that of the event
        that it is about, or its end; the value is not known any more."""
        place = f"the window from {start} to {end}"
        self._take(FailedEvent(key, end if time is None else time, None, f"{error}, in {place}"))

    def _take(self, failed: FailedEvent) -> None:
        if callable(self._on_error):
            self._on_error(failed)
        else:
            self.kept.append(failed)


def located(aggregation: Aggregation, event: tuple[Any, Any, Any], error: Exception) -> Exception:
    """The error with the event that it is about: its time, its key, the column, the value.

    >>> import sash
    >>> located(sash.Sum("km"), ("a", 3, {"km": "far"}), TypeError("a number is needed, not str ('far')"))
    TypeError("the event at 3 of 'a': column 'km': a number is needed, not str ('far')")
    """
    key, time, value = event
    who = f"the event at {time}" + ("" if key is None else f" of {key!r}")
    text = f"{who}: {_columns_at_fault(aggregation, value)}{text_of(error)}"
    return retold(error, text)


def failing(size: int, attempt: Callable[[int, int], object]) -> dict[int, Exception]:
    """Which events fail, with the error of each. `attempt(first, last)` takes events in, all of them or none.

    Cost: O(log n) attempts for each event that fails.

    >>> done = []
    >>> def attempt(first, last):
    ...     if any(place in (3, 4) for place in range(first, last)):
    ...         raise ValueError("odd")
    ...     done.extend(range(first, last))
    >>> list(failing(8, attempt)), done
    ([3, 4], [0, 1, 2, 5, 6, 7])
    """
    failed: dict[int, Exception] = {}
    pieces = [(0, size)]
    while pieces:
        first, last = pieces.pop()
        try:
            attempt(first, last)
        except NOT_OF_AN_EVENT:
            raise
        except Exception as error:
            if last - first == 1:
                failed[first] = error
            else:
                middle = (first + last) // 2
                pieces += [(middle, last), (first, middle)]
    return failed


def taken(column: Any, places: Any) -> Any:
    """The values of a column, or of a mapping of columns, at some places, as the kind of column that it is.

    >>> taken(["a", "b", "c"], [0, 2]), taken({"x": ["a", "b", "c"]}, [1])
    (['a', 'c'], {'x': ['b']})
    """
    if isinstance(column, Mapping):
        return {name: taken(part, places) for name, part in column.items()}
    for method in ("take", "gather"):
        if hasattr(column, method):
            return getattr(column, method)(places)
    return [column[place] for place in places]


def _columns_at_fault(aggregation: Aggregation, value: Any) -> str:
    """Which columns the first aggregation reads that does not take the value by its definition."""
    members = aggregation.members.values() if isinstance(aggregation, Composite) else [aggregation]
    for member in members:
        try:
            own = value_of(member, value) if member.columns else value
            if not member.skips(own) and not member.timed:
                member.lift(own)
        except Exception:
            return f"column {', '.join(map(repr, member.columns))}: " if member.columns else ""
    return ""
