"""The k greatest and the k least values."""

# The methods are described once, in Aggregation.

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, ClassVar

from sash.aggregations.amounts import check_alike, instant
from sash.aggregations.base import OnNan, Where, WithNan, built_in
from sash.aggregations.declared import Also, Inputs, Result
from sash.aggregations.options import check_column, check_size
from sash.aggregations.pairs import read_parts
from sash.aggregations.reading import not_nan, plain, read_ordered

__all__ = ["BottomK", "TopK"]

#: Values, or pairs of a value and what it is ranked by.
Ranked = tuple[Any, ...]


class _Ranking(WithNan):
    """A partial is the k most extreme values, the most extreme first and the oldest first among equals."""

    defaults: ClassVar[Mapping[str, Any]] = {"k": 10, "nan": "skip"}
    inputs: ClassVar[Inputs] = "number"
    also: ClassVar[tuple[Also, ...]] = ("decimal", "instant", "duration", "ordered")
    result: ClassVar[Result] = ["number"]
    gives: ClassVar[str] = "list of at most k numbers"
    size: ClassVar[str] = "8 bytes a value, at most k"
    identity: Ranked = ()
    greatest: ClassVar[bool]

    def __init__(
        self, column: str | None = None, by: str | None = None, *, k: int = 10, nan: OnNan = "skip", where: Where = None
    ) -> None:
        super().__init__(check_column(column, "k"), nan=nan)
        self.k = check_size("k", k, least=1)
        if by is not None:
            self._rank_by(column, by)

    def _rank_by(self, column: str | None, by: Any) -> None:
        if column is None or check_column(by, "k") is None:
            raise TypeError(
                f"{type(self).__name__} reads what it gives first, then what that is ranked by: two columns"
            )
        self.column = (column, by)
        # Attributes of the instance: what is ranked may be anything.
        self.inputs, self.result, self.gives = "any", ["value"], "list of at most k values"  # type: ignore[misc]

    @property
    def _paired(self) -> bool:
        return isinstance(self.column, tuple)

    def skips(self, value: Any) -> bool:
        """A pair is passed over if either part is null."""
        if not self._paired or value is None:
            return super().skips(value)
        given, by = read_parts(value, self.columns)
        return super().skips(given) or super().skips(by)

    def lift(self, value: Any) -> Ranked:
        if not self._paired:
            return (read_ordered(not_nan(value, self.nan)),)
        given, by = read_parts(value, self.columns)
        return ((plain(given), read_ordered(not_nan(by, self.nan))),)

    def combine(self, older: Ranked, newer: Ranked) -> Ranked:
        if not older or not newer:
            return newer or older
        check_alike(self._key(older[0]), self._key(newer[0]))
        # Two sorted runs: sorting merges them in O(k), and is stable in both directions.
        return tuple(sorted(older + newer, key=self._rank, reverse=self.greatest)[: self.k])

    def _key(self, entry: Any) -> Any:
        return entry[1] if self._paired else entry

    def _rank(self, entry: Any) -> tuple[bool, Any]:
        """NaN is more extreme than any number, at either end."""
        key = self._key(entry)
        is_nan = key != key
        return is_nan == self.greatest, 0 if is_nan else instant(key)

    def lower(self, partial: Ranked) -> list[Any]:
        return [entry[0] for entry in partial] if self._paired else list(partial)


@built_in
class TopK(_Ranking):
    """The k greatest values in a list, the greatest first; equal ones oldest first. All of them if there are fewer.

    `TopK("merchant", by="amount", k=3)` gives the merchants of the three greatest amounts: values of any kind, ranked
    by numbers or texts of another column, or of their own.

    Not commutative (equal numbers may be 1 and 1.0), not invertible, exact; [] for an empty window. Cost of combine:
    O(k).

    >>> top = TopK(k=2)
    >>> top.lower(top.combine(top.combine(top.lift(4), top.lift(9)), top.lift(7)))
    [9, 7]
    >>> dearest = TopK("merchant", by="amount", k=1)
    >>> dearest.lower(dearest.combine(dearest.lift(("bakery", 4)), dearest.lift(("cinema", 9))))
    ['cinema']
    """

    greatest: ClassVar[bool] = True


@built_in
class BottomK(_Ranking):
    """The k least values in a list, the least first; equal ones oldest first. All of them if there are fewer.

    `BottomK("merchant", by="amount")` ranks by another column, as `TopK` does.

    Not commutative (equal numbers may be 1 and 1.0), not invertible, exact; [] for an empty window. Cost of combine:
    O(k).

    >>> bottom = BottomK(k=2)
    >>> bottom.lower(bottom.combine(bottom.combine(bottom.lift(4), bottom.lift(9)), bottom.lift(7)))
    [4, 7]
    """

    greatest: ClassVar[bool] = False
