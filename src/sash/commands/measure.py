"""`sash bench`: events a second on this machine, of results that are compared before a time is printed."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np

import sash

__all__ = ["measured"]


def measured(rows: int, window: int) -> Iterator[str]:
    """A line for each way of computing a sum and a maximum over the last `window` events of each event."""
    times = np.arange(rows)
    values = np.random.default_rng(1).integers(-1_000, 1_000, rows)
    yield f"{rows:,} events in order, windows of {window:,}, one thread; events a second"
    for name, aggregation in (("Sum", sash.Sum("x")), ("Max", sash.Max("x"))):
        ways = _ways(times, values, window, aggregation)
        expected, _ = _timed(ways["sash.rolling"])
        for way, run in ways.items():
            found, seconds = _timed(run)
            if not np.array_equal(expected, found):
                raise AssertionError(f"{way} and sash.rolling do not agree on {name}")
            yield f"{name:<4} {way:<24} {rows / seconds:>14,.0f}"


def _ways(times: Any, values: Any, window: int, aggregation: Any) -> dict[str, Callable[[], Any]]:
    policy = sash.TimeWindow(window)
    options: dict[str, Any] = {"on": "t", "window": policy, "progress": False}
    frame = {"t": times, "x": values}
    direct = type(aggregation)()

    def operator(lateness: int | None) -> Callable[[], Any]:
        return lambda: sash.Sliding(direct, policy, lateness=lateness).push_many(times, values).values

    return {
        "sash.rolling": lambda: sash.rolling(frame, **options, result=aggregation)["result"],
        "Sliding, never late": operator(0),
        "Sliding, all may be late": operator(None),
    }


def _timed(run: Callable[[], Any]) -> tuple[Any, float]:
    best, result = float("inf"), None
    for _ in range(3):
        start = time.perf_counter()
        result = run()
        best = min(best, time.perf_counter() - start)
    return result, best
