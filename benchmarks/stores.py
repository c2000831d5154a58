"""What a store costs: rounds of insert, policy and query, in memory and over LMDB, and bulk evictions from cold.

    python benchmarks/stores.py [log2 of the window's size] [rounds]

Each window slides by the paper's policy: the oldest events leave while enough remain. A line is printed only after the
answers were compared with those of plain arithmetic.
"""

import gc
import shutil
import sys
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from time import perf_counter_ns, process_time_ns

import numpy as np
import numpy.typing as npt

import sash
import sash.store


@contextmanager
def folder() -> Iterator[Path]:
    """A folder that is gone afterwards."""
    path = Path(tempfile.mkdtemp(prefix="sash-stores-"))
    try:
        yield path
    finally:
        shutil.rmtree(path)


def filled(window: sash.Window, size: int) -> sash.Window:
    """A window with the events 0 .. size - 1."""
    times = np.arange(size)
    for chunk in np.array_split(times, max(1, size // 2**14)):
        window.bulk_insert(chunk, chunk)
    return window


def rounds_of(window: sash.Window, size: int, rounds: int, policy: bool) -> tuple[npt.NDArray[np.int64], float]:
    """Nanoseconds of each round, and of processor time for all of them on average; the last answer is checked."""
    insert, evict, evict_while, query = window.insert, window.evict, window.evict_while, window.query
    took = np.empty(rounds, np.int64)

    def too_many(total: int, old: int) -> bool:
        return total - old >= size

    gc.disable()
    processor = process_time_ns()
    for i in range(rounds):
        start = perf_counter_ns()
        insert(size + i, 1)
        if policy:
            evict_while(too_many)
        else:
            evict()
        result = query()
        took[i] = perf_counter_ns() - start
    processor = process_time_ns() - processor
    gc.enable()
    if (result, len(window), window.oldest) != (size, size, rounds):
        raise AssertionError(f"{window} after {rounds} rounds")
    return took, processor / rounds


def row(name: str, measured: tuple[npt.NDArray[np.int64], float], base: float) -> float:
    """Print a line; return the processor time, both threads', which other work on the machine does not change."""
    took, processor = measured
    p50, p99, p999 = np.percentile(took, [50, 99, 99.9])
    against = f"{processor / base:6.2f}x" if base else f"{'':7}"
    print(f"{name:22} {processor:8.0f} {against} {took.mean():8.0f} {p50:8.0f} {p99:8.0f} {p999:9.0f}", end=" ")
    print(f"{took.max() / 1e6:8.2f}")
    return processor


def bulk_eviction(path: Path, name: str, algorithm: str, size: int) -> float:
    """Milliseconds to evict half of a window that was opened just before: nothing of it is here."""
    store = sash.store.Lmdb(path)
    with sash.Window(sash.Count(), algorithm=algorithm, store=store, name=name) as window:
        filled(window, size)
    with sash.Window(sash.Count(), algorithm=algorithm, store=store, name=name) as window:
        start = perf_counter_ns()
        window.bulk_evict(size // 2 + 76)
        took = perf_counter_ns() - start
        if window.query() != size - size // 2 - 77:
            raise AssertionError(window)
    return took / 1e6


def main(size: int, rounds: int) -> None:
    """Print the tables."""
    print(
        f"\nRounds from Python, windows of {size:,} events, {rounds:,} rounds; nanoseconds, the longest in milliseconds"
    )
    print(f"{'':22} {'cpu':>8} {'':7} {'mean':>8} {'p50':>8} {'p99':>8} {'p99.9':>9} {'max':>8}")
    for algorithm, policy in (("amta", True), ("log_mta", True), ("fiba", False)):
        memory = filled(sash.Window(sash.Count(), algorithm=algorithm), size)
        base = row(f"{algorithm}, in memory", rounds_of(memory, size, rounds, policy), 0.0)
        del memory
        with folder() as path:
            stored = sash.Window(sash.Count(), algorithm=algorithm, store=sash.store.Lmdb(path))
            row(f"{algorithm}, over LMDB", rounds_of(filled(stored, size), size, rounds, policy), base)
            metrics = stored.metrics
            stored.close(commit=False)
        print(
            f"{'':22} {metrics.pages_local} pages here, {metrics.reads} reads, {metrics.misses} misses, "
            f"{metrics.pages_written} pages ({metrics.bytes_written / 2**20:.0f} MiB) written, {metrics.waits} waits"
        )
    print("\nBulk eviction of half the window from a cold cache, milliseconds, five times")
    for algorithm in ("amta", "log_mta", "fiba"):
        with folder() as path:
            times = [bulk_eviction(path, str(n), algorithm, size) for n in range(5)]
        print(f"{algorithm:22} {' '.join(f'{took:8.2f}' for took in times)}")


if __name__ == "__main__":
    main(2 ** int(sys.argv[1]) if len(sys.argv) > 1 else 2**20, int(sys.argv[2]) if len(sys.argv) > 2 else 2**20)
