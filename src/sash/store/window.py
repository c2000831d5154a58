"""A window larger than memory: the same structure, with the middle of each level in a store."""

from __future__ import annotations

import weakref
from collections.abc import Callable
from types import TracebackType
from typing import Any, Final, NoReturn, Self

from sash import _core, snapshots
from sash.aggregations.base import Aggregation
from sash.errors import AggregationError, SnapshotError, StoreError
from sash.store.manifest import Manifest
from sash.store.pager import Metrics, Pager
from sash.store.protocol import Store, Table
from sash.times import Kind
from sash.window import Window, finder, own_skips

__all__ = ["StoredWindow"]

#: What runs over a store.
ALGORITHMS: Final = ("amta", "log_mta", "fiba")

_PAGE: Final = 512


class StoredWindow(Window):
    """A window that keeps a few pages here and the rest in a store: what `sash.Window(..., store=...)` makes.

    `Window(aggregation, algorithm, store=store, name="window", page=512, cache=4, buffer=2**23)`, with the algorithm
    "amta" or "log_mta" for events in order, or "fiba" for events in any order; "auto" is fiba, and amta for
    `in_order=True`. Everything is as in memory, for every aggregation whose partials can be written. `commit()` makes
    the window as it is what is found when it is opened again, by that name on that store; whatever happens in between,
    the process killed included, nothing that was committed is lost. One process at a time has it open.

    A page holds `page` elements, a power of two. Each level keeps its tail here and up to `cache` pages that it reads;
    pages are written behind in batches, and read ahead as the window slides towards them. At most about `buffer` bytes
    wait to be written; then inserts wait for the store. Memory: O(log n) pages and the buffer; with fiba `cache` pages
    of the youngest events, where late ones cost no read. A store that fails gives `StoreError`, and the call has
    changed nothing.

    >>> import sash
    >>> store = sash.store.Memory()
    >>> w = sash.Window(sash.Concat(), algorithm="amta", store=store, name="letters", page=4)
    >>> w.bulk_insert(range(26), "abcdefghijklmnopqrstuvwxyz")
    >>> w.bulk_evict(20); w.query()
    'vwxyz'
    >>> w.close()
    >>> with sash.Window(sash.Concat(), algorithm="amta", store=store, name="letters") as w:
    ...     w.insert(26, "!"); w.query()
    'vwxyz!'
    """

    _pager: Pager

    def __init__(
        self,
        aggregation: Aggregation,
        algorithm: str = "auto",
        *,
        store: Store,
        name: str = "window",
        page: int | None = None,
        cache: int = 4,
        buffer: int = 2**23,
        **options: Any,
    ) -> None:
        _check(aggregation, store, page, cache, buffer)
        algorithm = _resolved(algorithm, options)
        table = store.open(name)
        try:
            self._open(aggregation, algorithm, table, _manifest(table, name, page), cache, buffer)
        except BaseException:
            table.close()
            raise

    def _open(
        self, aggregation: Aggregation, algorithm: str, table: Table, manifest: Manifest, cache: int, buffer: int
    ) -> None:
        described = _described(manifest, aggregation, algorithm)
        self._pager = pager = Pager(table, manifest, cache=cache, buffer=buffer)
        # A window that nobody closes lets go of its store when it is collected, or when Python ends.
        self._finalizer = weakref.finalize(self, pager.close)
        self._options = {}
        try:
            options = {"pager": pager}
            parts = own_skips(aggregation), finder(aggregation)
            _core.Window.__init__(self, aggregation, aggregation.native(), algorithm, options, *parts)
            if described is not None and described.times is not None and described.values is not None:
                _restore(self, described.values, described.times, manifest)
        except BaseException:
            pager.close()
            raise

    def commit(self) -> None:
        """Make the window as it is now what is found when it is opened again. Returns when the store has all of it.

        `StoreError` if the store fails; the commit before is then what is found, unless a later one succeeds. Cost:
        O(log n) pages, and what is pending.

        >>> import sash
        >>> store = sash.store.Memory()
        >>> w = sash.Window(sash.Sum(), algorithm="amta", store=store)
        >>> w.insert(1, 5); w.commit(); w.insert(2, 6)
        >>> w.close(commit=False)
        >>> sash.Window(sash.Sum(), algorithm="amta", store=store).query()
        5
        """
        described, state = self._described({})
        self._pager.commit(described.to_bytes().decode(), state)

    def close(self, commit: bool = True) -> None:
        """Commit, unless `commit=False`, and release the store. The window cannot be used any more.

        >>> import sash
        >>> w = sash.Window(sash.Sum(), algorithm="amta", store=sash.store.Memory())
        >>> w.close()
        >>> w.insert(1, 1)
        Traceback (most recent call last):
        ...
        sash.errors.StoreError: the window is closed: open it again
        """
        if commit:
            self.commit()
        self._finalizer()
        self.__class__ = _Closed

    @property
    def metrics(self) -> Metrics:
        """What the window does with its store: pages here, reads, misses, bytes written, pending writes.

        >>> import sash
        >>> sash.Window(sash.Sum(), algorithm="amta", store=sash.store.Memory()).metrics.reads
        0
        """
        return self._pager.metrics

    def memory(self) -> int:
        """Bytes of the window in this process: what it keeps here, what is on its way out and what is read ahead.

        >>> import sash
        >>> w = sash.Window(sash.Sum(), store=sash.store.Memory())
        >>> for start in range(0, 2**17, 2**11):
        ...     w.bulk_insert(range(start, start + 2**11), range(2**11))
        >>> w.commit(); w.memory() < 2**20
        True
        """
        return super().memory() + self._pager.memory

    def __enter__(self) -> Self:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, at: TracebackType | None) -> None:
        self.close(commit=kind is None)

    def snapshot(self) -> bytes:
        """The window as bytes that restore to a window in memory. Cost: O(n), in memory too.

        >>> import sash
        >>> w = sash.Window(sash.Sum(), algorithm="amta", store=sash.store.Memory()); w.insert(1, 5)
        >>> sash.Window.restore(w.snapshot())
        Window(Sum(), algorithm='amta', 1 event, 1..1, result 5)
        """
        memory = Window(self.aggregation, self.algorithm)
        memory.merge(self)
        return memory.snapshot()

    def draw(self, most: int = 32) -> NoReturn:
        """Always `AggregationError`: a picture would read every page.

        >>> import sash
        >>> with sash.Window(sash.Sum(), store=sash.store.Memory(), name="w", algorithm="amta") as w:
        ...     w.draw()
        Traceback (most recent call last):
        ...
        sash.errors.AggregationError: a window over a store is not drawn: draw its copy(), which is in memory
        """
        raise AggregationError("a window over a store is not drawn: draw its copy(), which is in memory")

    def copy(self) -> Window:
        """A window in memory with the same events. Cost: O(n).

        >>> import sash
        >>> w = sash.Window(sash.Sum(), algorithm="amta", store=sash.store.Memory()); w.insert(1, 5)
        >>> twin = w.copy(); twin.insert(2, 6); w.query(), twin.query()
        (5, 11)
        """
        return Window.restore(self.snapshot(), self.aggregation)

    __copy__ = copy

    def __reduce__(self) -> tuple[Callable[..., Window], tuple[bytes, Aggregation]]:
        return Window.restore, (self.snapshot(), self.aggregation)


