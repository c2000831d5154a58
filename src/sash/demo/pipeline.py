"""The live pipeline: files of trips in, Parquet out, once by station and once for the whole city."""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final, Literal

import sash
from sash.demo.files import SCHEMA_SQL

if TYPE_CHECKING:
    from pyspark.sql import SparkSession
    from pyspark.sql.streaming.query import StreamingQuery

__all__ = ["CITY", "STATIONS", "STREAMS", "Batch", "Ran", "Stream", "run"]

#: Seconds between two looks at the streams.
_POLL: Final = 0.2
_WHAT: Final[dict[str, Any]] = {
    "on": "ended",
    "windows": ["10m", "1h", "1d"],
    "aggregations": {
        "count": sash.Count(),
        "mean": sash.Mean("seconds"),
        "longest": sash.Max("seconds"),
        "longest_bike": sash.ArgMax("seconds", "bike"),
        "bikes": sash.CountDistinct("bike"),
    },
}


@dataclass(frozen=True)
class Stream:
    """A plan over the stream of trips, and the folder of its results."""

    name: str
    title: str
    plan: sash.Plan
    on_late: Literal["drop", "keep"]


#: Of a station, whose windows are small enough for quantiles that are exact.
_OF_STATIONS: Final = _WHAT | {"aggregations": _WHAT["aggregations"] | {"p95": sash.Quantile("seconds", q=0.95)}}
#: Emitted at once, and again whenever a late trip changes a result; nothing is too late.
STATIONS: Final = Stream(
    "stations", "By station", sash.Plan(**_OF_STATIONS, by="station", emit="update", lateness="7d"), "drop"
)
#: Emitted once, when a day has passed; what comes later than that is marked as late.
CITY: Final = Stream("city", "City-wide", sash.Plan(**_WHAT, emit="final", lateness="1d"), "keep")
STREAMS: Final = (STATIONS, CITY)


@dataclass(frozen=True)
class Batch:
    """What a micro-batch did: rows in, results out, its seconds, and what the state holds."""

    number: int
    rows: int
    results: int
    seconds: float
    state_bytes: int


@dataclass
class Ran:
    """A stream that has ended: its micro-batches, and the seconds from its start to its end."""

    stream: Stream
    batches: list[Batch] = field(default_factory=list)
    seconds: float = 0.0

    @property
    def rows(self) -> int:
        """Rows in."""
        return sum(batch.rows for batch in self.batches)

    @property
    def warm(self) -> tuple[int, float]:
        """Rows and seconds without the first micro-batch, in which Spark compiles what it runs."""
        rest = self.batches[1:]
        return sum(batch.rows for batch in rest), sum(batch.seconds for batch in rest)


def run(session: SparkSession, out: Path, report: Callable[[Stream, Batch], None]) -> list[Ran]:
    """Run all streams side by side over the files of `out / "trips"`, each into its folder; report each micro-batch.

    A failure of one stops the others and is raised. Cost: a micro-batch takes as long as its rows and a fixed second or
    so, whatever the windows hold, but for the distinct bikes, for which the rows of the longest window are read again.
    """
    start = time.perf_counter()
    running: list[tuple[Ran, StreamingQuery]] = []
    try:
        running.extend((Ran(stream), _start(session, out, stream)) for stream in STREAMS)
        waiting = running
        while waiting:
            time.sleep(_POLL)
            waiting = [(ran, query) for ran, query in waiting if not _follow(ran, query, start, report)]
    finally:
        for _, query in running:
            query.stop()
    return [ran for ran, _ in running]


def _start(session: SparkSession, out: Path, stream: Stream) -> StreamingQuery:
    import sash.spark

    trips = session.readStream.schema(SCHEMA_SQL).option("maxFilesPerTrigger", 1).parquet(str(out / "trips"))
    results = sash.spark.rolling(trips, stream.plan, on_late=stream.on_late)
    writer = results.writeStream.format("parquet").option("path", str(out / stream.name))
    writer = writer.option("checkpointLocation", str(out / "checkpoints" / stream.name))
    return writer.trigger(availableNow=True).start()


def _follow(ran: Ran, query: StreamingQuery, start: float, report: Callable[[Stream, Batch], None]) -> bool:
    """Take over the micro-batches that have ended since the last look; whether there will be no more."""
    ended = not query.isActive
    if ended:
        query.awaitTermination()  # raises what it failed of
        ran.seconds = time.perf_counter() - start
    done = [progress for progress in query.recentProgress if "addBatch" in progress["durationMs"]]
    for progress in done[len(ran.batches) :]:
        ran.batches.append(_batch(progress))
        report(ran.stream, ran.batches[-1])
    return ended


def _batch(progress: Any) -> Batch:
    from sash.spark import report_of

    report = report_of(progress)
    results, held = (0, 0) if report is None else (report.metrics.results, report.metrics.state_bytes)
    seconds = progress["durationMs"]["triggerExecution"] / 1000
    return Batch(progress["batchId"], progress["numInputRows"], results, seconds, held)
