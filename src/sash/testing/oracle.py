"""The window that is slow and right."""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Iterable, Iterator, Sequence
from itertools import pairwise
from typing import Any

from sash import times
from sash.aggregations.base import Aggregation
from sash.errors import EmptyWindowError, OutOfOrderError

__all__ = ["Oracle"]


class Oracle:
    """The window by brute force: a sorted list of times and partials, combined from left to right at each query.

    It has the methods of `sash.Window` and takes events in any order, or refuses late ones if `in_order`. Every test of
    a fast window compares with it. Cost: O(n) for everything.

    >>> from sash.aggregations import Concat
    >>> window = Oracle(Concat())
    >>> window.bulk_insert([3, 1, 3], ["c", "a", "d"])
    >>> window.query(), window.query(2, 9), list(window.items())
    ('acd', 'cd', [(1, 'a'), (3, 'cd')])
    """

    def __init__(self, aggregation: Aggregation, *, in_order: bool = False) -> None:
        self.aggregation = aggregation
        self.in_order = in_order
        self._kind: times.Kind | None = None
        self._times: list[int] = []
        self._partials: list[Any] = []

    def insert(self, time: Any, value: Any) -> None:
        """Put a value in; at a time that is there, it is combined behind what is there. Nulls change nothing."""
        kind = self._kind_with(time)
        ticks = times.encode_as(kind, time)
        if self.aggregation.skips(value):
            return
        present = self._times_as(kind)
        if self.in_order and present and ticks < present[-1]:
            raise OutOfOrderError(
                f"the time {time!r} is before the youngest, {self.youngest!r}: sort, or allow any order"
            )
        when = (times.decode(kind, ticks),) if self.aggregation.timed else ()
        partial = self.aggregation.lift(value, *when)
        place = bisect_left(present, ticks)
        if place < len(present) and present[place] == ticks:
            self._partials[place] = self.aggregation.combine(self._partials[place], partial)
        else:
            present.insert(place, ticks)
            self._partials.insert(place, partial)
        self._kind, self._times = kind, present

    def bulk_insert(self, times: Iterable[Any], values: Iterable[Any]) -> None:
        """Put many in, in the order given; all of them or, if one is refused, none."""
        trial = self.copy()
        for time, value in zip(times, values, strict=True):
            trial.insert(time, value)
        self.__dict__.update(trial.__dict__)

    def evict(self, time: Any = None) -> bool | None:
        """Take out the oldest; or what is at the time, and say whether it was there."""
        if time is None:
            self._need_one("evict from")
            del self._times[0], self._partials[0]
            return None
        first = self._from(time)
        last = max(first, self._to(time))
        del self._times[first:last], self._partials[first:last]
        return last > first

    def bulk_evict(self, time: Any) -> None:
        """Take out everything at or before the time."""
        end = self._to(time)
        del self._times[:end], self._partials[:end]

    def clear(self) -> None:
        """Take out everything."""
        self._times, self._partials = [], []

    def copy(self) -> Oracle:
        """A window of its own with the same entries."""
        twin = Oracle(self.aggregation, in_order=self.in_order)
        twin._kind, twin._times, twin._partials = self._kind, self._times.copy(), self._partials.copy()
        return twin

    def query(self, start: Any = None, end: Any = None) -> Any:
        """The result over all, or over the times from `start` to `end`, both in; None leaves an end open."""
        first = 0 if start is None else self._from(start)
        last = len(self._times) if end is None else self._to(end)
        return self.aggregation.lower(self._fold(self._partials[first:last]))

    def _fold(self, partials: Sequence[Any]) -> Any:
        total = self.aggregation.identity
        for partial in partials:
            total = self.aggregation.combine(total, partial)
        return total

    def items(self) -> Iterator[tuple[Any, Any]]:
        """Each time and the result of its entry alone, oldest first."""
        for ticks, partial in zip(self._times, self._partials, strict=True):
            yield self._time(ticks), self.aggregation.lower(partial)

    @property
    def oldest(self) -> Any:
        """The least time."""
        self._need_one("ask for the oldest time of")
        return self._time(self._times[0])

    @property
    def youngest(self) -> Any:
        """The greatest time."""
        self._need_one("ask for the youngest time of")
        return self._time(self._times[-1])

    def __len__(self) -> int:
        return len(self._times)

    def __repr__(self) -> str:
        return f"Oracle({self.aggregation!r}, {list(self.items())!r})"

    def check_invariants(self) -> None:
        """The times ascend strictly, and each has its partial."""
        assert len(self._times) == len(self._partials)
        assert all(a < b for a, b in pairwise(self._times))

    def _kind_with(self, time: Any) -> times.Kind:
        """The kind that the window has once the time is in: a float among integers makes all times floats."""
        kind, _ = times.encode(time)
        return kind if self._kind is None or (self._kind, kind) == (times.INT, times.FLOAT) else self._kind

    def _times_as(self, kind: times.Kind) -> list[int]:
        if kind == times.FLOAT and self._kind == times.INT:
            return [times.encode_as(kind, ticks) for ticks in self._times]
        return self._times.copy()

    def _from(self, time: Any) -> int:
        """Where the entries at or after the time begin."""
        return bisect_left(self._times, self._bound(time, up=True))

    def _to(self, time: Any) -> int:
        """Where the entries at or before the time end."""
        return bisect_right(self._times, self._bound(time, up=False))

    def _bound(self, time: Any, up: bool) -> int:
        return times.encode(time)[1] if self._kind is None else times.bound(self._kind, time, up=up)

    def _time(self, ticks: int) -> Any:
        assert self._kind is not None
        return times.decode(self._kind, ticks)

    def _need_one(self, what: str) -> None:
        if not self._times:
            raise EmptyWindowError(f"nothing to {what} an empty window; look at len(window) first")
