"""Stores that fail, dawdle or give back what they were not given."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import threading
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import pytest

import sash
import sash.store
from sash.errors import SnapshotError, StoreError
from sash.store.manifest import MANIFEST, page_key
from sash.store.window import ALGORITHMS

from .server import Server, missing


class Fragile:
    """A store in memory that fails on demand, or to let nobody through."""

    def __init__(self) -> None:
        self.memory = sash.store.Memory()
        self.broken: set[str] = set()
        self.gate = threading.Event()
        self.gate.set()
        self.box: dict[bytes, bytes] = {}

    def open(self, name: str) -> _FragileTable:
        table = self.memory.open(name)
        self.box = self.memory._boxes[name.encode()].values
        return _FragileTable(self, table)


class _FragileTable:
    def __init__(self, store: Fragile, table: sash.store.Table) -> None:
        self.store = store
        self.table = table

    def _pass(self, operation: str) -> None:
        self.store.gate.wait()
        if operation in self.store.broken:
            raise StoreError(f"the fragile store could not {operation}")

    def get_many(self, keys: Sequence[bytes]) -> list[bytes | None]:
        self._pass("read")
        return self.table.get_many(keys)

    def put_many(self, items: Sequence[tuple[bytes, bytes]]) -> None:
        self._pass("write")
        self.table.put_many(items)

    def delete_ranges(self, ranges: Sequence[tuple[bytes, bytes]]) -> None:
        self._pass("delete")
        self.table.delete_ranges(ranges)

    def flush(self) -> None:
        self._pass("flush")

    def close(self) -> None:
        self.table.close()


@pytest.fixture(params=ALGORITHMS)
def algorithm(request: pytest.FixtureRequest) -> str:
    return str(request.param)


@pytest.fixture
def store() -> Iterator[Fragile]:
    fragile = Fragile()
    yield fragile
    fragile.gate.set()
    fragile.broken.clear()


def opened(store: sash.store.Store, algorithm: str, **options: Any) -> Any:
    sizes = {"page": 4, "cache": 1, "buffer": 400, **options}
    return sash.Window(sash.Concat(separator=","), algorithm=algorithm, store=store, **sizes)


def text(first: int, last: int) -> str:
    return ",".join(map(str, range(first, last)))


def fill_until_it_fails(w: Any, start: int) -> tuple[int, str]:
    """The event that was refused, and why."""
    for number in range(start, start + 20_000):
        try:
            w.insert(number, str(number))
        except StoreError as error:
            return number, str(error)
    raise AssertionError("a store that does not write was never noticed")


def test_a_store_that_cannot_write_stops_inserts(store: Fragile, algorithm: str) -> None:
    """They go on while there is room, then fail without a change, and go on when the store does."""
    w = opened(store, algorithm)
    w.bulk_insert(range(100), map(str, range(100)))
    w.commit()
    store.broken = {"write"}
    reached, complaint = fill_until_it_fails(w, 100)
    assert "could not write" in complaint
    for _ in range(3):
        with pytest.raises(StoreError, match="can go on once the store can"):
            w.insert(reached, str(reached))
    assert (len(w), w.query(), w.youngest) == (reached, text(0, reached), reached - 1)
    with pytest.raises(StoreError, match="could not write"):
        w.commit()
    store.broken = set()
    w.insert(reached, str(reached))
    w.check_invariants()
    w.close()
    again = opened(store, algorithm)
    assert again.query() == text(0, reached + 1)
    again.close()


def test_a_batch_is_all_or_none_when_the_store_fails(store: Fragile, algorithm: str) -> None:
    """Or all of it, where there was room."""
    w = opened(store, algorithm)
    w.bulk_insert(range(100), map(str, range(100)))
    store.broken = {"write"}
    end = 100
    for _ in range(20):
        try:
            w.bulk_insert(range(end, end + 300), map(str, range(end, end + 300)))
        except StoreError:
            break
        end += 300
    else:
        raise AssertionError("a store that does not write was never noticed")
    assert (len(w), w.query()) == (end, text(0, end))
    store.broken = set()
    w.check_invariants()
    w.bulk_insert(range(end, end + 300), map(str, range(end, end + 300)))
    w.bulk_evict(end)
    assert w.query() == text(end + 1, end + 300)
    w.close()


def test_a_failed_commit_leaves_the_one_before(store: Fragile, algorithm: str) -> None:
    """Whatever the store could not do, the window of the last commit is found."""
    for operation in ("write", "flush"):
        w = opened(store, algorithm)
        w.clear()
        w.bulk_insert(range(50), map(str, range(50)))
        w.commit()
        w.bulk_evict(30)
        w.bulk_insert(range(50, 70), map(str, range(50, 70)))
        store.broken = {operation}
        with pytest.raises(StoreError, match=operation):
            w.commit()
        w.close(commit=False)
        store.broken = set()
        again = opened(store, algorithm)
        assert again.query() == text(0, 50)
        again.check_invariants()
        again.close()


def test_a_store_that_cannot_read_fails_the_call_alone(store: Fragile, algorithm: str) -> None:
    """What is here still answers; what needed a page has changed nothing."""
    w = opened(store, algorithm)
    w.bulk_insert(range(1000), map(str, range(1000)))
    w.commit()
    store.broken = {"read"}
    with pytest.raises(StoreError, match="could not read"):
        w.bulk_evict(500)
    assert (len(w), w.query()) == (1000, text(0, 1000))
    w.insert(1000, "1000")
    store.broken = set()
    w.bulk_evict(500)
    w.check_invariants()
    assert w.query() == text(501, 1001)
    w.close()


def test_a_slow_store_makes_inserts_wait(store: Fragile, algorithm: str) -> None:
    """Memory does not grow with what the store has not taken yet."""
    w = opened(store, algorithm, buffer=2000)
    store.gate.clear()
    done = threading.Event()

    def insert() -> None:
        for number in range(5000):
            w.insert(number, "x")
        done.set()

    thread = threading.Thread(target=insert)
    thread.start()
    assert not done.wait(0.5)
    assert 0 < w.metrics.pending_writes < 200
    assert w.metrics.waits == 1
    store.gate.set()
    thread.join()
    assert len(w) == 5000
    w.commit()
    assert w.metrics.pending_writes == 0
    w.close()


def some_page(store: Fragile) -> bytes:
    return next(key for key in sorted(store.box) if key != MANIFEST)


def tampered(page: bytes, how: str) -> bytes:
    if how == "bit":
        return page[:60] + bytes([page[60] ^ 4]) + page[61:]
    if how == "cut":
        return page[:-5]
    if how == "future":
        return page[:8] + (99).to_bytes(4, "little") + page[12:]
    return b"something else altogether"


def read_all(w: Any) -> None:
    w.check_invariants()
    list(w.items())


@pytest.mark.parametrize("how", ["bit", "cut", "future", "alien"])
def test_a_damaged_page_is_seen(store: Fragile, algorithm: str, how: str) -> None:
    """A flipped bit, a torn write, a format from the future, and bytes of something else."""
    w = opened(store, algorithm)
    w.bulk_insert(range(200), map(str, range(200)))
    w.close()
    key = some_page(store)
    store.box[key] = tampered(store.box[key], how)
    w = opened(store, algorithm)
    with pytest.raises(SnapshotError, match="page 0 of level 0"):
        read_all(w)
    w.close(commit=False)


def test_every_damaged_page_of_fiba_is_seen(store: Fragile) -> None:
    """Leaves, nodes of every height, and the ends of heights, which are read when the window is opened."""
    w = opened(store, "fiba")
    w.bulk_insert(range(200), map(str, range(200)))
    w.close()
    sound = dict(store.box)
    for key in sound:
        store.box.update(sound)
        store.box[key] = tampered(sound[key], "bit")
        with pytest.raises(SnapshotError):
            read_all(opened(store, "fiba"))


def test_a_page_of_another_window_is_seen(store: Fragile, algorithm: str) -> None:
    """Sound in itself, and in the wrong place."""
    pages = []
    for name in ("one", "other"):
        w = opened(store, algorithm, name=name)
        w.bulk_insert(range(200), map(str, range(200)))
        w.close()
        pages.append(store.box[page_key((0, 0, 0))])
    store.box[page_key((0, 0, 0))] = pages[0]
    w = opened(store, algorithm, name="other")
    with pytest.raises(SnapshotError, match="another window"):
        read_all(w)
    w.close(commit=False)


def test_a_lost_page_is_named(store: Fragile, algorithm: str) -> None:
    """A store that has lost a page is named."""
    w = opened(store, algorithm)
    w.bulk_insert(range(200), map(str, range(200)))
    w.close()
    del store.box[page_key((0, 0, 0))]
    w = opened(store, algorithm)
    with pytest.raises(StoreError, match="lost page 0 of level 0"):
        read_all(w)
    w.close(commit=False)


@pytest.mark.parametrize("how", ["bit", "cut", "future", "alien"])
def test_a_damaged_manifest_is_seen(store: Fragile, algorithm: str, how: str) -> None:
    """The window is not opened, and its name is free again."""
    w = opened(store, algorithm)
    w.bulk_insert(range(200), map(str, range(200)))
    w.close()
    sound = store.box[MANIFEST]
    store.box[MANIFEST] = tampered(sound, how)
    for _ in range(2):
        with pytest.raises(SnapshotError):
            opened(store, algorithm)
    store.box[MANIFEST] = sound
    again = opened(store, algorithm)
    assert again.query() == text(0, 200)
    again.close()


def test_every_flipped_bit_of_a_manifest_is_seen(store: Fragile, algorithm: str) -> None:
    """No byte of it is beyond the checksum."""
    w = opened(store, algorithm)
    w.bulk_insert(range(30), map(str, range(30)))
    w.close()
    sound = store.box[MANIFEST]
    for at in range(0, len(sound), 7):
        store.box[MANIFEST] = sound[:at] + bytes([sound[at] ^ 1]) + sound[at + 1 :]
        with pytest.raises(SnapshotError):
            opened(store, algorithm)


def test_a_window_is_opened_as_what_it_is(store: Fragile) -> None:
    """Another aggregation, algorithm or page is refused, with the way out."""
    opened(store, "amta").close()
    with pytest.raises(SnapshotError, match="its own aggregation"):
        sash.Window(sash.Sum(), algorithm="amta", store=store)
    with pytest.raises(SnapshotError, match="runs as amta"):
        opened(store, "log_mta")
    with pytest.raises(ValueError, match="pages of 4 elements"):
        opened(store, "amta", page=8)


@pytest.mark.parametrize(
    ("options", "error"),
    [
        ({"page": 3}, "power of two"),
        ({"page": 1}, "power of two"),
        ({"cache": 0}, "cache is"),
        ({"buffer": -1}, "buffer is"),
        ({"algorithm": "daba_lite"}, "over a store"),
        ({"leaf": 8}, "no option leaf"),
        ({"name": ""}, "1 to 200"),
    ],
)
def test_options_that_make_no_sense(options: dict[str, Any], error: str) -> None:
    """Refused before anything is opened."""
    with pytest.raises((ValueError, TypeError), match=error):
        sash.Window(sash.Sum(), **{"algorithm": "amta", "store": sash.store.Memory(), **options})


def test_a_store_is_a_store() -> None:
    """A path is not one."""
    with pytest.raises(TypeError, match="a store is needed"):
        sash.Window(sash.Sum(), algorithm="amta", store="a/path")  # type: ignore[arg-type]


def test_a_closed_window_is_closed(store: Fragile, algorithm: str) -> None:
    """Every use of it says so; closing again does nothing."""
    w = opened(store, algorithm)
    w.insert(1, "a")
    w.close()
    w.close()
    for use in (lambda: w.insert(2, "b"), w.query, w.evict, lambda: len(w), w.commit, lambda: w.oldest, w.snapshot):
        with pytest.raises(StoreError, match="closed"):
            use()
    assert "closed" in repr(w)


def test_a_window_that_nobody_closed_lets_go(store: Fragile, algorithm: str) -> None:
    """When it is collected, its name is free, and its last commit is found."""
    w = opened(store, algorithm)
    w.insert(1, "a")
    w.commit()
    w.insert(2, "b")
    del w
    again = opened(store, algorithm)
    assert again.query() == "a"
    again.close()


def test_a_fork_does_not_share_the_window(tmp_path: Path, algorithm: str) -> None:
    """The child gets an error; the parent goes on."""
    pytest.importorskip("lmdb")
    w = opened(sash.store.Lmdb(tmp_path / "store"), algorithm)
    w.bulk_insert(range(100), map(str, range(100)))
    child = os.fork()
    if child == 0:
        try:
            w.commit()
        except StoreError as error:
            os._exit(7 if "forked" in str(error) else 1)
        os._exit(2)
    assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 7
    w.commit()
    w.close()


def test_two_processes_cannot_write_one_window(tmp_path: Path) -> None:
    """The second one is refused while the first has it open, and let in afterwards."""
    pytest.importorskip("lmdb")
    code = (
        "import sash, sash.store, sys\n"
        "sash.Window(sash.Sum(), algorithm='amta', store=sash.store.Lmdb(sys.argv[1])).close()\n"
    )

    def other() -> subprocess.CompletedProcess[str]:
        command = [sys.executable, "-c", code, str(tmp_path / "store")]
        return subprocess.run(command, capture_output=True, text=True, check=False)

    with sash.Window(sash.Sum(), algorithm="amta", store=sash.store.Lmdb(tmp_path / "store")):
        refused = other()
        assert refused.returncode != 0
        assert "a window has one writer" in refused.stderr
    assert other().returncode == 0


def test_a_full_map_loses_nothing(tmp_path: Path, algorithm: str) -> None:
    """LMDB has reached its size: the error says so, and a larger one goes on from the last commit."""
    pytest.importorskip("lmdb")
    path = tmp_path / "store"
    w = opened(sash.store.Lmdb(path, map_size=2**17), algorithm, buffer=0)
    w.bulk_insert(range(200), map(str, range(200)))
    w.commit()
    assert "map_size" in fill_until_it_fails(w, 200)[1]
    w.close(commit=False)
    again = opened(sash.store.Lmdb(path), algorithm)
    assert again.query() == text(0, 200)
    again.check_invariants()
    again.close()


FULL = """
import resource, sys
import sash, sash.store
store = sash.store.Lmdb(sys.argv[1])
w = sash.Window(sash.Concat(separator=","), algorithm=sys.argv[2], store=store, page=4, buffer=0)
w.bulk_insert(range(200), map(str, range(200)))
w.commit()
# No file of this process may grow beyond this: what a full disk is to it.
resource.setrlimit(resource.RLIMIT_FSIZE, (2**18, 2**18))
try:
    for number in range(200, 50_000):
        w.insert(number, str(number))
        if number % 500 == 0:
            w.commit()
            print(number, flush=True)
