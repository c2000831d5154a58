"""A sorted partition in chunks gives what the whole of it gives, and keeps no more than its windows hold."""

from __future__ import annotations

from typing import Any

import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

import sash
from sash.batch.naming import window_label

pytest.importorskip("pyspark", reason="needs PySpark: pip install 'sash[spark]'")

from sash.spark.partition import RowChunks, SlideChunks

AGGREGATIONS: dict[str, sash.Aggregation] = {
    "all": sash.Concat("s"),
    "first": sash.First("s"),
    "best": sash.ArgMax("x", "s"),
    "n": sash.Count(),
    "sum": sash.Sum("x"),
}
TYPES = {"all": pa.string(), "first": pa.string(), "best": pa.string(), "n": pa.int64(), "sum": pa.int64()}

lengths = st.integers(1, 12)
windows = st.one_of(
    st.builds(sash.TimeWindow, lengths, closed=st.sampled_from(["right", "left", "both", "neither"])),
    lengths,
    st.builds(sash.SessionWindow, st.integers(1, 4)),
    st.builds(sash.TumblingWindow, lengths, closed=st.sampled_from(["right", "left"]), origin=st.none() | st.just(3)),
    st.builds(lambda n: sash.TumblingWindow(count=n), st.integers(1, 5)),
    st.builds(sash.LandmarkWindow, st.none() | st.integers(0, 30)),
)
rows = st.lists(
    st.tuples(st.sampled_from(["a", "b", None]), st.integers(0, 40), st.none() | st.integers(-3, 3)), max_size=60
)


def sorted_table(events: list[tuple[str | None, int, int | None]], real: bool = False) -> pa.Table:
    """The rows as a partition of Spark has them: by key, nulls first, then by time."""
    events = sorted(events, key=lambda event: (event[0] or "", event[1]))
    return pa.table(
        {
            "k": pa.array([key for key, _, _ in events], pa.string()),
            "t": pa.array([time for _, time, _ in events], pa.float64() if real else pa.int64()),
            "x": pa.array([x for _, _, x in events], pa.int64()),
            "s": pa.array([chr(97 + place % 26) for place in range(len(events))], pa.string()),
        }
    )


def in_chunks(table: pa.Table, plan: sash.Plan, rows: int, batch: int) -> tuple[list[dict[str, Any]], RowChunks]:
    """The rows that come out if they go in by small batches."""
    types = {column: TYPES[column.partition("_")[0]] for column in plan.outputs}
    chunks = RowChunks(plan, types, rows)
    done = [row for out in chunks.run(iter(table.to_batches(batch))) for row in out.to_pylist()]
    return done, chunks


@given(
    rows,
    st.lists(windows, min_size=1, max_size=3, unique_by=window_label),
    st.integers(1, 20),
    st.integers(1, 9),
    st.booleans(),
    st.booleans(),
    st.none() | st.integers(0, 3),
)
def test_chunks_give_what_the_whole_gives(
    events: Any, some: Any, size: int, batch: int, peers: bool, real: bool, least: Any
) -> None:
    """Whatever the windows, the keys, the ties, and where the partition is cut."""
    plan = sash.Plan(by="k", on="t", windows=some, aggregations=AGGREGATIONS, peers=peers, min_periods=least)
    table = sorted_table(events, real)
    done, _ = in_chunks(table, plan, size, batch)
    assert done == sash.rolling(table, plan).to_pylist()


def test_a_partition_keeps_what_its_windows_hold() -> None:
    """Ten thousand rows of one key, ten in a window: ten are carried, however long the partition is."""
    table = pa.table({"k": ["a"] * 10_000, "t": list(range(10_000)), "x": [1] * 10_000, "s": ["-"] * 10_000})
    plan = sash.Plan(by="k", on="t", windows=[sash.TimeWindow(10), 5], aggregations={"n": sash.Count()})
    done, chunks = in_chunks(table, plan, 100, 50)
    assert len(done) == 10_000
    assert 0 < chunks.most_retained <= 12


