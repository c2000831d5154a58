"""The values at the two ends of the window, near the younger end, and the way from one end to the other."""

# The methods are described once, in Aggregation.
# ruff: noqa: D102

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, ClassVar

from sash.aggregations.amounts import check_alike, subtract
from sash.aggregations.base import Native, OnNan, Where, WithNan, built_in
from sash.aggregations.declared import Also, Inputs, Pick, Result
from sash.aggregations.options import check_column, check_size
from sash.aggregations.reading import Number, check_int64, not_nan, plain, read_measure
from sash.aggregations.records import record

__all__ = ["Delta", "First", "IthYoungest", "Last"]

Held = tuple[()] | tuple[Any]


class _AtEnd(WithNan):
    """A partial is a tuple of the one value, or an empty tuple."""

    inputs: ClassVar[Inputs] = "any"
    result: ClassVar[Result] = "value"
    gives: ClassVar[str] = "the value"
    size: ClassVar[str] = "16 bytes"
    identity: Held = ()

    def lift(self, value: Any) -> Held:
        return (plain(not_nan(value, self.nan)),)

    def lower(self, partial: Held) -> Any:
        return partial[0] if partial else None


@built_in
class First(_AtEnd):
    """The value of the oldest event. Any values; not commutative, not invertible, exact; None for an empty window.

    Cost of combine: O(1).

    >>> first = First()
    >>> first.lower(first.combine(first.lift("a"), first.lift("b")))
    'a'
    """

    picks: ClassVar[Pick | None] = "first"

    def combine(self, older: Held, newer: Held) -> Held:
        return older or newer

    def native(self) -> Native:
        return Native("first", "any")


@built_in
class Last(_AtEnd):
    """The value of the youngest event. Any values; not commutative, not invertible, exact; None for an empty window.

    Cost of combine: O(1).

    >>> last = Last()
    >>> last.lower(last.combine(last.lift("a"), last.lift("b")))
    'b'
    """

    picks: ClassVar[Pick | None] = "last"

    def combine(self, older: Held, newer: Held) -> Held:
        return newer or older

    def native(self) -> Native:
        return Native("last", "any")


@built_in
class IthYoungest(WithNan):
    """The value of the i-th youngest event: 0 is the youngest, 1 the one before it, and so on. Any values.

    Not commutative, not invertible, exact; None where there are no more than i values. Cost of combine: O(i).

    >>> before = IthYoungest(i=1)
    >>> before.lower(before.combine(before.lift("a"), before.lift("b")))
    'a'
    """

    defaults: ClassVar[Mapping[str, Any]] = {"i": 1, "nan": "skip"}
    result: ClassVar[Result] = "value"
    size: ClassVar[str] = "i + 1 values"
    inputs: ClassVar[Inputs] = "any"
    #: A partial is the i + 1 youngest values, or fewer, oldest first.
    identity: tuple[Any, ...] = ()

    def __init__(self, column: str | None = None, *, i: int = 1, nan: OnNan = "skip", where: Where = None) -> None:
        super().__init__(check_column(column, "i"), nan=nan)
        self.i = check_size("i", i, least=0)

    def lift(self, value: Any) -> tuple[Any, ...]:
        return (plain(not_nan(value, self.nan)),)

    def combine(self, older: tuple[Any, ...], newer: tuple[Any, ...]) -> tuple[Any, ...]:
        wanted = self.i + 1
        return newer if len(newer) == wanted else (older + newer)[-wanted:]

    def lower(self, partial: tuple[Any, ...]) -> Any:
        return partial[0] if len(partial) > self.i else None


@built_in
class Delta(WithNan):
    """The last value minus the first. An integer that does not fit in 64 bits is an OverflowError when it is asked for.

    Not commutative, not invertible, exact; 0 for one value, None for an empty window. Cost of combine: O(1).

    >>> gain = Delta()
    >>> gain.lower(gain.combine(gain.combine(gain.lift(4), gain.lift(9)), gain.lift(7)))
    3
    """

    size: ClassVar[str] = "24 bytes"
    inputs: ClassVar[Inputs] = "number"
    also: ClassVar[tuple[Also, ...]] = ("decimal", "instant", "duration")
    result: ClassVar[Result] = "number"
    identity = None

    def lift(self, value: Any) -> tuple[Number, Number]:
        number = read_measure(not_nan(value, self.nan))
        return number, number

    def combine(
        self, older: tuple[Number, Number] | None, newer: tuple[Number, Number] | None
    ) -> tuple[Number, Number] | None:
        if older is None or newer is None:
            return newer if older is None else older
        check_alike(older[0], newer[1])
        return older[0], newer[1]

    def lower(self, partial: tuple[Number, Number] | None) -> Number | None:
        if partial is None:
            return None
        difference = subtract(partial[1], partial[0])
        return check_int64(difference) if isinstance(difference, int) else difference

    def native(self) -> Native:
        return record(self, "delta", ("ordered",))
