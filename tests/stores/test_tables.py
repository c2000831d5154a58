"""What every store promises, asked of each of them."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

import sash
import sash.store
from sash.errors import StoreError

from .conftest import MakeStore

keys = st.binary(min_size=1, max_size=3)


def test_each_store_is_a_store(make_store: MakeStore) -> None:
    """The protocol is all that a window asks for."""
    store = make_store()
    assert isinstance(store, sash.store.Store)
    table = store.open("w")
    assert isinstance(table, sash.store.Table)
    table.close()


def test_values_come_back_in_the_order_of_the_question(make_store: MakeStore) -> None:
    """A key that nobody put has no value."""
    table = make_store().open("w")
    table.put_many([(b"b", b"2"), (b"a", b"1"), (b"a\x00\xff", bytes(range(256)))])
    assert table.get_many([b"a", b"c", b"b", b"a\x00\xff"]) == [b"1", None, b"2", bytes(range(256))]
    table.put_many([(b"a", b"3")])
    assert table.get_many([b"a"]) == [b"3"]
    table.close()


def test_windows_do_not_see_each_other(make_store: MakeStore) -> None:
    """A window that is called as another one begins, is another one."""
    store = make_store()
    one, other = store.open("w"), store.open("ww")
    one.put_many([(b"wx", b"1")])
    other.put_many([(b"x", b"2")])
    assert one.get_many([b"wx", b"x"]) == [b"1", None]
    one.delete_ranges([(b"", b"\xff")])
    assert other.get_many([b"x"]) == [b"2"]
    one.close()
    other.close()


def test_what_was_put_is_there_for_the_next(make_store: MakeStore) -> None:
    """A table that is closed can be opened again, by another object too."""
    table = make_store().open("w")
    table.put_many([(b"a", b"1")])
    table.flush()
    table.close()
    table.close()
    again = make_store().open("w")
    assert again.get_many([b"a"]) == [b"1"]
    again.close()


def test_a_window_has_one_writer(make_store: MakeStore) -> None:
    """The second one gets an error, and the first one goes on."""
    store = make_store()
    table = store.open("w")
    with pytest.raises(StoreError, match="open"):
        make_store().open("w")
    table.put_many([(b"a", b"1")])
    table.close()
    make_store().open("w").close()


@pytest.mark.parametrize("name", ["", "x" * 201, 5])
def test_a_name_is_a_short_text(make_store: MakeStore, name: str) -> None:
    """What cannot be a key is refused before anything is opened."""
    with pytest.raises(ValueError, match="1 to 200 bytes"):
        make_store().open(name)


@settings(suppress_health_check=list(HealthCheck), deadline=None)
@given(
    items=st.dictionaries(keys, st.binary(max_size=4), max_size=30),
    ranges=st.lists(st.tuples(keys, keys), max_size=4),
)
def test_ranges_are_deleted_as_bytes_are_ordered(
    make_store: MakeStore, items: dict[bytes, bytes], ranges: list[tuple[bytes, bytes]]
) -> None:
    """The first key of a range is in, the last is out; a range the wrong way round is empty."""
    table = make_store().open("w")
    table.delete_ranges([(b"", b"\xff" * 4)])
    if items:
        table.put_many(list(items.items()))
    table.delete_ranges(ranges)
    left = {key for key in items if not any(first <= key < last for first, last in ranges)}
    found = table.get_many(sorted(items))
    assert found == [items[key] if key in left else None for key in sorted(items)]
    table.close()


def test_many_keys_are_deleted_at_once(make_store: MakeStore) -> None:
    """More of them than a store deletes in one go."""
    table = make_store().open("w")
    numbers = [number.to_bytes(4) for number in range(3000)]
    table.put_many([(key, b"x") for key in numbers])
    table.delete_ranges([(numbers[10], numbers[2900]), (numbers[2950], numbers[2999])])
    kept = {*range(10), *range(2900, 2950), 2999}
    assert [n for n, value in enumerate(table.get_many(numbers)) if value is not None] == sorted(kept)
    table.close()


@pytest.mark.parametrize(("package", "store"), [("lmdb", "Lmdb('x')"), ("redis", "Redis('redis://localhost')")])
def test_a_missing_package_is_named(package: str, store: str, tmp_path: Path) -> None:
    """Stores are imported without their libraries; who opens one hears what to install, and nothing is left behind."""
    code = f"import sys; sys.modules[{package!r}] = None; import sash.store; sash.store.{store}.open('w')"
    ran = subprocess.run([sys.executable, "-c", code], cwd=tmp_path, capture_output=True, text=True, check=False)
    assert f"pip install '{package}>=" in ran.stderr
    assert not list(tmp_path.iterdir())


def test_redis_shows_no_password() -> None:
    """What is printed and logged names the place only."""
    store = sash.store.Redis("rediss://me:secret@host:1234/5")
    assert "secret" not in repr(store)
    assert "host:1234/5" in repr(store)


def test_a_redis_writer_that_was_believed_dead_is_fenced_off(redis_server) -> None:
    """It may wake up after its lock has run out and another writer has come: whatever it writes is refused."""
    url = redis_server.url
    sleeper = sash.store.Redis(url, namespace="fence", lock_seconds=0.3).open("w")
    sleeper._closed.set()  # it renews its lock no more, as if stopped
    sleeper._renewing.join()
    heir = sash.store.Redis(url, namespace="fence", lock_seconds=0.3).open("w")
    heir.put_many([(b"a", b"new")])
    with pytest.raises(StoreError, match="another writer"):
        sleeper.put_many([(b"a", b"old")])
    with pytest.raises(StoreError, match="another writer"):
        sleeper.delete_ranges([(b"a", b"b")])
    assert heir.get_many([b"a"]) == [b"new"]
    heir.close()
