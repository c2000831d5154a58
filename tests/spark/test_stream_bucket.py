"""A bucket of a stream gives what a frame gives, whatever way its rows come."""

from __future__ import annotations

import random
from collections.abc import Iterator
from typing import Any
from unittest.mock import patch

import pytest

pytest.importorskip("pyspark", reason="needs PySpark: pip install 'sash[spark]'")

import itertools

import pyarrow as pa
from hypothesis import given, settings
from hypothesis import strategies as st

import sash
from sash.spark.stream import costs
from sash.spark.stream.cache import EngineCache
from tests.spark.streams import AGGREGATIONS, Driver, batches, by_row, expected, make_job, random_rows

WINDOWS: list[Any] = [
    "10s",
    "1m",
    sash.TimeWindow("7s", closed="left"),
    sash.TimeWindow("5s", closed="both"),
    sash.CountWindow(4),
    sash.SessionWindow("3s"),
    sash.TumblingWindow("8s"),
    sash.LandmarkWindow(),
]


def plans(emit: str, lengths_only: bool = False) -> st.SearchStrategy[sash.Plan]:
    windows = WINDOWS[:4] if lengths_only else WINDOWS
    return st.builds(
        lambda by, windows, names, min_periods, peers: sash.Plan(
            by=by,
            on="time",
            windows=windows,
            aggregations={name: AGGREGATIONS[name] for name in names},
            emit=emit,
            lateness="20s",
            min_periods=min_periods,
            peers=peers,
        ),
        by=st.sampled_from([None, "card", ["card", "shop"]]),
        windows=st.lists(st.sampled_from(windows), min_size=1, max_size=3, unique_by=repr),
        names=st.lists(st.sampled_from(sorted(AGGREGATIONS)), min_size=1, max_size=5, unique=True),
        min_periods=st.sampled_from([None, None, 2]),
        peers=st.sampled_from([True, True, False]),
    )


@pytest.fixture(scope="module", autouse=True, params=["passes", "trees"])
def way(request: pytest.FixtureRequest) -> Iterator[None]:
    """Windows by passes over rows, as long as those are few, and out of trees from the first result on."""
    with patch.object(costs, "_INSERT", -1 if request.param == "trees" else 10**9):
        yield


@settings(deadline=None, max_examples=25)
@given(plan=plans("final"), seed=st.integers(0, 10**6), count=st.integers(1, 120), parts=st.sampled_from([1, 3, 17]))
def test_final_results_are_those_of_a_frame(plan: sash.Plan, seed: int, count: int, parts: int) -> None:
    """Every row is emitted once, when the watermark has passed it, with the result that `sash.rolling` gives."""
    table = random_rows(random.Random(seed), count)
    driver = Driver(make_job(plan))
    for part in batches(table, parts):
        driver.batch(part)
    results = driver.finish()
    assert sorted(results.column("row").to_pylist()) == list(range(count))
    assert by_row(results, list(plan.outputs)) == expected(table, plan)


@settings(deadline=None, max_examples=25)
@given(plan=plans("update"), seed=st.integers(0, 10**6), count=st.integers(1, 80), parts=st.sampled_from([1, 3, 17]))
def test_the_last_update_of_a_row_is_its_final_result(plan: sash.Plan, seed: int, count: int, parts: int) -> None:
    """Revisions count up from 0 without a gap, each with another result than the one before."""
    table = random_rows(random.Random(seed), count)
    driver = Driver(make_job(plan))
    for part in batches(table, parts):
        driver.batch(part)
    results = driver.finish()
    names = list(plan.outputs)
    assert by_row(results, names) == expected(table, plan)
    seen: dict[int, list[Any]] = {}
    for row in results.to_pylist():
        seen.setdefault(row["row"], []).append((row["revision"], tuple(row[name] for name in names)))
    for revisions in seen.values():
        assert [number for number, _ in revisions] == list(range(len(revisions)))
        assert all(before != after for (_, before), (_, after) in itertools.pairwise(revisions))


