"""Another plan, or other columns, over the state that a stream has left: it continues exactly, or it is refused."""

from __future__ import annotations

import os
import random
from pathlib import Path
from typing import Any
from unittest.mock import patch

import pytest

pytest.importorskip("pyspark", reason="needs PySpark: pip install 'sash[spark]'")

import pyarrow as pa
from hypothesis import given, settings
from hypothesis import strategies as st

import sash
from sash.codec import dumps, loads
from sash.spark.stream import log
from sash.spark.stream.cache import EngineCache
from sash.spark.stream.job import Job
from sash.spark.stream.packing import unpack
from sash.spark.stream.slide_engine import make_engine
from tests.spark.streams import AGGREGATIONS, SCHEMA, Driver, batches, by_row, expected, make_job, random_rows
from tests.spark.test_stream_bucket import WINDOWS

NAMES = [*SCHEMA.names]


def plan_of(names: str = "n spent words", windows: Any = "1m", emit: Any = "final", **parts: Any) -> sash.Plan:
    """A plan with some of the aggregations."""
    some = {name: AGGREGATIONS[name] for name in names.split()}
    return sash.Plan(
        **{"by": "card", "on": "time", "lateness": "20s"} | parts, windows=windows, aggregations=some, emit=emit
    )


def job_of(plan: sash.Plan, run: int, schema: pa.Schema = SCHEMA, retain: Any = None) -> Job:
    """The job of the plan in one of the runs of a stream."""
    return make_job(plan, schema=schema, retain=retain, name=f"run {run}")


def zoned(schema: pa.Schema) -> pa.Schema:
    """The columns in a session of another zone."""
    kinds = {pa.timestamp("us", "UTC"): pa.timestamp("us", "Asia/Tokyo")}
    return pa.schema([field.with_type(kinds.get(field.type, field.type)) for field in schema])


def large(schema: pa.Schema) -> pa.Schema:
    """The columns as they cross with `spark.sql.execution.arrow.useLargeVarTypes`."""
    kinds = {pa.string(): pa.large_string()}
    return pa.schema([field.with_type(kinds.get(field.type, field.type)) for field in schema])


def only(*names: str) -> pa.Schema:
    """These columns, in this order."""
    return pa.schema([SCHEMA.field(name) for name in names])


def restart(driver: Driver, job: Job) -> None:
    """The same state, other workers."""
    driver.job, driver.engines = job, EngineCache()


def run_on(driver: Driver, table: pa.Table, parts: int) -> pa.Table:
    """What comes out of so many batches. In another zone, text comes with large offsets, too."""
    before = len(driver.results)
    columns = driver.job.schema
    if columns == zoned(columns):
        columns = large(columns)
    for part in batches(table, parts):
        driver.batch(part.select(columns.names).cast(columns))
    return pa.concat_tables(driver.results[before:])


CHANGES = {
    "a column fewer": (plan_of(), only("card", "time", "amount", "shop", "row")),
    "another order": (plan_of(), only(*NAMES[::-1])),
    "other bytes and another zone": (plan_of(), zoned(SCHEMA)),
    "an aggregation fewer": (plan_of("words"), SCHEMA),
    "aggregations in another order": (plan_of("words n spent"), SCHEMA),
    "an aggregation more": (plan_of("n spent words where first last"), SCHEMA),
    "other windows": (plan_of(windows=["7s", "10s"]), SCHEMA),
}


@pytest.mark.parametrize("emit", ["final", "update", "arrival"])
@pytest.mark.parametrize("change", CHANGES)
def test_harmless_changes_continue(change: str, emit: str) -> None:
    """Both plans in turn, over batches enough for segments to be merged: every row has the result of a frame."""
    parts = {"emit": emit}
    plans = [
        sash.Plan(**plan._parts() | parts) for plan in (plan_of("n spent words where first last"), CHANGES[change][0])
    ]
    schemas = [SCHEMA, CHANGES[change][1]]
    table = random_rows(random.Random(change), 400)
    driver = Driver(job_of(plans[0], 0))
    for run, piece in enumerate(batches(table, 4)):
        plan = plans[run % 2]
        restart(driver, job_of(plan, run, schemas[run % 2]))
        with patch.object(log, "HISTORY", 2):
            results = run_on(driver, piece, 10)
        wanted = expected(table.slice(0, 100 * (run + 1)), plan, "arrival" if emit == "arrival" else "final")
        found = by_row(results, list(plan.outputs))
        assert found
        if emit != "update":
            assert found == {row: wanted[row] for row in found}
    assert driver.results[-1].schema.names[: len(driver.job.schema.names)] == driver.job.schema.names


