"""One Spark session for all tests: two cores on this machine, state in RocksDB."""

from __future__ import annotations

import os
import shutil
import sys
from collections.abc import Iterator
from typing import Any

import pytest

CONF = {
    "spark.sql.shuffle.partitions": "2",
    "spark.ui.enabled": "false",
    "spark.ui.showConsoleProgress": "false",
    "spark.driver.memory": "1g",
    # A session of tests is over before Java's second compiler pays, and two of them share the machine.
    "spark.driver.extraJavaOptions": "-XX:TieredStopAtLevel=1 -XX:+UseSerialGC",
    "spark.driver.host": "127.0.0.1",
    "spark.driver.bindAddress": "127.0.0.1",
    "spark.pyspark.python": sys.executable,
    "spark.pyspark.driver.python": sys.executable,
    "spark.sql.session.timeZone": "UTC",
    # Each query of the tests is new, and small: to compile it costs more than to run it.
    "spark.sql.codegen.wholeStage": "false",
}


def needs_java() -> None:
    """Skip where there is no Java, or no PySpark."""
    pytest.importorskip("pyspark", reason="needs PySpark: pip install 'sash[spark]'")
    if shutil.which("java") is None and not os.environ.get("JAVA_HOME"):
        pytest.skip("needs Java 17 or newer for Spark, and neither `java` nor JAVA_HOME is there")


def configured(builder: Any) -> Any:
    """The builder with what streams need, and what tests need beside it."""
    from sash.spark import configure

    for name, value in CONF.items():
        builder = builder.config(name, value)
    return configure(builder)


@pytest.fixture(scope="session")
def spark() -> Iterator[Any]:
    """A session on two cores, with the RocksDB state store as streams need it; a task may fail once."""
    needs_java()
    os.environ["PYSPARK_PYTHON"] = os.environ["PYSPARK_DRIVER_PYTHON"] = sys.executable
    os.environ["SPARK_LOCAL_IP"] = "127.0.0.1"
    from pyspark.sql import SparkSession

    session = configured(SparkSession.builder.master("local[2,2]").appName("sash-tests")).getOrCreate()
    session.sparkContext.setLogLevel("ERROR")
    yield session
    session.stop()
