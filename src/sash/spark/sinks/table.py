"""A table that takes MERGE: Delta Lake, Iceberg, and whatever else Spark has a connector for."""

from __future__ import annotations

import uuid
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

from pyspark.errors import PySparkException
from pyspark.sql import DataFrame

from sash.batch.retractions import REMOVALS
from sash.errors import SashError
from sash.spark.sinks.batch import Batch

__all__ = ["Table"]

#: What Java says where a connector was made for another version of Spark.
_FOREIGN: Final = ("NoSuchMethodError", "IncompatibleClassChangeError", "NoClassDefFoundError", "AbstractMethodError")


@dataclass(frozen=True)
class Table:
    """A table, for `sash.spark.upsert`, by the name that SQL has for it: `lake.db.spent`, or a folder of Delta as
    ``delta.`/data/spent` ``.

    A row replaces the row of its key, so a batch that is replayed changes nothing. The table is there already, with
    the columns of the rows.

    >>> Table("lake.db.spent").merge("new", ["card"]).splitlines()[0]
    'MERGE INTO lake.db.spent AS target USING new AS source ON target.`card` <=> source.`card`'
    """

    name: str

    def put(self, df: DataFrame, batch: Batch) -> None:
        """Merge the rows by their key."""
        if not batch.key:
            raise ValueError(
                f"rows without a key cannot be merged into table {self.name}: use a sash.spark.ParquetFolder"
            )
        view = f"sash_{uuid.uuid4().hex}"
        df.createTempView(view)
        try:
            df.sparkSession.sql(self.merge(view, batch.key, batch.retract))
        except Exception as error:
            raise self._restated(error, df.sparkSession.version) from error
        finally:
            df.sparkSession.catalog.dropTempView(view)

    def merge(self, source: str, key: Sequence[str], retract: str | None = None) -> str:
        """The statement that merges the rows of a view."""
        on = " AND ".join(f"target.{name} <=> source.{name}" for name in map(_quoted, key))
        lines, added = [f"MERGE INTO {self.name} AS target USING {source} AS source ON {on}"], "WHEN NOT MATCHED"
        if retract is not None:
            words = ", ".join(f"'{word}'" for word in REMOVALS)
            gone = f"coalesce(CAST(source.{_quoted(retract)} AS STRING) IN ({words}), false)"
            lines, added = [*lines, f"WHEN MATCHED AND {gone} THEN DELETE"], f"{added} AND NOT {gone}"
        return "\n".join([*lines, "WHEN MATCHED THEN UPDATE SET *", f"{added} THEN INSERT *"])

    def _restated(self, error: Exception, version: str) -> Exception:
        """In one line, where the table cannot do it on this Spark; else as it is."""
        text = str(error)
        if any(name in text for name in _FOREIGN):
            why = "its connector was made for another version"
        elif isinstance(error, PySparkException) and "MERGE INTO" in text and "UNSUPPORTED" in text:
            why = "its format has no MERGE"
        else:
            return error
        return SashError(
            f"table {self.name} takes no MERGE on Spark {version}: {why}; a sash.spark.ParquetFolder does it"
        )


def _quoted(name: str) -> str:
    return f"`{name.replace('`', '``')}`"
