"""Passes over a batch that no combine is enough for: by ranks of values, and moments beyond the variance."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

import numpy as np

from sash import _batch
from sash.aggregations.base import Aggregation
from sash.aggregations.comoments import FittedLine
from sash.aggregations.quantiles import Ordered
from sash.aggregations.ranks import Rank
from sash.aggregations.reading import plain
from sash.aggregations.records import Part
from sash.aggregations.top import BottomK, TopK
from sash.batch.base import Batch, as_objects, enough, nulled
from sash.frames.base import Numbers, Objects, ResultColumn

__all__ = ["MomentPass", "QuantilePass", "RankPass", "TopPass"]

_NO_ROW: Final = 2**32 - 1


@dataclass(frozen=True)
class QuantilePass:
    """Quantiles from the ranks of the values in the window, whatever its size."""

    aggregation: Ordered

    def how(self, stacks: str) -> str:
        """How it runs."""
        return "a set of the ranks in the window: exact, O(log n) a row, no combine"

    def run(self, batch: Batch, bounds: _batch.Bounds) -> ResultColumn:
        """The result of every row."""
        over = self.aggregation
        column = batch.columns.numbers(batch.order, over)
        found, counts = _batch.quantiles(batch.order, bounds, column, batch.known, over.at, over.interpolation)
        least = max(batch.min_periods, 1)
        valid = enough(batch, bounds, column, counts, least)
        if over.result == "float":
            return Numbers(found, valid, "real", True)
        return Objects(nulled(found.reshape(-1, len(over.at)).tolist(), valid))


@dataclass(frozen=True)
class RankPass:
    """The rank of the youngest value, from the ranks of the values in the window."""

    aggregation: Rank

    def how(self, stacks: str) -> str:
        """How it runs."""
        return "a set of the ranks in the window: exact, O(log n) a row, no combine"

    def run(self, batch: Batch, bounds: _batch.Bounds) -> ResultColumn:
        """The result of every row."""
        over = self.aggregation
        column = batch.columns.numbers(batch.order, over)
        found = _batch.row_ranks(batch.order, bounds, column, over.method, over.pct)
        return Numbers(found, enough(batch, bounds, column, None, max(batch.min_periods, 1)), "real", True)


@dataclass(frozen=True)
class MomentPass:
    """The shape of a column, or how two move together: sums about a value of each window, natively."""

    aggregation: Aggregation
    part: Part

    def how(self, stacks: str) -> str:
        """How it runs."""
        return f"native, by {stacks} of sums of powers: 3 additions a row and power"

    def run(self, batch: Batch, bounds: _batch.Bounds) -> ResultColumn:
        """The result of every row."""
        options, kernel = dict(self.part.options), self.part.kernel
        if len(self.aggregation.columns) == 1:
            column = batch.columns.numbers(batch.order, self.aggregation)
            numbers, marks = _batch.shape(kernel, batch.order, bounds, column, bool(options["bias"]))
        else:
            column, other = batch.columns.pair(batch.order, self.aggregation)
            numbers, marks = _batch.joint(kernel, batch.order, bounds, column, other, int(options["ddof"]))
        valid = marks.view(np.bool_)
        sufficient = enough(batch, bounds, column, None, batch.min_periods)
        if sufficient is not None:
            valid = valid & sufficient
        if self.aggregation.result == "float":
            return Numbers(numbers, None if valid.all() else valid, "real", True)
        rows = zip(valid.tolist(), numbers.reshape(-1, 3).tolist(), strict=True)
        return Objects([FittedLine(*row) if there else None for there, row in rows])


@dataclass(frozen=True)
class TopPass:
    """The most extreme values, or what goes with them: by row number, and taken from the column."""

    aggregation: TopK | BottomK

    def how(self, stacks: str) -> str:
        """How it runs."""
        return "a set of the ranks in the window: exact, O(log n + k) a row, no combine"

    def run(self, batch: Batch, bounds: _batch.Bounds) -> ResultColumn:
        """The result of every row."""
        over = self.aggregation
        column = batch.columns.ranking(batch.order, over)
        rows = _batch.tops(batch.order, bounds, column, over.k, over.greatest).reshape(-1, over.k)
        values = list(map(plain, batch.columns.objects(over.columns[0])))
        sizes = (rows != _NO_ROW).sum(axis=1).tolist()
        found = [[values[row] for row in line[:size]] for line, size in zip(rows.tolist(), sizes, strict=True)]
        return as_objects(over, nulled(found, enough(batch, bounds, column, None, batch.min_periods)))
