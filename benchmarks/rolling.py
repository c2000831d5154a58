"""What rolling over frames costs, beside pandas, polars, DuckDB, numbagg and bottleneck, in one run.

    python benchmarks/rolling.py [figure ...] [--rows 2000000]

A figure is one of those at the end of this file, and takes less than four minutes; without one, all are measured. A
line is printed only after its answers were compared with those of another library, or of another way to the same.
"""

import argparse
import os
import subprocess
import sys
from collections.abc import Callable
from functools import partial
from time import perf_counter
from typing import Any

import bottleneck
import numpy as np
import pandas as pd
import polars as pl
import rivals

import sash
from sash.plan import Plan
from sash.rolling import rolling
from sash.windows import TimeWindow

REPEATS = 5
SECONDS = 1_000_000


class Energy(sash.Aggregation):
    """The root of the mean square: an aggregation of a user, in plain arithmetic."""

    identity = (0.0, 0)
    commutative = True

    def __init__(self, column: str) -> None:
        """Read a column."""
        self.column = column

    def lift(self, value: float) -> tuple[float, int]:
        """Square it."""
        return value * value, 1

    def combine(self, older: tuple[float, int], newer: tuple[float, int]) -> tuple[float, int]:
        """Add both."""
        return older[0] + newer[0], older[1] + newer[1]

    def lower(self, partial: tuple[float, int]) -> float:
        """Take the root of the mean."""
        return (partial[0] / partial[1]) ** 0.5


def best(run: Callable[[], Any], repeats: int = REPEATS) -> float:
    """Return the least of some measurements: other work on the machine only adds."""
    took = []
    for _ in range(repeats):
        start = perf_counter()
        run()
        took.append(perf_counter() - start)
    return min(took)


def best_of_both(one: Callable[[], Any], other: Callable[[], Any]) -> tuple[float, float]:
    """Return the least of some measurements of each, taken in turns: what slows the machine for a while slows both.

    Short ones are taken oftener: a process that has just made its data is slower for a while.
    """
    took: list[tuple[float, float]] = []
    start = perf_counter()
    while len(took) < 3 * REPEATS or perf_counter() - start < 2:
        took.append((best(one, 1), best(other, 1)))
    return min(first for first, _ in took), min(second for _, second in took)


def agree(ours: Any, theirs: Any) -> None:
    """Refuse to go on with answers that differ by more than rounding."""
    np.testing.assert_allclose(np.asarray(ours, float), np.asarray(theirs, float), rtol=1e-6, atol=1e-6)


def line(what: str, seconds: float, rows: int, beside: str = "") -> None:
    """Print one row of the table."""
    print(f"{what:58} {seconds * 1e3:9.1f} ms {rows / seconds / 1e6:9.2f} M rows/s  {beside}")


def in_order(rows: int) -> pd.DataFrame:
    """Make events about a second apart, in order."""
    rng = np.random.default_rng(1)
    ticks = np.cumsum(rng.exponential(SECONDS, rows).astype(np.int64) + 1)
    return pd.DataFrame({"t": ticks.view("datetime64[us]"), "v": rng.normal(size=rows)})


def late(frame: pd.DataFrame, share: float = 0.01, most: int = 10_000) -> pd.DataFrame:
    """Let a share of the rows come late by up to so many places."""
    rng = np.random.default_rng(2)
    places = np.arange(len(frame), dtype=np.float64)
    moved = rng.random(len(frame)) < share
    places[moved] += rng.integers(1, most, int(moved.sum())) + 0.5
    return frame.iloc[np.argsort(places, kind="stable")].reset_index(drop=True)


def time_windows(rows: int) -> None:
    """Sum and max over 1,000 seconds, beside pandas and polars on their own frames."""
    frame = in_order(rows)
    tidy = pl.from_pandas(frame)
    for name, one in (("max", sash.Max("v")), ("sum", sash.Sum("v"))):
        by_pandas = getattr(frame.rolling("1000s", on="t")["v"], name)
        expression = getattr(pl.col("v"), f"rolling_{name}_by")("t", "1000s")
        agree(rolling(frame, on="t", window="1000s", out=one)["out"], by_pandas())
        agree(rolling(tidy, on="t", window="1000s", out=one)["out"], tidy.select(expression)["v"])
        theirs = {"pandas": best(by_pandas), "polars": best(lambda wanted=expression: tidy.select(wanted))}  # type: ignore[misc]
        for library, data in (("pandas", frame), ("polars", tidy)):
            ours = best(lambda data=data, one=one: rolling(data, on="t", window="1000s", out=one))  # type: ignore[misc]
            beside = f"{min(theirs.values()) / ours:.1f}x the faster of pandas and polars"
            line(f"{name} over 1,000 s, in order, a frame of {library}", ours, rows, beside)


