"""A store in this process: for tests, and for windows that need no more than a smaller footprint."""

from __future__ import annotations

from bisect import bisect_left, insort
from collections.abc import Sequence
from threading import Lock

from sash.errors import StoreError
from sash.store.protocol import Range, checked_name

__all__ = ["Memory"]


class Memory:
    """Keeps pages in this process, as long as the object lives. Cost: O(log n) an operation, and a copy of nothing.

    >>> import sash
    >>> store = sash.store.Memory()
    >>> with sash.Window(sash.Sum(), algorithm="amta", store=store) as w:
    ...     w.bulk_insert(range(5000), range(5000))
    >>> with sash.Window(sash.Sum(), algorithm="amta", store=store) as w:
    ...     w.query(), len(w)
    (12497500, 5000)
    """

    def __init__(self) -> None:
        self._boxes: dict[bytes, _Box] = {}
        self._taken: set[bytes] = set()

    def open(self, name: str) -> _MemoryTable:
        """The table of the window of that name; `StoreError` if a window of that name is open."""
        key = checked_name(name)
        if key in self._taken:
            raise StoreError(f"the window {name!r} is open already: close it before it is opened again")
        self._taken.add(key)
        return _MemoryTable(self, key, self._boxes.setdefault(key, _Box()))

    def _release(self, key: bytes) -> None:
        self._taken.discard(key)

    def __repr__(self) -> str:
        return f"Memory({len(self._boxes)} windows)"


class _Box:
    """The values of one window, and their keys in order."""

    def __init__(self) -> None:
        self.values: dict[bytes, bytes] = {}
        self.keys: list[bytes] = []


class _MemoryTable:
    def __init__(self, store: Memory, key: bytes, box: _Box) -> None:
        self._store = store
        self._key = key
        self._box = box
        self._lock = Lock()

    def get_many(self, keys: Sequence[bytes]) -> list[bytes | None]:
        with self._lock:
            return [self._box.values.get(key) for key in keys]

    def put_many(self, items: Sequence[tuple[bytes, bytes]]) -> None:
        with self._lock:
            for key, value in items:
                if key not in self._box.values:
                    insort(self._box.keys, key)
                self._box.values[key] = value

    def delete_ranges(self, ranges: Sequence[Range]) -> None:
        with self._lock:
            for first, last in ranges:
                begin, end = bisect_left(self._box.keys, first), bisect_left(self._box.keys, last)
                for key in self._box.keys[begin:end]:
                    del self._box.values[key]
                del self._box.keys[begin:end]

    def flush(self) -> None:
        """Nothing is more durable than the process."""

    def close(self) -> None:
        self._store._release(self._key)
