"""Kafka to Kafka, through a real broker, with a pipeline that is killed again and again."""

from __future__ import annotations

import json
import os
import random
import signal
import subprocess
import sys
import time
from collections import Counter
from collections.abc import Iterator
from datetime import datetime, timedelta
from pathlib import Path
from typing import Any

import pytest

pytest.importorskip("pyspark", reason="needs PySpark: pip install 'sash[spark]'")
pytest.importorskip("confluent_kafka", reason="needs a Kafka client: pip install confluent-kafka")

import sash
from tests.pipeline.artifacts import fetch
from tests.pipeline.broker import broker, consume, make_topics, produce
from tests.pipeline.sample import COLUMNS, NOON, as_json, payments, pipeline, table

pytestmark = pytest.mark.slow

#: The connector and what Spark itself has not: not every version of each is everywhere, and these work together.
CONNECTOR = [
    "org.apache.spark:spark-sql-kafka-0-10_2.13:4.2.0",
    "org.apache.spark:spark-token-provider-kafka-0-10_2.13:4.0.0",
    "org.apache.kafka:kafka-clients:4.1.0",
    "org.apache.commons:commons-pool2:2.12.1",
]
KILLS = 10
#: A run is over before Java's second compiler pays.
SPARK = """\
"spark.driver.extraJavaOptions" = "-XX:TieredStopAtLevel=1 -XX:+UseSerialGC"
"spark.sql.codegen.wholeStage" = "false"
"spark.sql.shuffle.partitions" = 1
"""
GARBAGE = [
    b"{half",
    b"[]",
    b'{"card": "a"}',
    b"\xff\xfe",
    b'{"time": "soon", "card": "a", "amount": 1}',
    b'{"time": "2024-05-01T12:00:00Z", "card": "\\ud800", "amount": 1}',
]
AGGREGATIONS = {
    "count": sash.Count(),
    "spent": sash.Sum("amount"),
    "best": sash.ArgMax("amount", "shop"),
    "shops": sash.Concat("shop", separator=" "),
}
PLAN = sash.Plan(by="card", on="time", windows=["10m", "1h"], aggregations=AGGREGATIONS)


@pytest.fixture(scope="module")
def jars(tmp_path_factory: pytest.TempPathFactory) -> list[str]:
    """What Spark needs to read and write Kafka."""
    return [str(jar) for jar in fetch(tmp_path_factory.mktemp("connector"), CONNECTOR, alone=True)]


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """The address of a broker."""
    with broker(tmp_path_factory.mktemp("broker")) as address:
        yield address


def events(count: int) -> list[dict[str, Any]]:
    """Payments out of order; for every tenth, a duplicate comes later, and another that is a microsecond younger."""
    chance, rows = random.Random(7), payments(count)
    for row in rows[::10]:
        younger = row | {"time": row["time"] + timedelta(microseconds=1), "amount": 3}
        for more in (dict(row), younger):
            rows.insert(rows.index(row) + chance.randrange(1, 20), more)
    return rows


def with_garbage(rows: list[dict[str, Any]]) -> list[bytes]:
    """The records of a topic: each row, and between them what is none."""
    chance, lines = random.Random(3), [line.encode() for line in as_json(rows)]
    for garbage in GARBAGE:
        lines.insert(chance.randrange(len(lines)), garbage)
    return lines


def kafka_file(folder: Path, server: str, jars: list[str], emit: str) -> Path:
    """A pipeline from one topic to another, with bad records in a third."""
    source = f'format = "kafka"\nservers = "{server}"\ntopic = "{emit}-in"\ncolumns = {COLUMNS}\nmax_records = 10'
    sink = f'[sink]\nformat = "kafka"\nservers = "{server}"\ntopic = "{emit}-out"\n'
    run = f'[run]\nmaster = "local[2]"\ndead_letter_topic = "{emit}-bad"\njars = {json.dumps(jars)}\nbuckets = 2\n'
    run += f"[run.spark]\n{SPARK}"
    return pipeline(folder, source, more=f'emit = "{emit}"\nlateness = "2h"', rest=sink + run)


