"""Counts of a few keys, exactly: what the counting sketches keep before they are sketches."""

from __future__ import annotations

from typing import Any, TypeVar

from sash.aggregations.sketches.base import SMALL

__all__ = ["Tally", "is_tally", "joined"]

Key = TypeVar("Key", int, str)
#: Each key with its count, sorted by key: equal counts are equal tuples.
Tally = tuple[tuple[Key, int], ...]


def joined(older: Tally[Key], newer: Tally[Key]) -> Tally[Key]:
    """The counts of both, added up. Cost: O(n log n).

    >>> joined((("a", 1), ("b", 2)), (("b", 3),))
    (('a', 1), ('b', 5))
    """
    counts = dict(older)
    for key, count in newer:
        counts[key] = counts.get(key, 0) + count
    return tuple(sorted(counts.items()))


def is_tally(value: Any, key: type) -> bool:
    """Whether it is a tally of such keys, small and sorted.

    >>> is_tally((("a", 1), ("b", 2)), str), is_tally((("b", 2), ("a", 1)), str)
    (True, False)
    """
    if type(value) is not tuple or len(value) > SMALL:
        return False
    for pair in value:
        if type(pair) is not tuple or len(pair) != 2 or type(pair[0]) is not key:
            return False
        if type(pair[1]) is not int or pair[1] < 1:
            return False
    return list(value) == sorted(value) and len(dict(value)) == len(value)
