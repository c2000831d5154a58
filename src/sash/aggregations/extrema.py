"""The least and the greatest value, how often they occur, and the range between them.

Where NaN propagates it is more extreme than any number.
"""

# The methods are described once, in Aggregation.
# ruff: noqa: D102

from __future__ import annotations

from decimal import Decimal
from typing import Any, ClassVar

from sash.aggregations.amounts import check_alike, instant, subtract
from sash.aggregations.base import Native, WithNan, built_in
from sash.aggregations.declared import Also, Inputs, Result
from sash.aggregations.reading import Number, check_int64, not_nan, read_measure, read_ordered

__all__ = ["Max", "MaxCount", "Min", "MinCount", "Range", "beats"]


def beats(a: Any, b: Any, greatest: bool) -> bool:
    """Whether `a` is strictly more extreme than `b`. TypeError for values of two kinds."""
    check_alike(b, a)
    if b != b:
        return False
    one, other = instant(a), instant(b)
    return a != a or bool(one > other if greatest else one < other)


def _unsigned_zero(value: Number) -> Number:
    """-0.0 is 0.0: they are equal, and a window must not show which of them came."""
    return value + 0.0 if isinstance(value, float) else value


def _as_one_kind(a: Any, b: Any) -> tuple[Any, Any]:
    """One float makes both floats, and one decimal both decimals. Rounding keeps the order, so it does not matter when
    it is done."""
    if isinstance(a, Decimal) or isinstance(b, Decimal):
        return Decimal(a), Decimal(b)
    if isinstance(a, float) or isinstance(b, float):
        return float(a), float(b)
    return a, b


def _extreme(older: Any, newer: Any, greatest: bool) -> Any:
    """The more extreme of two values, of the kind that both have then; the older one of equal ones."""
    wins = beats(newer, older, greatest)
    return _as_one_kind(older, newer)[wins]


class _Extreme(WithNan):
    inputs: ClassVar[Inputs] = "number"
    also: ClassVar[tuple[Also, ...]] = ("decimal", "instant", "duration", "ordered")
    commutative: ClassVar[bool] = True
    greatest: ClassVar[bool]

    def lift(self, value: Any) -> Any:
        return _unsigned_zero(read_ordered(not_nan(value, self.nan)))


class _Extremum(_Extreme):
    """A partial is the extreme itself, or None."""

    result: ClassVar[Result] = "number"
    size: ClassVar[str] = "8 bytes"
    identity = None

    def combine(self, older: Number | None, newer: Number | None) -> Number | None:
        if older is None or newer is None:
            return newer if older is None else older
        return _extreme(older, newer, self.greatest)  # type: ignore[no-any-return]

    def lower(self, partial: Number | None) -> Number | None:
        return partial


@built_in
class Min(_Extremum):
    """The least value. Commutative, not invertible, exact; None for an empty window. Cost of combine: O(1).

    >>> least = Min()
    >>> least.lower(least.combine(least.lift(4), least.lift(3)))
    3
    """

    greatest: ClassVar[bool] = False

    def native(self) -> Native:
        return Native("min", "ordered", fixed=True, batch=True, nan_is_least=True)


@built_in
class Max(_Extremum):
    """The greatest value. Commutative, not invertible, exact; None for an empty window. Cost of combine: O(1).

    >>> greatest = Max()
    >>> greatest.lower(greatest.combine(greatest.lift(4), greatest.lift(3)))
    4
    """

    greatest: ClassVar[bool] = True

    def native(self) -> Native:
        return Native("max", "ordered", fixed=True, batch=True)


class _ExtremumCount(_Extreme):
    """A partial is the extreme and how many carry it, or None."""

    result: ClassVar[Result] = "int"
    size: ClassVar[str] = "16 bytes"
    identity = None

    def lift(self, value: Any) -> tuple[Number, int]:
        return super().lift(value), 1

    def combine(self, older: tuple[Number, int] | None, newer: tuple[Number, int] | None) -> tuple[Number, int] | None:
        if older is None or newer is None:
            return newer if older is None else older
        wins = beats(newer[0], older[0], self.greatest)
        before, after = _as_one_kind(older[0], newer[0])
        if wins:
            return after, newer[1]
        if beats(older[0], newer[0], self.greatest):
            return before, older[1]
        return before, older[1] + newer[1]

    def lower(self, partial: tuple[Number, int] | None) -> int:
        return 0 if partial is None else partial[1]


@built_in
class MinCount(_ExtremumCount):
    """How many events carry the least value. Commutative, not invertible, exact; 0 for an empty window.

    Cost of combine: O(1).

    >>> count = MinCount()
    >>> count.lower(count.combine(count.lift(3), count.lift(3)))
    2
    """

    greatest: ClassVar[bool] = False

    def native(self) -> Native:
        return Native("min_count", "ordered", fixed=True, batch=True, nan_is_least=True)


@built_in
class MaxCount(_ExtremumCount):
    """How many events carry the greatest value. Commutative, not invertible, exact; 0 for an empty window.

    Cost of combine: O(1).

    >>> count = MaxCount()
    >>> count.lower(count.combine(count.lift(3), count.lift(4)))
    1
    """

    greatest: ClassVar[bool] = True

    def native(self) -> Native:
        return Native("max_count", "ordered", fixed=True, batch=True)


@built_in
class Range(WithNan):
    """Greatest minus least. An integer range that does not fit in 64 bits is an OverflowError when it is asked for.

    Commutative, not invertible, exact; None for an empty window. Cost of combine: O(1).

    >>> spread = Range()
    >>> spread.lower(spread.combine(spread.lift(3), spread.lift(10)))
    7
    """

    inputs: ClassVar[Inputs] = "number"
    also: ClassVar[tuple[Also, ...]] = ("decimal", "instant", "duration")
    result: ClassVar[Result] = "number"
    size: ClassVar[str] = "16 bytes"
    commutative: ClassVar[bool] = True
    identity = None

    def lift(self, value: Any) -> tuple[Number, Number]:
        number = _unsigned_zero(read_measure(not_nan(value, self.nan)))
        return number, number

    def combine(
        self, older: tuple[Number, Number] | None, newer: tuple[Number, Number] | None
    ) -> tuple[Number, Number] | None:
        if older is None or newer is None:
            return newer if older is None else older
        return _extreme(older[0], newer[0], greatest=False), _extreme(older[1], newer[1], greatest=True)

    def lower(self, partial: tuple[Number, Number] | None) -> Number | None:
        if partial is None:
            return None
        difference = subtract(partial[1], partial[0])
        return check_int64(difference) if isinstance(difference, int) else difference

    def native(self) -> Native:
        return Native("range", "measure", fixed=True, batch=True)
