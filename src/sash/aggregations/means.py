"""Arithmetic and geometric means."""

# The methods are described once, in Aggregation.
# ruff: noqa: D102

from __future__ import annotations

import math
from typing import Any, ClassVar

from sash.aggregations.base import Native, WithNan, built_in
from sash.aggregations.reading import finite_log, not_nan, read_real

__all__ = ["GeometricMean", "Mean"]


class _SumAndCount(WithNan):
    """A sum of what each value stands for, and how many there were."""

    commutative: ClassVar[bool] = True
    exact: ClassVar[bool] = False
    identity = (0.0, 0)

    def lift(self, value: Any) -> tuple[float, int]:
        return self._term(read_real(not_nan(value, self.nan))), 1

    def _term(self, value: float) -> float:
        return value

    def combine(self, older: tuple[float, int], newer: tuple[float, int]) -> tuple[float, int]:
        return older[0] + newer[0], older[1] + newer[1]

    def inverse(self, whole: tuple[float, int], older: tuple[float, int]) -> tuple[float, int]:
        return whole[0] - older[0], whole[1] - older[1]


@built_in
class Mean(_SumAndCount):
    """The arithmetic mean, a float. Commutative, invertible (over finite values), rounded; None for an empty window.

    Cost of combine: O(1).

    >>> mean = Mean()
    >>> mean.lower(mean.combine(mean.lift(1), mean.lift(2)))
    1.5
    >>> print(mean.empty)
    None
    """

    def lower(self, partial: tuple[float, int]) -> float | None:
        total, count = partial
        return total / count if count else None

    def native(self) -> Native:
        return Native("mean", "real", {"geometric": False})


@built_in
class GeometricMean(_SumAndCount):
    """The geometric mean by logarithms, a float; negative values are a ValueError, and a 0 makes it 0.

    Commutative, invertible (over values above 0), rounded; None for an empty window. Cost of combine: O(1).

    >>> mean = GeometricMean()
    >>> round(mean.lower(mean.combine(mean.lift(2), mean.lift(8))), 9)
    4.0
    """

    def _term(self, value: float) -> float:
        return finite_log(value)

    def lower(self, partial: tuple[float, int]) -> float | None:
        total, count = partial
        return _exp(total / count) if count else None

    def native(self) -> Native:
        return Native("mean", "real", {"geometric": True})


def _exp(value: float) -> float:
    """As in C: what is too large is infinite, not an error."""
    try:
        return math.exp(value)
    except OverflowError:
        return math.inf
