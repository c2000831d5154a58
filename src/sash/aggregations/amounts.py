"""Arithmetic and order of values that are no 64-bit numbers: decimals, times, durations and texts."""

from __future__ import annotations

import datetime as dt
from decimal import Context, Decimal, Inexact
from typing import Any, Final, NoReturn

import numpy as np

__all__ = ["NoNumberError", "add", "check_alike", "checked_alike", "subtract"]

#: Decimals are added exactly, or not at all.
_EXACT: Final = Context(prec=100, traps=[Inexact])
#: Types whose values have an order only if all have a zone, or none.
_ZONED: Final = (dt.datetime, dt.time)


def _kind(value: Any) -> str:
    """What values must be alike to be compared or added."""
    match value:
        case int() | float():
            return "a number"
        case dt.datetime() | dt.time():
            zone = "without" if value.tzinfo is None else "with"
            return f"a {'datetime' if isinstance(value, dt.datetime) else 'time of day'} {zone} a zone"
        case dt.timedelta():
            return "a duration"
        case str():
            return "a text"
    return f"a {type(value).__name__}"


def check_alike(older: Any, newer: Any) -> None:
    """TypeError for values of two kinds, which have no order and no sum. Integers and decimals have.

    >>> check_alike(Decimal("1.5"), 2)
    >>> check_alike(Decimal("1.5"), 2.5)
    Traceback (most recent call last):
    ...
    TypeError: the values of a window are of one kind, and there is Decimal('1.5') beside 2.5, a Decimal and a float...
    """
    one, other = type(older), type(newer)
    if one is other and (one not in _ZONED or (older.tzinfo is None) == (newer.tzinfo is None)):
        return
    if {one, other} == {int, Decimal}:
        return
    names = [_kind(value) for value in (older, newer)]
    if names[0] == names[1]:
        return
    if {one, other} == {float, Decimal}:
        names = [f"a {type(value).__name__}" for value in (older, newer)]
    raise TypeError(
        f"the values of a window are of one kind, and there is {older!r:.60} beside {newer!r:.60},"
        f" {names[0]} and {names[1]}: convert them first"
    )


def checked_alike(sample: Any, value: Any) -> Any:
    """What stands for both; TypeError if they are of two kinds. A decimal stands for integers too.

    >>> checked_alike(3, Decimal("1.5"))
    Decimal('1.5')
    """
    check_alike(sample, value)
    return value if isinstance(value, Decimal) else sample


class NoNumberError(TypeError):
    """A record of numbers was given a value that is none, in a column or where none is named."""

    def __init__(self, value: Any, column: str | None) -> None:
        super().__init__(
            f"a number is needed (int or float), as the values before were read, not {type(value).__name__}"
            f" ({value!r:.60}): give values of one kind from the first event on; a Window of several aggregations, or"
            " of Delta, takes numbers alone, and sash.Sliding takes these"
        )
        self.value, self.column = value, column


def refuse_in_record(value: Any, column: str | None) -> NoReturn:
    """`NoNumberError`: the value is one that members in Python may take, and those in the core do not."""
    raise NoNumberError(value, column)


def refuse_among_numbers() -> NoReturn:
    """TypeError: a window of numbers cannot become one of other values."""
    raise TypeError(
        "the values of a window are of one kind, and there are numbers in it: give values of the other kind from the"
        " first event on, integers as decimals"
    )


def add(older: Any, newer: Any) -> Any:
    """The sum, exactly, of values that are alike; 0 is that of none."""
    if type(older) is int and not older:
        return newer
    if type(newer) is int and not newer:
        return older
    check_alike(older, newer)
    if isinstance(older, Decimal) or isinstance(newer, Decimal):
        return _exactly(_EXACT.add, older, newer)
    total = older + newer
    if isinstance(total, np.timedelta64) and ((older < 0) == (newer < 0) != (total < 0) or np.isnat(total)):
        raise OverflowError(f"{older!r} and {newer!r} do not fit in 64 bits together: use a coarser unit")
    return total


def subtract(whole: Any, part: Any) -> Any:
    """The difference, exactly, of values that are alike."""
    if type(part) is int and not part:
        return whole
    if isinstance(whole, Decimal) or isinstance(part, Decimal):
        return _exactly(_EXACT.subtract, whole, part)
    return whole - part


def _exactly(operation: Any, one: Any, other: Any) -> Decimal:
    try:
        return operation(Decimal(one), Decimal(other))  # type: ignore[no-any-return]
    except Inexact:
        raise OverflowError(
            f"{one!r} and {other!r} together have more than {_EXACT.prec} digits: round the values"
        ) from None
