"""What goes with the extreme: the argument of the least or the greatest key."""

# The methods are described once, in Aggregation.
# ruff: noqa: D102

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, ClassVar

from sash.aggregations.base import Aggregation, Native, OnNan, Where, built_in, check_nan
from sash.aggregations.declared import Also, Inputs, Pick, Result
from sash.aggregations.extrema import beats
from sash.aggregations.reading import is_nan, is_null, not_nan, plain, read_ordered

__all__ = ["ArgMax", "ArgMin"]

Found = tuple[Any, Any]


class _ArgExtremum(Aggregation):
    """A value is a pair (key, argument); a partial is the winning pair, or None."""

    inputs: ClassVar[Inputs] = "keyed"
    also: ClassVar[tuple[Also, ...]] = ("decimal", "instant", "duration", "ordered")
    result: ClassVar[Result] = "argument"
    size: ClassVar[str] = "24 bytes"

    defaults: ClassVar[Mapping[str, Any]] = {"nan": "skip"}
    identity = None
    greatest: ClassVar[bool]

    def __init__(
        self, key: str | None = None, *arguments: str | Sequence[str], nan: OnNan = "skip", where: Where = None
    ) -> None:
        columns = _flat(arguments)
        if key is None and columns:
            raise TypeError(f'{type(self).__name__} reads the key first, then what goes with it: ("amount", "city")')
        self.column = None if key is None else (key, *columns)
        self.nan = check_nan(nan)
        #: The columns that go with the key; none for the whole row, and where values are passed directly.
        self.arguments = columns
        #: How many they are, if they make a tuple.
        self._several = len(columns) if len(columns) > 1 else 0

    def skips(self, value: Any) -> bool:
        """A value is passed over if its key or an argument is null."""
        if is_null(value):
            return True
        key, argument = self._pair(value)
        if self._several and any(map(is_null, argument)):
            return True
        return is_null(key) or is_null(argument) or (self.nan == "skip" and is_nan(key))

    def lift(self, value: Any) -> Found:
        key, argument = self._pair(value)
        number = read_ordered(not_nan(key, self.nan))
        return number, tuple(map(plain, argument)) if self._several else plain(argument)

    def _pair(self, value: Any) -> tuple[Any, Any]:
        """The key and the argument, which is a tuple where there are several columns of it."""
        several = self._several
        if isinstance(value, (tuple, list)):
            if several and len(value) == several + 1:
                return value[0], tuple(value[1:])
            if len(value) == 2 and (not several or (isinstance(value[1], (tuple, list)) and len(value[1]) == several)):
                return value[0], value[1]
        what = f"(key, {', '.join(self.arguments)})" if several else "(key, argument)"
        raise TypeError(f"a pair {what} is needed, not {type(value).__name__} ({value!r:.60})")

    def combine(self, older: Found | None, newer: Found | None) -> Found | None:
        if older is None or newer is None:
            return newer if older is None else older
        return newer if beats(newer[0], older[0], self.greatest) else older

    def lower(self, partial: Found | None) -> Any:
        return None if partial is None else self.shape(partial[1])

    def shape(self, argument: Any) -> Any:
        """The result: a dictionary of several columns, or the argument as it is."""
        return dict(zip(self.arguments, argument, strict=True)) if self._several else argument


def _flat(arguments: Sequence[str | Sequence[str]]) -> tuple[str, ...]:
    """Columns one by one or in a list: both mean the same."""
    columns: list[Any] = []
    for argument in arguments:
        columns += [argument] if isinstance(argument, str) or not isinstance(argument, Sequence) else argument
    for column in columns:
        if not isinstance(column, str):
            raise TypeError(f"a column is named by a text, not {type(column).__name__} ({column!r:.60})")
    if len(set(columns)) < len(columns):
        raise ValueError(f"each column is named once, and {columns} names one twice")
    return tuple(columns)


@built_in
class ArgMin(_ArgExtremum):
    """What goes with the least key; with the oldest one on ties. Values are pairs (key, argument).

    `ArgMin("amount", "merchant")` gives a value of that column, `ArgMin("amount", ["merchant", "city"])` a dictionary
    of several, and `ArgMin("amount")` the whole row of a frame. An argument may be any object; where there are several,
    values are (key, (merchant, city)) or (key, merchant, city).

    Not commutative, not invertible, exact; None for an empty window. Cost of combine: O(1).

    >>> cheapest = ArgMin()
    >>> cheapest.lower(cheapest.combine(cheapest.lift((3.5, "a")), cheapest.lift((2.0, "b"))))
    'b'
    """

    picks: ClassVar[Pick | None] = "least"
    greatest: ClassVar[bool] = False

    def native(self) -> Native | None:
        return Native("arg_min", "keyed") if len(self.arguments) < 2 else None


@built_in
class ArgMax(_ArgExtremum):
    """What goes with the greatest key; with the oldest one on ties. Values are pairs (key, argument).

    `ArgMax("amount", "merchant")` gives a value of that column, `ArgMax("amount", ["merchant", "city"])` a dictionary
    of several, and `ArgMax("amount")` the whole row of a frame. An argument may be any object; where there are several,
    values are (key, (merchant, city)) or (key, merchant, city).

    Not commutative, not invertible, exact; None for an empty window. Cost of combine: O(1).

    >>> where = ArgMax("amount", "merchant")
    >>> where.lower(where.combine(where.lift((5, "a")), where.lift((5, "b"))))
    'a'
    >>> where = ArgMax("amount", ["merchant", "city"])
    >>> where.lower(where.combine(where.lift((5, ("a", "Rome"))), where.lift((7, ("b", "Oslo")))))
    {'merchant': 'b', 'city': 'Oslo'}
    """

    picks: ClassVar[Pick | None] = "greatest"
    greatest: ClassVar[bool] = True

    def native(self) -> Native | None:
        return Native("arg_max", "keyed") if len(self.arguments) < 2 else None
