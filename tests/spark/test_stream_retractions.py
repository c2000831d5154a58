"""Streams of changes: a row that is taken back leaves its windows, and what changes is revised."""

from __future__ import annotations

import random
from functools import reduce
from pathlib import Path
from typing import Any

import pytest

pytest.importorskip("pyspark", reason="needs PySpark: pip install 'sash[spark]'")

import pyarrow as pa
from pyspark.sql import DataFrame

import sash
import sash.spark
from sash.spark.stream.bucket import Bucket
from sash.spark.stream.cache import EngineCache
from sash.spark.stream.changes import id_problems
from sash.spark.stream.pipeline import _checked_history
from sash.spark.stream.pipeline import make_job as make_stream_job
from tests.spark.streams import AGGREGATIONS, SCHEMA, SECOND, Driver, make_job
from tests.spark.test_stream import run, stream_of, write_files

SOME = ("words", "where", "first", "spent", "shops")
CHANGES = SCHEMA.append(pa.field("op", pa.string()))


def plan_of(emit: str, window: Any = "10s") -> sash.Plan:
    """Aggregations that cannot be undone, and one that can."""
    some = {name: AGGREGATIONS[name] for name in SOME}
    return sash.Plan(by="card", on="time", windows=window, aggregations=some, lateness="20s", emit=emit)


def changes(rng: random.Random, count: int, stray: bool = True) -> list[dict[str, Any]]:
    """Rows that come, late ones among them, are replaced, go, and come again; `row` is their id. A row that removes
    another knows no more of it than its key and id."""
    rows: list[dict[str, Any]] = []
    known: list[dict[str, Any]] = []
    for place in range(count):
        op = rng.choice(["insert", "insert", "update", "delete"])
        time = 10**15 + (place - rng.choice([0, 0, 0, 8])) * SECOND
        row = {"card": rng.choice("ab"), "row": place, "time": time, "amount": rng.randint(0, 3), "op": op}
        row |= {"shop": rng.choice(["x", "yy", "zzz"]), "share": None}
        if op != "insert" and known:
            # Changes are of rows that are young enough to be changed, but for some that are late, or strange.
            old = rng.choice(known[-6:]) if not stray or rng.random() < 0.9 else {"card": "a", "row": 10**6 + place}
            row |= {"card": old["card"], "row": old["row"]}
            if op == "delete":
                row |= {"time": None, "amount": None, "shop": None}
        known.append(row)
        rows.append(row)
    return rows


