"""What the windows of rows that are yet to come may still hold of the rows that are here."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import numpy.typing as npt

from sash.aggregations.base import Aggregation
from sash.aggregations.filtered import Filtered
from sash.aggregations.of_row import TimeSince
from sash.durations import Duration
from sash.plan import Plan
from sash.times import FLOAT, Kind, bound, decode_array
from sash.windows import CountWindow, LandmarkWindow, SessionWindow, TimeWindow, TumblingWindow, WindowPolicy

__all__ = ["first_needed", "looks_back"]

Times = npt.NDArray[Any]


def first_needed(plan: Plan, kind: Kind | None, ticks: npt.NDArray[np.int64] | None, rows: int) -> int:
    """How many of a key's rows no later row needs. They stand in order, the last of them is the newest.

    Rows that are left out are a multiple of every number of rows that a window tumbles by, so that what follows keeps
    its place. Cost: O(windows * log n), and O(n) for sessions.

    >>> import sash
    >>> plan = sash.Plan(on="t", windows=sash.TimeWindow(5), aggregations={"n": sash.Count()})
    >>> from sash.times import INT
    >>> first_needed(plan, INT, np.array([1, 3, 4, 8]), 4)
    1
    """
    times = None if kind is None or ticks is None else _comparable(kind, ticks)
    first = min(_needed(window, kind, times, rows) for window in plan.windows)
    first = min([first, *(_before_change(one, first) for one in plan.aggregations.values())])
    step = math.lcm(*(_steps(window) for window in plan.windows))
    return first // step * step


def _before_change(aggregation: Aggregation, first: int) -> int:
    """The first row that tells whether a column changed at the first row of a window."""
    if isinstance(aggregation, Filtered):
        # The event of which the condition was true before that may be any.
        return 0 if looks_back(aggregation) else first
    return max(first - 1, 0) if looks_back(aggregation) else first


def looks_back(aggregation: Aggregation) -> bool:
    """Whether what is in a window depends on the event before it.

    >>> import sash
    >>> looks_back(sash.TimeSince("status")), looks_back(sash.TimeSince())
    (True, False)
    """
    inner = aggregation.inner if isinstance(aggregation, Filtered) else aggregation
    return isinstance(inner, TimeSince) and bool(inner.columns)


def _comparable(kind: Kind, ticks: npt.NDArray[np.int64]) -> Times:
    return decode_array(FLOAT, ticks) if kind == FLOAT else ticks


def _steps(window: WindowPolicy) -> int:
    return window.count or 1 if isinstance(window, TumblingWindow) else 1


def _needed(window: WindowPolicy, kind: Kind | None, times: Times | None, rows: int) -> int:
    """The first row that the window of a later row may hold."""
    if isinstance(window, CountWindow):
        # Where the row itself is out, the window begins one row earlier.
        return max(rows - window.n - 1, 0)
    assert kind is not None
    assert times is not None
    if not rows:
        return 0
    match window:
        case TimeWindow():
            return _since(
                times, _before(times[-1], window.length.amount if kind == FLOAT else window.length.ticks(kind))
            )
        case TumblingWindow(count=int(count)):
            return (rows - 1) // count * count
        case TumblingWindow():
            return _tumble(window, kind, times)
        case SessionWindow():
            begins = np.flatnonzero(np.diff(times) >= _length(window.gap, kind))
            return int(begins[-1]) + 1 if len(begins) else 0
        case LandmarkWindow(since=since) if since is not None:
            landmark = _comparable(kind, np.array([bound(kind, since, up=True)]))[0]
            return _since(times, landmark)
    return 0


def _length(length: Duration, kind: Kind) -> int | float:
    return length.amount if kind == FLOAT else length.ticks(kind)


def _before(time: Any, length: int | float) -> Any:
    """The time so long before, or the earliest there is."""
    if isinstance(time, np.floating):
        return float(time) - length
    return max(int(time) - int(length), -(2**63))


def _since(times: Times, start: Any) -> int:
    return int(np.searchsorted(times, start, "left"))


def _tumble(window: TumblingWindow, kind: Kind, times: Times) -> int:
    """The first row of the stretch that the last one is in."""
    assert window.length is not None
    length: Any = _length(window.length, kind)
    since: Any = 0
    if window.origin is not None:
        since = _comparable(kind, np.array([bound(kind, window.origin, up=False)]))[0]
    numbers = (times - since) // length if window.closed == "left" else -((since - times) // length)
    return _since(numbers, numbers[-1])