class Runs:
    """The runs of a pipeline file, one after another."""

    def __init__(self, file: Path) -> None:
        self._file = file
        self._log = file.parent / "out.log"

    def start(self, *options: str) -> subprocess.Popen[bytes]:
        """A run in a process group of its own."""
        command = [sys.executable, "-m", "sash", "run", str(self._file), "--no-report", "--log", "plain", *options]
        with self._log.open("ab") as log:
            return subprocess.Popen(command, stdout=log, stderr=log, start_new_session=True)

    def killed_after(self, batches: int, seconds: float, all_of_it: bool) -> None:
        """Start it; when so many batches have ended and then so many seconds, kill it, with or without Java and its
        workers."""
        before, running = self._reached(), self.start()
        while self._reached() < (before[0] + batches, before[1] + 1):
            assert running.poll() is None, self.output()
            time.sleep(0.1)
        time.sleep(seconds)
        if all_of_it:
            os.killpg(running.pid, signal.SIGKILL)
        running.kill()
        running.wait()

    def _reached(self) -> tuple[int, int]:
        """How many batches have ended and how many streams have begun, in all runs."""
        lines = self._log.read_text().splitlines() if self._log.exists() else []
        return sum(line.startswith("batch ") for line in lines), lines.count("Streaming")

    def finish(self) -> None:
        """Read what is left, to the end."""
        running = self.start("--once")
        try:
            assert running.wait(400) == 0, self.output()
        finally:
            running.kill()

    def output(self) -> str:
        """The end of what the runs have printed."""
        return self._log.read_text()[-3000:]


def as_text(row: dict[str, Any]) -> str:
    """A result, comparable: the names that have a value, without its revision."""
    kept = {name: value for name, value in row.items() if value is not None and name != "revision"}
    return json.dumps(kept | {"time": row["time"].isoformat()}, sort_keys=True)


def results(server: str, topic: str) -> list[tuple[bytes | None, str]]:
    """The records of a topic, with their keys, in their order."""
    rows = [(record.key, json.loads(record.value)) for record in consume(server, topic)]
    return [(key, as_text(row | {"time": datetime.fromisoformat(row["time"])})) for key, row in rows]


def check(server: str, emit: str, rows: list[dict[str, Any]]) -> None:
    """The topics have what the oracle has, and the garbage with its reasons. A record may be there twice."""
    found = results(server, f"{emit}-out")
    expected = Counter(as_text(row) for row in sash.rolling(table(rows), PLAN).to_pylist())
    if emit == "update":
        # What a compacted topic keeps: the last record of each key. Duplicates have one key, and the same results.
        assert set(dict(found).values()) == set(expected)
    else:
        assert {row for _, row in found} == set(expected)
        assert Counter(row for _, row in found) >= expected
    letters = [json.loads(record.value) for record in consume(server, f"{emit}-bad")]
    assert {letter["record"] for letter in letters} == {line.decode(errors="backslashreplace") for line in GARBAGE}
    assert all(letter["reason"] for letter in letters)


def end_of_time(rows: list[dict[str, Any]]) -> bytes:
    """A row that is so much younger that all others are final."""
    [line] = as_json([rows[0] | {"time": NOON + timedelta(days=30), "card": "z"}])
    return line.encode()


@pytest.mark.parametrize("emit", ["update", "final"])
def test_killed_ten_times(emit: str, server: str, jars: list[str], tmp_path: Path) -> None:
    """Out-of-order events, duplicates and garbage; kill -9, ten times, of all its processes or of the first alone, in
    the midst of batches: nothing is lost, and nothing is wrong."""
    rows, chance = events(300), random.Random(5)
    lines = with_garbage(rows)
    make_topics(server, [f"{emit}-in", f"{emit}-out", f"{emit}-bad"])
    runs = Runs(kafka_file(tmp_path, server, jars, emit))
    size = len(lines) // KILLS
    for number in range(KILLS):
        produce(server, f"{emit}-in", lines[number * size : (number + 1) * size])
        runs.killed_after(number % 2, chance.uniform(0, 3), all_of_it=number % 4 < 2)
    produce(server, f"{emit}-in", [*lines[KILLS * size :], *[end_of_time(rows)] * (emit == "final")])
    runs.finish()
    check(server, emit, rows)
