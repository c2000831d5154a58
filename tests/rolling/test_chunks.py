"""Rolling in parts: record batches in and out give what the whole table gives, with one window between them."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from hypothesis import given
from hypothesis import strategies as st

import sash
from sash.batch.chunks import _Chunks, batches_of, rolling_batches
from sash.windows import CountWindow, SessionWindow, TimeWindow

OVER = {"all": sash.Concat("s"), "n": sash.Count("x"), "total": sash.Sum("x"), "best": sash.ArgMax("x", "s")}


def table(times: Any, seed: int = 0) -> pa.Table:
    """Rows with keys, nulls and texts that show their order."""
    rng = np.random.default_rng(seed)
    n = len(times)
    return pa.table(
        {
            "id": range(n),
            "t": pa.array(times, pa.int64()),
            "k": pa.array(rng.choice(["a", "b", None], n).tolist(), pa.string()),
            "x": pa.array(rng.integers(0, 5, n), mask=rng.random(n) < 0.2),
            "s": [chr(97 + i % 26) for i in range(n)],
        }
    )


def whole(parts: Iterator[pa.RecordBatch]) -> pa.Table:
    return pa.Table.from_batches(list(parts)).sort_by("id")


@given(
    st.lists(st.tuples(st.integers(0, 3), st.integers(0, 6)), min_size=1, max_size=60),
    st.one_of(st.integers(1, 9).map(TimeWindow), st.integers(1, 4).map(CountWindow)),
    st.sampled_from(["right", "left", "both", "neither"]),
    st.integers(1, 12),
    st.integers(1, 7),
    st.booleans(),
)
def test_parts_give_what_the_whole_gives(
    steps: Any, window: Any, closed: Any, rows: int, batch: int, peers: bool
) -> None:
    """Whatever the sizes of batches and chunks, with rows that are late by no more than the lateness."""
    times = np.cumsum([step for step, _ in steps]) - np.array([late for _, late in steps])
    frame = table(times)
    shaped = TimeWindow(window.length, closed=closed) if isinstance(window, TimeWindow) else window
    plan = sash.Plan(by="k", on="t", windows=shaped, aggregations=OVER, lateness=6, peers=peers, closed=closed)
    parts = rolling_batches(iter(frame.to_batches(max_chunksize=batch)), plan, {}, rows=rows)
    assert whole(parts).to_pylist() == sash.rolling(frame, plan).to_pylist()


@given(
    st.lists(st.tuples(st.integers(0, 5), st.integers(0, 6)), min_size=1, max_size=50),
    st.tuples(st.integers(1, 12), st.integers(1, 12)).map(lambda pair: (max(pair), min(pair))),
    st.sampled_from(["right", "left", "both", "neither"]),
    st.integers(1, 12),
    st.booleans(),
)
def test_slides_in_parts_are_those_of_the_whole(steps: Any, slide: Any, closed: Any, rows: int, keyed: bool) -> None:
    """A row for each key and end, once, as soon as no row can come into its window."""
    frame = table(np.cumsum([step for step, _ in steps]) - np.array([late for _, late in steps]))
    window = TimeWindow(slide[0], every=slide[1], closed=closed)
    plan = sash.Plan(by="k" if keyed else None, on="t", windows=window, aggregations=OVER, lateness=6)
    expected = sash.rolling(frame, plan)
    parts = list(rolling_batches(iter(frame.to_batches(max_chunksize=3)), plan, {}, rows=rows))
    ours = pa.Table.from_batches(parts, schema=None if parts else expected.schema)
    places: Any = [(name, "ascending") for name in (["k"] if keyed else []) + ["window_end"]]
    assert ours.sort_by(places).to_pylist() == expected.sort_by(places).to_pylist()


def test_sorted_rows_leave_in_their_order_and_little_is_retained() -> None:
    """A chunk holds one window, not the rows before it: the most that is held is a small share of all rows."""
    frame = table(np.arange(20_000) // 2)
    plan = sash.Plan(by="k", on="t", windows=[TimeWindow(50), TimeWindow(200)], aggregations=OVER)
    chunks = _Chunks(plan, {}, 500)
    held = 0
    done = []
    for part in chunks.run(iter(frame.to_batches(max_chunksize=100))):
        done.append(part)
        held = max(held, len(chunks._emitted))
    assert pa.Table.from_batches(done)["id"].to_pylist() == list(range(20_000))
    assert held < 500
    assert pa.Table.from_batches(done).to_pylist() == sash.rolling(frame, plan).to_pylist()


def test_files_and_folders_of_parquet_are_read_in_parts(tmp_path: Path) -> None:
    """A file, and a folder whose files are taken in the order of their names."""
    frame = table(np.arange(1000))
    pq.write_table(frame, tmp_path / "all.parquet", row_group_size=100)
    folder = tmp_path / "days"
    folder.mkdir()
    pq.write_table(frame.slice(0, 400), folder / "2024-01.parquet")
    pq.write_table(frame.slice(400), folder / "2024-02.parquet")
    options: Any = {"by": "k", "on": "t", "window": TimeWindow(30), "total": sash.Sum("x")}
    expected = sash.rolling(frame, half=sash.col("total") / 2, **options)
    for source in (tmp_path / "all.parquet", str(folder)):
        parts = sash.rolling(source, half=sash.col("total") / 2, **options)
        assert isinstance(parts, Iterator)
        assert whole(parts).to_pylist() == expected.to_pylist()
    with pytest.raises(FileNotFoundError, match="no Parquet file"):
        sash.rolling(tmp_path / "nothing", **options)


def test_a_file_is_let_go_of_as_it_is_read(tmp_path: Path) -> None:
    """What Arrow holds is a row group, not the file."""
    path = tmp_path / "rows.parquet"
    rng = np.random.default_rng(1)
    pq.write_table(pa.table({"t": np.arange(400_000), "x": rng.random(400_000)}), path, row_group_size=20_000)
    before = pa.total_allocated_bytes()
    held = [pa.total_allocated_bytes() - before for _ in batches_of(path)]
    assert len(held) == 20
    assert max(held) < 400_000 * 16 / 3


def test_what_cannot_be_run_in_parts_is_refused() -> None:
    """Rows that are later than said, windows without a length, and labels."""
    late = iter(table([5, 9, 1]).to_batches(max_chunksize=1))
    plan = sash.Plan(on="t", windows=TimeWindow(2), aggregations={"n": sash.Count()}, lateness=3)
    with pytest.raises(ValueError, match="1 comes too late, and rows that are read in parts are at most 3 late"):
        list(rolling_batches(late, plan, {}, rows=1))
    with pytest.raises(sash.PlanError, match="bound what is retained"):
        sash.rolling(iter([]), on="t", window=SessionWindow(3), n=sash.Count())
    with pytest.raises(sash.PlanError, match="on: rows that are read in parts have times"):
        sash.rolling(iter([]), window=3, n=sash.Count())
    with pytest.raises(sash.PlanError, match="looks at the event before"):
        sash.rolling(iter([]), on="t", window=TimeWindow(3), n=sash.TimeSince("x"))
    with pytest.raises(sash.PlanError, match="labels are of frames"):
        sash.rolling(iter([]), at={"t": [1]}, on="t", window=TimeWindow(3), n=sash.Count())
    assert list(sash.rolling(iter([]), on="t", window=TimeWindow(3), n=sash.Count())) == []
