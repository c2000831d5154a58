"""How many events a second go through `sash.Sliding.push_many`: each policy and emit, in the core and in Python.

    python benchmarks/sliding.py [events]

A line is printed only after both engines were compared, result by result, over the events that the engine in Python
takes. One key, 1% of the events late by up to 1,000 places; sums of whole numbers, so that all ways to a sum agree.
"""

import sys
from time import perf_counter
from typing import Any, Final

import numpy as np

import sash
from sash.triggers import AtWatermark, EachEvent
from sash.windows import CountWindow, SessionWindow, TimeWindow, TumblingWindow

#: The engine in Python takes so many events, for the comparison and for its own figure.
FEW: Final = 10_000
LATENESS: Final = 1_000
REPEATS: Final = 3

CASES: Final[dict[str, dict[str, Any]]] = {
    "time": {"policy": TimeWindow(1000)},
    "time, each slide": {"policy": TimeWindow(1000, every=10)},
    "time, min_periods": {"policy": TimeWindow(1000), "min_periods": 3},
    "time, changes only": {"policy": TimeWindow(1000), "changes_only": True},
    "time, at watermark": {"policy": TimeWindow(1000), "trigger": AtWatermark()},
    "count": {"policy": CountWindow(1000)},
    "count, each 10th": {"policy": CountWindow(1000, every=10)},
    "tumbling": {"policy": TumblingWindow(100)},
    "tumbling, each event": {"policy": TumblingWindow(100), "trigger": EachEvent()},
    "tumbling count": {"policy": TumblingWindow(count=100)},
    "session": {"policy": SessionWindow(3)},
    "session, its end": {"policy": SessionWindow(3), "trigger": AtWatermark()},
}


def stream(events: int) -> tuple[Any, Any]:
    """Make times, some of them late, and values."""
    random = np.random.default_rng(7)
    ticks = np.cumsum(random.integers(0, 4, events))
    late = random.random(events) < 0.01
    ticks[late] -= random.integers(0, LATENESS, int(late.sum()))
    return ticks, random.integers(0, 1000, events)


def operator(case: dict[str, Any], emit: str, algorithm: str) -> sash.Sliding:
    """Make an operator of a case; "btree" runs in Python, "auto" in the core."""
    return sash.Sliding(sash.Sum(), **case, emit=emit, lateness=LATENESS, algorithm=algorithm)


def seconds(made: sash.Sliding, ticks: Any, values: Any) -> float:
    """Measure a batch and the end of the stream."""
    start = perf_counter()
    made.push_many(ticks, values)
    made.finish()
    return perf_counter() - start


def check(case: dict[str, Any], emit: str, ticks: Any, values: Any) -> None:
    """Compare the two engines, result by result."""
    said = []
    for algorithm in ("auto", "btree"):
        made = operator(case, emit, algorithm)
        said.append([*made.push_many(ticks, values), *made.finish()])
    if said[0] != said[1]:
        raise SystemExit(f"{case}, {emit}: the engines say different things")


def main(events: int) -> None:
    """Print the table."""
    ticks, values = stream(events)
    few = ticks[:FEW], values[:FEW]
    print(f"\nsash.Sliding.push_many, one key, Sum, events a second, from Python {sys.version.split()[0]}")
    print(f"{events:,} events in the core, {FEW:,} in Python\n")
    print(f"{'window':<22} {'emit':<8} {'core':>12} {'Python':>10} {'times':>7}")
    for name, case in CASES.items():
        for emit in ("arrival", "final", "update"):
            check(case, emit, *few)
            core = events / min(seconds(operator(case, emit, "auto"), ticks, values) for _ in range(REPEATS))
            python = FEW / seconds(operator(case, emit, "btree"), *few)
            print(f"{name:<22} {emit:<8} {core:>12,.0f} {python:>10,.0f} {core / python:>6.0f}x", flush=True)


if __name__ == "__main__":
    main(int(sys.argv[1]) if len(sys.argv) > 1 else 1_000_000)
