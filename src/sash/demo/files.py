"""Trips as Parquet files, one for each micro-batch, in the order of arrival."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Final

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq

from sash.demo.bikes import Trips

__all__ = ["SCHEMA", "SCHEMA_SQL", "as_table", "closing", "write"]

SCHEMA: Final = pa.schema(
    [
        ("trip", pa.int64()),
        ("ended", pa.timestamp("us", "UTC")),
        ("station", pa.string()),
        ("bike", pa.int64()),
        ("seconds", pa.int64()),
    ]
)
#: The same as Spark writes it.
SCHEMA_SQL: Final = "trip bigint, ended timestamp, station string, bike bigint, seconds bigint"


def as_table(trips: Trips) -> pa.Table:
    """The trips as an Arrow table, in order of arrival.

    >>> from sash.demo.bikes import trips
    >>> as_table(trips(10, seed=1)).num_rows
    10
    """
    columns = {name: pa.array(getattr(trips, name)) for name in SCHEMA.names if name != "ended"}
    columns["ended"] = pa.array(trips.ended.astype("datetime64[us]"), pa.timestamp("us")).cast(
        SCHEMA.field("ended").type
    )
    return pa.table({name: columns[name] for name in SCHEMA.names}, SCHEMA)


def closing(table: pa.Table, wait: np.timedelta64) -> pa.Table:
    """One more trip, so much later than all others that everything before it is final.

    >>> from sash.demo.bikes import trips
    >>> last = closing(as_table(trips(10, seed=1)), np.timedelta64(7, "D"))
    >>> last["trip"].to_pylist(), last["ended"][0].as_py().day
    ([10], 13)
    """
    newest = table["ended"].to_numpy().max()
    later = pa.array([newest + wait], pa.timestamp("us")).cast(SCHEMA.field("ended").type)
    row = table.slice(table.num_rows - 1)
    row = row.set_column(0, "trip", pa.array([table.num_rows])).set_column(1, "ended", later)
    return row.cast(SCHEMA)


def write(table: pa.Table, folder: Path, files: int, last: pa.Table) -> list[Path]:
    """Cut the table into so many files of equal size, `last` in one of its own behind them; give their paths.

    Spark reads files in the order of their modification times, so these are set, a second apart. Cost: O(n).
    """
    folder.mkdir(parents=True)
    size = -(-table.num_rows // files)
    parts = [table.slice(start, size) for start in range(0, table.num_rows, size)]
    paths = []
    for number, part in enumerate([*parts, last]):
        path = folder / f"trips-{number:03}.parquet"
        pq.write_table(part, path)
        os.utime(path, (number + 1, number + 1))
        paths.append(path)
    return paths
