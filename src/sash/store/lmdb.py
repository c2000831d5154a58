"""The embedded store: a folder, and nothing to install or to run beside it."""

from __future__ import annotations

import ctypes
import fcntl
import hashlib
import os
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path
from threading import Lock
from typing import Any, Final

from sash.errors import StoreError
from sash.extras import how_to_install
from sash.store.lmdb_file import check_whole
from sash.store.protocol import Range, checked_name, naming

__all__ = ["Lmdb"]

#: The file of the database.
_DATA: Final = "data.mdb"
#: How many keys one transaction deletes: a reader never waits for it, and its memory is bounded.
_DELETES: Final = 256
#: After so many the process gives the file's pages back to the kernel.
_TOUCHES: Final = 256
#: MADV_DONTNEED of Linux.
_DONTNEED: Final = 4


class Lmdb:
    """Keeps pages in a folder, in an LMDB database. Needs the package `lmdb`.

    Several windows share a folder by their names, and several processes do; each window has one writer. `map_size` is
    the most that the database may grow to; it takes address space, not memory or disk. Pages are written in
    transactions that keep the database whole whenever the process or the machine stops, and a commit returns when it is
    on the disk.

    >>> import sash, tempfile
    >>> store = sash.store.Lmdb(tempfile.mkdtemp())
    >>> with sash.Window(sash.Max(), algorithm="amta", store=store, name="peak") as w:
    ...     w.insert(1, 7); w.insert(2, 5)
    >>> with sash.Window(sash.Max(), algorithm="amta", store=store, name="peak") as w:
    ...     w.query()
    7
    """

    def __init__(self, path: str | os.PathLike[str], *, map_size: int = 2**36) -> None:
        self.path = Path(path)
        self.map_size = map_size

    def open(self, name: str) -> _LmdbTable:
        """The table of the window of that name; `StoreError` if it is open for writing anywhere."""
        key = checked_name(name)
        # Where there is no library, no folder is left behind either.
        _library()
        with naming("be opened", self, OSError):
            self.path.mkdir(parents=True, exist_ok=True)
            lock = _locked(self.path / f"{hashlib.blake2b(key, digest_size=12).hexdigest()}.lock", name, self)
        try:
            return _LmdbTable(self, key, lock, _ENVIRONMENTS.take(self))
        except BaseException:
            os.close(lock)
            raise

    def __repr__(self) -> str:
        return f"Lmdb({str(self.path)!r})"


def _locked(path: Path, name: str, store: Lmdb) -> int:
    """A file that this process has locked; the lock ends with the process, however it ends."""
    file = os.open(path, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o644)
    try:
        fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        os.close(file)
        raise StoreError(
            f"the window {name!r} in {store} is open for writing already, here or in another process: "
            "a window has one writer; close that one, or give this one another name"
        ) from None
    return file


@contextmanager
def _alone(folder: Path) -> Iterator[None]:
    """No other process opens the folder meanwhile: a file that it has only begun would look as if it were cut."""
    file = os.open(folder / "open.lock", os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o644)
    try:
        fcntl.flock(file, fcntl.LOCK_EX)
        yield
    finally:
        os.close(file)


class _Environments:
    """The open databases of this process. LMDB allows each of them to be open once."""

    def __init__(self) -> None:
        self._lock = Lock()
        self._open: dict[tuple[int, str], tuple[Any, int]] = {}

    def take(self, store: Lmdb) -> Any:
        lmdb = _library()
        key = (os.getpid(), os.path.realpath(store.path))
        with self._lock:
            if key not in self._open:
                with naming("be opened", store, lmdb.Error, OSError), _alone(Path(key[1])):
                    check_whole(Path(key[1]) / _DATA)
                    # Without metasync a transaction may be lost with the machine, never torn; flush() makes it last.
                    self._open[key] = lmdb.open(key[1], map_size=store.map_size, metasync=False, readahead=False), 0
            environment, users = self._open[key]
            self._open[key] = environment, users + 1
        return environment

    def give_back(self, store: Lmdb) -> None:
        key = (os.getpid(), os.path.realpath(store.path))
        with self._lock:
            environment, users = self._open.get(key, (None, 0))
            if environment is None:
                return
            if users > 1:
                self._open[key] = environment, users - 1
            else:
                del self._open[key]
                environment.close()


_ENVIRONMENTS: Final = _Environments()


def _library() -> Any:
    try:
        import lmdb
    except ImportError as error:
        raise StoreError(f"the store Lmdb needs the package lmdb: {how_to_install('lmdb')}") from error
    return lmdb


