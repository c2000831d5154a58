"""What makes two values the same to a sketch: 1, 1.0 and True are; "1" and b"1" are not. NaN is one value."""

from __future__ import annotations

from typing import Any, Final

import numpy as np

from sash.aggregations.hashing import hash_value
from sash.aggregations.reading import GREATEST, LEAST, read_number

__all__ = ["canonical", "hash_key"]

#: So that a tuple is a stranger to the bytes that its hashes make.
_TUPLE: Final = 0xC2B2AE3D27D4EB4F


def canonical(value: Any) -> Any:
    """The one form of all values that are the same; TypeError for what is no int, float, str, bytes or tuple of these.

    >>> canonical(True), canonical(1.0), canonical((2.5, "a")), canonical(-0.0)
    (1, 1, (2.5, 'a'), 0)
    >>> canonical([1])
    Traceback (most recent call last):
    ...
    TypeError: an int, float, str, bytes or a tuple of these is needed, not list ([1])
    """
    if isinstance(value, str):
        return str(value)
    if isinstance(value, bytes):
        return bytes(value)
    if isinstance(value, tuple):
        return tuple(canonical(part) for part in value)
    if isinstance(value, (int, float, np.integer, np.floating, np.bool_)) and not isinstance(value, np.timedelta64):
        return _number(read_number(value))
    raise TypeError(
        f"an int, float, str, bytes or a tuple of these is needed, not {type(value).__name__} ({value!r:.60})"
    )


def _number(value: int | float) -> int | float:
    if isinstance(value, float) and value.is_integer() and LEAST <= value <= GREATEST:
        # The greatest float that is an int64 is below 2**63, which itself passes the comparison: it stays a float.
        return int(value) if int(value) <= GREATEST else value
    return int(value) if isinstance(value, int) else value


def hash_key(value: Any) -> int:
    """The 64-bit hash of a value, the same in every process; equal values have equal hashes. Cost: O(length).

    >>> hash_key((1, "a")) == hash_key((1.0, "a")) != hash_key(("a", 1))
    True
    """
    if not isinstance(value, tuple):
        return hash_value(canonical(value))
    return hash_value(b"".join(hash_key(part).to_bytes(8, "little") for part in value)) ^ _TUPLE
