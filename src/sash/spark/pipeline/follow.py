"""The queries of a stream, followed until they end or a signal comes."""

from __future__ import annotations

import contextlib
from typing import Any, Final

from sash.errors import SashError
from sash.pipeline.progress import Batch, Progress
from sash.pipeline.stop import Stop
from sash.spark.monitor import lag_of
from sash.spark.pipeline.failures import FAILURES, GONE, cause
from sash.spark.stream import report_of

__all__ = ["follow"]

_POLL: Final = 0.25


def follow(queries: list[Any], progress: Progress, stop: Stop) -> None:
    """Show each batch of the first query; stop all of them when a signal comes, or when one of them fails.

    The second query, if there is one, counts bad records: those that it has found since the last batch go with it.
    """
    letters = _Letters(queries[1:])
    try:
        _watch(queries, letters, progress, stop)
    except GONE:
        if not stop:
            raise
    finally:
        # What does not heed it in time is left to the end of the session, and Java may have ended by the same signal:
        # the checkpoint is whole at any moment.
        for query in queries:
            with contextlib.suppress(*FAILURES):
                query.stop()
        with contextlib.suppress(*FAILURES):
            progress.totals.dead += letters.take()


def _watch(queries: list[Any], letters: _Letters, progress: Progress, stop: Stop) -> None:
    seen = -1
    while not stop:
        active = [query for query in queries if query.isActive]
        for batch in _batches(queries[0], seen):
            progress.batch(Batch(**vars(batch) | {"dead": letters.take()}))
            seen = batch.number
        for query in queries:
            _raise_failure(query)
        if not active:
            break
        stop.wait(_POLL)


class _Letters:
    """Counts the bad records of each batch once. Spark forgets all but the last hundred batches."""

    def __init__(self, queries: list[Any]) -> None:
        self._queries = queries
        self._seen = -1

    def take(self) -> int:
        """How many have been found since the last call."""
        new = [one for query in self._queries for one in query.recentProgress if one["batchId"] > self._seen]
        self._seen = max((one["batchId"] for one in new), default=self._seen)
        observed = (one["observedMetrics"].get("dead") for one in new)
        return sum(one["letters"] for one in observed if one)


def _raise_failure(query: Any) -> None:
    failure = query.exception()
    if failure is not None:
        raise SashError(f"the query for {query.name} failed: {cause(str(failure))}")


def _batches(query: Any, seen: int) -> list[Batch]:
    """The batches that have ended since the last look."""
    return [_batch(one) for one in query.recentProgress if one["batchId"] > seen and "addBatch" in one["durationMs"]]


def _batch(progress: Any) -> Batch:
    report = report_of(progress)
    seconds = progress["durationMs"]["triggerExecution"] / 1000
    shape = {"number": progress["batchId"], "rows": progress["numInputRows"], "seconds": seconds}
    shape |= {"at": progress["timestamp"], "lag": lag_of(progress)}
    if report is None:
        return Batch(**shape)
    metrics = report.metrics
    counts = {"results": metrics.results, "late": metrics.late, "keys": metrics.keys}
    return Batch(**shape | counts | {"state_bytes": metrics.state_bytes})
