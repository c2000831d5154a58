"""Windows by every algorithm, beside the oracle of `sash.testing`."""

from __future__ import annotations

from collections.abc import Callable
from random import Random
from typing import Any

import sash
from sash.algorithms import ALGORITHMS, Algorithm
from sash.testing import same
from sash.testing.oracle import Oracle

#: Aggregations that show the order of events, and those whose numbers reach the ends of 64 bits.
SUBJECTS: list[tuple[sash.Aggregation, Callable[[Random], Any]]] = [
    (sash.Concat(separator="-"), lambda random: random.choice("abc")),
    (sash.ArgMax(), lambda random: (random.randrange(3), random.randrange(100))),
    (sash.First(), lambda random: random.choice([1, 2.5, "x", (1, 2)])),
    (sash.Last(), lambda random: random.randrange(9)),
    (sash.Collect(), lambda random: random.choice([1, 2.5, "x"])),
    (sash.Sum(), lambda random: random.choice([1, -1, 2**62, -(2**62), 2**63 - 1, -(2**63)])),
    (sash.Product(), lambda random: random.choice([0, 1, -1, 2, 2**40, -(2**63)])),
    (sash.Max(), lambda random: random.choice([-(2**63), 2**63 - 1, 0, 5])),
    (sash.Delta(), lambda random: random.randrange(100)),
    (
        sash.Composite(total=sash.Sum("a"), low=sash.Min("a"), first=sash.First("b")),
        lambda random: {"a": random.choice([1, 2**62, -(2**63), None]), "b": random.choice("xy")},
    ),
]


def program(random: Random) -> int:
    """One window through inserts, bulk inserts, evictions, queries, a restore and a copy now and then."""
    aggregation, draw = random.choice(SUBJECTS)
    name = random.choice(
        [one for one, known in ALGORITHMS.items() if aggregation.invertible or not known.needs_inverse]
    )
    known = ALGORITHMS[name]
    window, oracle = sash.Window(aggregation, name), Oracle(aggregation)
    steps, now = random.randrange(10, 120), 0
    for _ in range(steps):
        now += random.choice([0, 1, 1, 1, 4])
        window = _step(random, window, oracle, known, now, draw)
        window.check_invariants()
        assert len(window) == len(oracle)
        assert outcome(window.query) == outcome(oracle.query)
    return steps


def _step(
    random: Random, window: sash.Window, oracle: Oracle, known: Algorithm, now: int, draw: Callable[[Random], Any]
) -> sash.Window:
    """Something that both of them can do."""
    time = now - random.randrange(15) if known.late else max(now, window.youngest if len(window) else now)
    match random.randrange(10):
        case 0 | 1 | 2 | 3 | 4:
            value = draw(random)
            window.insert(time, value)
            oracle.insert(time, value)
        case 5:
            times = sorted(time + random.randrange(5) for _ in range(random.randrange(1, 30)))
            values = [draw(random) for _ in times]
            window.bulk_insert(times, values)
            oracle.bulk_insert(times, values)
        case 6 | 7 if len(window):
            window.evict()
            oracle.evict()
        case 8:
            window.bulk_evict(now - 12)
            oracle.bulk_evict(now - 12)
        case 9 if known.ranges:
            start = now - random.randrange(20)
            assert outcome(lambda: window.query(start, now)) == outcome(lambda: oracle.query(start, now))
        case _:
            blob = window.snapshot()
            window = random.choice([window.copy, lambda: sash.Window.restore(blob)])()
            # The lite algorithms keep aggregates, whose bytes depend on where their stacks stand.
            assert window.snapshot() == blob or "lite" in window.algorithm
    return window


class Outcome:
    """A result, or the kind of its error."""

    def __init__(self, value: Any, error: type[Exception] | None) -> None:
        self.value, self.error = value, error

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Outcome) and self.error == other.error and same(self.value, other.value, 1e-9)

    def __repr__(self) -> str:
        return f"{self.value!r}" if self.error is None else self.error.__name__


def outcome(ask: Callable[[], Any]) -> Outcome:
    """What a question gives; only a number that does not fit may be an error."""
    try:
        return Outcome(ask(), None)
    except OverflowError:
        return Outcome(None, OverflowError)
