"""Aggregations by their own methods, and what a list of their results becomes."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from sash import _batch
from sash.aggregations.base import Aggregation
from sash.batch.base import Batch, as_objects, enough, nulled
from sash.batch.columns import Columns
from sash.frames import Frame
from sash.frames.base import ORDERED, Numbers, NumberType, Objects, ResultColumn

__all__ = ["ObjectPass", "tidy", "typed"]


@dataclass(frozen=True)
class ObjectPass:
    """Any aggregation by its own methods, called from the native pass."""

    aggregation: Aggregation

    def how(self, stacks: str) -> str:
        """How it runs."""
        return f"its Python methods, by {stacks}: 3 combines a row"

    def run(self, batch: Batch, bounds: _batch.Bounds) -> ResultColumn:
        """The result of every row."""
        rows = batch.columns.rows_of(self.aggregation)
        column = batch.columns.presence(batch.order, self.aggregation, rows)
        times = batch.columns.times if self.aggregation.timed else None
        results, counts = _batch.aggregate_objects(
            self.aggregation, batch.order, bounds, column, rows, times, batch.known
        )
        results = nulled(results, enough(batch, bounds, column, counts, batch.min_periods))
        return typed(self.aggregation, results, batch.columns)


def typed(aggregation: Aggregation, results: list[Any], columns: Columns | Frame) -> ResultColumn:
    """Results in the type of the column that they are of, if that has an order and no numbers; else `tidy`."""
    found = as_objects(aggregation, results)
    if found.column is not None and columns.values(found.column).type in ORDERED[:-1]:
        return found
    return tidy(results)


def tidy(results: list[Any]) -> ResultColumn:
    """Numbers as numbers, if they are all of one type and fit; other objects as they are."""
    types = set(map(type, results)) - {type(None)}
    if len(types) != 1 or not types <= {int, float, bool}:
        return Objects(results)
    valid = np.fromiter((result is not None for result in results), np.bool_, len(results))
    kind = types.pop()
    filled = results if valid.all() else [kind() if result is None else result for result in results]
    try:
        values: npt.NDArray[Any] = np.array(filled, {int: np.int64, float: np.float64, bool: np.bool_}[kind])
    except OverflowError:
        return Objects(results)
    names: dict[type, NumberType] = {int: "integer", float: "real", bool: "bool"}
    return Numbers(values, None if valid.all() else valid, names[kind], True)
