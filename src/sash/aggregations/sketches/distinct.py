"""How many distinct values, approximately: HyperLogLog, CPC and theta sketches."""

# The methods are described once, in Aggregation.
# ruff: noqa: D102

from __future__ import annotations

import struct
from collections.abc import Iterable, Mapping, Sequence
from typing import Any, ClassVar, Final, Literal, NamedTuple, Protocol

from sash.aggregations.base import OnNan, Where, built_in
from sash.aggregations.declared import Inputs, Result
from sash.aggregations.options import check_one_of
from sash.aggregations.reading import not_nan
from sash.aggregations.sketches.base import SMALL, Sketched, check_whole
from sash.aggregations.sketches.keys import hash_key
from sash.aggregations.sketches.library import library

__all__ = ["ApproxCountDistinct", "CpcEstimates", "DistinctCount", "HllEstimates", "hll_coupon"]

DistinctKind = Literal["hll", "cpc", "theta"]
#: The hashes of a few values, or the bytes of a sketch of many.
Partial = frozenset[int] | bytes


class DistinctCount(NamedTuple):
    """About how many, and between which bounds the true number lies: 95 times in 100 with two deviations.

    >>> DistinctCount(estimate=1010.5, lower=980.0, upper=1041.5).estimate
    1010.5
    """

    estimate: float
    lower: float
    upper: float


class _Kind(Protocol):
    """How one kind of sketch is made from hashes, read and joined."""

    #: The least and the greatest lg_k.
    sizes: tuple[int, int]

    def make(self, hashes: Iterable[int], lg_k: int) -> Any: ...
    def read(self, data: bytes) -> Any: ...
    def lg_k(self, sketch: Any) -> int | None: ...
    def join(self, sketches: Iterable[Any], lg_k: int) -> bytes: ...


class _Hll:
    sizes = (4, 21)

    def make(self, hashes: Iterable[int], lg_k: int) -> Any:
        # All registers from the start: the lists that the library begins with depend on the order of the values.
        sketch = _library().hll_sketch(lg_k, _library().HLL_8, True)
        return _filled(sketch, hashes)

    def read(self, data: bytes) -> Any:
        return _library().hll_sketch.deserialize(data)

    def lg_k(self, sketch: Any) -> int | None:
        return int(sketch.lg_config_k)

    def join(self, sketches: Iterable[Any], lg_k: int) -> bytes:
        union = _filled(_library().hll_union(lg_k), sketches)
        return bytes(union.get_result(_library().HLL_8).serialize_compact())


class _Cpc:
    sizes = (4, 26)

    def make(self, hashes: Iterable[int], lg_k: int) -> Any:
        return _filled(_library().cpc_sketch(lg_k), hashes)

    def read(self, data: bytes) -> Any:
        return _library().cpc_sketch.deserialize(data)

    def lg_k(self, sketch: Any) -> int | None:
        return int(sketch.lg_k)

    def join(self, sketches: Iterable[Any], lg_k: int) -> bytes:
        return bytes(_filled(_library().cpc_union(lg_k), sketches).get_result().serialize())


class _Theta:
    sizes = (5, 26)

    def make(self, hashes: Iterable[int], lg_k: int) -> Any:
        return _filled(_library().update_theta_sketch(lg_k), hashes)

    def read(self, data: bytes) -> Any:
        return _library().compact_theta_sketch.deserialize(data)

    def lg_k(self, sketch: Any) -> int | None:
        return None  # a compact sketch does not say

    def join(self, sketches: Iterable[Any], lg_k: int) -> bytes:
        return bytes(_filled(_library().theta_union(lg_k), sketches).get_result(True).serialize())


def hll_coupon(hashed: int, lg_k: int) -> tuple[int, int]:
    """The register of a HyperLogLog sketch that a hash falls into, and its rank there, from 1 to 63."""
    # A sketch of one value holds it as it is: 26 bits for the register of the largest sketch, and the rank above them.
    data = _filled(_library().hll_sketch(4), (hashed,)).serialize_compact()
    (coupon,) = struct.unpack_from("<I", data, 8)
    return coupon & ((1 << lg_k) - 1), coupon >> 26