def survivors(rows: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """What is left, one change after the other."""
    left: list[dict[str, Any]] = []
    for row in rows:
        left = [one for one in left if one["row"] != row["row"]]
        if row["op"] != "delete":
            left.append(row)
    return left


def expected(rows: list[dict[str, Any]], plan: sash.Plan) -> dict[int, tuple[Any, ...]]:
    """The results of the rows that are left, by brute force over a frame of them."""
    whole = sash.Plan(**plan._parts() | {"emit": "final", "lateness": None})
    return results_of(sash.rolling(pa.Table.from_pylist(survivors(rows), CHANGES), whole), plan)


def results_of(table: pa.Table, plan: sash.Plan) -> dict[int, tuple[Any, ...]]:
    """The last results of each id; ids that were taken back are not there."""
    left: dict[int, tuple[Any, ...]] = {}
    for row in table.to_pylist():
        left[row["row"]] = tuple(row[name] for name in plan.outputs)
        if row["op"] == "delete":
            assert not any(left.pop(row["row"]))
    return left


def parts(rows: list[dict[str, Any]], size: int) -> list[pa.Table]:
    """The rows in micro-batches."""
    return [pa.Table.from_pylist(rows[start : start + size], CHANGES) for start in range(0, len(rows), size)]


@pytest.mark.parametrize("seed", range(4))
@pytest.mark.parametrize("window", ["10s", 3, sash.SessionWindow("4s")])
@pytest.mark.parametrize("emit", ["update", "final"])
def test_a_stream_of_changes_has_the_windows_of_what_is_left(emit: str, window: Any, seed: int) -> None:
    """Whatever the aggregation and the window, in batches of any size, and in a worker that replays the log."""
    rng = random.Random(seed)
    rows, plan = changes(rng, 60), plan_of(emit, window)
    driver = Driver(make_job(plan, schema=CHANGES, retract="op", id="row"))
    for table in parts(rows, rng.choice([1, 4, 7, 60])):
        driver.batch(table)
        if rng.random() < 0.4:
            driver.engines = EngineCache()
    assert results_of(driver.finish(), plan) == expected(rows, plan)


def test_results_that_change_are_revised_and_each_revision_of_an_id_is_another() -> None:
    """A row that is taken back is emitted once more, without results; one that comes again goes on counting."""
    rng = random.Random(3)
    plan = plan_of("update")
    driver = Driver(make_job(plan, schema=CHANGES, retract="op", id="row"))
    for table in parts(changes(rng, 80), 5):
        driver.batch(table)
    seen = [(row["row"], row["revision"]) for row in driver.finish().to_pylist()]
    assert len(set(seen)) == len(seen)
    assert any(revision > 1 for _, revision in seen)


def test_a_change_of_a_row_that_is_final_is_late() -> None:
    """It changes nothing, and comes out with its reason where late rows are kept."""
    plan = plan_of("update")
    driver = Driver(make_job(plan, "keep", schema=CHANGES, retract="op", id="row"))
    blank = {"card": "a", "amount": 1, "shop": "x", "op": "insert"}
    driver.batch(pa.Table.from_pylist([blank | {"row": 1, "time": 10**15}], CHANGES))
    driver.batch(pa.Table.from_pylist([blank | {"row": 2, "time": 10**15 + 25 * SECOND}], CHANGES))
    driver.batch(pa.Table.from_pylist([blank | {"row": 3, "time": 10**15 + 26 * SECOND}], CHANGES))
    for op in ("delete", "update"):
        late = driver.batch(pa.Table.from_pylist([blank | {"row": 1, "time": 10**15 + 27 * SECOND, "op": op}], CHANGES))
        assert late.column("late").to_pylist() == ["late"]


def test_rows_without_an_id_are_taken_back_by_equal_ones() -> None:
    """+1 and -1: the last of the equal rows goes."""
    schema = SCHEMA.append(pa.field("sign", pa.int32()))
    some = {name: AGGREGATIONS[name] for name in ("words", "first", "n")}
    plan = sash.Plan(by="card", on="time", windows="10s", aggregations=some, lateness="20s", emit="update")
    driver = Driver(make_job(plan, schema=schema, retract="sign"))
    row = {"card": "a", "time": 10**15, "shop": "x", "sign": 1}
    other = row | {"time": 10**15 + SECOND, "shop": "y"}
    driver.batch(pa.Table.from_pylist([row, row, other], schema))
    driver.batch(pa.Table.from_pylist([row | {"sign": -1}, other | {"sign": -1, "shop": "never"}], schema))
    last = driver.results[-1].to_pylist()
    assert sorted((one["words_10s"], one["n_10s"], one["sign"]) for one in last if one["sign"] > 0) == [
        ("x", 1, 1),
        ("xy", 2, 1),
    ]
    assert [one["words_10s"] for one in last if one["sign"] < 0] == [None]


def test_slides_of_what_is_left() -> None:
    """Windows that slide by a time hold the rows that were not taken back before they were final."""
    plan = plan_of("final", sash.TimeWindow("8s", every="4s"))
    rows = changes(random.Random(5), 60, stray=False)
    driver = Driver(make_job(plan, schema=CHANGES, retract="op", id="row"))
    for table in parts(rows, 7):
        driver.batch(table)
    left = sash.Plan(**plan._parts() | {"lateness": None})
    whole = sash.rolling(pa.Table.from_pylist(survivors(rows), CHANGES), left)
    order = [("card", "ascending"), ("window_end", "ascending")]
    assert driver.finish().sort_by(order).to_pylist() == whole.sort_by(order).to_pylist()


@pytest.mark.parametrize("seed", range(4))
@pytest.mark.parametrize("window", ["10s", 3])
@pytest.mark.parametrize("emit", ["update", "final"])
def test_changes_before_the_stream_are_applied(emit: str, window: Any, seed: int) -> None:
    """History may update and delete its own rows, the stream those of history; only rows of the stream come out, and
    none that takes back what never came out."""
    rng = random.Random(seed)
    rows, plan = changes(rng, 60), plan_of(emit, window)
    driver = Driver(make_job(plan, schema=CHANGES, retract="op", id="row"))
    past, new = rows[:30], rows[30:]
    for table in parts(past, rng.choice([7, 30])):
        Bucket(driver.job, driver.state, driver.engines).history(table)
        if rng.random() < 0.5:
            driver.engines = EngineCache()
    for table in parts(new, rng.choice([1, 7])):
        driver.batch(table)
        if rng.random() < 0.4:
            driver.engines = EngineCache()
    wanted, results = expected(rows, plan), driver.finish()
    own = {row["row"] for row in survivors(rows) if row in new}
    assert results_of(results, plan) == {row: wanted[row] for row in own}
    seen: set[int] = set()
    for row in results.to_pylist():
        assert row["op"] != "delete" or row["row"] in seen
        seen.add(row["row"])


def test_history_with_changes_is_packed_by_one_task(spark: Any) -> None:
    """What takes a row back has to come behind it; rows that only come may come in any order."""
    past = spark.range(20, numPartitions=5).selectExpr(
        "'a' card", "timestamp_seconds(id) time", "id row", "'insert' op"
    )
    plan = sash.Plan(by="card", on="time", windows="10s", aggregations={"n": sash.Count()}, lateness="1s")
    for retract, partitions in (("op", 1), (None, 5)):
        job, _ = make_stream_job(past, plan, retraction=(retract, None))
        assert _checked_history(past, past, job).rdd.getNumPartitions() == partitions


@pytest.mark.slow
def test_changes_before_the_stream_are_applied_in_their_order(spark: Any, tmp_path: Path) -> None:
    """However many partitions they come in."""
    rows, plan = changes(random.Random(5), 60), plan_of("final")
    table = pa.Table.from_pylist(rows, CHANGES)
    last = {"card": "the end", "time": 2 * 10**15, "row": -1, "op": "insert"}
    write_files(tmp_path / "in", [table.slice(50), pa.Table.from_pylist([last], CHANGES)], closing=False)
    stream = stream_of(spark, tmp_path / "in")
    slices = [spark.createDataFrame(table.slice(at, 10), stream.schema) for at in range(0, 50, 10)]
    past = reduce(DataFrame.union, slices)
    assert past.rdd.getNumPartitions() >= 5
    made, _ = run(sash.spark.rolling(stream, plan, retract="op", id="row", initial=past), tmp_path)
    wanted = expected(rows, plan)
    own = {row["row"] for row in survivors(rows) if row in rows[50:]}
    assert own
    assert results_of(made, plan) == {row: wanted[row] for row in own}


def test_equal_rows_of_history_are_taken_back_silently() -> None:
    """Without an id too: the row of history leaves its windows, and no row comes out for it."""
    schema = SCHEMA.append(pa.field("sign", pa.int32()))
    some = {name: AGGREGATIONS[name] for name in ("words", "n")}
    plan = sash.Plan(by="card", on="time", windows="10s", aggregations=some, lateness="20s", emit="update")
    driver = Driver(make_job(plan, schema=schema, retract="sign"))
    row = {"card": "a", "time": 10**15, "shop": "x", "sign": 1}
    past = [row, row | {"shop": "y"}, row | {"shop": "z"}, row | {"shop": "y", "sign": -1}]
    Bucket(driver.job, driver.state, driver.engines).history(pa.Table.from_pylist(past, schema))
    new = [row | {"shop": "z", "sign": -1}, row | {"shop": "new", "time": 10**15 + SECOND}]
    results = driver.batch(pa.Table.from_pylist(new, schema)).to_pylist()
    assert [(one["sign"], one["words_10s"], one["n_10s"], one["revision"]) for one in results] == [(1, "xnew", 2, 0)]


BLANK = {"card": "a", "amount": 1, "shop": "x", "time": 10**15}
#: What a row breaks, and the rule.
UNREADABLE = [
    ({"row": None, "op": "insert"}, "'row' tells rows apart, and this row has none"),
    ({"row": 2, "op": "upsert"}, r"'op' says what a row does: \+1 or -1, or insert, update, delete"),
    ({"row": 2, "op": None}, r"'op' says what a row does: \+1 or -1, or insert, update, delete"),
]


@pytest.mark.parametrize(("bad", "rule"), UNREADABLE)
def test_a_change_that_cannot_be_read_goes_the_way_of_rows_that_cannot_be_computed(bad: Any, rule: str) -> None:
    """It comes out with the reason or is left out, is counted as failed, and stops no other row, in history either."""
    good = BLANK | {"row": 1, "op": "insert"}
    table = pa.Table.from_pylist([good, BLANK | bad, good | {"row": 3}], CHANGES)
    plan = plan_of("update")
    for on_error in ("keep", "drop"):
        driver = Driver(make_job(plan, schema=CHANGES, retract="op", id="row", on_error=on_error))
        Bucket(driver.job, driver.state, driver.engines).history(table.slice(0, 2))
        found = driver.batch(table).to_pylist()
        assert driver.last is not None
        assert driver.last.metrics.failed == 1
        failed = [row for row in found if row.get("error")]
        assert [(row["row"], row["op"], row["words_10s"]) for row in failed] == (
            [(bad["row"], bad["op"], None)] if on_error == "keep" else []
        )
        assert [row["words_10s"] for row in found if row not in failed] == ["xx", "xx"]


@pytest.mark.parametrize(("bad", "rule"), UNREADABLE)
def test_an_error_names_the_change(bad: Any, rule: str) -> None:
    """The key, the id, the word and the rule; and the state is as it was."""
    driver = Driver(make_job(plan_of("update"), schema=CHANGES, retract="op", id="row"))
    driver.batch(pa.Table.from_pylist([BLANK | {"row": 1, "op": "insert"}], CHANGES))
    before = dict(driver.state.data)
    with pytest.raises(ValueError, match=rule) as error:
        driver.batch(pa.Table.from_pylist([BLANK | {"row": 3, "op": "insert"}, BLANK | bad], CHANGES))
    assert all(f"{name}={value!r}" in str(error.value) for name, value in ({"card": "a"} | bad).items())
    assert driver.state.data == before


def test_an_update_without_an_id_is_a_change_that_cannot_be_read() -> None:
    """There is nothing that it could replace."""
    driver = Driver(make_job(plan_of("update"), schema=CHANGES, retract="op", on_error="keep"))
    rows = [BLANK | {"row": 1, "op": "insert"}, BLANK | {"row": 2, "op": "update"}, BLANK | {"row": 3, "op": "+U"}]
    found = driver.batch(pa.Table.from_pylist(rows, CHANGES)).to_pylist()
    assert {row["row"] for row in found if row["error"]} == {2}
    assert "there is none: give id=" in next(row["error"] for row in found if row["error"])


@pytest.mark.parametrize(
    ("kind", "words"),
    [
        ("struct<a: bigint>", "id: column 'trip' has struct<a:bigint>"),
        ("array<int>", "id: column 'trip' has array<int>"),
        ("map<string, int>", "id: column 'trip' has map<string,int>"),
        ("variant", "id: column 'trip' has variant"),
        ("geometry(0)", "id: column 'trip' has geometry"),
    ],
)
def test_an_id_is_one_plain_value(spark: Any, kind: str, words: str) -> None:
    """Nested columns tell no rows apart."""
    from pyspark.sql.types import _parse_datatype_string

    (problem,) = id_problems("trip", _parse_datatype_string(f"trip {kind}")["trip"].dataType)
    assert problem.startswith(words)
    assert id_problems("trip", _parse_datatype_string("trip string")["trip"].dataType) == []


@pytest.mark.parametrize(
    ("options", "words"),
    [
        ({"id": "row"}, "name the column that says so, retract="),
        ({"retract": "what"}, "there is no column 'what'"),
        ({"retract": "share"}, "column 'share' has double"),
        ({"retract": "shop", "window": sash.TimeWindow("10s", every="5s"), "emit": "update"}, "are emitted once"),
        ({"retract": "shop", "emit": "arrival"}, "what was known when a row came is not taken back"),
    ],
)
def test_what_has_no_meaning_is_refused_on_the_driver(spark: Any, options: dict[str, Any], words: str) -> None:
    """In words."""
    stream = spark.readStream.format("rate").load().selectExpr(
        "value card", "timestamp time", "1.5D share", "'x' shop", "value row"
    )  # fmt: skip
    plan = {"by": "card", "on": "time", "window": "10s", "lateness": "1s", "n": sash.Count()}
    with pytest.raises(sash.PlanError, match=words):
        sash.spark.rolling(stream, **plan | options)
