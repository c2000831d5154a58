"""Pipelines on Spark: the results of the local engine, streams that go on where they were stopped, garbage aside."""

from __future__ import annotations

import json
import re
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest

pytest.importorskip("pyspark")

import pyarrow.parquet as pq

import sash
from sash.pipeline.config import load
from sash.pipeline.local import run_local
from sash.pipeline.progress import Batch, Progress
from sash.pipeline.stop import Stop
from sash.spark.pipeline import run_spark
from tests.pipeline.sample import COLUMNS, as_json, payments, pipeline, table, write

ROWS = payments()
SOURCES = {
    "parquet": 'format = "parquet"\npath = "payments.parquet"',
    "csv": f'format = "csv"\npath = "payments.csv"\ncolumns = {COLUMNS}',
    "json": 'format = "json"\npath = "payments.jsonl"',
    "parquet, read as other types": 'format = "parquet"\npath = "payments.parquet"\ncolumns = {amount = "float"}',
}
WATCHED = f'format = "json"\npath = "in"\nwatch = true\nmax_files = 1\ncolumns = {COLUMNS}'


def run(file: Path, spark: Any, progress: Progress | None = None, stop: Stop | None = None) -> Progress:
    """Run a pipeline file on the session of the tests; a stream until it has read what is there."""
    progress = progress or Progress()
    found = load(file, engine="spark")
    found.folder.mkdir(exist_ok=True)
    run_spark(found, progress, Stop() if stop is None else stop, once=stop is None, session=spark)
    return progress


def rows_of(folder: Path) -> list[dict[str, Any]]:
    """Results by time, without what the reader of Parquet makes of zones."""
    return sorted(pq.read_table(folder).to_pylist(), key=lambda row: row["time"].timestamp())


def letters_of(folder: Path) -> list[dict[str, str]]:
    """Dead letters by reason."""
    lines = [line for part in folder.glob("part-*") for line in part.read_text().splitlines()]
    return sorted((json.loads(line) for line in lines), key=lambda letter: str(letter["reason"]))


@pytest.mark.parametrize("kind", SOURCES)
def test_a_batch_gives_what_the_local_engine_gives(kind: str, spark: Any, tmp_path: Path) -> None:
    """The same file, the same results, and the same bad records for the same reasons."""
    spark.conf.set("spark.sql.parquet.outputTimestampType", "TIMESTAMP_MICROS")
    write(tmp_path, ROWS)
    file = pipeline(tmp_path, SOURCES[kind])
    here = Progress()
    run_local(load(file), here, Stop())
    expected = rows_of(tmp_path / "results"), letters_of(tmp_path / "run/dead-letters")
    there = run(file, spark)
    assert (rows_of(tmp_path / "results"), letters_of(tmp_path / "run/dead-letters")) == expected
    counts = [(one.totals.rows, one.totals.results, one.totals.dead) for one in (here, there)]
    assert counts[0] == counts[1]


def arrive(folder: Path, number: int, lines: list[str]) -> None:
    """Another file in the watched folder."""
    (folder / "in").mkdir(exist_ok=True)
    (folder / "in" / f"{number}.jsonl").write_text("\n".join(lines) + "\n")


def last_revisions(folder: Path) -> list[dict[str, Any]]:
    """The read-side view of results that are revised: of each row, the last."""
    last: dict[Any, dict[str, Any]] = {}
    for row in sorted(pq.read_table(folder).to_pylist(), key=lambda row: row["revision"]):
        last[row["time"].timestamp()] = row
    return [{name: value for name, value in row.items() if name not in ("time", "revision")} for row in last.values()]


def at_rest() -> list[dict[str, Any]]:
    """What all rows together give."""
    file_plan = sash.Plan(
        by="card",
        on="time",
        windows=["10m", "1h"],
        aggregations={
            "count": sash.Count(),
            "spent": sash.Sum("amount"),
            "best": sash.ArgMax("amount", "shop"),
            "shops": sash.Concat("shop", separator=" "),
        },
    )
    return sash.rolling(table(ROWS), file_plan).drop_columns("time").to_pylist()  # type: ignore[no-any-return]


def by_all(rows: list[dict[str, Any]]) -> list[str]:
    return sorted(json.dumps(row, sort_keys=True) for row in rows)


