"""What the streams have written, as frames."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Any, TypeAlias

import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq

import sash
from sash.demo.pipeline import CITY, STATIONS

__all__ = ["Results", "check", "read"]

Frame: TypeAlias = Any


@dataclass(frozen=True)
class Results:
    """A row for each trip, by the number of the trip: its first and last results by station, and that of the city."""

    first: Frame
    last: Frame
    city: Frame
    #: Trips that came too late for the city.
    late: Frame


def read(out: Path, trips: int) -> Results:
    """The results of the first `trips` trips. Cost: O(n log n)."""
    stations = _emitted(out / STATIONS.name, trips).to_pandas().sort_values(["trip", "revision"], ignore_index=True)
    city = _emitted(out / CITY.name, trips)
    late = pc.is_valid(city["late"])
    return Results(
        stations.drop_duplicates("trip", keep="first", ignore_index=True),
        stations.drop_duplicates("trip", keep="last", ignore_index=True),
        city.filter(pc.invert(late)).to_pandas().sort_values("trip", ignore_index=True),
        city.filter(late).to_pandas().sort_values("trip", ignore_index=True),
    )


def check(results: Results, trips: pa.Table) -> int:
    """Compare all results with those of `sash.rolling` in this process, and give their number.

    The last revisions by station are those of all trips; those of the city are of the trips that were in time.
    `AssertionError` if any differs. Cost: O(n) combines, and that of reading the frames.
    """
    in_time = trips.to_pandas().drop(results.late["trip"].to_numpy())
    expected = (
        (STATIONS.plan, trips.to_pandas(), results.last),
        (CITY.plan, in_time.reset_index(drop=True), results.city),
    )
    return sum(_compared(plan, rows, emitted) for plan, rows, emitted in expected)


def _compared(plan: sash.Plan, rows: Frame, emitted: Frame) -> int:
    at_rest = sash.Plan(**plan.to_dict() | {"emit": "final", "lateness": None, "aggregations": dict(plan.aggregations)})
    expected = sash.rolling(rows, at_rest, progress=False)
    if expected["trip"].tolist() != emitted["trip"].tolist():
        raise AssertionError(f"{len(expected):,} trips went in and {len(emitted):,} came out")
    for name in plan.outputs:
        # Means are sums of floats, which other batches add up in another order.
        wrong = ~((expected[name] - emitted[name]).abs() < 1e-6)
        if wrong.any():
            row = int(wrong.to_numpy().argmax())
            right, found = expected[name][row], emitted[name][row]
            raise AssertionError(f"{name} of trip {emitted['trip'][row]} must be {right}, not {found}")
    return len(expected) * len(plan.outputs)


def _emitted(folder: Path, trips: int) -> pa.Table:
    table = pq.read_table(folder)
    return table.filter(pc.less(table["trip"], trips))