def test_a_key_that_is_over_is_not_carried() -> None:
    """Nothing of a key is retained when another one begins."""
    table = pa.table({"k": [i // 10 for i in range(5_000)], "t": [i % 10 for i in range(5_000)], "x": [1] * 5_000})
    plan = sash.Plan(by="k", on="t", windows=sash.LandmarkWindow(), aggregations={"n": sash.Count()})
    _, chunks = in_chunks(table, plan, 100, 50)
    assert chunks.most_retained <= 10


def test_a_tie_longer_than_a_chunk_is_told_together() -> None:
    """Rows of one time wait for their peers, however many there are."""
    table = pa.table({"k": ["a"] * 300, "t": [7] * 300, "x": [1] * 300, "s": ["-"] * 300})
    plan = sash.Plan(by="k", on="t", windows=sash.TimeWindow(5), aggregations={"n": sash.Count()})
    done, _ = in_chunks(table, plan, 10, 7)
    assert [row["n_5"] for row in done] == [300] * 300


@given(rows, st.integers(1, 6), st.integers(1, 6), st.sampled_from(["right", "left", "both", "neither"]), st.data())
def test_slides_in_chunks_are_those_of_the_whole(events: Any, length: int, every: int, ends: Any, data: Any) -> None:
    """Each slide is emitted once, whole, wherever the partition is cut."""
    window = sash.TimeWindow(max(length, every), every=min(length, every), closed=ends)
    plan = sash.Plan(by="k", on="t", windows=window, aggregations=AGGREGATIONS)
    real = data.draw(st.booleans())
    table = sorted_table(events, real)
    types = {column: TYPES[column.partition("_")[0]] for column in plan.outputs}
    types |= dict.fromkeys(("window_start", "window_end"), pa.float64() if real else pa.int64())
    chunks = SlideChunks(plan, types, data.draw(st.integers(1, 20)))
    batches = table.to_batches(data.draw(st.integers(1, 9)))
    done = [row for out in chunks.run(iter(batches)) for row in out.to_pylist()]
    whole = sash.rolling(table, plan).to_pylist()
    # Which key comes first is nobody's business.
    assert sorted(done, key=_place) == sorted(whole, key=_place)


def _place(row: dict[str, Any]) -> Any:
    return row["k"] or "", row["window_end"]


def test_policies_run_in_chunks() -> None:
    """What depends on every row since the first of its key is carried whole."""
    table = sorted_table([("ab"[i % 2], i, i % 5) for i in range(200)])
    plan = sash.Plan(by="k", on="t", windows=[sash.DeltaWindow("t", 7), 3], aggregations=AGGREGATIONS)
    done, _ = in_chunks(table, plan, 16, 5)
    assert done == sash.rolling(table, plan).to_pylist()


def test_slides_keep_what_their_windows_hold() -> None:
    """Ten thousand rows of one key, twenty in a window: no more than those of one window are carried."""
    table = pa.table({"k": ["a"] * 10_000, "t": list(range(10_000)), "x": [1] * 10_000, "s": ["-"] * 10_000})
    plan = sash.Plan(by="k", on="t", windows=sash.TimeWindow(20, every=4), aggregations={"n": sash.Count()})
    chunks = SlideChunks(plan, dict.fromkeys(("window_start", "window_end", "n_20"), pa.int64()), 100)
    ends = [row["window_end"] for out in chunks.run(iter(table.to_batches(50))) for row in out.to_pylist()]
    assert ends == list(range(0, 10_019, 4))
    assert 0 < chunks.most_retained <= 21


@pytest.mark.parametrize("kind", [RowChunks, SlideChunks])
@pytest.mark.parametrize(
    ("aggregation", "bad", "rule"),
    [(sash.Max("x", nan="error"), float("nan"), "NaN"), (sash.GeometricMean("x"), -1.0, "negative")],
)
def test_an_error_names_the_row_and_no_place_in_a_chunk(kind: Any, aggregation: Any, bad: float, rule: str) -> None:
    """The key, the time and the value, whichever chunk the row is in."""
    table = pa.table(
        {"k": ["a"] * 50 + ["b"] * 50, "t": [*range(50), *range(50)], "x": [1.0] * 77 + [bad] + [1.0] * 22}
    )
    window = sash.TimeWindow(4, every=2 if kind is SlideChunks else None)
    plan = sash.Plan(by="k", on="t", windows=window, aggregations={"y": aggregation})
    types = dict.fromkeys(["window_start", "window_end"], pa.int64()) | {"y_4": pa.float64()}
    chunks = kind(plan, types if kind is SlideChunks else {"y_4": pa.float64()}, 10)
    with pytest.raises(ValueError, match=rf"the row with k='b', t=27, x={bad}: .*{rule}"):
        list(chunks.run(table.to_batches(max_chunksize=7)))


def test_a_sum_that_does_not_fit_names_the_first_row_with_it() -> None:
    """Each value fits; the window that ends at the row does not."""
    table = pa.table({"k": ["a"] * 20, "t": range(20), "x": [1] * 11 + [2**62, 2**62] + [1] * 7})
    plan = sash.Plan(by="k", on="t", windows=sash.TimeWindow(4), aggregations={"y": sash.Sum("x")})
    with pytest.raises(OverflowError, match="the row with k='a', t=12, x=4611686018427387904"):
        list(RowChunks(plan, {"y_4": pa.int64()}, 10).run(table.to_batches(max_chunksize=3)))
