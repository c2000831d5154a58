"""Pipelines in this process: files in, files out, bad records aside."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

pytest.importorskip("pyarrow")

import pyarrow as pa
import pyarrow.csv as pa_csv
import pyarrow.parquet as pq

import sash
from sash.errors import PipelineError
from sash.pipeline.config import load
from sash.pipeline.local import run_local
from sash.pipeline.progress import BATCHES, Progress
from sash.pipeline.runner import RUN, Options, run
from sash.pipeline.stop import Stop, Stopped
from tests.pipeline.sample import COLUMNS, payments, pipeline, table, write

QUIET = Options(log="quiet")
ROWS = payments()
SOURCES = {
    "parquet": 'format = "parquet"\npath = "payments.parquet"',
    "csv": f'format = "csv"\npath = "payments.csv"\ncolumns = {COLUMNS}',
    "json": f'format = "json"\npath = "payments.jsonl"\ncolumns = {COLUMNS}',
    "csv, guessed": 'format = "csv"\npath = "payments.csv"',
    "json, guessed": 'format = "json"\npath = "payments.jsonl"',
}
REASONS = {
    "csv": ["it has not the 4 fields of the header", 'column "amount"', 'column "time" has no time'],
    "json": ["it is not JSON", "it is not UTF-8", 'column "amount"', 'column "time" has no time', 'column "shop"'],
}


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A folder with the payments in all formats."""
    write(tmp_path, ROWS)
    return tmp_path


def test_expressions_of_a_plan_are_in_the_results(folder: Path) -> None:
    """Written as text; one that is wrong is named at its key."""
    file = pipeline(folder, SOURCES["csv"])
    text = file.read_text()
    file.write_text(f'{text}\n[plan.expressions]\nhalf = "amount / 2"\n')
    run(load(file), QUIET)
    rows = pq.read_table(folder / "results").to_pylist()
    assert rows
    assert all(row["half"] == (None if row["amount"] is None else row["amount"] / 2) for row in rows)
    file.write_text(f'{text}\n[plan.expressions]\nhalf = "amount ** 2"\n')
    with pytest.raises(PipelineError, match=r"plan\.expressions\.half: 'amount \*\* 2' is no expression"):
        load(file)


def expected(file: Path) -> pa.Table:
    """What `sash.rolling` gives for the rows that are right."""
    return sash.rolling(table(ROWS), load(file).plan)


@pytest.mark.parametrize("source", SOURCES)
def test_results_are_those_of_rolling(source: str, folder: Path) -> None:
    """Every format gives the rows that `sash.rolling` gives for the right records, in their order."""
    file = pipeline(folder, SOURCES[source])
    totals = run(load(file), QUIET)
    assert pq.read_table(folder / "results").to_pylist() == expected(file).to_pylist()
    bad = {"parquet": 0, "csv": 3, "json": 5}[source.split(",")[0]]
    assert (totals.rows, totals.results, totals.dead) == (len(ROWS) + bad, len(ROWS), bad)


@pytest.mark.parametrize("kind", ["csv", "json"])
def test_bad_records_are_set_aside_with_their_reasons(kind: str, folder: Path) -> None:
    """A record that cannot be read stops nothing, and says why it is where it is."""
    run(load(pipeline(folder, SOURCES[kind])), QUIET)
    letters = [json.loads(line) for line in (folder / "run/dead-letters/part-00000.jsonl").read_text().splitlines()]
    assert [letter["reason"].split(":")[0] for letter in letters] == REASONS[kind]
    assert {"half", "{half"} & {letter["record"] for letter in letters}


def test_a_line_of_csv_that_is_no_utf_8_is_set_aside(folder: Path) -> None:
    """As one of JSON is: an old export of a spreadsheet has such lines among others."""
    lines = (folder / "payments.csv").read_bytes()
    (folder / "payments.csv").write_bytes(lines + b"2024-05-01T12:00:00Z,a,1,caf\xe9\n")
    totals = run(load(pipeline(folder, SOURCES["csv"])), QUIET)
    assert (totals.results, totals.dead) == (len(ROWS), 4)
    letters = (folder / "run/dead-letters/part-00000.jsonl").read_text()
    assert json.loads(letters.splitlines()[1])["reason"] == 'column "shop" is not UTF-8: byte 4 is 0xe9'


@pytest.mark.parametrize("kind", ["csv", "json"])
def test_results_as_text(kind: str, folder: Path) -> None:
    """CSV and JSON lines hold the same results as Parquet."""
    file = pipeline(folder, SOURCES["parquet"], rest=f'[sink]\nformat = "{kind}"\npath = "results"\n')
    run(load(file), QUIET)
    spent = expected(file)["spent_1h"].to_pylist()
    part = next((folder / "results").iterdir())
    if kind == "csv":
        assert pa_csv.read_csv(part)["spent_1h"].to_pylist() == spent
    else:
        assert [json.loads(line)["spent_1h"] for line in part.read_text().splitlines()] == spent


