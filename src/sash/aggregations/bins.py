"""How the values are spread over fixed bins."""

# The methods are described once, in Aggregation.
# ruff: noqa: D102

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Mapping, Sequence
from itertools import pairwise
from operator import add, sub
from typing import Any, ClassVar, NamedTuple

import numpy as np

from sash import codec
from sash.aggregations.base import OnNan, Where, WithNan, built_in
from sash.aggregations.declared import Inputs, Result
from sash.aggregations.options import check_column
from sash.aggregations.reading import not_nan, read_number
from sash.errors import SnapshotError

__all__ = ["BinCounts", "Histogram"]

#: How many values are below the first edge, in each bin, and above the last edge.
BinTally = tuple[int, ...]

_QUARTERS = (0.0, 0.25, 0.5, 0.75, 1.0)


class BinCounts(NamedTuple):
    """How many values each bin holds, and how many lie outside.

    >>> BinCounts(below=0, bins=(3, 1), above=2).total
    6
    """

    below: int
    bins: tuple[int, ...]
    above: int

    @property
    def total(self) -> int:
        """How many values there are, outside ones included."""
        return self.below + sum(self.bins) + self.above


@built_in
class Histogram(WithNan):
    """How many values fall into each bin: `BinCounts` (below, bins, above); with `outside=False` the tuple of bins
    alone.

    The edges ascend; n + 1 of them make n bins. A bin holds its lower edge but not its upper one, except the last,
    which holds both, as NumPy has it. Without edges the bins are the quarters from 0 to 1. A NaN that propagates is
    above.

    Commutative, invertible, exact; zeros for an empty window. Cost of combine: O(bins).

    >>> spread = Histogram(edges=[0, 10, 20])
    >>> spread.lower(spread.combine(spread.lift(10), spread.lift(20)))
    BinCounts(below=0, bins=(0, 2), above=0)
    >>> Histogram(edges=[0, 10, 5])
    Traceback (most recent call last):
    ...
    ValueError: edges ascend, and 5 comes after 10: sort them, each of them once
    """

    defaults: ClassVar[Mapping[str, Any]] = {"edges": _QUARTERS, "outside": True, "nan": "skip"}
    commutative: ClassVar[bool] = True
    gives: ClassVar[str] = "BinCounts (below, bins, above)"
    size: ClassVar[str] = "8 bytes a bin"
    inputs: ClassVar[Inputs] = "number"

    def __init__(
        self,
        column: str | None = None,
        *,
        edges: Sequence[float] = _QUARTERS,
        outside: bool = True,
        nan: OnNan = "skip",
        where: Where = None,
    ) -> None:
        super().__init__(check_column(column, "edges"), nan=nan)
        if not isinstance(outside, bool):
            raise TypeError(f"outside is True or False, not {type(outside).__name__} ({outside!r:.60})")
        self.edges = _check_edges(edges)
        self.outside = outside
        self.identity: BinTally = (0,) * (len(self.edges) + 1)

    @property
    def result(self) -> Result:  # type: ignore[override]
        """The bins, and with `outside` what lies beside them."""
        bins = ["int"]
        return {"below": "int", "bins": bins, "above": "int"} if self.outside else bins

    def lift(self, value: Any) -> BinTally:
        place = self._place(read_number(not_nan(value, self.nan)))
        return (0,) * place + (1,) + (0,) * (len(self.edges) - place)

    def _place(self, number: int | float) -> int:
        """0 below, then the bins from 1, then above."""
        return len(self.edges) - 1 if number == self.edges[-1] else bisect_right(self.edges, number)

    def combine(self, older: BinTally, newer: BinTally) -> BinTally:
        return tuple(map(add, older, newer))

    def inverse(self, whole: BinTally, older: BinTally) -> BinTally:
        return tuple(map(sub, whole, older))

    def lower(self, partial: BinTally) -> BinCounts | tuple[int, ...]:
        counts = self.shape(partial)
        return counts if self.outside else counts.bins

    def shape(self, fields: BinTally) -> BinCounts:
        """The result of its numbers in order."""
        return BinCounts(fields[0], tuple(fields[1:-1]), fields[-1])

    def decode(self, data: bytes) -> BinTally:
        partial = codec.loads(data)
        counts = type(partial) is tuple and all(type(count) is int and count >= 0 for count in partial)
        if not counts or len(partial) != len(self.edges) + 1:
            raise SnapshotError(f"not the counts of a histogram of {len(self.edges) - 1} bins")
        return tuple(partial)


def _check_edges(edges: Any) -> tuple[int | float, ...]:
    if isinstance(edges, str) or not isinstance(edges, (Sequence, np.ndarray)):
        raise TypeError(f"edges are a list of numbers, not {type(edges).__name__} ({edges!r:.60})")
    numbers = tuple(read_number(edge) for edge in edges)
    if len(numbers) < 2:
        raise ValueError(f"at least two edges are needed, one bin between them, not {len(numbers)}")
    if any(number != number for number in numbers):
        raise ValueError("NaN is no edge: it has no place in an order")
    for lower, upper in pairwise(numbers):
        if lower >= upper:
            raise ValueError(f"edges ascend, and {upper!r} comes after {lower!r}: sort them, each of them once")
    return numbers
