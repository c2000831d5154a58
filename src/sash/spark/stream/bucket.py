"""One bucket in one batch: its state in, its rows through, its state out."""

from __future__ import annotations

import time
from collections.abc import Iterable
from dataclasses import dataclass, field, replace

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from sash.spark.stream.cache import EngineCache
from sash.spark.stream.conform import conformed
from sash.spark.stream.engine import BucketEngine, Emitted
from sash.spark.stream.job import LATE, REVISION, Job
from sash.spark.stream.log import BucketState, Log
from sash.spark.stream.manifest import Manifest
from sash.spark.stream.metrics import Metrics
from sash.spark.stream.retained import Ticks
from sash.spark.stream.slide_engine import make_engine
from sash.times import encode_array

__all__ = ["Bucket"]

#: Why a row has no results.
TOO_LATE, NO_TIME = "late", "no time"


@dataclass
class Bucket:
    """Runs a job over the state of a bucket. A failure changes nothing: Spark discards its state, and the engine is not
    put back."""

    job: Job
    state: BucketState
    engines: EngineCache
    metrics: Metrics = field(default_factory=Metrics)

    def rows(self, tables: Iterable[pa.Table], milliseconds: int) -> pa.Table:
        """Take the rows of a batch, and give the results that they and the watermark trigger. Without rows, nothing is
        done but to find out whether the job can continue from what is here."""
        table = pa.concat_tables([conformed(table, self.job.schema) for table in tables])
        if not table.num_rows:
            self._manifest()
            return self._shaped(self.job.result_schema.empty_table(), None)
        return self._run(table, milliseconds, fired=False)

    def timer(self, milliseconds: int) -> pa.Table:
        """The watermark has passed the time of the timer."""
        return self._run(self.job.schema.empty_table(), milliseconds, fired=True)

    def history(self, table: pa.Table) -> None:
        """Take rows that were there before the stream: they are in windows, and get no results."""
        manifest = self._manifest()
        table = conformed(table, self.job.schema)
        timed = table.filter(pc.is_valid(table.column(self.job.on)))
        self._put(Log(self.state).append(manifest.stepped(), timed, self._ticks(timed), silent=True))

    def _run(self, table: pa.Table, milliseconds: int, fired: bool) -> pa.Table:
        start = time.perf_counter()
        manifest = self._manifest()
        engine = self._engine(manifest)
        before = engine.native_seconds
        watermark = _later(manifest.watermark, self.job.clock.watermark(milliseconds))
        taken, ticks, late = self._sorted_out(table, manifest.watermark if self.job.chained else watermark)
        emitted = engine.step(taken, manifest.rows, watermark)
        timer = None if fired else manifest.timer
        self._commit(replace(manifest, timer=timer), engine, taken, ticks, emitted, watermark)
        self.metrics.rows += table.num_rows
        self.metrics.results += emitted.table.num_rows
        self.metrics.native_seconds += engine.native_seconds - before
        self.metrics.seconds += time.perf_counter() - start
        return self._shaped(emitted.table, late)

    # State in

    def _manifest(self) -> Manifest:
        data = self.state.manifest()
        return Manifest.new(self.job) if data is None else Manifest.read(data).taken_over(self.job)

    def _engine(self, manifest: Manifest) -> BucketEngine:
        log = Log(self.state)
        found = self.engines.take(self.job.name, manifest)
        if found is None:
            engine = make_engine(self.job)
            self.metrics.rebuilds += bool(log.replay(manifest, engine))
            return engine
        engine, version = found
        if version == manifest.version:
            self.metrics.hits += 1
        else:
            log.replay(manifest, engine, version.number)
            self.metrics.catch_ups += 1
        return engine

    # Rows

    def _ticks(self, table: pa.Table) -> Ticks:
        return np.ascontiguousarray(encode_array(table.column(self.job.on))[1])

    def _sorted_out(self, table: pa.Table, since: int | None) -> tuple[pa.Table, Ticks, pa.Table | None]:
        """The rows that are in time, with their ticks, and the others, with the reason."""
        timed = pc.is_valid(table.column(self.job.on))
        refused = []
        if not pc.all(timed, min_count=0).as_py():
            refused.append(self._marked(table.filter(pc.invert(timed)), NO_TIME))
            table = table.filter(timed)
        ticks = self._ticks(table)
        if since is not None and len(ticks) and int(ticks.min()) < since:
            late = ticks < since
            refused.append(self._marked(table.filter(pa.array(late)), TOO_LATE))
            table, ticks = table.filter(pa.array(~late)), ticks[~late]
        return table, ticks, pa.concat_tables(refused) if refused else None

    def _marked(self, table: pa.Table, reason: str) -> pa.Table:
        if reason == NO_TIME:
            self.metrics.without_time += table.num_rows
        else:
            self.metrics.late += table.num_rows
        return table.append_column(pa.field(LATE, pa.string()), pa.array([reason] * table.num_rows, pa.string()))

    def _shaped(self, results: pa.Table, late: pa.Table | None) -> pa.Table:
        """The results in the columns that come out, late rows behind them where they are asked for."""
        if self.job.on_late != "keep":
            return results
        results = results.append_column(pa.field(LATE, pa.string()), pa.nulls(results.num_rows, pa.string()))
        if late is None:
            return results
        reasons = late.column(LATE)
        late = late.drop_columns([LATE])
        empty = {**self.job.types, **({REVISION: pa.int32()} if self.job.plan.emit == "update" else {})}
        for name, kind in empty.items():
            late = late.append_column(pa.field(name, kind), pa.nulls(late.num_rows, kind))
        return pa.concat_tables([results, late.append_column(pa.field(LATE, pa.string()), reasons)])

    # State out

    def _commit(
        self,
        manifest: Manifest,
        engine: BucketEngine,
        taken: pa.Table,
        ticks: Ticks,
        emitted: Emitted,
        watermark: int | None,
    ) -> None:
        log = Log(self.state)
        following = replace(manifest.stepped(), watermark=watermark)
        revised = (emitted.numbers, emitted.revisions)
        following = log.append(following, taken, ticks, revised)
        following, engine = self._tidied(log, following, engine)
        self._note(following, engine)
        wanted = self._timer(following, engine)
        self.state.set_timer(manifest.timer, wanted)
        following = replace(following, timer=wanted)
        self._put(following)
        self.engines.put(self.job.name, following, engine)

    def _tidied(self, log: Log, manifest: Manifest, engine: BucketEngine) -> tuple[Manifest, BucketEngine]:
        retain = manifest.contents.retain
        if retain is None:
            return log.compact(manifest, engine, self.job)
        if manifest.watermark is not None:
            manifest = log.prune(manifest, manifest.watermark - retain)
        return log.merge(manifest), engine

    def _timer(self, manifest: Manifest, engine: BucketEngine) -> int | None:
        """When there is something to do without a new row: the oldest row that waits becomes final, or all is over."""
        waiting = engine.waiting
        if waiting is not None:
            return self.job.clock.timer(waiting)
        retain = manifest.contents.retain
        newest = max((segment.newest for segment in manifest.segments), default=None)
        return None if retain is None or newest is None else self.job.clock.timer(newest + retain)

    def _put(self, manifest: Manifest) -> None:
        self.state.put_manifest(manifest.write())

    def _note(self, manifest: Manifest, engine: BucketEngine) -> None:
        self.metrics.keys += engine.keys
        self.metrics.segments += len(manifest.segments)
        self.metrics.state_bytes += manifest.size


def _later(one: int | None, other: int | None) -> int | None:
    return max((ticks for ticks in (one, other) if ticks is not None), default=None)
