"""Aggregations whose results are values of the window: a pass finds rows, or numbers them."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from sash import _batch
from sash.aggregations.base import Aggregation
from sash.aggregations.distinct import hashable
from sash.batch.base import Batch, as_objects, enough, nulled
from sash.frames.base import Numbers, ResultColumn, Taken, TakenRows

__all__ = ["ArgumentPass", "CollectDistinctPass", "CollectPass", "DistinctPass", "EndPass", "ModePass", "picked_rows"]


@dataclass(frozen=True)
class EndPass:
    """The first or the last value, of any type, or one so many before it: found by row number, and taken from the
    column."""

    aggregation: Aggregation
    kernel: str
    behind: int = 0

    def how(self, stacks: str) -> str:
        """How it runs."""
        return "by row number, no combine; the value is taken from its column"

    def run(self, batch: Batch, bounds: _batch.Bounds) -> ResultColumn:
        """The result of every row."""
        return Taken(
            self.aggregation.columns[0], picked_rows(self.aggregation, self.kernel, batch, bounds, self.behind)
        )


@dataclass(frozen=True)
class ArgumentPass:
    """What goes with the extreme: a value of another column, of several, or the whole row."""

    aggregation: Aggregation
    kernel: str

    def how(self, stacks: str) -> str:
        """How it runs."""
        return f"native, by {stacks} of row numbers, 3 combines a row; the value is taken from its column"

    def run(self, batch: Batch, bounds: _batch.Bounds) -> ResultColumn:
        """The result of every row."""
        rows = picked_rows(self.aggregation, self.kernel, batch, bounds)
        arguments = self.aggregation.columns[1:]
        if len(arguments) == 1:
            return Taken(arguments[0], rows)
        return TakenRows(arguments or tuple(batch.columns.frame.names), rows)


@dataclass(frozen=True)
class DistinctPass:
    """How many different values: counted up and down, which is exact for integers."""

    aggregation: Aggregation

    def how(self, stacks: str) -> str:
        """How it runs."""
        return "counts of each value, up and down: exact, no combine"

    def run(self, batch: Batch, bounds: _batch.Bounds) -> ResultColumn:
        """The result of every row."""
        codes = batch.columns.codes(self.aggregation.columns[0], batch.order.threads)
        column = batch.columns.numbers(batch.order, self.aggregation)
        values = _batch.distinct(batch.order, bounds, column, codes.codes, codes.count)
        valid = enough(batch, bounds, column, None, batch.min_periods)
        return Numbers(values.view(np.int64), valid, "integer", batch.min_periods > 0)


@dataclass(frozen=True)
class ModePass:
    """The most frequent value, of any type: found by the row at which it appears first, and taken from the column."""

    aggregation: Aggregation

    def how(self, stacks: str) -> str:
        """How it runs."""
        return "counts of each value, up and down, in a tournament: O(log n) a row, no combine"

    def run(self, batch: Batch, bounds: _batch.Bounds) -> ResultColumn:
        """The result of every row."""
        (name,) = self.aggregation.columns
        codes = batch.columns.codes(name, batch.order.threads)
        column = batch.columns.numbers(batch.order, self.aggregation)
        rows = _batch.modes(batch.order, bounds, column, codes.codes, codes.count).view(np.int64)
        valid = enough(batch, bounds, column, None, batch.min_periods)
        return Taken(name, rows if valid is None else np.where(valid, rows, -1))


@dataclass(frozen=True)
class CollectPass:
    """Every value in a list: slices of the sorted column."""

    aggregation: Aggregation

    def how(self, stacks: str) -> str:
        """How it runs."""
        return "slices of the column: O(length) a row"

    def run(self, batch: Batch, bounds: _batch.Bounds) -> ResultColumn:
        """The result of every row."""
        rows = batch.columns.rows_of(self.aggregation)
        column = batch.columns.presence(batch.order, self.aggregation, rows)
        results = _batch.collect(batch.order, bounds, column, rows)
        results = nulled(results, enough(batch, bounds, column, None, batch.min_periods))
        return as_objects(self.aggregation, results)


@dataclass(frozen=True)
class CollectDistinctPass:
    """The different values in a list, each where it appears first: a mark for each row that is the first with its value
    in the window."""

    aggregation: Aggregation

    def how(self, stacks: str) -> str:
        """How it runs."""
        return "marks of the rows that are the first with their value, no combine: O(length of the result) a row"

    def run(self, batch: Batch, bounds: _batch.Bounds) -> ResultColumn:
        """The result of every row."""
        (name,) = self.aggregation.columns
        values, codes = batch.columns.objects(name), batch.columns.codes(name, batch.order.threads)
        # A column of one type is hashable if one of its values is.
        hashable(next((value for value in values if value is not None), None))
        column = batch.columns.numbers(batch.order, self.aggregation)
        results = _batch.collect_distinct(batch.order, bounds, column, values, codes.codes, codes.count)
        results = nulled(results, enough(batch, bounds, column, None, batch.min_periods))
        return as_objects(self.aggregation, results)


def picked_rows(
    aggregation: Aggregation, kernel: str, batch: Batch, bounds: _batch.Bounds, behind: int = 0
) -> npt.NDArray[np.int64]:
    """The row that a kernel finds in each window, or the one so many rows before it; -1 where it has no result."""
    column = batch.columns.numbers(batch.order, aggregation)
    rows, counts = _batch.aggregate(kernel, batch.order, bounds, column, batch.known, behind=behind)
    valid = enough(batch, bounds, column, counts, batch.min_periods)
    return rows if valid is None else np.where(valid, rows, -1)