def test_a_column_that_is_new_is_null_in_older_rows() -> None:
    """The stream did not have it then. One that it had, and that no plan read, is missed."""
    table = random_rows(random.Random(1), 200, nulls=False)
    before = only("card", "time", "amount", "row")
    driver = Driver(job_of(plan_of("n spent"), 0, before))
    run_on(driver, table.slice(0, 100), 5)
    restart(driver, job_of(plan_of("n shops"), 1))
    results = run_on(driver, table.slice(100), 5)
    known = table.column("shop").combine_chunks()
    nulled = pa.concat_arrays([pa.nulls(100, pa.string()), known.slice(100)])
    wanted = expected(table.set_column(4, "shop", nulled), plan_of("n shops"))
    found = by_row(results, ["n_1m", "shops_1m"])
    assert found == {row: wanted[row] for row in found}

    driver = Driver(job_of(plan_of("spent", emit="arrival"), 0))
    run_on(driver, table.slice(0, 100), 5)
    restart(driver, job_of(plan_of("shops", emit="arrival"), 1))
    with pytest.raises(sash.PlanError, match="column 'shop' was in the stream, and is not in the log"):
        run_on(driver, table.slice(100), 5)


def test_a_column_that_widens_continues_and_one_that_narrows_does_not() -> None:
    """Values keep their meaning. A key must keep its type: Spark hashes it by that."""
    table = random_rows(random.Random(1), 200)
    place = SCHEMA.get_field_index("amount")
    narrow = SCHEMA.set(place, SCHEMA.field("amount").with_type(pa.int16()))
    driver = Driver(job_of(plan_of("spent", "2m"), 0, narrow))
    run_on(driver, table.slice(0, 100), 20)
    restart(driver, job_of(plan_of("spent", "2m"), 1))
    results = run_on(driver, table.slice(100), 60)
    wanted = expected(table, plan_of("spent", "2m"))
    found = by_row(results, ["spent_2m"])
    assert found == {row: wanted[row] for row in found}
    restart(driver, job_of(plan_of("spent", "2m"), 2, narrow))
    with pytest.raises(sash.PlanError, match="column 'amount' was int64 and is int16"):
        run_on(driver, table.slice(0, 10), 1)


REFUSED = {
    "the key was": plan_of(by="shop"),
    "emit was 'final' and is 'update'": plan_of(emit="update"),
    "reaches back to rows that are dropped": plan_of(windows="2m"),
    "CountWindow(3) reaches back": plan_of(windows=3),
}


@pytest.mark.parametrize("words", REFUSED)
def test_what_is_refused_leaves_the_state_as_it_was(words: str) -> None:
    """In the first batch, in every bucket, also in one without new rows; the plan before it continues."""
    table = random_rows(random.Random(3), 400)
    driver = Driver(job_of(plan_of(), 0))
    run_on(driver, table.slice(0, 300), 30)
    before = dict(driver.state.data)
    restart(driver, job_of(REFUSED[words], 1))
    for rows in (table.slice(300), table.slice(0, 0)):
        with pytest.raises(sash.PlanError, match="cannot continue") as error:
            driver.batch(rows)
        assert words in str(error.value)
        assert driver.state.data == before
    restart(driver, job_of(plan_of(), 2))
    found = by_row(run_on(driver, table.slice(300), 3), list(plan_of().outputs))
    wanted = expected(table, plan_of())
    assert found == {row: wanted[row] for row in found}


