"""The values themselves."""

# The methods are described once, in Aggregation.
# ruff: noqa: D102

from __future__ import annotations

from typing import Any, ClassVar

from sash.aggregations.base import Native, WithNan, built_in
from sash.aggregations.declared import Inputs, Result
from sash.aggregations.reading import not_nan, plain

__all__ = ["Collect"]


@built_in
class Collect(WithNan):
    """Every value, oldest first, in a list. Any values; not commutative, not invertible, exact; [] for an empty window.

    Cost of combine: O(length).

    >>> values = Collect()
    >>> values.lower(values.combine(values.lift(1), values.lift(2)))
    [1, 2]
    """

    inputs: ClassVar[Inputs] = "any"
    result: ClassVar[Result] = ["value"]
    size: ClassVar[str] = "grows with the values"
    identity: tuple[Any, ...] = ()

    def lift(self, value: Any) -> tuple[Any, ...]:
        return (plain(not_nan(value, self.nan)),)

    def combine(self, older: tuple[Any, ...], newer: tuple[Any, ...]) -> tuple[Any, ...]:
        return older + newer

    def lower(self, partial: tuple[Any, ...]) -> list[Any]:
        return list(partial)

    def native(self) -> Native:
        return Native("collect", "any")
