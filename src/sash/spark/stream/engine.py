"""The windows of one bucket: rows in, results out, whichever way the engine came to its state.

The state of an engine is a function of the rows that it has taken, in order, and of the watermark. So one that replays
a log is the one that wrote it.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Final

import numpy as np
import numpy.typing as npt
import pyarrow as pa

from sash.plan import Emit
from sash.spark.stream.conform import conformed
from sash.spark.stream.costs import Costs
from sash.spark.stream.failures import failures, named, restated
from sash.spark.stream.job import REVISION, Job
from sash.spark.stream.key_codes import KeyCodes
from sash.spark.stream.retained import Chunk, Picked, RetainedRows, Revisions, Scan, Ticks
from sash.spark.stream.tree import Tree, split
from sash.times import encode_array

__all__ = ["NOTHING_REVISED", "BucketEngine", "Emitted", "Part", "differ"]

Results = dict[str, pa.Array]
#: Rows, their ticks, how often the results of each were revised, and whether they get none.
Part = tuple[pa.Table, Ticks, Revisions, bool]


@dataclass(frozen=True)
class Emitted:
    """Rows with their results, and the rows whose results were revised: their numbers, and how often each was."""

    table: pa.Table
    numbers: Ticks
    revisions: Revisions
    #: Why rows of the table have no results, by their places.
    errors: Mapping[int, str] = field(default_factory=dict)
    #: Where results are no rows: the ends of the windows that were revised. The numbers are of rows of their keys.
    ends: Ticks = field(default_factory=lambda: np.empty(0, np.int64))
    #: How many windows that are no rows have no results, and are left out.
    lost: int = 0


NOTHING_REVISED: Final = (np.empty(0, np.int64), np.empty(0, np.int32))


class BucketEngine:
    """All keys of a bucket. `step` takes new rows and emits results; `absorb` takes rows that were emitted before."""

    def __init__(self, job: Job) -> None:
        self._job = job
        self._native, self._other = split(job)
        # What is known at arrival is known row by row: only trees are quick at that.
        passes = self._other if job.plan.emit == "arrival" else self._native | self._other
        self._tree = Tree(job, self._native) if self._native and job.plan.emit == "arrival" else None
        self._scan = Scan(job, passes) if passes else None
        self._costs = Costs(len(job.plan.windows), len(job.plan.outputs))
        self._codes = KeyCodes(job.plan.by)
        self._rows = RetainedRows(job.log_schema)
        self._since_trim = 0
        self._errors: dict[int, str] = {}
        #: Rows before it were emitted.
        self.watermark: int | None = None
        #: Seconds that were spent in the core.
        self.native_seconds = 0.0

    def take_seconds(self) -> float:
        """The seconds that were spent in the core since this was asked last."""
        seconds, self.native_seconds = self.native_seconds, 0.0
        return seconds

    # What is retained

    @property
    def keys(self) -> int:
        """How many keys have rows."""
        return len(self._codes)

    @property
    def waiting(self) -> int | None:
        """The ticks of the oldest row that is not emitted yet; None if all are."""
        if self._job.plan.emit != "final":
            return None
        return self._rows.oldest(self.watermark)

    def memory(self) -> int:
        """About how many bytes it takes."""
        return (0 if self._tree is None else self._tree.memory()) + self._rows.memory() + self._codes.memory()

    @property
    def _reads_rows(self) -> bool:
        """Whether windows are computed from rows, and not only from trees."""
        return self._scan is not None or (self._tree is not None and self._tree.picks_rows)

    # Rows that were emitted before

    def absorb(self, table: pa.Table, first: int, silent: bool) -> None:
        """Take rows of the log; `first` is the number of the first. None of them is late, none gets a result."""
        self._take(self._chunk(conformed(table, self._job.log_schema), first, silent))

    def _take(self, chunk: Chunk) -> None:
        if len(chunk):
            self._check(chunk)
        self._insert(chunk)
        self._retain(chunk)

    def _check(self, chunk: Chunk) -> None:
        """Fail for rows that no window can be computed from. Trees find out when they take them."""
        if self._scan is not None:
            self._scan.check(chunk)

    def revise(self, numbers: Ticks, revisions: Revisions, ends: Ticks) -> None:
        """Take revisions of the log."""
        self._rows.revise(numbers, revisions)

    def settle(self, watermark: int | None) -> None:
        """Rows before the watermark were emitted; what no window needs any more is dropped."""
        if watermark is None or (self.watermark is not None and watermark < self.watermark):
            return
        self.watermark = watermark
        if self._tree is not None:
            self._tree.advance(watermark)
        if not self._reads_rows:
            self._rows.drop_before(watermark)
        elif self._job.retain is not None:
            self._rows.drop_before(watermark - self._job.retain)
        if self._since_trim > max(self.keys, len(self._rows), 1024):
            self._drop_keys()

    def _drop_keys(self) -> None:
        """Keys without rows. All rows and keys are looked at, so when as many rows have come: O(1) a row."""
        self._since_trim = 0
        live = [] if self._tree is None else list(self._tree.trimmed())
        self._codes.keep(np.append(self._rows.codes(), np.array(live, np.int64)))

    def needed(self, choose: Callable[[Ticks, Ticks, int], npt.NDArray[np.bool_]]) -> list[Part]:
        """The rows that are chosen by their ticks, their codes and the watermark, in the order of their arrival."""
        assert self.watermark is not None
        chunks = self._rows.chunks
        ticks = np.concatenate([chunk.ticks for chunk in chunks])
        chosen = choose(ticks, self._rows.codes(), self.watermark)
        parts, start = [], 0
        for chunk in chunks:
            places = np.flatnonzero(chosen[start : start + len(chunk)])
            start += len(chunk)
            if len(places):
                rows = chunk.table.take(pa.array(places))
                parts.append((rows, chunk.ticks[places], chunk.revisions[places], chunk.silent))
        return parts

    # New rows

    def prepared(self, table: pa.Table, since: int | None) -> pa.Table:
        """The rows of a batch as the log has them; rows before the ticks are late."""
        return table

    def step(self, table: pa.Table, first: int, watermark: int | None) -> Emitted:
        """Take new rows, none of them late, and emit what is due at the watermark. An engine that fails
        is of no use any more."""
        self._errors.clear()
        match self._job.plan.emit:
            case "arrival":
                emitted = self._arrivals(table, first)
            case "final":
                emitted = self._finals(table, first, watermark)
            case _:
                emitted = self._updates(table, first)
        self.settle(watermark)
        return emitted

    def unfit(self, table: pa.Table, first: int) -> list[tuple[int, Exception]]:
        """Which of these rows cannot be taken, and why. The others are: the engine is of no use afterwards."""

        def attempt(start: int, end: int) -> None:
            part = table.slice(start, end - start)
            if self._job.plan.emit == "arrival":
                self._arrivals(part, first + start)
            else:
                self._take(self._chunk(part, first + start))

        return failures(table.num_rows, attempt)

    def _arrivals(self, table: pa.Table, first: int) -> Emitted:
        chunk = self._chunk(table.select(self._job.log_columns), first)
        self._retain(chunk)
        try:
            results = self._arrived(chunk, table)
        except BaseException:
            self._rows.discard(chunk)
            raise
        self._since_trim += len(chunk)
        return self._emitted(table, results, self._rows.all_of(chunk), 0)

    def _arrived(self, chunk: Chunk, table: pa.Table) -> Results:
        if not len(chunk):
            return self._nothing()
        # Trees come last: they cannot give rows back.
        results = self._scanned(self._rows.all_of(chunk), "arrival") if self._scan is not None else {}
        if self._tree is not None:
            start = time.perf_counter()
            results |= self._tree.arrivals(chunk.codes, chunk.ticks, table, chunk.first, self._rows.look)
            self.native_seconds += time.perf_counter() - start
        return results

    def _finals(self, table: pa.Table, first: int, watermark: int | None) -> Emitted:
        chunk = self._chunk(table, first)
        # A row that is not before the watermark is in no window of one that is: it need not be there yet.
        early = watermark is not None and len(chunk) and int(chunk.ticks.min()) < watermark
        if early:
            self._take(chunk)
        due = Picked([], self._job.log_schema)
        if watermark is not None:
            due = self._rows.pick(self.watermark, lambda chunk: chunk.ticks < watermark)
        emitted = self._emitted(due.table(), self._results(due), due, 0)
        if not early:
            self._take(chunk)
        return emitted

    def _updates(self, table: pa.Table, first: int) -> Emitted:
        chunk = self._chunk(table, first)
        suspects = self._suspects(chunk)
        before = self._results(suspects)
        self._take(chunk)
        new = self._rows.all_of(chunk)
        after = self._results(Picked([*suspects.parts, *new.parts], self._job.log_schema))
        revised = differ(before, {name: column.slice(0, len(suspects)) for name, column in after.items()})
        changed = suspects.where(revised)
        changed.count_revision()
        wanted = pa.array(np.concatenate([revised, np.ones(len(new), bool)]))
        picked = Picked([*changed.parts, *new.parts], self._job.log_schema)
        results = {name: column.filter(wanted) for name, column in after.items()}
        return self._emitted(picked.table(), results, picked, len(changed))

    def _suspects(self, new: Chunk) -> Picked:
        """Rows whose results may be revised: those that have a new row of their key in their longest window, or, where
        windows are no lengths of time, before them."""
        if not len(new):
            return Picked([], self._job.log_schema)
        oldest = np.full(self._codes.bound, 2**63 - 1, np.int64)
        np.minimum.at(oldest, new.codes, new.ticks)
        later = self._rows.pick(self.watermark, lambda chunk: chunk.ticks >= oldest[chunk.codes])
        if self._job.retain is None or not len(later):
            return later
        return later.where(_holds_any(later.codes, later.ticks - self._job.retain, later.ticks, new))

    def _chunk(self, table: pa.Table, first: int, silent: bool = False) -> Chunk:
        ticks = np.ascontiguousarray(encode_array(table.column(self._job.on))[1])
        return Chunk(first, table, self._codes.of(table), ticks, silent)

    def _insert(self, chunk: Chunk) -> None:
        self._since_trim += len(chunk)
        if self._tree is not None and len(chunk):
            start = time.perf_counter()
            self._tree.insert(chunk.codes, chunk.ticks, chunk.table, chunk.first)
            self.native_seconds += time.perf_counter() - start

    def _retain(self, chunk: Chunk) -> None:
        if self._job.plan.emit != "arrival" or self._reads_rows:
            self._rows.add(chunk)

    # Results

    def _nothing(self) -> Results:
        return {name: pa.array([], kind) for name, kind in self._job.types.items()}

    def _results(self, picked: Picked) -> Results:
        """The results of the rows; those of rows that cannot be computed are null, and the reason is noted."""
        if not len(picked):
            return self._nothing()
        parts: list[Results] = []
        found = failures(len(picked), lambda start, end: parts.append(self._computed(picked.between(start, end))))
        if not found:
            return parts[0]
        numbers = picked.numbers
        for place, error in found:
            self._errors[int(numbers[place])] = self._named(picked.between(place, place + 1).table(), error)
        return self._with_gaps(parts, [place for place, _ in found], len(picked))

    def _named(self, row: pa.Table, error: Exception) -> str:
        message = named(row, self._job.plan.columns, error)
        if self._job.on_error == "raise":
            raise restated(error, message) from error
        return message

    def _with_gaps(self, parts: list[Results], gaps: list[int], count: int) -> Results:
        """The results of the others with nulls in these places."""
        places = np.full(count, -1, np.int64)
        others = np.setdiff1d(np.arange(count), gaps)
        places[others] = np.arange(len(others))
        taken = pa.array(places, mask=places < 0)
        columns = {name: [part[name] for part in parts] for name in self._job.types}
        return {
            name: pa.chunked_array(columns[name], kind).take(taken).combine_chunks()
            for name, kind in self._job.types.items()
        }

    def _grow_trees(self) -> None:
        """The retained rows into trees; from now on the windows of what fits there are looked up."""
        tree = Tree(self._job, self._native)
        try:
            for chunk in self._rows.chunks:
                tree.insert(chunk.codes, chunk.ticks, chunk.table, chunk.first)
        except OverflowError:
            # Passes are right in any case.
            self._native = {}
            return
        if self.watermark is not None:
            tree.advance(self.watermark)
        self._tree, self._scan = tree, Scan(self._job, self._other) if self._other else None

    def _computed(self, picked: Picked) -> Results:
        results: Results = {}
        if self._tree is None and self._native and self._costs.prefer_trees(len(self._rows), len(picked)):
            self._grow_trees()
        if self._tree is not None:
            start = time.perf_counter()
            results |= self._tree.results(picked.codes, picked.ticks, self._rows.look)
            self.native_seconds += time.perf_counter() - start
        if self._scan is not None:
            results |= self._scanned(picked, "final")
        return results

    def _scanned(self, picked: Picked, emit: Emit) -> Results:
        assert self._scan is not None
        table, codes = self._rows.joined()
        start = time.perf_counter()
        results = self._scan.results(table, codes, self._rows.places(picked), emit)
        self.native_seconds += time.perf_counter() - start
        return results

    def _emitted(self, table: pa.Table, results: Results, picked: Picked, changed: int) -> Emitted:
        for name, kind in self._job.types.items():
            table = table.append_column(pa.field(name, kind), results[name])
        revisions = picked.revisions
        if self._job.plan.emit == "update":
            table = table.append_column(pa.field(REVISION, pa.int32()), pa.array(revisions))
        numbers = picked.numbers
        return Emitted(table, numbers[:changed], revisions[:changed], self._errors_at(numbers))

    def _errors_at(self, numbers: Ticks) -> dict[int, str]:
        if not self._errors:
            return {}
        return {place: self._errors[row] for place, row in enumerate(numbers.tolist()) if row in self._errors}


def _holds_any(codes: Ticks, since: Ticks, until: Ticks, rows: Chunk) -> npt.NDArray[np.bool_]:
    """Which stretches of time of a key, both ends in, hold one of the rows. Cost: O(n log n)."""
    moments, ranks = np.unique(np.concatenate([rows.ticks, since, until]), return_inverse=True)
    stretch = len(moments)
    of_rows, of_since, of_until = np.split(ranks.astype(np.int64), np.cumsum([len(rows), len(since)]))
    placed = np.sort(rows.codes * stretch + of_rows)
    first = np.searchsorted(placed, codes * stretch + of_since, "left")
    behind = np.searchsorted(placed, codes * stretch + of_until, "right")
    return behind > first


def differ(before: Results, after: Results) -> npt.NDArray[np.bool_]:
    """Which rows have another result in any column; a null is equal to a null, and NaN to NaN."""
    differ = np.zeros(len(next(iter(after.values()))), bool)
    for name, now in after.items():
        differ |= _column_differs(before[name], now)
    return differ


def _column_differs(before: pa.Array, after: pa.Array) -> npt.NDArray[np.bool_]:
    if pa.types.is_nested(after.type) or pa.types.is_binary(after.type) or pa.types.is_string(after.type):
        pairs = zip(before.to_pylist(), after.to_pylist(), strict=True)
        return np.fromiter((old != new for old, new in pairs), bool, len(after))
    null = np.asarray(before.is_null()) != np.asarray(after.is_null())
    old, new = (np.asarray(_filled(array)) for array in (before, after))
    other = old != new
    if new.dtype.kind == "f":
        other &= ~(np.isnan(old) & np.isnan(new))
    differs: npt.NDArray[np.bool_] = null | other
    return differs


def _filled(array: pa.Array) -> npt.NDArray[np.generic]:
    """Numbers and times as they are stored; zero where there is none."""
    if pa.types.is_temporal(array.type):
        array = array.view(pa.int32() if array.type.bit_width == 32 else pa.int64())
    elif pa.types.is_decimal(array.type):
        array = array.cast(pa.string())
    filled: npt.NDArray[np.generic] = array.fill_null(_zero(array.type)).to_numpy(zero_copy_only=False)
    return filled


def _zero(kind: pa.DataType) -> pa.Scalar:
    return pa.scalar("" if pa.types.is_string(kind) else 0, kind) if not pa.types.is_boolean(kind) else pa.scalar(False)
