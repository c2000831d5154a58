"""Windows of a stream that the operator runs: a bucket emits what `sash.Sliding` does, however its rows are cut."""

from __future__ import annotations

import itertools
import random
from collections.abc import Iterator
from dataclasses import replace
from typing import Any
from unittest.mock import patch

import pytest

pytest.importorskip("pyspark", reason="needs PySpark: pip install 'sash[spark]'")

import pyarrow as pa

import sash
from sash.spark.stream import log
from sash.spark.stream.bucket import Bucket
from sash.spark.stream.cache import EngineCache
from sash.spark.stream.job import Job
from sash.spark.stream.operator_engine import OperatorEngine
from sash.spark.stream.several import SeveralOperator
from sash.triggers import EachEvent
from tests.spark.streams import AGGREGATIONS, RESULTS, SECOND, DictState, Driver, batches, by_row, make_job, random_rows

WINDOWS: dict[str, Any] = {
    "delta": sash.DeltaWindow("row", 9),
    "punctuated": sash.PunctuatedWindow(lambda row: row["shop"] == "yy"),
    "programmable": sash.PolicyWindow(lambda total, old: total - old >= 4, over=sash.Count()),
    "adaptive": sash.AdaptiveWindow(0.3, of="share"),
    "session": sash.SessionWindow("3s"),
    "time": sash.TimeWindow("10s"),
}
NAMES = ("n", "words", "where", "texts")


def plan_of(emit: Any, *windows: str, names: tuple[str, ...] = NAMES, lateness: Any = "20s", **more: Any) -> sash.Plan:
    """A plan over some of the windows."""
    some = {name: AGGREGATIONS[name] for name in names}
    return sash.Plan(
        **{"by": "card", "on": "time"} | more,
        windows=[WINDOWS[name] for name in windows],
        aggregations=some,
        emit=emit,
        lateness=lateness,
    )


@pytest.fixture(autouse=True)
def few() -> Iterator[None]:
    """Snapshots are taken of few rows."""
    with patch.object(log, "_FEW", 40), patch.object(log, "_ROW_BYTES", 10**6):
        yield


def run(plan: sash.Plan, parts: list[pa.Table], restart_each: int | None = None) -> tuple[Driver, pa.Table]:
    """All that comes out; where asked, other workers take over every so many batches."""
    driver = Driver(make_job(plan))
    for number, part in enumerate(parts):
        if restart_each and number % restart_each == 0:
            driver.job, driver.engines = make_job(plan, name=f"run {number}"), EngineCache()
        driver.batch(part)
    return driver, driver.finish()


