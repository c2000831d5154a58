"""Integers of 128 bits, two words each: what decimals count in."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Final

import numpy as np
import numpy.typing as npt

__all__ = ["DIGITS", "Wide", "digits"]

#: How many digits a decimal has at most.
DIGITS: Final = 38
_HALF: Final = 32
_MASK: Final = (1 << _HALF) - 1
_LIMIT: Final = 10**DIGITS
#: The high word of what does not fit in 128 bits: no decimal has it.
_BEYOND: Final = (1 << 63) - 1
_LEAST: Final = -(1 << 63)


@dataclass(frozen=True)
class Wide:
    """Numbers of 128 bits in two's complement. Results that nobody asks for may be anything, so that what does not fit
    is an error in `checked`, not before.

    >>> half = Wide.of(np.array([2**62, -3]))
    >>> both = Wide.total([half.part(0), half.part(1), half.part(2), half.part(3)])
    >>> both.integers(), half.minus(Wide.of(np.array([1, 1]))).integers()
    ([4611686018427387904, -3], [4611686018427387903, -4])
    """

    low: npt.NDArray[np.uint64]
    high: npt.NDArray[np.int64]

    @classmethod
    def of(cls, numbers: npt.NDArray[np.int64]) -> Wide:
        """Numbers of 64 bits."""
        return cls(numbers.view(np.uint64), numbers >> 63)

    @classmethod
    def of_words(cls, words: npt.NDArray[np.uint64]) -> Wide:
        """Numbers as they lie in memory, the low word first."""
        return cls(np.ascontiguousarray(words[0::2]), np.ascontiguousarray(words[1::2]).view(np.int64))

    @classmethod
    def total(cls, parts: Sequence[npt.NDArray[np.int64]]) -> Wide:
        """What sums of parts are together."""
        halves, carry = [], np.zeros_like(parts[0])
        for part in parts[:3]:
            sums = part + carry
            halves.append((sums & _MASK).view(np.uint64))
            carry = sums >> _HALF
        top = parts[3] + carry
        fits = (top >= -(1 << 31)) & (top < 1 << 31)
        high = np.where(fits, (top << _HALF) | halves[2].view(np.int64), _BEYOND)
        return cls(halves[0] | halves[1] << np.uint64(_HALF), high)

    def part(self, place: int) -> npt.NDArray[np.int64]:
        """A quarter of each number, the lowest first; that of the sign is signed. Sums of them fit in 64 bits."""
        word = self.low.view(np.int64) if place < 2 else self.high
        if place == 3:
            return word >> _HALF
        return (word >> (_HALF * (place % 2))) & _MASK

    @property
    def narrow(self) -> npt.NDArray[np.int64] | None:
        """The numbers in 64 bits; None if one does not fit."""
        numbers = self.low.view(np.int64)
        return numbers if bool(((numbers >> 63) == self.high).all()) else None

    def fitting(self, valid: npt.NDArray[np.bool_] | None = None, least: int = _LEAST) -> npt.NDArray[np.int64]:
        """The numbers in 64 bits; OverflowError if one that is valid does not fit, or is less than the least."""
        numbers = self.low.view(np.int64)
        fits = ((numbers >> 63) == self.high) & (numbers >= least)
        if valid is not None:
            fits |= ~valid
        if not fits.all():
            row = int((~fits).argmax())
            raise OverflowError(f"the result of row {row}, a duration, does not fit in 64 bits: use a coarser unit")
        return numbers

    @property
    def words(self) -> npt.NDArray[np.uint64]:
        """The numbers as they lie in memory."""
        return np.stack([self.low, self.high.view(np.uint64)], axis=1).reshape(-1)

    def at(self, rows: Any) -> Wide:
        """Those of some rows."""
        return Wide(self.low[rows], self.high[rows])

    def minus(self, other: Wide) -> Wide:
        """The differences."""
        high = self.high - other.high - (self.low < other.low)
        wraps = ((self.high < 0) != (other.high < 0)) & ((self.high < 0) != (high < 0))
        return Wide(self.low - other.low, np.where(wraps, _BEYOND, high))

    def integers(self) -> list[int]:
        """The numbers as Python has them."""
        return [(high << 64) + low for low, high in zip(self.low.tolist(), self.high.tolist(), strict=True)]

    def checked(self, valid: npt.NDArray[np.bool_] | None = None) -> Wide:
        """The numbers; OverflowError if one that is valid has more digits than a decimal."""
        high, low = divmod(_LIMIT, 1 << 64)
        fits = (self.high < high) | ((self.high == high) & (self.low < np.uint64(low)))
        high, low = divmod(-_LIMIT, 1 << 64)
        fits &= (self.high > high) | ((self.high == high) & (self.low > np.uint64(low)))
        if valid is not None:
            fits |= ~valid
        if not fits.all():
            row = int((~fits).argmax())
            raise OverflowError(
                f"the result of row {row} has more than {DIGITS} digits, and decimals have no more: round the values,"
                " or give them as floats"
            )
        return self


def digits(values: Wide, rows: int) -> list[npt.NDArray[np.int64]]:
    """Numbers of 64 bits whose sums over so many rows fit in 64 bits: the numbers themselves, or their four parts."""
    numbers = values.narrow
    if numbers is not None and (not len(numbers) or max(int(numbers.max()), -int(numbers.min())) * rows < 1 << 63):
        return [numbers]
    return [values.part(place) for place in range(4)]
