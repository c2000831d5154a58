"""A plan over a stream, as it travels to the executors: everything that is known before the first row."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Final, Literal, TypeAlias

import pyarrow as pa

from sash.batch.slides import slides
from sash.durations import ATTOSECONDS, Duration
from sash.plan import Plan
from sash.spark.reads import columns_read
from sash.times import INT, Kind, encode

__all__ = ["ERROR", "LATE", "NO_TIME", "REVISION", "TOO_LATE", "Clock", "Job", "OnError", "OnLate"]

OnLate: TypeAlias = Literal["drop", "keep"]
OnError: TypeAlias = Literal["raise", "drop", "keep"]
#: The columns beside the results: how often they were revised, why a row is late, and why it cannot be computed on.
REVISION, LATE, ERROR = "revision", "late", "error"
#: Why a row is late.
TOO_LATE, NO_TIME = "late", "no time"

_MILLISECOND: Final = ATTOSECONDS["ms"]


@dataclass(frozen=True)
class Clock:
    """Converts between Spark's watermark, in milliseconds, and the ticks of a plan. Integers count milliseconds here.

    >>> clock = Clock(Kind("arrow", "us", "UTC"))
    >>> clock.watermark(5), clock.timer(4_999), clock.timer(5_000)
    (5000, 5, 6)
    """

    kind: Kind

    @property
    def step(self) -> int:
        """The length of a tick in attoseconds."""
        return _MILLISECOND if self.kind == INT or self.kind.step is None else self.kind.step

    def watermark(self, milliseconds: int) -> int | None:
        """The first tick that is not late; None as long as Spark has no watermark."""
        return -(-milliseconds * _MILLISECOND // self.step) if milliseconds > 0 else None

    def timer(self, ticks: int) -> int:
        """The first watermark that is behind the ticks."""
        return ticks * self.step // _MILLISECOND + 1

    def microseconds(self, time: Any) -> int:
        """An Arrow scalar as the microseconds since the epoch that the watermark is made from."""
        ticks = encode(time)[1]
        return ticks * self.step // ATTOSECONDS["us"]

    def milliseconds(self, lateness: Duration | Literal[0]) -> int:
        """The lateness as Spark counts it, rounded up.

        >>> from sash.durations import parse_duration
        >>> Clock(INT).milliseconds(parse_duration(10)), Clock(Kind("arrow", "us")).milliseconds(parse_duration("1m"))
        (10, 60000)
        >>> Clock(INT).milliseconds(0)
        0
        """
        return -(-lateness.ticks(self.kind) * self.step // _MILLISECOND) if lateness else 0


@dataclass(frozen=True)
class Job:
    """What runs in each bucket."""

    #: New for every stream: what a worker has in memory for another stream is not for this one.
    name: str
    plan: Plan
    #: The columns of the stream, and those of the results.
    schema: pa.Schema
    types: Mapping[str, pa.DataType]
    clock: Clock
    on_late: OnLate
    #: As asked for; None where it is one for each partition of the state: see `buckets.py`. Packs say how many they are
    #: of, and from then on the job does.
    buckets: int | None
    #: How long rows are retained, in ticks; None where a window counts rows and not a time.
    retain: int | None
    #: Rows come from another stateful operator, in the batch whose watermark has passed them.
    chained: bool = False
    on_error: OnError = "raise"
    #: The column that says what a row does to those before it, and the one that tells which; None where none does.
    retract: str | None = None
    id: str | None = None

    @property
    def on(self) -> str:
        """The column of times."""
        assert self.plan.on is not None
        return self.plan.on

    @property
    def log_columns(self) -> tuple[str, ...]:
        """The columns of the log: all where rows are emitted later, or revised, or functions see them; else those that
        windows read."""
        names = self.schema.names
        return columns_read(self.plan, names) if self.plan.emit == "arrival" else tuple(names)

    @property
    def log_schema(self) -> pa.Schema:
        """Those columns with their types."""
        return pa.schema([self.schema.field(name) for name in self.log_columns])

    @property
    def time_only(self) -> bool:
        """Whether every window is a length of time."""
        return all(window.span is not None for window in self.plan.windows)

    @property
    def floats(self) -> frozenset[str]:
        """The columns of floats."""
        return frozenset(field.name for field in self.schema if pa.types.is_floating(field.type))

    @property
    def reasons(self) -> tuple[str, ...]:
        """The columns that say why a row has no results."""
        return (LATE,) * (self.on_late == "keep") + (ERROR,) * (self.on_error == "keep")

    @property
    def result_schema(self) -> pa.Schema:
        """The columns of what engines emit."""
        own = [self.schema.field(name) for name in self.plan.by] if slides(self.plan) else list(self.schema)
        fields = [*own, *(pa.field(name, kind) for name, kind in self.types.items())]
        if self.plan.emit == "update":
            fields.append(pa.field(REVISION, pa.int32()))
        return pa.schema(fields)
