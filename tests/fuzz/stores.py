"""Windows over a store, beside the oracle: committed, closed and opened again, or thrown away and found as it was."""

from __future__ import annotations

from random import Random

import sash
import sash.store
from sash.store.window import ALGORITHMS
from sash.testing.oracle import Oracle

from .windows import SUBJECTS, outcome


def program(random: Random) -> int:
    """One window with small pages through inserts, evictions, commits and crashes."""
    aggregation, draw = random.choice(SUBJECTS)
    name, store = random.choice(list(ALGORITHMS)), sash.store.Memory()
    sizes = {"cache": random.randrange(1, 4), "buffer": random.choice([0, 100, 2**20])}
    window = sash.Window(aggregation, name, store=store, page=random.choice([2, 4, 16]), **sizes)
    oracle, committed = Oracle(aggregation), Oracle(aggregation)
    steps, now = random.randrange(10, 80), 0
    for _ in range(steps):
        now += random.choice([0, 1, 1, 3])
        match random.randrange(9):
            case 0 | 1 | 2 | 3:
                time = now - random.randrange(10) if name == "fiba" else now
                value = draw(random)
                window.insert(time, value)
                oracle.insert(time, value)
            case 4:
                times = [now + place for place in range(random.randrange(1, 40))]
                values = [draw(random) for _ in times]
                window.bulk_insert(times, values)
                oracle.bulk_insert(times, values)
                now = times[-1]
            case 5 if len(oracle):
                window.evict()
                oracle.evict()
            case 6:
                window.bulk_evict(now - 15)
                oracle.bulk_evict(now - 15)
            case 7:
                window.commit()
                committed = oracle.copy()
            case 8:
                crash = random.random() < 0.5
                window.close(commit=not crash)
                oracle = committed.copy() if crash else oracle
                committed = oracle.copy()
                now = max(now, oracle.youngest) if len(oracle) else now
                window = sash.Window(aggregation, name, store=store, **sizes)
        assert len(window) == len(oracle)
        assert outcome(window.query) == outcome(oracle.query)
    window.check_invariants()
    assert outcome(window.copy().query) == outcome(oracle.query)
    window.close()
    return steps
