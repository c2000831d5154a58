"""A process to be killed: it slides a window over a store, commits now and then, and reports it.

    python victim.py STORE PLACE ALGORITHM SEED

Every line it prints is a commit that has returned: how many steps were taken by then. The steps follow from the seed
alone, so that whoever reads the lines can take them too.
"""

from __future__ import annotations

import random
import sys
from collections.abc import Callable
from typing import Any

import sash
import sash.store

STEPS = 1_000_000
KINDS = ["insert", "late", "evict", "bulk_insert", "bulk_evict", "commit"]


def store_at(kind: str, place: str) -> sash.store.Store:
    if kind == "lmdb":
        return sash.store.Lmdb(place)
    return sash.store.Redis(place, namespace="victim", lock_seconds=0.3)


def window_at(kind: str, place: str, algorithm: str) -> Any:
    options: dict[str, Any] = {"store": store_at(kind, place), "name": algorithm, "page": 8, "cache": 2}
    return sash.Window(sash.Concat(separator=","), algorithm=algorithm, **options)


def steps(seed: int) -> Callable[[int], tuple[str, int]]:
    """What the step of a number is: bulk evictions are rare and large."""

    def step(number: int) -> tuple[str, int]:
        dice = random.Random(seed * STEPS + number)
        return dice.choices(KINDS, [70, 10, 50, 10, 1, 4])[0], dice.randrange(1, 100)

    return step


def take(target: Any, number: int, kind: str, amount: int) -> None:
    """One step, on a window or on a model of one. Late events happen where they may."""
    start = number * 100
    if kind == "insert":
        target.insert(start, str(number))
    elif kind == "late" and target.algorithm == "fiba" and len(target):
        target.insert(target.oldest + (target.youngest - target.oldest) * amount // 101, f"{number}.late")
    elif kind == "evict" and len(target):
        target.evict()
    elif kind == "bulk_insert":
        target.bulk_insert(list(range(start, start + amount)), [f"{number}.{i}" for i in range(amount)])
    elif kind == "bulk_evict" and len(target):
        target.bulk_evict(target.oldest + (target.youngest - target.oldest) * amount // 100)


def main(kind: str, place: str, algorithm: str, seed: int) -> None:
    step = steps(seed)
    window = window_at(kind, place, algorithm)
    number = int(window.query().rpartition(",")[2].partition(".")[0]) + 1 if len(window) else 0
    print("open", flush=True)
    while True:
        what, amount = step(number)
        take(window, number, what, amount)
        if what == "commit":
            # The youngest event holds the number of its step, so that the next process goes on from there.
            window.insert(number * 100, str(number))
            window.commit()
            print(number, flush=True)
        number += 1


if __name__ == "__main__":
    main(sys.argv[1], sys.argv[2], sys.argv[3], int(sys.argv[4]))
