"""`sash.spark.state`: what a checkpoint holds, read while no stream runs on it."""

from __future__ import annotations

from dataclasses import dataclass

from pyspark.sql import SparkSession

from sash.spark.checkpoint.rebucket import rebucket
from sash.spark.checkpoint.stored import Stored
from sash.spark.stream.manifest import Manifest

__all__ = ["BucketSummary", "CheckpointState", "state"]


@dataclass(frozen=True)
class BucketSummary:
    """One bucket: its id, how many rows, segments and bytes its log has, and how far time has come in it, in ticks."""

    id: int
    rows: int
    segments: int
    bytes: int
    watermark: int | None


@dataclass(frozen=True)
class CheckpointState:
    """The state of a stream. `str` of it is a table of the buckets."""

    checkpoint: str
    #: The last micro-batch that was committed, and the watermark that the next one has, in milliseconds.
    batch: int
    watermark: int
    #: What a plan must agree with to continue, and the columns of the rows that it finds.
    by: tuple[str, ...]
    on: str
    emit: str
    columns: tuple[str, ...]
    #: How long rows are retained, in ticks; None where windows count rows.
    retain: int | None
    #: How many buckets there are, and those that hold anything.
    buckets: int
    used: tuple[BucketSummary, ...]
    partitions: int

    @property
    def rows(self) -> int:
        """The rows of all logs."""
        return sum(one.rows for one in self.used)

    @property
    def bytes(self) -> int:
        """The bytes of all logs."""
        return sum(one.bytes for one in self.used)

    def with_buckets(self, buckets: int, checkpoint: str) -> CheckpointState:
        """A new checkpoint with another number of buckets, from which the stream continues as it would from this one,
        with `buckets=` as given; its state. This one is as it was. No stream may run on either.

        Cost: each row is read, shuffled and written once.
        """
        spark = SparkSession.active()
        rebucket(Stored.of(spark, self.checkpoint), buckets, checkpoint)
        return state(checkpoint)

    def __str__(self) -> str:
        """A line for the stream, and one for each bucket."""
        plan = f"by={list(self.by)} on={self.on!r} emit={self.emit!r} columns={list(self.columns)} retain={self.retain}"
        head = (
            f"batch {self.batch}, watermark {self.watermark} ms, {self.buckets} buckets in {self.partitions} partitions"
        )
        lines = [f"{head}: {self.rows} rows, {self.bytes} bytes", plan, "bucket  rows  segments  bytes  watermark"]
        lines += [
            f"{one.id:>6}  {one.rows:>4}  {one.segments:>8}  {one.bytes:>5}  {one.watermark}" for one in self.used
        ]
        return "\n".join(lines)


def state(checkpoint: str) -> CheckpointState:
    """What the checkpoint of a stream of `sash.spark.rolling` holds, by the session that is active. Nothing is changed.

    `SashError` if no such stream wrote it. Cost: one read of the manifests, which are small, and of no rows.
    """
    stored = Stored.of(SparkSession.active(), checkpoint)
    contents = stored.contents
    return CheckpointState(
        checkpoint,
        stored.batch,
        stored.watermark,
        contents.by,
        contents.on,
        contents.emit,
        tuple(contents.schema.names),
        contents.retain,
        contents.buckets,
        tuple(_summary(number, manifest) for number, manifest in sorted(stored.manifests.items())),
        stored.partitions,
    )


def _summary(number: int, manifest: Manifest) -> BucketSummary:
    return BucketSummary(number, manifest.live_rows, len(manifest.segments), manifest.size, manifest.watermark)
