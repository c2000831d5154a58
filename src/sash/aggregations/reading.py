"""How the values of events are read: what is taken for a number, a truth, a text, and what is refused."""

from __future__ import annotations

import datetime as dt
import math
from decimal import Decimal
from typing import Any, Final, TypeAlias

import numpy as np

__all__ = [
    "GREATEST",
    "LEAST",
    "Number",
    "check_int64",
    "is_nan",
    "is_null",
    "not_nan",
    "plain",
    "read_amount",
    "read_bool",
    "read_integer",
    "read_measure",
    "read_number",
    "read_ordered",
    "read_real",
    "read_text",
]

#: A number as partials hold it.
Number: TypeAlias = int | float

#: What can be added beside numbers, subtracted, and compared.
_AMOUNTS: Final = (Decimal, dt.timedelta, np.timedelta64)
_MEASURES: Final = (*_AMOUNTS, dt.date, np.datetime64)
_ORDERED: Final = (*_MEASURES, str, dt.time, bytes)

LEAST: Final = -(2**63)
GREATEST: Final = 2**63 - 1


def is_nan(value: Any) -> bool:
    """Whether the value is a float, or a decimal, that is not a number."""
    if isinstance(value, Decimal):
        return value.is_nan()
    return isinstance(value, (float, np.floating)) and bool(value != value)


def is_null(value: Any) -> bool:
    """Whether the value is none: None, and what pandas and NumPy have in its place, NA and NaT."""
    if value is None:
        return True
    name = type(value).__name__
    # By name: pandas need not be there, and is not imported for this.
    return name in ("NAType", "NaTType") or (name in ("datetime64", "timedelta64") and bool(value != value))


def not_nan(value: Any, nan: str) -> Any:
    """The value; ValueError for NaN where it was declared an error."""
    if nan == "error" and is_nan(value):
        raise ValueError('the value is NaN, and nan="error" was asked for: clean the values, or use nan="skip"')
    return value


def plain(value: Any) -> Any:
    """A number or a text of NumPy as the Python number or text that it holds; anything else as it is."""
    if isinstance(value, np.floating):
        return float(value)
    if isinstance(value, (np.integer, np.bool_, np.str_, np.bytes_)) and not isinstance(value, np.timedelta64):
        return value.item()
    return value


def check_int64(value: int) -> int:
    """The value; OverflowError if it is no int64."""
    if not LEAST <= value <= GREATEST:
        raise OverflowError(f"{value} does not fit in 64 bits; pass floats, or scale the values down")
    return value


def read_integer(value: Any) -> int:
    """Integers and truths, of Python and NumPy, that fit in 64 bits."""
    if isinstance(value, (int, np.integer, np.bool_)) and not isinstance(value, np.timedelta64):
        return check_int64(int(value))
    raise TypeError(f"an integer is needed, not {type(value).__name__} ({value!r:.60})")


def read_number(value: Any) -> int | float:
    """Integers that fit in 64 bits stay integers; floats are float64. No text, no Decimal: nothing is guessed."""
    if isinstance(value, (float, np.floating)):
        return float(value)
    if isinstance(value, (int, np.integer, np.bool_)) and not isinstance(value, np.timedelta64):
        return check_int64(int(value))
    kind = type(value).__name__
    way = "pass a float or, exactly, an integer: 1.25 as 125 cents" if kind == "Decimal" else "convert it first"
    raise TypeError(f"a number is needed (int or float), not {kind} ({value!r:.60}): {way}")


def read_ordered(value: Any) -> Any:
    """Numbers as `read_number` reads them; decimals, times, durations and texts as they are."""
    return plain(_finite(value)) if isinstance(value, _ORDERED) else read_number(value)


def read_measure(value: Any) -> Any:
    """The same, where values are subtracted: no texts, no times of day."""
    return _finite(value) if isinstance(value, _MEASURES) else read_number(value)


def read_amount(value: Any) -> Any:
    """The same, where values are added: no points in time."""
    return _finite(value) if isinstance(value, _AMOUNTS) else read_number(value)


def _finite(value: Any) -> Any:
    if isinstance(value, Decimal) and not value.is_finite():
        raise ValueError(f"a decimal is finite, and {value!r} is not: leave it out, as None")
    return value


def read_real(value: Any) -> float:
    """Any number as a float64; a decimal as the nearest."""
    return float(value if isinstance(value, Decimal) else read_number(value))


def read_bool(value: Any) -> bool:
    """True and False, of Python and NumPy, and 0 and 1. Other values have no truth that all agree on."""
    if isinstance(value, (bool, np.bool_)):
        return bool(value)
    if isinstance(value, (int, np.integer)) and not isinstance(value, np.timedelta64) and value in (0, 1):
        return bool(value)
    raise TypeError(
        f"True or False is needed, not {type(value).__name__} ({value!r:.60}): compare first, such as x > 0"
    )


def read_text(value: Any) -> str:
    """Text of Python and NumPy; bytes are none."""
    if isinstance(value, str):
        return str(value)
    raise TypeError(f"a text is needed, not {type(value).__name__} ({value!r:.60}): convert it with str()")


def finite_log(value: float) -> float:
    """The logarithm; of 0 it is minus infinity. A negative number is a ValueError."""
    if value < 0:
        raise ValueError(f"a geometric mean takes no negative numbers, and {value!r} is one: leave it out, or use Mean")
    return math.log(value) if value else -math.inf