OURS: dict[str, Callable[[], sash.Aggregation]] = {
    "sum": lambda: sash.Sum("v"),
    "mean": lambda: sash.Mean("v"),
    "max": lambda: sash.Max("v"),
    "min": lambda: sash.Min("v"),
    "count": lambda: sash.Count("v"),
    "std": lambda: sash.Std("v"),
    "median": lambda: sash.Median("v"),
}


def beside(name: str, rows: int) -> None:
    """Measure an aggregation over windows of about 1,000 and 100,000 rows, with one thread and with all cores."""
    frame = in_order(rows)
    for size in (1_000, 100_000):
        run = {
            threads: lambda n=threads: rolling(frame, on="t", window=f"{size}s", threads=n, out=OURS[name]())["out"]  # noqa: B023
            for threads in (1, None)
        }
        took = {threads: best(one) for threads, one in run.items()}
        for kind, theirs in (("of time", by_time(name, frame, size, run[1])), ("of rows", by_rows(name, frame, size))):
            for threads, seconds in took.items():
                compare(f"{name} over {size:,} s, {cores(threads)}", seconds, rows, kind, theirs)
    compare_by_rows(name, frame)


def compare(what: str, seconds: float, rows: int, kind: str, theirs: dict[str, float]) -> None:
    """Print a row of the table beside the fastest of others, by their seconds a row."""
    if not theirs:
        return
    fastest = min(theirs, key=theirs.__getitem__)
    all_of_them = ", ".join(f"{library} {each * 1e9:.1f}" for library, each in theirs.items())
    ratio = theirs[fastest] * rows / seconds
    beside = (
        f"{ratio:.1f}x {fastest}, the fastest with windows {kind}; ns a row: {seconds / rows * 1e9:.2f}, {all_of_them}"
    )
    line(what, seconds, rows, beside)


def cores(threads: int | None) -> str:
    """Say how many threads run."""
    return "all cores" if threads is None else "one thread"


def by_time(name: str, frame: pd.DataFrame, size: int, ours: Callable[[], Any]) -> dict[str, float]:
    """Return seconds a row of those that have windows of time, once they agree."""
    found = {}
    mine = ours()
    for library, (their, rows) in rivals.by_time(name, frame, size).items():
        # DuckDB's deviation is one of subtractions, which drift.
        if not (name == "std" and library == "duckdb"):
            agree(mine[1:rows], np.asarray(their(), float)[1:])
        found[library] = best(their, 2 if library == "duckdb" else 3) / rows
    return found


def by_rows(name: str, frame: pd.DataFrame, size: int) -> dict[str, float]:
    """Return seconds a row of those that have only windows of so many rows, once they agree."""
    found = {}
    values = frame["v"].to_numpy()
    mine = rolling({"v": values}, window=size, out=OURS[name]())["out"]
    for library, (their, rows) in rivals.by_rows(name, values, size).items():
        agree(mine[1:rows], np.asarray(their(), float)[1:])
        found[library] = best(their, 3) / rows
    return found


def compare_by_rows(name: str, frame: pd.DataFrame) -> None:
    """Measure windows of so many rows beside those that have only these."""
    arrays = {"v": frame["v"].to_numpy()}
    for size in (1_000, 100_000):
        for threads in (1, None):
            seconds = best(lambda: rolling(arrays, window=size, threads=threads, out=OURS[name]()))  # noqa: B023
            what = f"{name} over {size:,} rows, {cores(threads)}"
            compare(what, seconds, len(frame), "of rows", by_rows(name, frame, size))


