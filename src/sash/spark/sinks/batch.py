"""A micro-batch on its way to a target: which one of which stream it is, and what tells its rows apart."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final, Protocol

from pyspark.sql import Column, DataFrame
from pyspark.sql import functions as F  # noqa: N812

from sash.batch.retractions import REMOVALS
from sash.spark.layout import named

__all__ = ["Batch", "Target", "removes"]

#: What Spark notes of a stream for the thread that runs its micro-batches.
_QUERY: Final = "sql.streaming.queryId"
_BATCH: Final = "streaming.sql.batchId"


@dataclass(frozen=True)
class Batch:
    """A target that has taken this number of this stream, or a later one, does not take it again."""

    #: None outside of streams, where each call is a batch of its own.
    query: str | None
    number: int
    key: tuple[str, ...]
    #: The column that says that a row removes the one of its key.
    retract: str | None = None

    @classmethod
    def of(
        cls, df: DataFrame, key: tuple[str, ...], query: str | None, number: int | None, retract: str | None
    ) -> Batch:
        """The batch that is given, or the one that Spark runs in this thread."""
        context = getattr(df.sparkSession, "_sc", None)
        if context is None and (query is None or number is None):
            raise TypeError(
                "through Spark Connect a batch does not know its stream: give upsert(..., query='spent', batch=number),"
                " with another name for each checkpoint"
            )
        if context is not None and context.getLocalProperty(_QUERY) is not None:
            query = query or context.getLocalProperty(_QUERY)
            number = int(context.getLocalProperty(_BATCH)) if number is None else number
        return cls(query, number or 0, key, retract)


def removes(retract: str | None) -> Column:
    """Whether a row removes the one of its key."""
    return F.lit(False) if retract is None else F.coalesce(named(retract).cast("string").isin(*REMOVALS), F.lit(False))


class Target(Protocol):
    """What takes the last row of each key."""

    def put(self, df: DataFrame, batch: Batch) -> None:
        """Take the rows of a batch; to take them again changes nothing."""
