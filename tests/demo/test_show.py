"""The whole demonstration over a small stream, on a real session."""

from __future__ import annotations

import dataclasses
import io
from pathlib import Path
from typing import Any

import pytest

pytest.importorskip("pandas")
pytest.importorskip("pyarrow")
pytest.importorskip("pyspark")
pytest.importorskip("altair")

import pyarrow as pa
import pyarrow.parquet as pq
from rich.console import Console

import sash
from sash.demo import bikes, files, hops, pipeline, results, show

TRIPS = 6_000


@dataclasses.dataclass(frozen=True)
class Shown:
    """A demonstration that is over: its folder, what it printed, and the trips that it ran over."""

    out: Path
    printed: str
    trips: pa.Table


@pytest.fixture(scope="module")
def shown(spark: Any, tmp_path_factory: pytest.TempPathFactory) -> Shown:
    """One run for all tests, in three micro-batches and a closing one, with few windows of Spark's own."""
    out, text = tmp_path_factory.mktemp("demo"), io.StringIO()
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(show, "_FILES", 3)
        patch.setattr(hops, "_ROWS", 1_000)
        patch.setattr(hops, "_WARM", 100)
        patch.setattr(hops, "_EVERY", 600)
        show.show(out, TRIPS, 7, Console(file=text, width=100, highlight=False, soft_wrap=True), session=spark)
    return Shown(out, text.getvalue(), files.as_table(bikes.trips(TRIPS, seed=7)))


def results_of(table: pa.Table, plan: sash.Plan) -> dict[int, tuple[Any, ...]]:
    """The results of each trip; means to the digits that do not depend on the order of additions."""
    columns = [table.column(name).to_pylist() for name in plan.outputs]
    rows = zip(table.column("trip").to_pylist(), *columns, strict=True)
    return {
        trip: tuple(round(value, 6) if isinstance(value, float) else value for value in values)
        for trip, *values in rows
        if trip < TRIPS
    }


def at_rest(plan: sash.Plan, trips: pa.Table) -> dict[int, tuple[Any, ...]]:
    """What `sash.rolling` gives for the same plan over trips that are all known."""
    windows = ["10m", "1h", "1d"]
    same = sash.Plan(by=plan.by, on="ended", windows=windows, aggregations=dict(plan.aggregations))
    return results_of(sash.rolling(trips, same), same)


def test_the_last_revisions_are_those_of_a_frame(shown: Shown) -> None:
    """By station, the last revision of each trip is what `sash.rolling` gives over all trips."""
    emitted = pq.read_table(shown.out / "stations").sort_by([("trip", "ascending"), ("revision", "ascending")])
    assert results_of(emitted, pipeline.STATIONS.plan) == at_rest(pipeline.STATIONS.plan, shown.trips)


def test_revisions_count_from_zero(shown: Shown) -> None:
    """Each trip is emitted first with revision 0 and then with the next number; late trips cause some."""
    emitted = pq.read_table(shown.out / "stations", columns=["trip", "revision"]).to_pandas()
    revisions = emitted.sort_values(["trip", "revision"]).groupby("trip")["revision"].apply(list)
    assert all(numbers == list(range(len(numbers))) for numbers in revisions)
    assert (revisions.apply(len) > 1).any()


def test_the_city_is_final(shown: Shown) -> None:
    """For the city each trip is emitted once: with the results of a frame of all that were in time, or as late."""
    emitted = pq.read_table(shown.out / "city")
    late = {trip for trip, why in zip(emitted["trip"].to_pylist(), emitted["late"].to_pylist(), strict=True) if why}
    assert len(late) == 1  # the one in ten thousand that is found days later
    in_time = [trip not in late for trip in range(TRIPS)]
    expected = at_rest(pipeline.CITY.plan, shown.trips.filter(pa.array(in_time)))
    assert emitted.num_rows == TRIPS
    assert results_of(emitted.filter(emitted["late"].is_null()), pipeline.CITY.plan) == expected


def test_three_lines_and_where_the_report_is(shown: Shown) -> None:
    """The stream, that its results are right, how fast; then the report."""
    first, second, third, last = shown.printed.splitlines()
    assert first.startswith("6,000 synthetic bike trips to 300 stations")
    assert "all those of sash.rolling" in second
    assert "as a batch of 1,000 trips" in third
    assert last == f"Report: {shown.out / 'report.html'}"


def test_the_report_has_all_charts(shown: Shown) -> None:
    """Results of both streams, what late trips changed, batches, disorder, bulks and Spark's own windows."""
    page = (shown.out / "report.html").read_text()
    names = ("results-stations", "revised-stations", "results-city", "throughput", "seconds", "disorder", "bulks")
    for name in (*names, "sizes", "evictions", "compared"):
        assert f'id="{name}"' in page
    assert "a storm: nobody rides" in page


def test_a_wrong_result_stops_the_report(shown: Shown) -> None:
    """The demonstration compares every result before it prints one: a single wrong one is named."""
    right = results.read(shown.out, TRIPS)
    assert results.check(right, shown.trips) == 18 * TRIPS + 15 * (TRIPS - 1)
    wrong = right.last.copy()
    wrong.loc[1234, "bikes_1h"] += 1
    with pytest.raises(AssertionError, match="bikes_1h of trip 1234 must be"):
        results.check(dataclasses.replace(right, last=wrong), shown.trips)
    with pytest.raises(AssertionError, match="6,000 trips went in and 5,999 came out"):
        results.check(dataclasses.replace(right, last=right.last[:-1]), shown.trips)


def test_a_spark_that_fails_says_so_in_a_line(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """No traceback of ours: the first line of Spark's own error, and where the rest of it is."""
    from sash.spark.session import SparkFailure

    def fail(*arguments: Any) -> None:
        raise SparkFailure("Python worker failed to connect back.\n=== Streaming Query ===")

    monkeypatch.setattr(pipeline, "run", fail)
    with pytest.raises(SystemExit) as left:
        show.show(tmp_path, 1_000, 1, Console(file=io.StringIO()), session=object())  # type: ignore[arg-type]
    assert left.value.code == (
        f"Spark failed: Python worker failed to connect back. What it printed is in {tmp_path / 'spark.log'}"
    )
