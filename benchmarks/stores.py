"""What a store costs: rounds of insert, policy and query, in memory and over LMDB, and bulk evictions from cold.

    python benchmarks/stores.py [log2 of the window's size] [rounds]
    python benchmarks/stores.py large [events, 10^8 if left out]

Each window slides by the paper's policy: the oldest events leave while enough remain. A line is printed only after the
answers were compared with those of plain arithmetic. The large window is one of fiba over LMDB: it is filled by batches
whose events are mildly late, slides by a tenth, and is opened again; its memory is that of the process, above what it
had before.
"""

import gc
import resource
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


#: Events of a batch, and by how much they are late within it.
BATCH, LATE = 2**14, 2**9


def batches(begin: int, end: int) -> Iterator[npt.NDArray[np.int64]]:
    """The times from `begin` to before `end`, in batches of events that are a little late."""
    dice = np.random.default_rng(begin)
    for start in range(begin, end, BATCH):
        times = np.arange(start, min(start + BATCH, end))
        yield times[np.argsort(times + dice.integers(0, LATE, len(times)), kind="stable")]


def own_memory() -> float:
    """MiB of this process that are no pages of files."""
    return int(Path("/proc/self/status").read_text().partition("RssAnon:")[2].split()[0]) / 2**10


def whole_memory() -> float:
    """The most MiB that this process had, pages of files that were mapped among them."""
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 2**10


def push(window: sash.Window, begin: int, end: int, keep: int) -> tuple[float, float]:
    """Nanoseconds an event, and the most memory of its own that the process had in between."""
    highest, start = 0.0, perf_counter_ns()
    for number, times in enumerate(batches(begin, end)):
        window.bulk_insert(times, times)
        if times.max() >= keep:
            window.bulk_evict(int(times.max()) - keep)
        if number % 16 == 0:
            highest = max(highest, own_memory())
    return (perf_counter_ns() - start) / (end - begin), max(highest, own_memory())


def check_sum(window: sash.Window, begin: int, end: int) -> None:
    """The values are the times."""
    if (window.query(), len(window)) != ((end - begin) * (begin + end - 1) // 2, end - begin):
        raise AssertionError(window)


def large(events: int, path: Path) -> None:
    """Print what a large window takes."""
    store, more = sash.store.Lmdb(path), events // 10
    with sash.Window(sash.Sum(), store=store, name="idle") as idle:
        push(idle, 0, 2**16, 2**16)
    own, whole = own_memory(), whole_memory()
    print(f"\nA window of {events:,} sums over LMDB; MiB of memory above the {whole:.0f} of the idle process")
    print(f"{'':14} {'ns an event':>11} {'its own':>8} {'mapped too':>10} {'memory()':>9} {'pages':>6} {'reads':>7}")

    def line(name: str, took: str, highest: float) -> None:
        metrics, here = window.metrics, window.memory() / 2**20
        print(f"{name:14} {took:>11} {highest - own:8.1f} {whole_memory() - whole:10.1f} {here:9.2f}", end=" ")
        print(f"{metrics.pages_local:6} {metrics.reads:7}", flush=True)

    with sash.Window(sash.Sum(), store=store) as window:
        took, highest = push(window, 0, events, events)
        check_sum(window, 0, events)
        line("filled", f"{took:.0f}", highest)
        took, highest = push(window, events, events + more, events)
        check_sum(window, more, events + more)
        line("slid", f"{took:.0f}", highest)
    start = perf_counter_ns()
    with sash.Window(sash.Sum(), store=store) as window:
        check_sum(window, more, events + more)
        line("opened again", f"in {(perf_counter_ns() - start) / 1e6:.1f} ms", own_memory())
    print(f"{(path / 'data.mdb').stat().st_blocks / 2**21:.2f} GiB in the store")


if __name__ == "__main__" and sys.argv[1:2] == ["large"]:
    with folder() as place:
        large(int(sys.argv[2]) if len(sys.argv) > 2 else 10**8, place)
elif __name__ == "__main__":
    main(2 ** int(sys.argv[1]) if len(sys.argv) > 1 else 2**20, int(sys.argv[2]) if len(sys.argv) > 2 else 2**20)
