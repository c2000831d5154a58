"""Filters and counting sketches of a window of time when a row arrives, where a bucket knows few different values.

So few that sketches hold them as they are: how often each is in a window is all there is to know, and the core counts
it. Where there are more, the operator of the core takes over.
"""

from __future__ import annotations

from collections.abc import Callable
from operator import getitem
from typing import Any, Final, TypeAlias

import numpy as np
import numpy.typing as npt
import pyarrow as pa

from sash import _core
from sash.aggregations.base import Aggregation
from sash.aggregations.filtered import unfiltered
from sash.aggregations.membership import Bloom
from sash.aggregations.sketches import CountMin, FrequentItems
from sash.aggregations.sketches.base import SMALL
from sash.codec import dumps, joined
from sash.spark.opaque import decoded
from sash.spark.stream.arrivals import ArrivalOperator
from sash.spark.stream.job import Job
from sash.spark.stream.key_codes import KeyCodes
from sash.spark.stream.operators import Emissions, Operator
from sash.spark.stream.retained import Chunk, RetainedRows, Ticks
from sash.windows import TimeWindow

__all__ = ["TallyOperator", "takes_all", "tallies"]

#: A row for each window, a column for each value.
Counts: TypeAlias = npt.NDArray[np.int64]
#: The results in a type, of the lifted values and their counts.
Write: TypeAlias = Callable[[Any, list[Any], Counts, pa.DataType], pa.Array]

#: How many windows are counted at once, and how many filters are made: what they take stays small.
_ROWS: Final = 1 << 14
_FILTERS: Final = 1 << 10


def tallies(job: Job, aggregation: Aggregation) -> bool:
    """Whether it is such a filter or sketch, over values that it takes all of."""
    one = decoded(unfiltered(aggregation))
    return type(one) in _WRITE and takes_all(job, one)


def takes_all(job: Job, one: Aggregation) -> bool:
    """Whether a sketch of one column takes all values that the column may hold."""
    kind = job.schema.field(one.columns[0]).type
    texts = (pa.types.is_string, pa.types.is_large_string, pa.types.is_binary, pa.types.is_large_binary)
    plain = pa.types.is_signed_integer(kind) or pa.types.is_floating(kind)
    return len(one.columns) == 1 and (plain or any(is_text(kind) for is_text in texts))


class TallyOperator(ArrivalOperator):
    """Results of counts, until there are more values than a sketch holds as they are."""

    def __init__(self, job: Job, name: str, aggregation: Aggregation, window: TimeWindow) -> None:
        super().__init__(job, name, aggregation, window)
        self._inner = decoded(self._one)
        self._rows = _core.ArrivalRows(self._since, self._until)
        self._values = KeyCodes(self._columns)
        self._kept = RetainedRows(pa.schema([job.schema.field(column) for column in self._reads]))
        self._few = True

    def push(self, codes: Ticks, ticks: Ticks, table: pa.Table) -> Emissions:
        """Rows, none of them late."""
        if self._few:
            values = self._values.of(table.select(self._columns))
            self._few = self._values.bound <= SMALL
            if self._few:
                self._kept.add(Chunk(self._taken, table.select(self._reads), codes, ticks))
                return super().push(codes, ticks, table.append_column("\0value", pa.array(values)))
            self._hand_over()
        return Operator.push(self, codes, ticks, table)

    def _hand_over(self) -> None:
        """What is kept goes into the operator."""
        for chunk in self._kept.chunks:
            Operator.push(self, chunk.codes, chunk.ticks, chunk.table)
        if self._watermark is not None:
            Operator.advance(self, self._watermark)
        del self._rows, self._values, self._kept

    def _found(self, codes: Ticks, ticks: Ticks, table: pa.Table, there: npt.NDArray[np.uint8]) -> pa.Array:
        values, width = table.column("\0value").to_numpy(), self._values.bound
        known = {code: self._inner.lift(key) for code, key in self._values.items() if key is not None}
        # By what they are lifted to, which is the order of a partial.
        order = sorted(known, key=known.__getitem__)
        lifted = [known[code] for code in order]
        made = [pa.array([], self._type)]
        for start in range(0, len(ticks), _ROWS):
            part = slice(start, start + _ROWS)
            counts = self._rows.count_many(codes[part], ticks[part], values[part], there[part], width)
            counted = counts.view(np.int64).reshape(-1, width)[:, order]
            made.append(_WRITE[type(self._inner)](self._inner, lifted, counted, self._type))
        return pa.concat_arrays(made)

    def advance(self, watermark: int) -> Emissions:
        """Nothing waits for a watermark."""
        return super().advance(watermark) if self._few else Operator.advance(self, watermark)

    def trimmed(self) -> set[int]:
        """The codes of the keys that have rows, after what no window can hold was dropped. Cost: O(n)."""
        if not self._few:
            return super().trimmed()
        if self._watermark is not None:
            self._rows.drop(self._watermark)
            self._kept.drop_oldest(self._watermark - self._since)
            self._values.keep(set(self._rows.values()))
        return set(self._rows.keys())

    def memory(self) -> int:
        """The bytes that it takes."""
        return self._rows.memory() + self._kept.memory() if self._few else super().memory()


