"""What windows at labels cost, beside the formulations of DuckDB and beside `rolling` over the same rows, in one run.

    python benchmarks/labels.py [--events 30000000] [--labels 10000000] [--keys 1000] [--share 10]

DuckDB has three ways: a range join with aggregation, a window over the union of both, and for the mean a pair of ASOF
joins over running totals. Each is measured on the rows of one key in `share`, and its time is taken that many times:
which is kind to it, as sorting fewer rows takes less than their share. With `--share 1` the best of them runs over all.
Nothing is printed before the answers agree.
"""

import argparse
from collections.abc import Callable, Sequence
from time import perf_counter
from typing import Any

import duckdb
import numpy as np
import pyarrow as pa

import sash
from sash.windows import TimeWindow

#: The length of a window, in the ticks of the times; a key has an event every 10 ticks.
LENGTH = 1_000
AGGREGATIONS = {"mean": sash.Mean("x"), "low": sash.Min("x"), "high": sash.Max("x")}

RANGE_JOIN = f"""
    SELECT l.id, avg(e.x) AS mean, min(e.x) AS low, max(e.x) AS high
    FROM labels l LEFT JOIN events e ON l.k = e.k AND e.t <= l.t AND e.t > l.t - {LENGTH}
    GROUP BY l.id ORDER BY l.id"""
UNION_WINDOW = f"""
    SELECT id, mean, low, high FROM (
        SELECT id, avg(x) OVER w AS mean, min(x) OVER w AS low, max(x) OVER w AS high
        FROM (SELECT k, t, x, NULL AS id FROM events UNION ALL SELECT k, t, NULL, id FROM labels)
        WINDOW w AS (PARTITION BY k ORDER BY t RANGE BETWEEN {LENGTH - 1} PRECEDING AND CURRENT ROW))
    WHERE id IS NOT NULL ORDER BY id"""
ASOF_MEAN = f"""
    WITH totals AS (
        SELECT k, t, max(total) AS total, max(n) AS n FROM (
            SELECT k, t, sum(x) OVER w AS total, count(*) OVER w AS n FROM events
            WINDOW w AS (PARTITION BY k ORDER BY t)) GROUP BY k, t)
    SELECT l.id, (a.total - coalesce(b.total, 0)) / (a.n - coalesce(b.n, 0)) AS mean
    FROM labels l ASOF LEFT JOIN totals a ON l.k = a.k AND l.t >= a.t
    ASOF LEFT JOIN totals b ON l.k = b.k AND l.t - {LENGTH} >= b.t ORDER BY l.id"""

#: All by what they are called, and those that give all three results.
WAYS = {"range join": RANGE_JOIN, "window over the union": UNION_WINDOW, "ASOF pair, the mean": ASOF_MEAN}
ALL_OF_THEM = ("range join", "window over the union")


def timed(run: Callable[[], Any]) -> tuple[float, Any]:
    """Return how long it took, and what it gave."""
    start = perf_counter()
    result = run()
    return perf_counter() - start, result


def tables(events: int, labels: int, keys: int) -> tuple[pa.Table, pa.Table]:
    """Make events in the order of their times, and labels in the same span."""
    rng = np.random.default_rng(1)
    span = 10 * events // keys
    made = {"k": rng.integers(0, keys, events), "t": np.sort(rng.integers(0, span, events)), "x": rng.random(events)}
    asked = {"k": rng.integers(0, keys, labels), "t": np.sort(rng.integers(0, span, labels)), "id": np.arange(labels)}
    return pa.table(made), pa.table(asked)


def ours(events: pa.Table, labels: pa.Table) -> pa.Table:
    """Run Sash."""
    return sash.rolling(events, at=labels, by="k", on="t", window=TimeWindow(LENGTH), **AGGREGATIONS)


def by_duckdb(query: str, events: pa.Table, labels: pa.Table) -> pa.Table:
    """Run one of the queries over the tables."""
    with duckdb.connect() as connection:
        connection.register("events", events)
        connection.register("labels", labels)
        return connection.sql(query).to_arrow_table()


def agree(mine: pa.Table, theirs: pa.Table) -> None:
    """Stop if a column of the query differs."""
    for name in set(AGGREGATIONS) & set(theirs.column_names):
        left, right = (table[name].to_numpy() for table in (mine, theirs))
        if not np.allclose(left, right, rtol=1e-9, equal_nan=True):
            raise SystemExit(f"{name} differs")


def by_rolling(events: pa.Table) -> pa.Table:
    """Run Sash over the rows of the events."""
    return sash.rolling(events, by="k", on="t", window=TimeWindow(LENGTH), **AGGREGATIONS)


def duckdb_ways(events: pa.Table, labels: pa.Table, ways: Sequence[str]) -> dict[str, float]:
    """Return the seconds of some of DuckDB's ways, once their answers agree."""
    expected = ours(events, labels)
    took = {}
    for way in ways:
        took[way], result = timed(lambda way=way: by_duckdb(WAYS[way], events, labels))
        agree(expected, result)
    return took


def main() -> None:
    """Print a table."""
    parser = argparse.ArgumentParser(description="What windows at labels cost.")
    for name, default in (("events", 30_000_000), ("labels", 10_000_000), ("keys", 1_000), ("share", 10)):
        parser.add_argument(f"--{name}", type=int, default=default)
    asked = parser.parse_args()
    events, labels, keys, share = asked.events, asked.labels, asked.keys, asked.share
    # A range join takes minutes over more rows.
    tried = duckdb_ways(*tables(events // 300, labels // 300, max(1, keys // 300)), list(WAYS))
    best = min(ALL_OF_THEM, key=tried.__getitem__)
    part = tables(events // share, labels // share, max(1, keys // share))
    theirs = duckdb_ways(*part, [best, "ASOF pair, the mean"])
    whole = tables(events, labels, keys)
    # In turns: what slows the machine for a while slows both.
    took = [(timed(lambda: ours(*whole))[0], timed(lambda: by_rolling(whole[0]))[0]) for _ in range(5)]
    mine, rolled = min(first for first, _ in took), min(second for _, second in took)
    print(f"{events:,} events, {labels:,} labels, {keys:,} keys; mean, min, max over {LENGTH // 10} events")
    print(f"{'sash, at labels':36}{mine:8.2f} s")
    print(f"{'sash.rolling over the events':36}{rolled:8.2f} s   {mine / rolled:.2f}x of it at labels")
    for name, seconds in theirs.items():
        scaled = seconds * share
        what = f"{seconds:.2f} s over one key in {share}" if share > 1 else "over all"
        print(f"{'DuckDB, ' + name:36}{scaled:8.2f} s   {scaled / mine:.1f}x; {what}")


if __name__ == "__main__":
    main()
