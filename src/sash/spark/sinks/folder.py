"""A folder of Parquet that keeps the last row of each key: batches as they came, and a log that says which count.

A batch is written beside the others and counts once the log names it, so what a crash leaves behind is never read.
Batches of about one size are merged, eight at a time: a row is written again as often as the number of batches can be
divided by eight.
"""

from __future__ import annotations

import json
import uuid
from collections.abc import Sequence
from dataclasses import dataclass
from functools import reduce
from typing import Any, Final

from pyspark.sql import DataFrame
from pyspark.sql import functions as F  # noqa: N812
from pyspark.sql.types import StructType

from sash.spark.layout import named
from sash.spark.sinks.batch import Batch, removes
from sash.spark.sinks.folder_log import FolderLog, FolderState, Part
from sash.spark.sinks.widening import Widening

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
        rows = df.withColumn(_SEQUENCE, F.lit(state.sequence + 1))
        state = self._knowing(state, rows)
        part = self._written(rows, state, 0)
        state = state.following((*state.parts, part), batch.query, batch.number)
        log.commit(state)
        self._merge(df.sparkSession, log, state)

    def _knowing(self, state: FolderState, rows: DataFrame) -> FolderState:
        """The state with the schema of the rows, which is refused if they could not be read beside the others."""
        known = state.with_schema(_schema_of(rows))
        if known is not state:
            try:
                reduce(Widening.of(rows.sparkSession).wider, map(_schema_from, known.schemas))
            except TypeError as error:
                raise ValueError(f"{self.path}: {error}: cast it, or use another folder") from None
        return known

    def _written(self, rows: DataFrame, state: FolderState, level: int) -> Part:
        """The part with the rows, whose schema the state knows."""
        name = f"{state.sequence + 1}-{uuid.uuid4().hex[:8]}"
        rows.write.parquet(f"{self.path}/{name}")
        return Part(name, level, state.schemas.index(_schema_of(rows)))

    def _merge(self, spark: Any, log: FolderLog, state: FolderState) -> None:
        """Merge parts of one level, as long as there are enough of them; then delete what no log names any more."""
        while len(run := _last_of_a_level(state.parts)) >= _FAN:
            rows = _last_rows(_read(spark, self.path, state, run), state.key)
            state = state.with_schema(_schema_of(rows))
            part = self._written(rows, state, run[0].level + 1)
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
    rows = _last_rows(_read(spark, path, state, state.parts), state.key)
    return rows.where(~removes(state.retract)).drop(_SEQUENCE)


def _read(spark: Any, path: str, state: FolderState, parts: Sequence[Part]) -> DataFrame:
    """The rows of the parts, with the columns of all of them, each in the widest type that it has had."""
    folders: dict[str, list[str]] = {}
    for part in parts:
        folder = f"{path}/{part.name}"
        schema = _schema_of(spark.read.parquet(folder)) if part.schema is None else state.schemas[part.schema]
        folders.setdefault(schema, []).append(folder)
    widening = Widening.of(spark)
    whole = reduce(widening.wider, map(_schema_from, folders))
    read = (
        _cast(spark.read.schema(widening.read_as(_schema_from(schema), whole)).parquet(*same), whole)
        for schema, same in folders.items()
    )
    return reduce(lambda older, newer: older.union(newer), read)


def _cast(rows: DataFrame, schema: StructType) -> DataFrame:
    """The columns, which are those of the schema, in its types."""
    narrow = {
        field.name: field.dataType for field in schema.fields if rows.schema[field.name].dataType != field.dataType
    }
    return rows.withColumns({name: named(name).cast(kind) for name, kind in narrow.items()}) if narrow else rows


def _schema_of(rows: DataFrame) -> str:
    """Their schema as the log has it: in files, everything may be null."""
    return rows.schema.toNullable().json()


def _schema_from(text: str) -> StructType:
    return StructType.fromJson(json.loads(text))


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