def _frequent(one: FrequentItems, lifted: list[Any], counts: Counts, kind: pa.DataType) -> pa.Array:
    """The most frequent first; of equal ones the lesser key."""
    order = np.argsort(-counts, axis=1, kind="stable")
    counts = np.take_along_axis(counts, order, axis=1)
    listed = (counts > 0) & (counts >= one.at_least * counts.sum(axis=1, keepdims=True))
    starts = np.concatenate([[0], np.cumsum(listed.sum(axis=1))])
    fields = list(kind.value_type)
    items = pa.array([one.lower((partial[0],))[0].item for partial in lifted], fields[0].type)
    numbers = pa.array(counts[listed])
    columns = [items.take(pa.array(order[listed])), *(numbers.cast(field.type) for field in fields[1:])]
    return pa.ListArray.from_arrays(pa.array(starts, pa.int32()), pa.StructArray.from_arrays(columns, fields=fields))


class _Pairs(dict[int, bytes]):
    """The bytes of a key with a count; of none where it is not there."""

    def __init__(self, key: int) -> None:
        super().__init__({0: b""})
        self._key = key

    def __missing__(self, count: int) -> bytes:
        made = self[count] = dumps((self._key, count))
        return made


def _counted(one: CountMin, lifted: list[Any], counts: Counts, kind: pa.DataType) -> pa.Array:
    """The bytes of partials: a tuple begins with its length."""
    pairs = [_Pairs(key) for ((key, _),) in lifted]
    begins = [joined([b""] * length) for length in range(len(pairs) + 1)]
    lengths = (counts > 0).sum(axis=1).tolist()
    rows = zip(lengths, counts.tolist(), strict=True)
    return pa.array([begins[length] + b"".join(map(getitem, pairs, row)) for length, row in rows], kind)


def _filtered(one: Bloom, lifted: list[Any], counts: Counts, kind: pa.DataType) -> pa.Array:
    """The bytes of partials."""
    size = one.bits // 8
    masks = [np.frombuffer(bits.to_bytes(size, "little"), np.uint8) for bits in lifted]
    made: list[bytes] = []
    for start in range(0, len(counts), _FILTERS):
        present = counts[start : start + _FILTERS] > 0
        rows = np.zeros((len(present), size), np.uint8)
        for value, mask in enumerate(masks):
            rows[present[:, value]] |= mask
        made += [dumps(int.from_bytes(row.data, "little")) for row in rows]
    return pa.array(made, kind)


_WRITE: Final[dict[type[Any], Write]] = {Bloom: _filtered, CountMin: _counted, FrequentItems: _frequent}
