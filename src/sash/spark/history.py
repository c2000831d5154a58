"""What the windows of rows that are yet to come may still hold of the rows that are here."""

from __future__ import annotations

import math

import numpy as np
import numpy.typing as npt

from sash._batch import Order
from sash.aggregations.base import Aggregation
from sash.aggregations.filtered import Filtered
from sash.aggregations.of_row import looks_back
from sash.batch.bounds import bounds_of
from sash.plan import Plan
from sash.times import Kind

__all__ = ["first_needed"]


def first_needed(plan: Plan, kind: Kind | None, ticks: npt.NDArray[np.int64] | None, rows: int) -> int:
    """How many of a key's rows no later row needs. They stand in order, the last of them is the newest.

    The first row of a window moves on with its end, never back: what the window of the newest row does not hold, that
    of a later row does not hold either. Rows that are left out are a multiple of every number of rows that a window
    tumbles by, so that what follows keeps its place. Cost: O(windows * n).

    >>> import sash
    >>> plan = sash.Plan(on="t", windows=sash.TimeWindow(5), aggregations={"n": sash.Count()})
    >>> from sash.times import INT
    >>> first_needed(plan, INT, np.array([1, 3, 4, 8]), 4)
    2
    """
    if rows == 0 or not all(window.by_time or window.events or window.step for window in plan.windows):
        return 0
    order = Order(rows, None if ticks is None else np.ascontiguousarray(ticks), None, 1)
    first = min(bounds_of(order, window, kind, plan).first(rows - 1) for window in plan.windows)
    first = min([first, *(_before_change(one, first) for one in plan.aggregations.values())])
    # Windows that count rows of their own begin anywhere.
    step = math.lcm(*(window.step or 1 for window in plan.windows if not (window.by_time or window.events)))
    return first // step * step


def _before_change(aggregation: Aggregation, first: int) -> int:
    """The first row that tells whether a column changed at the first row of a window."""
    if isinstance(aggregation, Filtered):
        # The event of which the condition was true before that may be any.
        return 0 if looks_back(aggregation) else first
    return max(first - 1, 0) if looks_back(aggregation) else first
