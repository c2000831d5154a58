"""The median and other quantiles: exact, whatever the size of the window."""

# The methods are described once, in Aggregation.
# ruff: noqa: D102

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import Any, ClassVar, Final, Literal, get_args

from sash import _core, codec
from sash.aggregations.base import OnNan, Where, WithNan, built_in
from sash.aggregations.declared import Inputs, Result
from sash.aggregations.options import check_column, check_one_of, check_rank, check_ranks
from sash.aggregations.reading import is_nan, not_nan, read_real
from sash.aggregations.running import Running
from sash.errors import SnapshotError

__all__ = ["Interpolation", "Median", "Ordered", "Quantile", "Quantiles", "quantile"]

Interpolation = Literal["linear", "lower", "higher", "midpoint", "nearest"]
#: All values, in order; or NaN, if one came in and NaN propagates.
Partial = tuple[float, ...] | float

_WORDS: Final = get_args(Interpolation)


class Ordered(WithNan):
    """An aggregation of the values of a window in order, of which it gives those at some ranks.

    The methods are the definition: they keep a tuple of all values. Frames and windows keep them in order otherwise.
    """

    commutative: ClassVar[bool] = True
    inputs: ClassVar[Inputs] = "number"
    rounds: ClassVar[bool] = True
    size: ClassVar[str] = "8 bytes a value"
    identity: Partial = ()
    #: The ranks.
    at: tuple[float, ...]
    interpolation: Interpolation = "linear"

    def lift(self, value: Any) -> Partial:
        number = read_real(not_nan(value, self.nan))
        # -0.0 is 0.0: they are equal, and a window must not show which of them came.
        return number if is_nan(number) else (number + 0.0,)

    def combine(self, older: Partial, newer: Partial) -> Partial:
        if isinstance(older, float) or isinstance(newer, float):
            return math.nan
        # Two sorted runs: sorting merges them in O(n).
        return tuple(sorted(older + newer)) if older and newer else older or newer

    def lower(self, partial: Partial) -> Any:
        if isinstance(partial, float):
            return self.shaped([partial] * len(self.at))
        return self.shaped([quantile(partial, q, self.interpolation) for q in self.at]) if partial else None

    def shaped(self, found: list[float]) -> Any:
        """The result that the values at the ranks make."""
        return found[0]

    def running(self) -> Running | None:
        return _Values(self)

    def decode(self, data: bytes) -> Partial:
        partial: Any = codec.loads(data)
        if is_nan(partial):
            return math.nan
        numbers = type(partial) is tuple and all(type(value) is float and not is_nan(value) for value in partial)
        if not numbers or list(partial) != sorted(partial):
            raise SnapshotError(f"not a partial of {self!r}: numbers in order are needed")
        return tuple(partial)


class _Values:
    """All values of a window in a counted B-tree. O(log n) a value and a rank."""

    def __init__(self, aggregation: Ordered) -> None:
        self._aggregation = aggregation
        self._values = _core.OrderedValues()
        # A call of theirs is one of the core's.
        self.add = self._values.add
        self.remove = self._values.remove

    def result(self, youngest: Any, /) -> Any:
        wanted, values = self._aggregation, self._values
        if values.nans:
            return wanted.shaped([math.nan] * len(wanted.at))
        return wanted.shaped([values.quantile(q, wanted.interpolation) for q in wanted.at]) if len(values) else None


@built_in
class Median(Ordered):
    """The median, a float: the value in the middle, or the mean of the two in the middle. It is `Quantile` of 0.5.

    Exact, at every size of the window; values are read as float64. Commutative, not invertible; None for an empty
    window. Cost of combine: O(n). A window need not combine: an insert or evict at any time and a query take O(log n),
    and a query of a part of m events O(m log m).

    >>> import sash
    >>> w = sash.Window(sash.Median())
    >>> w.bulk_insert(range(4), [4, 1, 3, 2])
    >>> w.query()
    2.5
    """

    at = (0.5,)
    result: ClassVar[Result] = "float"


