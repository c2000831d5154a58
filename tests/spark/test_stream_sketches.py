"""Filters and sketches of a stream at arrival: the core keeps what they are made of, and nothing is combined."""

from __future__ import annotations

import datetime as dt
import random
from collections.abc import Callable, Iterable, Mapping
from pathlib import Path
from typing import Any

import pytest

pytest.importorskip("pyspark", reason="needs PySpark: pip install 'sash[spark]'")

import pyarrow as pa

import sash
from sash.aggregations.filtered import unfiltered
from sash.spark.opaque import in_plain_values
from sash.spark.stream.cache import EngineCache
from sash.spark.stream.coupons import CpcOperator, ThetaOperator
from sash.spark.stream.ranking import QuantilesOperator
from sash.spark.stream.registers import RegistersOperator
from sash.spark.stream.tallies import BloomOperator, CountMinOperator, FrequentOperator
from tests.spark.streams import SECOND, Driver, batches, random_rows
from tests.spark.test_stream_operator import typed_job
from tests.spark.test_stream_windows import Stream, run


def driven(plan: sash.Plan, types: Mapping[str, pa.DataType], parts: Iterable[pa.Table]) -> Driver:
    """A bucket that has taken these batches; every ninth by another worker."""
    named = {name: types[name.split("_")[0]] for name in plan.outputs}
    driver = Driver(typed_job(plan, named))
    for number, part in enumerate(parts):
        if number % 9 == 8:
            driver.job, driver.engines = typed_job(plan, named, f"run {number}"), EngineCache()
        driver.batch(part)
    return driver


def test_filters_and_sketches_at_arrival_are_folds_of_their_windows(monkeypatch: pytest.MonkeyPatch) -> None:
    """Also of windows with more values than a partial keeps as they are, with late rows, nulls, a condition, rows that
    leave, other workers in between, and batches whose sketches are made in parts."""
    monkeypatch.setattr("sash.spark.stream.tallies._BYTES", 200_000)
    rng = random.Random(8)
    table = random_rows(rng, 300, keys=3)
    few_first = [rng.choice("abcde") if place < 150 else str(rng.randint(0, 900)) for place in range(300)]
    table = table.set_column(
        4, "shop", pa.array([None if place % 7 == 0 else few_first[place] for place in range(300)])
    )
    some = {
        "seen": sash.Bloom("shop", bits=128, hashes=2),
        "counts": sash.CountMin("shop", where=sash.col("amount") > -3),
        "often": sash.FrequentItems("shop", at_least=0.15),
        "numbers": sash.FrequentItems("share", at_least=0.2),
    }
    item = [(name, pa.int64()) for name in ("estimate", "lower", "upper")]
    types = {"seen": pa.binary(), "counts": pa.binary()}
    types["often"] = pa.list_(pa.struct([("item", pa.string()), *item]))
    types["numbers"] = pa.list_(pa.struct([("item", pa.float64()), *item]))
    windows = [sash.TimeWindow("9s", closed="left"), sash.TimeWindow("60s")]
    plan = sash.Plan(by="card", on="time", windows=windows, aggregations=some, emit="arrival", lateness="20s")
    driver = driven(plan, types, batches(table, 25))
    (entry,) = driver.engines._entries.values()
    kinds = [type(one) for one in entry.engine._operators.values()]
    assert kinds == [BloomOperator, CountMinOperator, FrequentOperator, FrequentOperator] * 2
    found = driver.finish()
    rows = table.to_pylist()
    for name, one in in_plain_values(plan).aggregations.items():
        closed, long = (found.column(f"{name}_{label}").to_pylist() for label in plan.labels)
        assert closed == [folded(one, rows, place, lambda age: 0 < age <= 9 * SECOND) for place in range(300)], name
        assert long == [folded(one, rows, place, lambda age: 0 <= age < 60 * SECOND) for place in range(300)], name


COUNT = pa.struct(dict.fromkeys(("estimate", "lower", "upper"), pa.float64()))
ESTIMATES = pa.list_(pa.struct(dict.fromkeys(("rank", "value", "lower", "upper"), pa.float64())))


