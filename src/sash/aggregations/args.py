"""What goes with the extreme: the argument of the least or the greatest key."""

# The methods are described once, in Aggregation.
# ruff: noqa: D102

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, ClassVar

from sash.aggregations.base import Aggregation, Native, OnNan, built_in, check_nan
from sash.aggregations.extrema import Number, beats
from sash.aggregations.reading import is_nan, not_nan, plain, read_number

__all__ = ["ArgMax", "ArgMin"]

Found = tuple[Number, Any]


class _ArgExtremum(Aggregation):
    """A value is a pair (key, argument); a partial is the winning pair, or None."""

    defaults: ClassVar[Mapping[str, Any]] = {"nan": "skip"}
    identity = None
    greatest: ClassVar[bool]

    def __init__(self, key: str | None = None, argument: str | None = None, *, nan: OnNan = "skip") -> None:
        if (key is None) != (argument is None):
            raise TypeError(
                f'{type(self).__name__} reads two columns, the key and its argument: ("amount", "merchant")'
            )
        self.column = None if key is None or argument is None else (key, argument)
        self.nan = check_nan(nan)

    def skips(self, value: Any) -> bool:
        """A pair is passed over if its key or its argument is null."""
        if value is None:
            return True
        key, argument = _pair(value)
        return key is None or argument is None or (self.nan == "skip" and is_nan(key))

    def lift(self, value: Any) -> Found:
        key, argument = _pair(value)
        return read_number(not_nan(key, self.nan)), plain(argument)

    def combine(self, older: Found | None, newer: Found | None) -> Found | None:
        if older is None or newer is None:
            return newer if older is None else older
        return newer if beats(newer[0], older[0], self.greatest) else older

    def lower(self, partial: Found | None) -> Any:
        return None if partial is None else partial[1]


def _pair(value: Any) -> tuple[Any, Any]:
    if isinstance(value, (tuple, list)) and len(value) == 2:
        return value[0], value[1]
    raise TypeError(f"a pair (key, argument) is needed, not {type(value).__name__} ({value!r:.60})")


@built_in
class ArgMin(_ArgExtremum):
    """The argument that goes with the least key; the oldest one on ties. Values are pairs (key, argument).

    Not commutative, not invertible, exact; None for an empty window. Cost of combine: O(1).

    >>> cheapest = ArgMin()
    >>> cheapest.lower(cheapest.combine(cheapest.lift((3.5, "a")), cheapest.lift((2.0, "b"))))
    'b'
    """

    greatest: ClassVar[bool] = False

    def native(self) -> Native:
        return Native("arg_min", "keyed")


@built_in
class ArgMax(_ArgExtremum):
    """The argument that goes with the greatest key; the oldest one on ties. Values are pairs (key, argument).

    Not commutative, not invertible, exact; None for an empty window. Cost of combine: O(1).

    >>> where = ArgMax("amount", "merchant")
    >>> where.lower(where.combine(where.lift((5, "a")), where.lift((5, "b"))))
    'a'
    """

    greatest: ClassVar[bool] = True

    def native(self) -> Native:
        return Native("arg_max", "keyed")
