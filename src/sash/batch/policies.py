"""Windows that only the operator can run: those whose ends depend on the values of events, row after row.

Each aggregation runs through a `sash.Sliding` of its own. An event is the row, as a dictionary.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from sash.aggregations.base import Aggregation
from sash.aggregations.filtered import unfiltered
from sash.aggregations.of_row import OfRow
from sash.aggregations.records import takes_row
from sash.batch.object_pass import typed
from sash.frames import Frame
from sash.frames.base import Codes, ResultColumn
from sash.times import Kind, decode_array
from sash.windows import WindowPolicy

__all__ = ["Events", "operator_problem"]


def operator_problem(aggregation: Aggregation, window: WindowPolicy) -> str | None:
    """Why the operator cannot run the aggregation over such a window of rows; None if it can."""
    if window.by_value and isinstance(unfiltered(aggregation), OfRow):
        return f"{aggregation!r} is of the row itself, and {window!r} is run by sash.Sliding: use another window"
    if window.measures and window.reads is None and len(aggregation.columns) != 1:
        return f"{window!r} measures the value of {aggregation!r}, which is no single column: give of="
    over = window.looks_at
    if over is not None and not over.columns and over.inputs != "ignored":
        return f"over={over!r} of {window!r} names no column: write {type(over).__name__}('amount')"
    return None


@dataclass(frozen=True)
class Events:
    """The rows of a frame as events of the operator, in the order in which they came."""

    frame: Frame
    kind: Kind
    ticks: Any
    codes: Codes | None
    #: The columns that the plan reads.
    columns: Sequence[str]

    def result(self, aggregation: Aggregation, window: WindowPolicy, min_periods: int) -> ResultColumn:
        """The result of every row. Cost: that of `sash.Sliding`, row by row."""
        # Few windows need it, and no other frame pays for its import.
        from sash.operator import Sliding

        policy = window.measuring(aggregation.columns)
        operator = Sliding(aggregation, policy, by=True, emit="final", min_periods=min_periods)
        keys = [0] * self.frame.rows if self.codes is None else self.codes.codes.tolist()
        operator.push_many(keys, decode_array(self.kind, self.ticks), self._rows(aggregation, window))
        results: list[Any] = [None] * self.frame.rows
        for result in operator.finish():
            assert result.number is not None
            results[result.number] = result.value
        return typed(aggregation, results, self.frame)

    def _rows(self, aggregation: Aggregation, window: WindowPolicy) -> list[dict[str, Any]]:
        whole = takes_row(aggregation) or callable(window.reads)
        names = self.frame.names if whole else list(dict.fromkeys([*self.columns, *window.columns]))
        parts = [self.frame.objects(name) for name in names]
        return [dict(zip(names, row, strict=True)) for row in zip(*parts, strict=True)]
