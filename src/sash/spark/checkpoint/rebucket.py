"""A checkpoint with another number of buckets: the same rows, offsets and watermark.

Rows go to the buckets that their keys have now, in the order in which they came. A stream of one micro-batch writes
them as Spark writes state; its files then take the version that the checkpoint is at, beside the offsets of the old.
"""

from __future__ import annotations

from typing import Final

import numpy as np
import pyarrow as pa
from pyspark.sql import DataFrame
from pyspark.sql import functions as F  # noqa: N812
from pyspark.sql.pandas.types import from_arrow_schema
from pyspark.sql.types import BooleanType, IntegerType, LongType, StructField, StructType

from sash.errors import SashError
from sash.spark.checkpoint.seed import SEEDS_SQL, Seeds, write_state
from sash.spark.checkpoint.stored import Stored
from sash.spark.files import Files
from sash.spark.layout import key_column
from sash.spark.stream.conform import conformed
from sash.spark.stream.log import revisions_of
from sash.spark.stream.manifest import Segment
from sash.spark.stream.packing import unpack

__all__ = ["rebucket"]

#: What goes with a row: the bucket that it was in, its number there, whether it is silent, how often it was revised.
_ORIGIN: Final = (
    StructField("origin", IntegerType()),
    StructField("number", LongType()),
    StructField("silent", BooleanType()),
    StructField("revision", IntegerType()),
)
#: What a stream goes on from, beside its state.
_KEPT: Final = ("metadata", "offsets", "commits", "sources")


def rebucket(old: Stored, buckets: int, path: str) -> None:
    """Write the checkpoint. What fails leaves no checkpoint that a stream could start from."""
    if not isinstance(buckets, int) or isinstance(buckets, bool) or buckets < 1:
        raise ValueError(f"buckets is a number, 1 or more, not {buckets!r}")
    new = Files(old.spark, path)
    if new.names():
        raise SashError(f"{path} is not empty: give a folder that is not there yet")
    _check_divisible(old)
    seeds = _seeds(old, buckets)
    write_state(old, seeds, path)
    _take_version(new, old.batch + 1)
    source = Files(old.spark, old.path)
    for name in _KEPT:
        new.delete(name)
    # The commits come last: without them a stream would begin again, and find that it cannot.
    for name in _KEPT:
        new.copy_from(source, name)


def _take_version(new: Files, version: int) -> None:
    """Give the snapshots of all partitions the version of the checkpoint."""
    for partition in new.names("state/0"):
        if partition.isdigit():
            folder = f"state/0/{partition}"
            written = max(int(name.removesuffix(".zip")) for name in new.names(folder) if name.endswith(".zip"))
            new.rename(f"{folder}/{written}.zip", f"{folder}/{version}.zip")


def _check_divisible(old: Stored) -> None:
    if old.by_attempt:
        raise SashError(
            f"{old.path} has format 2 of Spark's checkpoints, and only those of format 1 can be divided anew"
        )
    if any(one.snapshot for one in old.manifests.values()):
        raise SashError(
            f"{old.path} has windows that depend on values: their operators are one state a bucket, and not divisible"
        )
    kinds = {(one.contents.columns, one.contents.retain, str(one.contents.windows)) for one in old.manifests.values()}
    if len(kinds) > 1:
        raise SashError(
            f"buckets of {old.path} were last used by different plans: run the stream until each of them has had a row"
        )


def _seeds(old: Stored, buckets: int) -> DataFrame:
    """The state of each new bucket."""
    rows = _rows(old)
    keys = [key_column(rows, f"c{place}") for place in _places(old)]
    number = F.pmod(F.hash(*keys), F.lit(buckets)) if keys else F.lit(0)
    # A row without an origin for each bucket: those that get no rows are written as well.
    empty = old.spark.range(buckets).selectExpr("CAST(id AS INT) bucket")
    placed = rows.withColumn("bucket", number).unionByName(empty, allowMissingColumns=True)
    seeds = Seeds(old, buckets)

    def seeds_of(key: tuple[pa.Scalar], table: pa.Table) -> pa.Table:
        return seeds.of(key[0].as_py(), table)

    return placed.groupBy("bucket").applyInArrow(seeds_of, SEEDS_SQL)


def _places(old: Stored) -> list[int]:
    return [old.contents.schema.get_field_index(name) for name in old.contents.by]


def _rows(old: Stored) -> DataFrame:
    """All rows, their columns by number, with where they came from."""
    schema = old.contents.schema
    fields = [pa.field(f"c{place}", field.type) for place, field in enumerate(schema)]
    spark = from_arrow_schema(pa.schema(fields), prefer_timestamp_ntz=True)
    logs = {number: manifest.segments for number, manifest in old.manifests.items()}

    def rows_of(key: tuple[pa.Scalar], stored: pa.Table) -> pa.Table:
        return _numbered(key[0].as_py(), stored, logs[key[0].as_py()], schema)

    return old.segments().groupBy("bucket").applyInArrow(rows_of, StructType([*spark.fields, *_ORIGIN]))


def _numbered(bucket: int, stored: pa.Table, log: tuple[Segment, ...], schema: pa.Schema) -> pa.Table:
    """The rows of a log in order, each with where it was and how often it was revised."""
    data = dict(zip(stored.column("place").to_pylist(), stored.column("rows").to_pylist(), strict=True))
    tables = [unpack(data[segment.place]) for segment in log]
    numbers = np.concatenate([segment.first + np.arange(segment.rows) for segment in log])
    silent = np.concatenate([np.full(segment.rows, segment.silent) for segment in log])
    revisions = np.zeros(len(numbers), np.int32)
    for table in tables:
        # Later segments count: rows that are dropped already are passed over.
        revised, counts, ends = (array.tolist() for array in revisions_of(table))
        if ends:
            raise SashError("slides that were revised are known by the bucket of their key, and cannot be divided anew")
        for number, revision in zip(revised, counts, strict=True):
            revisions[numbers == number] = revision
    rows = pa.concat_tables([conformed(table.replace_schema_metadata(None), schema) for table in tables])
    arrays = [*rows.columns, pa.array([bucket] * len(numbers), pa.int32()), numbers, silent, revisions]
    names = [*(f"c{place}" for place in range(len(schema))), *(field.name for field in _ORIGIN)]
    return pa.table(arrays, names=names)
