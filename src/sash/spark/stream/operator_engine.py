"""Windows of a bucket that only the operator runs.

It sees the rows one by one, so what it emits does not depend on how they are cut into batches.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import Any, Final, TypeAlias

import numpy as np
import pyarrow as pa

from sash.aggregations.base import Aggregation
from sash.codec import dumps, loads
from sash.errors import SnapshotError
from sash.operator.results import same
from sash.snapshots import reading
from sash.spark.stream.arrivals import (
    ArrivalOperator,
    RowsOperator,
    TopOperator,
    at_arrival,
    finds_rows,
    ranks_rows,
)
from sash.spark.stream.bins import BinsOperator, counts_bins
from sash.spark.stream.conform import conformed
from sash.spark.stream.coupons import CpcOperator, ThetaOperator, counts_coupons, counts_hashes
from sash.spark.stream.distinct import DistinctOperator, counts_distinct
from sash.spark.stream.engine import NOTHING_REVISED, BucketEngine, Emitted
from sash.spark.stream.failures import failures
from sash.spark.stream.job import Job
from sash.spark.stream.operators import Emissions, Operator, outputs_of
from sash.spark.stream.packing import pack, unpack
from sash.spark.stream.ranking import QuantilesOperator, RankOperator, counts_ranks, finds_quantiles
from sash.spark.stream.registers import RegistersOperator, estimates_distinct
from sash.spark.stream.retained import Chunk, Picked
from sash.spark.stream.several import SeveralOperator, gives_several
from sash.spark.stream.tallies import (
    BloomOperator,
    CountMinOperator,
    FrequentOperator,
    counts_all,
    counts_frequent,
    filters,
)
from sash.windows import WindowPolicy

__all__ = ["NOTHING", "Given", "OperatorEngine", "Row", "Subject", "equal"]

_FORMAT: Final = 1
#: What a column has that was not emitted.
NOTHING: Final = object()
#: The number of a row, or the code of a key and the end of a window.
Subject: TypeAlias = Any
#: The values of all columns.
Row: TypeAlias = list[Any]
#: What operators emit in one call, by column.
Given: TypeAlias = Mapping[str, Emissions]


class OperatorEngine(BucketEngine):
    """Results for rows. The state is that of the operators; rows are retained until they are emitted for good.

    A row has its number in the log. Operators count from the first row that they took, which has the number `_base`.
    """

    def __init__(self, job: Job) -> None:
        super().__init__(job)
        self._operators = {name: _operator(job, name, one, window) for name, one, window in outputs_of(job.plan)}
        self._base: int | None = None
        #: What was emitted and may be revised.
        self._open: dict[Subject, Row] = {}

    def memory(self) -> int:
        """About how many bytes it takes."""
        return super().memory() + sum(one.memory() for one in self._operators.values())

    @property
    def holds_rows(self) -> bool:
        """Whether rows are emitted, or revised, after the batch that they came with."""
        return self._job.plan.emit != "arrival"

    # Rows

    def _take(self, chunk: Chunk) -> None:
        self._retain(chunk)
        self._note([self._pushed(chunk)])

    def _retain(self, chunk: Chunk) -> None:
        if self.holds_rows:
            self._rows.add(chunk)

    def _pushed(self, chunk: Chunk) -> Given:
        self._since_trim += len(chunk)
        if self._base is None and len(chunk):
            self._base = chunk.first
        return self._emissions(lambda one: one.push(chunk.codes, chunk.ticks, chunk.table))

    def _emissions(self, call: Callable[[Operator], Emissions]) -> Given:
        start = time.perf_counter()
        emissions = {name: call(one) for name, one in self._operators.items()}
        self.native_seconds += time.perf_counter() - start
        return emissions

    def unfit(self, table: pa.Table, first: int) -> list[tuple[int, Exception]]:
        """Which of these rows an operator refuses, and why."""
        chunk = self._chunk(table.select(self._job.log_columns), first)
        found: dict[int, Exception] = {}
        for one in self._operators.values():

            def attempt(start: int, end: int, one: Operator = one) -> None:
                one.push(chunk.codes[start:end], chunk.ticks[start:end], chunk.table.slice(start, end - start))

            found |= dict(failures(len(chunk), attempt))
        return sorted(found.items(), key=lambda item: item[0])

    def settle(self, watermark: int | None) -> None:
        """What the watermark makes due was emitted."""
        if watermark is not None:
            self._note(self._advanced(watermark))
            self._passed(watermark)

    def _advanced(self, watermark: int) -> list[Given]:
        if self.watermark is not None and watermark <= self.watermark:
            return []
        return [self._emissions(lambda one: one.advance(watermark))]

    def _passed(self, watermark: int) -> None:
        """Drop what is open no longer. A key keeps its code as long as operators know it by that."""
        self.watermark = watermark
        self._rows.drop_before(watermark)
        if self._job.plan.emit == "arrival" and self._job.time_only and self._since_trim > max(self.keys, 1024):
            self._since_trim = 0
            self._codes.keep(set().union(*(one.trimmed() for one in self._operators.values())))
        self._close(lambda number: self._is_final(number, watermark))

    def _is_final(self, number: int, watermark: int) -> bool:
        found = self._rows.find(number)
        return found is None or bool(found[0].ticks[found[1]] < watermark)

    def _close(self, is_final: Callable[[Subject], bool]) -> None:
        self._open = {subject: row for subject, row in self._open.items() if not is_final(subject)}

    # Results

    def step(self, table: pa.Table, first: int, watermark: int | None) -> Emitted:
        """Take new rows, none of them late, and emit what is due at the watermark. One that fails is of no use any
        more."""
        chunk = self._chunk(table.select(self._job.log_columns), first)
        self._retain(chunk)
        emissions = [self._pushed(chunk), *(self._advanced(watermark) if watermark is not None else [])]
        match self._job.plan.emit:
            case "arrival":
                emitted = self._arrived_of(table, chunk, emissions)
            case "final":
                emitted = self._final_of(emissions)
            case _:
                emitted = self._changes(emissions, chunk)
        if watermark is not None:
            self._passed(watermark)
        return emitted

    def _arrived_of(self, table: pa.Table, chunk: Chunk, emissions: list[Given]) -> Emitted:
        results = {name: one.values for name, one in emissions[0].items()}
        return self._emitted(table, results, self._rows.all_of(chunk), 0)

    def _final_of(self, emissions: list[Given]) -> Emitted:
        """Rows that are final. All operators emit them in one order."""
        if len(emissions) < 2:
            return Emitted(self._job.result_schema.empty_table(), *NOTHING_REVISED)
        due = emissions[1]
        numbers = np.array(list(self._subjects(next(iter(due.values())))), np.int64)
        order = np.argsort(numbers)
        picked, heard = self._rows.at(numbers[order])
        places = pa.array(order[heard])
        results = {name: one.values.take(places) for name, one in due.items()}
        return self._emitted(picked.table(), results, picked, 0)

    def _subjects(self, one: Emissions) -> Iterator[Subject]:
        return iter((one.subjects + (self._base or 0)).tolist())

    def _gathered(self, emissions: Iterable[Given], rows: dict[Subject, Row]) -> None:
        """Put what was emitted into the rows; those that were not there are new."""
        for given in emissions:
            for column, one in enumerate(given.values()):
                for subject, value in zip(self._subjects(one), one.values.to_pylist(), strict=True):
                    rows.setdefault(subject, [NOTHING] * len(given))[column] = value

    def _note(self, emissions: list[Given]) -> None:
        """Remember what was emitted before, where it may be revised."""
        if self._job.plan.emit == "update":
            self._gathered(emissions, self._open)

    def _changes(self, emissions: list[Given], chunk: Chunk) -> Emitted:
        """What is not as it was before the batch, and what is new."""
        touched = {subject for given in emissions for one in given.values() for subject in self._subjects(one)}
        before = {subject: list(self._open[subject]) for subject in touched if subject in self._open}
        self._note(emissions)
        changed = [subject for subject, row in before.items() if not equal(row, self._open[subject])]
        return self._revised(sorted(changed), sorted(touched - before.keys()))

    def _revised(self, changed: list[Subject], fresh: list[Subject]) -> Emitted:
        old, _ = self._rows.at(np.array(changed, np.int64))
        old.count_revision()
        new, _ = self._rows.at(np.array(fresh, np.int64))
        picked = Picked([*old.parts, *new.parts], self._job.log_schema)
        rows = [self._open[number] for number in picked.numbers.tolist()]
        return self._emitted(picked.table(), self._columns(rows), picked, len(old))

    def _columns(self, rows: list[Row]) -> dict[str, pa.Array]:
        types = self._job.types
        return {name: pa.array([row[at] for row in rows], types[name]) for at, name in enumerate(self._operators)}

    # Snapshots

    def snapshot(self) -> bytes:
        """All but the rows: operators by the names of their columns. `AggregationError` if a partial is not plain."""
        numbers = np.array(sorted(self._open), np.int64)
        columns = self._columns([self._open[number] for number in numbers.tolist()])
        revised = {number: int(self._revision(number)) for number in numbers.tolist() if self._revision(number)}
        return dumps(
            {
                "format": _FORMAT,
                "base": self._base,
                "keys": self._codes.saved(),
                "operators": {name: one.dump() for name, one in self._operators.items()},
                "open": pack(pa.table({"": numbers} | columns)),
                "revised": revised,
            }
        )

    def _revision(self, number: int) -> int:
        found = self._rows.find(number)
        return 0 if found is None else int(found[0].revisions[found[1]])

    def restore(self, data: bytes, held: Iterable[tuple[pa.Table, int, bool]]) -> None:
        """Go on from a snapshot and the rows that it had taken and not emitted for good, with their numbers and whether
        they get results; `SnapshotError` if it is none of this plan."""
        state = loads(data)
        with reading("the state of a bucket cannot be read"):
            if state["format"] != _FORMAT:
                raise SnapshotError(f"its snapshot has format {state['format']}, and this version reads {_FORMAT}")
            self._base = state["base"]
            self._codes.load(state["keys"])
            for name, one in self._operators.items():
                one.load(state["operators"][name])
            opened = unpack(state["open"])
        for table, first, silent in held:
            self._rows.add(self._chunk(conformed(table, self._job.log_schema), first, silent))
        numbers = opened.column("").to_pylist()
        columns = [opened.column(name).to_pylist() for name in self._operators]
        self._open = {number: list(row) for number, *row in zip(numbers, *columns, strict=True)}
        revised = state["revised"]
        self._rows.revise(np.array(list(revised), np.int64), np.array(list(revised.values()), np.int32))


#: Operators of what is emitted at arrival over lengths of time, and for which aggregations.
_AT_ARRIVAL: Final[tuple[tuple[Callable[[Job, Aggregation], bool], type[ArrivalOperator]], ...]] = (
    (counts_distinct, DistinctOperator),
    (counts_bins, BinsOperator),
    (counts_ranks, RankOperator),
    (finds_quantiles, QuantilesOperator),
    (estimates_distinct, RegistersOperator),
    (counts_coupons, CpcOperator),
    (counts_hashes, ThetaOperator),
    (gives_several, SeveralOperator),
    (filters, BloomOperator),
    (counts_all, CountMinOperator),
    (counts_frequent, FrequentOperator),
    (ranks_rows, TopOperator),
    (finds_rows, RowsOperator),
)


def _operator(job: Job, name: str, aggregation: Aggregation, window: WindowPolicy) -> Operator:
    if at_arrival(job, aggregation, window) and window.span is not None:
        for fits, make in _AT_ARRIVAL:
            if fits(job, aggregation):
                return make(job, name, aggregation, window.span)
    return Operator(job, name, aggregation, window)


def equal(one: Row, other: Row) -> bool:
    """Whether two rows of results say the same."""
    return all(map(same, one, other))
