"""What all passes over a batch share: the batch itself, and which of its windows have enough values."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any, Protocol

import numpy as np
import numpy.typing as npt

from sash import _batch
from sash.aggregations.base import Aggregation
from sash.batch.columns import Columns
from sash.frames.base import Objects, ResultColumn

__all__ = ["Batch", "Pass", "as_objects", "enough", "nulled"]


@dataclass(frozen=True)
class Batch:
    """What all passes over one frame share."""

    order: _batch.Order
    columns: Columns
    #: Only what was known when a row came.
    known: bool
    min_periods: int
    #: Which windows have enough values, by what was asked; aggregations of one column ask alike.
    sufficient: dict[Any, Any] = field(default_factory=dict)

    @property
    def late(self) -> bool:
        """Whether rows came late and that matters."""
        return self.known and not self.order.in_order


class Pass(Protocol):
    """One aggregation over the windows of a batch."""

    def how(self, stacks: str) -> str:
        """How it runs, in a few words; `stacks` names how partials are combined."""

    def run(self, batch: Batch, bounds: _batch.Bounds) -> ResultColumn:
        """The result of every row."""


def enough(
    batch: Batch,
    bounds: _batch.Bounds,
    column: _batch.Column,
    counts: npt.NDArray[np.uint32] | None,
    least: int,
) -> npt.NDArray[np.bool_] | None:
    """Which rows' windows have at least so many values; None if all have."""
    if counts is not None:
        valid = counts >= least
        return None if valid.all() else valid
    key = (id(bounds), id(column), least)
    if key not in batch.sufficient:
        # With what was asked about, so that none of it is forgotten and its number given to another.
        batch.sufficient[key] = _batch.enough(batch.order, bounds, column, least), bounds, column
    marks = batch.sufficient[key][0]
    return None if marks is None else marks.view(np.bool_)


def nulled(results: list[Any], valid: npt.NDArray[np.bool_] | None) -> list[Any]:
    """The results, without those of windows that have too few values."""
    if valid is None:
        return results
    return [result if there else None for result, there in zip(results, valid.tolist(), strict=True)]


def as_objects(aggregation: Aggregation, results: list[Any]) -> Objects:
    """Results as Python objects, with the column whose type they have."""
    columns = aggregation.columns
    match aggregation.result:
        case ["value"] | ["number"]:
            return Objects(results, columns[0], "values")
        case "value":
            return Objects(results, columns[0])
        case "number":
            # What takes values that have an order alone gives one of them.
            return Objects(results, columns[0], "value" if "ordered" in aggregation.also else "amount")
        case "argument" if len(columns) == 2:
            return Objects(results, columns[1])
    return Objects(results)
