"""The manifest: which pages make the window, and all of it that is in no page. Putting it is what a commit is."""

from __future__ import annotations

import json
import secrets
from collections.abc import Iterator
from dataclasses import asdict, dataclass, field

from sash import _core
from sash.errors import SnapshotError
from sash.store.keys import END, MANIFEST, PAGES, page_key
from sash.store.protocol import Range, Shelf

__all__ = ["Extents", "Manifest", "describe"]

#: By (structure, level), the places of its pages: the first, and the one after the last.
Extents = dict[tuple[int, int], tuple[int, int]]


@dataclass(frozen=True, slots=True)
class Manifest:
    """What a commit puts, under one key and so at once. It is sealed as snapshots are: a version, a checksum."""

    window: str
    #: Told apart by it: pages of a window that had the same name before.
    tag: int = field(default_factory=lambda: secrets.randbits(63))
    version: int = 0
    page: int = 512
    #: Structures have numbers below this one.
    spaces: int = 0
    #: (structure, level, first place, end) of the pages that count.
    pages: tuple[tuple[int, int, int, int], ...] = ()
    #: How the aggregation and its window are described in snapshots, and the state that goes with it.
    description: str = ""
    state: bytes = b""

    def to_bytes(self) -> bytes:
        """The manifest as it is put."""
        fields = asdict(self)
        del fields["state"]
        return _core.seal(json.dumps({"manifest": fields}, sort_keys=True).encode(), self.state)

    @staticmethod
    def find(shelf: Shelf, window: str) -> Manifest | None:
        """The last manifest that was put, or None; `SnapshotError` if it cannot be read."""
        blob = shelf.get_many([MANIFEST])[0]
        return None if blob is None else Manifest.from_bytes(blob, window)

    @staticmethod
    def from_bytes(blob: bytes, window: str) -> Manifest:
        """What `to_bytes` made; `SnapshotError` if the bytes are damaged, foreign or from a newer version."""
        header, state = _core.open_snapshot(blob)
        try:
            fields = json.loads(header)["manifest"]
            pages = tuple((int(s), int(level), int(first), int(end)) for s, level, first, end in fields.pop("pages"))
            manifest = Manifest(**fields, pages=pages, state=state)
        except (ValueError, TypeError, KeyError, RecursionError) as error:
            raise SnapshotError(f"the manifest of the window {window!r} cannot be read: {error!r}") from error
        if manifest.window != window:
            raise SnapshotError(f"the manifest is of the window {manifest.window!r}, not of {window!r}")
        return manifest

    def extents(self) -> Extents:
        """The pages that count, by their level."""
        return {(space, level): (first, end) for space, level, first, end in self.pages}

    def gaps(self) -> Iterator[Range]:
        """The ranges of keys between the pages that count: what lies there was left by a writer that died.

        >>> list(Manifest("w").gaps()) == [(PAGES, END)]
        True
        """
        last = PAGES
        for space, level, first, end in sorted(self.pages):
            yield last, page_key((space, level, first))
            last = page_key((space, level, end))
        yield last, END


def describe(extents: Extents) -> tuple[tuple[int, int, int, int], ...]:
    """Extents as a manifest has them."""
    return tuple((space, level, *span) for (space, level), span in sorted(extents.items()) if span[0] < span[1])
