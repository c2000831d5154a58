"""Where the youngest value lies among all of its window."""

# The methods are described once, in Aggregation.
# ruff: noqa: D102

from __future__ import annotations

import math
from bisect import bisect_left, bisect_right
from collections.abc import Mapping
from typing import Any, ClassVar, Final, Literal, get_args

from sash import _core, codec
from sash.aggregations.base import OnNan, Where, WithNan, built_in
from sash.aggregations.declared import Inputs, Result
from sash.aggregations.options import check_one_of
from sash.aggregations.reading import is_nan, not_nan, read_real
from sash.aggregations.running import Running
from sash.errors import SnapshotError

__all__ = ["Method", "Rank"]

Method = Literal["average", "min", "max", "dense"]
#: All values in order, and the youngest; or NaN, if one came in and NaN propagates.
Partial = tuple[tuple[float, ...], float] | tuple[()] | float

_METHODS: Final = get_args(Method)


@built_in
class Rank(WithNan):
    """The rank of the youngest value among all values of the window, a float from 1: how many are not above it.

    `method` says what equal values get, in the words of pandas: the "average" of their ranks, the "min", the "max", or
    "dense", where no rank is left out after them. With `pct=True` it is a share: of the values, or of the different
    ones where ranks are dense. Values are read as float64. Not commutative, not invertible, exact; None for an empty
    window. Cost of combine: O(n), which a window need not do; see `Median`.

    >>> import sash
    >>> w = sash.Window(sash.Rank(method="min"))
    >>> w.bulk_insert(range(5), [3, 1, 4, 1, 3])
    >>> w.query()
    3.0
    """

    defaults: ClassVar[Mapping[str, Any]] = {"method": "average", "pct": False, "nan": "skip"}
    inputs: ClassVar[Inputs] = "number"
    result: ClassVar[Result] = "float"
    size: ClassVar[str] = "8 bytes a value"
    identity: Partial = ()

    def __init__(
        self,
        column: str | None = None,
        *,
        method: Method = "average",
        pct: bool = False,
        nan: OnNan = "skip",
        where: Where = None,
    ) -> None:
        super().__init__(column, nan=nan)
        self.method = check_one_of("method", method, _METHODS)
        if not isinstance(pct, bool):
            raise TypeError(f"pct is True or False, not {type(pct).__name__} ({pct!r:.60})")
        self.pct = pct

    def lift(self, value: Any) -> Partial:
        number = read_real(not_nan(value, self.nan))
        # -0.0 is 0.0: they are equal.
        return number if is_nan(number) else ((number + 0.0,), number + 0.0)

    def combine(self, older: Partial, newer: Partial) -> Partial:
        if isinstance(older, float) or isinstance(newer, float):
            return math.nan
        if not older or not newer:
            return older or newer
        # Two sorted runs: sorting merges them in O(n).
        return tuple(sorted(older[0] + newer[0])), newer[1]

    def lower(self, partial: Partial) -> float | None:
        if isinstance(partial, float) or not partial:
            return partial if isinstance(partial, float) else None
        values, youngest = partial
        ranked = sorted(set(values)) if self.method == "dense" else values
        return self.at(bisect_left(ranked, youngest), bisect_right(ranked, youngest), len(ranked))

    def at(self, below: int, upto: int, size: int) -> float:
        """The rank of a value, given how many of all that are ranked are less, and how many are not greater."""
        rank = {"min": below + 1, "max": upto}.get(self.method, (below + 1 + upto) / 2)
        return rank / size if self.pct else float(rank)

    def running(self) -> Running | None:
        return _Ranked(self)

    def decode(self, data: bytes) -> Partial:
        match codec.loads(data):
            case float(nan) if is_nan(nan):
                return math.nan
            case ():
                return ()
            case (tuple(values), float(youngest)) if all(type(value) is float for value in values):
                if list(values) == sorted(values) and youngest in values:
                    return values, youngest
        raise SnapshotError(f"not a partial of {self!r}: numbers in order and the youngest of them are needed")


class _Ranked:
    """All values of a window in a counted B-tree, and each of them once in another where ranks are dense."""

    def __init__(self, aggregation: Rank) -> None:
        self._aggregation = aggregation
        self._values = _core.OrderedValues()
        self._ranked = _core.OrderedValues() if aggregation.method == "dense" else self._values

    def add(self, partial: Partial, /) -> None:
        if isinstance(partial, float):
            return self._values.add(partial)
        for value in partial[0] if partial else ():
            if self._ranked is not self._values and not self._has(value):
                self._ranked.add((value,))
            self._values.add((value,))

    def remove(self, partial: Partial, /) -> None:
        if isinstance(partial, float):
            return self._values.remove(partial)
        for value in partial[0] if partial else ():
            self._values.remove((value,))
            if self._ranked is not self._values and not self._has(value):
                self._ranked.remove((value,))

    def _has(self, value: float) -> bool:
        below, upto = self._values.place(value)
        return below < upto

    def result(self, youngest: Partial, /) -> float | None:
        if self._values.nans:
            return math.nan
        if isinstance(youngest, float) or not youngest:
            return None
        return self._aggregation.at(*self._ranked.place(youngest[1]), len(self._ranked))
