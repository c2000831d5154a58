"""Which values are in the window, approximately: never wrong about a value that is there."""

# The methods are described once, in Aggregation.
# ruff: noqa: D102

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any, ClassVar

from sash import codec
from sash.aggregations.base import Native, OnNan, Where, WithNan, built_in
from sash.aggregations.declared import Inputs, Result
from sash.aggregations.hashing import hash_value
from sash.aggregations.reading import not_nan
from sash.errors import SnapshotError

__all__ = ["Bloom", "BloomFilter"]


@dataclass(frozen=True, slots=True, repr=False)
class BloomFilter:
    """A set of values to ask: `value in filter` is never wrong about a value that was put in.

    Cost: O(hashes) to ask; O(bits) for the counts.

    >>> bloom = Bloom()
    >>> seen = bloom.lower(bloom.combine(bloom.lift("a"), bloom.lift("b")))
    >>> "a" in seen, "zebra" in seen
    (True, False)
    >>> seen
    <BloomFilter of about 2 values, 16384 bits>
    """

    #: How many bits it has: a power of two.
    bits: int
    #: How many of them a value sets.
    hashes: int
    #: The bits, eight a byte, the lowest first.
    data: bytes

    def __post_init__(self) -> None:
        _check_shape(self.bits, self.hashes)
        if len(self.data) != self.bits // 8:
            raise ValueError(f"a filter of {self.bits} bits has {self.bits // 8} bytes, not {len(self.data)}")

    def __contains__(self, value: Any) -> bool:
        return all(self.data[bit >> 3] >> (bit & 7) & 1 for bit in _bits_of(value, self.bits, self.hashes))

    @property
    def bits_set(self) -> int:
        """How many bits are set."""
        return int.from_bytes(self.data, "little").bit_count()

    @property
    def estimated_count(self) -> float:
        """How many distinct values are in, estimated from the bits set (Swamidass, Baldi); infinite when all are."""
        share = self.bits_set / self.bits
        return -self.bits / self.hashes * math.log1p(-share) if share < 1 else math.inf

    @property
    def false_positive_rate(self) -> float:
        """The chance that a value that is not in is reported as in."""
        return float((self.bits_set / self.bits) ** self.hashes)

    def __repr__(self) -> str:
        return f"<BloomFilter of about {self.estimated_count:.0f} values, {self.bits} bits>"


def _check_shape(bits: int, hashes: int) -> None:
    if type(bits) is not int or bits.bit_count() != 1 or not 64 <= bits <= 2**24:
        raise ValueError(f"bits must be a power of two from 64 to 16777216, not {bits!r}")
    if type(hashes) is not int or not 1 <= hashes <= 16:
        raise ValueError(f"hashes must be from 1 to 16, not {hashes!r}")


def _bits_of(value: Any, bits: int, hashes: int) -> Iterator[int]:
    """Double hashing (Kirsch, Mitzenmacher) from the two halves of one hash; an odd stride makes the bits distinct."""
    hashed = hash_value(value)
    bit, stride = hashed & 0xFFFFFFFF, hashed >> 32 | 1
    return ((bit + i * stride) & (bits - 1) for i in range(hashes))


@built_in
class Bloom(WithNan):
    """The set of the values as a Bloom filter; values are int, float, str or bytes.

    By default 2**14 bits and 3 of them a value: best for up to about 4,000 distinct values. Commutative, not
    invertible, exact (equal windows give equal filters); an empty filter for an empty window. Cost of combine: O(bits).

    >>> bloom = Bloom(bits=1024)
    >>> 7 in bloom.lower(bloom.lift(7)), 7 in bloom.empty
    (True, False)
    """

    inputs: ClassVar[Inputs] = "hashable"
    result: ClassVar[Result] = "object"
    gives: ClassVar[str] = "BloomFilter, to be asked about a value"
    size: ClassVar[str] = "bits / 8 bytes: 2 KB by default"
    error: ClassVar[str] = "never wrong about a value that is there; else wrong at the filter's false_positive_rate"
    commutative: ClassVar[bool] = True
    defaults: ClassVar[Mapping[str, Any]] = {"bits": 2**14, "hashes": 3, "nan": "skip"}
    #: A partial is an integer whose bits are those of the filter.
    identity = 0

    def __init__(
        self, column: str | None = None, *, bits: int = 2**14, hashes: int = 3, nan: OnNan = "skip", where: Where = None
    ) -> None:
        super().__init__(column, nan=nan)
        _check_shape(bits, hashes)
        self.bits = bits
        self.hashes = hashes

    def lift(self, value: Any) -> int:
        partial = 0
        for bit in _bits_of(not_nan(value, self.nan), self.bits, self.hashes):
            partial |= 1 << bit
        return partial

    def combine(self, older: int, newer: int) -> int:
        return older | newer

    def lower(self, partial: int) -> BloomFilter:
        return BloomFilter(self.bits, self.hashes, partial.to_bytes(self.bits // 8, "little"))

    def decode(self, data: bytes) -> int:
        partial = codec.loads(data)
        if type(partial) is not int or partial < 0 or partial.bit_length() > self.bits:
            raise SnapshotError(f"not the bits of a filter of {self.bits}")
        return partial

    def native(self) -> Native:
        return Native("bloom", "hashable", {"bits": self.bits, "hashes": self.hashes})
