"""How `sash run` follows the queries of a stream: batches once each, bad records with them, failures, signals."""

from __future__ import annotations

from typing import Any

import pytest

pytest.importorskip("pyspark")

from sash.errors import SashError
from sash.pipeline.progress import Batch, Progress
from sash.pipeline.stop import Stop
from sash.spark.pipeline.follow import follow


def progress_of(number: int, rows: int, newest: str | None = None, dead: int | None = None) -> dict[str, Any]:
    """What Spark reports of a batch."""
    return {
        "id": "query",
        "batchId": number,
        "numInputRows": rows,
        "timestamp": "2024-05-01T10:00:30.000Z",
        "durationMs": {"addBatch": 1, "triggerExecution": 500},
        "eventTime": {} if newest is None else {"max": newest},
        "observedMetrics": {} if dead is None else {"dead": {"letters": dead}},
    }


class Query:
    """A query that has done its batches by and by: one more each time that it is looked at."""

    def __init__(self, name: str, batches: list[dict[str, Any]], failure: str | None = None) -> None:
        self.name = name
        self._batches, self._seen, self._failure = batches, 0, failure
        self.stopped = False

    @property
    def isActive(self) -> bool:  # noqa: N802
        self._seen += 1
        return self._seen <= len(self._batches) and not self.stopped

    @property
    def recentProgress(self) -> list[dict[str, Any]]:  # noqa: N802
        return self._batches[: self._seen]

    def exception(self) -> str | None:
        return self._failure if self._seen >= len(self._batches) else None

    def stop(self) -> None:
        self.stopped = True


class Kept(Progress):
    """Keeps the batches that it is shown."""

    def __init__(self, stop: Stop | None = None) -> None:
        super().__init__()
        self.shown: list[Batch] = []
        self._stop = stop

    def show(self, batch: Batch) -> None:
        self.shown.append(batch)
        if self._stop is not None:
            self._stop.ask(15)


@pytest.fixture(autouse=True)
def no_waiting(monkeypatch: pytest.MonkeyPatch) -> None:
    """Nobody sleeps between two looks."""
    monkeypatch.setattr("sash.spark.pipeline.follow._POLL", 0)


def test_each_batch_is_shown_once_with_its_bad_records() -> None:
    """However often one looks; the lag is from the newest event to the start of the batch."""
    results = Query("results", [progress_of(0, 5, "2024-05-01T10:00:00.000Z"), progress_of(1, 7)])
    letters = Query("dead-letters", [progress_of(0, 5, dead=2), progress_of(1, 7, dead=1)])
    kept = Kept()
    follow([results, letters], kept, Stop())
    assert [(batch.number, batch.rows) for batch in kept.shown] == [(0, 5), (1, 7)]
    assert [batch.lag for batch in kept.shown] == [30.0, None]
    assert kept.totals.dead == 3
    assert results.stopped
    assert letters.stopped


def test_bad_records_that_are_found_last_are_counted() -> None:
    """The query for bad records may end after the other one, and Spark forgets its oldest batches."""
    results = Query("results", [progress_of(0, 5)])
    letters = Query("dead-letters", [progress_of(number, 5, dead=1) for number in range(4)])
    kept = Kept()
    follow([results, letters], kept, Stop())
    assert kept.totals.dead == 4


def test_a_signal_stops_all_queries() -> None:
    """The batch that was done is kept; nothing more is awaited."""
    stop = Stop()
    results, letters = Query("results", [progress_of(n, 1) for n in range(9)]), Query("dead-letters", [])
    kept = Kept(stop)
    follow([results, letters], kept, stop)
    assert len(kept.shown) == 1
    assert results.stopped
    assert letters.stopped


def test_a_failure_is_told_in_a_line() -> None:
    """The line of Python's error, not Java's stack; the other query is stopped."""
    text = "Job aborted\nTraceback\n  File x\nValueError: the checkpoint is of another plan\nat org.apache.Spark"
    results, letters = Query("results", [progress_of(0, 1)], text), Query("dead-letters", [])
    with pytest.raises(SashError, match="the query for results failed: ValueError: the checkpoint is of another plan"):
        follow([results, letters], Kept(), Stop())
    assert letters.stopped


class Gone(Query):
    """A query whose Java has ended after its first batch."""

    def __init__(self, stop: Stop | None) -> None:
        super().__init__("results", [progress_of(0, 1), progress_of(1, 1)])
        self._asked = stop

    @property
    def isActive(self) -> bool:  # noqa: N802
        if self._seen:
            if self._asked is not None:
                self._asked.ask(15)
            raise ConnectionRefusedError("nobody answers")
        return super().isActive

    def stop(self) -> None:
        raise ConnectionRefusedError("nobody answers")


def test_a_signal_that_has_ended_java_as_well_is_a_stop() -> None:
    """A service manager signals all processes at once: that is no failure."""
    stop, kept = Stop(), Kept()
    follow([Gone(stop)], kept, stop)
    assert len(kept.shown) == 1


def test_java_that_ends_by_itself_is_a_failure() -> None:
    """Nobody asked for it."""
    with pytest.raises(ConnectionRefusedError):
        follow([Gone(None)], Kept(), Stop())
