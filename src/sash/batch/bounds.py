"""Window policies over the rows of a batch: which rows are in the window of each row."""

from __future__ import annotations

from dataclasses import replace

from sash._batch import Bounds, Order
from sash.frames.base import Marks
from sash.plan import Plan
from sash.times import FLOAT, INT, Kind
from sash.windows import WindowPolicy
from sash.windows.scale import Scale
from sash.windows.time import ends_in

__all__ = ["bounds_of", "refusal"]


def refusal(window: WindowPolicy, arrival: bool) -> str | None:
    """Why a batch cannot run such a window; None if it can."""
    if not window.each_row:
        return f"{window!r} does not emit at every row, and a frame gets one result a row: leave out every="
    if arrival and window.moves_with_late:
        return f'{window!r} changes as late rows come, so emit="arrival" has no result here: use sash.Sliding'
    return None


def bounds_of(
    order: Order,
    window: WindowPolicy,
    kind: Kind | None,
    plan: Plan,
    labels: Marks | None = None,
    *,
    once: bool = False,
) -> Bounds:
    """The rows of each window; `labels` marks rows that are no events. With `once`, one kernel reads them, and finds
    them as it goes. `WindowSpecError` if its length does not go with the kind of times. Cost: O(n)."""
    # Windows that count rows need no times.
    scale = Scale(INT if kind is None else kind)
    config = window.core(scale)
    if window.closed_by_plan:
        with_start, with_end = ends_in(plan.closed)
        config = replace(config, with_start=with_start, with_end=with_end)
    return order.bounds(config, scale.kind == FLOAT, plan.peers, plan.emit == "arrival", labels, once)