except sash.StoreError as error:
    print(error)
"""


def test_a_full_disk_loses_nothing(tmp_path: Path, algorithm: str) -> None:
    """The error is clear, and the last commit that returned is there."""
    pytest.importorskip("lmdb")
    path = tmp_path / "store"
    command = [sys.executable, "-c", FULL, str(path), algorithm]
    ran = subprocess.run(command, capture_output=True, text=True, check=False)
    *commits, error = ran.stdout.splitlines()
    assert "could not write pages" in error, ran.stderr[-2000:]
    again = opened(sash.store.Lmdb(path), algorithm)
    committed = int(commits[-1]) + 1 if commits else 200
    assert again.query() == text(0, committed)
    again.close()


DISK = """
import subprocess, sys
from pathlib import Path
import sash, sash.store

folder = Path(sys.argv[1])
subprocess.run(["mount", "-t", "tmpfs", "-o", "size=1m", "tmpfs", folder], check=True)
ballast = folder / "ballast"
ballast.write_bytes(bytes(2**19))

def opened():
    store = sash.store.Lmdb(folder / "store")
    return sash.Window(sash.Concat(separator=","), algorithm=sys.argv[2], store=store, page=4, buffer=0)

w = opened()
committed = 0
try:
    for number in range(50_000):
        w.insert(number, str(number))
        if number % 100 == 0:
            w.commit()
            committed = number