class StopsAfterOne(Progress):
    """Asks to stop when a batch is done."""

    def __init__(self, stop: Stop) -> None:
        super().__init__()
        self._stop = stop

    def show(self, batch: Batch) -> None:
        self._stop.ask(2)


def test_a_watched_folder_that_is_stopped_loses_nothing(spark: Any, tmp_path: Path) -> None:
    """A signal between or within batches stops both queries; run again, the rest follows, exactly once."""
    lines = as_json(ROWS)
    for number, start in enumerate(range(0, 60, 20)):
        arrive(tmp_path, number, lines[start : start + 20])
    # Files of one millisecond are read in any order: nothing may be late, whichever comes first.
    file = pipeline(tmp_path, WATCHED, more='emit = "update"\nlateness = "2h"')
    stop = Stop()
    run(file, spark, StopsAfterOne(stop), stop)
    assert not spark.streams.active
    run(file, spark)
    assert by_all(last_revisions(tmp_path / "results")) == by_all(at_rest())


def test_a_watched_folder_goes_on_where_it_was(spark: Any, tmp_path: Path) -> None:
    """Run, add a file, run again: nothing twice, nothing lost, garbage aside, and the last revisions are exact."""
    lines = as_json(ROWS)
    arrive(tmp_path, 1, [*lines[:20], "{garbage"])
    # Files of one millisecond are read in any order: nothing may be late, whichever comes first.
    file = pipeline(tmp_path, WATCHED, more='emit = "update"\nlateness = "2h"')
    first = run(file, spark)
    assert (first.totals.rows, first.totals.dead) == (21, 1)
    arrive(tmp_path, 2, [*lines[20:], '{"card": "a"}'])
    second = run(file, spark)
    assert (second.totals.rows, second.totals.dead) == (41, 1)
    assert by_all(last_revisions(tmp_path / "results")) == by_all(at_rest())
    assert [letter["reason"][:14].rstrip() for letter in letters_of(tmp_path / "run/dead-letters")] == [
        'column "time"',
        "it is not JSON",
    ]


def test_a_run_that_was_killed_in_its_first_write_begins_again(spark: Any, tmp_path: Path) -> None:
    """What is half written of the first offsets stands in nobody's way."""
    spark.conf.set("spark.sql.streaming.verifyCheckpointDirectoryEmptyOnStart", "true")
    arrive(tmp_path, 1, as_json(ROWS))
    offsets = tmp_path / "run/checkpoint/results/offsets"
    offsets.mkdir(parents=True)
    (offsets / ".0.e2e7a8f0-6a8e-4c0e-9d0b-0d5a4d1f3c11.tmp").write_text("v1")
    run(pipeline(tmp_path, WATCHED, more='emit = "update"\nlateness = "2h"'), spark)
    assert by_all(last_revisions(tmp_path / "results")) == by_all(at_rest())


@pytest.mark.parametrize("kind", ["csv", "json"])
def test_times_in_text_keep_their_microseconds(kind: str, spark: Any, tmp_path: Path) -> None:
    """As the local engine writes them: two rows of one millisecond stay two."""
    rows = payments(2)
    rows[1]["time"] = rows[0]["time"] + timedelta(microseconds=1)
    write(tmp_path, rows, bad=False)
    run(pipeline(tmp_path, SOURCES["parquet"], rest=f'[sink]\nformat = "{kind}"\npath = "results"\n'), spark)
    text = "".join(part.read_text() for part in (tmp_path / "results").glob("part-*"))
    assert re.findall(r"T[\d:.]+Z", text) == ["T12:00:00.000000Z", "T12:00:00.000001Z"]


def test_a_function_gives_a_dataframe(spark: Any, tmp_path: Path) -> None:
    """On Spark it takes the session."""
    write(tmp_path, ROWS)
    parquet = str(tmp_path / "payments.parquet")
    (tmp_path / "spark_rows.py").write_text(f"def rows(spark):\n  return spark.read.parquet({parquet!r})\n")
    run(pipeline(tmp_path, 'format = "python"\nfunction = "spark_rows:rows"'), spark)
    results = [{name: value for name, value in row.items() if name != "time"} for row in rows_of(tmp_path / "results")]
    assert by_all(results) == by_all(at_rest())
