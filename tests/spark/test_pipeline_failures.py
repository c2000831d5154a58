"""What `sash run` says when Spark, its connectors or Kafka are not there: a line with the way out."""

from __future__ import annotations

import socket
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

pytest.importorskip("pyspark")

import pyspark
from py4j.protocol import Py4JNetworkError

from sash.errors import PipelineError, SashError
from sash.pipeline.config import load
from sash.pipeline.parts import Pipeline
from sash.pipeline.progress import Progress
from sash.pipeline.stop import Stop
from sash.spark.pipeline import run_spark
from sash.spark.pipeline.failures import not_started, restated
from tests.pipeline.sample import COLUMNS, pipeline


@pytest.fixture
def server() -> Iterator[str]:
    """The address of something that takes connections."""
    with socket.create_server(("127.0.0.1", 0)) as listening:
        yield f"127.0.0.1:{listening.getsockname()[1]}"


def from_kafka(folder: Path, server: str) -> Pipeline:
    """A pipeline whose source is Kafka."""
    source = f'format = "kafka"\nservers = "{server}"\ntopic = "payments"\ncolumns = {COLUMNS}'
    return load(pipeline(folder, source, more='emit = "update"\nlateness = "1h"'))


def said(error: Exception) -> str:
    """What a reader sees."""
    assert isinstance(error, SashError)
    assert "\n" not in str(error)
    return str(error)


def test_a_connector_that_is_missing(server: str, spark: Any, tmp_path: Path) -> None:
    """Its coordinates are named, with the version of this Spark."""
    with pytest.raises(PipelineError) as caught:
        run_spark(from_kafka(tmp_path, server), Progress(), Stop(), once=True, session=spark)
    coordinates = f"org.apache.spark:spark-sql-kafka-0-10_2.13:{pyspark.__version__}"
    assert f'run.packages: this Spark has no connector for kafka: write packages = ["{coordinates}"]' in said(
        caught.value
    )


def test_a_broker_that_does_not_answer(tmp_path: Path) -> None:
    """It is named before Spark starts, with its line."""
    with socket.socket() as closed:
        closed.bind(("127.0.0.1", 0))
        server = f"127.0.0.1:{closed.getsockname()[1]}"
        with pytest.raises(PipelineError) as caught:
            run_spark(from_kafka(tmp_path, server), Progress(), Stop(), once=True)
    assert said(caught.value) == (f"pipeline.toml:3: source.servers: no broker answers at {server}: Connection refused")


def test_one_broker_that_answers_is_enough(server: str, spark: Any, tmp_path: Path) -> None:
    """The others may be down: Kafka finds them by itself."""
    with pytest.raises(PipelineError, match=r"run\.packages"):
        run_spark(from_kafka(tmp_path, f"127.0.0.1:1, {server}"), Progress(), Stop(), once=True, session=spark)


def test_a_package_that_is_not_found(tmp_path: Path) -> None:
    """Spark prints pages, and Java's exit is all that Python hears of it."""
    log = tmp_path / "spark.log"
    log.write_text(
        "java.lang.RuntimeException: [unresolved dependency: org.apache.spark#spark-x_2.13;9.9: not found]\n"
    )
    words = said(not_started(RuntimeError("Java gateway process exited"), from_kafka(tmp_path, "x:1"), log))
    assert "run.packages: org.apache.spark:spark-x_2.13:9.9 was not found: name a version that is there" in words


def test_java_that_has_ended(tmp_path: Path) -> None:
    """The log is where the reason is."""
    words = said(restated(Py4JNetworkError("Answer from Java side is empty"), from_kafka(tmp_path, "x:1"), Path("log")))
    assert words == "Java, in which Spark runs, has ended: what it printed is in log"
