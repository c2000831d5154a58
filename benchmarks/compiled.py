"""What a sum that a user wrote costs: interpreted, compiled, and built in.

    python benchmarks/compiled.py [batches]

Two ways. A window: a batch inserts 1,000 events from arrays and evicts the 1,000 oldest, with FiBA over 10,000 entries,
and asks once. An operator: every event of a batch is answered, by `Sliding.push_many`. A line is printed only after the
answers were compared with NumPy's. The bars: compiled takes at most 15 times as long as built in, and interpreted at
least 30 times as long as compiled.
"""

import sys
from collections.abc import Callable
from time import perf_counter
from typing import Any, Final

import numpy as np
import numpy.typing as npt

import sash

SIZE: Final = 10_000
BATCH: Final = 1_000
REPEATS: Final = 5


class UserSum(sash.Aggregation):
    """The sum, as a user writes it."""

    identity = 0.0
    commutative = True
    exact = False

    def lift(self, value: Any) -> Any:
        """Return the value itself."""
        return value

    def combine(self, older: Any, newer: Any) -> Any:
        """Return the sum of both."""
        return older + newer

    def lower(self, partial: Any) -> Any:
        """Return the sum."""
        return partial


def value_at(times: npt.NDArray[np.int64]) -> npt.NDArray[np.float64]:
    """Return whole numbers, so that all ways to a sum agree."""
    return ((times * 7919) & 1023).astype(np.float64)


def seconds_an_event(aggregation: sash.Aggregation, batches: int) -> float:
    """Measure batches over a full window and check each answer; the least of some repeats."""
    window = sash.Window(aggregation, algorithm="fiba")
    times = np.arange(SIZE)
    window.bulk_insert(times, value_at(times))
    best = float("inf")
    for _ in range(REPEATS):
        took = 0.0
        for _ in range(batches):
            times = np.arange(times[-1] + 1, times[-1] + 1 + BATCH)
            values = value_at(times)
            start = perf_counter()
            window.bulk_insert(times, values)
            window.bulk_evict(int(times[-1]) - SIZE)
            answer = window.query()
            took += perf_counter() - start
            expected = value_at(np.arange(times[-1] - SIZE + 1, times[-1] + 1)).sum()
            if answer != expected:
                raise AssertionError(f"{aggregation!r} answers {answer}; the sum is {expected}")
        best = min(best, took / (batches * BATCH))
    return best


def seconds_an_answer(aggregation: sash.Aggregation, batches: int) -> float:
    """Measure an operator that answers each event, and check all answers; the least of some repeats."""
    times = np.arange(batches * BATCH)
    values = value_at(times)
    sums = np.cumsum(values)
    expected = sums - np.concatenate([np.zeros(min(SIZE, len(sums))), sums[:-SIZE]])
    best = float("inf")
    for _ in range(REPEATS):
        operator = sash.Sliding(aggregation, sash.TimeWindow(SIZE), lateness=0)
        start = perf_counter()
        emitted = [
            operator.push_many(times[at : at + BATCH], values[at : at + BATCH]) for at in range(0, len(times), BATCH)
        ]
        best = min(best, (perf_counter() - start) / len(times))
        if not np.array_equal(np.concatenate([batch.values for batch in emitted]), expected):
            raise AssertionError(f"{aggregation!r} answers wrongly")
    return best


def verdict(name: str, ratio: float, holds: bool, bar: str) -> str:
    """Return a line that compares."""
    return f"{name:40} {ratio:8.1f}x   {'reached' if holds else 'MISSED'}: {bar}"


def main(batches: int) -> None:
    """Print the table."""
    for what, measure in (("a window, an event", seconds_an_event), ("an operator, an answer", seconds_an_answer)):
        compare(what, measure, batches)


def compare(what: str, measure: Callable[[sash.Aggregation, int], float], batches: int) -> None:
    """Print one way of the three sums, and the bars."""
    built_in = measure(sash.Sum(), batches)
    compiled = measure(sash.compiled(UserSum()), batches)
    interpreted = measure(UserSum(), max(1, batches // 20))
    print(f"\nA sum of one's own: {what}, n = {SIZE:,}, batches of {BATCH:,}; nanoseconds")
    for name, took in (("built in", built_in), ("compiled", compiled), ("interpreted", interpreted)):
        print(f"{name:40} {took * 1e9:8.1f}")
    print(verdict("compiled / built in", compiled / built_in, compiled <= 15 * built_in, "at most 15"))
    print(verdict("interpreted / compiled", interpreted / compiled, interpreted >= 30 * compiled, "at least 30"))


if __name__ == "__main__":
    main(int(sys.argv[1]) if len(sys.argv) > 1 else 200)
