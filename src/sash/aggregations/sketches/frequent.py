"""The values that occur most often, with bounds on how often."""

# The methods are described once, in Aggregation.
# ruff: noqa: D102

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any, ClassVar, NamedTuple

from sash import codec
from sash.aggregations.base import OnNan, Where, built_in
from sash.aggregations.declared import Inputs, Result
from sash.aggregations.reading import not_nan
from sash.aggregations.sketches.base import Sketched, check_whole
from sash.aggregations.sketches.keys import canonical
from sash.aggregations.sketches.library import library
from sash.aggregations.sketches.tallies import Tally, is_tally, joined

__all__ = ["FrequentItem", "FrequentItems"]

#: The counts of a few keys, or the bytes of a sketch of many. A key is the bytes of the value, one a character.
Partial = Tally[str] | bytes


class FrequentItem(NamedTuple):
    """A value, about how often it occurs, and the bounds that the true count always keeps.

    >>> FrequentItem("a", estimate=12, lower=9, upper=12).item
    'a'
    """

    item: Any
    estimate: int
    lower: int
    upper: int


def _key(value: Any) -> str:
    return codec.dumps(canonical(value)).decode("latin-1")


def _value(key: str) -> Any:
    return codec.loads(key.encode("latin-1"))


def _read(data: bytes) -> Any:
    return library("FrequentItems").frequent_strings_sketch.deserialize(data)


@built_in
class FrequentItems(Sketched):
    """The values that make up at least a share of the events, most frequent first, as a list of `FrequentItem`.

    Values are int, float, str, bytes and tuples of these; 1 and 1.0 are the same and come out as 1. Exact up to 64
    distinct values; then counts are off by at most 3.5 / 2**lg_max_k of the number of events, 0.34% by default, and the
    bounds of each always hold. With `certain` a value is listed if its lower bound reaches the share `at_least`; none
    is listed wrongly. Without, it is listed if its upper bound does; none is missing if the share is above that error.
    Commutative and associative within the bounds only, not invertible; [] for an empty window. Cost of combine:
    O(2**lg_max_k), and O(1) while there are few distinct values.

    >>> import sash
    >>> w = sash.Window(sash.FrequentItems(at_least=0.3))
    >>> w.bulk_insert(range(6), ["a", "b", "a", "c", "a", "b"])
    >>> w.query()
    [FrequentItem(item='a', estimate=3, lower=3, upper=3), FrequentItem(item='b', estimate=2, lower=2, upper=2)]
    """

    commutative: ClassVar[bool] = True
    exact: ClassVar[bool] = False
    inputs: ClassVar[Inputs] = "plain"
    result: ClassVar[Result] = [{"item": "item", "estimate": "int", "lower": "int", "upper": "int"}]
    gives: ClassVar[str] = "list of FrequentItem(item, estimate, lower, upper)"
    size: ClassVar[str] = "up to 64 counts, then up to 768 keys and counts by default"
    error: ClassVar[str] = "exact up to 64 distinct, then off by at most 0.34% of the events by default"
    defaults: ClassVar[Mapping[str, Any]] = {"lg_max_k": 10, "at_least": 0.01, "certain": True, "nan": "skip"}
    identity: Partial = ()

    def __init__(
        self,
        column: str | None = None,
        *,
        lg_max_k: int = 10,
        at_least: float = 0.01,
        certain: bool = True,
        nan: OnNan = "skip",
        where: Where = None,
    ) -> None:
        super().__init__(column, nan=nan)
        self.lg_max_k = check_whole("lg_max_k", lg_max_k, 3, 20)
        if not isinstance(at_least, (int, float)) or not 0 <= at_least <= 1:
            raise ValueError(f"at_least is a share of the events, from 0 to 1, not {at_least!r}")
        self.at_least = float(at_least)
        self.certain = bool(certain)

    def lift(self, value: Any) -> Partial:
        return ((_key(not_nan(value, self.nan)), 1),)

    def lower(self, partial: Partial) -> list[FrequentItem]:
        least = self.at_least * self._total(partial)
        # Ties go by the key, so that equal counts give equal lists.
        rows = sorted(self._rows(partial), key=lambda row: (-row[1], row[0]))
        return [
            FrequentItem(_value(key), estimate, lower, upper)
            for key, estimate, lower, upper in rows
            if (lower if self.certain else upper) >= least
        ]

    def close(self, a: Partial, b: Partial) -> bool:
        """Whether both may stand for the same events: as many of them, and no key whose bounds contradict."""
        if not isinstance(a, bytes) or not isinstance(b, bytes):
            return a == b
        one, other = _read(a), _read(b)
        if one.total_weight != other.total_weight:
            return False
        keys = {row[0] for partial in (a, b) for row in self._rows(partial)}
        return all(
            max(one.get_lower_bound(key), other.get_lower_bound(key))
            <= min(one.get_upper_bound(key), other.get_upper_bound(key))
            for key in keys
        )

    def _total(self, partial: Partial) -> int:
        if isinstance(partial, bytes):
            return int(_read(partial).total_weight)
        return sum(count for _, count in partial)

    def _rows(self, partial: Partial) -> Iterable[tuple[str, int, int, int]]:
        """Every key that is kept: its estimate, lower and upper bound."""
        if not isinstance(partial, bytes):
            return [(key, count, count, count) for key, count in partial]
        rows: list[tuple[str, int, int, int]] = _read(partial).get_frequent_items(
            library("FrequentItems").frequent_items_error_type.NO_FALSE_NEGATIVES
        )
        return rows

    def _small_join(self, older: Tally[str], newer: Tally[str]) -> Tally[str]:
        return joined(older, newer)

    def _join(self, older: Partial, newer: Partial) -> bytes:
        sketch = self._opened(older)
        sketch.merge(self._opened(newer))
        return bytes(sketch.serialize())

    def _opened(self, partial: Partial) -> Any:
        if isinstance(partial, bytes):
            return _read(partial)
        sketch = library("FrequentItems").frequent_strings_sketch(self.lg_max_k)
        for key, count in partial:
            sketch.update(key, count)
        return sketch

    def _sound(self, partial: Any) -> bool:
        if isinstance(partial, bytes):
            return bool(_read(partial).epsilon == self._opened(()).epsilon)
        return is_tally(partial, str) and all(canonical(_value(key)) is not None for key, _ in partial)
