"""The stream as files: in order of arrival, nothing lost, and one trip behind all others."""

from pathlib import Path

import numpy as np
import pytest

pytest.importorskip("pyarrow")

import pyarrow as pa
import pyarrow.parquet as pq

from sash.demo import bikes, files

WAIT = np.timedelta64(2, "D")


@pytest.mark.parametrize(("count", "parts"), [(1_000, 7), (5, 5), (10, 3), (12, 1)])
def test_files_hold_the_stream_in_order(tmp_path: Path, count: int, parts: int) -> None:
    """Read one after the other by their modification times, as Spark does, the files are the stream."""
    table = files.as_table(bikes.trips(count, seed=2))
    written = files.write(table, tmp_path / "trips", parts, files.closing(table, WAIT))
    by_age = sorted((tmp_path / "trips").iterdir(), key=lambda path: path.stat().st_mtime)
    assert by_age == written
    assert len(written) == parts + 1
    whole = pa.concat_tables(pq.read_table(path) for path in by_age)
    assert whole.slice(0, count) == table
    assert whole["trip"].to_pylist() == list(range(count + 1))


def test_the_table_is_the_trips() -> None:
    """No column changes on its way to Arrow."""
    trips = bikes.trips(1_000, seed=4)
    table = files.as_table(trips)
    assert table.schema == files.SCHEMA
    assert (table["ended"].to_numpy() == trips.ended).all()
    assert table["station"].to_pylist() == trips.station.tolist()
    assert table["bike"].to_pylist() == trips.bike.tolist()
    assert table["seconds"].to_pylist() == trips.seconds.tolist()


def test_the_closing_trip_is_later_than_all() -> None:
    """It ends so long after the newest one, wherever that stands."""
    table = files.as_table(bikes.trips(1_000, seed=4))
    last = files.closing(table, WAIT)
    assert last.num_rows == 1
    assert last["ended"].to_numpy()[0] == table["ended"].to_numpy().max() + WAIT