@settings(deadline=None, max_examples=25)
@given(plan=plans("arrival", lengths_only=True), seed=st.integers(0, 10**6), parts=st.sampled_from([1, 3, 17]))
def test_arrivals_are_those_of_a_frame(plan: sash.Plan, seed: int, parts: int) -> None:
    """Each row is emitted at once, with what was known when it came, however the rows are cut into batches."""
    table = random_rows(random.Random(seed), 100)
    driver = Driver(make_job(plan))
    for part in batches(table, parts):
        driver.batch(part)
    results = driver.finish()
    assert results.column("row").to_pylist() == list(range(100))
    assert by_row(results, list(plan.outputs)) == expected(table, plan, "arrival")


@settings(deadline=None, max_examples=15)
@given(
    plan=st.sampled_from(["final", "update", "arrival"]).flatmap(
        lambda emit: plans(emit, lengths_only=emit == "arrival")
    ),
    seed=st.integers(0, 10**6),
)
def test_a_cached_engine_never_serves_a_wrong_version(plan: sash.Plan, seed: int) -> None:
    """Workers alternate, miss batches, restart, and try batches twice: the results are those of one worker."""
    rng = random.Random(seed)
    table = random_rows(rng, 72)
    alone, moved = Driver(make_job(plan)), Driver(make_job(plan))
    workers = [EngineCache(), EngineCache(), EngineCache()]
    for part in batches(table, 24):
        results = alone.batch(part)
        moved.engines = rng.choice(workers)
        if rng.random() < 0.2:
            moved.engines.clear()
        if rng.random() < 0.3:
            # An attempt that Spark throws away: its state is dropped, what it put in the cache is not.
            kept, before = moved.state.copy(), (moved.newest, moved.watermark)
            moved.batch(part if rng.random() < 0.5 else part.slice(0, 1))
            moved.state, moved.results = kept, moved.results[:-1]
            moved.newest, moved.watermark = before
            moved.results = moved.results[: len(alone.results) - 1]
            moved.engines = rng.choice(workers)
        assert moved.batch(part).to_pylist() == results.to_pylist()
    assert by_row(moved.finish(), list(plan.outputs)) == by_row(alone.finish(), list(plan.outputs))


@settings(deadline=None, max_examples=25)
@given(
    seed=st.integers(0, 10**6),
    parts=st.sampled_from([1, 3, 17]),
    by=st.sampled_from([None, "card", ["card", "shop"]]),
    closed=st.sampled_from(["left", "right", "both"]),
    names=st.lists(st.sampled_from(sorted(AGGREGATIONS)), min_size=1, max_size=4, unique=True),
)
def test_slides_are_those_of_a_frame(seed: int, parts: int, by: Any, closed: Any, names: list[str]) -> None:
    """Windows that slide by a time: each end is emitted once, when the watermark has passed it."""
    table = random_rows(random.Random(seed), 60)
    plan = sash.Plan(
        by=by,
        on="time",
        windows=[sash.TimeWindow(length, every="4s", closed=closed) for length in ("10s", "16s")],
        aggregations={name: AGGREGATIONS[name] for name in names},
        lateness="20s",
    )
    driver = Driver(make_job(plan))
    for part in batches(table, parts):
        driver.batch(part)
    results = driver.finish()
    frame = sash.rolling(table, sash.Plan(**plan._parts() | {"lateness": None}))

    def rows(frame: pa.Table) -> list[str]:
        return sorted(
            repr([round(value, 9) if isinstance(value, float) else value for value in row.values()])
            for row in frame.to_pylist()
        )

    assert rows(results) == rows(frame)