def in_time(parts: list[pa.Table], seconds: int) -> pa.Table:
    """The rows that are not before the newest of the batches before, less the lateness."""
    newest, kept = 0, []
    for part in parts:
        ticks = part.column("time").cast(pa.int64()).to_pylist()
        kept.append(part.filter(pa.array([tick >= newest - seconds * SECOND for tick in ticks])))
        newest = max([newest, *(tick // 1000 * 1000 for tick in ticks)])
    return pa.concat_tables(kept)


def slid(table: pa.Table, plan: sash.Plan, **more: Any) -> dict[str, list[sash.Result]]:
    """What an operator of its own emits for each column of the results."""
    given = {}
    for label, window in zip(plan.labels, plan.windows, strict=True):
        for name, one in plan.aggregations.items():
            operator = sash.Sliding(one, window, by=plan.by or None, on="time", emit=plan.emit, **more)
            given[f"{name}_{label}"] = [*operator.push_many(table), *operator.finish()]
    return given


def expected(table: pa.Table, plan: sash.Plan) -> dict[int, tuple[Any, ...]]:
    """The last result of each row in each column, by the number of the row."""
    columns = slid(table, plan, trigger=EachEvent(), min_periods=plan.min_periods or 0)
    rows = table.column("row").to_pylist()
    last = {name: {rows[result.number]: result.value for result in results} for name, results in columns.items()}
    return {row: tuple(_rounded(values[row]) for values in last.values()) for row in rows}


def _rounded(value: Any) -> Any:
    return round(value, 9) if isinstance(value, float) else value


@pytest.mark.parametrize("emit", ["final", "update", "arrival"])
@pytest.mark.parametrize("windows", [("delta", "time"), ("punctuated",), ("programmable",), ("adaptive", "session")])
def test_results_are_those_of_the_operator(emit: str, windows: tuple[str, ...]) -> None:
    """In 1, 7 and 40 micro-batches, with late rows and rows that are too late, with other workers in between."""
    table = random_rows(random.Random(repr(windows)), 120)
    for count, lateness, restart_each in ((1, 20, None), (7, 6, 2), (40, 3, 3)):
        plan = plan_of(emit, *windows, lateness=f"{lateness}s", min_periods=2 if count == 7 else None)
        parts = batches(table, count)
        driver, results = run(plan, parts, restart_each)
        kept = in_time(parts, lateness)
        assert by_row(results, list(plan.outputs)) == expected(kept, plan)
        assert count == 1 or driver.state.manifest() is not None
        if emit != "update":
            assert results.num_rows == kept.num_rows


def test_a_session_at_arrival_is_that_of_the_operator() -> None:
    """Late rows join sessions that were known apart, so no pass over a frame has it."""
    table = random_rows(random.Random(4), 200)
    plan = plan_of("arrival", "session", by=["card", "shop"])
    _, results = run(plan, batches(table, 9), 2)
    assert by_row(results, list(plan.outputs)) == expected(table, plan)


def test_revisions_count_and_never_repeat_a_result() -> None:
    """From 0 on without a gap, also over restarts from a snapshot."""
    plan = plan_of("update", "delta", "session", names=("words", "n"))
    _, results = run(plan, batches(random_rows(random.Random(1), 150), 30), 5)
    seen: dict[int, list[Any]] = {}
    for row in results.to_pylist():
        seen.setdefault(row["row"], []).append((row["revision"], *(row[name] for name in plan.outputs)))
    assert max(map(len, seen.values())) > 2
    for revisions in seen.values():
        assert [number for number, *_ in revisions] == list(range(len(revisions)))
        assert all(before[1:] != after[1:] for before, after in itertools.pairwise(revisions))


def test_rows_that_operators_have_taken_leave_the_log() -> None:
    """The state is a snapshot and the rows that wait: it does not grow with the stream."""
    plan = plan_of("final", "delta", names=("n", "words"), lateness="2s")
    driver = Driver(make_job(plan))
    sizes = []
    for part in batches(random_rows(random.Random(1), 2_400, disorder=0), 60):
        driver.batch(part)
        sizes.append(sum(map(len, driver.state.data.values())))
    assert max(sizes[30:]) < 2 * max(sizes[:30])


def slides_of(emit: Any, *every: str, names: tuple[str, ...] = ("n", "words", "where"), **more: Any) -> sash.Plan:
    """Windows that slide by these times, each twice as long as the one before."""
    windows = [sash.TimeWindow(f"{10 * (place + 1)}s", every=one, closed="left") for place, one in enumerate(every)]
    some = {name: AGGREGATIONS[name] for name in names}
    return sash.Plan(
        **{"by": "card", "on": "time", "lateness": "20s"} | more, windows=windows, aggregations=some, emit=emit
    )


def slides_in(results: pa.Table, plan: sash.Plan) -> dict[Any, tuple[Any, ...]]:
    """The last results of each key and end."""
    keys = results.select([*plan.by, "window_end"]).to_pylist()
    columns = [results.column(name).to_pylist() for name in plan.outputs]
    rows = zip(keys, *columns, strict=True)
    return {tuple(key.values()): tuple(values) for key, *values in rows}


def slides_expected(table: pa.Table, plan: sash.Plan) -> dict[Any, dict[str, Any]]:
    """The last value of each key and end, in each column that has one there."""
    found: dict[Any, dict[str, Any]] = {}
    for name, results in slid(table, plan).items():
        for result in results:
            found.setdefault((*(result.key or ()), result.end.as_py()), {})[name] = result.value
    return found


@pytest.mark.parametrize("emit", ["update", "arrival", "final"])
@pytest.mark.parametrize("every", [("4s",), ("2s", "2s"), ("5s", "4s")])
def test_slides_are_those_of_the_operator(emit: str, every: tuple[str, ...]) -> None:
    """One slide, one slide of two lengths, and two slides, of which each end has the results of those that end there.

    A window without rows, beside one with some, has the result of none."""
    table = random_rows(random.Random(repr(every)), 80)
    for count, restart_each, by in ((1, None, "card"), (7, 2, ["card", "shop"]), (40, 3, None)):
        plan = slides_of(emit, *every, by=by)
        _, results = run(plan, batches(table, count), restart_each)
        wanted = slides_expected(table, plan)
        found = slides_in(results, plan)
        assert found.keys() == wanted.keys()
        empty = {name: {"n": 0, "words": "", "where": None}[name.split("_")[0]] for name in plan.outputs}
        for subject, values in found.items():
            for name, value in zip(plan.outputs, values, strict=True):
                if name in wanted[subject]:
                    assert value == wanted[subject][name]
                else:
                    assert value in (None, empty[name])
        if emit != "update":
            assert results.num_rows == len(wanted)


def test_revisions_of_slides_count_and_never_repeat_a_result() -> None:
    """From 0 on without a gap, whichever worker emits them."""
    plan = slides_of("update", "4s", "4s")
    _, results = run(plan, batches(random_rows(random.Random(1), 150), 30), 4)
    seen: dict[Any, list[Any]] = {}
    for row in results.to_pylist():
        seen.setdefault((row["card"], row["window_end"]), []).append(
            (row["revision"], *(row[name] for name in plan.outputs))
        )
    assert max(map(len, seen.values())) > 2
    for revisions in seen.values():
        assert [number for number, *_ in revisions] == list(range(len(revisions)))
        assert all(before[1:] != after[1:] for before, after in itertools.pairwise(revisions))


def test_another_plan_continues_from_a_snapshot_with_what_it_holds() -> None:
    """Results dropped and in another order; what is new is refused, and nothing is changed."""
    table = random_rows(random.Random(3), 400)
    driver = Driver(make_job(plan_of("final", "delta", "programmable", names=("n", "words"))))
    for part in batches(table.slice(0, 300), 30):
        driver.batch(part)
    fewer = plan_of("final", "programmable", names=("words",))
    before = dict(driver.state.data)
    others = [plan_of("final", "delta", names=("n", "where")), plan_of("final", "adaptive"), plan_of("final", "time")]
    for other in others:
        driver.job, driver.engines = make_job(other, name="other"), EngineCache()
        with pytest.raises(sash.PlanError, match="is new, and the rows that it reaches back to are dropped"):
            driver.batch(table.slice(300))
        assert driver.state.data == before
    driver.job, driver.engines = make_job(fewer, name="fewer"), EngineCache()
    found = by_row(driver.batch(table.slice(300)), list(fewer.outputs))
    wanted = expected(table, fewer)
    assert found == {row: wanted[row] for row in found}
    assert len(found) > 5


def test_a_row_that_an_operator_refuses_is_set_aside() -> None:
    """The others are in their windows, whichever operator refused it."""
    table = random_rows(random.Random(3), 100, nulls=False)
    plan = plan_of("final", "delta", names=("n", "words"))
    strict = sash.Plan(**plan._parts() | {"aggregations": {"n": sash.Count(), "spent": sash.GeometricMean("amount")}})
    job = replace(make_job(strict, on_error="keep"), types={name: pa.float64() for name in strict.outputs})
    driver = Driver(job)
    for part in batches(table, 5):
        driver.batch(part)
    results = driver.finish().to_pylist()
    bad = {row["row"] for row in table.to_pylist() if row["amount"] < 0}
    assert {row["row"] for row in results if row["error"]} == bad
    assert sorted(row["row"] for row in results) == list(range(100))
    good = table.filter(pa.compute.greater_equal(table.column("amount"), 0))
    counts = {row: values[0] for row, values in expected(good, plan).items()}
    assert {row["row"]: row["n_delta_row_9"] for row in results if not row["error"]} == counts


class Tally(sash.Aggregation):
    """Joins texts, and counts how often it does."""

    identity = ""
    combines = 0

    def lift(self, value: str) -> str:
        """The text."""
        return value

    def lower(self, partial: str) -> str:
        """The text."""
        return partial

    def combine(self, older: str, newer: str) -> str:
        """Both."""
        Tally.combines += 1
        return older + newer


def test_what_is_known_at_arrival_costs_the_rows_of_a_batch() -> None:
    """However many rows the windows hold; the results are those of a frame."""
    plan = sash.Plan(
        by="card", on="time", windows="1h", aggregations={"words": Tally("shop")}, emit="arrival", lateness="20s"
    )
    table = random_rows(random.Random(2), 600)
    driver = Driver(make_job(plan))
    counts = []
    for part in batches(table, 30):
        before = Tally.combines
        driver.batch(part)
        counts.append((Tally.combines - before) / part.num_rows)
    assert max(counts[10:]) < 24
    whole = sash.Plan(**plan._parts() | {"lateness": None})
    assert by_row(driver.finish(), list(plan.outputs)) == by_row(sash.rolling(table, whole), list(plan.outputs))


def test_different_values_at_arrival_are_counted_without_sets() -> None:
    """With a condition, over several windows, with other workers in between."""
    table = random_rows(random.Random(5), 300, keys=8)
    distinct = {"shops": sash.CountDistinct("shop"), "n": sash.CountDistinct("amount", where=sash.col("share") > 0.5)}
    windows = [sash.TimeWindow(f"{9 + place}s", closed=end) for place, end in enumerate(("left", "right", "both"))]
    plan = sash.Plan(by="card", on="time", windows=windows, aggregations=distinct, emit="arrival", lateness="20s")
    _, results = run(plan, batches(table, 25), 3)
    whole = sash.Plan(**plan._parts() | {"lateness": None})
    assert by_row(results, list(plan.outputs)) == by_row(sash.rolling(table, whole), list(plan.outputs))


INSTANT = pa.timestamp("us", "UTC")
POINT = pa.struct({"time": INSTANT, "value": pa.float64()})
AT_ARRIVAL: dict[str, tuple[Any, pa.DataType]] = {
    "collected": (sash.Collect("amount"), pa.list_(pa.int64())),
    "joined": (sash.Concat("shop", separator="-", where=sash.col("share") > 0.5), pa.string()),
    "different": (sash.CollectDistinct("shop"), pa.list_(pa.string())),
    "kinds": (sash.CollectDistinct("share"), pa.list_(pa.float64())),
    "usual": (sash.Mode("amount"), pa.int64()),
    "before": (sash.IthYoungest("shop", i=2), pa.string()),
    "top": (sash.TopK("amount", k=2), pa.list_(pa.int64())),
    "bottom": (sash.BottomK("share", k=3, where=sash.col("amount") > -3), pa.list_(pa.float64())),
    "dearest": (sash.TopK("shop", by="share", k=2), pa.list_(pa.string())),
    "spread": (
        sash.Histogram("amount", edges=[-3.5, -1, 0, 2.5], where=sash.col("share") < 2),
        pa.struct({"below": pa.int64(), "bins": pa.list_(pa.int64()), "above": pa.int64()}),
    ),
    "shares": (sash.Histogram("share", edges=[0, 0.25, 1, 2], outside=False), pa.list_(pa.int64())),
    "rank": (sash.Rank("amount"), pa.float64()),
    "share": (sash.Rank("share", method="max", pct=True, where=sash.col("amount") > -4), pa.float64()),
    "best": (
        sash.ArgMax("amount", ["shop", "share"]),
        pa.struct({"shop": pa.string(), "share": pa.float64()}),
    ),
    "run": (
        sash.LongestIncreasingRun("amount"),
        pa.struct({"start": INSTANT, "end": INSTANT, "span": pa.int64(), "length": pa.int64()}),
    ),
    "points": (
        sash.M4("share", where=sash.col("amount") > -3),
        pa.struct(dict.fromkeys(("first", "last", "min", "max"), POINT)),
    ),
}


@pytest.mark.parametrize("names", [["best", "n"], sorted(AT_ARRIVAL.keys() - {"best"})])
def test_what_a_window_holds_at_arrival_is_found_by_rows(names: list[str]) -> None:
    """Lists, texts, ranks and records, whose partials have no fixed size, are those of a frame: over windows of all
    ends, with late rows and nulls, short and long beside the number of values, with other workers in between."""
    table = random_rows(random.Random(6), 400, keys=4)
    known = AT_ARRIVAL | {"n": (sash.Count(), pa.int64())}
    lengths = zip((4, 9, 80, 12), ("left", "right", "both", "neither"), strict=True)
    windows = [sash.TimeWindow(f"{length}s", closed=end) for length, end in lengths]
    some = {name: known[name][0] for name in names}
    plan = sash.Plan(by="card", on="time", windows=windows, aggregations=some, emit="arrival", lateness="20s")
    types = {name: known[name.split("_")[0]][1] for name in plan.outputs}
    driver = Driver(typed_job(plan, types))
    for number, part in enumerate(batches(table, 20)):
        if number % 6 == 5:
            driver.job, driver.engines = typed_job(plan, types, f"run {number}"), EngineCache()
        driver.batch(part)
    whole = sash.rolling(table, sash.Plan(**plan._parts() | {"lateness": None}))
    found = driver.finish()
    for name in plan.outputs:
        assert found.column(name).to_pylist() == whole.column(name).to_pylist(), name


def test_results_of_several_numbers_take_times_that_are_integers() -> None:
    """And a row whose window holds no value has none."""
    runs = {"run": sash.LongestIncreasingRun("amount")}
    plan = sash.Plan(by="card", on="row", windows=sash.TimeWindow(3), aggregations=runs, emit="arrival")
    kind = pa.struct(dict.fromkeys(("start", "end", "span", "length"), pa.int64()))
    rows = pa.table({"card": ["a"] * 4, "row": [1, 2, 3, 9], "amount": [1, 4, 9, None]})
    with patch.dict(RESULTS, {"run": kind}):
        job = make_job(plan, schema=rows.schema)
    assert isinstance(OperatorEngine(job)._operators[next(iter(plan.outputs))], SeveralOperator)
    found = Bucket(job, DictState(), EngineCache()).rows([rows], 0).column(next(iter(plan.outputs))).to_pylist()
    assert found[2] == {"start": 1, "end": 3, "span": 8, "length": 3}
    assert found[3] is None


def typed_job(plan: sash.Plan, types: dict[str, pa.DataType], name: str = "test") -> Job:
    """A job whose results have these types."""
    with patch.dict(RESULTS, {one.split("_")[0]: kind for one, kind in types.items()}):
        return make_job(plan, name=name)


def test_rows_that_no_window_holds_are_forgotten_at_arrival() -> None:
    """What is kept for lists and ranks does not grow with the stream."""
    some = {"collected": sash.Collect("amount"), "top": sash.TopK("amount", k=2)}
    plan = sash.Plan(by="card", on="time", windows="5s", aggregations=some, emit="arrival", lateness="2s")
    driver = Driver(typed_job(plan, {name: AT_ARRIVAL[name][1] for name in some}))
    sizes = []
    for part in batches(random_rows(random.Random(1), 12_000, disorder=0), 60):
        driver.batch(part)
        sizes.append(driver.engines._bytes)
    assert max(sizes[30:]) < 2 * max(sizes[:30])


def test_different_values_are_counted_beside_windows_that_are_snapshots() -> None:
    """A snapshot has all of what an operator knows, also where other windows of the plan are lengths of time."""
    table = random_rows(random.Random(9), 400)
    plan = plan_of("arrival", "delta", "time", names=("shops", "words"))
    _, results = run(plan, batches(table, 20), 3)
    assert by_row(results, list(plan.outputs)) == expected(table, plan)
