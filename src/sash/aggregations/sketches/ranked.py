"""What the quantiles have in common: a few values in order, then a sketch of many, of one of three kinds."""

# The methods are described once, in Aggregation.
# ruff: noqa: D102

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any, ClassVar, Final, Literal

from sash.aggregations.base import OnNan
from sash.aggregations.declared import Inputs
from sash.aggregations.reading import is_nan, not_nan, read_real
from sash.aggregations.sketches.base import SMALL, Sketched, check_one_of, check_whole
from sash.aggregations.sketches.quantile_kinds import KINDS, Reading

__all__ = ["QuantileKind", "Ranked", "check_rank"]

QuantileKind = Literal["kll", "req", "tdigest"]
#: A few values, sorted; or the bytes of a sketch of many; or NaN, if one came in and NaN propagates.
Partial = tuple[float, ...] | bytes | float

#: How many times the bounds of both sketches together two of the same events may differ and still be called close.
_SLACK: Final = 2.0
_GRID: Final = tuple(step / 20 for step in range(21))


class Ranked(Sketched):
    """An aggregation of the values at some ranks. A result is made of values in order, or of a sketch of them."""

    commutative: ClassVar[bool] = True
    exact: ClassVar[bool] = False
    inputs: ClassVar[Inputs] = "number"
    identity: Partial = ()

    def __init__(
        self, column: str | None = None, *, kind: QuantileKind = "kll", k: int | None = None, nan: OnNan = "skip"
    ) -> None:
        super().__init__(column, nan=nan)
        self.kind = check_one_of("kind", kind, tuple(KINDS))
        self.k = k if k is None else check_whole("k", k, *KINDS[kind].sizes)
        if kind == "req" and k is not None and k % 2:
            raise ValueError(f'k is even for kind="req", not {k!r}')
        self._sketch = KINDS[kind](self.k if self.k is not None else KINDS[kind].default)

    def of_sorted(self, values: Sequence[float]) -> Any:
        """The result of values in order, of which there is at least one: exact."""
        raise NotImplementedError

    def of_sketch(self, reading: Reading) -> Any:
        """The result of a sketch."""
        raise NotImplementedError

    def of_none(self, value: float | None) -> Any:
        """The result where there is no value, or only the NaN that came in."""
        raise NotImplementedError

    def lower(self, partial: Partial) -> Any:
        if isinstance(partial, float) or not partial:
            return self.of_none(partial if isinstance(partial, float) else None)
        return self.of_sorted(partial) if isinstance(partial, tuple) else self.of_sketch(self._sketch.read(partial))

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


def check_rank(name: str, rank: Any) -> float:
    """A number from 0 to 1; ValueError if it is none."""
    if not isinstance(rank, (int, float)) or isinstance(rank, bool) or not 0 <= rank <= 1:
        raise ValueError(f"{name} is a number from 0 to 1, not {rank!r}: the 99th percentile is 0.99")
    return float(rank)


def _within(one: Reading, other: Reading) -> bool:
    """Whether the values that one gives lie, in the other, near the ranks that they were given for."""
    for rank in _GRID:
        (low, high), (other_low, other_high) = one.bounds(rank), other.bounds(rank)
        slack = _SLACK * (max(rank - low, high - rank) + max(rank - other_low, other_high - rank)) + 1e-9
        below, upto = other.ranks(one.quantile(rank))
        if not below - slack <= rank <= upto + slack:
            return False
    return True
