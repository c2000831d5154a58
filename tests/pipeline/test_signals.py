"""Streams that are stopped by a signal, as processes of their own on Spark, and go on."""

from __future__ import annotations

import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

pytest.importorskip("pyspark", reason="needs PySpark: pip install 'sash[spark]'")

import pyarrow.parquet as pq

from sash.pipeline.stop import Stop, keeping_interrupts, signals
from tests.pipeline.sample import COLUMNS, as_json, payments, pipeline

ROWS = payments(40)
WATCHED = f'format = "json"\npath = "in"\nwatch = true\ncolumns = {COLUMNS}'


def test_a_session_that_takes_interrupts_gives_them_back() -> None:
    """PySpark sets a handler of its own when a session starts; a run must hear of Ctrl-C all the same."""
    with signals() as stop:
        with keeping_interrupts():
            signal.signal(signal.SIGINT, signal.SIG_IGN)
        signal.raise_signal(signal.SIGINT)
        assert isinstance(stop, Stop)
        assert stop.number == signal.SIGINT


def started(file: Path, *options: str) -> subprocess.Popen[str]:
    """A run of the command line."""
    command = [sys.executable, "-m", "sash", "run", str(file), "--no-report", "--log", "json", *options]
    return subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)


def arrive(folder: Path, number: int, lines: list[str]) -> None:
    (folder / "in").mkdir(exist_ok=True)
    (folder / "in" / f"{number}.jsonl").write_text("\n".join(lines) + "\n")


@pytest.mark.slow
@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_a_stream_that_is_stopped_ends_well_and_goes_on(number: signal.Signals, tmp_path: Path) -> None:
    """Exit code 0, what was done in a line, nothing but JSON in the log; run again, it reads the rest."""
    arrive(tmp_path, 1, as_json(ROWS[:30]))
    file = pipeline(tmp_path, WATCHED, more='emit = "update"\nlateness = "2h"', rest="[run]\nbuckets = 2\n")
    running = started(file)
    while not (tmp_path / "run/batches.jsonl").exists():
        assert running.poll() is None, running.communicate()
        time.sleep(0.2)
    running.send_signal(number)
    out, log = running.communicate(timeout=120)
    assert (running.returncode, out[:27]) == (0, "30 rows in, 30 results out:")
    assert all(line.startswith("{") for line in log.splitlines())
    arrive(tmp_path, 2, as_json(ROWS[30:]))
    out, log = started(file, "--once").communicate(timeout=300)
    assert out.startswith("10 rows in"), log
    first = pq.read_table(tmp_path / "results").to_pylist()
    assert sum(row["revision"] == 0 for row in first) == 40
