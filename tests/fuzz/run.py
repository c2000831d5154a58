"""Running adversaries for a while, by seeds that can be run again."""

from __future__ import annotations

import time
from collections.abc import Callable
from random import Random
from typing import NamedTuple

from . import callbacks, failing, frames, operators, snapshots, stores, threads, windows

#: What each is called.
ADVERSARIES: dict[str, Callable[[Random], int]] = {
    "windows": windows.program,
    "operators": operators.program,
    "frames": frames.against_brute_force,
    "frames of others": frames.against_others,
    "snapshots": snapshots.program,
    "stores": stores.program,
    "failing operators": failing.operators,
    "failing windows": failing.windows,
    "threads of operators": threads.operators,
    "threads of windows": threads.windows,
    "callbacks": callbacks.program,
}


class Tried(NamedTuple):
    """How many programs ran, and their steps."""

    programs: int
    steps: int


def run(name: str, seconds: float, seed: int = 0) -> Tried:
    """Programs of an adversary from a seed on, at least one. AssertionError names the seed that found something."""
    end, programs, steps = time.monotonic() + seconds, 0, 0
    while programs == 0 or time.monotonic() < end:
        try:
            steps += ADVERSARIES[name](Random(seed + programs))
        except Exception as error:
            raise AssertionError(f"{name}, seed {seed + programs}: {type(error).__name__}: {error}") from error
        programs += 1
    return Tried(programs, steps)
