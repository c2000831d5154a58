"""Filters and counting sketches of a window of time when a row arrives: the core counts the values, and nothing is
combined."""

from __future__ import annotations

import math
from typing import Any, Final

import numpy as np
import numpy.typing as npt
import pyarrow as pa
import pyarrow.compute as pc

from sash import _core
from sash.aggregations.base import Aggregation
from sash.aggregations.filtered import unfiltered
from sash.aggregations.hashing import hash_value
from sash.aggregations.membership import Bloom
from sash.aggregations.sketches import CountMin, FrequentItems
from sash.aggregations.sketches.base import SMALL
from sash.aggregations.sketches.count_min import CountMinCells
from sash.codec import dumps, integer, joined
from sash.spark.opaque import decoded
from sash.spark.stream.arrivals import ArrivalOperator
from sash.spark.stream.counted import takes_all
from sash.spark.stream.job import Job
from sash.spark.stream.learned import Learned
from sash.spark.stream.retained import Ticks
from sash.windows import TimeWindow

__all__ = ["BloomOperator", "CountMinOperator", "FrequentOperator", "counts_all", "counts_frequent", "filters"]

Marks = npt.NDArray[np.uint8]

#: How many windows are filtered at once, and how many bytes of sketches are made: what they take is small.
_FILTERS: Final = 1 << 10
_BYTES: Final = 1 << 27


def filters(job: Job, aggregation: Aggregation) -> bool:
    """Whether it is such a filter, over values that it takes all of."""
    return _is_over_all(job, aggregation, Bloom)


def counts_all(job: Job, aggregation: Aggregation) -> bool:
    """Whether it is such a sketch of all counts."""
    return _is_over_all(job, aggregation, CountMin)


def counts_frequent(job: Job, aggregation: Aggregation) -> bool:
    """Whether it is such a sketch of the greatest counts."""
    return _is_over_all(job, aggregation, FrequentItems)


def _is_over_all(job: Job, aggregation: Aggregation, kind: type[Aggregation]) -> bool:
    one = decoded(unfiltered(aggregation))
    return type(one) is kind and takes_all(job, one)


class FrequentOperator(ArrivalOperator):
    """The most frequent values first, of equal ones the lesser key. Counts are exact, however many values there are:
    all of them are in the log, and a sketch, which values enter and do not leave, would be made anew for every row."""

    def __init__(self, job: Job, name: str, aggregation: Aggregation, window: TimeWindow) -> None:
        super().__init__(job, name, aggregation, window)
        assert isinstance(self._one, FrequentItems)
        self._sketch = self._one
        self._rows = _core.ArrivalRows(self._since, self._until)
        self._values = Learned(self._columns, lambda value: 0)

    def _found(self, codes: Ticks, ticks: Ticks, table: pa.Table, there: Marks) -> pa.Array:
        values = self._values.codes(table)
        starts, found, counts = self._rows.tally_many(codes, ticks, values, there, self._sketch.at_least)
        used, places = np.unique(found, return_inverse=True)
        lifted = [self._sketch.lift(self._values.key(code)) for code in used.tolist()]
        ranks = np.empty(len(used), np.int64)
        ranks[sorted(range(len(used)), key=lifted.__getitem__)] = np.arange(len(used))
        order = _in_windows(starts, counts.max(initial=0) - counts, ranks[places])
        fields = list(self._type.value_type)
        items = pa.array([self._sketch.lower(partial)[0].item for partial in lifted], fields[0].type)
        numbers = pa.array(counts[order])
        columns = [items.take(pa.array(places[order])), *(numbers.cast(field.type) for field in fields[1:])]
        lists = pa.StructArray.from_arrays(columns, fields=fields)
        return pa.ListArray.from_arrays(pa.array(starts, pa.int32()), lists, type=self._type)

    def trimmed(self) -> set[int]:
        """The codes of the keys that have rows, after what no window can hold was dropped. Cost: O(n)."""
        if self._watermark is not None:
            self._rows.drop(self._watermark)
            self._values.keep(self._rows.values())
        return set(self._rows.keys())

    def memory(self) -> int:
        """The bytes that it takes."""
        return self._rows.memory() + 100 * len(self._values)