def test_estimates_at_arrival_are_those_of_sketches_to_the_last_bit() -> None:
    """With late rows, nulls, a condition, values that come back after they were forgotten, and other workers in
    between. Quantiles are exact, however many values there are."""
    rng = random.Random(5)
    table = random_rows(rng, 900, keys=2, disorder=60)
    shops = [None if place % 7 == 0 else f"shop {place // 500 % 2} {rng.randint(0, 400)}" for place in range(900)]
    table = table.set_column(4, "shop", pa.array(shops))
    table = table.set_column(3, "share", pa.array([rng.choice([-0.0, 0.0, rng.random()]) for _ in range(900)]))
    some = {
        "shops": sash.ApproxCountDistinct("shop"),
        "coarse": sash.ApproxCountDistinct("shop", lg_k=6, deviations=3, where=sash.col("amount") > -3),
        "shares": sash.ApproxCountDistinct("share"),
        "quantiles": sash.ApproxQuantiles("share", at=(0.0, 0.07, 0.5, 1.0)),
    }
    windows = [sash.TimeWindow("200s", closed="left"), sash.TimeWindow("300s")]
    plan = sash.Plan(by="card", on="time", windows=windows, aggregations=some, emit="arrival", lateness="60s")
    named = {name: ESTIMATES if "quantiles" in name else COUNT for name in plan.outputs}
    driver = Driver(typed_job(plan, named))
    for number, part in enumerate(batches(table, 20)):
        if number % 9 == 8:
            driver.job, driver.engines = typed_job(plan, named, f"run {number}"), EngineCache()
        driver.batch(part)
    (entry,) = driver.engines._entries.values()
    kinds = [type(one) for one in entry.engine._operators.values()]
    assert kinds == [*[RegistersOperator] * 3, QuantilesOperator] * 2
    found, rows = driver.finish(), table.to_pylist()
    assert max(one["estimate"] for one in found.column(f"shops_{plan.labels[1]}").to_pylist()) > 80
    spans: list[Callable[[int], bool]] = [lambda age: 0 < age <= 200 * SECOND, lambda age: 0 <= age < 300 * SECOND]
    for label, is_in in zip(plan.labels, spans, strict=True):
        for name in ("shops", "coarse", "shares"):
            wanted = [folded(some[name], rows, place, is_in)._asdict() for place in range(0, 900, 15)]
            assert found.column(f"{name}_{label}").to_pylist()[::15] == wanted, name
        for place, given in list(enumerate(found.column(f"quantiles_{label}").to_pylist()))[::5]:
            values = sorted(folded(sash.Collect("share"), rows, place, is_in) or [])
            assert given == [exact(values, rank) for rank in (0.0, 0.07, 0.5, 1.0)]


def test_sketches_of_many_values_at_arrival_are_those_of_their_windows() -> None:
    """To the last byte, of windows with more values than a partial keeps as they are, with late rows, nulls, a
    condition, rows that leave and other workers in between; also when a theta sketch no longer holds all hashes."""
    rng = random.Random(6)
    table = random_rows(rng, 900, keys=2, disorder=60)
    shops = [None if place % 7 == 0 else f"shop {rng.randint(0, 400)}" for place in range(900)]
    table = table.set_column(4, "shop", pa.array(shops))
    some = {
        "cpc": sash.ApproxCountDistinct("shop", kind="cpc"),
        "coupons": sash.ApproxCountDistinct("shop", kind="cpc", lg_k=4, deviations=3, where=sash.col("amount") > -3),
        "theta": sash.ApproxCountDistinct("shop", kind="theta"),
        "hashes": sash.ApproxCountDistinct("shop", kind="theta", lg_k=5),
        "counts": sash.CountMin("shop", hashes=3, buckets=16),
        "seen": sash.Bloom("shop"),
        "often": sash.FrequentItems("shop", at_least=0.015),
    }
    item = [(name, pa.int64()) for name in ("estimate", "lower", "upper")]
    types = dict.fromkeys(("cpc", "coupons", "theta", "hashes"), COUNT) | dict.fromkeys(("counts", "seen"), pa.binary())
    types["often"] = pa.list_(pa.struct([("item", pa.string()), *item]))
    plan = sash.Plan(by="card", on="time", windows="300s", aggregations=some, emit="arrival", lateness="60s")
    driver = driven(plan, types, batches(table, 20))
    (entry,) = driver.engines._entries.values()
    operators = list(entry.engine._operators.values())
    assert [type(one) for one in operators[:4]] == [CpcOperator, CpcOperator, ThetaOperator, ThetaOperator]
    assert [one._few for one in operators[2:4]] == [True, False]
    found, rows = driver.finish(), table.to_pylist()
    assert max(one["estimate"] for one in found.column("theta_300s").to_pylist()) > 80
    for name, one in in_plain_values(plan).aggregations.items():
        wanted = [folded(one, rows, place, lambda age: 0 <= age < 300 * SECOND) for place in range(0, 900, 11)]
        wanted = [result._asdict() if hasattr(result, "_asdict") else result for result in wanted]
        assert found.column(f"{name}_300s").to_pylist()[::11] == wanted, name


