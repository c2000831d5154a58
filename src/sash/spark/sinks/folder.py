"""A folder of Parquet that keeps the last row of each key: batches as they came, and a log that says which count.

A batch is written beside the others and counts once the log names it, so what a crash leaves behind is never read.
Batches of about one size are merged, eight at a time: a row is written again as often as the number of batches can be
divided by eight.
"""

from __future__ import annotations

import uuid
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Final

from pyspark.sql import DataFrame
from pyspark.sql import functions as F  # noqa: N812

from sash.spark.layout import named
from sash.spark.sinks.batch import Batch, removes
from sash.spark.sinks.folder_log import FolderLog, FolderState, Part

__all__ = ["ParquetFolder", "latest"]

#: The column of the batch that a row came with, in the files.
_SEQUENCE: Final = "__sash_sequence"
#: How many parts of one level are merged into one of the next.
_FAN: Final = 8


@dataclass(frozen=True)
class ParquetFolder:
    """A folder, for `sash.spark.upsert`: local, or a URI of any file system that Spark knows. `sash.spark.latest` reads
    it. A batch is taken once, however often it is replayed. One stream at a time writes to it.

    >>> ParquetFolder("/data/spent").path
    '/data/spent'
    """

    path: str

    def put(self, df: DataFrame, batch: Batch) -> None:
        """Write the rows, then name them in the log."""
        log = FolderLog(df.sparkSession, self.path)
        state = log.read() or FolderState.new(batch.key, batch.retract)
        for name, was, now in (("key", state.key, batch.key), ("retract", state.retract, batch.retract)):
            if was != now:
                raise ValueError(f"the {name} of {self.path} is {was!r}, and not {now!r}: use another folder")
        if state.has(batch.query, batch.number):
            return
        sequence = state.sequence + 1
        part = self._written(df.withColumn(_SEQUENCE, F.lit(sequence)), sequence, 0)
        state = state.following((*state.parts, part), batch.query, batch.number)
        log.commit(state)
        self._merge(df.sparkSession, log, state)

    def _written(self, df: DataFrame, sequence: int, level: int) -> Part:
        name = f"{sequence}-{uuid.uuid4().hex[:8]}"
        df.write.parquet(f"{self.path}/{name}")
        return Part(name, level)

    def _merge(self, spark: Any, log: FolderLog, state: FolderState) -> None:
        """Merge parts of one level, as long as there are enough of them; then delete what no log names any more."""
        while len(run := _last_of_a_level(state.parts)) >= _FAN:
            rows = _last_rows(_read(spark, self.path, run), state.key)
            part = self._written(rows, state.sequence + 1, run[0].level + 1)
            state = state.following((*state.parts[: -len(run)], part))
            log.commit(state)
        log.tidy(state)


def latest(spark: Any, folder: str | ParquetFolder) -> DataFrame:
    """The rows that `sash.spark.upsert` has put into a Parquet folder: the last one of each key.

    As they are at the time of the call: batches that come later, and those that are not whole, are not in it. Read it
    soon: files that were merged are deleted after sixteen more batches. Cost: one read of the folder and one shuffle; a
    folder holds each row as often as it has changed lately, and otherwise once.

    >>> spark, folder = getfixture("spark"), ParquetFolder(f"{getfixture('tmp_path')}/spent")
    >>> from sash.spark import upsert
    >>> for spent in (5, 12):
    ...     upsert(spark.createDataFrame([("a", spent)], "card string, spent int"), folder, key=["card"])
    >>> latest(spark, folder).collect()
    [Row(card='a', spent=12)]
    """
    path = folder.path if isinstance(folder, ParquetFolder) else folder
    state = FolderLog(spark, path).read()
    if state is None:
        raise FileNotFoundError(f"no batch has been put into {path} yet: sash.spark.upsert puts them there")
    rows = _last_rows(_read(spark, path, state.parts), state.key)
    return rows.where(~removes(state.retract)).drop(_SEQUENCE)


def _read(spark: Any, path: str, parts: Sequence[Part]) -> DataFrame:
    read: DataFrame = spark.read.option("mergeSchema", True).parquet(*(f"{path}/{part.name}" for part in parts))
    return read


def _last_rows(rows: DataFrame, key: Sequence[str]) -> DataFrame:
    """The row of the newest batch for each key; all rows where there is none."""
    if not key:
        return rows
    # Rows are wrapped, and what they are grouped by has names of its own: theirs may be any.
    wrapped = rows.select(F.struct(*map(named, rows.columns)).alias("row"))
    keys = [F.col("row").getField(name).alias(f"key{place}") for place, name in enumerate(key)]
    newest = F.max_by("row", F.col("row").getField(_SEQUENCE)).alias("row")
    return wrapped.groupBy(*keys).agg(newest).select("row.*")


def _last_of_a_level(parts: Sequence[Part]) -> Sequence[Part]:
    """The parts at the end that are of one level."""
    start = len(parts)
    while start and parts[start - 1].level == parts[-1].level:
        start -= 1
    return parts[start:]
