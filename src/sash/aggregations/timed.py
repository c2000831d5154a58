"""What the aggregations share that use the times of the events."""

# The methods are described once, in Aggregation.
# ruff: noqa: D102

from __future__ import annotations

from typing import Any, ClassVar

from sash import codec, times
from sash.aggregations.base import WithNan
from sash.errors import SnapshotError
from sash.kinds import Kind

__all__ = ["Timed", "plain_time"]


def plain_time(time: Any) -> Any:
    """The time as partials hold it: numbers of NumPy as those of Python, all others as they leave the window."""
    kind, ticks = times.encode(time)
    return times.decode(kind, ticks) if kind in (times.INT, times.FLOAT) else time


class Timed(WithNan):
    """A partial is a flat tuple of numbers and times, or None where there was no event.

    Times in a partial are as they leave the window. In a snapshot each is its kind and its int64, so that zones, units
    and libraries are kept.
    """

    timed: ClassVar[bool] = True
    identity = None
    #: Which places of a partial hold times.
    time_fields: ClassVar[tuple[int, ...]]
    #: How many places there are.
    width: ClassVar[int]

    def encode(self, partial: tuple[Any, ...] | None) -> bytes:
        if partial is None:
            return codec.dumps(None)
        fields = [_written(field) if place in self.time_fields else field for place, field in enumerate(partial)]
        return codec.dumps(tuple(fields))

    def decode(self, data: bytes) -> tuple[Any, ...] | None:
        fields = codec.loads(data)
        if fields is None:
            return None
        if type(fields) is not tuple or len(fields) != self.width:
            raise SnapshotError(f"not a partial of {type(self).__name__}: {self.width} fields are needed")
        return tuple(_read(field) if place in self.time_fields else field for place, field in enumerate(fields))


def _written(time: Any) -> Any:
    kind, ticks = times.encode(time)
    return time if kind in (times.INT, times.FLOAT) else (str(kind), ticks)


def _read(field: Any) -> Any:
    match field:
        case bool():
            pass
        case int() | float():
            return field
        case (str(kind), int(ticks)):
            try:
                return times.decode(Kind.parse(kind), ticks)
            except (OverflowError, ValueError) as error:
                raise SnapshotError(f"a time out of range in a snapshot: {error}") from error
    raise SnapshotError(f"{field!r:.60} is no time that Sash writes")