def test_update_is_the_last_revision_at_once(folder: Path) -> None:
    """All rows are one batch: what a stream would revise in the end is emitted once, as revision 0."""
    file = pipeline(folder, SOURCES["parquet"], more='emit = "update"\nlateness = "1h"')
    run(load(file), QUIET)
    results = pq.read_table(folder / "results")
    assert set(results["revision"].to_pylist()) == {0}
    final = sash.rolling(table(ROWS), sash.Plan(**load(file).plan._parts() | {"emit": "final"}))
    assert results.drop_columns("revision").to_pylist() == final.to_pylist()


def test_arrival_is_what_was_known(folder: Path) -> None:
    """The order of the file is the order of arrival."""
    file = pipeline(folder, SOURCES["parquet"], more='emit = "arrival"')
    run(load(file), QUIET)
    assert pq.read_table(folder / "results").to_pylist() == expected(file).to_pylist()


def test_a_function_is_a_source(folder: Path) -> None:
    """A module beside the file gives frames, one or several."""
    code = "import pyarrow.parquet as pq\ndef rows():\n  t = pq.read_table({!r})\n  yield t[:9]\n  yield t[9:]\n"
    (folder / "my_rows.py").write_text(code.format(str(folder / "payments.parquet")))
    file = pipeline(folder, 'format = "python"\nfunction = "my_rows:rows"')
    run(load(file), QUIET)
    assert pq.read_table(folder / "results").to_pylist() == expected(file).to_pylist()


def test_rows_without_a_time_are_set_aside(folder: Path) -> None:
    """In Parquet the types are given; a time may still be missing."""
    rows = [ROWS[0], ROWS[1] | {"time": None}]
    pq.write_table(table(rows), folder / "payments.parquet")
    totals = run(load(pipeline(folder, SOURCES["parquet"])), QUIET)
    assert (totals.results, totals.dead) == (1, 1)


def test_a_second_run_replaces_the_first(folder: Path) -> None:
    """Running again gives the same results, not twice as many, and no dead letter of before."""
    file = pipeline(folder, SOURCES["csv"])
    run(load(file), QUIET)
    write(folder, ROWS[:20], bad=False)
    run(load(file), QUIET)
    assert pq.read_table(folder / "results").num_rows == 20
    assert (folder / "run/dead-letters/part-00000.jsonl").read_text() == ""
    assert len((folder / "run" / BATCHES).read_text().splitlines()) == 1


def test_work_of_others_is_not_deleted(folder: Path) -> None:
    """A folder that holds anything else is no place for results."""
    (folder / "results").mkdir()
    (folder / "results" / "thesis.txt").write_text("years of work")
    with pytest.raises(PipelineError, match=r"holds thesis\.txt, which no run has written"):
        run(load(pipeline(folder, SOURCES["csv"])), QUIET)
    assert (folder / "results" / "thesis.txt").exists()


class StopsAt(Progress):
    """Asks to stop when a stage begins."""

    def __init__(self, stop: Stop, stage: str) -> None:
        super().__init__()
        self._stop, self._stage = stop, stage

    def stage(self, words: str, total: int | None = None) -> None:
        if words.startswith(self._stage):
            self._stop.ask(15)


@pytest.mark.parametrize("stage", ["Reading", "Computing"])
def test_a_run_that_is_stopped_leaves_the_results_of_before(stage: str, folder: Path) -> None:
    """Results are replaced when all of the new ones are there, or not at all."""
    file = pipeline(folder, SOURCES["csv"])
    run(load(file), QUIET)
    before = pq.read_table(folder / "results")
    write(folder, ROWS[:5])
    stop = Stop()
    with pytest.raises(Stopped) as stopped:
        run_local(load(file), StopsAt(stop, stage), stop)
    assert stopped.value.code == 143
    assert pq.read_table(folder / "results") == before


def test_what_a_run_leaves(folder: Path) -> None:
    """The folder of a run has its numbers, its plan and a copy of its file; no options, which may hold a password."""
    source = SOURCES["parquet"] + '\noptions = {password = "secret"}'
    file = pipeline(folder, source)
    run(load(file), QUIET)
    left = json.loads((folder / "run" / RUN).read_text())
    assert left["totals"]["rows"] == len(ROWS)
    assert sash.Plan.from_toml(left["streams"][0]["plan"]) == load(file).plan
    assert "secret" not in (folder / "run" / RUN).read_text()


def test_several_files_are_one_source(folder: Path) -> None:
    """A folder and a pattern name all files in them, in the order of their names; hidden ones are none."""
    (folder / "in").mkdir()
    for number, part in enumerate((ROWS[:30], ROWS[30:])):
        pq.write_table(table(part), folder / "in" / f"{number}.parquet")
    (folder / "in" / "_SUCCESS").write_text("")
    results: list[Any] = []
    for path in ("in", "in/*.parquet"):
        run(load(pipeline(folder, f'format = "parquet"\npath = "{path}"')), QUIET)
        results.append(pq.read_table(folder / "results").to_pylist())
    assert results[0] == results[1] == expected(folder / "pipeline.toml").to_pylist()
