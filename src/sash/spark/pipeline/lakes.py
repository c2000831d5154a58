"""Results into tables of Delta Lake and Iceberg: revisions by MERGE, what is emitted once by the connector's sink."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

from pyspark.sql import DataFrame

from sash.pipeline.parts import Pipeline
from sash.spark.sinks.table import Table
from sash.spark.sinks.upsert import upsert

__all__ = ["SETTINGS", "save", "writer"]

#: What a session needs for each. The catalog of Iceberg is the user's to name.
SETTINGS: Final[Mapping[str, Mapping[str, str]]] = {
    "delta": {
        "spark.sql.extensions": "io.delta.sql.DeltaSparkSessionExtension",
        "spark.sql.catalog.spark_catalog": "org.apache.spark.sql.delta.catalog.DeltaCatalog",
    },
    "iceberg": {"spark.sql.extensions": "org.apache.iceberg.spark.extensions.IcebergSparkSessionExtensions"},
}


def writer(results: DataFrame, pipeline: Pipeline) -> Any:
    """What writes a stream: each revision in the place of the one before, or rows that are final after the others.

    Both are exactly once: a batch that is replayed merges equal rows, or is known to the table by its number.
    """
    sink, table = pipeline.sink, _table(pipeline)
    _make(results, sink.format, table)
    if pipeline.plan.emit == "update":
        return results.writeStream.foreachBatch(_merging(table, sink.id))
    written = results.writeStream.format(sink.format).options(**sink.options)
    return written.option("path", pipeline.location(sink.path)) if sink.path else written


def save(results: DataFrame, pipeline: Pipeline) -> None:
    """Replace the table by the results of a batch, at once."""
    results.writeTo(_table(pipeline)).using(pipeline.sink.format).options(**pipeline.sink.options).createOrReplace()


def _table(pipeline: Pipeline) -> str:
    """The name that SQL has for it."""
    return f"delta.`{pipeline.location(pipeline.sink.path)}`" if pipeline.sink.path else pipeline.sink.table


def _make(results: DataFrame, kind: str, table: str) -> None:
    columns = ", ".join(f"`{one.name}` {one.dataType.simpleString()}" for one in results.schema)
    results.sparkSession.sql(f"CREATE TABLE IF NOT EXISTS {table} ({columns}) USING {kind}")


def _merging(table: str, key: tuple[str, ...]) -> Any:
    def put(batch: DataFrame, number: int) -> None:
        # A duplicate of a row has the key and the results of the row, and what is no duplicate is refused.
        columns = [name for name in batch.columns if name != "revision"]
        upsert(batch.dropDuplicates(columns), Table(table), key=key)

    return put
