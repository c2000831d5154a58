"""Columns of decimals, times, durations and texts: read as numbers, or counted in their unit."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from sash import _batch
from sash.aggregations.base import Aggregation
from sash.batch.base import Batch, Pass, enough
from sash.batch.picking_passes import picked_rows
from sash.frames.base import Amounts, ResultColumn
from sash.frames.wide import Wide

__all__ = ["CodedPass", "DifferencePass", "RoundedPass", "SumPass"]


@dataclass(frozen=True)
class CodedPass:
    """Another pass, over numbers of the order that the values have."""

    inner: Pass

    def how(self, stacks: str) -> str:
        """How it runs."""
        return f"{self.inner.how(stacks)}; values are numbered in their order first"

    def run(self, batch: Batch, bounds: _batch.Bounds) -> ResultColumn:
        """The result of every row."""
        return self.inner.run(replace(batch, columns=batch.columns.coded()), bounds)


@dataclass(frozen=True)
class RoundedPass:
    """Another pass, over decimals as floats."""

    inner: Pass

    def how(self, stacks: str) -> str:
        """How it runs."""
        return f"{self.inner.how(stacks)}; decimals are read as floats"

    def run(self, batch: Batch, bounds: _batch.Bounds) -> ResultColumn:
        """The result of every row."""
        return self.inner.run(replace(batch, columns=batch.columns.real()), bounds)


@dataclass(frozen=True)
class SumPass:
    """Decimals or durations as integers of their unit: one running sum where 64 bits are enough, else four."""

    aggregation: Aggregation

    def how(self, stacks: str) -> str:
        """How it runs."""
        return "differences of running sums of integers: exact, no combine"

    def run(self, batch: Batch, bounds: _batch.Bounds) -> ResultColumn:
        """The result of every row."""
        (name,) = self.aggregation.columns
        columns = batch.columns.parts(batch.order, name)
        found = [_batch.aggregate("sum", batch.order, bounds, column, batch.known) for column in columns]
        sums = [values.view(np.int64) for values, _ in found]
        total = Wide.of(sums[0]) if len(sums) == 1 else Wide.total(sums)
        valid = enough(batch, bounds, columns[0], found[0][1], batch.min_periods)
        return Amounts(name, total, valid, batch.min_periods > 0)


@dataclass(frozen=True)
class DifferencePass:
    """The difference between the values of two rows of the window."""

    aggregation: Aggregation
    #: What finds the row whose value is taken, and the one whose value is subtracted.
    one: str
    other: str

    def how(self, stacks: str) -> str:
        """How it runs."""
        return f"native, by {stacks} of row numbers: the values of two rows are subtracted"

    def run(self, batch: Batch, bounds: _batch.Bounds) -> ResultColumn:
        """The result of every row."""
        (name,) = self.aggregation.columns
        # The ends of a window do not depend on values.
        found_by = batch if self.one == "last" else replace(batch, columns=batch.columns.coded())
        one, other = (picked_rows(self.aggregation, kernel, found_by, bounds) for kernel in (self.one, self.other))
        amounts, valid = batch.columns.amounts(name), one >= 0
        # The rows of what nobody asks for may be anything.
        last = max(len(amounts.low) - 1, 0)
        found = amounts.at(np.clip(one, 0, last)).minus(amounts.at(np.clip(other, 0, last)))
        return Amounts(name, found, None if valid.all() else valid, True)
