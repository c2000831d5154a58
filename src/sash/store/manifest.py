"""Which pages make a window: their keys, the manifest that a commit puts, and the pages that are garbage after it."""

from __future__ import annotations

import json
import secrets
import struct
from collections.abc import Iterable, Iterator
from dataclasses import asdict, dataclass, field
from typing import Final

from sash import _core
from sash.errors import SnapshotError
from sash.snapshots import reading
from sash.store.protocol import Range, Table

__all__ = ["MANIFEST", "Extents", "Garbage", "Manifest", "Place", "Span", "describe", "page_key"]

#: (structure, level, place) of a page.
Place = tuple[int, int, int]
#: (structure, level, first place, end).
Span = tuple[int, int, int, int]
#: By (structure, level), the places of its pages: the first, and the one after the last.
Extents = dict[tuple[int, int], tuple[int, int]]

#: The one record that says which pages count.
MANIFEST: Final = b"m"
#: Every page's key lies from here ..
PAGES: Final = b"p"
#: .. to here, which is out.
END: Final = b"q"

_PLACE: Final = struct.Struct(">QBQ")


def page_key(place: Place) -> bytes:
    """The key of a page.

    >>> page_key((0, 1, 2)) < page_key((0, 1, 3)) < page_key((0, 2, 0)) < END
    True
    """
    return PAGES + _PLACE.pack(*place)


@dataclass(frozen=True, slots=True)
class Manifest:
    """The pages of a window, and all of it that is in no page. A commit puts it under one key, and so at once.

    It is sealed as snapshots are: a version, a checksum.
    """

    window: str
    #: It distinguishes this window from one that had the same name before.
    tag: int = field(default_factory=lambda: secrets.randbits(63))
    version: int = 0
    page: int = 512
    #: Structures have numbers below this one.
    spaces: int = 0
    #: The pages that count.
    pages: tuple[Span, ...] = ()
    #: How the aggregation and its window are described in snapshots, and the state that goes with it.
    description: str = ""
    state: bytes = b""

    def to_bytes(self) -> bytes:
        """The manifest as it is put."""
        fields = asdict(self)
        del fields["state"]
        return _core.seal(json.dumps({"manifest": fields}, sort_keys=True).encode(), self.state)

    @staticmethod
    def find(table: Table, window: str) -> Manifest | None:
        """The last manifest that was put, or None; `SnapshotError` if it cannot be read."""
        blob = table.get_many([MANIFEST])[0]
        return None if blob is None else Manifest.from_bytes(blob, window)

    @staticmethod
    def from_bytes(blob: bytes, window: str) -> Manifest:
        """What `to_bytes` made; `SnapshotError` if the bytes are damaged, foreign or from a newer version."""
        header, state = _core.open_snapshot(blob)
        with reading(f"the manifest of the window {window!r} cannot be read"):
            fields = json.loads(header)["manifest"]
            pages = tuple((int(s), int(level), int(first), int(end)) for s, level, first, end in fields.pop("pages"))
            manifest = Manifest(**fields, pages=pages, state=state)
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


def describe(extents: Extents) -> tuple[Span, ...]:
    """Extents as a manifest has them."""
    return tuple((space, level, *span) for (space, level), span in sorted(extents.items()) if span[0] < span[1])


class Garbage:
    """Pages that nobody will read again: those to delete now, and those to delete once the next manifest is stored.

    A manifest refers to no page that was dead when it was made, whatever its extents.

    >>> garbage = Garbage({(0, 0): (0, 10)})
    >>> garbage.add(0, 0, 0, 12)
    >>> garbage.take()
    [(0, 0, 10, 12)]
    >>> garbage.protect({(0, 0): (12, 15)})
    >>> garbage.release({(0, 0): (12, 15)})
    >>> garbage.take()
    [(0, 0, 0, 10)]
    """

    def __init__(self, committed: Extents) -> None:
        self._protected = dict(committed)
        self._free: dict[tuple[int, int], list[tuple[int, int]]] = {}
        #: Dead since the last manifest was made, and before: these wait for it to be stored.
        self._deferred: list[Span] = []
        self._due: list[Span] = []
        #: Pages that can be deleted now.
        self.size = 0

    def add(self, space: int, level: int, first: int, last: int) -> None:
        """The places from `first` to before `last` are dead."""
        low, high = self._protected.get((space, level), (0, 0))
        for span, deferred in _cut(first, last, low, high):
            if deferred:
                _append(self._deferred, (space, level, *span))
            else:
                self._add_free(space, level, *span)

    def protect(self, extents: Extents) -> None:
        """A manifest is made: these pages too must stay, beside those that must stay already."""
        self._due += self._deferred
        self._deferred = []
        for key, (first, end) in extents.items():
            low, high = self._protected.get(key, (first, end))
            self._protected[key] = min(low, first), max(high, end)

    def release(self, extents: Extents) -> None:
        """The manifest is stored: these pages must stay, and no others."""
        self._protected = dict(extents)
        due, self._due = self._due, []
        self.restore(due)

    def take(self) -> list[Span]:
        """What can be deleted now. Whoever takes it deletes it, or gives it back to `restore`."""
        taken = [(space, level, *span) for (space, level), spans in self._free.items() for span in spans]
        self._free, self.size = {}, 0
        return taken

    def restore(self, spans: Iterable[Span]) -> None:
        """These could not be deleted."""
        for span in spans:
            self._add_free(*span)

    def _add_free(self, space: int, level: int, first: int, last: int) -> None:
        spans = self._free.setdefault((space, level), [])
        if spans and spans[-1][1] == first:
            spans[-1] = spans[-1][0], last
        else:
            spans.append((first, last))
        self.size += last - first


def _append(spans: list[Span], span: Span) -> None:
    """Add a span, to the last one if it goes on there."""
    if spans and spans[-1][:2] == span[:2] and spans[-1][3] == span[2]:
        span = (*spans.pop()[:3], span[3])
    spans.append(span)


def _cut(first: int, last: int, low: int, high: int) -> Iterable[tuple[tuple[int, int], bool]]:
    """The non-empty parts of [first, last) before, within and after [low, high), and whether each is within."""
    low, high = max(low, first), min(high, last)
    if low >= high:
        return [((first, last), False)]
    parts = [((first, low), False), ((low, high), True), ((high, last), False)]
    return [part for part in parts if part[0][0] < part[0][1]]
