"""The aggregations of a plan that run over the kept rows of a bucket, with the passes that frames run with."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Final

import numpy as np
import numpy.typing as npt
import pyarrow as pa

from sash.aggregations.args import ArgMax, ArgMin
from sash.aggregations.base import Aggregation
from sash.aggregations.records import takes_row
from sash.batch.engine import Job as FrameJob
from sash.plan import Emit, Plan
from sash.spark.stream.job import Job
from sash.spark.typed import TypedFrame

__all__ = ["Scan"]

#: The column of key codes.
_KEY: Final = "\0key"


class Scan:
    """Results by the native passes over all rows that windows may hold, key by key. What a batch costs grows with the
    rows that are kept of its keys, and not only with its own: that is the price of partials that have no fixed size."""

    def __init__(self, job: Job, aggregations: Mapping[str, Aggregation]) -> None:
        named = {name: _with_columns(one, job.schema.names) for name, one in aggregations.items()}
        self._plans = {emit: _narrowed(job.plan, named, emit) for emit in ("final", "arrival")}
        self._types = job.types
        read = [column for one in named.values() for column in one.columns]
        self.columns = tuple(dict.fromkeys([job.on, *read]))

    def answers(
        self, table: pa.Table, codes: npt.NDArray[np.int64], wanted: npt.NDArray[np.int64], emit: Emit
    ) -> dict[str, pa.Array]:
        """The results of the rows at the wanted places of the table, which holds the rows in order of arrival."""
        needed = np.zeros(int(codes.max(initial=0)) + 1, bool)
        needed[codes[wanted]] = True
        kept = needed[codes]
        places = np.cumsum(kept) - 1
        keyed = table.select(self.columns).append_column(_KEY, pa.array(codes))
        if not kept.all():
            keyed = keyed.filter(pa.array(kept))
        plan = self._plans[emit]
        frame = TypedFrame(keyed, self._types)
        columns = frame.with_columns(FrameJob.of(frame, plan).answers({}))
        rows = pa.array(places[wanted])
        return {name: column.take(rows) for name, column in zip(plan.outputs, columns, strict=True)}


def _with_columns(aggregation: Aggregation, names: Sequence[str]) -> Aggregation:
    """An aggregation that takes the whole row takes its columns by name: there are columns beside them here."""
    if isinstance(aggregation, (ArgMax, ArgMin)) and takes_row(aggregation):
        return type(aggregation)(aggregation.columns[0], list(names), nan=aggregation.nan)
    return aggregation


def _narrowed(plan: Plan, aggregations: Mapping[str, Aggregation], emit: str) -> Plan:
    return Plan(**plan._parts() | {"aggregations": dict(aggregations), "by": _KEY, "emit": emit})
