"""Quantiles of values that are too many to keep, from a sketch of one of three kinds, with their bounds."""

# The methods are described once, in Aggregation.
# ruff: noqa: D102

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import Any, ClassVar, Final, Literal, NamedTuple

from sash.aggregations.base import OnNan, Where, built_in
from sash.aggregations.declared import Inputs, Result
from sash.aggregations.options import check_column, check_one_of, check_ranks
from sash.aggregations.reading import is_nan, not_nan, read_real
from sash.aggregations.sketches.base import SMALL, Sketched, check_whole
from sash.aggregations.sketches.quantile_kinds import KINDS, Reading

__all__ = ["ApproxQuantiles", "QuantileEstimate"]

QuantileKind = Literal["kll", "req", "tdigest"]
#: A few values, sorted; or the bytes of a sketch of many; or NaN, if one came in and NaN propagates.
Partial = tuple[float, ...] | bytes | float

#: How many times the bounds of both sketches together two of the same events may differ and still be called close.
_SLACK: Final = 2.0
_GRID: Final = tuple(step / 20 for step in range(21))


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
class ApproxQuantiles(Sketched):
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
    >>> w = sash.Window(sash.ApproxQuantiles(at=[0.5, 0.99]))
    >>> w.bulk_insert(range(5), [3, 1, 4, 1, 5])
    >>> [quantile.value for quantile in w.query()]
    [3.0, 5.0]
    >>> w.bulk_insert(range(10, 1010), range(1000))
    >>> median, high = w.query()
    >>> median.lower <= 497 <= median.upper
    True
    """

    commutative: ClassVar[bool] = True
    exact: ClassVar[bool] = False
    inputs: ClassVar[Inputs] = "number"
    identity: Partial = ()
    result: ClassVar[Result] = [dict.fromkeys(QuantileEstimate._fields, "float")]
    gives: ClassVar[str] = "tuple of QuantileEstimate(rank, value, lower, upper)"
    size: ClassVar[str] = "up to 64 floats, then 2 to 5 KB with the default k (req: 2 to 10 KB)"
    error: ClassVar[str] = "exact up to 64 values, then a rank error of 1.33% (kll), less towards rank 1 (req)"
    defaults: ClassVar[Mapping[str, Any]] = {"at": (0.5,), "kind": "kll", "k": None, "nan": "skip"}

    def __init__(
        self,
        column: str | None = None,
        at: float | Sequence[float] = (0.5,),
        *,
        kind: QuantileKind = "kll",
        k: int | None = None,
        nan: OnNan = "skip",
        where: Where = None,
    ) -> None:
        super().__init__(check_column(column, "at"), nan=nan)
        self.at = check_ranks(at)
        self.kind = check_one_of("kind", kind, tuple(KINDS))
        self.k = k if k is None else check_whole("k", k, *KINDS[kind].sizes)
        if kind == "req" and k is not None and k % 2:
            raise ValueError(f'k is even for kind="req", not {k!r}')
        self._sketch = KINDS[kind](self.k if self.k is not None else KINDS[kind].default)

    def lower(self, partial: Partial) -> Any:
        if isinstance(partial, bytes):
            reading = self._sketch.read(partial)
            return tuple(_estimated(reading, rank) for rank in self.at)
        if isinstance(partial, float) or not partial:
            nothing = partial if isinstance(partial, float) else None
            return tuple(QuantileEstimate(rank, nothing, nothing, nothing) for rank in self.at)
        return tuple(QuantileEstimate(rank, *[_exactly(partial, rank)] * 3) for rank in self.at)

    def lift(self, value: Any) -> Partial:
        number = read_real(not_nan(value, self.nan))
        if math.isinf(number) and self.kind == "tdigest":
            raise ValueError(f'a t-digest averages neighbours, and {number!r} has no average: use kind="kll"')
        # -0.0 is 0.0: they are equal, and a window must not show which of them came.
        return number if is_nan(number) else (number + 0.0,)

    def combine(self, older: Partial, newer: Partial) -> Partial:
        for partial in (older, newer):
            if isinstance(partial, float):
                return partial
        combined: Partial = super().combine(older, newer)
        return combined

    def close(self, a: Partial, b: Partial) -> bool:
        """Whether both may stand for the same events: as many, the same extremes, and ranks within twice the bounds."""
        if not isinstance(a, bytes) or not isinstance(b, bytes):
            return a == b or (is_nan(a) and is_nan(b))
        one, other = self._sketch.read(a), self._sketch.read(b)
        if (one.count, one.least, one.greatest) != (other.count, other.least, other.greatest):
            return False
        return _within(one, other) and _within(other, one)

    def _small_join(self, older: tuple[float, ...], newer: tuple[float, ...]) -> tuple[float, ...]:
        return tuple(sorted(older + newer))

    def _join(self, older: Any, newer: Any) -> bytes:
        return self._sketch.join(older, newer)

    def _sound(self, partial: Any) -> bool:
        if isinstance(partial, bytes):
            return self._sketch.read(partial).count > SMALL and self._sketch.fits(partial)
        if isinstance(partial, float):
            return is_nan(partial)
        values = isinstance(partial, tuple) and all(type(value) is float and not is_nan(value) for value in partial)
        return values and len(partial) <= SMALL and list(partial) == sorted(partial)


def _exactly(values: Sequence[float], rank: float) -> float:
    """The least value such that a share `rank` is not above it."""
    # 0.07 * 100 is a little more than 7: what is whole but for rounding is taken as whole.
    place = math.ceil(rank * len(values) - 1e-9)
    return values[max(place, 1) - 1]


def _estimated(reading: Reading, rank: float) -> QuantileEstimate:
    low, high = reading.bounds(rank)
    value = reading.quantile(rank)
    return QuantileEstimate(rank, value, min(reading.quantile(low), value), max(reading.quantile(high), value))


def _within(one: Reading, other: Reading) -> bool:
    """Whether the values that one gives lie, in the other, near the ranks that they were given for."""
    for rank in _GRID:
        (low, high), (other_low, other_high) = one.bounds(rank), other.bounds(rank)
        slack = _SLACK * (max(rank - low, high - rank) + max(rank - other_low, other_high - rank)) + 1e-9
        below, upto = other.ranks(one.quantile(rank))
        if not below - slack <= rank <= upto + slack:
            return False
    return True
