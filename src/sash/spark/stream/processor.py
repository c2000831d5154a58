"""Spark's stateful operator over its state store: a bucket's packs in, packs of results out."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import astuple, replace
from typing import Any, Final

import pyarrow as pa
from pyspark import cloudpickle
from pyspark.sql import Row
from pyspark.sql.streaming.stateful_processor import (
    ExpiredTimerInfo,
    StatefulProcessor,
    StatefulProcessorHandle,
    TimerValues,
)
from pyspark.sql.types import BinaryType, LongType, StructField, StructType

from sash.spark.stream.bucket import Bucket
from sash.spark.stream.cache import ENGINES
from sash.spark.stream.job import Job
from sash.spark.stream.metrics import metric_names, metrics_sql
from sash.spark.stream.packing import pack, slices, unpack
from sash.spark.worker import note_task

__all__ = ["RESULTS_SQL", "BucketProcessor", "SparkState", "sealed"]

RESULTS_SQL: Final = f"{metrics_sql()}, rows_out binary"
# The state of a bucket: names and types. No words for the types: PySpark asks the JVM to parse these, in every task.
_MANIFEST: Final = ("manifest", StructType([StructField("data", BinaryType())]))
_SEGMENTS: Final = (
    "segments",
    StructType([StructField("place", LongType())]),
    StructType([StructField("rows", BinaryType())]),
)
#: The most bytes of a pack of results.
_PACK_BYTES: Final = 16 << 20


class SparkState:
    """A value and a map of Spark's arbitrary state, under the key that the operator is called for."""

    def __init__(self, handle: Any, manifest: Any, segments: Any, timers: bool) -> None:
        self._handle = handle
        self._manifest = manifest
        self._segments = segments
        self._timers = timers

    @classmethod
    def opened(cls, handle: Any, timers: bool) -> SparkState:
        """The state of whatever bucket the operator is called for."""
        return cls(handle, handle.getValueState(*_MANIFEST), handle.getMapState(*_SEGMENTS), timers)

    def manifest(self) -> bytes | None:
        """What was put last; None if nothing was."""
        found = self._manifest.get()
        return None if found is None else bytes(found[0])

    def put_manifest(self, data: bytes) -> None:
        """Replace it."""
        self._manifest.update((data,))

    def segment(self, place: int) -> bytes:
        """The segment at a place."""
        return bytes(self._segments.getValue((place,))[0])

    def put_segment(self, place: int, data: bytes) -> None:
        """A segment at a place that has none."""
        self._segments.updateValue((place,), (data,))

    def drop_segments(self, places: Iterable[int]) -> None:
        """Delete segments."""
        for place in places:
            self._segments.removeKey((place,))

    def clear(self) -> None:
        """Delete everything."""
        self._manifest.clear()
        self._segments.clear()

    def set_timer(self, old: int | None, new: int | None) -> None:
        """Be called when the watermark reaches the new time, in milliseconds, and not at the old one."""
        if not self._timers or old == new:
            return
        if old is not None:
            self._handle.deleteTimer(old)
        if new is not None:
            self._handle.registerTimer(new)


class BucketProcessor(StatefulProcessor):
    """Spark calls it with the packs of one bucket, and when a timer of a bucket is due."""

    def __init__(self, job: Job, timers: bool) -> None:
        self._job = job
        self.timers = timers

    def init(self, handle: StatefulProcessorHandle) -> None:
        """Open the state."""
        self.begin(SparkState.opened(handle, self.timers))

    def begin(self, state: SparkState) -> None:
        """The state is open."""
        note_task()
        self._state = state

    def handleInputRows(self, key: Any, rows: Iterator[Any], timerValues: TimerValues) -> Iterator[Row]:  # noqa: N802, N803
        """Rows of a bucket."""
        # What came from one partition of the source stays in its order, whichever task packed first.
        packs = sorted(rows, key=lambda pack: (pack.source, pack.place))
        bucket = Bucket(self._divided(packs[0].buckets), self._state, ENGINES)
        results = bucket.rows([unpack(bytes(pack.rows)) for pack in packs], self._watermark(timerValues))
        return self._packed(bucket, results)

    def handleExpiredTimer(  # noqa: N802
        self,
        key: Any,
        timerValues: TimerValues,  # noqa: N803
        expiredTimerInfo: ExpiredTimerInfo,  # noqa: N803
    ) -> Iterator[Row]:
        """The watermark has passed what a bucket waits for."""
        bucket = Bucket(self._job, self._state, ENGINES)
        return self._packed(bucket, bucket.timer(self._watermark(timerValues)))

    def handleInitialState(self, key: Any, initialState: Any, timerValues: TimerValues) -> None:  # noqa: N802, N803
        """Rows from before the stream."""
        bucket = Bucket(self._divided(initialState.buckets), self._state, ENGINES)
        bucket.history(unpack(bytes(initialState.rows)))

    def close(self) -> None:
        """Nothing is open."""

    def _divided(self, buckets: int) -> Job:
        """The job with the number of buckets by which rows were packed."""
        if self._job.buckets != buckets:
            self._job = replace(self._job, buckets=buckets)
        return self._job

    def _watermark(self, timers: TimerValues) -> int:
        return int(timers.getCurrentWatermarkInMs()) if self.timers else 0

    def _packed(self, bucket: Bucket, results: pa.Table) -> Iterator[Row]:
        """The results, with the metrics beside the first of them."""
        numbers = astuple(bucket.metrics)
        shape = Row(*metric_names(), "rows_out")
        for part in slices(results, _PACK_BYTES) if results.num_rows else [None]:
            yield shape(*numbers, None if part is None else pack(part))
            numbers = tuple(type(number)() for number in numbers)


def sealed(processor: BucketProcessor) -> StatefulProcessor:
    """The same operator, which is loaded when it is first called.

    Before the first batch Spark opens the state in a Python process of the driver, which then ends. To import the
    package there would take longer than a small batch. So this class travels by value, and names nothing of the package
    before there is something to do.
    """
    data, timers = cloudpickle.dumps(processor), processor.timers  # type: ignore[no-untyped-call]

    class Sealed(StatefulProcessor):
        def init(self, handle: Any) -> None:
            self._opened = handle, handle.getValueState(*_MANIFEST), handle.getMapState(*_SEGMENTS), timers
            self._processor: Any = None

        def handleInputRows(self, key: Any, rows: Any, timerValues: Any) -> Any:  # noqa: N802, N803
            return self._loaded().handleInputRows(key, rows, timerValues)

        def handleExpiredTimer(self, key: Any, timerValues: Any, expiredTimerInfo: Any) -> Any:  # noqa: N802, N803
            return self._loaded().handleExpiredTimer(key, timerValues, expiredTimerInfo)

        def handleInitialState(self, key: Any, initialState: Any, timerValues: Any) -> None:  # noqa: N802, N803
            self._loaded().handleInitialState(key, initialState, timerValues)

        def close(self) -> None:
            pass

        def _loaded(self) -> Any:
            if self._processor is None:
                from sash.spark.stream.processor import SparkState

                self._processor = cloudpickle.loads(data)
                self._processor.begin(SparkState(*self._opened))
            return self._processor

    return Sealed()
