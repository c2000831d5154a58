"""The native operators of a bucket: one for each result column, over all keys."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import numpy.typing as npt
import pyarrow as pa

from sash.aggregations.base import Aggregation
from sash.aggregations.records import takes_row
from sash.batch.naming import output_name
from sash.batch.object_pass import tidy
from sash.errors import SashError
from sash.operator.engine import Engine, EngineState
from sash.operator.results import Results
from sash.operator.spec import Spec
from sash.plan import Plan
from sash.spark.stream.job import Job
from sash.spark.stream.retained import Ticks, with_columns
from sash.spark.typed import TypedFrame
from sash.times import encode_array
from sash.triggers import EachEvent, EverySlide
from sash.windows import WindowPolicy
from sash.windows.scale import Grid, Scale

__all__ = ["Emissions", "Operator", "described", "never_late", "outputs_of"]


@dataclass(frozen=True)
class Emissions:
    """Results of one column in the order in which they were emitted."""

    #: The codes of the keys; which event or which end of a window each is of.
    codes: Ticks
    subjects: Ticks
    values: pa.Array


class Operator:
    """One aggregation over one window. What a call emits is given in the type of the column. A call that fails changes
    nothing."""

    def __init__(self, job: Job, name: str, aggregation: Aggregation, window: WindowPolicy) -> None:
        self._name, self._kind, self._types = name, job.clock.kind, job.types
        aggregation = with_columns(aggregation, job.schema.names)
        window = window.measuring(aggregation.columns)
        self._every = window.slide[0] if window.slides and window.slide else None
        # Where nothing is read, rows are counted by their times.
        self._reads = _read_by(aggregation, window, job.schema.names) or [job.on]
        self._spec = Spec(
            aggregation=aggregation,
            policies=(window,),
            trigger=EachEvent() if self._every is None else EverySlide(self._every),
            keyed=True,
            emit=job.plan.emit,
            min_periods=job.plan.min_periods or 0,
            floats=job.floats if job.plan.emit == "arrival" else None,
            others=frozenset(field.name for field in job.schema if not _is_number(field.type)),
        )
        self._empty = None if job.plan.min_periods else aggregation.empty
        self._engine = Engine(self._spec, self._kind)

    def push(self, codes: Ticks, ticks: Ticks, table: pa.Table) -> Emissions:
        """Rows, none of them late."""
        values = {name: _column(table.column(name)) for name in self._reads}
        return self._emitted(self._engine.push_many(codes, ticks, values, never_late))

    def advance(self, watermark: int) -> Emissions:
        """What is final, or due, now that no row before the watermark will come."""
        return self._emitted(self._engine.advance(watermark))

    def memory(self) -> int:
        """The bytes that it takes."""
        return self._engine.core.memory()

    def trimmed(self) -> set[int]:
        """The codes of the keys that have rows, after what no window can hold was dropped. For windows of time that are
        emitted at arrival. Cost: O(keys)."""
        self._engine.core.trim()
        return set(self._engine.core.keys())

    def dump(self) -> EngineState:
        """Its state as plain values."""
        return self._engine.dump() | {"reproducible": self._spec.floats is not None}

    def load(self, state: EngineState) -> None:
        """Go on from such a state; `SnapshotError` if it is none of this operator."""
        # Before there were reproducible sums, states had others, which go on as they were.
        self._spec = self._spec if state.get("reproducible") else replace(self._spec, floats=None)
        self._engine = Engine.load(self._spec, self._kind, state)

    def without_rows(self, end: int) -> Any:
        """The result of a window that ends there without rows; None if none ends there."""
        if self._every is None or Grid(Scale(self._kind), self._every).first(end) != end:
            return None
        return self._empty

    def _emitted(self, results: Results) -> Emissions:
        subjects = results.numbers if self._every is None else encode_array(results.ends)[1]
        frame = TypedFrame(pa.table({}), self._types)
        values = frame.with_columns({self._name: tidy(results.values.tolist())})[0]
        return Emissions(_integers(results.keys), _integers(subjects), values)


def described(plan: Plan) -> dict[str, tuple[str, ...]]:
    """What each column of the results is, in words that say whether another plan means the same. A function stands
    there by its name: what it does is not known."""
    periods = str(plan.min_periods or 0)
    return {name: (_words(window), _words(one), periods) for name, one, window in outputs_of(plan)}


def outputs_of(plan: Plan) -> Iterator[tuple[str, Aggregation, WindowPolicy]]:
    """The columns of the results by name, with what each is of."""
    for label, window in zip(plan.labels, plan.windows, strict=True):
        for name, one in plan.aggregations.items():
            yield output_name(name, label), one, window


def _read_by(aggregation: Aggregation, window: WindowPolicy, names: Sequence[str]) -> list[str]:
    """The columns that are read: all of them by a function of the whole row."""
    if callable(window.reads) or takes_row(aggregation):
        return list(names)
    return list(dict.fromkeys([*aggregation.columns, *window.columns]))


def _is_number(kind: pa.DataType) -> bool:
    return bool(pa.types.is_integer(kind) or pa.types.is_floating(kind) or pa.types.is_boolean(kind))


def _words(part: WindowPolicy | Aggregation) -> str:
    try:
        return repr(part.to_dict())
    except SashError:
        words = {name: getattr(getattr(part, name), "__name__", repr(getattr(part, name))) for name in _parts(part)}
        return f"{type(part).__name__}({words})"


def _parts(part: Any) -> list[str]:
    return list(getattr(part, "__dataclass_fields__", {}))


def _column(column: pa.ChunkedArray) -> Any:
    """Numbers as an array of NumPy, where all are there; else a column of Arrow."""
    array = column.combine_chunks()
    plain = pa.types.is_integer(array.type) or pa.types.is_floating(array.type)
    return array.to_numpy() if plain and not array.null_count else array


def _integers(items: npt.NDArray[Any]) -> Ticks:
    return np.ascontiguousarray(items, np.int64)


def never_late(*event: Any) -> None:
    """Buckets drop late rows before operators see any."""
    raise AssertionError(f"a late row got into a bucket: {event}")
