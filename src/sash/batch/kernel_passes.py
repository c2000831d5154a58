"""Aggregations of numbers: native passes over columns, one result a row."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Final

import numpy as np
import numpy.typing as npt

from sash import _batch
from sash.aggregations.base import Aggregation
from sash.aggregations.compiled import Compiled
from sash.aggregations.records import Part, fits
from sash.batch.base import Batch, enough
from sash.batch.object_pass import ObjectPass
from sash.frames.base import Numbers, NumberType, Objects, ResultColumn, Values

__all__ = ["CompiledPass", "KernelPass", "ReproduciblePass"]

#: What is said of kernels that do better than to combine.
_KERNELS: Final = {
    "count": "differences of running counts: exact, no combine",
    "sum": "integers by differences of running sums, exact; floats native, by {}: 3 combines a row",
}


@dataclass(frozen=True)
class KernelPass:
    """Numbers in, numbers out, all of it native."""

    aggregation: Aggregation
    part: Part

    def how(self, stacks: str) -> str:
        """How it runs."""
        return _KERNELS.get(self.part.kernel, "native, by {}: 3 combines a row").format(stacks)

    def run(self, batch: Batch, bounds: _batch.Bounds) -> ResultColumn:
        """The result of every row."""
        batch.columns.check(self.aggregation)
        column = batch.columns.numbers(batch.order, self.aggregation)
        options: dict[str, Any] = dict(self.part.options)
        values, counts = _batch.aggregate(self.part.kernel, batch.order, bounds, column, batch.known, **options)
        if values.dtype == np.int64:
            # One of the two names that C has for it; NumPy's own is the other.
            values = values.view(np.int64)
        least = max(batch.min_periods, self.aggregation.fewest)
        kind: NumberType = "real" if values.dtype == np.float64 else "integer"
        if self.aggregation.result == "bool":
            kind = "bool"
        return Numbers(values, enough(batch, bounds, column, counts, least), kind, least > 0)


@dataclass(frozen=True)
class CompiledPass:
    """A user's aggregation as native functions over records of numbers."""

    aggregation: Compiled

    def how(self, stacks: str) -> str:
        """How it runs."""
        return f"compiled, by {stacks}: 3 combines a row, without the interpreter"

    def run(self, batch: Batch, bounds: _batch.Bounds) -> ResultColumn:
        """The result of every row. Where a function failed, the Python methods run, and say why."""
        functions = self.aggregation._functions
        options = functions.options()
        inputs = [
            _words(batch.columns.values(name), integer)
            for name, integer in zip(self.aggregation.columns, options["integer_inputs"], strict=True)
        ]
        column = batch.columns.numbers(batch.order, self.aggregation)
        kinds = options["integer_results"]
        addresses = [options["lift"], options["combine"], options["lower"]]
        done = _batch.compiled(
            addresses, options["identity"], len(kinds), batch.order, bounds, column, inputs, batch.known
        )
        if done is None:
            return ObjectPass(self.aggregation).run(batch, bounds)
        words, present, counts = done
        valid = present.view(np.bool_)
        sufficient = enough(batch, bounds, column, counts, batch.min_periods)
        if sufficient is not None:
            valid = valid & sufficient
        if options["several"]:
            return Objects(self._records(words.reshape(-1, len(kinds)), kinds, valid))
        values = words.view(np.int64) if kinds[0] else words
        kind: NumberType = "bool" if self.aggregation.result == "bool" else "integer" if kinds[0] else "real"
        return Numbers(values, None if valid.all() else valid, kind, True)

    def _records(self, words: npt.NDArray[np.float64], integers: list[bool], valid: npt.NDArray[np.bool_]) -> list[Any]:
        fields = [
            np.ascontiguousarray(words[:, i]).view(np.int64 if integer else np.float64).tolist()
            for i, integer in enumerate(integers)
        ]
        rows = zip(valid.tolist(), zip(*fields, strict=True), strict=True)
        return [self.aggregation.shape(row) if there else None for there, row in rows]


@dataclass(frozen=True)
class ReproduciblePass:
    """Sums of floats, and what is made of them, that do not depend on the order of the additions: a stream that added
    the same floats in another order has the same bits."""

    aggregation: Aggregation
    kernel: str

    def how(self, stacks: str) -> str:
        """How it runs."""
        return f"native, by {stacks} of sums that do not depend on their order: 3 combines a row"

    def run(self, batch: Batch, bounds: _batch.Bounds) -> ResultColumn:
        """The result of every row. Where a value is refused, the Python methods run, and say why."""
        over, columns = self.aggregation, batch.columns
        columns.check(over)
        column = columns.pair(batch.order, over)[0] if len(over.columns) > 1 else columns.numbers(batch.order, over)
        read = () if over.inputs == "ignored" else over.columns
        inputs = [_words(columns.values(name), integer=False) for name in read] or [np.ones(columns.frame.rows)]
        fitting = fits(over)
        assert fitting is not None
        options: dict[str, Any] = dict(fitting[0].options) | (columns.scale() if over.timed else {})
        done = _batch.reproducible(self.kernel, batch.order, bounds, column, inputs, batch.known, **options)
        if done is None:
            return ObjectPass(over).run(batch, bounds)
        words, present, counts = done
        valid = present.view(np.bool_)
        sufficient = enough(batch, bounds, column, counts, batch.min_periods)
        if sufficient is not None:
            valid = valid & sufficient
        return Numbers(words, None if valid.all() else valid, "real", batch.min_periods > 0 or over.empty is None)


def _words(values: Values, integer: bool) -> npt.NDArray[np.float64]:
    """Numbers as the words that compiled functions read: an integer lies in its word bit by bit."""
    assert values.numbers is not None
    kind = np.int64 if integer else np.float64
    return np.ascontiguousarray(values.numbers, kind).view(np.float64)
