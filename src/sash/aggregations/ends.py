"""The values at the two ends of the window."""

# The methods are described once, in Aggregation.
# ruff: noqa: D102

from __future__ import annotations

from typing import Any

from sash.aggregations.base import Native, WithNan, built_in
from sash.aggregations.reading import not_nan, plain

__all__ = ["First", "Last"]

Held = tuple[()] | tuple[Any]


class _AtEnd(WithNan):
    """A partial is a tuple of the one value, or an empty tuple."""

    identity: Held = ()

    def lift(self, value: Any) -> Held:
        return (plain(not_nan(value, self.nan)),)

    def lower(self, partial: Held) -> Any:
        return partial[0] if partial else None


@built_in
class First(_AtEnd):
    """The value of the oldest event. Any values; not commutative, not invertible, exact; None for an empty window.

    Cost of combine: O(1).

    >>> first = First()
    >>> first.lower(first.combine(first.lift("a"), first.lift("b")))
    'a'
    """

    def combine(self, older: Held, newer: Held) -> Held:
        return older or newer

    def native(self) -> Native:
        return Native("first", "any")


@built_in
class Last(_AtEnd):
    """The value of the youngest event. Any values; not commutative, not invertible, exact; None for an empty window.

    Cost of combine: O(1).

    >>> last = Last()
    >>> last.lower(last.combine(last.lift("a"), last.lift("b")))
    'b'
    """

    def combine(self, older: Held, newer: Held) -> Held:
        return newer or older

    def native(self) -> Native:
        return Native("last", "any")
