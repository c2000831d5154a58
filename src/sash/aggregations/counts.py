"""How many events."""

# The methods are described once, in Aggregation.
# ruff: noqa: D102

from __future__ import annotations

from typing import Any, ClassVar

from sash.aggregations.base import Native, WithNan, built_in
from sash.aggregations.declared import Inputs, Result
from sash.aggregations.reading import not_nan

__all__ = ["Count"]


@built_in
class Count(WithNan):
    """How many values; nulls do not count. Commutative, invertible, exact; 0 for an empty window. Cost of combine:
    O(1).

    >>> count = Count()
    >>> count.lower(count.combine(count.lift("a"), count.lift("b")))
    2
    >>> count.empty
    0
    """

    inputs: ClassVar[Inputs] = "ignored"
    result: ClassVar[Result] = "int"
    size: ClassVar[str] = "8 bytes"
    commutative: ClassVar[bool] = True
    identity = 0

    def lift(self, value: Any) -> int:
        not_nan(value, self.nan)
        return 1

    def combine(self, older: int, newer: int) -> int:
        return older + newer

    def inverse(self, whole: int, older: int) -> int:
        return whole - older

    def lower(self, partial: int) -> int:
        return partial

    def native(self) -> Native:
        return Native("count", "ignored", fixed=True, batch=True)
