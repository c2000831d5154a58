"""The file of an LMDB store that was cut short: an error that says so, never a killed process or an empty window."""

from __future__ import annotations

import random
from multiprocessing import get_context
from pathlib import Path

import pytest

import sash
from sash.errors import SnapshotError
from sash.store import Lmdb
from sash.store.lmdb_file import check_whole


def filled(folder: Path) -> int:
    """A folder with a window of many pages; the size of its file."""
    with sash.Window(sash.Sum(), "amta", store=Lmdb(folder), name="w", page=16) as window:
        window.bulk_insert(range(5000), range(5000))
    return (folder / "data.mdb").stat().st_size


def read_all(folder: Path) -> None:
    """Open the window and look at every page; in a process of its own, since it may be killed."""
    try:
        with sash.Window(sash.Sum(), "amta", store=Lmdb(folder), name="w") as window:
            assert window.query() == sum(range(5000)), "another window than was stored"
            list(window.items())
    except SnapshotError as error:
        raise SystemExit(0 if "cut short" in str(error) else 3) from error
    raise SystemExit(1)


@pytest.mark.parametrize("left", [0, 1, 100, 4096, 8191, 8192, 0.3, 0.6, 0.9, 0.999], ids=str)
def test_a_file_that_was_cut_is_refused(tmp_path: Path, left: float) -> None:
    """Wherever it was cut, its first bytes included."""
    size = filled(tmp_path)
    (tmp_path / "data.mdb").open("r+b").truncate(int(left if left >= 1 or left == 0 else left * size))
    child = get_context("fork").Process(target=read_all, args=(tmp_path,))
    child.start()
    child.join()
    assert child.exitcode == 0


def test_a_sound_file_is_never_called_cut(tmp_path: Path) -> None:
    """Whatever was put and deleted: pages that LMDB leaves unwritten at the end are filled."""
    chance = random.Random(1)
    table = Lmdb(tmp_path).open("w")
    keys: list[bytes] = []
    for _ in range(400):
        if chance.random() < 0.5:
            first = chance.randrange(1000)
            table.delete_ranges([(b"%04d" % first, b"%04d" % (first + 300))])
        else:
            keys = [b"%04d" % chance.randrange(1000) for _ in range(chance.randrange(1, 100))]
            table.put_many([(key, bytes(chance.choice([10, 1000, 5000]))) for key in keys])
        check_whole(tmp_path / "data.mdb")
    table.close()
