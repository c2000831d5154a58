"""Options of the constructors: read once, refused at once."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any, Final, TypeVar

import numpy as np

__all__ = ["check_column", "check_one_of", "check_positive", "check_rank", "check_ranks", "check_size"]

Word = TypeVar("Word", bound=str)


def check_column(column: Any, option: str | None = None) -> str | None:
    """The column; TypeError if it is no text. It may be the value of an option that was meant to be named."""
    if column is not None and not isinstance(column, str):
        way_out = "" if option is None else f": write {option}={column!r:.60}"
        raise TypeError(f"a column is named by a text, not {type(column).__name__} ({column!r:.60}){way_out}")
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


def check_one_of(name: str, value: Word, choices: Sequence[str]) -> Word:
    """The value; ValueError if it is not one of the choices."""
    if value not in choices:
        raise ValueError(f"{name} is {' or '.join(map(repr, choices))}, not {value!r}")
    return value


def check_rank(name: str, rank: Any) -> float:
    """A number from 0 to 1; ValueError if it is none."""
    if not isinstance(rank, (int, float)) or isinstance(rank, bool) or not 0 <= rank <= 1:
        raise ValueError(f"{name} is a number from 0 to 1, not {rank!r}: the 99th percentile is 0.99")
    return float(rank)


def check_ranks(at: Any) -> tuple[float, ...]:
    """Ranks, or one alone; ValueError if there is none, or one is no number from 0 to 1."""
    ranks = tuple(check_rank("a rank", rank) for rank in (at if isinstance(at, (tuple, list)) else (at,)))
    if not ranks:
        raise ValueError("at needs at least one rank, such as [0.5, 0.99]")
    return ranks
