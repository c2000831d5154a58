"""Kill -9 at any moment: the window that is opened afterwards is the one of its last commit."""

from __future__ import annotations

import random
import signal
import subprocess
import sys
import time
from bisect import bisect_left
from pathlib import Path
from typing import Any

import pytest

from sash.store.window import ALGORITHMS

from .victim import steps, take, window_at

VICTIM = Path(__file__).with_name("victim.py")
SEED = 20260329


class Model:
    """Brute force: times and texts in order."""

    def __init__(self, algorithm: str) -> None:
        self.algorithm = algorithm
        self.events: list[tuple[int, str]] = []

    def __len__(self) -> int:
        return len(self.events)

    @property
    def oldest(self) -> int:
        return self.events[0][0]

    @property
    def youngest(self) -> int:
        return self.events[-1][0]

    def insert(self, time: int, text: str) -> None:
        at = bisect_left(self.events, (time, ""))
        if at < len(self.events) and self.events[at][0] == time:
            self.events[at] = time, f"{self.events[at][1]},{text}"
        else:
            self.events.insert(at, (time, text))

    def bulk_insert(self, times: list[int], texts: list[str]) -> None:
        for time_, text in zip(times, texts, strict=True):
            self.insert(time_, text)

    def evict(self) -> None:
        del self.events[0]

    def bulk_evict(self, time: int) -> None:
        self.events = [event for event in self.events if event[0] > time]


def killed(kind: str, place: str, algorithm: str, dice: random.Random) -> list[int]:
    """The steps at which a victim reported that it had committed, before it was killed: a moment after a few commits,
    or after none."""
    command = [sys.executable, str(VICTIM), kind, place, algorithm, str(SEED)]
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True) as victim:
        assert victim.stdout is not None
        assert victim.stdout.readline() == "open\n", victim.stderr.read() if victim.stderr else ""
        reported = [victim.stdout.readline() for _ in range(dice.randrange(5))]
        time.sleep(dice.random() * 0.1)
        victim.send_signal(signal.SIGKILL)
        return [int(line) for line in [*reported, *victim.stdout] if line.endswith("\n")]


def last_step(window: Any) -> int:
    return int(window.query().rpartition(",")[2]) if len(window) else -1


def check_against(window: Any, model: Model, reported: list[int], number: int) -> int:
    """Takes the model to the commit that the window has; returns the step after it."""
    reached = last_step(window)
    # A commit that was reported is there; one that was on its way may be.
    assert reached >= max(reported, default=-1)
    step = steps(SEED)
    for at in range(number, reached + 1):
        what, amount = step(at)
        take(model, at, what, amount)
        if what == "commit":
            model.insert(at * 100, str(at))
    assert list(window.items()) == model.events
    assert window.query() == (",".join(text for _, text in model.events) if model.events else None)
    window.check_invariants()
    return reached + 1


def kill_often(kind: str, place: str, algorithm: str, times: int) -> None:
    dice = random.Random(times)
    model, number, committed = Model(algorithm), 0, 0
    for _ in range(times):
        reported = killed(kind, place, algorithm, dice)
        committed += len(reported)
        window = window_at(kind, place, algorithm)
        number = check_against(window, model, reported, number)
        window.close(commit=False)
    assert committed > times
    assert number > 20 * times


@pytest.mark.parametrize("algorithm", ALGORITHMS)
def test_lmdb_survives_kills(tmp_path: Path, algorithm: str) -> None:
    """A few times in the quick suite."""
    pytest.importorskip("lmdb")
    kill_often("lmdb", str(tmp_path / "store"), algorithm, times=6)


@pytest.mark.parametrize(("algorithm", "times"), [("amta", 4), ("fiba", 5)])
def test_redis_survives_kills_of_its_writer(redis_server, algorithm: str, times: int) -> None:
    """The lock of the dead writer runs out, and the next one finds its last commit."""
    kill_often("redis", redis_server.url, algorithm, times=times)


@pytest.mark.slow
@pytest.mark.parametrize("algorithm", ALGORITHMS)
def test_lmdb_survives_a_hundred_kills(tmp_path: Path, algorithm: str) -> None:
    """At random moments, bulk evictions among them."""
    kill_often("lmdb", str(tmp_path / "store"), algorithm, times=100)


@pytest.mark.slow
def test_redis_survives_a_hundred_kills(tmp_path_factory: pytest.TempPathFactory) -> None:
    """The writer is killed each time, and the server every other time."""
    from .server import Server, missing

    if reason := missing():
        pytest.skip(reason)
    server = Server(tmp_path_factory.mktemp("redis"))
    server.start()
    dice = random.Random(5)
    model, number = Model("amta"), 0
    for round_ in range(100):
        reported = killed("redis", server.url, "amta", dice)
        if round_ % 2:
            server.stop()
            server.start()
        window = window_at("redis", server.url, "amta")
        number = check_against(window, model, reported, number)
        window.close(commit=False)
    server.stop()