class HllEstimates:
    """What a HyperLogLog sketch gives for registers that are kept elsewhere: it reads a few sums of them, no more.

    The library computes it, of a sketch whose head has these sums: two to the power of minus the rank over all
    registers, of ranks below 32 and of all others, and how many registers are empty.
    """

    #: Where the head of the serialized form has them.
    _SUMS: ClassVar[struct.Struct] = struct.Struct("<ddI")
    _PLACE: ClassVar[int] = 16

    def __init__(self, lg_k: int, deviations: int) -> None:
        self._k = 1 << lg_k
        self._deviations = deviations
        kind = _Hll()
        self._image = bytearray(kind.join((kind.make((1,), lg_k), kind.make((2,), lg_k)), lg_k))

    def of(self, used: int, low: float, high: float) -> tuple[float, float, float]:
        """The estimate and its bounds, of the sums over the registers that are not empty. Cost: O(2**lg_k) bytes."""
        empty = self._k - used
        self._SUMS.pack_into(self._image, self._PLACE, empty + low, high, empty)
        sketch = _library().hll_sketch.deserialize(bytes(self._image))
        low, high = sketch.get_lower_bound(self._deviations), sketch.get_upper_bound(self._deviations)
        return sketch.get_estimate(), low, high


class CpcEstimates:
    """What a CPC sketch gives that was merged: it reads how many different coupons it has, no more.

    The library computes it, of sketches of other values that have as many.
    """

    def __init__(self, lg_k: int, deviations: int) -> None:
        self._lg_k = lg_k
        self._deviations = deviations
        self._coupons: dict[bytes, int] = {}
        #: Values that have different coupons, these coupons, and the value to try next.
        self._values: list[int] = []
        self._seen: set[bytes] = set()
        self._next = 0
        self._known: dict[int, tuple[float, float, float]] = {}

    def coupon(self, hashed: int) -> int:
        """A number for the coupon of a hash; equal ones have the same."""
        return self._coupons.setdefault(self._alone(hashed), len(self._coupons))

    def of(self, counts: Sequence[int]) -> list[tuple[float, float, float]]:
        """The estimates and their bounds for numbers of coupons, from 2 on. Cost: O(1) for one that was asked before;
        O(2**lg_k) for each other, and O(1) for each coupon."""
        union, taken = _filled(_library().cpc_union(self._lg_k), (_Cpc().make(self._different(0, 1), self._lg_k),)), 1
        for count in sorted(set(counts) - self._known.keys()):
            union.update(_Cpc().make(self._different(taken, count), self._lg_k))
            taken, sketch = count, union.get_result()
            bounds = sketch.get_lower_bound(self._deviations), sketch.get_upper_bound(self._deviations)
            self._known[count] = (sketch.get_estimate(), *bounds)
        return [self._known[count] for count in counts]

    def _alone(self, value: int) -> bytes:
        """A sketch of one value is one of its coupon."""
        return bytes(_Cpc().make((value,), self._lg_k).serialize())

    def _different(self, start: int, end: int) -> list[int]:
        while len(self._values) < end:
            if (coupon := self._alone(self._next)) not in self._seen:
                self._seen.add(coupon)
                self._values.append(self._next)
            self._next += 1
        return self._values[start:end]


_KINDS: Final[Mapping[str, _Kind]] = {"hll": _Hll(), "cpc": _Cpc(), "theta": _Theta()}


def _library() -> Any:
    return library("ApproxCountDistinct")


def _filled(sketch: Any, updates: Iterable[Any]) -> Any:
    for update in updates:
        sketch.update(update)
    return sketch


