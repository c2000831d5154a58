"""The log of a bucket: what came, segment by segment. It is the state; everything else can be made from it."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace
from typing import Final

import numpy as np
import pyarrow as pa

from sash.spark.stream.engine import BucketEngine
from sash.spark.stream.kept import Revisions, Ticks
from sash.spark.stream.manifest import HISTORY, Manifest, Segment
from sash.spark.stream.segments import CHUNK_BYTES, pack, pieces, unpack
from sash.spark.stream.state import BucketState

__all__ = ["Log"]

_NUMBERS: Final = b"sash.revised"
_REVISIONS: Final = b"sash.revisions"
#: How many small neighbours are merged at once: a row is written again as often as the number of segments can be
#: divided by it.
_FAN: Final = 8


class Log:
    """Appends, replays, prunes and merges. Manifests are values: what is done here counts when the new one is put."""

    def __init__(self, state: BucketState) -> None:
        self._state = state

    def append(
        self,
        manifest: Manifest,
        table: pa.Table,
        ticks: Ticks,
        revised: tuple[Ticks, Revisions] | None = None,
        silent: bool = False,
    ) -> Manifest:
        """Rows that came with the manifest's version. Cost: O(bytes of the rows), whatever is there already."""
        start = 0
        for piece in pieces(table):
            marked = _with_revisions(piece, revised) if revised is not None and len(revised[0]) and not start else piece
            newest = int(ticks[start : start + piece.num_rows].max())
            manifest = self._put(manifest, marked, manifest.rows, newest, manifest.version.number, silent)
            start += piece.num_rows
            manifest = replace(manifest, rows=manifest.rows + piece.num_rows)
        return manifest

    def _put(
        self, manifest: Manifest, table: pa.Table, first: int, newest: int, version: int, silent: bool
    ) -> Manifest:
        data = pack(table, compress=True)
        self._state.put_segment(manifest.places, data)
        segment = Segment(manifest.places, first, table.num_rows, len(data), version, newest, silent)
        return replace(manifest, segments=(*manifest.segments, segment), places=manifest.places + 1)

    def replay(self, manifest: Manifest, engine: BucketEngine, after: int = -1) -> int:
        """Give an engine the rows that came after a version; how many segments it took. Cost: O(their rows)."""
        missed = [segment for segment in manifest.segments if segment.version > after]
        for segment in missed:
            table = unpack(self._state.segment(segment.place))
            engine.absorb(table.replace_schema_metadata(None), segment.first, segment.silent)
            numbers, revisions = _revisions_of(table)
            engine.revise(numbers, revisions)
        engine.settle(manifest.watermark)
        return len(missed)

    def prune(self, manifest: Manifest, horizon: int) -> Manifest:
        """Drop the segments whose newest row is before the horizon: it has left every window."""
        dead = [segment for segment in manifest.segments if segment.newest < horizon]
        if not dead:
            return manifest
        self._state.drop_segments(segment.place for segment in dead)
        return replace(manifest, segments=tuple(one for one in manifest.segments if one.newest >= horizon))

    def merge(self, manifest: Manifest) -> Manifest:
        """Make one of small neighbours, where there are many. No worker that can catch up still needs them apart."""
        old = manifest.version.number - HISTORY
        for run in _runs(manifest.segments, old):
            table = _concatenated([unpack(self._state.segment(segment.place)) for segment in run])
            newest = max(segment.newest for segment in run)
            longer = self._put(manifest, table, run[0].first, newest, run[-1].version, run[0].silent)
            self._state.drop_segments(segment.place for segment in run)
            merged = longer.segments[-1]
            kept = [one for one in manifest.segments if one not in run]
            manifest = replace(longer, segments=tuple(sorted([*kept, merged], key=lambda one: one.first)))
        return manifest


def _runs(segments: tuple[Segment, ...], old: int) -> Iterable[list[Segment]]:
    """Neighbours of about one size, as many as are merged at once, none of them large or young."""
    run: list[Segment] = []
    for segment in segments:
        if run and not _alike(run[-1], segment):
            run = []
        if segment.version <= old and segment.bytes < CHUNK_BYTES // 2:
            run.append(segment)
        else:
            run = []
        if len(run) == _FAN:
            yield run
            run = []


def _alike(left: Segment, right: Segment) -> bool:
    together = left.first + left.rows == right.first and left.silent == right.silent
    return together and max(left.bytes, right.bytes) < _FAN * min(left.bytes, right.bytes)


def _with_revisions(table: pa.Table, revised: tuple[Ticks, Revisions]) -> pa.Table:
    return table.replace_schema_metadata({_NUMBERS: revised[0].tobytes(), _REVISIONS: revised[1].tobytes()})


def _revisions_of(table: pa.Table) -> tuple[Ticks, Revisions]:
    found = table.schema.metadata or {}
    numbers = np.frombuffer(found.get(_NUMBERS, b""), np.int64)
    return numbers, np.frombuffer(found.get(_REVISIONS, b""), np.int32)


def _concatenated(tables: list[pa.Table]) -> pa.Table:
    parts = [_revisions_of(table) for table in tables]
    numbers = np.concatenate([numbers for numbers, _ in parts])
    revisions = np.concatenate([revisions for _, revisions in parts])
    joined = pa.concat_tables([table.replace_schema_metadata(None) for table in tables])
    return _with_revisions(joined, (numbers, revisions)) if len(numbers) else joined
