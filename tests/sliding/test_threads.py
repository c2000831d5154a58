"""One operator in several threads: a call is done whole or refused, and whatever was taken in is there."""

from __future__ import annotations

import threading
from collections.abc import Callable
from contextlib import suppress
from typing import Any

import numpy as np
import pytest
from children import in_child

import sash
from sash.operator import engine

LOOKS: dict[str, Callable[[sash.Sliding], Any]] = {
    "keys": lambda s: s.keys,
    "watermark": lambda s: s.watermark,
    "repr": repr,
    "query": lambda s: s.query(7),
    "snapshot": lambda s: s.snapshot(),
    "push": lambda s: s.push(7, 10**9, 1),
}


def look_meanwhile(look: Callable[[sash.Sliding], Any]) -> None:
    """One thread pushes large batches with new keys, another looks all the time."""
    s = sash.Sliding(sash.Sum(), sash.TimeWindow(1000), by=True, lateness=50)
    s.push(0, 0, 1)
    size = 100_000
    over = threading.Event()

    def watch() -> None:
        while not over.is_set():
            try:
                look(s)
            except RuntimeError as error:
                if "is in use" not in str(error):
                    raise

    thread = threading.Thread(target=watch)
    thread.start()
    for batch in range(5):
        keys = np.random.default_rng(batch).integers(0, 10**6, size)
        try:
            s.push_many(keys, np.arange(size) + batch * size, np.ones(size, np.int64))
        except RuntimeError as error:
            assert "is in use" in str(error)  # noqa: PT017  the watcher was in the midst of a call
    over.set()
    thread.join()


@pytest.mark.parametrize("name", LOOKS)
def test_whoever_looks_meanwhile_is_refused_or_answered(name: str) -> None:
    """Batches run without the interpreter's lock: nothing may read what they change."""
    in_child(look_meanwhile, LOOKS[name])


def test_no_event_is_lost_between_the_parts_of_a_call(monkeypatch: pytest.MonkeyPatch) -> None:
    """Another thread would move the watermark while a batch is being read: each event is in, or late, or refused."""
    s = sash.Sliding(sash.Count(), sash.TimeWindow(1000), lateness=0, on_late="keep")
    s.push(0, "first")
    read_slot, taken = engine.read_slot, 0

    def push() -> None:
        nonlocal taken
        with suppress(RuntimeError):
            s.push(100, "another thread's")
            taken = 1

    def interrupted(*arguments: Any) -> Any:
        thread = threading.Thread(target=push)
        thread.start()
        thread.join()
        return read_slot(*arguments)

    monkeypatch.setattr(engine, "read_slot", interrupted)
    results = s.push_many([5, 6, 101], ["a", "b", "c"])
    assert len(results) + len(s.late) == 3
    assert s.late_counts == {"watermark": len(s.late), "finished": 0}
    assert s.query()[0].value == 1 + taken + len(results)


def test_no_event_goes_into_an_operator_that_is_being_replaced(monkeypatch: pytest.MonkeyPatch) -> None:
    """Integer times become floats by way of a copy: a push meanwhile is refused, and not lost with the original."""
    s = sash.Sliding(sash.Count(), sash.TimeWindow(1000))
    s.push(1, "a")
    refused: list[BaseException] = []
    copy = engine.Engine.copy

    def push_meanwhile() -> None:
        try:
            s.push(2, "b")
        except RuntimeError as error:
            refused.append(error)

    def interrupted(self: engine.Engine) -> engine.Engine:
        twin = copy(self)
        thread = threading.Thread(target=push_meanwhile)
        thread.start()
        thread.join()
        return twin

    monkeypatch.setattr(engine.Engine, "copy", interrupted)
    assert s.push(2.5, "c")[0].value == 2
    assert len(refused) == 1
    assert s.push(3.5, "d")[0].value == 3


def test_a_replacement_that_fails_leaves_the_operator_in_use() -> None:
    """It can be pushed to as before."""
    s = sash.Sliding(sash.Count(), sash.TimeWindow(1000))
    s.push(2**60 + 1, "a")
    with pytest.raises(TypeError, match="is no float64 exactly"):
        s.push(2.5, "b")
    assert s.push(2**60 + 2, "c")[0].value == 2


def test_the_first_event_decides_once() -> None:
    """Many threads push the first event at once: one makes the operator, and the others come after it."""
    for _ in range(50):
        s = sash.Sliding(sash.Count(), sash.TimeWindow(1000))
        start = threading.Barrier(4)
        taken: list[int] = []

        def push(s: sash.Sliding = s, start: threading.Barrier = start, taken: list[int] = taken) -> None:
            start.wait()
            try:
                s.push(1, "a")
            except RuntimeError:
                return
            taken.append(1)

        threads = [threading.Thread(target=push) for _ in range(4)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        assert s.query()[0].value == len(taken)


def test_many_operators_run_in_many_threads() -> None:
    """Each in its own thread: none is refused, and each counts its own."""
    counts: dict[int, int] = {}

    def work(number: int) -> None:
        s = sash.Sliding(sash.Count(), sash.TimeWindow(10**6), by=True)
        for batch in range(20):
            s.push_many(np.full(500, number), np.arange(500) + 500 * batch, np.ones(500))
        counts[number] = s.query(number)[0].value

    threads = [threading.Thread(target=work, args=(number,)) for number in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert counts == dict.fromkeys(range(8), 10_000)