def test_what_is_written_depends_on_the_rows_and_not_on_the_window() -> None:
    """The bytes of a batch stay the same while the window fills with hundreds of times as many rows."""
    plan = sash.Plan(by="card", on="time", windows="7d", aggregations={"n": sash.Count()}, lateness="20s")
    driver = Driver(make_job(plan))
    written = []
    for part in batches(random_rows(random.Random(1), 60_000), 300):
        before = driver.state.written
        driver.batch(part)
        written.append(driver.state.written - before)
    early, late = sum(written[10:60]), sum(written[-50:])
    assert late < 2 * early


def test_segments_go_when_their_newest_row_has_left_every_window() -> None:
    """The log holds the last window, not the stream, and small segments are merged."""
    plan = sash.Plan(by="card", on="time", windows="60s", aggregations={"n": sash.Count()}, lateness="20s")
    driver = Driver(make_job(plan))
    for part in batches(random_rows(random.Random(1), 5_000), 1_000):
        driver.batch(part)
        assert len(driver.state.data) < 60
    driver.finish()
    assert list(driver.state.data) == ["manifest"], "an empty bucket keeps no rows"


@pytest.mark.parametrize("emit", ["arrival", "update"])
def test_a_timer_that_only_clears_up_is_not_moved_by_every_batch(emit: Any) -> None:
    """It stays where it is, and moves on when it fires: to move it is two calls to the state."""
    plan = sash.Plan(by="card", on="time", windows="30s", aggregations={"n": sash.Count()}, emit=emit, lateness="5s")
    driver = Driver(make_job(plan))
    moves = []
    for part in batches(random_rows(random.Random(4), 300, disorder=3), 100):
        before = set(driver.state.timers)
        driver.batch(part)
        moves.append(driver.state.timers != before)
    assert sum(moves) <= 300 // 30 + 1
    driver.finish()
    assert driver.state.data.keys() == {"manifest"}


def test_late_rows_are_counted_and_kept_with_their_reason() -> None:
    """A row beyond the lateness, and one without a time, come out without results where they are asked for."""
    plan = sash.Plan(by="card", on="time", windows="10s", aggregations={"n": sash.Count()}, lateness="1s")
    driver = Driver(make_job(plan, on_late="keep"))
    rows = random_rows(random.Random(1), 10, disorder=0, nulls=False)
    driver.batch(rows)
    nowhen = rows.slice(0, 1).set_column(1, "time", pa.nulls(1, rows.schema.field("time").type))
    late = driver.batch(pa.concat_tables([rows.slice(2, 1), nowhen]))
    found = {row["row"]: row["late"] for row in late.to_pylist() if row["late"]}
    assert found == {2: "late", 0: "no time"}
    assert driver.last is not None
    assert (driver.last.metrics.late, driver.last.metrics.without_time) == (1, 1)


@pytest.mark.parametrize("emit", ["final", "update", "arrival"])
def test_conditions_are_masks_of_columns(emit: str) -> None:
    """Counts, sums, extremes and picked rows of events of which a condition is true, each with one of its own."""
    conditional = {
        "n": sash.Count(where=sash.col("shop") == "x"),
        "spent": sash.Sum("amount", where=sash.col("shop") != "x"),
        "peak": sash.Max("share", where=sash.col("amount") > 0),
        "where": sash.ArgMax("amount", "shop", where=sash.col("share") > 0.5),
        "first": sash.First("shop", where=sash.col("amount") > 0),
        "last": sash.Last("amount"),
    }
    plan = sash.Plan(by="card", on="time", windows=["9s", "1m"], aggregations=conditional, emit=emit, lateness="20s")
    table = random_rows(random.Random(emit), 300)
    driver = Driver(make_job(plan))
    for number, part in enumerate(batches(table, 12)):
        if number == 7:
            driver.job, driver.engines = make_job(plan, name="again"), EngineCache()
        driver.batch(part)
    wanted = expected(table, plan, "arrival" if emit == "arrival" else "final")
    assert by_row(driver.finish(), list(plan.outputs)) == wanted