def test_a_bucket_that_is_empty_again_knows_what_it_has_dropped() -> None:
    """A longer window would miss rows that nobody remembers; `retain` had kept them."""
    rows = random_rows(random.Random(3), 50)
    for retain, refused in ((None, True), ("1h", False)):
        driver = Driver(job_of(plan_of(), 0, retain=retain))
        driver.batch(rows)
        driver.watermark = driver.newest + 300_000
        driver._fire()
        restart(driver, job_of(plan_of(windows="10m"), 1))
        if refused:
            with pytest.raises(sash.PlanError, match="reaches back"):
                driver.batch(rows.slice(0, 0))
        else:
            driver.batch(rows.slice(0, 0))


def test_a_longer_window_continues_while_nothing_is_dropped() -> None:
    """The retained rows are all there were."""
    table = random_rows(random.Random(3), 100)
    driver = Driver(job_of(plan_of(windows="1h"), 0))
    run_on(driver, table.slice(0, 50), 5)
    longer = plan_of(windows=["7d", 4, sash.SessionWindow("3s")])
    restart(driver, job_of(longer, 1))
    found = by_row(run_on(driver, table.slice(50), 5), list(longer.outputs))
    wanted = expected(table, longer)
    assert found == {row: wanted[row] for row in found}


ROWS = plan_of("n words", "10s", "update")
SLIDES = plan_of("n words", sash.TimeWindow("10s", every="5s", closed="left"), "update")


def revisions_in(results: pa.Table) -> dict[Any, list[int]]:
    """The revisions of each row, or of each key and end of a window, in order."""
    found: dict[Any, list[int]] = {}
    for one in results.to_pylist():
        subject = (one["card"], one["window_end"]) if "window_end" in one else one["row"]
        found.setdefault(subject, []).append(one["revision"])
    return found


def has_both_kinds(driver: Driver) -> bool:
    """Whether a segment of the log has revisions of rows and of slides."""
    tables = [unpack(data) for place, data in driver.state.data.items() if place != "manifest"]
    engines = [make_engine(job_of(plan, 0)) for plan in (ROWS, SLIDES)]
    return any(all(len(log._revisions_for(engine, table)[0]) for engine in engines) for table in tables)


@pytest.mark.parametrize("first", ["rows", "slides"])
def test_rows_and_slides_in_turn_count_their_own_revisions(first: str) -> None:
    """With `emit="update"` a plan of rows and one of slides continue from each other, also where segments of both were
    merged: results are those of a frame, and revisions go on from those of the same kind."""
    table = random_rows(random.Random(5), 480, nulls=False)
    driver = Driver(job_of(ROWS, 0))
    found: dict[bool, list[pa.Table]] = {True: [], False: []}
    merged = False
    for run, piece in enumerate(batches(table, 40)):
        of_rows = (run % 2 == 0) == (first == "rows")
        restart(driver, job_of(ROWS if of_rows else SLIDES, run))
        with patch.object(log, "HISTORY", 2):
            results = run_on(driver, piece, 12)
        found[of_rows].append(results)
        merged |= has_both_kinds(driver)
        so_far = table.slice(0, 12 * (run + 1))
        wanted = expected(so_far, ROWS) if of_rows else last_slides(slid(so_far))
        last = by_row(results, list(ROWS.outputs)) if of_rows else last_slides(results)
        assert last == {subject: wanted[subject] for subject in last}
    assert merged
    for tables in found.values():
        revisions = revisions_in(pa.concat_tables(tables))
        assert max(map(len, revisions.values())) > 2
        # What was there when the other plan ran has no revision 0.
        assert all(one == list(range(one[0], one[0] + len(one))) and one[0] <= 1 for one in revisions.values())


def slid(table: pa.Table) -> pa.Table:
    """All slides of a table."""
    return sash.rolling(table, sash.Plan(**SLIDES._parts() | {"emit": "final", "lateness": None}))


def last_slides(results: pa.Table) -> dict[Any, tuple[Any, ...]]:
    """The last results of each key and end."""
    rows = results.to_pylist()
    return {(row["card"], row["window_end"]): tuple(row[name] for name in SLIDES.outputs) for row in rows}