def distinct(rows: int) -> None:
    """Count distinct integers and texts over windows of 1,000 and 100,000 rows."""
    rng = np.random.default_rng(6)
    numbers = rng.integers(0, 5_000, rows)
    frame = pl.DataFrame({"t": np.arange(rows), "i": numbers * 1_000_003, "s": [f"shop {n}" for n in numbers.tolist()]})
    for column, what in (("i", "integers"), ("s", "texts")):
        for size in (1_000, 100_000):
            for threads in (1, None):

                def run(size: int = size, threads: int | None = threads, column: str = column) -> Any:
                    return rolling(frame, on="t", window=size, threads=threads, out=sash.CountDistinct(column))["out"]

                out = run()
                for at in range(rows - 1, 0, -rows // 7):
                    assert out[at] == len(set(numbers[max(0, at + 1 - size) : at + 1].tolist()))
                line(f"distinct {what} over {size:,} rows, {cores(threads)}", best(run), rows)


FRESH = """
import numpy as np, sash
from time import perf_counter
frame = {"t": np.arange(1_000_000), "v": np.random.default_rng(1).normal(size=1_000_000)}
took = []
for _ in range(6):
    start = perf_counter()
    sash.rolling(frame, on="t", window=sash.TimeWindow(1000), out=sash.Sum("v"))
    took.append(perf_counter() - start)
print(took[0], min(took[1:]))
"""


def first_call(_: int) -> None:
    """Measure the first call of a fresh process beside its later ones: the middle one of some processes."""
    command = [sys.executable, "-c", FRESH]
    runs = [subprocess.run(command, capture_output=True, text=True, check=True) for _ in range(15)]
    took = [tuple(map(float, run.stdout.split())) for run in runs]
    first, later = sorted(took, key=lambda pair: pair[0] / pair[1])[len(took) // 2]
    line("sum, the first call in a fresh process", first, 1_000_000, f"{first / later:.2f}x the later ones")


def late_rows(rows: int) -> None:
    """Sum and median, with 1% of the rows late."""
    frame = in_order(rows)
    mixed = late(frame)
    ordered, tidy = pl.from_pandas(frame), pl.from_pandas(mixed)
    for name in ("sum", "median"):
        for size in (1_000, 100_000):
            for threads in (1, None):

                def run(data: Any, name: str = name, size: int = size, threads: int | None = threads) -> Any:
                    return rolling(data, on="t", window=f"{size}s", threads=threads, out=OURS[name]())

                places = np.searchsorted(frame["t"].to_numpy(), mixed["t"].to_numpy())
                agree(run(tidy)["out"], run(ordered)["out"].to_numpy()[places])
                took, first = best_of_both(lambda: run(tidy), lambda: run(ordered))
                what = f"{name} over {size:,} s, 1% late, {cores(threads)}"
                line(what, took, rows, f"{took / first:.2f}x the time in order")


def count_windows(rows: int) -> None:
    """Max over so many rows, beside bottleneck."""
    frame = in_order(rows)
    arrays = {"v": frame["v"].to_numpy()}
    for size in (10, 1_000, 100_000):
        agree(rolling(arrays, window=size, out=sash.Max("v"))["out"], bottleneck.move_max(arrays["v"], size, 1))
        ours = best(lambda n=size: rolling(arrays, window=n, out=sash.Max("v")))  # type: ignore[misc]
        theirs = best(lambda n=size: bottleneck.move_max(arrays["v"], n, 1))  # type: ignore[misc]
        line(f"max over {size:,} rows", ours, rows, f"{theirs / ours:.1f}x bottleneck")


def compiled(rows: int) -> None:
    """A user's aggregation over 1,000 rows, beside apply of pandas over a part of the rows."""
    frame = in_order(rows)
    part = frame["v"].iloc[:20_000]
    energy = sash.compiled(Energy("v"))
    applied = part.rolling(1_000, min_periods=1)

    def by_pandas() -> Any:
        return applied.apply(lambda values: (values * values).mean() ** 0.5, raw=True)

    agree(rolling({"v": part.to_numpy()}, window=1_000, out=energy)["out"], by_pandas())
    theirs = best(by_pandas, repeats=1) / len(part)
    ours = best(lambda: rolling({"v": frame["v"].to_numpy()}, window=1_000, out=energy))
    beside = f"{theirs * len(frame) / ours:.0f}x pandas apply"
    line("a compiled aggregation over 1,000 rows", ours, len(frame), beside)


def keyed(rows: int, keys: int = 100_000) -> None:
    """Run five aggregations over four windows of many keys."""
    rng = np.random.default_rng(4)
    ticks = np.cumsum(rng.integers(1, 100, rows)) * 1000
    frame = {
        "card": rng.integers(0, 2**62, keys)[rng.integers(0, keys, rows)],
        "time": ticks.view("datetime64[us]"),
        "amount": rng.normal(size=rows),
        "shop": rng.integers(0, 500, rows),
    }
    named = {
        "spent": sash.Sum("amount"),
        "n": sash.Count(),
        "peak": sash.Max("amount"),
        "mean": sash.Mean("amount"),
        "where": sash.ArgMax("amount", "shop"),
    }
    windows = ["10m", "1h", "3h", "12h"]
    plan = Plan(by="card", on="time", windows=windows, aggregations=named)
    done = rolling(frame, plan)
    tidy = pl.DataFrame({name: frame[name] for name in ("card", "time", "amount")}).with_row_index("row")
    theirs = tidy.rolling("time", period="3h", group_by="card").agg(pl.col("amount").sum(), pl.col("row").last())
    agree(done["spent_3h"][theirs["row"].to_numpy()], theirs["amount"])
    line(f"{keys:,} keys, 4 windows, 5 aggregations", best(lambda: rolling(frame, plan)), rows)


def sizes(rows: int) -> None:
    """Time windows of 100 to 1,000,000 rows."""
    frame = {"t": np.arange(rows), "v": np.random.default_rng(5).normal(size=rows)}
    first = 0.0
    for size in (100, 10_000, 1_000_000):
        for name, one in (("sum", sash.Sum("v")), ("max", sash.Max("v"))):
            agree(
                rolling(frame, on="t", window=TimeWindow(size), out=one)["out"],
                rolling(frame, window=size, out=one)["out"],
            )
            if name == "max":
                continue
            ours = best(lambda n=size, a=one: rolling(frame, on="t", window=TimeWindow(n), out=a))  # type: ignore[misc]
            first = first or ours
            line(f"sum over {size:,} rows of a time window", ours, rows, f"{ours / first:.2f}x the first")


def two_threads(rows: int) -> None:
    """Measure one thread beside all cores, for one long key and for many keys."""
    frame = in_order(rows)
    keys = pl.from_pandas(frame).with_columns(k=np.random.default_rng(7).integers(0, 1_000, rows))
    for name in ("sum", "max", "std", "median"):
        for what, data, by in (("one key", pl.from_pandas(frame), None), ("1,000 keys", keys, "k")):

            def run(threads: int | None, data: Any = data, by: str | None = by, name: str = name) -> Any:
                return rolling(data, by=by, on="t", window="1000s", threads=threads, out=OURS[name]())["out"]

            assert run(1).to_numpy().tobytes() == run(None).to_numpy().tobytes()
            one, both = best_of_both(lambda: run(1), lambda: run(None))
            line(f"{name} over 1,000 s, {what}, all cores", both, rows, f"{one / both:.2f}x one thread")


def flights(rows: int) -> None:
    """Run three windows and four aggregations over 280 keys, beside polars with its sort and without."""
    rows = rows * 3 // 2
    rng = np.random.default_rng(8)
    times = rng.permutation(np.cumsum(rng.exponential(10 * SECONDS, rows).astype(np.int64) + 1))
    named = {name: OURS[name]() for name in ("sum", "mean", "max", "std")}
    windows = ["1h", "6h", "1d"]
    frame = pl.DataFrame(
        {"k": rng.integers(0, 280, rows), "t": times.view("datetime64[us]"), "v": rng.normal(size=rows)}
    )
    ordered = frame.sort("k", "t")

    def ours(data: Any) -> Any:
        return rolling(data, by="k", on="t", window=windows, **named)

    ways = rivals.keyed(windows, list(named))
    agree(ours(ordered).select("^.*_.*$").to_numpy(), ways["rolling_by"](ordered).select("^.*_.*$").to_numpy())
    agree(ours(frame).sort("k", "t").select("^.*_.*$"), ways["rolling_by"](ordered).select("^.*_.*$"))
    unsorted = {name: best(lambda way=way: way(frame.sort("k", "t")), 2) for name, way in ways.items()}  # type: ignore[misc]
    unsorted["rolling_by, no sort"] = best(lambda: ways["rolling_by"](frame), 2)
    already = {name: best(lambda way=way: way(ordered), 2) for name, way in ways.items()}  # type: ignore[misc]
    for what, data, theirs in (("unsorted", frame, unsorted), ("sorted", ordered, already)):
        fastest = min(theirs, key=theirs.__getitem__)
        took = best(lambda data=data: ours(data))  # type: ignore[misc]
        line(
            f"280 keys, 3 windows, 4 aggregations, {what}",
            took,
            rows,
            f"{theirs[fastest] / took:.1f}x polars by {fastest}",
        )


FIGURES: dict[str, Callable[[int], None]] = {
    **{name: partial(beside, name) for name in OURS},
    "frames": time_windows,
    "late": late_rows,
    "rows": count_windows,
    "sizes": sizes,
    "keys": keyed,
    "compiled": compiled,
    "distinct": distinct,
    "first": first_call,
    "threads": two_threads,
    "flights": flights,
}


def main() -> None:
    """Print the figures that are asked for."""
    parser = argparse.ArgumentParser(description="What rolling over frames costs.")
    parser.add_argument("figures", nargs="*", metavar="figure", help=", ".join(FIGURES))
    parser.add_argument("--rows", type=int, default=2_000_000)
    asked = parser.parse_args()
    if unknown := set(asked.figures) - set(FIGURES):
        parser.error(f"no figure is called {', '.join(sorted(unknown))}: there are {', '.join(FIGURES)}")
    print(f"{asked.rows:,} rows, build: Release, cores: {len(os.sched_getaffinity(0))}")
    for name in asked.figures or FIGURES:
        FIGURES[name](asked.rows)


if __name__ == "__main__":
    main()
