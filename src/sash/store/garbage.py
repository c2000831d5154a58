"""Pages that nobody will read again: those that a manifest still refers to wait for the next one."""

from __future__ import annotations

from collections.abc import Iterable

from sash.store.manifest import Extents

__all__ = ["Garbage", "Span"]

#: (structure, level, first place, end).
Span = tuple[int, int, int, int]


class Garbage:
    """What can be deleted now, and what can be once the next manifest is in the store.

    >>> garbage = Garbage({(0, 0): (0, 10)})
    >>> garbage.add(0, 0, 0, 12)
    >>> garbage.take()
    [(0, 0, 10, 12)]
    >>> garbage.release({(0, 0): (12, 15)})
    >>> garbage.take()
    [(0, 0, 0, 10)]
    """

    def __init__(self, committed: Extents) -> None:
        self._protected = dict(committed)
        self._free: dict[tuple[int, int], list[tuple[int, int]]] = {}
        self._deferred: list[Span] = []
        #: Pages that can be deleted now.
        self.size = 0

    def add(self, space: int, level: int, first: int, last: int) -> None:
        """The places from `first` to before `last` are dead."""
        low, high = self._protected.get((space, level), (0, 0))
        for span, deferred in _cut(first, last, low, high):
            if deferred:
                self._deferred.append((space, level, *span))
            else:
                self._add_free(space, level, *span)

    def protect(self, extents: Extents) -> None:
        """These pages too must stay, beside those that must stay already."""
        for key, (first, end) in extents.items():
            low, high = self._protected.get(key, (first, end))
            self._protected[key] = min(low, first), max(high, end)

    def release(self, extents: Extents) -> None:
        """These pages must stay, and no others."""
        self._protected = dict(extents)
        deferred, self._deferred = self._deferred, []
        for span in deferred:
            self.add(*span)

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


def _cut(first: int, last: int, low: int, high: int) -> Iterable[tuple[tuple[int, int], bool]]:
    """The non-empty parts of [first, last) before, within and after [low, high), and whether each is within."""
    low, high = max(low, first), min(high, last)
    if low >= high:
        return [((first, last), False)]
    parts = [((first, low), False), ((low, high), True), ((high, last), False)]
    return [part for part in parts if part[0][0] < part[0][1]]
