"""Where a bucket's manifest and segments lie: in Spark's state store, or in memory for tests."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any, Protocol

__all__ = ["BucketState", "SparkState"]


class BucketState(Protocol):
    """The state of one bucket. Calls are few: each costs a round trip to the JVM."""

    def manifest(self) -> bytes | None:
        """What was put last; None if nothing was."""

    def put_manifest(self, data: bytes) -> None:
        """Replace it."""

    def segment(self, place: int) -> bytes:
        """The segment at a place."""

    def put_segment(self, place: int, data: bytes) -> None:
        """A segment at a place that has none."""

    def drop_segments(self, places: Iterable[int]) -> None:
        """Forget segments."""

    def clear(self) -> None:
        """Forget everything."""

    def set_timer(self, old: int | None, new: int | None) -> None:
        """Be called when the watermark reaches the new time, in milliseconds, and not at the old one."""


class SparkState:
    """A value and a map of Spark's arbitrary state, under the key that the operator is called for."""

    def __init__(self, handle: Any, timers: bool) -> None:
        self._handle = handle
        self._timers = timers
        self._manifest = handle.getValueState("manifest", "data binary")
        self._segments = handle.getMapState("segments", "place bigint", "rows binary")

    def manifest(self) -> bytes | None:
        """What was put last; None if nothing was."""
        found = self._manifest.get()
        return None if found is None else bytes(found[0])

    def put_manifest(self, data: bytes) -> None:
        """Replace it."""
        self._manifest.update((data,))

    def segment(self, place: int) -> bytes:
        """The segment at a place."""
        return bytes(self._segments.getValue((place,))[0])

    def put_segment(self, place: int, data: bytes) -> None:
        """A segment at a place that has none."""
        self._segments.updateValue((place,), (data,))

    def drop_segments(self, places: Iterable[int]) -> None:
        """Forget segments."""
        for place in places:
            self._segments.removeKey((place,))

    def clear(self) -> None:
        """Forget everything."""
        self._manifest.clear()
        self._segments.clear()

    def set_timer(self, old: int | None, new: int | None) -> None:
        """Be called when the watermark reaches the new time, in milliseconds, and not at the old one."""
        if not self._timers or old == new:
            return
        if old is not None:
            self._handle.deleteTimer(old)
        if new is not None:
            self._handle.registerTimer(new)
