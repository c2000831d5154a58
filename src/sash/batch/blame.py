"""Which row of a frame an error is about: its key, its value, and the aggregation that could not go on."""

from __future__ import annotations

import re
from typing import Any

from sash.aggregations.base import Aggregation
from sash.batch.columns import Columns
from sash.errors import retold, text_of
from sash.plan import Plan

__all__ = ["located"]


def located(error: Exception, name: str, aggregation: Aggregation, plan: Plan, columns: Columns) -> Exception:
    """The error with what it is about. Cost: O(n), once."""
    row = _row_of(error, aggregation, columns)
    parts = [f"in {name!r}, {aggregation!r}"]
    if row is not None and row < columns.frame.rows:
        read = dict.fromkeys((*plan.by, *aggregation.columns))
        parts += [f"row {row}", *(f"{column!r} is {_shown(columns.objects(column)[row])}" for column in read)]
    return retold(error, f"{text_of(error)} ({', '.join(parts)})")


def _shown(value: Any) -> str:
    return f"{value!r:.60}"


def _row_of(error: Exception, aggregation: Aggregation, columns: Columns) -> int | None:
    """The row that the message names, or the first whose value the aggregation refuses by its definition."""
    named = re.search(r"\brow (\d+)", str(error))
    if named is not None:
        return int(named[1])
    for row, value in enumerate(columns.rows_of(aggregation)):
        try:
            if not aggregation.skips(value):
                aggregation.lift(value, *((columns.times[row],) if aggregation.timed else ()))
        except Exception:
            return row
    return None
