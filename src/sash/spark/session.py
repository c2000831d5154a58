"""What a session needs: the settings of streams, and the package on executors that have none."""

from __future__ import annotations

import importlib
import os
import sys
import tempfile
import zipfile
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any, Final

from pyspark.sql import SparkSession

__all__ = ["SETTINGS", "archive", "configure", "local_session", "logged_session", "ship"]

_STORE: Final = "spark.sql.streaming.stateStore"
#: The state of a stream is in RocksDB, which writes what a batch changed, and counts nothing that nobody reads.
SETTINGS: Final = {
    f"{_STORE}.providerClass": "org.apache.spark.sql.execution.streaming.state.RocksDBStateStoreProvider",
    f"{_STORE}.rocksdb.changelogCheckpointing.enabled": "true",
    f"{_STORE}.rocksdb.trackTotalNumberOfRows": "false",
}
_LOCAL: Final = {
    "spark.driver.bindAddress": "127.0.0.1",
    "spark.driver.host": "127.0.0.1",
    "spark.driver.memory": "2g",
    "spark.sql.parquet.outputTimestampType": "TIMESTAMP_MICROS",
    "spark.sql.session.timeZone": "UTC",
    "spark.sql.shuffle.partitions": "2",
    "spark.ui.enabled": "false",
    "spark.ui.showConsoleProgress": "false",
}
#: Native modules cannot be imported out of an archive; Spark unpacks this one.
_NATIVE: Final = ("sash._core", "sash._batch")


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
    """A session on this machine alone, without a server, as `logged_session` makes it."""
    return logged_session(name, log, f"local[{cores}]", {})


def logged_session(name: str, log: Path, master: str, settings: Mapping[str, str]) -> SparkSession:
    """A session with the settings of streams and these. What Spark and its workers print goes to the file `log`.

    Spark's Java process hands on what its Python workers print, so all of it goes where the output of that process
    goes, which is settled when it starts: no session may be running yet. Cost: several seconds.
    """
    # A client of Spark Connect has neither, and needs no session of this kind.
    from pyspark import SparkConf, SparkContext
    from pyspark.java_gateway import launch_gateway

    os.environ.setdefault("PYSPARK_PYTHON", sys.executable)
    os.environ.setdefault("SPARK_LOCAL_IP", "127.0.0.1")
    local = _LOCAL if master.startswith("local") else {}
    conf = SparkConf().setMaster(master).setAppName(name)
    conf.setAll([*SETTINGS.items(), *local.items(), *settings.items()])
    with log.open("ab") as file:
        gateway = launch_gateway(conf, {"stdout": file, "stderr": file})  # type: ignore[no-untyped-call]
    return SparkSession(SparkContext(conf=conf, gateway=gateway))


def ship(spark: Any) -> None:
    """Make the package that is installed here reach every executor of the session, native modules included.

    Not needed where executors have Sash installed. They must have the same version of Python and the same platform as
    this process, and NumPy and PyArrow, which PySpark needs for Arrow anyway. Call it once, before the first job; it
    works for classic sessions and through Spark Connect. Cost: an archive of some megabytes, sent once an executor.

    >>> ship(getfixture("spark"))
    """
    # Spark unpacks an archive beside the files of the job, under the name behind the hash; that folder is on the path
    # of Python workers. So a folder `sash` with the package in it is all that is needed to import it.
    path = f"{archive(Path(tempfile.mkdtemp(prefix='sash-ship-')))}#sash"
    if hasattr(spark, "_jsparkSession"):
        spark.sparkContext.addArchive(path)
    else:
        spark.addArtifacts(path, archive=True)


def archive(folder: Path) -> Path:
    """The package as a zip file in the folder, whose root is the root of the package.

    >>> import tempfile
    >>> with tempfile.TemporaryDirectory() as folder, zipfile.ZipFile(archive(Path(folder))) as made:
    ...     {"__init__.py", "plan.py", "spark/session.py"} <= set(made.namelist())
    True
    """
    path = folder / "sash.zip"
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as made:
        for name, file in sorted(_files()):
            made.write(file, name)
    return path


def _files() -> Iterator[tuple[str, Path]]:
    """The parts of the package by their names in it. An editable install has them in several places."""
    import sash

    assert sash.__file__ is not None
    root = Path(sash.__file__).parent
    for file in root.rglob("*.py"):
        yield file.relative_to(root).as_posix(), file
    for module in _NATIVE:
        file = Path(str(importlib.import_module(module).__file__))
        yield file.name, file
