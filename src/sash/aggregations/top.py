"""The k greatest and the k least values."""

# The methods are described once, in Aggregation.

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, ClassVar

from sash.aggregations.base import OnNan, WithNan, built_in
from sash.aggregations.declared import Inputs, Result
from sash.aggregations.options import check_column, check_size
from sash.aggregations.reading import Number, not_nan, read_number

__all__ = ["BottomK", "TopK"]

Ranked = tuple[Number, ...]


class _Ranking(WithNan):
    """A partial is the k most extreme values, the most extreme first and the oldest first among equals."""

    defaults: ClassVar[Mapping[str, Any]] = {"k": 10, "nan": "skip"}
    inputs: ClassVar[Inputs] = "number"
    result: ClassVar[Result] = ["number"]
    gives: ClassVar[str] = "list of at most k numbers"
    size: ClassVar[str] = "8 bytes a value, at most k"
    identity: Ranked = ()
    greatest: ClassVar[bool]

    def __init__(self, column: str | None = None, *, k: int = 10, nan: OnNan = "skip") -> None:
        super().__init__(check_column(column, "k"), nan=nan)
        self.k = check_size("k", k, least=1)

    def lift(self, value: Any) -> Ranked:
        return (read_number(not_nan(value, self.nan)),)

    def combine(self, older: Ranked, newer: Ranked) -> Ranked:
        if not older or not newer:
            return newer or older
        # Two sorted runs: sorting merges them in O(k), and is stable in both directions.
        return tuple(sorted(older + newer, key=self._rank, reverse=self.greatest)[: self.k])

    def _rank(self, value: Number) -> tuple[bool, Number]:
        """NaN is more extreme than any number, at either end."""
        is_nan = value != value
        return is_nan == self.greatest, 0 if is_nan else value

    def lower(self, partial: Ranked) -> list[Number]:
        return list(partial)


@built_in
class TopK(_Ranking):
    """The k greatest values in a list, the greatest first; equal ones oldest first. All of them if there are fewer.

    Not commutative (equal numbers may be 1 and 1.0), not invertible, exact; [] for an empty window. Cost of combine:
    O(k).

    >>> top = TopK(k=2)
    >>> top.lower(top.combine(top.combine(top.lift(4), top.lift(9)), top.lift(7)))
    [9, 7]
    """

    greatest: ClassVar[bool] = True


@built_in
class BottomK(_Ranking):
    """The k least values in a list, the least first; equal ones oldest first. All of them if there are fewer.

    Not commutative (equal numbers may be 1 and 1.0), not invertible, exact; [] for an empty window. Cost of combine:
    O(k).

    >>> bottom = BottomK(k=2)
    >>> bottom.lower(bottom.combine(bottom.combine(bottom.lift(4), bottom.lift(9)), bottom.lift(7)))
    [4, 7]
    """

    greatest: ClassVar[bool] = False
