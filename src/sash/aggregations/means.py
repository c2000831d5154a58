"""Arithmetic, geometric, harmonic and weighted means."""

# The methods are described once, in Aggregation.
# ruff: noqa: D102

from __future__ import annotations

import math
from typing import Any, ClassVar

import numpy.typing as npt

from sash.aggregations.base import Native, WithNan, built_in
from sash.aggregations.declared import Inputs, Refusal, Result
from sash.aggregations.pairs import Pairs
from sash.aggregations.reading import finite_log, not_nan, read_real
from sash.aggregations.records import record

__all__ = ["GeometricMean", "HarmonicMean", "Mean", "WeightedMean"]


class _SumAndCount(WithNan):
    """A sum of what each value stands for, and how many there were."""

    inputs: ClassVar[Inputs] = "real"
    rounds: ClassVar[bool] = True
    result: ClassVar[Result] = "float"
    size: ClassVar[str] = "16 bytes"
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
        return Native("mean", "real", {"geometric": False}, fixed=True, batch=True)


@built_in
class GeometricMean(_SumAndCount):
    """The geometric mean by logarithms, a float; negative values are a ValueError, and a 0 makes it 0.

    Commutative, invertible (over values above 0), rounded; None for an empty window. Cost of combine: O(1).

    >>> mean = GeometricMean()
    >>> round(mean.lower(mean.combine(mean.lift(2), mean.lift(8))), 9)
    4.0
    """

    inputs: ClassVar[Inputs] = "positive"

    def _term(self, value: float) -> float:
        return finite_log(value)

    def refused(self, numbers: npt.NDArray[Any]) -> Refusal | None:
        return numbers < 0, ValueError("a geometric mean takes no negative numbers: leave it out, or use Mean")

    def lower(self, partial: tuple[float, int]) -> float | None:
        total, count = partial
        return _exp(total / count) if count else None

    def native(self) -> Native:
        return Native("mean", "real", {"geometric": True}, fixed=True, batch=True)


def _exp(value: float) -> float:
    """As in C: what is too large is infinite, not an error."""
    try:
        return math.exp(value)
    except OverflowError:
        return math.inf


@built_in
class HarmonicMean(WithNan):
    """The harmonic mean, a float: how many values, divided by the sum of their reciprocals. Negative values are a
    ValueError, and a 0 makes it 0.

    Commutative, not invertible (small reciprocals are lost beside large ones), rounded; None for an empty window. Cost
    of combine: O(1).

    >>> mean = HarmonicMean()
    >>> mean.lower(mean.combine(mean.lift(2), mean.lift(6)))
    3.0
    """

    commutative: ClassVar[bool] = True
    exact: ClassVar[bool] = False
    inputs: ClassVar[Inputs] = "positive"
    rounds: ClassVar[bool] = True
    result: ClassVar[Result] = "float"
    size: ClassVar[str] = "16 bytes"
    #: The sum of the reciprocals, and how many there are.
    identity = (0.0, 0)

    def lift(self, value: Any) -> tuple[float, int]:
        number = read_real(not_nan(value, self.nan))
        if number < 0:
            raise ValueError(
                f"a harmonic mean takes no negative numbers, and {number!r} is one: leave it out, or use Mean"
            )
        return 1 / number if number else math.inf, 1

    def combine(self, older: tuple[float, int], newer: tuple[float, int]) -> tuple[float, int]:
        return older[0] + newer[0], older[1] + newer[1]

    def lower(self, partial: tuple[float, int]) -> float | None:
        total, count = partial
        if not count:
            return None
        return count / total if total else math.inf

    def native(self) -> Native:
        return record(self, "harmonic_mean")


@built_in
class WeightedMean(Pairs):
    """The mean of values that count by their weights, a float. Values are pairs (value, weight); a weight that is
    negative or infinite is a ValueError.

    Commutative, not invertible, rounded; None for an empty window, and where all weights are 0. Cost of combine: O(1).

    >>> price = WeightedMean("price", "volume")
    >>> price.lower(price.combine(price.lift((10.0, 1)), price.lift((20.0, 3))))
    17.5
    """

    commutative: ClassVar[bool] = True
    exact: ClassVar[bool] = False
    inputs: ClassVar[Inputs] = "weighted"
    result: ClassVar[Result] = "float"
    size: ClassVar[str] = "16 bytes"
    parts: ClassVar[tuple[str, str]] = ("value", "weight")
    #: The sum of the values times their weights, and the sum of the weights.
    identity = (0.0, 0.0)

    def lift(self, value: Any) -> tuple[float, float]:
        number, weight = self.read(value)
        if weight < 0 or math.isinf(weight):
            raise ValueError(f"a weight is a finite number from 0 up, and {weight!r} is not: leave such events out")
        return number * weight, weight

    def combine(self, older: tuple[float, float], newer: tuple[float, float]) -> tuple[float, float]:
        return older[0] + newer[0], older[1] + newer[1]

    def lower(self, partial: tuple[float, float]) -> float | None:
        total, weight = partial
        return total / weight if weight else None

    def native(self) -> Native:
        return record(self, "weighted_mean", ("real", "real"))