@st.composite
def stages(draw: Any) -> list[tuple[sash.Plan, pa.Schema]]:
    """Plans and columns, one after the other over one state."""
    emit = draw(st.sampled_from(["final", "arrival"]))
    made = []
    for _ in range(draw(st.integers(2, 4))):
        windows = draw(
            st.lists(
                st.sampled_from(WINDOWS[: 4 if emit == "arrival" else None]), min_size=1, max_size=2, unique_by=repr
            )
        )
        names = draw(st.lists(st.sampled_from(sorted(AGGREGATIONS)), min_size=1, max_size=3, unique=True))
        plan = plan_of(" ".join(names), windows, emit)
        kept = [name for name in NAMES if name in (*plan.columns, "row") or draw(st.booleans())]
        schema = only(*draw(st.permutations(kept)))
        made.append((plan, zoned(schema) if draw(st.booleans()) else schema))
    return made


@settings(deadline=None, max_examples=20)
@given(stages=stages(), seed=st.integers(0, 10**6))
def test_whatever_the_change_results_are_exact_or_refused(stages: Any, seed: int) -> None:
    """Columns come and go, plans change, logs are merged, pruned and compacted. No row has a wrong result; what is
    refused changes nothing, and the run before it goes on."""
    table = random_rows(random.Random(seed), 90 * len(stages))
    seen = table.slice(0, 0)
    driver: Driver | None = None
    with patch.object(log, "_FEW", 16):
        for run, (plan, schema) in enumerate(stages):
            driver = driver or Driver(job_of(plan, run, schema))
            job, before = driver.job, dict(driver.state.data)
            restart(driver, job_of(plan, run, schema))
            try:
                driver.batch(table.slice(0, 0).select(schema.names).cast(schema))
            except sash.PlanError:
                assert driver.state.data == before
                restart(driver, job)
            piece = table.slice(90 * run, 90)
            found = by_row(run_on(driver, piece, 9), list(driver.job.plan.outputs))
            seen = pa.concat_tables([seen, as_seen(piece, driver.job.schema.names)])
            wanted = expected(seen, driver.job.plan, driver.job.plan.emit)
            assert found == {row: wanted[row] for row in found}


def as_seen(piece: pa.Table, names: list[str]) -> pa.Table:
    """The rows with nulls in the columns that the stream did not have."""
    for place, field in enumerate(SCHEMA):
        if field.name not in names:
            piece = piece.set_column(place, field, pa.nulls(piece.num_rows, field.type))
    return piece


#: The second one has the format that is written now.
KEPT = [Path(__file__).with_name(name) for name in ("bucket.bin", "bucket3.bin")]


@pytest.mark.parametrize("kept_in", KEPT, ids=lambda path: path.stem)
@pytest.mark.parametrize("emit", ["final", "update", "arrival"])
def test_the_log_of_this_release_continues(emit: str, kept_in: Path) -> None:
    """The state of a bucket for each way to emit, as this release wrote it, is kept beside the tests. A plan with other
    windows, aggregations and columns goes on from it.

    If the format changes on purpose, say so in CHANGELOG.md, and write it anew with SASH_WRITE_GOLDEN=1.
    """
    table = random_rows(random.Random(11), 300)
    first = plan_of("n spent words where", ["10s", "1m"], emit)
    if "SASH_WRITE_GOLDEN" in os.environ and kept_in == KEPT[-1]:
        driver = Driver(job_of(first, 0))
        run_on(driver, table.slice(0, 200), 10)
        kept = loads(kept_in.read_bytes()) if kept_in.exists() else {}
        mark = {"newest": driver.newest, "watermark": driver.watermark, "timers": sorted(driver.state.timers)}
        kept_in.write_bytes(dumps(kept | {emit: {"data": driver.state.data} | mark}))
    found = loads(kept_in.read_bytes())[emit]
    plan = plan_of("words n first" if emit != "arrival" else "where n", ["30s"], emit)
    driver = Driver(job_of(plan, 1, only("row", "shop", "time", "card", "amount")))
    driver.state.data, driver.state.timers = dict(found["data"]), set(found["timers"])
    driver.newest, driver.watermark = found["newest"], found["watermark"]
    results = by_row(run_on(driver, table.slice(200), 4), list(plan.outputs))
    results |= by_row(driver.finish(), list(plan.outputs))
    wanted = expected(table, plan, "arrival" if emit == "arrival" else "final")
    assert set(range(200, 300)) <= set(results)
    assert results == {row: wanted[row] for row in results}