class BloomOperator(ArrivalOperator):
    """The bytes of the filters. The core sets the bits of the values of each window."""

    def __init__(self, job: Job, name: str, aggregation: Aggregation, window: TimeWindow) -> None:
        super().__init__(job, name, aggregation, window)
        inner = decoded(self._one)
        assert isinstance(inner, Bloom)
        self._bits, self._hashes = inner.bits, inner.hashes
        self._rows = _core.ArrivalRows(self._since, self._until)
        self._hashed = Learned(self._columns, lambda value: _signed(hash_value(value)))

    def _found(self, codes: Ticks, ticks: Ticks, table: pa.Table, there: Marks) -> pa.Array:
        values = self._hashed.codes(table)
        hashed = self._hashed.numbers[values]
        made = [pa.array([], self._type)]
        for start in range(0, len(ticks), _FILTERS):
            part = slice(start, start + _FILTERS)
            bits = self._rows.bits_many(codes[part], ticks[part], hashed[part], there[part], self._bits, self._hashes)
            rows = bits.reshape(-1, self._bits // 8)
            made.append(pa.array([integer(row.tobytes()) for row in rows], self._type))
        return pa.concat_arrays(made)

    def trimmed(self) -> set[int]:
        """The codes of the keys that have rows, after what no window can hold was dropped. Cost: O(n)."""
        if self._watermark is not None:
            self._rows.drop(self._watermark)
            self._hashed.keep([])
        return set(self._rows.keys())

    def memory(self) -> int:
        """The bytes that it takes."""
        return self._rows.memory() + 100 * len(self._hashed)


class CountMinOperator(ArrivalOperator):
    """The bytes of partials: pairs of few values and their counts, and sketches of more."""

    def __init__(self, job: Job, name: str, aggregation: Aggregation, window: TimeWindow) -> None:
        super().__init__(job, name, aggregation, window)
        inner = decoded(self._one)
        assert isinstance(inner, CountMin)
        self._sketch, self._cells = inner, CountMinCells(inner.hashes, inner.buckets)
        empty = dumps(self._cells.empty.tobytes())
        #: How many bytes a sketch is written in, and those before its counters.
        self._size = len(empty)
        self._head = empty[: len(empty) - 8 * (len(self._cells.empty) - self._cells.HEAD)]
        self._rows = _core.ArrivalRows(self._since, self._until)
        self._hashed = Learned(self._columns, self._hash)
        #: By code, the cells of a value, and the hash that they are for.
        self._cells_of = np.empty((0, 1 + inner.hashes), np.int64)
        self._cells_for = np.empty(0, np.int64)

    def _hash(self, value: Any) -> int:
        partial: Any = self._sketch.lift(value)
        return int(partial[0][0])

    def _found(self, codes: Ticks, ticks: Ticks, table: pa.Table, there: Marks) -> pa.ChunkedArray:
        values = self._hashed.codes(table)
        self._find_cells(values)
        step = max(1, _BYTES // self._size)
        parts = [slice(start, start + step) for start in range(0, len(ticks), step)]
        made = [self._part(codes[part], ticks[part], values[part], there[part]) for part in parts]
        return pa.chunked_array(made, self._type)

    def _find_cells(self, values: Ticks) -> None:
        """Where new values are counted. A code may get another value."""
        hashed = self._hashed.numbers
        grown = len(hashed) - len(self._cells_of)
        self._cells_of = np.concatenate([self._cells_of, np.zeros((grown, 1 + self._sketch.hashes), np.int64)])
        self._cells_for = np.concatenate([self._cells_for, np.zeros(grown, np.int64)])
        codes = np.unique(values)
        # The head has no cells.
        known = (self._cells_of[codes, 0] != 0) & (self._cells_for[codes] == hashed[codes])
        new = codes[~known]
        self._cells_of[new] = self._cells.of(hashed[new].tolist())
        self._cells_for[new] = hashed[new]

    def _part(self, codes: Ticks, ticks: Ticks, values: Ticks, there: Marks) -> pa.Array:
        """Results of some rows. Sketches are written where they stay: memory is what they cost."""
        buffer = pa.allocate_buffer(len(ticks) * self._size)
        cells, out = self._cells_of.ravel(), np.frombuffer(buffer, np.uint8)
        shape = (1 + self._sketch.hashes, len(self._cells.empty))
        counted = self._rows.sketch_many(codes, ticks, values, there, cells, *shape, SMALL, self._head, out)
        events, lengths, found, counts = counted
        if len(events) == len(ticks):
            sketches = pa.nulls(len(ticks), pa.binary())
        else:
            ends = np.arange(len(ticks) + 1, dtype=np.int32) * self._size
            sketches = pa.Array.from_buffers(pa.binary(), len(ticks), [None, pa.py_buffer(ends), buffer])
        if len(events):
            written = np.empty(len(ticks), object)
            written[events] = self._pairs(lengths, found, counts)
            pairs = pa.array(written, pa.binary())
            sketches = pc.coalesce(pairs, sketches)
        return sketches.cast(self._type)

    def _pairs(self, lengths: Ticks, values: Ticks, counts: Ticks) -> list[bytes]:
        """Tuples of pairs, by the hashes of the values."""
        starts = np.concatenate([[0], np.cumsum(lengths)])
        order = _in_windows(starts, np.argsort(np.argsort(self._hashed.numbers))[values])
        pairs = self._written(values[order], counts[order])
        # A tuple begins with its length.
        begins = [joined([b""] * length) for length in range(SMALL + 1)]
        bounds = zip(lengths.tolist(), starts.tolist(), starts[1:].tolist(), strict=False)
        return [begins[length] + b"".join(pairs[start:end]) for length, start, end in bounds]

    def _written(self, values: Ticks, counts: Ticks) -> list[bytes]:
        """The bytes of pairs of a value and a count, each different one made once."""
        hashed, width = self._hashed.numbers, int(counts.max(initial=0)) + 1
        made = np.empty(len(hashed) * width, object)
        cells = values * width + counts
        used = np.zeros(len(made), bool)
        used[cells] = True
        for cell in np.flatnonzero(used).tolist():
            made[cell] = dumps((int(hashed[cell // width]), cell % width))
        found: list[bytes] = made[cells].tolist()
        return found

    def trimmed(self) -> set[int]:
        """The codes of the keys that have rows, after what no window can hold was dropped. Cost: O(n)."""
        if self._watermark is not None:
            self._rows.drop(self._watermark)
            self._hashed.keep(self._rows.rows())
        return set(self._rows.keys())

    def memory(self) -> int:
        """The bytes that it takes."""
        return self._rows.memory() + 100 * len(self._hashed)


def _in_windows(starts: Ticks, *numbers: Ticks) -> Ticks:
    """The order that sorts each window by these numbers, none of them below 0; no two of a window are equal in all.

    >>> _in_windows(np.array([0, 2, 4]), np.array([1, 0, 0, 0]), np.array([0, 5, 3, 2])).tolist()
    [1, 0, 3, 2]
    """
    keys = [np.repeat(np.arange(len(starts) - 1), np.diff(starts)), *numbers]
    sizes = [int(key.max(initial=0)) + 1 for key in keys]
    if math.prod(sizes) >= 2**63:
        return np.lexsort(keys[::-1])
    # One number for all of them is sorted several times as fast.
    whole = keys[0]
    for key, size in zip(keys[1:], sizes[1:], strict=True):
        whole = whole * size + key
    return np.argsort(whole)


def _signed(hashed: int) -> int:
    """The 64 bits as the core takes them."""
    return hashed - 2**64 if hashed >= 2**63 else hashed
