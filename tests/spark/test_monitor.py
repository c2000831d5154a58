"""What a stream shows of itself: reports, and the table of the last batches."""

from __future__ import annotations

import builtins
import random
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

pytest.importorskip("pyspark", reason="needs PySpark: pip install 'sash[spark]'")

from pyspark.sql import Row

import sash
import sash.spark
from sash.spark.stream.metrics import _IN_SPARK
from tests.spark.streams import random_rows
from tests.spark.test_stream import run, stream_of, write_files

NUMBERS = {name: place for place, name in enumerate(_IN_SPARK.values())}


def progress(number: int, observed: Any) -> dict[str, Any]:
    """What Spark says of a batch."""
    return {
        "id": "query",
        "batchId": number,
        "numInputRows": 300,
        "timestamp": "2024-01-01T00:00:15Z",
        "durationMs": {"triggerExecution": 250, "addBatch": 200},
        "eventTime": {"max": "2024-01-01T00:00:10Z", "watermark": "2024-01-01T00:00:00Z"},
        "observedMetrics": {"sash-1": observed},
    }


def test_a_report_is_read_through_connect_too() -> None:
    """There a row of metrics has its values and its schema as two fields."""
    names = {"fields": [{"name": name} for name in NUMBERS]}
    there = Row(values=list(NUMBERS.values()), schema=names)
    here = sash.spark.report_of(progress(0, Row(**NUMBERS)))
    assert here is not None
    assert (here.metrics.rows, here.metrics.state_rows, here.metrics.seconds) == (0, 7, 0.013)
    assert sash.spark.report_of(progress(0, there)) == here


def test_a_view_has_the_rows_of_a_query_through_connect_and_times_to_come() -> None:
    """Spark leaves the number of rows out there; the newest event may be ahead of the clock."""
    batch = progress(0, Row(**NUMBERS | {"numInputRows": 30})) | {"numInputRows": 0}
    batch["eventTime"] = {"max": "2024-01-01T01:00:15Z"}
    (line,) = sash.spark.monitor(SimpleNamespace(recentProgress=[batch])).lines
    assert (line[1], line[6], line[7]) == ("30", "-", "-3,600")


def test_metrics_have_the_names_of_spark_and_a_view_shows_them(spark: Any, tmp_path: Path) -> None:
    """Rows, rate, seconds, late rows, watermark, lag and state, batch by batch."""
    write_files(tmp_path / "in", [random_rows(random.Random(5), 30)])
    plan = sash.Plan(by="card", on="time", windows="10s", lateness="5s", aggregations={"n": sash.Count()})
    _, query = run(sash.spark.rolling(stream_of(spark, tmp_path / "in"), plan, buckets=2), tmp_path)
    (observed,) = query.recentProgress[0]["observedMetrics"].values()
    assert (observed["numInputRows"], observed["numRowsTotal"]) == (30, 30)
    view = sash.spark.monitor(query)
    assert [line[:2] for line in view.lines][:2] == [["0", "30"], ["1", "1"]]
    assert view.lines[0][8] == "30"
    assert str(view).splitlines()[0].split("  ")[-1] == "state bytes"
    assert "<td>30</td>" in view._repr_html_()


@pytest.mark.parametrize("rich", [True, False])
def test_a_view_is_followed_until_its_query_ends(monkeypatch: Any, capsys: Any, rich: bool) -> None:
    """In place with Rich; without it, each batch is a line, once."""
    real = builtins.__import__

    def imported(name: str, *rest: Any, **more: Any) -> Any:
        if not rich and name.startswith("rich"):
            raise ImportError(name)
        return real(name, *rest, **more)

    monkeypatch.setattr(builtins, "__import__", imported)
    monkeypatch.setattr("time.sleep", lambda seconds: None)
    done = [progress(number, Row(**NUMBERS)) for number in range(3)]

    class Query(SimpleNamespace):
        """One more batch at each look."""

        @property
        def isActive(self) -> bool:  # noqa: N802
            self.recentProgress = done[: len(self.recentProgress) + 1]
            return len(self.recentProgress) < 3

    sash.spark.monitor(Query(recentProgress=[])).follow()
    shown = capsys.readouterr().out
    assert shown.count("1,200") == 3
    assert "state bytes" in shown or rich


def test_times_of_day_are_columns_like_others(spark: Any, tmp_path: Path) -> None:
    """TIME in a batch: as a key, beside the results, and in them."""
    values = "(1L, time'10:30:00', 5), (2L, time'09:00:00', 7), (3L, time'10:30:00', 1)"
    rows = spark.sql(f"SELECT * FROM VALUES {values} AS t(at, clock, x)")
    plan = sash.Plan(by="clock", on="at", windows=10, aggregations={"n": sash.Sum("x"), "first": sash.First("clock")})
    found = sorted(sash.spark.rolling(rows, plan).collect())
    assert [(row.n_10, row.first_10 == row.clock) for row in found] == [(5, True), (7, True), (6, True)]
