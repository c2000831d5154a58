"""The windows of a frame by brute force: for each row, walk over all rows."""

from __future__ import annotations

from typing import Any

import sash
from sash.plan import Plan
from sash.windows import CountWindow

Row = dict[str, Any]


def in_window(mine: Row, other: Row, length: int, closed: str, peers: bool, here: int, there: int) -> bool:
    """Whether the row `there` is in the time window of the row `here`."""
    start, end = mine["t"] - length, mine["t"]
    after = other["t"] >= start if closed in ("left", "both") else other["t"] > start
    if closed not in ("right", "both"):
        return after and other["t"] < end
    seen = peers or other["t"] < end or there <= here
    return after and other["t"] <= end and seen


def in_count(rows: list[int], here: int, n: int, closed: str) -> list[int]:
    """The last n of the rows, which stand in order, as pandas counts them."""
    place = rows.index(here)
    first = place + 1 - n - (closed in ("left", "both"))
    last = place + (closed in ("right", "both"))
    return rows[max(first, 0) : max(last, 0)]


def members(frame: list[Row], here: int, window: Any, closed: str, peers: bool, arrival: bool) -> list[int]:
    """The rows in the window of a row, oldest first."""
    mine = frame[here]
    known = [i for i, row in enumerate(frame) if row["k"] == mine["k"] and (not arrival or i <= here)]
    known.sort(key=lambda i: (frame[i]["t"], i))
    if isinstance(window, CountWindow):
        return in_count(known, here, window.n, closed)
    length = int(window.length.amount)
    return [i for i in known if in_window(mine, frame[i], length, closed, peers, here, i)]


def result(aggregation: sash.Aggregation, frame: list[Row], rows: list[int], min_periods: int | None) -> Any:
    """The result over some rows, by the definition of the aggregation."""
    total, count = aggregation.identity, 0
    for i in rows:
        values = [frame[i][column] for column in aggregation.columns]
        value = True if not values else values[0] if len(values) == 1 else tuple(values)
        if aggregation.skips(value):
            continue
        when = (frame[i]["t"],) if aggregation.timed else ()
        total = aggregation.combine(total, aggregation.lift(value, *when))
        count += 1
    return aggregation.lower(total) if min_periods is None or count >= min_periods else None


def rolling(frame: list[Row], plan: Plan) -> dict[str, list[Any]]:
    """Every column of the plan."""
    columns: dict[str, list[Any]] = {}
    names = iter(plan.outputs)
    for window in plan.windows:
        closed = getattr(window, "closed", plan.closed)
        spans = [members(frame, i, window, closed, plan.peers, plan.emit == "arrival") for i in range(len(frame))]
        for aggregation in plan.aggregations.values():
            columns[next(names)] = [result(aggregation, frame, rows, plan.min_periods) for rows in spans]
    return columns
