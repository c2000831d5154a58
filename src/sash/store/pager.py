"""The pager: hands a window's pages to its store behind its back, and fetches them before they are needed.

The core calls `put`, `get`, `want`, `drop`, `new_space` and `drop_space`. One thread beside it does what can wait:
reads ahead first, then writes, in batches, then deletions. What is committed stays in the store until the next commit
is: pages that the last manifest refers to are deleted only after it.
"""

from __future__ import annotations

import os
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass, replace
from itertools import islice
from threading import Condition, Thread
from typing import Final

import numpy as np

from sash.errors import StoreError
from sash.store.manifest import MANIFEST, Extents, Garbage, Manifest, Place, describe, page_key
from sash.store.protocol import Table

__all__ = ["Metrics", "Pager"]

#: A batch of writes is at most so many bytes; a smaller one goes when nothing has come for some seconds.
_BATCH: Final = 2**20
_LINGER: Final = 0.05
#: So many dead pages are worth a call; fewer wait for more.
_DELETIONS: Final = 256
#: The pause after a store has failed, unless somebody waits.
_PAUSE: Final = 0.5


@dataclass(frozen=True, slots=True)
class Metrics:
    """What a window does with its store, counted since it was opened.

    >>> import sash
    >>> with sash.Window(sash.Sum(), algorithm="amta", store=sash.store.Memory(), page=4) as w:
    ...     w.bulk_insert(range(100), range(100))
    ...     w.commit()
    ...     w.metrics.pages_written, w.metrics.misses, w.metrics.pending_writes
    (39, 0, 0)
    """

    #: Pages in this process now: those being filled, read, on their way out and read ahead.
    pages_local: int = 0
    #: Pages read from the store, and those among them for which a call had to wait.
    reads: int = 0
    misses: int = 0
    bytes_read: int = 0
    pages_written: int = 0
    bytes_written: int = 0
    #: Pages that the store does not have yet.
    pending_writes: int = 0
    #: A page that was dropped alone counts once more when all before it are dropped.
    pages_deleted: int = 0
    commits: int = 0
    #: How often a call had to wait because too much was pending.
    waits: int = 0


