"""Quantiles over the rows of a batch: exact, from the values of each window in order.

A sketch is for windows that do not fit into memory. Here all values are in memory: those of one window are in a sorted
list, into which the next value goes and out of which the oldest is taken.
"""

from __future__ import annotations

from bisect import bisect_left, insort
from collections.abc import Iterator
from typing import Any, Final, TypeGuard

import numpy as np
import numpy.typing as npt

from sash.aggregations.base import Aggregation, is_built_in
from sash.aggregations.sketches.ranked import Ranked

__all__ = ["MOST", "exact_quantiles", "takes_exactly"]

Places = npt.NDArray[np.int64]

#: With more values in a window a sketch is faster: a sorted list moves half of them for each that comes or goes.
MOST: Final = 50_000


def takes_exactly(aggregation: Aggregation) -> TypeGuard[Ranked]:
    """Whether it is a quantile, and the values of a window are all that it depends on."""
    if not isinstance(aggregation, Ranked) or not is_built_in(aggregation):
        return False
    return aggregation.kind != "tdigest" and aggregation.nan != "propagate"


def exact_quantiles(aggregation: Ranked, values: npt.NDArray[np.float64], low: Places, high: Places) -> list[Any]:
    """The quantiles of the values from `low` to `high`, the last one out, window after window.

    Windows go forward: none begins or ends before the one in front of it, unless it is empty.
    Cost a window: O(log n) comparisons and the move of n / 2 words for each value that comes or goes.

    >>> from sash import Median
    >>> exact_quantiles(Median(), np.array([5.0, 1.0, 3.0]), np.array([0, 0]), np.array([1, 3]))
    [5.0, 3.0]
    """
    nothing = aggregation.of_none(None)
    return [
        aggregation.of_sorted(window) if window else nothing
        for window in _sorted_windows(values.tolist(), low.tolist(), high.tolist())
    ]


def _sorted_windows(values: list[float], low: list[int], high: list[int]) -> Iterator[list[Any]]:
    """The values of each window in order: one list, which changes from one to the next."""
    kept: list[float] = []
    first, end = 0, 0
    for start, stop in zip(low, high, strict=True):
        if start >= stop:
            yield []
            continue
        if start >= end:
            kept = sorted(values[start:stop])
        else:
            for value in values[end:stop]:
                insort(kept, value)
            for value in values[first:start]:
                del kept[bisect_left(kept, value)]
        first, end = start, stop
        yield kept
