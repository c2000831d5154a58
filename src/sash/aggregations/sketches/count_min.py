"""How often any value occurs, approximately and never too low: the Count-Min sketch."""

# The methods are described once, in Aggregation.
# ruff: noqa: D102

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, ClassVar, NamedTuple

import numpy as np
import numpy.typing as npt

from sash.aggregations.base import OnNan, Where, built_in
from sash.aggregations.declared import Inputs, Result
from sash.aggregations.reading import not_nan
from sash.aggregations.sketches.base import Sketched, check_whole
from sash.aggregations.sketches.keys import hash_key
from sash.aggregations.sketches.library import library
from sash.aggregations.sketches.tallies import Tally, is_tally, joined

__all__ = ["CountEstimate", "CountMin", "CountMinCells", "Counts"]

#: The counts of a few hashes, or the bytes of a sketch of many.
Partial = Tally[int] | bytes


class CountEstimate(NamedTuple):
    """About how often, and the bounds of the true count: `upper` always holds, `lower` with the sketch's confidence.

    >>> CountEstimate(estimate=12, lower=9, upper=12).upper
    12
    """

    estimate: int
    lower: int
    upper: int


@dataclass(frozen=True, slots=True, repr=False)
class Counts:
    """The counts of a window, to be asked: `counts["a"]` is a `CountEstimate`. Cost: O(hashes) to ask.

    >>> counts = CountMin().lower(CountMin().lift("a"))
    >>> counts["a"], counts["b"]
    (CountEstimate(estimate=1, lower=1, upper=1), CountEstimate(estimate=0, lower=0, upper=0))
    >>> counts
    <Counts of 1 values, off by at most 0 with confidence 0.993>
    """

    #: How many values are counted in all.
    total: int
    #: A count is at most this much too high, with the confidence.
    error: int
    confidence: float
    _counted: Partial

    def __getitem__(self, value: Any) -> CountEstimate:
        key = _key(value)
        if isinstance(self._counted, bytes):
            estimate = int(_read(self._counted).get_estimate(key))
        else:
            estimate = dict(self._counted).get(key, 0)
        # The library's own bounds lie above the estimate. But every counter of a value counts it, and others too: the
        # estimate is never too low, so the truth lies below it.
        return CountEstimate(estimate, max(0, estimate - self.error), estimate)

    def __repr__(self) -> str:
        return f"<Counts of {self.total} values, off by at most {self.error} with confidence {self.confidence:.3f}>"


def _key(value: Any) -> int:
    """The hash as the library takes it, a signed integer."""
    hashed = hash_key(value)
    return hashed - 2**64 if hashed >= 2**63 else hashed


def _read(data: bytes) -> Any:
    return library("CountMin").count_min_sketch.deserialize(data)


class CountMinCells:
    """Where a sketch, as the library writes it, counts a value: for counts that are kept elsewhere.

    Behind a head, all of it is floats: the total, and counters of which each hash of a value finds one.
    """

    #: How many words the head has.
    HEAD: ClassVar[int] = 2
    #: How many values are found by one sketch: each is counted as a bit of its own, and a float has 53.
    _AT_ONCE: ClassVar[int] = 52

    def __init__(self, hashes: int, buckets: int) -> None:
        self._shape = hashes, buckets
        self.empty = self._words([0])
        self.empty[self.HEAD :] = 0

    def of(self, hashed: Sequence[int]) -> npt.NDArray[np.int64]:
        """The words that count each: the total first, then one for each hash. Cost: O(hashes) for each, and a sketch
        for every 52.

        >>> cells = CountMinCells(2, 8).of([7, -7])
        >>> cells.shape, cells[:, 0].tolist()
        ((2, 3), [2, 2])
        """
        found = [np.empty((0, 1 + self._shape[0]), np.int64)]
        for start in range(0, len(hashed), self._AT_ONCE):
            part = hashed[start : start + self._AT_ONCE]
            words = self._words(part)
            words[: self.HEAD] = 0
            places = np.flatnonzero(words)
            bits = words[places].astype(np.int64)
            found += [places[bits >> place & 1 == 1][np.newaxis] for place in range(len(part))]
        return np.concatenate(found)

    def _words(self, hashed: Sequence[int]) -> npt.NDArray[np.float64]:
        sketch = library("CountMin").count_min_sketch(*self._shape)
        for place, one in enumerate(hashed):
            sketch.update(one, 1 << place)
        return np.frombuffer(bytearray(sketch.serialize()), np.float64)


@built_in
class CountMin(Sketched):
    """How often each value occurs, as `Counts` that can be asked about any value; exact up to 64 distinct ones.

    Values are int, float, str, bytes and tuples of these; 1 and 1.0 are the same. A count is never too low. It is too
    high by at most e / buckets of the number of events, with confidence 1 - exp(-hashes): 0.27% and 99.3% by default.
    Commutative, not invertible. The same values give the same sketch to the last bit. Counts of nothing for an empty
    window. Cost of combine: O(hashes * buckets), and O(1) while there are few distinct values.

    >>> import sash
    >>> w = sash.Window(sash.CountMin())
    >>> w.bulk_insert(range(5), ["a", "b", "a", "c", "a"])
    >>> w.query()["a"].estimate
    3
    """

    commutative: ClassVar[bool] = True
    inputs: ClassVar[Inputs] = "plain"
    result: ClassVar[Result] = "object"
    gives: ClassVar[str] = "Counts, to be asked about a value"
    size: ClassVar[str] = "up to 64 counts, then 8 * hashes * buckets bytes: 40 KB by default"
    error: ClassVar[str] = (
        "exact up to 64 distinct, then never too low, and 99.3% of the time too high by at most 0.27% of the events"
    )
    defaults: ClassVar[Mapping[str, Any]] = {"hashes": 5, "buckets": 1024, "nan": "skip"}
    identity: Partial = ()

    def __init__(
        self,
        column: str | None = None,
        *,
        hashes: int = 5,
        buckets: int = 1024,
        nan: OnNan = "skip",
        where: Where = None,
    ) -> None:
        super().__init__(column, nan=nan)
        self.hashes = check_whole("hashes", hashes, 1, 32)
        self.buckets = check_whole("buckets", buckets, 3, 2**20)

    def lift(self, value: Any) -> Partial:
        return ((_key(not_nan(value, self.nan)), 1),)

    def lower(self, partial: Partial) -> Counts:
        confidence = 1 - math.exp(-self.hashes)
        if not isinstance(partial, bytes):
            return Counts(sum(count for _, count in partial), 0, confidence, partial)
        total = int(_read(partial).total_weight)
        return Counts(total, math.ceil(math.e / self.buckets * total), confidence, partial)

    def _small_join(self, older: Tally[int], newer: Tally[int]) -> Tally[int]:
        return joined(older, newer)

    def _join(self, older: Partial, newer: Partial) -> bytes:
        sketch = self._opened(older)
        sketch.merge(self._opened(newer))
        return bytes(sketch.serialize())

    def _opened(self, partial: Partial) -> Any:
        if isinstance(partial, bytes):
            return _read(partial)
        sketch = library("CountMin").count_min_sketch(self.hashes, self.buckets)
        for key, count in partial:
            sketch.update(key, count)
        return sketch

    def _sound(self, partial: Any) -> bool:
        if isinstance(partial, bytes):
            sketch = _read(partial)
            return (sketch.num_hashes, sketch.num_buckets) == (self.hashes, self.buckets)
        return is_tally(partial, int)
