"""Exactly once: whatever dies, the output is that of the run that nothing disturbed."""

from __future__ import annotations

import os
import random
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

pytest.importorskip("pyspark", reason="needs PySpark: pip install 'sash[spark]'")

from pyspark import TaskContext

import sash.spark
from sash.spark.stream import pipeline
from sash.spark.stream.processor import BucketProcessor
from tests.spark.fault_job import plan_of
from tests.spark.streams import batches, by_row, expected, random_rows
from tests.spark.test_stream import stream_of, write_files

JOB = Path(__file__).with_name("fault_job.py")
#: How many faults a slow test waits for.
FAULTS = int(os.environ.get("SASH_TEST_FAULTS", "20"))


def start(folder: Path, mode: str, emit: str) -> subprocess.Popen[bytes]:
    """The job, in a process group of its own."""
    (folder / "faults").mkdir(exist_ok=True)
    (folder / "running").unlink(missing_ok=True)
    return subprocess.Popen(
        [sys.executable, str(JOB), str(folder), mode, emit],
        env=os.environ | {"SASH_FAULTS": str(folder / "faults"), "PYSPARK_PYTHON": sys.executable},
        stdout=subprocess.DEVNULL,
        stderr=(folder / "log").open("ab"),
        start_new_session=True,
    )


def kill(job: subprocess.Popen[bytes]) -> None:
    """Driver, JVM and workers, at once and without a word."""
    os.killpg(job.pid, signal.SIGKILL)
    job.wait()


def finished(folder: Path, job: subprocess.Popen[bytes], seconds: float) -> bool:
    """Wait for the end of the job, so long at most."""
    until = time.monotonic() + seconds
    while time.monotonic() < until and job.poll() is None:
        time.sleep(0.1)
    return (folder / "done").exists()


def check(spark: Any, folder: Path, table: Any, emit: str) -> None:
    """No row is missing, none is there twice, and each has its result."""
    results = spark.read.parquet(str(folder / "out")).where("row >= 0").toArrow()
    plan = plan_of(emit)
    if emit == "update":
        rows = list(zip(results.column("row").to_pylist(), results.column("revision").to_pylist(), strict=True))
        assert len(set(rows)) == len(rows)
        results = results.sort_by([("row", "ascending"), ("revision", "ascending")])
    else:
        assert sorted(results.column("row").to_pylist()) == list(range(table.num_rows))
    assert by_row(results, list(plan.outputs)) == expected(table, plan)


def run_killed(folder: Path, emit: str, kills: int, rng: random.Random) -> int:
    """Run the job to its end, killing it at random moments; how often it was killed."""
    done = 0
    while True:
        job = start(folder, "plain", emit)
        while not (folder / "running").exists() and job.poll() is None:
            time.sleep(0.05)
        if finished(folder, job, rng.uniform(0.5, 12.0) if done < kills else 600.0):
            kill(job)
            return done
        assert job.poll() is None, (folder / "log").read_text()[-3000:]
        kill(job)
        done += 1


def fails_once(marks: Path) -> type[BucketProcessor]:
    """A processor that fails after it has written state and emitted results: in the first attempt at a task, in one
    bucket or another.

    A local class, so that it travels to the workers by value: they cannot import this module.
    """

    class FailsOnce(BucketProcessor):
        def handleInputRows(self, key: Any, rows: Any, timerValues: Any) -> Any:  # noqa: N802, N803
            results = list(super().handleInputRows(key, rows, timerValues))
            if TaskContext.get().attemptNumber() == 0 and random.random() < 0.7:
                (marks / f"{key[0]}-{timerValues.getCurrentWatermarkInMs()}").touch()
                raise RuntimeError("a failure, for the test")
            return iter(results)

    return FailsOnce


def test_failed_attempts_leave_no_trace(spark: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Tasks fail after they have written state and emitted results; another attempt begins from the state before."""
    table = random_rows(random.Random(7), 800)
    write_files(tmp_path / "in", batches(table, 2))
    (tmp_path / "faults").mkdir()
    monkeypatch.setattr(pipeline, "BucketProcessor", fails_once(tmp_path / "faults"))
    stream = sash.spark.rolling(stream_of(spark, tmp_path / "in"), plan_of("final"), buckets=4)
    writer = stream.writeStream.format("parquet").option("path", str(tmp_path / "out"))
    writer.option("checkpointLocation", str(tmp_path / "c")).trigger(availableNow=True).start().awaitTermination()
    assert list((tmp_path / "faults").iterdir()), "no failure was injected"
    check(spark, tmp_path, table, "final")


def until_enough(spark: Any, tmp_path: Path, emit: str, disturbed: Callable[[Path, random.Random], int]) -> None:
    """Long streams, each disturbed so often as the function says, until there were enough faults."""
    rng = random.Random(emit)
    faults = 0
    for attempt in range(10):
        folder = tmp_path / str(attempt)
        folder.mkdir()
        table = random_rows(rng, 4_000)
        write_files(folder / "in", batches(table, 20))
        faults += disturbed(folder, rng)
        check(spark, folder, table, emit)
        if faults >= FAULTS:
            return
    raise AssertionError(f"{faults} faults in ten streams")


@pytest.mark.slow
@pytest.mark.parametrize("emit", ["final", "update"])
def test_kills(spark: Any, tmp_path: Path, emit: str) -> None:
    """kill -9 of the driver with all its workers, at random moments of a stream into Parquet."""
    until_enough(spark, tmp_path, emit, lambda folder, rng: run_killed(folder, emit, min(10, FAULTS), rng))


@pytest.mark.slow
@pytest.mark.parametrize("emit", ["final", "update"])
def test_killed_workers(spark: Any, tmp_path: Path, emit: str) -> None:
    """kill -9 of Python workers at random moments; Spark tries their tasks again."""

    def killed(folder: Path, rng: random.Random) -> int:
        job = start(folder, "workers", emit)
        assert finished(folder, job, 600), (folder / "log").read_text()[-3000:]
        return len(list((folder / "faults").iterdir()))

    until_enough(spark, tmp_path, emit, killed)
