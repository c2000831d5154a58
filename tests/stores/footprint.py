"""How much memory a window over LMDB needs: a process that fills one, slides it, and prints its peak.

    python footprint.py FOLDER ALGORITHM EVENTS

Prints a line of three numbers in MiB above the idle process: the peak of its own memory, the peak of what the
kernel counts in all, pages of the file that are mapped among it, and the size of the file.
"""

from __future__ import annotations

import resource
import sys
import threading
from pathlib import Path
from typing import Any

import numpy as np

import sash
import sash.store

CHUNK = 2**14


def own_memory() -> int:
    """Memory of this process that is no page of a file, in KiB."""
    status = Path("/proc/self/status").read_text()
    return int(status.partition("RssAnon:")[2].split()[0])


class Peak:
    """Looks at the memory every few milliseconds."""

    def __init__(self) -> None:
        self.highest = 0
        self._stop = threading.Event()
        self._thread = threading.Thread(target=self._watch, daemon=True)
        self._thread.start()

    def _watch(self) -> None:
        while not self._stop.wait(0.005):
            self.highest = max(self.highest, own_memory())

    def stop(self) -> int:
        self._stop.set()
        self._thread.join()
        return max(self.highest, own_memory())


def fill(w: Any, begin: int, end: int, keep: int) -> None:
    for start in range(begin, end, CHUNK):
        times = np.arange(start, min(start + CHUNK, end))
        w.bulk_insert(times, times & 1023)
        if start + CHUNK > keep:
            w.bulk_evict(start + CHUNK - keep - 1)


def main(folder: str, algorithm: str, events: int) -> None:
    store = sash.store.Lmdb(folder)
    with sash.Window(sash.Sum(), algorithm=algorithm, store=store, name="idle") as idle:
        fill(idle, 0, CHUNK, CHUNK)
    own, whole = own_memory(), resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    peak = Peak()
    with sash.Window(sash.Sum(), algorithm=algorithm, store=store) as w:
        fill(w, 0, events, events)
        w.commit()
        fill(w, events, events + events // 4, events)
        # Events are multiples of 1024: every 1024 values in a row sum up to the same.
        assert (len(w), w.query()) == (events, events // 1024 * sum(range(1024)))
        w.bulk_evict(events)
    highest = peak.stop() - own
    mapped = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - whole
    print(highest / 1024, mapped / 1024, (Path(folder) / "data.mdb").stat().st_blocks / 2048)


if __name__ == "__main__":
    main(sys.argv[1], sys.argv[2], int(sys.argv[3]))
