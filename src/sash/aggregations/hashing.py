"""64-bit hashes of values: the same in every process, on every platform, in every version.

The twin of the core's hash.hpp, bit for bit.
"""

from __future__ import annotations

import math
import struct
from typing import Any, Final

import numpy as np

from sash.aggregations.reading import GREATEST, LEAST, read_number

__all__ = ["hash_value"]

_MASK: Final = 2**64 - 1
#: One seed a kind of value, so that 1, "1" and b"1" are strangers.
_INTEGER: Final = 0x9E3779B97F4A7C15
_REAL: Final = 0xD1B54A32D192ED03
_TEXT: Final = 0x8CB92BA72F3D8DD7
_BYTES: Final = 0xAEF17502108EF2D9
_NAN: Final = 0x7FF8000000000000


def hash_value(value: Any) -> int:
    """The hash of an int, float, str or bytes; numbers of one value have one hash. Cost: O(length).

    >>> hash_value(1) == hash_value(1.0) != hash_value("1")
    True
    >>> hash_value([1])
    Traceback (most recent call last):
    ...
    TypeError: an int, float, str or bytes is needed, not list ([1])
    """
    if isinstance(value, str):
        return _chain(value.encode("utf-8"), _TEXT)
    if isinstance(value, bytes):
        return _chain(value, _BYTES)
    if isinstance(value, (int, float, np.integer, np.floating, np.bool_)) and not isinstance(value, np.timedelta64):
        return _hash_number(read_number(value))
    raise TypeError(f"an int, float, str or bytes is needed, not {type(value).__name__} ({value!r:.60})")


def _mix(bits: int) -> int:
    """The finalizer of SplitMix64."""
    bits = (bits ^ (bits >> 30)) * 0xBF58476D1CE4E5B9 & _MASK
    bits = (bits ^ (bits >> 27)) * 0x94D049BB133111EB & _MASK
    return bits ^ (bits >> 31)


def _hash_number(value: int | float) -> int:
    if isinstance(value, float):
        if not value.is_integer() or not LEAST <= value <= GREATEST:
            bits = _NAN if math.isnan(value) else struct.unpack("<Q", struct.pack("<d", value))[0]
            return _mix((bits + _REAL) & _MASK)
        value = int(value)
    return _mix((value + _INTEGER) & _MASK)


def _chain(data: bytes, seed: int) -> int:
    """A chain of mixes, one a word of eight bytes; the length goes in first."""
    state = _mix((seed + len(data)) & _MASK)
    for start in range(0, len(data), 8):
        word = int.from_bytes(data[start : start + 8], "little")
        state = (_mix(state ^ word) + seed) & _MASK
    return state
