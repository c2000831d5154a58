"""Sessions with the settings that streams need."""

from __future__ import annotations

import os
import sys
from pathlib import Path
from typing import Final

from pyspark.sql import SparkSession

__all__ = ["SETTINGS", "configure", "local_session"]

_STORE: Final = "spark.sql.streaming.stateStore"
#: The state of a stream lies in RocksDB, which writes what a batch changed, and counts nothing that nobody reads.
SETTINGS: Final = {
    f"{_STORE}.providerClass": "org.apache.spark.sql.execution.streaming.state.RocksDBStateStoreProvider",
    f"{_STORE}.rocksdb.changelogCheckpointing.enabled": "true",
    f"{_STORE}.rocksdb.trackTotalNumberOfRows": "false",
}
_LOCAL: Final = {
    "spark.driver.bindAddress": "127.0.0.1",
    "spark.driver.host": "127.0.0.1",
    "spark.driver.memory": "2g",
    "spark.sql.session.timeZone": "UTC",
    "spark.sql.shuffle.partitions": "2",
    "spark.ui.enabled": "false",
    "spark.ui.showConsoleProgress": "false",
}


def configure(builder: SparkSession.Builder) -> SparkSession.Builder:
    """The builder, with the settings that `sash.spark.rolling` needs for streams.

    Python workers run the interpreter that runs this, unless PYSPARK_PYTHON names another. Cost: O(1).

    >>> from pyspark.sql import SparkSession
    >>> builder = configure(SparkSession.builder.appName("payments"))
    """
    os.environ.setdefault("PYSPARK_PYTHON", sys.executable)
    for name, value in SETTINGS.items():
        builder = builder.config(name, value)
    return builder


def local_session(name: str, log: Path, cores: int = 2) -> SparkSession:
    """A session on this machine alone, without a server. What Spark and its workers print goes to the file `log`.

    Spark's Java process hands on what its Python workers print, so all of it goes where the output of that process
    goes, which is settled when it starts: no session may be running yet. Cost: several seconds.
    """
    # A client of Spark Connect has neither, and needs no session of this kind.
    from pyspark import SparkConf, SparkContext
    from pyspark.java_gateway import launch_gateway

    os.environ.setdefault("PYSPARK_PYTHON", sys.executable)
    os.environ.setdefault("SPARK_LOCAL_IP", "127.0.0.1")
    conf = SparkConf().setMaster(f"local[{cores}]").setAppName(name).setAll([*SETTINGS.items(), *_LOCAL.items()])
    with log.open("ab") as file:
        gateway = launch_gateway(conf, {"stdout": file, "stderr": file})  # type: ignore[no-untyped-call]
    return SparkSession(SparkContext(conf=conf, gateway=gateway))
