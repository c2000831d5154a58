"""What streams did, batch by batch: the numbers that come out beside the results, as a listener sees them."""

from __future__ import annotations

import threading
from collections.abc import Callable
from dataclasses import dataclass, fields
from typing import Any

from pyspark.sql.streaming.listener import (
    QueryIdleEvent,
    QueryProgressEvent,
    QueryStartedEvent,
    QueryTerminatedEvent,
    StreamingQueryListener,
)

from sash.spark.stream.metrics import Metrics
from sash.spark.stream.pipeline import OBSERVED

__all__ = ["BatchReport", "Monitor", "report_of"]


@dataclass(frozen=True)
class BatchReport:
    """One micro-batch: what its buckets did, and how long it took. `metrics.seconds` is time of Python workers, of
    which `metrics.native_seconds` is in the core; `seconds` is that of the whole batch."""

    query: str
    batch: int
    seconds: float
    metrics: Metrics


def report_of(progress: Any) -> BatchReport | None:
    """The report of a progress of Spark's; None if the query is none of `sash.spark.rolling`.

    Takes what a listener gets, and what `query.lastProgress` and `query.recentProgress` give. Cost: O(1).
    """
    found = (_part(progress, "observedMetrics") or {}).get(OBSERVED)
    if found is None:
        return None
    metrics = Metrics(**{field.name: found[field.name] or 0 for field in fields(Metrics)})
    took = (_part(progress, "durationMs") or {}).get("triggerExecution", 0)
    return BatchReport(str(_part(progress, "id")), int(_part(progress, "batchId")), took / 1000, metrics)


def _part(progress: Any, name: str) -> Any:
    return progress.get(name) if isinstance(progress, dict) else getattr(progress, name, None)


class Monitor(StreamingQueryListener):
    """A listener that keeps the reports of the last batches, and hands each on.

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
