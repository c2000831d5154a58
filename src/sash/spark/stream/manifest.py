"""What the state of a bucket says of itself: which segments are live, which version it has, how far time has come."""

from __future__ import annotations

import os
from collections.abc import Mapping
from dataclasses import astuple, dataclass, replace
from typing import Any, Final

from sash.codec import dumps, loads
from sash.errors import PlanError, SnapshotError

__all__ = ["HISTORY", "Manifest", "Segment", "Version", "check_compatible", "differences", "new_nonce"]

_FORMAT: Final = 1
#: How many versions a worker may lag behind and still catch up.
HISTORY: Final = 32
#: What a plan over a checkpoint must not change.
_FIXED: Final = {
    "by": "the key",
    "on": "the column of times",
    "times": "the type of the times",
    "emit": "emit",
    "buckets": "the number of buckets",
}


def new_nonce() -> bytes:
    """Eight bytes that no other attempt has."""
    return os.urandom(8)


@dataclass(frozen=True, slots=True)
class Version:
    """A number and a nonce: two attempts at one batch have the same number, and never the same nonce."""

    number: int
    nonce: bytes


@dataclass(frozen=True, slots=True)
class Segment:
    """A stretch of rows in the order of their arrival."""

    #: Its key in the map of segments.
    place: int
    #: The number of its first row, counted from the first row that the bucket ever had.
    first: int
    rows: int
    bytes: int
    #: The version that its last rows came with.
    version: int
    #: The ticks of its newest row.
    newest: int
    #: Its rows were there before the stream began: they are in windows, and get no results of their own.
    silent: bool = False


@dataclass(frozen=True, slots=True)
class Manifest:
    """Everything about a bucket but its rows. Small: it is read and written in every batch.

    >>> manifest = Manifest.new("a plan")
    >>> Manifest.read(manifest.write()) == manifest
    True
    """

    #: What the log holds, by `Job.requirements`.
    requirements: Any
    #: The bucket's own name, which no other bucket of any stream has.
    origin: bytes
    #: The newest is last.
    versions: tuple[Version, ...]
    segments: tuple[Segment, ...] = ()
    #: Rows before it were emitted, and come too late.
    watermark: int | None = None
    #: The number of the next row, and the place of the next segment.
    rows: int = 0
    places: int = 0
    #: In milliseconds; None if none is set.
    timer: int | None = None
    #: How many rows there were when the log was last compacted.
    compacted: int = 0

    @classmethod
    def new(cls, requirements: Any) -> Manifest:
        """That of a bucket without rows."""
        return cls(requirements, os.urandom(16), (Version(0, new_nonce()),))

    @property
    def version(self) -> Version:
        """The newest."""
        return self.versions[-1]

    @property
    def live_rows(self) -> int:
        """The rows of all segments."""
        return sum(segment.rows for segment in self.segments)

    @property
    def size(self) -> int:
        """The bytes of all segments."""
        return sum(segment.bytes for segment in self.segments)

    def stepped(self) -> Manifest:
        """The next version, by this attempt."""
        following = Version(self.version.number + 1, new_nonce())
        return replace(self, versions=(*self.versions[1 - HISTORY :], following))

    def write(self) -> bytes:
        """Its bytes."""
        return dumps((_FORMAT, *astuple(self)))

    @classmethod
    def read(cls, data: bytes) -> Manifest:
        """The manifest whose bytes they are; `SnapshotError` if there is none."""
        values = loads(data)
        if not isinstance(values, tuple) or not values or values[0] != _FORMAT:
            shown = values[0] if isinstance(values, tuple) and values else values
            raise SnapshotError(
                f"the state of a bucket has format {shown!r:.20}, and this version of Sash reads {_FORMAT}"
            )
        try:
            _, requirements, origin, versions, segments, *rest = values
            return cls(
                requirements,
                origin,
                tuple(Version(*one) for one in versions),
                tuple(Segment(*one) for one in segments),
                *rest,
            )
        except (TypeError, ValueError) as error:
            raise SnapshotError(f"the state of a bucket cannot be read: {error}") from error


def differences(held: Mapping[str, Any], wanted: Mapping[str, Any]) -> list[str]:
    """In what a plan needs more than the log holds, or something else. Empty if it can continue from the log.

    >>> held = {"by": ["a"], "on": "t", "times": "int", "emit": "final", "buckets": 4,
    ...         "columns": {"a": "int64", "t": "int64"}, "retain": 10, "windows": []}
    >>> differences(held, held | {"retain": 5})
    []
    >>> differences(held, held | {"retain": 20, "columns": {"t": "int64", "x": "double"}})
    ["column 'x' is not in the log", 'rows are retained for 10 ticks, and the longest window needs 20']
    """
    found = [
        f"{words} was {held[name]!r} and is {wanted[name]!r}"
        for name, words in _FIXED.items()
        if held[name] != wanted[name]
    ]
    for name, kind in wanted["columns"].items():
        if name not in held["columns"]:
            found.append(f"column {name!r} is not in the log")
        elif held["columns"][name] != kind:
            found.append(f"column {name!r} was {held['columns'][name]} and is {kind}")
    return found + _windows(held, wanted)


def _windows(held: Mapping[str, Any], wanted: Mapping[str, Any]) -> list[str]:
    if held["windows"] != wanted["windows"]:
        return [
            f"the windows were {held['windows'] or 'lengths of time'} and are {wanted['windows'] or 'lengths of time'}"
        ]
    if held["retain"] is not None and wanted["retain"] is not None and wanted["retain"] > held["retain"]:
        return [f"rows are retained for {held['retain']} ticks, and the longest window needs {wanted['retain']}"]
    return []


def check_compatible(held: Mapping[str, Any], wanted: Mapping[str, Any]) -> None:
    """`PlanError` with everything that differs, if the plan cannot continue from the log."""
    found = differences(held, wanted)
    if found:
        raise PlanError(
            "\n- ".join(
                ["the plan cannot continue from this checkpoint: start a new one, with initial= for history", *found]
            )
        )
