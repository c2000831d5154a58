"""Where revisions go: targets that keep the last result of each key, written from `foreachBatch`."""

from sash.spark.sinks.folder import ParquetFolder, latest
from sash.spark.sinks.table import Table
from sash.spark.sinks.topic import Topic
from sash.spark.sinks.upsert import upsert

__all__ = ["ParquetFolder", "Table", "Topic", "latest", "upsert"]
