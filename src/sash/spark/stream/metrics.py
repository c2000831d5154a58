"""What a stream did, batch by batch: numbers that come out beside the results, and the listener that reads them."""

from __future__ import annotations

import threading
from collections.abc import Callable
from dataclasses import dataclass, fields
from typing import Any, Final

from pyspark.sql import Column
from pyspark.sql import functions as F  # noqa: N812
from pyspark.sql.streaming.listener import (
    QueryIdleEvent,
    QueryProgressEvent,
    QueryStartedEvent,
    QueryTerminatedEvent,
    StreamingQueryListener,
)

__all__ = [
    "OBSERVED",
    "BatchReport",
    "Metrics",
    "Monitor",
    "metric_names",
    "metrics_sql",
    "observed_metrics",
    "part_of",
    "report_of",
]

#: What the names begin with under which the numbers of a batch are found in its progress: one for each stream of Sash
#: in the query.
OBSERVED: Final = "sash"


@dataclass(slots=True)
class Metrics:
    """Counts of one call of a bucket. They add up over buckets."""

    #: Rows that came in, and results that were emitted.
    rows: int = 0
    results: int = 0
    #: Rows that were refused, by reason.
    late: int = 0
    without_time: int = 0
    failed: int = 0
    #: What the buckets that were called hold.
    keys: int = 0
    segments: int = 0
    state_rows: int = 0
    state_bytes: int = 0
    #: How engines came to their version.
    hits: int = 0
    catch_ups: int = 0
    rebuilds: int = 0
    #: Seconds in the native engine, and altogether.
    native_seconds: float = 0.0
    seconds: float = 0.0


def metric_names() -> list[str]:
    """The names of all of them.

    >>> metric_names()[:3]
    ['rows', 'results', 'late']
    """
    return [field.name for field in fields(Metrics)]


#: As Spark names the like in its progress. Its times are milliseconds.
_IN_SPARK: Final = {
    "rows": "numInputRows",
    "results": "numOutputRows",
    "late": "numRowsDroppedByWatermark",
    "without_time": "numRowsWithoutTime",
    "failed": "numRowsFailed",
    "keys": "numKeys",
    "segments": "numSegments",
    "state_rows": "numRowsTotal",
    "state_bytes": "stateSizeBytes",
    "hits": "numCacheHits",
    "catch_ups": "numCacheCatchUps",
    "rebuilds": "numCacheRebuilds",
    "native_seconds": "nativeTimeMs",
    "seconds": "pythonTimeMs",
}


def observed_metrics() -> list[Column]:
    """The sums that Spark observes, under the names that its progress shows."""
    return [(F.sum(name) * (1000 if "seconds" in name else 1)).alias(_IN_SPARK[name]) for name in metric_names()]


def metrics_sql() -> str:
    """Columns for all of them, as Spark writes a schema."""
    return ", ".join(f"{field.name} {'double' if 'seconds' in field.name else 'bigint'}" for field in fields(Metrics))


@dataclass(frozen=True)
class BatchReport:
    """One micro-batch: what its buckets did, and how long it took. `metrics.seconds` is time of Python workers, of
    which `metrics.native_seconds` is in the core; `seconds` is that of the whole batch."""

    query: str
    batch: int
    seconds: float
    metrics: Metrics


def report_of(progress: Any) -> BatchReport | None:
    """The report of a progress of Spark's; None if the query is none of `sash.spark.rolling`. Where it has several of
    them, their numbers are added.

    Takes what a listener gets, and what `query.lastProgress` and `query.recentProgress` give. Cost: O(1).
    """
    observed = part_of(progress, "observedMetrics") or {}
    found = [_numbers(row) for name, row in observed.items() if name.startswith(f"{OBSERVED}-")]
    if not found:
        return None
    sums: dict[str, Any] = {name: sum(one[_IN_SPARK[name]] or 0 for one in found) for name in metric_names()}
    metrics = Metrics(**{name: value / 1000 if "seconds" in name else value for name, value in sums.items()})
    took = (part_of(progress, "durationMs") or {}).get("triggerExecution", 0)
    return BatchReport(str(part_of(progress, "id")), int(part_of(progress, "batchId")), took / 1000, metrics)


def _numbers(row: Any) -> dict[str, Any]:
    """A row by its names. Through Connect a row of metrics has two fields, its values and its schema."""
    found: dict[str, Any] = row if isinstance(row, dict) else row.asDict()
    if found.keys() != {"values", "schema"}:
        return found
    return {field["name"]: value for field, value in zip(found["schema"]["fields"], found["values"], strict=True)}


def part_of(progress: Any, name: str) -> Any:
    """A part of a progress of Spark's, which is a dictionary in some sessions and an object in others."""
    return progress.get(name) if isinstance(progress, dict) else getattr(progress, name, None)


class Monitor(StreamingQueryListener):
    """A listener that keeps the reports of the last batches, and passes each on.

    `spark.streams.addListener(Monitor(print))`. Reports come on a thread of Spark's. Cost: O(1) a batch.
    """

    def __init__(self, on_batch: Callable[[BatchReport], None] | None = None, keep: int = 1000) -> None:
        self._on_batch = on_batch
        self._keep = keep
        self._reports: list[BatchReport] = []
        self._lock = threading.Lock()

    @property
    def reports(self) -> list[BatchReport]:
        """The last ones, oldest first."""
        with self._lock:
            return list(self._reports)

    def onQueryStarted(self, event: QueryStartedEvent) -> None:  # noqa: N802
        """Nothing is known yet."""

    def onQueryProgress(self, event: QueryProgressEvent) -> None:  # noqa: N802
        """A batch is done."""
        report = report_of(event.progress)
        if report is None:
            return
        with self._lock:
            self._reports = [*self._reports[1 - self._keep :], report]
        if self._on_batch is not None:
            self._on_batch(report)

    def onQueryIdle(self, event: QueryIdleEvent) -> None:  # noqa: N802
        """Nothing was done."""

    def onQueryTerminated(self, event: QueryTerminatedEvent) -> None:  # noqa: N802
        """The reports stay."""
