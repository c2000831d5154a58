"""The numbers that name buckets, chosen so that Spark's shuffle spreads them evenly."""

from __future__ import annotations

from functools import cache
from typing import Final

__all__ = ["bucket_labels", "spark_hash"]

_SEED: Final = 42
_WORD: Final = 0xFFFFFFFF


@cache
def bucket_labels(buckets: int) -> tuple[int, ...]:
    """A label for each bucket. Label i has a hash that leaves i when divided by the number of buckets.

    So wherever the number of shuffle partitions divides the number of buckets, each partition gets equally many; with
    labels 0, 1, 2 two partitions may well share none of three. Cost: O(n log n) hashes.

    >>> [spark_hash(label) % 4 for label in bucket_labels(4)]
    [0, 1, 2, 3]
    """
    labels: dict[int, int] = {}
    label = 0
    while len(labels) < buckets:
        labels.setdefault(spark_hash(label) % buckets, label)
        label += 1
    return tuple(labels[place] for place in range(buckets))


def spark_hash(value: int) -> int:
    """What Spark's `hash` gives for an INT: Murmur3, 32 bits, seed 42, signed.

    >>> spark_hash(1)
    -559580957
    """
    mixed = (value & _WORD) * 0xCC9E2D51 & _WORD
    mixed = _rotated(mixed, 15) * 0x1B873593 & _WORD
    result = (_rotated(_SEED ^ mixed, 13) * 5 + 0xE6546B64) & _WORD
    result ^= 4
    result = (result ^ result >> 16) * 0x85EBCA6B & _WORD
    result = (result ^ result >> 13) * 0xC2B2AE35 & _WORD
    result ^= result >> 16
    return result - (1 << 32) if result >> 31 else result


def _rotated(word: int, by: int) -> int:
    return (word << by | word >> 32 - by) & _WORD
