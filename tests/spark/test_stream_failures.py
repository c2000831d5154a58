"""A row that cannot be computed on goes the way of late rows: it stops no other, now or at any restart."""

from __future__ import annotations

import math
import random
from typing import Any

import pytest

pytest.importorskip("pyspark", reason="needs PySpark: pip install 'sash[spark]'")

import pyarrow as pa

import sash
from sash.spark.stream.cache import EngineCache
from tests.spark.streams import AGGREGATIONS, SCHEMA, Driver, batches, by_row, expected, make_job, random_rows

BAD = {5, 6, 31, 77}
EMITS = ["final", "arrival", "update"]


class NoSevens(sash.Aggregation):
    """An aggregation of a user, which fails for a value; it lists the others."""

    column = "amount"
    identity = ""
    result = "str"

    def lift(self, value: Any) -> str:
        if value == 7:
            raise ArithmeticError("seven is none of my numbers")
        return str(value)

    def combine(self, older: str, newer: str) -> str:
        return older + newer

    def lower(self, partial: str) -> str:
        return partial


#: By rows, by trees, and by both: each fails for the rows that are made bad.
FAILING = {
    "a value that a user's aggregation refuses": {"words": NoSevens(), "n": sash.Count()},
    "NaN, in a tree": {"peak": sash.Max("share", nan="error"), "where": AGGREGATIONS["where"]},
    "NaN, by rows": {"peak": sash.Max("share", nan="error"), "shops": AGGREGATIONS["shops"]},
    "a sum beyond 64 bits": {"spent": sash.Sum("amount"), "first": AGGREGATIONS["first"]},
}


def plan_of(aggregations: Any, emit: Any, windows: Any = "10s") -> sash.Plan:
    return sash.Plan(by="card", on="time", windows=windows, aggregations=aggregations, lateness="20s", emit=emit)


def with_bad_rows(why: str) -> pa.Table:
    """Rows of which some cannot be computed on."""
    rows = random_rows(random.Random(why), 100, nulls=False).to_pylist()
    for place in BAD:
        rows[place] |= {"amount": 2**63 - 1 if "64" in why else 7, "share": math.nan}
        # Alone in its window, a number fits: nothing else has this key.
        rows[place]["card"] = "b" if "64" in why else rows[place]["card"]
    return pa.Table.from_pylist(rows, SCHEMA)


def run(driver: Driver, table: pa.Table) -> pa.Table:
    """All batches, on a new worker each time: the log is read again."""
    for part in batches(table, 5):
        driver.engines = EngineCache()
        driver.batch(part)
    return driver.finish()


@pytest.mark.parametrize("emit", EMITS)
@pytest.mark.parametrize("why", [why for why in FAILING if "64" not in why])
def test_bad_rows_come_out_with_the_reason_and_the_others_as_without_them(why: str, emit: str) -> None:
    """They are in no window. Every other row has the result of a frame that never had them."""
    plan, table = plan_of(FAILING[why], emit), with_bad_rows(why)
    driver = Driver(make_job(plan, on_error="keep"))
    results = run(driver, table)
    failed = results.filter(results.column("error").is_valid())
    assert set(failed.column("row").to_pylist()) == BAD
    assert all(failed.column(name).null_count == failed.num_rows for name in plan.outputs)
    good = table.filter(pa.array([row not in BAD for row in range(100)]))
    found = by_row(results.filter(results.column("error").is_null()), list(plan.outputs))
    assert found == expected(good, plan, "arrival" if emit == "arrival" else "final")


@pytest.mark.parametrize("emit", EMITS)
def test_what_is_dropped_is_counted(emit: str) -> None:
    """As late rows are."""
    driver = Driver(make_job(plan_of(FAILING["NaN, by rows"], emit), on_error="drop"))
    driver.batch(with_bad_rows("NaN, by rows"))
    assert driver.last is not None
    assert driver.last.metrics.failed == len(BAD)
    assert not BAD & set(driver.finish().column("row").to_pylist())


@pytest.mark.parametrize(("emit", "windows"), [("final", "10s"), ("final", 3), ("update", 3), ("arrival", "10s")])
def test_a_result_that_does_not_fit_stops_no_other_key(emit: str, windows: Any) -> None:
    """Each value fits, a sum of two does not: the stream goes on, and other keys never notice."""
    why = "a sum beyond 64 bits"
    table, plan = with_bad_rows(why), plan_of(FAILING[why], emit, windows)
    results = run(Driver(make_job(plan, on_error="keep")), table)
    failed = results.filter(results.column("error").is_valid())
    assert set(failed.column("card").to_pylist()) == {"b"}
    assert "64 bits" in failed.column("error")[0].as_py()
    others = table.filter(pa.compute.not_equal(table.column("card"), "b"))
    wanted = expected(others, plan, "arrival" if emit == "arrival" else "final")
    found = by_row(results, list(plan.outputs))
    assert {row: found[row] for row in wanted} == wanted


@pytest.mark.parametrize("emit", EMITS)
@pytest.mark.parametrize("why", FAILING)
def test_an_error_names_the_row(why: str, emit: str) -> None:
    """The key, the time, the value and the rule; and the state is as it was."""
    driver = Driver(make_job(plan_of(FAILING[why], emit)))
    table = with_bad_rows(why)
    driver.batch(table.slice(10, 10))
    before = dict(driver.state.data)
    names_a_row = r"the row with card='[abc]', time=.*(amount|share)="
    with pytest.raises((ValueError, ArithmeticError), match=names_a_row) as error:  # noqa: PT012
        driver.batch(table)
        driver.finish()
    assert any(rule in str(error.value) for rule in ("seven", "NaN", "64 bits"))
    if "64" not in why:
        assert driver.state.data == before


def test_slides_leave_out_what_cannot_be_computed() -> None:
    """A value that is refused is in no window; a key whose numbers do not fit is counted, and the others go on."""
    windows = sash.TimeWindow("10s", every="5s")
    table = with_bad_rows("NaN, by rows")
    plan = plan_of({"peak": sash.Max("share", nan="error")}, "final", windows)
    results = run(Driver(make_job(plan, on_error="drop")), table)
    good = table.filter(pa.array([row not in BAD for row in range(100)]))
    frame = sash.rolling(good, sash.Plan(**plan._parts() | {"lateness": None}))
    assert sorted(map(repr, results.to_pylist())) == sorted(map(repr, frame.to_pylist()))
    table = with_bad_rows("a sum beyond 64 bits")
    plan = plan_of({"spent": sash.Sum("amount")}, "final", windows)
    results = run(Driver(make_job(plan, on_error="drop")), table)
    assert {"a", "c"} <= set(results.column("card").to_pylist())


def test_history_is_tried_before_it_is_taken() -> None:
    """A bad row from before the stream would else fail every batch."""
    from sash.spark.stream.bucket import Bucket

    plan, table = plan_of(FAILING["NaN, in a tree"], "final"), with_bad_rows("NaN, in a tree")
    driver = Driver(make_job(plan, on_error="drop"))
    Bucket(driver.job, driver.state, driver.engines).history(table.slice(0, 50))
    found = by_row(run(driver, table.slice(50)), list(plan.outputs))
    wanted = expected(table.filter(pa.array([row not in BAD for row in range(100)])), plan)
    assert found == {row: wanted[row] for row in found}
