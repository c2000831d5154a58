"""What the state of a bucket says of itself: which segments are live, which version it has, how far time has come."""

from __future__ import annotations

import os
import struct
from collections.abc import Sequence
from dataclasses import dataclass, fields, replace
from functools import lru_cache
from operator import attrgetter
from typing import Final

from sash.codec import dumps, loads
from sash.errors import SnapshotError
from sash.spark.stream.contents import Contents
from sash.spark.stream.job import Job

__all__ = ["HISTORY", "Manifest", "Segment", "Version", "new_nonce"]

#: What is written. The format before it had versions and segments as values of the codec, which take six times as long
#: to read; workers swap partitions, so that about half of all manifests that one reads were written by another.
_FORMAT: Final = 3
_BEFORE: Final = 2
#: A version and a segment, field by field.
_VERSION: Final = struct.Struct("<q8s")
_SEGMENT: Final = struct.Struct("<6q?")
#: How many versions a worker may lag behind and still catch up.
HISTORY: Final = 32


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
    """Everything about a bucket but its rows. Small: it is read and written in every batch."""

    #: The job that wrote it last, and what its log holds.
    job: str
    contents: Contents
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
    #: The places of a snapshot of the operators, in order, and its version. Rows of segments up to that version are in
    #: it; they are retained as long as they are to be emitted.
    snapshot: tuple[int, ...] = ()
    snapshot_version: int = -1

    @classmethod
    def new(cls, job: Job) -> Manifest:
        """That of a bucket without rows."""
        return cls(job.name, Contents.of(job), os.urandom(16), (Version(0, new_nonce()),))

    def taken_over(self, job: Job) -> Manifest:
        """The same, for this job; `PlanError` if it needs what is not there."""
        # A timer comes without packs, and its job does not know how many buckets there are.
        job = job if job.buckets is not None else replace(job, buckets=self.contents.buckets)
        if self.job == job.name and self.contents.buckets == job.buckets:
            return self
        return replace(self, job=job.name, contents=self.contents.continued(job, self.watermark))

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
        job, contents, origin, versions, segments, *rest = (getattr(self, field.name) for field in fields(self))
        blocks = (contents.written, origin, _written(_VERSION, versions), _written(_SEGMENT, segments))
        data = dumps((_FORMAT, job, *blocks, *rest))
        _remember(data, self)
        return data

    @classmethod
    def read(cls, data: bytes) -> Manifest:
        """The manifest whose bytes they are; `SnapshotError` if there is none. Cost: O(bytes), or that of a lookup if
        this process has written them."""
        if (known := _RECENT.get(data)) is not None:
            return known
        values = loads(data)
        if not isinstance(values, tuple) or not values or values[0] not in (_FORMAT, _BEFORE):
            shown = values[0] if isinstance(values, tuple) and values else values
            raise SnapshotError(
                f"the state of a bucket has format {shown!r:.20}, and this version of Sash reads {_BEFORE} to {_FORMAT}"
            )
        try:
            form, job, contents, origin, versions, segments, *rest = values
            if form == _FORMAT:
                versions, segments = _VERSION.iter_unpack(versions), _SEGMENT.iter_unpack(segments)
            return cls(
                job,
                _read_contents(contents) if form == _FORMAT else Contents(*contents),
                origin,
                tuple(Version(*one) for one in versions),
                tuple(Segment(*one) for one in segments),
                *rest,
            )
        except (TypeError, ValueError, struct.error) as error:
            raise SnapshotError(f"the state of a bucket cannot be read: {error}") from error


#: What this process has written lately: it reads most of it again in the next batch.
_RECENT: Final[dict[bytes, Manifest]] = {}
_MOST: Final = 512


def _written(form: struct.Struct, parts: Sequence[Version | Segment]) -> bytes:
    if not parts:
        return b""
    parts_of = attrgetter(*(field.name for field in fields(parts[0])))
    return b"".join([form.pack(*parts_of(one)) for one in parts])


@lru_cache(maxsize=64)
def _read_contents(data: bytes) -> Contents:
    """All buckets of a stream have much the same, and keep it for long."""
    return Contents(*loads(data))


def _remember(data: bytes, manifest: Manifest) -> None:
    if len(_RECENT) >= _MOST:
        del _RECENT[next(iter(_RECENT))]
    _RECENT[data] = manifest
