"""Engines that a Python worker caches between batches, each with the version of the log that it has reached."""

from __future__ import annotations

import os
from collections import OrderedDict
from dataclasses import dataclass
from typing import Final

from sash.spark.stream.engine import BucketEngine
from sash.spark.stream.manifest import Manifest, Version

__all__ = ["ENGINES", "EngineCache"]


@dataclass(slots=True)
class _Entry:
    version: Version
    engine: BucketEngine
    bytes: int


class EngineCache:
    """By the name of the job and of the bucket; the least recently used go when all take too many bytes: 2 GiB, or as
    many as SASH_WORKER_CACHE says in the environment of the workers.

    An engine is taken out while it works, and put back when all went well. The engine of a failed attempt is dropped,
    and that of an attempt whose state Spark discarded has a nonce that no manifest has.
    """

    def __init__(self, most_bytes: int = 2 << 30) -> None:
        self._most = most_bytes
        self._entries: OrderedDict[tuple[str, bytes], _Entry] = OrderedDict()
        self._bytes = 0

    def take(self, job: str, manifest: Manifest) -> tuple[BucketEngine, Version] | None:
        """The engine of the bucket, if it is at a version that the manifest comes from; nothing if it is at another."""
        entry = self._entries.pop((job, manifest.origin), None)
        if entry is None:
            return None
        self._bytes -= entry.bytes
        return (entry.engine, entry.version) if entry.version in manifest.versions else None

    def put(self, job: str, manifest: Manifest, engine: BucketEngine) -> None:
        """The engine is at the manifest's version."""
        entry = _Entry(manifest.version, engine, engine.memory())
        self._entries[job, manifest.origin] = entry
        self._bytes += entry.bytes
        while self._bytes > self._most and len(self._entries) > 1:
            self._bytes -= self._entries.popitem(last=False)[1].bytes

    def clear(self) -> None:
        """Drop all: as if the worker had just begun."""
        self._entries.clear()
        self._bytes = 0


#: The engines of this process.
ENGINES: Final = EngineCache(int(os.environ.get("SASH_WORKER_CACHE", 2 << 30)))
