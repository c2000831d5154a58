"""Local memory: what a large window needs here does not grow with it."""

from __future__ import annotations

import subprocess
import sys
from math import ceil, log2
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import sash
import sash.store
from sash.store.window import ALGORITHMS

from .conftest import MakeStore


class Total(sash.Aggregation):
    """A sum of a user's own: run in Python, or compiled."""

    identity = (0.0,)

    def lift(self, value: float) -> tuple[float]:
        return (value + 0.0,)

    def combine(self, older: tuple[float], newer: tuple[float]) -> tuple[float]:
        return (older[0] + newer[0],)

    def lower(self, partial: tuple[float]) -> float:
        return partial[0]


@pytest.fixture(params=["native", "compiled", "python"])
def total(request: pytest.FixtureRequest) -> sash.Aggregation:
    """A sum that the core has, one that is compiled, and one that runs in Python."""
    if request.param == "compiled":
        pytest.importorskip("numba")
        return sash.compiled(Total())
    return sash.Sum() if request.param == "native" else Total()


FOOTPRINT = Path(__file__).with_name("footprint.py")
MOST = 64


def peak(folder: Path, algorithm: str, events: int) -> tuple[float, float]:
    """The peak of the process's memory, what it has mapped of the file included, and the file's size, in MiB."""
    pytest.importorskip("lmdb")
    command = [sys.executable, str(FOOTPRINT), str(folder), algorithm, str(events)]
    ran = subprocess.run(command, capture_output=True, text=True, check=False)
    assert ran.returncode == 0, ran.stderr[-2000:]
    own, whole, size = map(float, ran.stdout.split())
    return max(own, whole), size


@pytest.mark.parametrize("algorithm", ALGORITHMS)
def test_a_million_events_over_lmdb(tmp_path: Path, algorithm: str) -> None:
    """They fill more than 16 MiB of the store, and less than half of the bound here."""
    here, size = peak(tmp_path, algorithm, 2**20)
    assert size > 16
    assert here < MOST / 2


@pytest.mark.slow
@pytest.mark.parametrize("algorithm", ALGORITHMS)
def test_thirty_two_million_events_over_lmdb(tmp_path: Path, algorithm: str) -> None:
    """2^25 integers: hundreds of MiB in the store, under 64 MiB above the idle process here."""
    here, size = peak(tmp_path, algorithm, 2**25)
    assert size > 400
    assert here < MOST


def fill_mildly_late(w: Any, begin: int, end: int) -> None:
    """The times from `begin` to before `end` in batches, each of them shuffled."""
    dice = np.random.default_rng(begin)
    for start in range(begin, end, 64):
        times = dice.permutation(np.arange(start, min(start + 64, end)))
        w.bulk_insert(times, times)
        w.insert(start, 1)


def test_memory_is_logarithmic(total: sash.Aggregation) -> None:
    """From 2^11 to 2^19 events fiba adds heights of its directory, and nothing else; nothing is read."""
    memory, pages = {}, {}
    for log in range(11, 20, 2):
        w: Any = sash.Window(total, store=sash.store.Memory(), page=32, cache=2)
        fill_mildly_late(w, 0, 2**log)
        w.commit()
        memory[log], pages[log] = w.memory(), w.metrics.pages_local
        assert w.metrics.reads == 0
        assert w.query() == 2**log * (2**log - 1) // 2 + 2**log // 64
        w.close(commit=False)
    for log in memory:
        # Nodes are made of 16: a height has two digits and two nodes of up to 33 infos, in vectors that double.
        heights = ceil((log - 11) / log2(16))
        assert memory[log] <= memory[11] + heights * (2 + 2) * 64 * 96
        assert pages[log] <= pages[11] + heights * (2 + 2)


def test_mildly_late_events_are_not_read_back(make_store: MakeStore, total: sash.Aggregation) -> None:
    """Over every store, while the window slides too: a bulk eviction reads a page of each height."""
    w: Any = sash.Window(total, store=make_store(), page=8, cache=4)
    late = np.random.default_rng(3)
    for start in range(0, 4096, 16):
        times = late.permutation(np.arange(start, start + 16))
        w.bulk_insert(times, times)
    assert w.metrics.reads == 0
    w.bulk_evict(1999)
    # 511 leaves; nodes are made of 4.
    assert w.metrics.reads <= log2(512) / log2(4) + 1
    w.commit()
    assert w.query() == sum(range(2000, 4096))
    w.check_invariants()
    w.close()


@pytest.mark.parametrize("commits", [False, True])
def test_pages_that_have_left_leave_the_store(commits: bool) -> None:
    """Also those that late events have changed, and those that a writer has left that died."""
    store = sash.store.Memory()
    dice = np.random.default_rng(8)
    size = 2048
    for begin in range(0, 8 * size, size):
        w: Any = sash.Window(sash.Sum(), store=store, cache=2, **({} if begin else {"page": 16}))
        for start in range(begin, begin + size, 128):
            w.bulk_insert(np.arange(start, start + 128), np.ones(128, int))
            w.insert(int(dice.integers(max(0, start - size), start + 1)), 0)
            w.bulk_evict(start + 127 - size)
            if commits:
                w.commit()
        assert len(w) == size
        w.close(commit=True)
    w = sash.Window(sash.Sum(), store=store, cache=2)
    w.commit()
    w.close()
    # 128 leaves, and at most as many again that a late event has changed in the course of a window; nodes beside them.
    assert len(store._boxes[b"window"].keys) < 4 * 128