class _LmdbTable:
    def __init__(self, store: Lmdb, name: bytes, lock: int, environment: Any) -> None:
        self._store = store
        self._prefix = len(name).to_bytes(1) + name
        self._lock: int | None = lock
        self._environment = environment
        self._errors = (_library().Error, OSError)
        self._touched = 0

    def get_many(self, keys: Sequence[bytes]) -> list[bytes | None]:
        with naming("read pages", self._store, *self._errors), self._environment.begin() as transaction:
            found = [transaction.get(self._prefix + key) for key in keys]
        self._touch(len(keys))
        return found

    def put_many(self, items: Sequence[tuple[bytes, bytes]]) -> None:
        keyed = [(self._prefix + key, value) for key, value in items]
        try:
            with self._environment.begin(write=True) as transaction, transaction.cursor() as cursor:
                cursor.putmulti(keyed)
        except _library().MapFullError as error:
            raise StoreError(
                f"{self._store} could not write pages: it has reached its map_size of {self._store.map_size} bytes; "
                "open it with a larger one"
            ) from error
        except self._errors as error:
            raise StoreError(f"{self._store} could not write pages: {error}: make room on the disk") from error
        self._fill()
        self._touch(len(items))

    def delete_ranges(self, ranges: Sequence[Range]) -> None:
        with naming("delete pages", self._store, *self._errors):
            left = [(self._prefix + first, self._prefix + last) for first, last in ranges]
            while left := [one for one in left if self._holds(one)]:
                self._delete_some(left)

    def _holds(self, one: Range) -> bool:
        """Whether a range has a key: to ask costs far less than a transaction that writes."""
        with self._environment.begin() as transaction, transaction.cursor() as cursor:
            return bool(cursor.set_range(one[0]) and cursor.key() < one[1])

    def _delete_some(self, ranges: list[Range]) -> None:
        deleted = 0
        with self._environment.begin(write=True) as transaction, transaction.cursor() as cursor:
            for first, last in ranges:
                found = cursor.set_range(first)
                while found and deleted < _DELETES and cursor.key() < last:
                    deleted += 1
                    found = cursor.delete() and cursor.key() != b""
        self._fill()
        self._touch(deleted)

    def _fill(self) -> None:
        """Give the file the length that its header promises. LMDB leaves pages at its end unwritten if they were freed
        in the transaction that took them; then a file that was cut could not be distinguished from a sound one."""
        path = self._store.path / _DATA
        if path.stat().st_size >= self._promised():
            return
        with self._environment.begin(write=True):
            # Nobody else writes: the file does not grow between the two.
            if path.stat().st_size < self._promised():
                os.truncate(path, self._promised())

    def _promised(self) -> int:
        pages: int = self._environment.info()["last_pgno"] + 1
        return pages * int(self._environment.stat()["psize"])

    def _touch(self, pages: int) -> None:
        """Count the pages of the file that were looked at: now and then the kernel may take them back."""
        self._touched += pages
        if self._touched >= _TOUCHES:
            self._touched = 0
            _unmap(os.path.realpath(self._store.path / _DATA))

    def flush(self) -> None:
        with naming("flush", self._store, *self._errors):
            self._environment.sync(True)

    def close(self) -> None:
        if self._lock is not None:
            _ENVIRONMENTS.give_back(self._store)
            os.close(self._lock)
            self._lock = None


def _unmap(path: str) -> None:
    """Advise the kernel that no page of the file, which is mapped for reading, is needed at the moment.

    They stay in the kernel's cache as long as there is room, and come back when they are looked at. Where the kernel
    cannot be advised, nothing happens. Cost: that of reading the list of mappings, and of the pages that were mapped.
    """
    with suppress(OSError, AttributeError):
        for begin, end in _mappings(path):
            _madvise(ctypes.c_void_p(begin), ctypes.c_size_t(end - begin), _DONTNEED)


def _mappings(path: str) -> Iterator[tuple[int, int]]:
    """Where the file is mapped, and read-only: dropping those pages cannot lose anything."""
    with open("/proc/self/maps") as maps:
        for line in maps:
            if line.rstrip("\n").endswith(path) and line.split()[1] == "r--s":
                begin, _, end = line.split()[0].partition("-")
                yield int(begin, 16), int(end, 16)


_madvise: Final = getattr(ctypes.CDLL(None), "madvise", None) or (lambda *_: -1)
