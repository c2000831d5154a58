"""How many events a second go through `sash.Sliding`: each policy and emit mode, and what one `push` costs.

    python benchmarks/sliding.py [events]

A line is printed only after the results of native members were compared, one by one, with those of the same aggregation
run by its Python methods. One key; sums of whole numbers, so that all ways to a sum agree. One stream is in order. In
the other 1% of the events are late by up to 1,000 ticks: with emit="update" each of those revises some hundred
results, so the results an event are printed beside it.
"""

import sys
from time import perf_counter
from typing import Any, Final

import numpy as np

import sash
from sash.triggers import AtWatermark, EachEvent, OnPunctuation
from sash.windows import (
    AdaptiveWindow,
    CountWindow,
    DeltaWindow,
    PolicyWindow,
    PunctuatedWindow,
    SessionWindow,
    TimeWindow,
    TumblingWindow,
)

#: Members in Python take so many events, for the comparison and for their own figure.
FEW: Final = 10_000
LATENESS: Final = 1_000
REPEATS: Final = 3


class PythonSum(sash.Aggregation):
    """A sum of one's own."""

    identity = 0

    def lift(self, value: int) -> int:
        """The value is its own partial."""
        return value

    def combine(self, older: int, newer: int) -> int:
        """Add."""
        return older + newer

    def lower(self, partial: int) -> int:
        """The partial is the result."""
        return partial


def is_mark(value: Any) -> bool:
    """Every hundredth value on average."""
    return bool(value % 100 == 0)


CASES: Final[dict[str, dict[str, Any]]] = {
    "time": {"windows": TimeWindow(1000)},
    "time, each slide": {"windows": TimeWindow(1000, every=10)},
    "time, min_periods": {"windows": TimeWindow(1000), "min_periods": 3},
    "time, changes only": {"windows": TimeWindow(1000), "changes_only": True},
    "time, at watermark": {"windows": TimeWindow(1000), "trigger": AtWatermark()},
    "time, on punctuation": {"windows": TimeWindow(1000), "trigger": OnPunctuation(is_mark)},
    "count": {"windows": CountWindow(1000)},
    "count, each 10th": {"windows": CountWindow(1000, every=10)},
    "tumbling": {"windows": TumblingWindow(100)},
    "tumbling, each event": {"windows": TumblingWindow(100), "trigger": EachEvent()},
    "tumbling count": {"windows": TumblingWindow(count=100)},
    "session": {"windows": SessionWindow(3)},
    "session, its end": {"windows": SessionWindow(3), "trigger": AtWatermark()},
    "punctuated": {"windows": PunctuatedWindow(is_mark)},
    "delta": {"windows": DeltaWindow(int, 500)},
    "programmable": {"windows": PolicyWindow(lambda total, old: total - old >= 1000, over=sash.Count())},
    "adaptive": {"windows": AdaptiveWindow(0.01)},
}


def streams(events: int) -> tuple[Any, Any, Any]:
    """Make times in order, the same with some of them late, and values."""
    random = np.random.default_rng(7)
    ordered = np.cumsum(random.integers(0, 4, events))
    late = random.random(events) < 0.01
    ticks = ordered.copy()
    ticks[late] -= random.integers(0, LATENESS, int(late.sum()))
    return ordered, ticks, random.integers(0, 1000, events)


def operator(case: dict[str, Any], emit: str, aggregation: sash.Aggregation) -> sash.Sliding:
    """Make an operator of a case."""
    return sash.Sliding(aggregation, **case, emit=emit, lateness=LATENESS)


def seconds(made: sash.Sliding, ticks: Any, values: Any) -> float:
    """Measure a batch and the end of the stream."""
    start = perf_counter()
    made.push_many(ticks, values)
    made.finish()
    return perf_counter() - start


def rate(case: dict[str, Any], emit: str, aggregation: sash.Aggregation, ticks: Any, values: Any) -> float:
    """Measure events a second, the best of some runs."""
    return len(ticks) / min(seconds(operator(case, emit, aggregation), ticks, values) for _ in range(REPEATS))


def check(case: dict[str, Any], emit: str, ticks: Any, values: Any) -> float:
    """Compare native members with Python ones, result by result; how many results there are an event."""
    results = []
    for aggregation in (sash.Sum(), PythonSum()):
        made = operator(case, emit, aggregation)
        results.append([*made.push_many(ticks, values), *made.finish()])
    if results[0] != results[1]:
        raise SystemExit(f"{case}, {emit}: native and Python members differ")
    return len(results[0]) / len(ticks)


def microseconds_a_push(aggregation: sash.Aggregation, events: int = 100_000) -> float:
    """Measure single events of one key in order."""
    s = sash.Sliding(aggregation, TimeWindow(1000), lateness=0)
    for tick in range(2000):
        s.push(tick, 1)
    start = perf_counter()
    for tick in range(2000, 2000 + events):
        s.push(tick, 1)
    taken = perf_counter() - start
    if s.push(2000 + events, 1)[0].value != 1000:
        raise SystemExit("push: the sum of a thousand ones is not a thousand")
    return taken / events * 1e6


def main(events: int) -> None:
    """Print the tables."""
    ordered, late, values = streams(events)
    print(f"\nsash.Sliding.push, one key, in order, from Python {sys.version.split()[0]}, microseconds")
    for name, aggregation in {"Sum": sash.Sum(), "a Python aggregation": PythonSum()}.items():
        print(f"{name:<22} {min(microseconds_a_push(aggregation) for _ in range(REPEATS)):>8.2f}")
    print(f"\nsash.Sliding.push_many, one key, events a second: {events:,} to Sum, {FEW:,} to a Python aggregation\n")
    print(f"{'':<31} {'in order':^23} {'1% late':^31}")
    print(f"{'window':<22} {'emit':<8} {'Sum':>12} {'Python':>10} {'Sum':>12} {'Python':>10} {'results':>8}")
    for name, case in CASES.items():
        for emit in ("arrival", "final", "update"):
            check(case, emit, ordered[:FEW], values[:FEW])
            results = check(case, emit, late[:FEW], values[:FEW])
            rates = [
                rate(case, emit, aggregation, ticks[:size], values[:size])
                for ticks in (ordered, late)
                for aggregation, size in ((sash.Sum(), events), (PythonSum(), FEW))
            ]
            columns = "{:>12,.0f} {:>10,.0f} {:>12,.0f} {:>10,.0f}".format(*rates)
            print(f"{name:<22} {emit:<8} {columns} {results:>8.2f}", flush=True)


if __name__ == "__main__":
    main(int(sys.argv[1]) if len(sys.argv) > 1 else 300_000)
