"""A sorted partition of keys that are cut: rows that are there as history are not told."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass

import pyarrow as pa

from sash.batch.engine import Job
from sash.plan import Plan
from sash.spark.chunks import Chunks
from sash.spark.hot.pieces import PIECE, TOLD
from sash.spark.typed import TypedFrame

__all__ = ["PieceChunks"]


@dataclass
class PieceChunks(Chunks):
    """Runs each piece as a key of its own, and gives out the rows that it tells."""

    def run(self, batches: Iterable[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        """The rows that the pieces tell, with their results."""
        for batch in super().run(batches):
            told = batch.filter(batch.column(TOLD))
            if told.num_rows:
                yield told.drop_columns([PIECE, TOLD])

    def job(self, table: pa.Table) -> Job:
        """The rows, read; the piece is a part of the key that no aggregation sees."""
        by = (*self.plan.by, PIECE)
        return Job.of(TypedFrame(table, self.types, (PIECE, TOLD)), Plan(**self.plan._parts() | {"by": by}))
