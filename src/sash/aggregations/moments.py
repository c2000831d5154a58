"""Variance and standard deviation by merging centred moments (Chan, Golub, LeVeque).

There is no sum of squares, so nothing cancels.
"""

from __future__ import annotations

import math
from typing import Any, ClassVar

from sash.aggregations.base import Native, WithNan, built_in
from sash.aggregations.reading import not_nan, read_real

__all__ = ["PopulationStdDev", "PopulationVariance", "SampleStdDev", "SampleVariance"]

#: Mean, sum of the squared distances from it, count.
Moments = tuple[float, float, int]


class _Spread(WithNan):
    takes: ClassVar[str] = "numbers"
    gives: ClassVar[str] = "float"
    size: ClassVar[str] = "24 bytes"
    commutative: ClassVar[bool] = True
    exact: ClassVar[bool] = False
    identity: Moments = (0.0, 0.0, 0)
    #: 1 for a sample, 0 for a population.
    ddof: ClassVar[int]
    root: ClassVar[bool]

    def lift(self, value: Any) -> Moments:
        number = read_real(not_nan(value, self.nan))
        # 0, but NaN for an infinity: no spread can be told from there on, in whatever order events are combined.
        spread = number - number
        return number + spread, spread, 1

    def combine(self, older: Moments, newer: Moments) -> Moments:
        if older[2] == 0 or newer[2] == 0:
            return newer if older[2] == 0 else older
        count = older[2] + newer[2]
        apart = newer[0] - older[0]
        share = newer[2] / count
        return older[0] + apart * share, older[1] + newer[1] + apart * apart * share * older[2], count

    def lower(self, partial: Moments) -> float | None:
        _, spread, count = partial
        if count <= self.ddof:
            return None
        variance = spread / (count - self.ddof)
        return math.sqrt(variance) if self.root else variance

    def native(self) -> Native:
        return Native("moments", "real", {"ddof": self.ddof, "root": self.root})


@built_in
class SampleVariance(_Spread):
    """The variance of a sample (divided by n - 1). Commutative, not invertible, rounded; None for fewer than two
    values.

    Cost of combine: O(1).

    >>> variance = SampleVariance()
    >>> variance.lower(variance.combine(variance.lift(1), variance.lift(3)))
    2.0
    """

    ddof: ClassVar[int] = 1
    root: ClassVar[bool] = False


@built_in
class PopulationVariance(_Spread):
    """The variance of a population (divided by n). Commutative, not invertible, rounded; None for an empty window.

    Cost of combine: O(1).

    >>> variance = PopulationVariance()
    >>> variance.lower(variance.combine(variance.lift(1), variance.lift(3)))
    1.0
    """

    ddof: ClassVar[int] = 0
    root: ClassVar[bool] = False


@built_in
class SampleStdDev(_Spread):
    """The standard deviation of a sample (n - 1). Commutative, not invertible, rounded; None for fewer than two values.

    Cost of combine: O(1).

    >>> deviation = SampleStdDev()
    >>> deviation.lower(deviation.combine(deviation.lift(1), deviation.lift(1)))
    0.0
    """

    ddof: ClassVar[int] = 1
    root: ClassVar[bool] = True


@built_in
class PopulationStdDev(_Spread):
    """The standard deviation of a population (n). Commutative, not invertible, rounded; None for an empty window.

    Cost of combine: O(1).

    >>> deviation = PopulationStdDev()
    >>> deviation.lower(deviation.combine(deviation.lift(1), deviation.lift(3)))
    1.0
    """

    ddof: ClassVar[int] = 0
    root: ClassVar[bool] = True
