"""`sash init`, `sash run`, `sash explain`, `sash doctor` and `sash bench`, as one types them."""

from __future__ import annotations

import json
import subprocess
import sys
import urllib.request
from pathlib import Path

import pytest

pytest.importorskip("pyarrow")
pytest.importorskip("typer")

import pyarrow.parquet as pq
from typer.testing import CliRunner, Result

from sash.commands.app import app
from sash.pipeline.metrics import exposed
from sash.pipeline.progress import Batch, JsonLines, Plain, Totals
from tests.pipeline.sample import PLAN, payments, pipeline, write


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The folder in which commands are typed, with payments in it."""
    write(tmp_path, payments(40))
    monkeypatch.chdir(tmp_path)
    return tmp_path


def sash_(*arguments: str) -> Result:
    """Run the command line."""
    return CliRunner().invoke(app, list(arguments))


@pytest.mark.parametrize("name", ["payments.parquet", "payments.csv", "payments.jsonl"])
def test_from_a_file_to_results_without_python(name: str, folder: Path) -> None:
    """`sash init FILE` guesses columns, time and key; `sash run` runs what it wrote."""
    assert sash_("init", name).exit_code == 0
    assert sash_("run", "pipeline.toml", "--check").output == "pipeline.toml is right: 6 columns, engine local\n"
    done = sash_("run", "pipeline.toml", "--log", "quiet", "--no-report")
    assert done.exit_code == 0, done.output
    assert "40 results out" in done.output
    results = pq.read_table(folder / "results")
    assert {"count_10m", "amount_mean_1h", "amount_max_10m"} <= set(results.column_names)


def test_init_overwrites_nothing(folder: Path) -> None:
    """A file that is there stays."""
    (folder / "pipeline.toml").write_text("mine")
    done = sash_("init")
    assert done.exit_code == 2
    assert "is there already" in done.output
    assert (folder / "pipeline.toml").read_text() == "mine"


def test_a_semicolon_is_seen(folder: Path) -> None:
    """The delimiter of a CSV file is guessed from its header."""
    (folder / "eu.csv").write_text("ts;sensor;value\n2024-01-01 00:00:00;a;1.5\n2024-01-01 00:01:00;a;2.5\n")
    assert sash_("init", "eu.csv").exit_code == 0
    assert sash_("run", "pipeline.toml", "--log", "quiet", "--no-report").exit_code == 0
    assert pq.read_table(folder / "results")["value_mean_10m"].to_pylist() == [1.5, 2.0]


def test_a_wrong_file_is_exit_code_2(folder: Path) -> None:
    """The mistakes are all that is printed, without a traceback."""
    file = pipeline(folder, 'format = "cvs"')
    done = sash_("run", str(file))
    assert done.exit_code == 2
    assert 'pipeline.toml:2: source.format: "cvs"' in done.output
    assert "Traceback" not in done.output


def test_a_run_that_fails_is_exit_code_1(folder: Path) -> None:
    """A sum that does not fit says so, and in which column."""
    (folder / "big.csv").write_text(f"time,card,amount,shop\n1,a,{2**62},x\n2,a,{2**62},x\n")
    text = '[source]\nformat = "csv"\npath = "big.csv"\n[plan]\non = "time"\nwindows = 5\n'
    (folder / "pipeline.toml").write_text(text + "aggregations = {spent = 'Sum(\"amount\")'}\n")
    done = sash_("run", "pipeline.toml", "--log", "quiet")
    assert done.exit_code == 1
    assert "pipeline.toml failed" in done.output
    assert "spent_5" in done.output


def test_the_console_is_a_sink(folder: Path) -> None:
    """Without a sink the first results are printed."""
    file = folder / "pipeline.toml"
    file.write_text(f'[source]\nformat = "parquet"\npath = "payments.parquet"\n{PLAN.format(more="")}')
    done = sash_("run", str(file), "--log", "quiet", "--no-report")
    assert done.exit_code == 0
    assert "spent_10m" in done.output
    assert "and 20 rows more" in done.output


def test_a_process_that_is_terminated_stops_clean(folder: Path) -> None:
    """SIGTERM ends a run with the code of the signal, and no results are half written."""
    (folder / "slow.py").write_text(
        "import os, signal\ndef rows():\n  os.kill(os.getpid(), signal.SIGTERM)\n  return {'time': [1], 'x': [2]}\n"
    )
    text = '[source]\nformat = "python"\nfunction = "slow:rows"\n[plan]\non = "time"\nwindows = 5\n'
    sink = '[sink]\nformat = "json"\npath = "results"\n'
    (folder / "pipeline.toml").write_text(text + "aggregations = {n = 'Count()'}\n" + sink)
    command = [sys.executable, "-m", "sash", "run", "pipeline.toml"]
    done = subprocess.run(command, capture_output=True, text=True, check=False, cwd=folder)
    assert done.returncode == 143
    assert "stopped by SIGTERM: what was finished is kept; run it again to continue" in done.stderr
    assert not (folder / "results").exists()


def test_lines_where_there_is_no_terminal(folder: Path) -> None:
    """Progress goes to stderr, a line for each part, and the sum to stdout."""
    file = pipeline(folder, 'format = "csv"\npath = "payments.csv"')
    command = [sys.executable, "-m", "sash", "run", str(file), "--no-report"]
    done = subprocess.run(command, capture_output=True, text=True, check=True)
    assert done.stdout.startswith("43 rows in, 40 results out, 3 bad records set aside: ")
    assert [line.split()[0] for line in done.stderr.splitlines()] == ["Reading", "Computing", "Writing", "batch"]


def test_logs_as_json(folder: Path) -> None:
    """Each line is an object with a time and an event; a batch has its numbers."""
    file = pipeline(folder, 'format = "csv"\npath = "payments.csv"')
    command = [sys.executable, "-m", "sash", "run", str(file), "--log", "json", "--no-report"]
    done = subprocess.run(command, capture_output=True, text=True, check=True)
    events = [json.loads(line) for line in done.stderr.splitlines()]
    assert [event["event"] for event in events] == ["stage", "stage", "stage", "batch"]
    assert events[-1]["rows"] == 43


def test_numbers_for_prometheus() -> None:
    """The page has each number with its kind, and changes as batches end."""
    totals = Totals()
    with exposed(totals, "0") as port:
        totals.add(Batch(0, rows=7, results=5, late=2, lag=1.5))
        with urllib.request.urlopen(f"http://127.0.0.1:{port}/metrics") as answer:
            page = answer.read().decode()
    assert "# TYPE sash_rows_total counter\nsash_rows_total 7\n" in page
    assert "sash_lag_seconds 1.5\n" in page


def test_explain_says_what_runs_where(folder: Path) -> None:
    """A pipeline file and a plan are both explained."""
    file = pipeline(folder, 'format = "csv"\npath = "payments.csv"')
    assert "Runs in this process, all rows at once." in sash_("explain", str(file)).output
    (folder / "plan.toml").write_text('on = "t"\nwindows = "1h"\naggregations = {n = "Count()"}')
    assert "n_1h = Count(): int" in sash_("explain", "plan.toml").output
    (folder / "plan.toml").write_text("[source]\n")
    assert sash_("explain", "plan.toml").exit_code == 2


@pytest.mark.parametrize(("sink", "place"), [('table = "lake.spent"', "lake.spent"), ('path = "spent"', "spent")])
def test_explain_names_the_table(sink: str, place: str, folder: Path) -> None:
    """By its name, or by its folder."""
    rest = f'[sink]\nformat = "delta"\n{sink}\n'
    file = pipeline(folder, 'format = "parquet"\npath = "payments.parquet"', rest=rest)
    assert f"Writes delta: {place}." in sash_("explain", str(file)).output


def test_doctor_names_what_is_missing_and_how_to_get_it(monkeypatch: pytest.MonkeyPatch) -> None:
    """Each extra has a line; one that is missing has its command."""
    from sash import requirements

    monkeypatch.setattr(requirements, "find_spec", lambda name: None if name == "lmdb" else object())
    printed = sash_("doctor").output
    assert "no lmdb" in printed
    assert "pip install 'lmdb>=1.6'" in printed


def test_bench_measures_what_agrees() -> None:
    """Every way is there with a number of events a second."""
    printed = sash_("bench", "--rows", "1000", "--window", "10").output.splitlines()
    assert len(printed) == 7
    assert all(int(line.split()[-1].replace(",", "")) > 0 for line in printed[1:])


def test_help_names_every_command() -> None:
    """`sash --help` is where one begins."""
    printed = sash_("--help").output
    for name in ("init", "run", "explain", "report", "demo", "doctor", "bench"):
        assert name in printed


def test_progress_classes_write_lines(capsys: pytest.CaptureFixture[str]) -> None:
    """The same batch in words and as an object."""
    for kind in (Plain, JsonLines):
        kind(None, sys.stdout).batch(Batch(3, rows=10, seconds=0.5, late=1))
    words, shape = capsys.readouterr().out.splitlines()
    assert words == "batch 3: 10 rows in 0.5 s (20 a second), 0 results, 1 late"
    assert json.loads(shape)["late"] == 1