@built_in
class ApproxCountDistinct(Sketched):
    """About how many distinct values, as a `DistinctCount` with bounds; exact up to 64 of them.

    Values are int, float, str, bytes and tuples of these; 1 and 1.0 are the same. `kind` is "hll", "cpc" (smaller
    snapshots, slower) or "theta". With 2**lg_k registers the standard error is about 1.04 (hll), 0.7 (cpc) or 1 (theta)
    over the root of that: 1.6%, 1.1% and 1.6% by default. Bounds are `deviations` standard deviations away: 1, 2 or 3.
    Commutative, not invertible. The same values give the same sketch to the last bit, in whatever order and shape they
    were combined. 0 for an empty window. Cost of combine: O(2**lg_k), and O(1) while there are few values.

    >>> import sash
    >>> w = sash.Window(sash.ApproxCountDistinct())
    >>> w.bulk_insert(range(5), ["a", "b", "a", "c", "b"])
    >>> w.query()
    DistinctCount(estimate=3.0, lower=3.0, upper=3.0)
    >>> w.bulk_insert(range(5, 10005), range(10000))
    >>> count = w.query()
    >>> count.lower < 10003 < count.upper
    True
    """

    commutative: ClassVar[bool] = True
    inputs: ClassVar[Inputs] = "plain"
    result: ClassVar[Result] = dict.fromkeys(DistinctCount._fields, "float")
    gives: ClassVar[str] = "DistinctCount(estimate, lower, upper)"
    size: ClassVar[str] = "up to 64 hashes, then 4 KB with the default lg_k=12 (theta: 32 KB)"
    error: ClassVar[str] = "exact up to 64, then 1.6% standard error with the default lg_k=12 (cpc: 1.1%)"
    defaults: ClassVar[Mapping[str, Any]] = {"kind": "hll", "lg_k": 12, "deviations": 2, "nan": "skip"}
    identity: Partial = frozenset()

    def __init__(
        self,
        column: str | None = None,
        *,
        kind: DistinctKind = "hll",
        lg_k: int = 12,
        deviations: int = 2,
        nan: OnNan = "skip",
        where: Where = None,
    ) -> None:
        super().__init__(column, nan=nan)
        self.kind = check_one_of("kind", kind, tuple(_KINDS))
        self.lg_k = check_whole("lg_k", lg_k, *_KINDS[kind].sizes)
        self.deviations = check_whole("deviations", deviations, 1, 3)

    def lift(self, value: Any) -> Partial:
        return frozenset((hash_key(not_nan(value, self.nan)),))

    def lower(self, partial: Partial) -> DistinctCount:
        if not isinstance(partial, bytes):
            return DistinctCount(*[float(len(partial))] * 3)
        sketch = _KINDS[self.kind].read(partial)
        low, high = sketch.get_lower_bound(self.deviations), sketch.get_upper_bound(self.deviations)
        return DistinctCount(sketch.get_estimate(), low, high)

    def _small_join(self, older: frozenset[int], newer: frozenset[int]) -> frozenset[int]:
        return older | newer

    def _join(self, older: Partial, newer: Partial) -> bytes:
        # Every sketch has been through a union of two, never of one: a union of one would keep the history that HLL and
        # CPC use for a better estimate of a single stream, and equal sets would differ.
        return _KINDS[self.kind].join((self._opened(older), self._opened(newer)), self.lg_k)

    def _opened(self, partial: Partial) -> Any:
        kind = _KINDS[self.kind]
        return kind.read(partial) if isinstance(partial, bytes) else kind.make(partial, self.lg_k)

    def _sound(self, partial: Any) -> bool:
        if isinstance(partial, bytes):
            return _KINDS[self.kind].lg_k(_KINDS[self.kind].read(partial)) in (self.lg_k, None)
        return (
            isinstance(partial, frozenset)
            and len(partial) <= SMALL
            and all(type(hashed) is int and 0 <= hashed < 2**64 for hashed in partial)
        )
