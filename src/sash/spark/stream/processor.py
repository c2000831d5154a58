"""The stateful operator: a bucket's packs in, packs of results out."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import astuple
from typing import Any, Final

import pyarrow as pa
from pyspark.sql import Row
from pyspark.sql.streaming.stateful_processor import (
    ExpiredTimerInfo,
    StatefulProcessor,
    StatefulProcessorHandle,
    TimerValues,
)

from sash.spark.stream.bucket import Bucket
from sash.spark.stream.cache import ENGINES
from sash.spark.stream.job import Job
from sash.spark.stream.metrics import metric_names, metrics_sql
from sash.spark.stream.segments import pack, pieces, unpack
from sash.spark.stream.state import SparkState

__all__ = ["RESULTS_SQL", "BucketProcessor"]

RESULTS_SQL: Final = f"{metrics_sql()}, rows_out binary"
#: A pack of results is cut into pieces of this many bytes.
_PIECE: Final = 16 << 20


class BucketProcessor(StatefulProcessor):
    """Spark calls it with the packs of one bucket, and when a timer of a bucket is due."""

    def __init__(self, job: Job, timers: bool) -> None:
        self._job = job
        self._timers = timers

    def init(self, handle: StatefulProcessorHandle) -> None:
        """Open the state."""
        self._state = SparkState(handle, self._timers)

    def handleInputRows(self, key: Any, rows: Iterator[Any], timerValues: TimerValues) -> Iterator[Row]:  # noqa: N802, N803
        """Rows of a bucket."""
        # What came from one partition of the source stays in its order, whichever task packed first.
        packs = sorted(rows, key=lambda pack: (pack.source, pack.place))
        bucket = Bucket(self._job, self._state, ENGINES)
        told = bucket.rows([unpack(bytes(pack.rows)) for pack in packs], self._watermark(timerValues))
        return self._packed(bucket, told)

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
        Bucket(self._job, self._state, ENGINES).history(unpack(bytes(initialState.rows)))

    def close(self) -> None:
        """Nothing is open."""

    def _watermark(self, timers: TimerValues) -> int:
        return int(timers.getCurrentWatermarkInMs()) if self._timers else 0

    def _packed(self, bucket: Bucket, told: pa.Table) -> Iterator[Row]:
        """The results, the numbers beside the first of them."""
        numbers = astuple(bucket.metrics)
        shape = Row(*metric_names(), "rows_out")
        for piece in pieces(told, _PIECE) if told.num_rows else [None]:
            yield shape(*numbers, None if piece is None else pack(piece))
            numbers = tuple(type(number)() for number in numbers)
