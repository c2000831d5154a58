"""What rolling over frames costs, beside pandas, polars, DuckDB, numbagg and bottleneck, in one run.

    python benchmarks/rolling.py [rows]

A line is printed only after its answers were compared with those of another library, or of another way to the same.
"""

import subprocess
import sys
from collections.abc import Callable
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


def time_windows(frame: pd.DataFrame) -> float:
    """Sum and max over 1,000 seconds, beside pandas and polars on their own frames; return the seconds of the sum."""
    kept = 0.0
    tidy = pl.from_pandas(frame)
    for name, one in (("max", sash.Max("v")), ("sum", sash.Sum("v"))):
        by_pandas = getattr(frame.rolling("1000s", on="t")["v"], name)
        expression = getattr(pl.col("v"), f"rolling_{name}_by")("t", "1000s")
        agree(rolling(frame, on="t", window="1000s", out=one)["out"], by_pandas())
        agree(rolling(tidy, on="t", window="1000s", out=one)["out"], tidy.select(expression)["v"])
        theirs = {"pandas": best(by_pandas), "polars": best(lambda wanted=expression: tidy.select(wanted))}  # type: ignore[misc]
        for library, data in (("pandas", frame), ("polars", tidy)):
            kept = best(lambda data=data, one=one: rolling(data, on="t", window="1000s", out=one))  # type: ignore[misc]
            beside = f"{min(theirs.values()) / kept:.1f}x the faster of pandas and polars"
            line(f"{name} over 1,000 s, in order, a frame of {library}", kept, len(frame), beside)
    return kept


OURS: dict[str, Callable[[], sash.Aggregation]] = {
    "sum": lambda: sash.Sum("v"),
    "mean": lambda: sash.Mean("v"),
    "max": lambda: sash.Max("v"),
    "min": lambda: sash.Min("v"),
    "count": lambda: sash.Count("v"),
    "std": lambda: sash.Std("v"),
    "median": lambda: sash.Median("v"),
}


def beside_all(frame: pd.DataFrame) -> None:
    """Measure each aggregation over windows of about 1,000 and 100,000 rows, with one thread and with all cores."""
    values = frame["v"].to_numpy()
    for name, make in OURS.items():
        for size in (1_000, 100_000):
            run = {
                threads: lambda n=threads: rolling(frame, on="t", window=f"{size}s", threads=n, out=make())["out"]  # noqa: B023
                for threads in (1, None)
            }
            theirs = {}
            for library, (their, rows) in rivals.by_time(name, frame, size).items():
                if not (name == "std" and library == "duckdb"):
                    agree(run[1]()[1:rows], np.asarray(their(), float)[1:])
                theirs[library] = best(their, 2 if library == "duckdb" else 3) / rows
            for library, (their, rows) in rivals.by_rows(name, values, size).items():
                theirs[f"{library} by rows"] = best(their, 3) / rows
            took = {threads: best(one) for threads, one in run.items()}
            fastest = min(theirs, key=theirs.__getitem__)
            for threads, seconds in took.items():
                beside = f"{theirs[fastest] * len(frame) / seconds:.1f}x {fastest}; " + ", ".join(
                    f"{library} {each * 1e9:.0f}" for library, each in theirs.items()
                )
                what = f"{name} over {size:,} s, {'all cores' if threads is None else 'one thread'}"
                line(what, seconds, len(frame), f"{seconds / len(frame) * 1e9:.1f} ns a row; {beside} ns a row")


def distinct(rows: int) -> None:
    """Count distinct integers and texts over windows of 1,000 and 100,000 rows."""
    rng = np.random.default_rng(6)
    numbers = rng.integers(0, 5_000, rows)
    frame = pl.DataFrame({"t": np.arange(rows), "i": numbers * 1_000_003, "s": [f"shop {n}" for n in numbers.tolist()]})
    for column in ("i", "s"):
        for size in (1_000, 100_000):
            out = rolling(frame, on="t", window=TimeWindow(size), out=sash.CountDistinct(column))["out"]
            assert out[-1] == len(set(numbers[-size:].tolist()))
            ours = best(
                lambda n=size, c=column: rolling(frame, on="t", window=TimeWindow(n), out=sash.CountDistinct(c))  # type: ignore[misc]
            )
            line(f"distinct {'texts' if column == 's' else 'integers'} over {size:,} rows", ours, rows)


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


def first_call() -> None:
    """Measure the first call of a fresh process beside its later ones."""
    runs = [subprocess.run([sys.executable, "-c", FRESH], capture_output=True, text=True, check=True) for _ in range(3)]
    first, later = min(tuple(map(float, run.stdout.split())) for run in runs)
    line("sum, the first call in a fresh process", first, 1_000_000, f"{first / later:.2f}x the later ones")


def late_rows(frame: pd.DataFrame, ordered: float) -> None:
    """Sum again, with 1% of the rows late."""
    mixed = late(frame)
    tidy = pl.from_pandas(mixed)
    expected = rolling(frame, on="t", window="1000s", out=sash.Sum("v")).set_index("t")["out"]
    agree(rolling(mixed, on="t", window="1000s", out=sash.Sum("v"))["out"], expected.loc[mixed["t"]])
    ours = best(lambda: rolling(tidy, on="t", window="1000s", out=sash.Sum("v")))
    line(
        "sum over 1,000 s, 1% late by up to 10,000 places", ours, len(frame), f"{ours / ordered:.2f}x the time in order"
    )


def count_windows(frame: pd.DataFrame) -> None:
    """Max over so many rows, beside bottleneck."""
    arrays = {"v": frame["v"].to_numpy()}
    for rows in (10, 1_000, 100_000):
        agree(rolling(arrays, window=rows, out=sash.Max("v"))["out"], bottleneck.move_max(arrays["v"], rows, 1))
        ours = best(lambda n=rows: rolling(arrays, window=n, out=sash.Max("v")))  # type: ignore[misc]
        theirs = best(lambda n=rows: bottleneck.move_max(arrays["v"], n, 1))  # type: ignore[misc]
        line(f"max over {rows:,} rows", ours, len(frame), f"{theirs / ours:.1f}x bottleneck")


def compiled(frame: pd.DataFrame) -> None:
    """A user's aggregation over 1,000 rows, beside apply of pandas over a part of the rows."""
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


def main(rows: int) -> None:
    """Print the table."""
    print(f"{rows:,} rows, build: Release")
    frame = in_order(rows)
    late_rows(frame, time_windows(frame))
    count_windows(frame)
    sizes(rows)
    keyed(rows)
    compiled(frame)
    distinct(rows)
    first_call()
    beside_all(frame)


if __name__ == "__main__":
    main(int(sys.argv[1]) if len(sys.argv) > 1 else 2_000_000)
