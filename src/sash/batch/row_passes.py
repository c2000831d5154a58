"""How the aggregations of a row and its window run: the window's part by other passes, then the row's own."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np
import numpy.typing as npt

from sash import _batch
from sash.aggregations.means import Mean
from sash.aggregations.moments import Std
from sash.aggregations.of_row import OfRow, TimeSince, ZScore
from sash.batch.base import Batch, Pass
from sash.batch.passes import choose
from sash.frames.base import Numbers, ResultColumn
from sash.windows.config import PolicyConfig

__all__ = ["row_pass"]


def row_pass(aggregation: OfRow, kinds: Sequence[str], late: bool, then: bool) -> Pass:
    """The pass of an aggregation of rows."""
    if isinstance(aggregation, TimeSince):
        return TimeSincePass(aggregation)
    assert isinstance(aggregation, ZScore)
    name, nan = aggregation.columns[0], aggregation.nan
    parts = (Mean(name, nan=nan), Std(name, ddof=aggregation.ddof, nan=nan))
    mean, deviation = (choose(part, kinds, late, then) for part in parts)
    return ZScorePass(aggregation, mean, deviation)


@dataclass(frozen=True)
class ZScorePass:
    """The mean and the deviation of the window, and the row's own value."""

    aggregation: ZScore
    mean: Pass
    deviation: Pass

    def how(self, stacks: str) -> str:
        """How it runs."""
        return f"mean and deviation {self.mean.how(stacks)}, twice; then one division"

    def run(self, batch: Batch, bounds: _batch.Bounds) -> ResultColumn:
        """The result of every row."""
        mean, deviation = self.mean.run(batch, bounds), self.deviation.run(batch, bounds)
        own = batch.columns.values(self.aggregation.columns[0])
        assert isinstance(mean, Numbers)
        assert isinstance(deviation, Numbers)
        assert own.numbers is not None
        valid = deviation.values > 0
        for there in (mean.valid, deviation.valid, None if own.nulls is None else own.nulls == 0):
            valid = valid if there is None else valid & there
        apart = own.numbers - mean.values
        scores = np.divide(apart, deviation.values, out=np.zeros(len(valid)), where=valid)
        return Numbers(scores, valid & ~np.isnan(scores), "real", True)


@dataclass(frozen=True)
class TimeSincePass:
    """The last event by row number, and the time between."""

    aggregation: TimeSince

    def how(self, stacks: str) -> str:
        """How it runs."""
        return "by row number, no combine"

    def run(self, batch: Batch, bounds: _batch.Bounds) -> ResultColumn:
        """The result of every row."""
        counted = batch
        if self.aggregation.columns:
            counted = replace(batch, columns=batch.columns.only(_changed(batch, self.aggregation.columns[0])))
        column = counted.columns.events(batch.order)
        rows, counts = _batch.aggregate("last", batch.order, bounds, column, batch.known, all=True)
        if batch.min_periods:
            if counts is None:
                counts = _batch.aggregate("count", batch.order, bounds, column, False, all=True)[0]
            rows = np.where(counts >= batch.min_periods, rows, -1)
        found = rows >= 0
        return Numbers(batch.columns.since(np.where(found, rows, 0)), found, "real", True)


def _changed(batch: Batch, name: str) -> npt.NDArray[np.bool_]:
    """Marks the events at which the column is not what it was in the event of the key before."""
    columns, order = batch.columns, batch.order
    two = order.bounds(PolicyConfig("count", count=2), False, True, batch.known, columns.absent)
    before = _batch.aggregate("first", order, two, columns.events(order), batch.known, all=True)[0]
    codes, rows = columns.codes(name).codes, np.arange(len(before))
    # The first event of a key is the first of the last two.
    return np.asarray((before == rows) | (codes[np.maximum(before, 0)] != codes))
