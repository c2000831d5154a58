"""How two numbers move together: covariance, correlation, the straight line through them.

By merging centred moments (Chan, Golub, LeVeque; Pebay), so nothing cancels.
"""

# The methods are described once, in Aggregation.
# ruff: noqa: D102

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any, ClassVar, NamedTuple

from sash.aggregations.base import Native, OnNan, Where, built_in
from sash.aggregations.declared import Result
from sash.aggregations.options import check_size
from sash.aggregations.pairs import Pairs
from sash.aggregations.records import record
from sash.aggregations.rounding import near

__all__ = ["Correlation", "Covariance", "FittedLine", "LinearRegression"]


class CoMoments(NamedTuple):
    """Means of x and y; sums of their squared distances from them, and of the products of these distances; how many."""

    mean_x: float
    mean_y: float
    spread_x: float
    spread_y: float
    joint: float
    events: int


class _CoMoments(Pairs):
    kernel: ClassVar[str]
    commutative: ClassVar[bool] = True
    exact: ClassVar[bool] = False
    size: ClassVar[str] = "48 bytes"
    identity = tuple(CoMoments(0.0, 0.0, 0.0, 0.0, 0.0, 0))

    def lift(self, value: Any) -> tuple[Any, ...]:
        x, y = self.read(value)
        # 0, but NaN for an infinity: nothing is known from there on, in whatever order events are combined.
        none_x, none_y = x - x, y - y
        return x + none_x, y + none_y, none_x, none_y, none_x + none_y, 1

    def combine(self, older: tuple[Any, ...], newer: tuple[Any, ...]) -> tuple[Any, ...]:
        a, b = CoMoments(*older), CoMoments(*newer)
        if a.events == 0 or b.events == 0:
            return newer if a.events == 0 else older
        count = a.events + b.events
        apart_x, apart_y = b.mean_x - a.mean_x, b.mean_y - a.mean_y
        share = b.events / count
        weight = share * a.events
        return (
            a.mean_x + apart_x * share,
            a.mean_y + apart_y * share,
            a.spread_x + b.spread_x + apart_x * apart_x * weight,
            a.spread_y + b.spread_y + apart_y * apart_y * weight,
            a.joint + b.joint + apart_x * apart_y * weight,
            count,
        )

    def close(self, one: tuple[Any, ...], other: tuple[Any, ...]) -> bool:
        """Whether two partials differ by rounding only, which is relative to the products of the numbers' sizes."""
        a, b = CoMoments(*one), CoMoments(*other)
        if a.events != b.events:
            return False
        x = max(1.0, abs(a.mean_x), math.sqrt(abs(a.spread_x)))
        y = max(1.0, abs(a.mean_y), math.sqrt(abs(a.spread_y)))
        return all(
            near(left, right, scale)
            for left, right, scale in zip(a[:5], b[:5], (x, y, x * x, y * y, x * y), strict=True)
        )

    def native(self) -> Native:
        return record(self, self.kernel, ("real", "real"), {"ddof": getattr(self, "ddof", 1)})


@built_in
class Covariance(_CoMoments):
    """The covariance of two numbers, divided by n - 1; by n with `ddof=0`. Values are pairs (x, y).

    Commutative, not invertible, rounded; None for fewer than `ddof` + 1 pairs. Cost of combine: O(1).

    >>> together = Covariance("price", "volume")
    >>> together.lower(together.combine(together.lift((1, 10)), together.lift((3, 30))))
    20.0
    """

    kernel: ClassVar[str] = "covariance"
    defaults: ClassVar[Mapping[str, Any]] = {"ddof": 1, "nan": "skip"}
    result: ClassVar[Result] = "float"

    def __init__(
        self,
        first: str | None = None,
        second: str | None = None,
        *,
        ddof: int = 1,
        nan: OnNan = "skip",
        where: Where = None,
    ) -> None:
        super().__init__(first, second, nan=nan)
        self.ddof = check_size("ddof", ddof, least=0)

    def lower(self, partial: tuple[Any, ...]) -> float | None:
        moments = CoMoments(*partial)
        return moments.joint / (moments.events - self.ddof) if moments.events > self.ddof else None


@built_in
class Correlation(_CoMoments):
    """Pearson's correlation of two numbers, from -1 to 1. Values are pairs (x, y).

    Commutative, not invertible, rounded; None for fewer than two pairs, and where either number does not vary. Cost of
    combine: O(1).

    >>> together = Correlation()
    >>> round(together.lower(together.combine(together.lift((1, 10)), together.lift((3, 30)))), 9)
    1.0
    """

    kernel: ClassVar[str] = "correlation"
    result: ClassVar[Result] = "float"

    def lower(self, partial: tuple[Any, ...]) -> float | None:
        moments = CoMoments(*partial)
        if moments.events < 2 or moments.spread_x == 0 or moments.spread_y == 0:
            return None
        # One root after the other: the product of the spreads might overflow.
        found = moments.joint / math.sqrt(moments.spread_x) / math.sqrt(moments.spread_y)
        return max(-1.0, min(1.0, found)) if found == found else found


class FittedLine(NamedTuple):
    """The line y = slope * x + intercept, and which share of y's variance it explains.

    >>> FittedLine(2.0, 1.0, 1.0).at(10)
    21.0
    """

    slope: float
    intercept: float
    r_squared: float

    def at(self, x: float) -> float:
        """The y that the line has at x."""
        return self.slope * x + self.intercept


@built_in
class LinearRegression(_CoMoments):
    """The straight line with the least squared distances of y: a `FittedLine` (slope, intercept, r_squared). Values are
    pairs (x, y).

    Commutative, not invertible, rounded; None for fewer than two pairs, and where x does not vary. Where y does not
    vary the line is flat, and its r_squared is 1, as in SQL. Cost of combine: O(1).

    >>> trend = LinearRegression("time", "price")
    >>> trend.lower(trend.combine(trend.lift((1, 3)), trend.lift((2, 5))))
    FittedLine(slope=2.0, intercept=1.0, r_squared=1.0)
    """

    kernel: ClassVar[str] = "line"
    result: ClassVar[Result] = dict.fromkeys(("slope", "intercept", "r_squared"), "float")
    gives: ClassVar[str] = "FittedLine (slope, intercept, r_squared)"

    def lower(self, partial: tuple[Any, ...]) -> FittedLine | None:
        moments = CoMoments(*partial)
        if moments.events < 2 or moments.spread_x == 0:
            return None
        slope = moments.joint / moments.spread_x
        explained = 1.0 if moments.spread_y == 0 else slope * (moments.joint / moments.spread_y)
        return self.shape((slope, moments.mean_y - slope * moments.mean_x, 1.0 if explained > 1 else explained))

    def shape(self, fields: tuple[Any, ...]) -> FittedLine:
        """The result of its numbers in order."""
        return FittedLine(*fields)