class Pager:
    """The pages of one window. The window's thread and the thread beside it meet in `_turn` only."""

    def __init__(self, table: Table, manifest: Manifest, *, cache: int, buffer: int) -> None:
        self.page = manifest.page
        self.cache = cache
        self.tag = manifest.tag
        #: The core counts here how many pages it holds.
        self.local = np.zeros(1, np.int64)
        self._table = table
        self._manifest = manifest
        self._buffer = buffer
        self._spaces = manifest.spaces
        self._process = os.getpid()
        self._turn = Condition()
        #: Pages on their way out, oldest first; they stay until the store has them.
        self._pending: dict[Place, bytes] = {}
        self._bytes = 0
        self._wanted: dict[Place, None] = {}
        self._ready: dict[Place, bytes] = {}
        #: By level, where its pages lie.
        self._extents: Extents = manifest.extents()
        self._garbage = Garbage(manifest.extents())
        self._counts = Counter[str]()
        self._failure: Exception | None = None
        self._failures = 0
        self._waiting = 0
        self._closed = False
        table.delete_ranges(list(manifest.gaps()))
        self._thread = Thread(target=self._work, name=f"sash-pager-{manifest.window}", daemon=True)
        self._thread.start()

    # Called by the core.

    def new_space(self) -> int:
        """A number for a structure that no structure of this window had before."""
        self._spaces += 1
        return self._spaces - 1

    def put(self, space: int, level: int, index: int, page: bytes) -> None:
        """Take a page; wait while too much is pending, and raise what the store raises meanwhile."""
        place = (space, level, index)
        with self._turn:
            self._check_open()
            if self._bytes > self._buffer:
                self._count(waits=1)
                self._wait_until(lambda: self._bytes <= self._buffer)
            self._bytes += len(page) - len(self._pending.get(place, b""))
            self._pending[place] = page
            self._ready.pop(place, None)
            first, end = self._extents.get((space, level), (index, index))
            self._extents[space, level] = (first if first < end else index), max(end, index + 1)
            if len(self._pending) == 1 or self._bytes >= _BATCH:
                self._turn.notify_all()

    def get(self, space: int, level: int, index: int) -> bytes:
        """The page: pending, read ahead, or read from the store now."""
        place = (space, level, index)
        with self._turn:
            self._check_open()
            self._wanted.pop(place, None)
            page = self._pending.get(place) or self._ready.pop(place, None)
            if page is not None:
                return page
        page = self._table.get_many([page_key(place)])[0]
        if page is None:
            raise StoreError(
                f"the store has lost page {index} of level {level} of the window {self._manifest.window!r}: "
                "it can be opened again if the page is brought back"
            )
        with self._turn:
            self._count(reads=1, misses=1, bytes_read=len(page))
        return page

    def want(self, space: int, level: int, first: int, last: int) -> None:
        """Read pages ahead."""
        with self._turn:
            places = ((space, level, index) for index in range(first, last))
            self._wanted.update((place, None) for place in places if place not in self._pending)
            self._turn.notify_all()

    def drop(self, space: int, level: int, first: int, last: int) -> None:
        """Delete pages, as soon as no manifest refers to them."""
        with self._turn:
            if self._closed:
                return
            for place in self._held(space, level, first, last):
                self._bytes -= len(self._pending.pop(place, b""))
                self._ready.pop(place, None)
                self._wanted.pop(place, None)
            self._advance(space, level, first, last)
            self._garbage.add(space, level, first, last)
            if self._garbage.size >= _DELETIONS:
                self._turn.notify_all()

    def _advance(self, space: int, level: int, first: int, last: int) -> None:
        """Move the begin of a level over what is dropped at it. Who drops pages in the middle drops them once more with
        all before them, so that nobody needs to remember them here."""
        begin, end = self._extents.get((space, level), (first, last))
        if first <= begin:
            begin = max(begin, last)
        self._extents[space, level] = begin, max(begin, end)

    def _held(self, space: int, level: int, first: int, last: int) -> list[Place]:
        """Those of the places that are here in any form."""
        if last - first > len(self._pending) + len(self._ready) + len(self._wanted):
            here = {*self._pending, *self._ready, *self._wanted}
            return [place for place in here if place[:2] == (space, level) and first <= place[2] < last]
        return [(space, level, index) for index in range(first, last)]

    def drop_space(self, space: int) -> None:
        """Delete every page of a structure, as soon as no manifest refers to them."""
        for (other, level), (first, end) in list(self._extents.items()):
            if other == space:
                if first < end:
                    self.drop(space, level, first, end)
                self._extents.pop((space, level), None)

    # Called by the window.

    @property
    def metrics(self) -> Metrics:
        """The counts as they are now."""
        with self._turn:
            here = int(self.local[0]) + len(self._pending) + len(self._ready)
            return Metrics(pages_local=here, pending_writes=len(self._pending), **self._counts)

    @property
    def memory(self) -> int:
        """Pages on their way out and pages read ahead."""
        with self._turn:
            return self._bytes + sum(map(len, self._ready.values()))

    def commit(self, description: str, state: bytes) -> None:
        """Make the window as it is now what is found when it is opened again. Returns when the store has all of it."""
        with self._turn:
            self._check_open()
            self._wait_until(lambda: not self._pending)
            pages = describe(self._extents)
            self._manifest = replace(
                self._manifest,
                version=self._manifest.version + 1,
                spaces=self._spaces,
                pages=pages,
                description=description,
                state=state,
            )
            # From here on either manifest may be the one that is found.
            self._garbage.protect(self._manifest.extents())
        self._table.flush()
        self._table.put_many([(MANIFEST, self._manifest.to_bytes())])
        self._table.flush()
        with self._turn:
            self._garbage.release(self._manifest.extents())
            self._count(commits=1)
            self._turn.notify_all()

    def close(self) -> None:
        """Stop; what is pending and not committed is dropped."""
        if self._process != os.getpid():
            return
        with self._turn:
            if self._closed:
                return
            self._closed = True
            self._turn.notify_all()
        self._thread.join()
        self._table.close()

    # The two threads.

    def _check_open(self) -> None:
        if self._closed:
            raise StoreError(f"the window {self._manifest.window!r} is closed: open it again")
        if self._process != os.getpid():
            raise StoreError(
                f"the window {self._manifest.window!r} was opened by the process that forked this one: "
                "open it where it is used"
            )

    def _wait_until(self, done: Callable[[], bool]) -> None:
        """Wait for the other thread, or raise why its next attempt has failed."""
        failures = self._failures
        self._waiting += 1
        self._turn.notify_all()
        try:
            while not done():
                if self._failures > failures:
                    raise StoreError(f"{self._failure}; the window is as it was, and can go on once the store can")
                self._turn.wait()
        finally:
            self._waiting -= 1

    def _count(self, **counts: int) -> None:
        for name, count in counts.items():
            self._counts[name] += count

    def _work(self) -> None:
        while (job := self._next_job()) is not None:
            try:
                job()
            except Exception as error:  # whatever it is, whoever waits raises it
                self._fail(error)
            else:
                self._failure = None

    def _fail(self, error: Exception) -> None:
        with self._turn:
            self._failure = error
            self._failures += 1
            self._turn.notify_all()
            if not self._closed:
                self._turn.wait(_PAUSE)

    def _next_job(self) -> Callable[[], None] | None:
        """What to do now; None when the pager is closed."""
        with self._turn:
            idle = False
            while not self._closed:
                if self._wanted:
                    return self._read_ahead
                if self._pending and (idle or self._waiting or self._bytes >= _BATCH):
                    return self._write
                if self._garbage.size >= (1 if idle else _DELETIONS):
                    return self._delete
                idle = not self._turn.wait(_LINGER if self._pending or self._garbage.size else None)
            return None

    def _read_ahead(self) -> None:
        with self._turn:
            places = list(self._wanted)
        try:
            found = self._table.get_many([page_key(place) for place in places])
        finally:
            with self._turn:
                still = [place for place in places if self._wanted.pop(place, 0) is None]
        pages = {place: page for place, page in zip(places, found, strict=True) if page is not None}
        with self._turn:
            self._ready.update((place, pages[place]) for place in still if place in pages)
            self._count(reads=len(pages), bytes_read=sum(map(len, pages.values())))

    def _write(self) -> None:
        with self._turn:
            batch = list(islice(self._pending.items(), _size_of_batch(self._pending)))
        self._table.put_many([(page_key(place), page) for place, page in batch])
        with self._turn:
            for place, page in batch:
                if self._pending.get(place) is page:
                    del self._pending[place]
                    self._bytes -= len(page)
            self._count(pages_written=len(batch), bytes_written=sum(len(page) for _, page in batch))
            self._turn.notify_all()

    def _delete(self) -> None:
        with self._turn:
            spans = self._garbage.take()
        try:
            self._table.delete_ranges([(page_key((s, level, a)), page_key((s, level, b))) for s, level, a, b in spans])
        except BaseException:
            with self._turn:
                self._garbage.restore(spans)
            raise
        with self._turn:
            self._count(pages_deleted=sum(last - first for _, _, first, last in spans))


def _size_of_batch(pending: dict[Place, bytes]) -> int:
    """How many of the oldest pages make a batch."""
    total = 0
    for count, page in enumerate(pending.values(), start=1):
        total += len(page)
        if total >= _BATCH:
            return count
    return len(pending)
