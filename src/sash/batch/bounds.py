"""Window policies over the rows of a batch: which rows are in the window of each row."""

from __future__ import annotations

from typing import Any, Final

import numpy as np
import numpy.typing as npt

from sash._batch import Bounds, Order
from sash.batch.policies import by_operator
from sash.durations import Duration
from sash.errors import WindowSpecError
from sash.plan import Plan
from sash.times import FLOAT, Kind, bound, decode_array
from sash.windows import CountWindow, LandmarkWindow, SessionWindow, TimeWindow, TumblingWindow, WindowPolicy

__all__ = ["bounds_of", "refusal"]

_LONGEST: Final = 2**63 - 1


def refusal(window: WindowPolicy, arrival: bool) -> str | None:
    """Why a batch cannot run such a window; None if it can."""
    if isinstance(window, CountWindow) and window.every != 1:
        return f"{window!r} does not emit at every row, and a frame gets one result a row: leave out every="
    by_count = isinstance(window, TumblingWindow) and window.count is not None
    if arrival and (by_count or by_operator(window) or isinstance(window, SessionWindow)):
        return f'{window!r} changes as late rows come, so emit="arrival" has no result here: use sash.Sliding'
    return None


def bounds_of(order: Order, window: WindowPolicy, kind: Kind | None, plan: Plan) -> Bounds:
    """The rows of each window. `WindowSpecError` if its length does not go with the kind of times. Cost: O(n)."""
    known = plan.emit == "arrival"
    if isinstance(window, CountWindow):
        return order.count_window(window.n, *_ends(plan.closed), known)
    assert kind is not None
    if isinstance(window, TimeWindow):
        ends = _ends(window.closed)
        if kind == FLOAT:
            return order.real_window(_real(window.length), *ends, plan.peers, known)
        return order.time_window(min(window.length.ticks(kind), _LONGEST), *ends, plan.peers, known)
    # What came in order does not know the peers that came later.
    peers = plan.peers and not (known and order.in_order)
    if isinstance(window, LandmarkWindow) and window.since is not None:
        return order.landmark_window(bound(kind, window.since, up=True), peers)
    return order.stretch_window(_begins(order, window, kind), peers)


def _ends(closed: str) -> tuple[bool, bool]:
    """Whether the start and the end are in."""
    return closed in ("left", "both"), closed in ("right", "both")


def _real(length: Duration) -> float:
    if not length.plain:
        raise WindowSpecError(f"{length} over times of kind float, which have no unit of time: give a plain number")
    return float(length.amount)


def _begins(order: Order, window: WindowPolicy, kind: Kind) -> npt.NDArray[np.uint8]:
    """Marks the rows with which a new window begins, beside the first of each key."""
    times: npt.NDArray[Any] = order.times()
    if kind == FLOAT:
        times = decode_array(FLOAT, times)
    marks = np.zeros(len(times), np.uint8)
    if isinstance(window, SessionWindow):
        marks[1:] = np.diff(times) >= _length(window.gap, kind)
    elif isinstance(window, TumblingWindow) and window.count is not None:
        groups = order.groups()
        sizes = np.diff(groups)
        marks[:] = (np.arange(len(times)) - np.repeat(groups[:-1], sizes)) % window.count == 0
    elif isinstance(window, TumblingWindow) and window.length is not None:
        since = 0 if window.origin is None else _origin(kind, window.origin)
        length = _length(window.length, kind)
        numbers = (times - since) // length if window.closed == "left" else -((since - times) // length)
        marks[1:] = np.diff(numbers) != 0
    return marks


def _length(length: Duration, kind: Kind) -> int | float:
    return _real(length) if kind == FLOAT else length.ticks(kind)


def _origin(kind: Kind, origin: Any) -> int | float:
    ticks = bound(kind, origin, up=False)
    return float(decode_array(FLOAT, np.array([ticks]))[0]) if kind == FLOAT else ticks
