"""How much memory rolling over a Parquet file takes, read in parts, and how long it runs.

    python benchmarks/parts.py [rows] [folder]

The answer is checked on the way: each row's count is compared with that of the window by arithmetic.
"""

import resource
import sys
import tempfile
from pathlib import Path
from time import perf_counter

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq

import sash
from sash.windows import TimeWindow

PIECE = 1_000_000
#: A row each tick, so that a window holds as many rows as it is long.
LENGTH = 500_000


def write(path: Path, rows: int) -> None:
    """Write sorted rows of 1,000 keys, a piece at a time."""
    rng = np.random.default_rng(1)
    schema = pa.schema({"t": pa.int64(), "k": pa.int32(), "x": pa.float64()})
    with pq.ParquetWriter(path, schema) as writer:
        for start in range(0, rows, PIECE):
            times = np.arange(start, min(start + PIECE, rows))
            keys = rng.integers(0, 1_000, len(times), dtype=np.int32)
            writer.write_table(pa.table({"t": times, "k": keys, "x": rng.random(len(times))}, schema=schema))


def main() -> None:
    """Print rows, time and peak memory."""
    rows = int(sys.argv[1]) if len(sys.argv) > 1 else 20_000_000
    with tempfile.TemporaryDirectory(dir=sys.argv[2] if len(sys.argv) > 2 else None) as folder:
        path = Path(folder) / "rows.parquet"
        write(path, rows)
        start, seen, total = perf_counter(), 0, 0
        out = sash.rolling(
            path, on="t", window=TimeWindow(LENGTH), n=sash.Count(), top=sash.Max("x"), mean=sash.Mean("x")
        )
        for batch in out:
            seen += batch.num_rows
            total += int(batch.column("n").to_numpy().sum())
        took = perf_counter() - start
    full = min(rows, LENGTH)
    if seen != rows or total != full * (full + 1) // 2 + (rows - full) * full:
        raise SystemExit("the answers differ")
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 2**20
    rate = rows / took / 1e6
    print(f"{rows:,} rows, windows of {LENGTH:,}: {took:.1f} s, {rate:.1f} million rows a second, {peak:.2f} GiB")


if __name__ == "__main__":
    main()
