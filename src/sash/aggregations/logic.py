"""Any and all of truths, or and and of bits."""

# The methods are described once, in Aggregation.
# ruff: noqa: D102

from __future__ import annotations

from typing import Any as AnyValue
from typing import ClassVar

import numpy.typing as npt

from sash.aggregations.base import Aggregation, Native, built_in
from sash.aggregations.declared import Inputs, Refusal, Result
from sash.aggregations.reading import read_bool, read_integer

__all__ = ["All", "Any", "BitAnd", "BitOr"]


class _Truth(Aggregation):
    inputs: ClassVar[Inputs] = "bool"
    result: ClassVar[Result] = "bool"
    size: ClassVar[str] = "8 bytes"
    commutative: ClassVar[bool] = True

    def lift(self, value: AnyValue) -> bool:
        return read_bool(value)

    def refused(self, numbers: npt.NDArray[AnyValue]) -> Refusal | None:
        why = "True or False is needed, or 0 or 1: compare first, such as x > 0"
        return (numbers != 0) & (numbers != 1), TypeError(why)

    def lower(self, partial: bool) -> bool:
        return partial


@built_in
class Any(_Truth):
    """Whether any value is true. Commutative, not invertible, exact; False for an empty window. Cost of combine: O(1).

    >>> seen = Any()
    >>> seen.lower(seen.combine(seen.lift(False), seen.lift(True)))
    True
    """

    identity = False

    def combine(self, older: bool, newer: bool) -> bool:
        return older or newer

    def native(self) -> Native:
        return Native("any", "bool", fixed=True, batch=True)


@built_in
class All(_Truth):
    """Whether all values are true. Commutative, not invertible, exact; True for an empty window. Cost of combine: O(1).

    >>> healthy = All()
    >>> healthy.lower(healthy.combine(healthy.lift(False), healthy.lift(True)))
    False
    """

    identity = True

    def combine(self, older: bool, newer: bool) -> bool:
        return older and newer

    def native(self) -> Native:
        return Native("all", "bool", fixed=True, batch=True)


class _Bits(Aggregation):
    inputs: ClassVar[Inputs] = "integer"
    result: ClassVar[Result] = "int"
    size: ClassVar[str] = "8 bytes"
    commutative: ClassVar[bool] = True

    def lift(self, value: AnyValue) -> int:
        return read_integer(value)

    def lower(self, partial: int) -> int:
        return partial


@built_in
class BitOr(_Bits):
    """The bits that are set in any value. Commutative, not invertible, exact; 0 for an empty window. Cost of combine:
    O(1).

    >>> flags = BitOr()
    >>> flags.lower(flags.combine(flags.lift(0b01), flags.lift(0b10)))
    3
    """

    identity = 0

    def combine(self, older: int, newer: int) -> int:
        return older | newer

    def native(self) -> Native:
        return Native("bit_or", "integer", fixed=True, batch=True)


@built_in
class BitAnd(_Bits):
    """The bits that are set in all values. Commutative, not invertible, exact; -1 (every bit) for an empty window.

    Cost of combine: O(1).

    >>> flags = BitAnd()
    >>> flags.lower(flags.combine(flags.lift(0b011), flags.lift(0b110)))
    2
    """

    identity = -1

    def combine(self, older: int, newer: int) -> int:
        return older & newer

    def native(self) -> Native:
        return Native("bit_and", "integer", fixed=True, batch=True)