@pytest.mark.slow
def test_sketches_at_arrival_run_as_a_stream_and_start_again(spark: Any, tmp_path: Path) -> None:
    """On a session, in one bucket, with a restart between micro-batches: each result is a fold of what had come."""
    rng = random.Random(11)
    table = random_rows(rng, 600, keys=2, disorder=60)
    shops = [None if place % 7 == 0 else f"shop {rng.randint(0, 300)}" for place in range(600)]
    table = table.set_column(4, "shop", pa.array(shops))
    table = table.set_column(3, "share", pa.array([rng.choice([-0.0, 0.0, rng.random()]) for _ in range(600)]))
    some = {
        "shops": sash.ApproxCountDistinct("shop", where=sash.col("amount") > -3),
        "shares": sash.ApproxCountDistinct("share", lg_k=6),
        "quantiles": sash.ApproxQuantiles("share", at=(0.0, 0.5, 1.0)),
        "seen": sash.Bloom("shop", bits=128, hashes=2),
        "few": sash.CountMin("amount"),
        "often": sash.FrequentItems("amount", at_least=0.2),
    }
    plan = sash.Plan(by="card", on="time", windows="300s", aggregations=some, emit="arrival", lateness="60s")
    stream = Stream(tmp_path / "sketches", plan, batches(table, 4), {"buckets": 1})
    run(spark, stream)
    found, rows = stream.results(spark).sort_by("row"), table.to_pylist()
    assert found.column("row").to_pylist() == list(range(600))
    assert max(one["estimate"] for one in found.column("shops_300s").to_pylist()) > 64
    plain = in_plain_values(plan).aggregations
    for place in range(0, 600, 7):
        got = {name: found.column(f"{name}_300s")[place].as_py() for name in some}
        values = sorted(folded(sash.Collect("share"), rows, place, lambda age: 0 <= age < 300 * SECOND) or [])
        wanted = {name: folded(plain[name], rows, place, lambda age: 0 <= age < 300 * SECOND) for name in some}
        wanted["quantiles"] = [exact(values, rank) for rank in (0.0, 0.5, 1.0)]
        assert got == {name: one._asdict() if hasattr(one, "_asdict") else one for name, one in wanted.items()}


def exact(values: list[float], rank: float) -> dict[str, float | None]:
    """The least value such that a share of so many is not above it."""
    enough = [place for place in range(len(values)) if (place + 1) / len(values) >= rank - 1e-12]
    value = values[enough[0]] if values else None
    return {"rank": rank, "value": value, "lower": value, "upper": value}


def folded(aggregation: Any, rows: list[dict[str, Any]], place: int, is_in: Callable[[int], bool]) -> Any:
    """The fold of the rows of a key that had come when the one at the place came, by how much older they are."""
    one, partial = unfiltered(aggregation), aggregation.identity
    now, column = rows[place], one.columns[0]
    for row in rows[: place + 1]:
        age = (now["time"] - row["time"]) // dt.timedelta(microseconds=1)
        kept = aggregation is one or (row["amount"] is not None and row["amount"] > -3)
        if row["card"] == now["card"] and is_in(age) and kept and row[column] is not None:
            partial = one.combine(partial, one.lift(row[column]))
    result = one.lower(partial)
    if not isinstance(result, list):
        return result
    return [item._asdict() if hasattr(item, "_asdict") else item for item in result]