@built_in
class Quantile(Ordered):
    """The value at the rank `q`, a float: 0.5 is the median, 0.99 the 99th percentile.

    Where the rank lies between two values, `interpolation` says what is given, in the words of pandas: "linear" (a
    share of the way from one to the other), "lower", "higher", "midpoint" or "nearest". Exact, at every size of the
    window; values are read as float64. Commutative, not invertible; None for an empty window. Cost of combine:
    O(n), which a window need not do; see `Median`.

    >>> import sash
    >>> w = sash.Window(sash.Quantile(q=0.25))
    >>> w.bulk_insert(range(4), [4, 1, 3, 2])
    >>> w.query()
    1.75
    """

    result: ClassVar[Result] = "float"
    defaults: ClassVar[Mapping[str, Any]] = {"q": 0.5, "interpolation": "linear", "nan": "skip"}

    def __init__(
        self,
        column: str | None = None,
        q: float = 0.5,
        *,
        interpolation: Interpolation = "linear",
        nan: OnNan = "skip",
        where: Where = None,
    ) -> None:
        super().__init__(check_column(column, "q"), nan=nan)
        self.q = check_rank("q", q)
        self.interpolation = check_one_of("interpolation", interpolation, _WORDS)

    @property
    def at(self) -> tuple[float, ...]:  # type: ignore[override]
        """The one rank."""
        return (self.q,)


@built_in
class Quantiles(Ordered):
    """The values at the given ranks, a list of floats: several quantiles of one window, kept once.

    See `Quantile` for `interpolation`. Exact, at every size of the window; `ApproxQuantiles` is a sketch of values that
    are too many to keep. Commutative, not invertible; None for an empty window. Cost of combine: O(n), which
    a window need not do; see `Median`.

    >>> import sash
    >>> w = sash.Window(sash.Quantiles(at=[0, 0.5, 0.99], interpolation="higher"))
    >>> w.bulk_insert(range(5), [3, 1, 4, 1, 5])
    >>> w.query()
    [1.0, 3.0, 5.0]
    """

    result: ClassVar[Result] = ["float"]
    gives: ClassVar[str] = "list of floats"
    defaults: ClassVar[Mapping[str, Any]] = {"at": (0.5,), "interpolation": "linear", "nan": "skip"}

    def __init__(
        self,
        column: str | None = None,
        at: float | Sequence[float] = (0.5,),
        *,
        interpolation: Interpolation = "linear",
        nan: OnNan = "skip",
        where: Where = None,
    ) -> None:
        super().__init__(check_column(column, "at"), nan=nan)
        self.at = check_ranks(at)
        self.interpolation = check_one_of("interpolation", interpolation, _WORDS)

    def shaped(self, found: list[float]) -> list[float]:
        return found


def quantile(values: Sequence[float], q: float, interpolation: Interpolation = "linear") -> float:
    """The value at the rank q of values in order, of which the least has the rank 0 and the greatest 1.

    Halfway between two, the nearest is the one whose place is even.

    >>> quantile([1.0, 2.0, 4.0], 0.75), quantile([1.0, 2.0, 4.0], 0.75, "nearest")
    (3.0, 4.0)
    """
    place = q * (len(values) - 1)
    low = math.floor(place)
    share = place - low
    if share == 0 or interpolation == "lower":
        return values[low]
    if interpolation == "higher":
        return values[low + 1]
    if interpolation == "nearest":
        return values[low + (share > 0.5 or (share == 0.5 and low % 2 == 1))]
    return _between(values[low], values[low + 1], 0.5 if interpolation == "midpoint" else share)


def _between(below: float, above: float, share: float) -> float:
    if below == above:
        return below
    gap = above - below
    # Between two that are too far apart, or one that is infinite, there is no gap to take a share of.
    return below + gap * share if math.isfinite(gap) else below * (1 - share) + above * share
