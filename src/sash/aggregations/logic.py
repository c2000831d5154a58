"""Any and all of truths, or and and of bits."""

# The methods are described once, in Aggregation.
# ruff: noqa: D102

from __future__ import annotations

from typing import Any as AnyValue
from typing import ClassVar

from sash.aggregations.base import Native, OneColumn, built_in
from sash.aggregations.reading import read_bool, read_integer

__all__ = ["All", "Any", "BitAnd", "BitOr"]


class _Truth(OneColumn):
    takes: ClassVar[str] = "truths"
    gives: ClassVar[str] = "bool"
    size: ClassVar[str] = "8 bytes"
    commutative: ClassVar[bool] = True

    def lift(self, value: AnyValue) -> bool:
        return read_bool(value)

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
        return Native("any", "bool")


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
        return Native("all", "bool")


class _Bits(OneColumn):
    takes: ClassVar[str] = "integers"
    gives: ClassVar[str] = "int"
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
        return Native("bit_or", "integer")


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
        return Native("bit_and", "integer")
