"""The shape of a distribution: skewness and kurtosis, by merging centred moments (Chan; Pebay)."""

# The methods are described once, in Aggregation.

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any, ClassVar

from sash.aggregations.base import Native, OnNan, Where, WithNan, built_in
from sash.aggregations.declared import Inputs, Result
from sash.aggregations.reading import not_nan, read_real
from sash.aggregations.records import record
from sash.aggregations.rounding import near

__all__ = ["Kurtosis", "Skewness"]

#: Mean; sums of the second, third and fourth powers of the distances from it; count.
Powers = tuple[float, float, float, float, int]


class _Shape(WithNan):
    defaults: ClassVar[Mapping[str, Any]] = {"bias": False, "nan": "skip"}
    commutative: ClassVar[bool] = True
    exact: ClassVar[bool] = False
    size: ClassVar[str] = "40 bytes"
    inputs: ClassVar[Inputs] = "real"
    rounds: ClassVar[bool] = True
    result: ClassVar[Result] = "float"
    identity: Powers = (0.0, 0.0, 0.0, 0.0, 0)
    #: How many values the unbiased form needs.
    unbiased_from: ClassVar[int]

    def __init__(
        self, column: str | None = None, *, bias: bool = False, nan: OnNan = "skip", where: Where = None
    ) -> None:
        super().__init__(column, nan=nan)
        if not isinstance(bias, bool):
            raise TypeError(f"bias is True or False, not {type(bias).__name__} ({bias!r:.60})")
        self.bias = bias

    def lift(self, value: Any) -> Powers:
        number = read_real(not_nan(value, self.nan))
        # 0, but NaN for an infinity: no shape is known from there on, in whatever order events are combined.
        none = number - number
        return number + none, none, none, none, 1

    def combine(self, older: Powers, newer: Powers) -> Powers:
        if older[4] == 0 or newer[4] == 0:
            return newer if older[4] == 0 else older
        mean_a, two_a, three_a, four_a, count_a = older
        mean_b, two_b, three_b, four_b, count_b = newer
        count = count_a + count_b
        p, q = count_a / count, count_b / count
        apart = mean_b - mean_a
        square = apart * apart
        pairs = square * q * count_a
        return (
            mean_a + apart * q,
            two_a + two_b + pairs,
            three_a + three_b + pairs * apart * (p - q) + 3 * apart * (p * two_b - q * two_a),
            four_a
            + four_b
            + pairs * square * (p * p - p * q + q * q)
            + 6 * square * (p * p * two_b + q * q * two_a)
            + 4 * apart * (p * three_b - q * three_a),
            count,
        )

    def close(self, one: Powers, other: Powers) -> bool:
        """Whether two partials differ by rounding only, which is relative to the powers of the numbers' size."""
        scale = max(1.0, abs(one[0]), math.sqrt(abs(one[1])))
        pairs = zip(one[:4], other[:4], (1, 2, 3, 4), strict=True)
        return one[4] == other[4] and all(near(a, b, scale**power) for a, b, power in pairs)

    def lower(self, partial: Powers) -> float | None:
        count = partial[4]
        if count == 0 or (count < self.unbiased_from and not self.bias):
            return None
        return 0.0 if partial[1] == 0 else self._form(*partial)

    def native(self) -> Native:
        return record(self, type(self).__name__.lower(), ("real",), {"bias": self.bias})

    def _form(self, mean: float, two: float, three: float, four: float, count: int) -> float:
        raise NotImplementedError


@built_in
class Skewness(_Shape):
    """How lopsided the values lie: above 0 if the long tail is on the right. The unbiased form, as pandas has it, or
    with `bias=True` that of a population, g1.

    Commutative, not invertible, rounded; 0.0 where all values are equal, None for fewer than three values (for none
    with `bias=True`). Cost of combine: O(1).

    >>> tail = Skewness()
    >>> round(tail.lower(tail.combine(tail.combine(tail.lift(1), tail.lift(2)), tail.lift(6))), 6)
    1.457863
    """

    unbiased_from: ClassVar[int] = 3

    def _form(self, mean: float, two: float, three: float, four: float, count: int) -> float:
        biased = three / two / math.sqrt(two) * math.sqrt(count)
        return biased if self.bias else biased * math.sqrt(count * (count - 1)) / (count - 2)


@built_in
class Kurtosis(_Shape):
    """How heavy the tails are beyond those of the normal distribution, which has 0. The unbiased form, as pandas has
    it, or with `bias=True` that of a population, g2.

    Commutative, not invertible, rounded; 0.0 where all values are equal, None for fewer than four values (for none
    with `bias=True`). Cost of combine: O(1).

    >>> tails = Kurtosis()
    >>> lifted = [tails.lift(value) for value in (1, 2, 3, 4)]
    >>> pairs = tails.combine(lifted[0], lifted[1]), tails.combine(lifted[2], lifted[3])
    >>> round(tails.lower(tails.combine(*pairs)), 9)
    -1.2
    """

    unbiased_from: ClassVar[int] = 4

    def _form(self, mean: float, two: float, three: float, four: float, count: int) -> float:
        biased = four / two / two * count - 3
        if self.bias:
            return biased
        return (count - 1) / ((count - 2) * (count - 3)) * ((count + 1) * biased + 6)
