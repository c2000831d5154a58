"""Threads that share a window or an operator without asking: each call is done whole or refused, nothing is lost."""

from __future__ import annotations

import sys
import threading
import time
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from random import Random
from typing import Any

import numpy as np

import sash

THREADS = 4


@contextmanager
def hasty() -> Iterator[None]:
    """Threads take turns after every few instructions."""
    before = sys.getswitchinterval()
    sys.setswitchinterval(1e-6)
    try:
        yield
    finally:
        sys.setswitchinterval(before)


def together(work: Callable[[int], None]) -> None:
    """Run work(number) in so many threads at once; the first error of any."""
    errors: list[BaseException] = []

    def run(number: int) -> None:
        try:
            work(number)
        except BaseException as error:
            errors.append(error)

    threads = [threading.Thread(target=run, args=(number,)) for number in range(THREADS)]
    with hasty():
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
    if errors:
        raise errors[0]


def insist(call: Callable[[], Any]) -> Any:
    """Make the call, again and again while the other threads are in the way."""
    while True:
        try:
            return call()
        except RuntimeError as error:
            if "is in use" not in str(error):
                raise
            time.sleep(1e-4)


def operators(random: Random) -> int:
    """Every event that went in has its result, once, or is among the late ones."""
    emit: Any = random.choice(["arrival", "final", "update"])
    lateness = random.choice([None, 5])
    s = sash.Sliding(sash.Sum(), sash.TimeWindow(10), by=True, emit=emit, lateness=lateness, on_late="keep")
    rounds = random.randrange(5, 30)
    seeds = [random.randrange(2**32) for _ in range(THREADS)]
    pushed, emitted = [0] * THREADS, [0] * THREADS

    def work(number: int) -> None:
        own = Random(seeds[number])
        for step in range(rounds):
            size, results = _step(own, s, number, step)
            pushed[number] += size
            emitted[number] += sum(result.revision == 0 for result in results)

    together(work)
    assert sum(s.late_counts.values()) == len(s.late)
    waiting = 0 if emit == "update" else len(s.results)
    assert sum(emitted) + waiting + len(s.late) == sum(pushed)
    sash.Sliding.restore(s.snapshot())
    return rounds * THREADS


def _step(random: Random, s: sash.Sliding, number: int, step: int) -> tuple[int, Iterable[sash.Result]]:
    """Some call: how many events it has put in, and their results."""
    match random.randrange(8):
        case 0 | 1:
            return 1, insist(lambda: s.push(number, step, 1))
        case 2 | 3:
            size = random.choice([2, 50, 500])
            keys, times = np.full(size, number), np.full(size, step)
            return size, insist(lambda: s.push_many(keys, times, np.ones(size, np.int64)))
        case 4:
            return 3, insist(lambda: s.push_many(["x"] * 3, [step] * 3, [2, 3, 4]))
        case 5:
            insist(lambda: s.query(number))
        case 6:
            insist(s.snapshot)
            insist(lambda: (s.keys, s.watermark, s.late_counts, repr(s)))
        case 7:
            insist(lambda: s.results)
    return 0, ()


def windows(random: Random) -> int:
    """The same of a window: what was inserted and not evicted is there."""
    name = random.choice(["fiba", "recalc", "btree"])
    w = sash.Window(sash.Count(), name)
    rounds = random.randrange(5, 40)
    seeds = [random.randrange(2**32) for _ in range(THREADS)]
    totals = [0] * THREADS

    def work(number: int) -> None:
        own = Random(seeds[number])
        for step in range(rounds):
            size = own.choice([1, 1, 3, 500])
            times = np.arange(size) * THREADS * rounds + step * THREADS + number
            if size == 1:
                insist(lambda times=times: w.insert(int(times[0]), 1))
            else:
                insist(lambda times=times: w.bulk_insert(times, times))
            totals[number] += size
            insist(own.choice([w.query, w.snapshot, w.check_invariants, lambda: len(w), lambda: list(w.items())]))

    together(work)
    w.check_invariants()
    assert w.query() == sum(totals)
    return rounds * THREADS
