"""The sketches behind `Quantiles`, each seen in the same way: how to make, read, ask and join it."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping
from typing import Any, ClassVar, Final

from sash.aggregations.sketches.library import library

__all__ = ["KINDS", "Kll", "Reading", "Req", "TDigest"]


class Reading:
    """One sketch, open to be asked."""

    def __init__(self, sketch: Any) -> None:
        self.sketch = sketch
        self.least: float = sketch.get_min_value()
        self.greatest: float = sketch.get_max_value()

    @property
    def count(self) -> int:
        """How many values went in."""
        return int(self.sketch.n)

    def quantile(self, rank: float) -> float:
        """About the least value such that a share `rank` of the values is not above it."""
        if rank <= 0:
            return self.least
        return self.greatest if rank >= 1 else float(self.sketch.get_quantile(rank, True))

    def ranks(self, value: float) -> tuple[float, float]:
        """About which share of the values is below the value, and which is not above it."""
        return self.sketch.get_rank(value, False), self.sketch.get_rank(value, True)

    def bounds(self, rank: float) -> tuple[float, float]:
        """Between which ranks the value that is given for the rank truly is."""
        raise NotImplementedError


class Kll:
    """Every rank is off by at most the same, 99 times in 100."""

    sizes: ClassVar[tuple[int, int]] = (8, 65535)
    default: ClassVar[int] = 200

    class _Reading(Reading):
        def bounds(self, rank: float) -> tuple[float, float]:
            if not self.sketch.is_estimation_mode():
                return rank, rank
            error = self.sketch.normalized_rank_error(False)
            return rank - error, rank + error

    def __init__(self, k: int) -> None:
        self.k = k

    # Equality by k: an aggregation holds one of these, and aggregations are compared by their attributes.
    def __eq__(self, other: object) -> bool:
        return type(self) is type(other) and self.k == vars(other)["k"]

    def __hash__(self) -> int:
        return hash((type(self), self.k))

    def read(self, data: bytes) -> Reading:
        """The sketch of the bytes, to be asked."""
        return self._Reading(self._open(data))

    def fits(self, data: bytes) -> bool:
        """Whether the bytes are those of a sketch of this size."""
        return bool(self._open(data).k == self.k)

    def join(self, older: Iterable[float] | bytes, newer: Iterable[float] | bytes) -> bytes:
        """The bytes of a sketch of both. Each is the bytes of a sketch, or values."""
        sketch = self._sketch_of(older)
        sketch.merge(self._sketch_of(newer))
        return self._bytes_of(sketch)

    def _sketch_of(self, partial: Iterable[float] | bytes) -> Any:
        if isinstance(partial, bytes):
            return self._open(partial)
        sketch = self._new()
        for value in partial:
            sketch.update(value)
        return sketch

    def _new(self) -> Any:
        return _library().kll_doubles_sketch(self.k)

    def _open(self, data: bytes) -> Any:
        return _library().kll_doubles_sketch.deserialize(data)

    def _bytes_of(self, sketch: Any) -> bytes:
        return bytes(sketch.serialize())


class Req(Kll):
    """Ranks near 1 are off by less."""

    sizes: ClassVar[tuple[int, int]] = (4, 1024)
    default: ClassVar[int] = 12

    class _Reading(Reading):
        def bounds(self, rank: float) -> tuple[float, float]:
            return self.sketch.get_rank_lower_bound(rank, 3), self.sketch.get_rank_upper_bound(rank, 3)

    # The sketch of items, because that of floats keeps 32 bits of each, and 1e9 + 1 would be 1e9.
    def _new(self) -> Any:
        return _library().req_items_sketch(self.k, True)

    def _open(self, data: bytes) -> Any:
        return _library().req_items_sketch.deserialize(data, _library().PyDoublesSerDe())

    def _bytes_of(self, sketch: Any) -> bytes:
        return bytes(sketch.serialize(_library().PyDoublesSerDe()))


class TDigest(Kll):
    """Ranks near 0 and 1 are off by less; there is no proof of by how much."""

    sizes: ClassVar[tuple[int, int]] = (10, 65535)
    default: ClassVar[int] = 200

    class _Reading(Reading):
        @property
        def count(self) -> int:
            return int(self.sketch.get_total_weight())

        def quantile(self, rank: float) -> float:
            return float(self.sketch.get_quantile(min(max(rank, 0.0), 1.0)))

        def ranks(self, value: float) -> tuple[float, float]:
            # A digest knows one rank of a value, in the middle of its ties: ask beside it.
            below, above = math.nextafter(value, -math.inf), math.nextafter(value, math.inf)
            return self.sketch.get_rank(below), self.sketch.get_rank(above)

        def bounds(self, rank: float) -> tuple[float, float]:
            # The largest cluster that the digest allows at this rank: within a cluster, values are mixed up.
            k, count = self.sketch.k, self.count
            error = rank * (1 - rank) * (4 * math.log(max(count / k, 1)) + 24) / (2 * k) + 1 / count
            return rank - error, rank + error

    def _new(self) -> Any:
        return _library().tdigest_double(self.k)

    def _open(self, data: bytes) -> Any:
        return _library().tdigest_double.deserialize(data)


KINDS: Final[Mapping[str, type[Kll]]] = {"kll": Kll, "req": Req, "tdigest": TDigest}


def _library() -> Any:
    return library("Quantiles")