def _refuse(*args: Any, **options: Any) -> NoReturn:
    raise StoreError("the window is closed: open it again")


class _Closed(StoredWindow):
    """What a window becomes when it is closed: whatever would use its store is refused."""

    insert = bulk_insert = evict = bulk_evict = evict_while = query = clear = items = merge = snapshot = copy = _refuse
    commit = check_invariants = __len__ = __copy__ = __deepcopy__ = __reduce__ = _refuse
    oldest = youngest = property(_refuse)

    def __init__(self) -> None:
        _refuse()

    def close(self, commit: bool = True) -> None:
        """Nothing is left to close."""

    def __repr__(self) -> str:
        return f"StoredWindow({self.aggregation!r}, algorithm={self.algorithm!r}, closed)"


def _check(aggregation: Aggregation, store: Store, page: int | None, cache: int, buffer: int) -> None:
    if not isinstance(aggregation, Aggregation):
        raise AggregationError(f"an aggregation is needed, such as sash.Sum(), not {aggregation!r:.60}")
    if not isinstance(store, Store):
        raise TypeError(f"a store is needed, such as sash.store.Lmdb(path), not {store!r:.60}")
    if page is not None and (not isinstance(page, int) or not 2 <= page <= 2**16 or page & (page - 1)):
        raise ValueError(f"page is a power of two from 2 to 65536, not {page!r}")
    if not isinstance(cache, int) or not 1 <= cache <= 2**16:
        raise ValueError(f"cache is a number of pages from 1 to 65536, not {cache!r}")
    if not isinstance(buffer, int) or buffer < 0:
        raise ValueError(f"buffer is a number of bytes, not {buffer!r}")


def _resolved(algorithm: str, options: dict[str, Any]) -> str:
    if algorithm == "auto":
        algorithm = "amta" if options.pop("in_order", False) else "fiba"
    if algorithm not in ALGORITHMS:
        raise ValueError(f"over a store a window runs as {', '.join(ALGORITHMS)}, not as {algorithm!r}: choose one")
    if options:
        raise TypeError(f"{algorithm} over a store has no option {', '.join(options)}: it has page, cache and buffer")
    return algorithm


def _manifest(table: Table, name: str, page: int | None) -> Manifest:
    """The last one that was committed, or that of a new window."""
    found = Manifest.find(table, name)
    if found is None:
        return Manifest(name, page=page or _PAGE)
    if page is not None and page != found.page:
        raise ValueError(f"the window {name!r} has pages of {found.page} elements, not {page}: leave page out")
    return found


def _described(manifest: Manifest, aggregation: Aggregation, algorithm: str) -> snapshots.Description | None:
    """What the manifest says of its window, if it is this aggregation and algorithm; None for a new window."""
    if not manifest.version:
        return None
    described = snapshots.Description.from_bytes(manifest.description.encode())
    described.matching(aggregation)
    if described.algorithm != algorithm:
        raise SnapshotError(
            f"the window {manifest.window!r} runs as {described.algorithm}, not as {algorithm}: open it as that"
        )
    return described


def _restore(window: StoredWindow, values: str, times: str, manifest: Manifest) -> None:
    with snapshots.reading(f"the window {manifest.window!r} cannot be read"):
        window._restore(values, Kind.parse(times), manifest.state)
