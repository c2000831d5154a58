"""A checkpoint as Spark's reader of state sees it."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any, Final

from pyspark.errors import PySparkException
from pyspark.sql import DataFrame

from sash.errors import SashError
from sash.spark.files import Files
from sash.spark.stream.contents import Contents
from sash.spark.stream.manifest import Manifest

__all__ = ["MANIFEST", "SEGMENTS", "Stored"]

#: The names that the state of a bucket has in Spark's store.
MANIFEST, SEGMENTS = "manifest", "segments"
_OPERATOR: Final = "transformWithStateInPySparkExec"


@dataclass(frozen=True)
class Stored:
    """What is there after the last micro-batch that was committed."""

    spark: Any
    path: str
    batch: int
    #: In milliseconds, for the next micro-batch.
    watermark: int
    partitions: int
    #: Whether buckets have timers.
    timed: bool
    #: Whether files of state are named by the attempt that wrote them, in format 2 of Spark's checkpoints.
    by_attempt: bool
    #: By the id of the bucket.
    manifests: Mapping[int, Manifest]

    @classmethod
    def of(cls, spark: Any, path: str) -> Stored:
        """That of a checkpoint; `SashError` if no stream of Sash wrote it."""
        files = Files(spark, path)
        commits = [int(name) for name in files.names("commits") if name.isdigit()]
        if not commits:
            raise SashError(f"{path} is no checkpoint that has committed a micro-batch")
        commit = json.loads(files.read(f"commits/{max(commits)}").decode().partition("\n")[2] or "{}")
        operator = _operator(spark, path)
        timed = json.loads(operator["operatorProperties"])["timeMode"] == "EventTime"
        manifests = {
            row["key"]["bucket"]: Manifest.read(bytes(row["value"]["data"]))
            for row in _read(spark, path, MANIFEST).collect()
        }
        if not manifests:
            raise SashError(f"{path} has no rows yet: nothing is known of its plan")
        watermark = commit.get("nextBatchWatermarkMs", 0)
        by_attempt = bool(commit.get("stateUniqueIds"))
        return cls(spark, path, max(commits), watermark, operator["numPartitions"], timed, by_attempt, manifests)

    @property
    def contents(self) -> Contents:
        """What all buckets hold. They may differ in what was dropped: what any has dropped is not there."""
        dropped = [one.contents.pruned for one in self.manifests.values() if one.contents.pruned is not None]
        pruned = max(dropped, default=None)
        found = {replace(one.contents, pruned=pruned).columns: one.contents for one in self.manifests.values()}
        return replace(max(found.values(), key=lambda one: len(one.schema)), pruned=pruned)

    def segments(self) -> DataFrame:
        """The segments of all buckets: `bucket`, `place` and `rows`."""
        found = _read(self.spark, self.path, SEGMENTS)
        return found.selectExpr("key.bucket bucket", "user_map_key.place place", "user_map_value.rows rows")


def _operator(spark: Any, path: str) -> Any:
    try:
        found = spark.read.format("state-metadata").load(path).collect()
    except PySparkException as error:
        raise SashError(f"{path} cannot be read as a checkpoint: {str(error).splitlines()[0]}") from None
    if [row["operatorName"] for row in found] != [_OPERATOR] or MANIFEST not in found[0]["operatorProperties"]:
        names = ", ".join(row["operatorName"] for row in found) or "none"
        raise SashError(f"{path} has not one operator with state, that of sash.spark.rolling, but {names}")
    return found[0]


def _read(spark: Any, path: str, name: str) -> DataFrame:
    read: DataFrame = spark.read.format("statestore").option("stateVarName", name).load(path)
    return read
