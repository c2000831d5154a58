"""How far events come out of order, and what a window does with them: in arrays, from the times in order of arrival."""

from __future__ import annotations

from typing import Any, NamedTuple, TypeAlias

import numpy as np
import numpy.typing as npt

__all__ = ["Counts", "Flow", "flow", "in_powers", "overtaken"]

Array: TypeAlias = npt.NDArray[Any]


class Flow(NamedTuple):
    """A window as events arrive: how many it holds after each, and how many each has pushed out at once."""

    sizes: Array
    evicted: Array


class Counts(NamedTuple):
    """A histogram: the least value of each bin, and how many values are in it."""

    least: list[int]
    counts: list[int]


def overtaken(times: Array) -> Array:
    """How many events with a later time came before each: the out-of-order distance d of the papers.

    Cost: O(n log n): a merge sort from below, in which whoever moves left passes what stays.

    >>> overtaken(np.array([1, 5, 2, 4, 3, 9])).tolist()
    [0, 0, 1, 1, 2, 0]
    """
    # Equal times do not overtake each other: ranks settle them by arrival.
    rank = np.empty(len(times), np.int64)
    rank[np.argsort(times, kind="stable")] = np.arange(len(times))
    passed = np.zeros(len(times), np.int64)
    width = 1
    while width < len(rank):
        passed += _passed_in_pairs(rank, width)
        width *= 2
    return passed


def _passed_in_pairs(rank: Array, width: int) -> Array:
    """For the right half of each pair of neighbouring stretches: how many of the left half have a greater rank."""
    places = np.arange(len(rank))
    pair, right = places // (2 * width), (places // width) % 2 == 1
    keys = pair * len(rank) + rank
    left_keys = np.sort(keys[~right])
    until = np.searchsorted(left_keys, (pair[right] + 1) * len(rank))
    passed = np.zeros(len(rank), np.int64)
    passed[right] = until - np.searchsorted(left_keys, keys[right])
    return passed


def flow(times: Array, length: Any) -> Flow:
    """A window of that length behind the newest time: its size after each event, and what each evicted at once.

    An event that comes too late for the window is evicted as it comes. Cost: O(n log n).

    >>> flow(np.array([1, 2, 9, 3, 20]), 10)
    Flow(sizes=array([1, 2, 3, 4, 1]), evicted=array([0, 0, 0, 0, 4]))
    """
    newest = np.maximum.accumulate(times)
    # An event leaves with the first arrival that is so much newer, or with its own.
    leaves = np.maximum(np.searchsorted(newest, times + length, side="left"), np.arange(len(times)))
    evicted = np.bincount(leaves, minlength=len(times) + 1)[: len(times)]
    return Flow(np.arange(1, len(times) + 1) - np.cumsum(evicted), evicted)


def in_powers(values: Array, *, zero: bool = True) -> Counts:
    """How many values there are from each power of 2 to the next; 0 has a bin of its own, unless there is none.

    >>> in_powers(np.array([0, 0, 1, 3, 2, 9]))
    Counts(least=[0, 1, 2, 4, 8], counts=[2, 1, 2, 0, 1])
    """
    edges = [0] if zero else [1]
    while len(values) and (following := edges[-1] * 2 or 1) <= values.max():
        edges.append(following)
    counts, _ = np.histogram(values, [*edges, np.inf])
    return Counts(edges, counts.tolist())
