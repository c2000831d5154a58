"""Quantiles: one as a number, or several with their bounds."""

# The methods are described once, in Aggregation.
# ruff: noqa: D102

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import Any, ClassVar, NamedTuple

from sash.aggregations.base import OnNan, built_in
from sash.aggregations.declared import Result
from sash.aggregations.options import check_column
from sash.aggregations.sketches.quantile_kinds import Reading
from sash.aggregations.sketches.ranked import QuantileKind, Ranked, check_rank

__all__ = ["Median", "Quantile", "QuantileEstimate", "Quantiles"]


class QuantileEstimate(NamedTuple):
    """The value at a rank (0.5 is the median), and the values at the ends of the rank's error; None if there is none.

    >>> QuantileEstimate(rank=0.5, value=10.0, lower=9.5, upper=11.0).value
    10.0
    """

    rank: float
    value: float | None
    lower: float | None
    upper: float | None


@built_in
class Quantiles(Ranked):
    """The values at the given ranks, as a tuple of `QuantileEstimate` with bounds; exact up to 64 values.

    Values are numbers and are read as float64. The value at rank q is the least such that a share q of the events is
    not above it. `kind` is "kll" (the error of the rank is the same everywhere: 1.33% with k=200, 99 times in 100),
    "req" (the error shrinks towards rank 1, so it is for the 99.9th percentile; slower; k even, from 4 to 1024) or
    "tdigest" (the error shrinks towards both ends; interpolates; its bounds are a rule of thumb, not a proof; takes no
    infinities). `k` is by default 200, 12 and 200. A larger k is more precise and larger.

    The sketches choose at random what they keep. So the laws hold within the bounds: two windows with the same events
    may give results that differ within them. Commutative and associative in that sense, not invertible; values of None
    for an empty window. Cost of combine: O(k), and O(1) while there are few values.

    >>> import sash
    >>> w = sash.Window(sash.Quantiles(at=[0.5, 0.99]))
    >>> w.bulk_insert(range(5), [3, 1, 4, 1, 5])
    >>> [quantile.value for quantile in w.query()]
    [3.0, 5.0]
    >>> w.bulk_insert(range(10, 1010), range(1000))
    >>> median, high = w.query()
    >>> median.lower <= 497 <= median.upper
    True
    """

    result: ClassVar[Result] = [dict.fromkeys(QuantileEstimate._fields, "float")]
    gives: ClassVar[str] = "tuple of QuantileEstimate(rank, value, lower, upper)"
    size: ClassVar[str] = "up to 64 floats, then 2 to 5 KB with the default k (req: 2 to 10 KB)"
    error: ClassVar[str] = "exact up to 64 values, then a rank error of 1.33% (kll), less towards rank 1 (req)"
    defaults: ClassVar[Mapping[str, Any]] = {"at": (0.5,), "kind": "kll", "k": None, "nan": "skip"}

    def __init__(
        self,
        column: str | None = None,
        *,
        at: float | Sequence[float] = (0.5,),
        kind: QuantileKind = "kll",
        k: int | None = None,
        nan: OnNan = "skip",
    ) -> None:
        super().__init__(column, kind=kind, k=k, nan=nan)
        self.at = tuple(check_rank("a rank", rank) for rank in (at if isinstance(at, (tuple, list)) else (at,)))
        if not self.at:
            raise ValueError("at needs at least one rank, such as [0.5, 0.99]")

    def of_sorted(self, values: Sequence[float]) -> tuple[QuantileEstimate, ...]:
        return tuple(QuantileEstimate(rank, *[_exactly(values, rank)] * 3) for rank in self.at)

    def of_sketch(self, reading: Reading) -> tuple[QuantileEstimate, ...]:
        return tuple(_estimated(reading, rank) for rank in self.at)

    def of_none(self, value: float | None) -> tuple[QuantileEstimate, ...]:
        return tuple(QuantileEstimate(rank, value, value, value) for rank in self.at)


