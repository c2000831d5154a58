"""Options of the constructors: read once, refused at once."""

from __future__ import annotations

import math
from typing import Any, Final

import numpy as np

__all__ = ["check_column", "check_positive", "check_size"]


def check_column(column: Any, option: str) -> str | None:
    """The column; TypeError if it is no text, such as an option that was meant to be named."""
    if column is not None and not isinstance(column, str):
        raise TypeError(
            f"a column is named by a text, not {type(column).__name__} ({column!r:.60}): write {option}={column!r:.60}"
        )
    return column


#: Sizes are less than 2**31.
MOST: Final = 2**31 - 1


def check_size(name: str, value: Any, *, least: int) -> int:
    """A whole number from `least` to `MOST`; TypeError or ValueError if it is none."""
    if isinstance(value, (bool, np.bool_)) or not isinstance(value, (int, np.integer)):
        raise TypeError(f"{name} is an integer, not {type(value).__name__} ({value!r:.60})")
    if value < least:
        raise ValueError(f"{name} must be at least {least}, not {value}")
    if value > MOST:
        raise ValueError(f"{name} must be at most {MOST}, not {value}")
    return int(value)


def check_positive(name: str, value: Any) -> float:
    """A finite number above 0; TypeError or ValueError if it is none."""
    if isinstance(value, (bool, np.bool_)) or not isinstance(value, (int, float, np.integer, np.floating)):
        raise TypeError(f"{name} is a number, not {type(value).__name__} ({value!r:.60})")
    if not (value > 0 and math.isfinite(value)):
        raise ValueError(f"{name} must be a finite number above 0, not {value!r}")
    return float(value)
