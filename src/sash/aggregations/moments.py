"""Variance and standard deviation by merging centred moments (Chan, Golub, LeVeque).

There is no sum of squares, so nothing cancels.
"""

# The methods are described once, in Aggregation.

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any, ClassVar

from sash.aggregations.base import Native, OnNan, Where, WithNan, built_in
from sash.aggregations.declared import Inputs, Result
from sash.aggregations.options import check_column, check_size
from sash.aggregations.reading import not_nan, read_real

__all__ = ["Std", "Var"]

#: Mean, sum of the squared distances from it, count.
Moments = tuple[float, float, int]


class _Spread(WithNan):
    defaults: ClassVar[Mapping[str, Any]] = {"ddof": 1, "nan": "skip"}
    inputs: ClassVar[Inputs] = "real"
    rounds: ClassVar[bool] = True
    result: ClassVar[Result] = "float"
    size: ClassVar[str] = "24 bytes"
    commutative: ClassVar[bool] = True
    exact: ClassVar[bool] = False
    identity: Moments = (0.0, 0.0, 0)
    root: ClassVar[bool]

    def __init__(self, column: str | None = None, *, ddof: int = 1, nan: OnNan = "skip", where: Where = None) -> None:
        super().__init__(check_column(column, "ddof"), nan=nan)
        self.ddof = check_size("ddof", ddof, least=0)

    @property
    def fewest(self) -> int:
        return self.ddof + 1

    def lift(self, value: Any) -> Moments:
        number = read_real(not_nan(value, self.nan))
        # 0, but NaN for an infinity: no spread is known from there on, in whatever order events are combined.
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
        return Native("moments", "real", {"ddof": self.ddof, "root": self.root}, fixed=True, batch=True)


@built_in
class Var(_Spread):
    """The variance, divided by n - `ddof`: of a sample by default, as pandas, polars and SQL have it; `ddof=0` is that
    of a population, as NumPy has it.

    Commutative, not invertible, rounded; None where there are no more than `ddof` values. Cost of combine: O(1).

    >>> variance = Var()
    >>> variance.lower(variance.combine(variance.lift(1), variance.lift(3)))
    2.0
    >>> variance = Var(ddof=0)
    >>> variance.lower(variance.combine(variance.lift(1), variance.lift(3)))
    1.0
    """

    root: ClassVar[bool] = False


@built_in
class Std(_Spread):
    """The standard deviation, the root of `Var`: of a sample by default, of a population with `ddof=0`.

    Commutative, not invertible, rounded; None where there are no more than `ddof` values. Cost of combine: O(1).

    >>> deviation = Std("amount", ddof=0)
    >>> deviation.lower(deviation.combine(deviation.lift(1), deviation.lift(3)))
    1.0
    """

    root: ClassVar[bool] = True