except sash.StoreError as error:
    # LMDB knows a write that was cut short only as an input or output error.
    assert "could not write pages" in str(error) and "make room on the disk" in str(error), error
print("committed", committed)
w.close(commit=False)
# There is room again: what was committed is there, and the window goes on.
ballast.unlink()
again = opened()
text = [str(number) for number in range(committed + 1)]
assert again.query() == ",".join(text)
again.insert(committed + 1, "more")
again.commit()
again.close()
last = opened()
assert last.query() == ",".join([*text, "more"])
last.check_invariants()
print("sound")
"""


def test_a_disk_without_room_loses_nothing(tmp_path: Path, algorithm: str) -> None:
    """A file system of one mebibyte that runs full, and has room again."""
    pytest.importorskip("lmdb")
    own = ["unshare", "--user", "--map-root-user", "--mount"]
    if shutil.which("unshare") is None or subprocess.run([*own, "true"], capture_output=True).returncode:
        pytest.skip("needs `unshare` and leave to mount a file system of its own")
    (tmp_path / "disk").mkdir()
    command = [*own, sys.executable, "-c", DISK, str(tmp_path / "disk"), algorithm]
    ran = subprocess.run(command, capture_output=True, text=True, check=False)
    assert ran.returncode == 0, ran.stderr[-2000:]
    first, last = ran.stdout.splitlines()
    assert last == "sound"
    assert 0 < int(first.removeprefix("committed ")) < 40_000


def test_redis_stops_and_starts_again(tmp_path_factory: pytest.TempPathFactory, algorithm: str) -> None:
    """While it is away calls fail or wait; then the window goes on, with nothing lost."""
    if reason := missing():
        pytest.skip(reason)
    server = Server(tmp_path_factory.mktemp("redis"))
    server.start()
    w = opened(sash.store.Redis(server.url, lock_seconds=0.5), algorithm)
    w.bulk_insert(range(500), map(str, range(500)))
    w.commit()
    server.stop()
    reached, complaint = fill_until_it_fails(w, 500)
    assert "could not write" in complaint
    server.start()
    for number in range(reached, 1500):
        w.insert(number, str(number))
    w.bulk_evict(700)
    assert w.query() == text(701, 1500)
    w.close()
    again = opened(sash.store.Redis(server.url, lock_seconds=0.5), algorithm)
    assert again.query() == text(701, 1500)
    again.close()
    server.stop()


def test_redis_over_tls(tmp_path: Path) -> None:
    """By a URL of `rediss`: the server is who the certificate says, or there is no connection."""
    if reason := missing(tls=True):
        pytest.skip(reason)
    server = Server(tmp_path, tls=True)
    server.start()
    try:
        for _ in range(2):
            with opened(sash.store.Redis(server.url, lock_seconds=0.5), "amta") as w:
                start = len(w)
                w.bulk_insert(range(start, start + 300), map(str, range(start, start + 300)))
                assert w.query() == text(0, start + 300)
        stranger = server.url.split("?")[0]
        with pytest.raises(sash.StoreError, match="certificate"):
            opened(sash.store.Redis(stranger), "amta")
    finally:
        server.stop()
