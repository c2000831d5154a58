"""State that is written for a stream to start from: what each bucket holds, put there by Spark itself."""

from __future__ import annotations

import os
from collections.abc import Iterator
from dataclasses import replace
from itertools import pairwise
from typing import Any, Final, cast

import numpy as np
import pyarrow as pa
from pyspark.sql import DataFrame, Row
from pyspark.sql.streaming.stateful_processor import StatefulProcessor, StatefulProcessorHandle, TimerValues

from sash.spark.checkpoint.stored import Stored
from sash.spark.session import SETTINGS
from sash.spark.stream.log import BucketState, Log
from sash.spark.stream.manifest import Manifest, Version, new_nonce
from sash.spark.stream.packing import bucket_ids
from sash.spark.stream.processor import SparkState
from sash.times import encode_array

__all__ = ["SEEDS_SQL", "Seeds", "write_state"]

#: A segment of a bucket, or where there is no place its manifest, with its timer.
SEEDS_SQL: Final = "bucket int, place bigint, data binary, timer bigint"
_SEEDS: Final = pa.schema([("bucket", pa.int32()), ("place", pa.int64()), ("data", pa.binary()), ("timer", pa.int64())])
_SEED: Final = "_seed"
#: A snapshot is written in each micro-batch, and none follows the first.
_CONF: Final = {
    "spark.sql.streaming.stateStore.rocksdb.changelogCheckpointing.enabled": "false",
    "spark.sql.streaming.stateStore.checkpointFormatVersion": "1",
    "spark.sql.streaming.noDataMicroBatches.enabled": "false",
}


class Seeds:
    """Makes the log of a new bucket out of the rows that it gets."""

    def __init__(self, old: Stored, buckets: int) -> None:
        self._contents = replace(old.contents, buckets=buckets)
        self._timers = {number: manifest.timer for number, manifest in old.manifests.items()}
        marks = [one.watermark for one in old.manifests.values() if one.watermark is not None]
        # What a bucket waits for is not before the watermark of any: it would have been called.
        self._watermark = max(marks, default=None)
        self._job = next(iter(old.manifests.values())).job

    def of(self, bucket: int, table: pa.Table) -> pa.Table:
        """The seeds of a bucket."""
        table = table.filter(table.column("origin").is_valid())
        table = table.sort_by([("origin", "ascending"), ("number", "ascending")])
        state = _Memory()
        manifest = self._logged(state, table)
        waiting = [self._timers[origin] for origin in set(table.column("origin").to_pylist())]
        timer = min((one for one in waiting if one is not None), default=None)
        rows = [*state.data.items(), (None, replace(manifest, timer=timer).write())]
        number = bucket_ids(self._contents.buckets)[bucket]
        seeds = [{"bucket": number, "place": place, "data": data} for place, data in rows]
        return pa.Table.from_pylist([*seeds[:-1], seeds[-1] | {"timer": timer}], _SEEDS)

    def _logged(self, state: _Memory, table: pa.Table) -> Manifest:
        manifest = Manifest(self._job, self._contents, os.urandom(16), (Version(0, new_nonce()),))
        log, schema = Log(cast(BucketState, state)), self._contents.schema
        own = table.select(range(len(schema))).rename_columns(schema.names)
        silent = np.asarray(table.column("silent").to_numpy(zero_copy_only=False), bool)
        revisions = np.asarray(table.column("revision").to_numpy(), np.int32)
        bounds = [0, *(np.flatnonzero(np.diff(silent)) + 1).tolist(), len(silent)]
        for start, end in pairwise(bounds):
            part = own.slice(start, end - start)
            if part.num_rows:
                ticks = np.ascontiguousarray(encode_array(part.column(self._contents.on))[1])
                changed = np.flatnonzero(revisions[start:end])
                revised = (manifest.rows + changed, revisions[start:end][changed], np.empty(0, np.int64))
                manifest = log.append(manifest, part, ticks, revised, bool(silent[start]))
        return replace(manifest, watermark=self._watermark, compacted=manifest.live_rows)


class _Memory:
    """The state of a bucket that only grows."""

    def __init__(self) -> None:
        self.data: dict[int, bytes] = {}

    def put_segment(self, place: int, data: bytes) -> None:
        """A segment at a place that has none."""
        self.data[place] = data


class _Seeder(StatefulProcessor):
    """Puts seeds into Spark's state."""

    def __init__(self, timers: bool) -> None:
        self._timers = timers

    def init(self, handle: StatefulProcessorHandle) -> None:
        """Open the state."""
        self._state = SparkState.opened(handle, self._timers)

    def handleInputRows(self, key: Any, rows: Iterator[Any], timerValues: TimerValues) -> Iterator[Row]:  # noqa: N802, N803
        """The seeds of a bucket."""
        for row in rows:
            if row.place is not None:
                self._state.put_segment(row.place, bytes(row.data))
            else:
                self._state.put_manifest(bytes(row.data))
                self._state.set_timer(None, row.timer)
        return iter(())

    def close(self) -> None:
        """Nothing is open."""


def write_state(old: Stored, seeds: DataFrame, path: str) -> None:
    """A checkpoint whose state is that of the seeds, by a stream of one micro-batch."""
    seeds.write.parquet(f"{path}/{_SEED}")
    session = old.spark.newSession()
    for name, value in {**SETTINGS, **_CONF, "spark.sql.shuffle.partitions": str(old.partitions)}.items():
        session.conf.set(name, value)
    stream = session.readStream.schema(SEEDS_SQL).parquet(f"{path}/{_SEED}")
    timed = stream.selectExpr("*", "timestamp_seconds(0) newest").withWatermark("newest", "0 seconds")
    mode = "EventTime" if old.timed else "None"
    put = timed.select(*stream.columns).groupBy("bucket")
    done = put.transformWithState(_Seeder(old.timed), "bucket int", "Append", mode)
    query = done.writeStream.format("noop").option("checkpointLocation", path).trigger(availableNow=True).start()
    query.awaitTermination()
