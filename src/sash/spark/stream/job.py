"""A plan over a stream, as it travels to the executors: everything that is known before the first row."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Literal, TypeAlias

import pyarrow as pa

from sash.batch.slides import slides
from sash.plan import Plan
from sash.spark.stream.clock import Clock
from sash.windows import TimeWindow

__all__ = ["LATE", "REVISION", "Job", "OnLate"]

OnLate: TypeAlias = Literal["drop", "keep"]
#: The columns beside the results: why a row is late, and how often its results have changed.
LATE, REVISION = "late", "revision"


@dataclass(frozen=True)
class Job:
    """What runs in each bucket."""

    #: Made anew for every stream: what a worker has in memory for another is not for this one.
    name: str
    plan: Plan
    #: The columns of the stream, and those of the results.
    schema: pa.Schema
    types: Mapping[str, pa.DataType]
    clock: Clock
    on_late: OnLate
    buckets: int
    #: How long rows are kept, in ticks; None where a window asks for rows and not for a time.
    retain: int | None

    @property
    def on(self) -> str:
        """The column of times."""
        assert self.plan.on is not None
        return self.plan.on

    @property
    def log_columns(self) -> tuple[str, ...]:
        """The columns that the log keeps: all where rows are told later, or again; else those that windows read."""
        return tuple(self.schema.names) if self.plan.emit != "arrival" else self.plan.columns

    @property
    def log_schema(self) -> pa.Schema:
        """Those columns with their types."""
        return pa.schema([self.schema.field(name) for name in self.log_columns])

    @property
    def time_only(self) -> bool:
        """Whether every window is a length of time."""
        return all(isinstance(window, TimeWindow) for window in self.plan.windows)

    def promise(self) -> dict[str, Any]:
        """What the log of this job holds, as plain values: another plan may go on from it if it needs no more."""
        return {
            "by": list(self.plan.by),
            "on": self.on,
            "times": str(self.clock.kind),
            "emit": self.plan.emit,
            "buckets": self.buckets,
            "columns": {name: str(self.schema.field(name).type) for name in self.log_columns},
            "retain": self.retain,
            "windows": [] if self.time_only else [repr(window) for window in self.plan.windows],
        }

    @property
    def told_schema(self) -> pa.Schema:
        """The columns of what engines tell."""
        own = [self.schema.field(name) for name in self.plan.by] if slides(self.plan) else list(self.schema)
        fields = [*own, *(pa.field(name, kind) for name, kind in self.types.items())]
        if self.plan.emit == "update":
            fields.append(pa.field(REVISION, pa.int32()))
        return pa.schema(fields)
