"""What counts of values say of a sketch when a row arrives, as long as sketches hold all of their values."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt
import pyarrow as pa

from sash.aggregations.base import Aggregation
from sash.spark.stream.arrivals import ArrivalOperator
from sash.spark.stream.job import Job
from sash.spark.stream.operators import Emissions, Operator
from sash.spark.stream.retained import Chunk, RetainedRows, Ticks
from sash.windows import TimeWindow

__all__ = ["CountedOperator", "takes_all"]


def takes_all(job: Job, one: Aggregation) -> bool:
    """Whether a sketch of one column takes all values that the column may hold."""
    kind = job.schema.field(one.columns[0]).type
    texts = (pa.types.is_string, pa.types.is_large_string, pa.types.is_binary, pa.types.is_large_binary)
    plain = pa.types.is_signed_integer(kind) or pa.types.is_floating(kind)
    return len(one.columns) == 1 and (plain or any(is_text(kind) for is_text in texts))


class CountedOperator(ArrivalOperator):
    """Results of counts. With the first batch that has a window of too many values, the operator of the core takes
    over, which combines sketches."""

    def __init__(self, job: Job, name: str, aggregation: Aggregation, window: TimeWindow) -> None:
        super().__init__(job, name, aggregation, window)
        self._kept = RetainedRows(pa.schema([job.schema.field(column) for column in self._reads]))
        self._few = True

    def push(self, codes: Ticks, ticks: Ticks, table: pa.Table) -> Emissions:
        """Rows, none of them late."""
        if self._few:
            first = self._taken
            emitted = super().push(codes, ticks, table)
            if self._few:
                self._kept.add(Chunk(first, table.select(self._reads), codes, ticks))
                return emitted
            self._hand_over()
        return Operator.push(self, codes, ticks, table)

    def _found(self, codes: Ticks, ticks: Ticks, table: pa.Table, there: npt.NDArray[np.uint8]) -> pa.Array:
        found = self._counted(codes, ticks, table, there)
        self._few = found is not None
        return found

    def _hand_over(self) -> None:
        """What is kept goes into the operator."""
        for chunk in self._kept.chunks:
            Operator.push(self, chunk.codes, chunk.ticks, chunk.table)
        if self._watermark is not None:
            Operator.advance(self, self._watermark)
        self._kept.drop_oldest(2**63 - 1)

    def advance(self, watermark: int) -> Emissions:
        """Nothing waits for a watermark."""
        return super().advance(watermark) if self._few else Operator.advance(self, watermark)

    def trimmed(self) -> set[int]:
        """The codes of the keys that have rows, after what no window can hold was dropped. Cost: O(n)."""
        if not self._few:
            return Operator.trimmed(self)
        if self._watermark is not None:
            self._drop(self._watermark)
            self._kept.drop_oldest(self._watermark - self._since)
        return self._keys()

    def memory(self) -> int:
        """The bytes that it takes."""
        return self._bytes() + self._kept.memory() if self._few else Operator.memory(self)

    def _counted(self, codes: Ticks, ticks: Ticks, table: pa.Table, there: npt.NDArray[np.uint8]) -> pa.Array | None:
        """What each row finds; None if a window holds too many values."""
        raise NotImplementedError

    def _drop(self, watermark: int) -> None:
        """No row before the watermark will come."""
        raise NotImplementedError

    def _keys(self) -> set[int]:
        """The codes of the keys that have rows."""
        raise NotImplementedError

    def _bytes(self) -> int:
        """The bytes of what is counted."""
        raise NotImplementedError
