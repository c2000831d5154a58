"""Sums and products. Integers are exact or an error, never a wrong number."""

# The methods are described once, in Aggregation.
# ruff: noqa: D102

from __future__ import annotations

from typing import Any, ClassVar

from sash.aggregations.amounts import add, subtract
from sash.aggregations.base import Native, WithNan, built_in
from sash.aggregations.declared import Also, Inputs, Result
from sash.aggregations.reading import check_int64, not_nan, read_amount, read_number

__all__ = ["Product", "Sum"]


class _Checked(WithNan):
    """Integers in, an integer out that fits in 64 bits; floats in, a float out; mixed, a float out."""

    inputs: ClassVar[Inputs] = "number"
    result: ClassVar[Result] = "number"
    commutative: ClassVar[bool] = True
    exact: ClassVar[bool] = False
    size: ClassVar[str] = "8 bytes"
    error: ClassVar[str] = "exact over integers, rounded over floats"

    def lift(self, value: Any) -> int | float:
        return read_number(not_nan(value, self.nan))

    def lower(self, partial: int | float) -> int | float:
        return check_int64(partial) if isinstance(partial, int) else partial


@built_in
class Sum(_Checked):
    """The sum. An integer sum that does not fit in 64 bits is an OverflowError when it is asked for.

    Commutative, invertible; exact over integers, rounded over floats; 0 for an empty window. Cost of combine: O(1).

    >>> total = Sum()
    >>> total.lower(total.combine(total.lift(2), total.lift(3)))
    5
    >>> total.lower(total.combine(total.lift(2), total.lift(0.5)))
    2.5
    """

    also: ClassVar[tuple[Also, ...]] = ("decimal", "duration")
    identity = 0

    def lift(self, value: Any) -> Any:
        return read_amount(not_nan(value, self.nan))

    def combine(self, older: Any, newer: Any) -> Any:
        return add(older, newer)

    def inverse(self, whole: Any, older: Any) -> Any:
        return subtract(whole, older)

    def native(self) -> Native:
        return Native("sum", "amount", fixed=True, batch=True)


@built_in
class Product(_Checked):
    """The product. An integer product that does not fit in 64 bits is an OverflowError when it is asked for.

    Commutative, not invertible (what was multiplied by 0 is lost); exact over integers, rounded over floats; 1 for an
    empty window. Cost of combine: O(1).

    >>> product = Product()
    >>> product.lower(product.combine(product.lift(2), product.lift(3)))
    6
    """

    identity = 1

    def combine(self, older: int | float, newer: int | float) -> int | float:
        return older * newer

    def native(self) -> Native:
        return Native("product", "number", fixed=True, batch=True)
