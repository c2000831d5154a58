"""Arithmetic and order of values that are no 64-bit numbers: decimals, times, durations and texts."""

from __future__ import annotations

import datetime as dt
from decimal import Context, Decimal, Inexact
from typing import Any, Final, NoReturn

import numpy as np

from sash.aggregations.reading import plain

__all__ = ["NoNumberError", "add", "check_alike", "checked_alike", "instant", "subtract"]

#: Decimals are added exactly, or not at all.
_EXACT: Final = Context(prec=100, traps=[Inexact])
#: Types whose values have an order only if all have a zone, or none; and those with them whose values are all alike.
_ZONED: Final = (dt.datetime, dt.time)
_PLAIN: Final = frozenset({int, float, str, bytes, Decimal, dt.date, dt.timedelta, *_ZONED})
#: Pairs of kinds that go together.
_MIXED: Final = ({"an integer", "a float"}, {"an integer", "a decimal"})


def _kind(value: Any) -> str:
    """What values must be alike to be compared or added."""
    match value:
        case np.datetime64() | np.timedelta64():
            pass
        case int() | np.integer() | np.bool_():
            return "an integer"
        case float() | np.floating():
            return "a float"
        case Decimal():
            return "a decimal"
        case dt.datetime() | dt.time():
            zone = "without" if value.tzinfo is None else "with"
            return f"a {'datetime' if isinstance(value, dt.datetime) else 'time of day'} {zone} a zone"
        case dt.timedelta():
            return "a duration"
        case str():
            return "a text"
        case bytes():
            return "bytes"
    return f"a {type(value).__name__}"


def check_alike(older: Any, newer: Any) -> None:
    """TypeError for values of two kinds, which have no order and no sum. Integers go with decimals, and with floats.
    OverflowError for times of NumPy in two units, of which the finer has no room for the coarser.

    >>> check_alike(Decimal("1.5"), 2)
    >>> check_alike(Decimal("1.5"), 2.5)
    Traceback (most recent call last):
    ...
    TypeError: the values of a window are of one kind, and there is Decimal('1.5') beside 2.5, a decimal and a float...
    """
    kind = type(older)
    if kind is type(newer) and kind in _PLAIN and not (kind in _ZONED and _zones_differ(older, newer)):
        return
    names = [_kind(value) for value in (older, newer)]
    if (names[0] == names[1] and _in_one_unit(older, newer)) or set(names) in _MIXED:
        return
    raise _unlike(f"is {older!r:.60}", newer, names)


def _unlike(there: str, newer: Any, names: list[str]) -> TypeError:
    return TypeError(
        f"the values of a window are of one kind, and there {there} beside {newer!r:.60}, {names[0]} and {names[1]}:"
        " convert them first"
    )


def _zones_differ(one: Any, other: Any) -> bool:
    return (one.tzinfo is None) != (other.tzinfo is None)


def _in_one_unit(one: Any, other: Any) -> bool:
    """Whether there is a unit of both: months have no length in days."""
    if not isinstance(one, (np.datetime64, np.timedelta64)) or one.dtype == other.dtype:
        return True
    try:
        finer = np.promote_types(one.dtype, other.dtype)
    except TypeError:
        return False
    # NumPy itself converts without a look at what fits.
    for value in (one, other):
        if value.astype(finer).astype(value.dtype) != value:
            raise OverflowError(f"{one!r} and {other!r} have no unit in which both fit in 64 bits: use a coarser unit")
    return True


def checked_alike(sample: Any, value: Any) -> Any:
    """What stands for both, in a window whose values are of one kind; TypeError if they are not. None stands for no
    value, `int` and `float` for numbers that the core has, and what is no integer for integers too.

    >>> checked_alike(3, Decimal("1.5")), checked_alike(float, 3), checked_alike(None, np.int8(3))
    (Decimal('1.5'), <class 'float'>, 3)
    """
    value = plain(value)
    if sample is None:
        return value
    known = sample() if isinstance(sample, type) else sample
    try:
        check_alike(known, value)
    except TypeError:
        if known is sample:
            raise
        raise _unlike("are numbers", value, [_kind(known), _kind(value)]) from None
    return sample if isinstance(value, int) and not isinstance(known, int) else value


def instant(value: Any) -> Any:
    """What is compared and subtracted of a value: of a datetime with a zone the instant, since Python looks at the
    clock alone where the zone is the same, also where the clock was put back in between. Anything else as it is.

    >>> from zoneinfo import ZoneInfo
    >>> instant(dt.datetime(2024, 10, 27, 2, 30, fold=1, tzinfo=ZoneInfo("Europe/Berlin"))).hour
    1
    """
    if type(value) is not dt.datetime or value.tzinfo is None or type(value.tzinfo) is dt.timezone:
        return value
    return value.astimezone(dt.UTC)


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


def refuse_among_numbers(aggregation: Any) -> NoReturn:
    """TypeError: a window of numbers cannot become one of other values."""
    raise TypeError(
        f"the values of a window are of one kind, and this one of {aggregation!r} has read numbers: give values of the"
        " other kind from the first event on, integers as decimals"
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
        raise _too_far(older, newer)
    return total


def subtract(whole: Any, part: Any) -> Any:
    """The difference, exactly, of values that are alike."""
    if type(part) is int and not part:
        return whole
    if isinstance(whole, Decimal) or isinstance(part, Decimal):
        return _exactly(_EXACT.subtract, whole, part)
    difference = instant(whole) - instant(part)
    if isinstance(difference, np.timedelta64) and ((difference < 0) != (whole < part) or np.isnat(difference)):
        raise _too_far(whole, part)
    return difference


def _too_far(one: Any, other: Any) -> OverflowError:
    return OverflowError(f"the sum or difference of {one!r} and {other!r} does not fit in 64 bits: use a coarser unit")


def _exactly(operation: Any, one: Any, other: Any) -> Decimal:
    try:
        return operation(Decimal(one), Decimal(other))  # type: ignore[no-any-return]
    except Inexact:
        raise OverflowError(
            f"{one!r} and {other!r} together have more than {_EXACT.prec} digits: round the values"
        ) from None
