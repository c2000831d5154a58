"""What the log of a bucket holds, and whether another plan finds all that it needs there."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, fields, replace
from functools import cached_property
from typing import Any, Final

import pyarrow as pa

from sash.codec import dumps
from sash.errors import PlanError
from sash.spark.stream.conform import canonical, widens
from sash.spark.stream.job import Job
from sash.spark.stream.operators import described
from sash.spark.stream.tree import by_operator
from sash.times import Kind
from sash.windows import WindowPolicy

__all__ = ["Contents"]

#: What a plan over a checkpoint must not change, and how to go on with what is there.
_FIXED: Final = {
    "by": "the key",
    "on": "the column of times",
    "times": "the type of the times",
    "emit": "emit",
    "buckets": "buckets=",
    "retract": "retract=",
    "id": "id=",
}


@dataclass(frozen=True)
class Contents:
    """Plain values that a manifest carries: rows by the names and types of their columns, and what was left out."""

    by: tuple[str, ...]
    on: str
    times: str
    emit: str
    buckets: int
    #: The columns of the rows, as Arrow writes a schema.
    columns: bytes
    #: Columns that rows had and the log has not.
    unlogged: tuple[str, ...]
    #: How long rows are retained, in ticks: as long as any plan of this checkpoint asked; None if windows count rows.
    retain: int | None
    #: Rows before these ticks may be gone; None if none is.
    pruned: int | None = None
    #: The windows whose rows the log was last compacted to, as plain values; None if it never was.
    windows: tuple[dict[str, Any], ...] | None = None
    #: What says that a row takes another back, and which.
    retract: str | None = None
    id: str | None = None
    #: The results whose operators have taken rows that are gone, as `described` says; None if there are none.
    results: dict[str, tuple[str, ...]] | None = None

    @classmethod
    def of(cls, job: Job) -> Contents:
        """Those of a bucket that this job begins."""
        assert job.buckets is not None
        return cls(
            by=job.plan.by,
            on=job.on,
            times=_times(job.clock.kind),
            emit=job.plan.emit,
            buckets=job.buckets,
            columns=_written(job.log_schema),
            unlogged=tuple(name for name in job.schema.names if name not in job.log_columns),
            retain=job.retain,
            retract=job.retract,
            id=job.id,
        )

    @cached_property
    def schema(self) -> pa.Schema:
        """The columns with their types."""
        return pa.ipc.read_schema(pa.py_buffer(self.columns))

    @cached_property
    def written(self) -> bytes:
        """Its fields in order, as plain values of the codec."""
        return dumps(tuple(getattr(self, one.name) for one in fields(self)))

    def continued(self, job: Job, watermark: int | None) -> Contents:
        """The contents from now on, if the job finds all that it needs; else `PlanError` with all that it does not.

        Columns may come, go, change places and widen. Windows and aggregations may be any whose rows are retained.
        """
        fresh = Contents.of(job)
        found = [*_changed(self, fresh), *_columns(self, fresh), *_windows(self, job, watermark)]
        if found:
            raise PlanError("\n- ".join([_refusal(self), *found]))
        return self._joined(fresh)

    def _joined(self, fresh: Contents) -> Contents:
        now = {field.name: field.type for field in fresh.schema}
        fields = [pa.field(field.name, now.pop(field.name, field.type)) for field in self.schema]
        schema = pa.schema([*fields, *(pa.field(name, kind) for name, kind in now.items())])
        unlogged = dict.fromkeys([*self.unlogged, *fresh.unlogged])
        retain = None if fresh.retain is None else max(fresh.retain, self.retain or 0)
        return replace(
            self,
            columns=_written(schema),
            unlogged=tuple(name for name in unlogged if name not in schema.names),
            retain=retain,
        )

    def pruned_before(self, horizon: int) -> Contents:
        """Rows before the ticks were dropped."""
        return replace(self, pruned=horizon if self.pruned is None else max(horizon, self.pruned))

    def compacted_for(self, job: Job) -> Contents:
        """Only the rows and columns that the job needs are left."""
        gone = [name for name in self.schema.names if name not in job.log_columns]
        unlogged = dict.fromkeys([*self.unlogged, *gone])
        windows = tuple(window.to_dict() for window in job.plan.windows)
        return replace(self, columns=_written(job.log_schema), unlogged=tuple(unlogged), windows=windows)

    def taken_by(self, job: Job) -> Contents:
        """Rows are in the state of operators, and may be gone."""
        return replace(self, results=described(job.plan))


def _written(schema: pa.Schema) -> bytes:
    plain = pa.schema([pa.field(field.name, canonical(field.type)) for field in schema])
    return bytes(plain.serialize())


def _times(kind: Kind) -> str:
    """The kind without its zone: an instant is the same everywhere."""
    return str(kind if kind.zone is None else Kind(kind.name, kind.unit, "UTC"))


def _refusal(held: Contents) -> str:
    return (
        "this plan cannot continue from this checkpoint, which is as it was: run the plan that fits it"
        f" (buckets={held.buckets}), or start a new checkpoint, with initial= for history"
    )


def _changed(held: Contents, wanted: Contents) -> Iterator[str]:
    for name, words in _FIXED.items():
        was, now = getattr(held, name), getattr(wanted, name)
        if was != now:
            yield f"{words} was {_shown(was)} and is {_shown(now)}"


def _shown(value: Any) -> str:
    return repr(list(value) if isinstance(value, tuple) else value)


def _columns(held: Contents, wanted: Contents) -> Iterator[str]:
    for field in wanted.schema:
        place = held.schema.get_field_index(field.name)
        if place < 0:
            if field.name in held.unlogged:
                yield f"column {field.name!r} was in the stream, and is not in the log: no plan before this one read it"
            continue
        kind = held.schema.field(place).type
        # Spark hashes a key by its type: another type is another bucket.
        if kind != field.type if field.name in wanted.by else not widens(kind, field.type):
            yield f"column {field.name!r} was {kind} and is {field.type}"


def _windows(held: Contents, job: Job, watermark: int | None) -> Iterator[str]:
    taken = held.results
    for name, meant in described(job.plan).items() if taken is not None else ():
        if taken is not None and (not by_operator(job) or taken.get(name) != meant):
            yield f"{name} is new, and the rows that it reaches back to are dropped: there are {list(taken)}"
    before = [WindowPolicy.from_dict(one) for one in held.windows or ()]
    for window in job.plan.windows:
        if held.pruned is not None and not _within(window, job, watermark, held.pruned):
            yield f"{window!r} reaches back to rows that are dropped: rows were retained for {held.retain} ticks"
        elif held.windows is not None and not any(one.serves(window) for one in before):
            yield f"{window!r} reaches back to rows that are dropped: those of {before} were retained"


def _within(window: WindowPolicy, job: Job, watermark: int | None, pruned: int) -> bool:
    """Whether windows that end at or after the watermark begin behind what was dropped."""
    reach = window.reach
    return reach is not None and watermark is not None and watermark - reach.ticks(job.clock.kind) >= pruned
