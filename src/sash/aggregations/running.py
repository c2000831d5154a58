"""Running forms of aggregations: partials go in and come out again, in any order."""

# The methods are described once, in Running.
# ruff: noqa: D102

from __future__ import annotations

from typing import Any, Protocol

__all__ = ["Occurring", "Running"]


class Running(Protocol):
    """The partials of a window that slides; what `Aggregation.running` makes.

    >>> import sash
    >>> median = sash.Median()
    >>> values = median.running()
    >>> for value in [4, 9, 1]:
    ...     values.add(median.lift(value))
    >>> values.remove(median.lift(9))
    >>> values.result(median.lift(1))
    2.5
    """

    def add(self, partial: Any, /) -> None:
        """Put a partial in."""

    def remove(self, partial: Any, /) -> None:
        """Take out a partial that is in."""

    def result(self, youngest: Any, /) -> Any:
        """What `lower` gives of all that are in, combined; `youngest` is the last of them in the order of time."""


class Occurring:
    """How often each value occurs: the running form of partials that count values."""

    def __init__(self) -> None:
        self._counts: dict[Any, int] = {}

    def add(self, partial: dict[Any, int], /) -> None:
        for value, count in partial.items():
            self._counts[value] = self._counts.get(value, 0) + count

    def remove(self, partial: dict[Any, int], /) -> None:
        for value, count in partial.items():
            left = self._counts.pop(value) - count
            if left:
                self._counts[value] = left

    def result(self, youngest: Any, /) -> int:
        """How many different ones there are."""
        return len(self._counts)
