"""What a call from Python costs: rounds of insert, evict and query, one event at a time.

    python benchmarks/calls.py [rounds]

A line is printed only after the window's answers were compared with sums made by plain Python.
"""

import sys
from collections import deque
from collections.abc import Callable
from time import perf_counter

import sash

SIZE = 1024
REPEATS = 5
ALGORITHMS = ("subtract_on_evict", "two_stacks_lite", "daba_lite", "daba", "amta", "flatfat", "fiba")


def full_window(algorithm: str) -> sash.Window:
    """Make a window of SIZE entries, at times 0 .. SIZE - 1."""
    window = sash.Window(sash.Sum(), algorithm=algorithm)
    for time in range(SIZE):
        window.insert(time, time & 7)
    return window


def check(algorithm: str, rounds: int) -> None:
    """Compare every answer with the sum of a deque."""
    window, model = full_window(algorithm), deque(time & 7 for time in range(SIZE))
    for time in range(SIZE, SIZE + rounds):
        window.insert(time, time & 7)
        window.evict()
        model.append(time & 7)
        model.popleft()
        if window.query() != sum(model):
            raise AssertionError(f"{algorithm} answers {window.query()} at time {time}; the sum is {sum(model)}")


def best(measure: Callable[[], float]) -> float:
    """Return the least of some measurements: other work on the machine only adds."""
    return min(measure() for _ in range(REPEATS))


def seconds_of_rounds(algorithm: str, rounds: int) -> float:
    """Measure single calls, with a loop that does nothing else."""
    window = full_window(algorithm)
    insert, evict, query = window.insert, window.evict, window.query
    start = perf_counter()
    for time in range(SIZE, SIZE + rounds):
        insert(time, 5)
        evict()
        query()
    return perf_counter() - start


def seconds_of_calls(rounds: int) -> float:
    """Measure about the least that a native method costs: one without arguments that has little to do."""
    memory = sash.Window(sash.Count(), algorithm="recalc").memory
    start = perf_counter()
    for _ in range(rounds):
        memory()
    return perf_counter() - start


def main(rounds: int) -> None:
    """Print the table."""
    call = best(lambda: seconds_of_calls(rounds)) / rounds
    print(f"\nFrom Python {sys.version.split()[0]}, single calls, sum of int64, n = {SIZE}, {rounds:,} rounds")
    print(f"{'':20} {'ns a round':>12} {'native calls':>14}")
    print(f"{'memory()':20} {call * 1e9:12.0f} {1:14.1f}")
    for algorithm in ALGORITHMS:
        check(algorithm, rounds=2 * SIZE)
        took = best(lambda name=algorithm: seconds_of_rounds(name, rounds)) / rounds  # type: ignore[misc]
        print(f"{algorithm:20} {took * 1e9:12.0f} {took / call:14.1f}")


if __name__ == "__main__":
    main(int(sys.argv[1]) if len(sys.argv) > 1 else 200_000)
