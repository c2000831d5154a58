"""One bucket in one batch: its state in, its rows through, its state out."""

from __future__ import annotations

import time
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field, replace

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from sash.spark.stream.cache import EngineCache
from sash.spark.stream.changes import unreadable
from sash.spark.stream.conform import conformed
from sash.spark.stream.engine import NOTHING_REVISED, BucketEngine, Emitted
from sash.spark.stream.failures import named, restated
from sash.spark.stream.job import ERROR, LATE, NO_TIME, TOO_LATE, Job
from sash.spark.stream.log import BucketState, Log
from sash.spark.stream.manifest import Manifest
from sash.spark.stream.metrics import Metrics
from sash.spark.stream.retained import Ticks
from sash.spark.stream.slide_engine import make_engine
from sash.times import encode_array

__all__ = ["Bucket"]


@dataclass
class Bucket:
    """Runs a job over the state of a bucket. A failure changes nothing: Spark discards its state, and the engine is not
    put back."""

    job: Job
    state: BucketState
    engines: EngineCache
    metrics: Metrics = field(default_factory=Metrics)
    _refused: list[pa.Table] = field(default_factory=list)

    def rows(self, tables: Iterable[pa.Table], milliseconds: int) -> pa.Table:
        """Take the rows of a batch, and give the results that they and the watermark trigger. Without rows, nothing is
        done but to find out whether the job can continue from what is here."""
        # In one chunk, since all that follows would put the chunks of a column together again and again.
        table = pa.concat_tables([conformed(table, self.job.schema) for table in tables]).combine_chunks()
        if not table.num_rows:
            self._manifest()
            return self._shaped(Emitted(self.job.result_schema.empty_table(), *NOTHING_REVISED))
        return self._run(table, milliseconds, fired=False)

    def timer(self, milliseconds: int) -> pa.Table:
        """The watermark has passed the time of the timer."""
        return self._run(self.job.schema.empty_table(), milliseconds, fired=True)

    def history(self, table: pa.Table) -> None:
        """Take rows that were there before the stream: they are in windows, and get no results."""
        manifest = self._manifest()
        table = conformed(table, self.job.schema)
        if self.job.retract is not None:
            self._past_changes(manifest, self._readable(table))
            return
        timed = self._fit(make_engine(self.job), _timed(table, self.job.on), 0)
        self._put(Log(self.state).append(manifest.stepped(), timed, self._ticks(timed), silent=True))

    def _past_changes(self, manifest: Manifest, table: pa.Table) -> None:
        """History that takes rows back. What it takes back may have come in a pack before, so there is an engine that
        goes from pack to pack as it does from batch to batch."""
        engine = self._engine(manifest)
        timed = _timed(engine.prepared(table, None), self.job.on)
        timed = self._fit(make_engine(self.job), timed, manifest.rows)
        following = Log(self.state).append(manifest.stepped(), timed, self._ticks(timed), silent=True)
        engine.absorb(timed, manifest.rows, silent=True)
        self._put(following)
        self.engines.put(self.job.name, following, engine)

    def _run(self, table: pa.Table, milliseconds: int, fired: bool) -> pa.Table:
        start = time.perf_counter()
        manifest = self._manifest()
        engine = self._engine(manifest)
        watermark = _later(manifest.watermark, self.job.clock.watermark(milliseconds))
        since = manifest.watermark if self.job.chained else watermark
        taken = self._in_time(engine.prepared(self._readable(table), since), since)
        engine, taken, emitted = self._stepped(engine, manifest, taken, watermark)
        timer = None if fired else manifest.timer
        self._commit(replace(manifest, timer=timer), engine, taken, emitted, watermark)
        self.metrics.rows += table.num_rows
        self.metrics.native_seconds += engine.take_seconds()
        self.metrics.seconds += time.perf_counter() - start
        return self._shaped(emitted)

    def _stepped(
        self, engine: BucketEngine, manifest: Manifest, table: pa.Table, watermark: int | None
    ) -> tuple[BucketEngine, pa.Table, Emitted]:
        """The engine, the rows that could be taken, and what they and the watermark trigger."""
        try:
            return engine, table, engine.step(table, manifest.rows, watermark)
        except MemoryError:
            raise
        except Exception:
            # An engine that has failed is of no use. If no row is to blame, the next one fails again.
            table = self._fit(self._rebuilt(manifest), table, manifest.rows)
            engine = self._rebuilt(manifest)
            return engine, table, engine.step(table, manifest.rows, watermark)

    def _rebuilt(self, manifest: Manifest) -> BucketEngine:
        engine = make_engine(self.job)
        Log(self.state).replay(manifest, engine)
        return engine

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

    def _in_time(self, table: pa.Table, since: int | None) -> pa.Table:
        """The rows that have a time which is not before the ticks."""
        if table.column(self.job.on).null_count:
            timed = pc.is_valid(table.column(self.job.on))
            without = table.filter(pc.invert(timed))
            self.metrics.without_time += without.num_rows
            self._set_aside(without, LATE, [NO_TIME] * without.num_rows)
            table = table.filter(timed)
        if since is None or not table.num_rows:
            return table
        late = self._ticks(table) < since
        if late.any():
            self.metrics.late += int(late.sum())
            self._set_aside(table.filter(pa.array(late)), LATE, [TOO_LATE] * int(late.sum()))
            table = table.filter(pa.array(~late))
        return table

    def _readable(self, table: pa.Table) -> pa.Table:
        """The rows that say what they do, where rows take others back."""
        if self.job.retract is None:
            return table
        changed = [self.job.retract] if self.job.id is None else [self.job.retract, self.job.id]
        columns = dict.fromkeys([*self.job.plan.columns, *changed])
        return self._without(table, unreadable(table, self.job), tuple(columns))

    def _fit(self, trial: BucketEngine, table: pa.Table, first: int) -> pa.Table:
        """The rows that windows can be computed from, tried on an engine that is for nothing else."""
        return self._without(table, trial.unfit(table, first), self.job.plan.columns)

    def _without(self, table: pa.Table, found: Sequence[tuple[int, Exception]], columns: Sequence[str]) -> pa.Table:
        """The rows but for those that failed, which are named by these columns."""
        messages = [named(table.slice(place, 1), columns, error) for place, error in found]
        if found and self.job.on_error == "raise":
            raise restated(found[0][1], messages[0]) from found[0][1]
        if not found:
            return table
        places = [place for place, _ in found]
        self.metrics.failed += len(found)
        self._set_aside(table.take(pa.array(places, pa.int64())), ERROR, messages)
        return table.take(pa.array(np.setdiff1d(np.arange(table.num_rows), places)))

    def _set_aside(self, table: pa.Table, column: str, reasons: list[str]) -> None:
        """Rows that come out without results, if they are asked for."""
        if column in self.job.reasons:
            self._refused.append(table.append_column(pa.field(column, pa.string()), pa.array(reasons, pa.string())))

    def _shaped(self, emitted: Emitted) -> pa.Table:
        """The results in the columns that come out, rows that have none behind them where they are asked for."""
        table = emitted.table
        if emitted.errors and ERROR not in self.job.reasons:
            table = table.filter(pa.array([place not in emitted.errors for place in range(table.num_rows)]))
        self.metrics.failed += len(emitted.errors) + emitted.lost
        self.metrics.results += table.num_rows
        if not self.job.reasons:
            return table
        if emitted.errors:
            reasons = [emitted.errors.get(place) for place in range(table.num_rows)]
            table = table.append_column(pa.field(ERROR, pa.string()), pa.array(reasons, pa.string()))
        columns = [*self.job.result_schema, *(pa.field(name, pa.string()) for name in self.job.reasons)]
        return pa.concat_tables([conformed(part, pa.schema(columns)) for part in (table, *self._refused)])

    # State out

    def _commit(
        self,
        manifest: Manifest,
        engine: BucketEngine,
        taken: pa.Table,
        emitted: Emitted,
        watermark: int | None,
    ) -> None:
        log = Log(self.state)
        following = replace(manifest.stepped(), watermark=watermark)
        revised = (emitted.numbers, emitted.revisions, emitted.ends)
        following = log.append(following, taken, self._ticks(taken), revised)
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
        """When to be called without a new row. A timer that is early and not due yet stays: it moves on when it fires,
        once in as long as rows are retained, and not in every batch."""
        due, old, watermark = self._due(manifest, engine), manifest.timer, manifest.watermark
        if old is None or due is None or old > due:
            return due
        return old if watermark is None or old >= self.job.clock.timer(watermark) else due

    def _due(self, manifest: Manifest, engine: BucketEngine) -> int | None:
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
        self.metrics.state_rows += manifest.live_rows
        self.metrics.state_bytes += manifest.size


def _timed(table: pa.Table, on: str) -> pa.Table:
    """The rows that have a time."""
    return table.filter(pc.is_valid(table.column(on)))


def _later(one: int | None, other: int | None) -> int | None:
    return max((ticks for ticks in (one, other) if ticks is not None), default=None)