class _OneRank(Ranked):
    """A result is a number: between two values in order, where the rank lies between them."""

    q: float
    result: ClassVar[Result] = "float"
    size: ClassVar[str] = "up to 64 floats, then 2 to 5 KB"
    error: ClassVar[str] = "exact up to 64 values (in frames 50,000), then a rank error of 1.33%"

    def of_sorted(self, values: Sequence[float]) -> float:
        return _between(values, self.q)

    def of_sketch(self, reading: Reading) -> float:
        return reading.quantile(self.q)

    def of_none(self, value: float | None) -> float | None:
        return value


@built_in
class Quantile(_OneRank):
    """The value at the rank `q`, a float: 0.5 is the median, 0.99 the 99th percentile. Where the rank lies between two
    values it is interpolated, as pandas and NumPy do.

    Exact where a window holds at most 64 values; in frames and in Spark's batch, with `emit="final"`, at most 50,000.
    Beyond that it is an estimate of a KLL sketch: the value of a rank that is off by at most 1.33%, 99 times in 100.
    `Quantiles` gives the bounds too, and other sketches. Values are read as float64. The laws hold within the bounds:
    commutative, not invertible; None for an empty window. Needs the extra `sash[sketches]`. Cost of combine: O(k) with
    k = 200, and O(1) while there are few values.

    >>> import sash
    >>> w = sash.Window(sash.Quantile(q=0.25))
    >>> w.bulk_insert(range(4), [4, 1, 3, 2])
    >>> w.query()
    1.75
    """

    defaults: ClassVar[Mapping[str, Any]] = {"q": 0.5, "nan": "skip"}

    def __init__(self, column: str | None = None, q: float = 0.5, *, nan: OnNan = "skip") -> None:
        super().__init__(check_column(column, "q"), nan=nan)
        self.q = check_rank("q", q)


@built_in
class Median(_OneRank):
    """The median, a float: the value in the middle, or the mean of the two in the middle. It is `Quantile` of 0.5, and
    as exact.

    Exact where a window holds at most 64 values; in frames and in Spark's batch, with `emit="final"`, at most 50,000.
    Beyond that it is an estimate of a KLL sketch, whose rank is off by at most 1.33%, 99 times in 100. The laws hold
    within the bounds: commutative, not invertible; None for an empty window. Needs the extra `sash[sketches]`. Cost of
    combine: O(k) with k = 200, and O(1) while there are few values.

    >>> import sash
    >>> w = sash.Window(sash.Median())
    >>> w.bulk_insert(range(4), [4, 1, 3, 2])
    >>> w.query()
    2.5
    """

    q = 0.5

    def __init__(self, column: str | None = None, *, nan: OnNan = "skip") -> None:
        super().__init__(column, nan=nan)


def _exactly(values: Sequence[float], rank: float) -> float:
    """The least value such that a share `rank` is not above it."""
    # 0.07 * 100 is a little more than 7: what is whole but for rounding is taken as whole.
    place = math.ceil(rank * len(values) - 1e-9)
    return values[max(place, 1) - 1]


def _between(values: Sequence[float], rank: float) -> float:
    """The value at the rank, of which the least value has 0 and the greatest 1, with straight lines between them."""
    place = rank * (len(values) - 1)
    low = math.floor(place)
    share = place - low
    below, above = values[low], values[min(low + 1, len(values) - 1)]
    if share == 0 or below == above:
        return below
    gap = above - below
    # Between two that are too far apart, or one that is infinite, there is no gap to take a share of.
    return below + gap * share if math.isfinite(gap) else below * (1 - share) + above * share


def _estimated(reading: Reading, rank: float) -> QuantileEstimate:
    low, high = reading.bounds(rank)
    value = reading.quantile(rank)
    return QuantileEstimate(rank, value, min(reading.quantile(low), value), max(reading.quantile(high), value))
