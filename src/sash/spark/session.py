"""What a session needs: the settings of streams, and the package on executors that have none."""

from __future__ import annotations

import importlib
import os
import re
import socket
import sys
import tempfile
import warnings
import zipfile
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any, Final, TypeVar

from pyspark.errors import PySparkException
from pyspark.sql import SparkSession

from sash.errors import PlanError

__all__ = [
    "BUCKETS",
    "PARTITIONS",
    "SETTINGS",
    "SparkFailure",
    "archive",
    "buckets_for",
    "check_session",
    "configure",
    "logged_session",
    "partitions_of",
    "python_of_workers",
    "ship",
]

#: What a job or a stream on Spark fails of.
SparkFailure = PySparkException

Session = TypeVar("Session", bound=Any)

_STORE: Final = "spark.sql.streaming.stateStore"
_PROVIDER: Final = f"{_STORE}.providerClass"
_ROCKSDB: Final = "org.apache.spark.sql.execution.streaming.state.RocksDBStateStoreProvider"
PARTITIONS: Final = "spark.sql.shuffle.partitions"
#: The state of a stream is in RocksDB, which writes what a batch changed.
SETTINGS: Final = {_PROVIDER: _ROCKSDB, f"{_STORE}.rocksdb.changelogCheckpointing.enabled": "true"}
#: The most buckets into which the state of a stream is divided unless it is said.
BUCKETS: Final = 16
#: A task in Python took 40 milliseconds longer over TCP, however little it did, and a micro-batch has three in turn.
#: On a cluster the path of a socket may be longer than the 108 bytes that there are for it: so on this machine only.
_SOCKETS: Final = "spark.python.unix.domain.socket.enabled"
_LOCAL: Final = {
    "spark.driver.bindAddress": "127.0.0.1",
    "spark.driver.host": "127.0.0.1",
    "spark.driver.memory": "2g",
    "spark.sql.parquet.outputTimestampType": "TIMESTAMP_MICROS",
    "spark.sql.session.timeZone": "UTC",
    "spark.ui.enabled": "false",
    "spark.ui.showConsoleProgress": "false",
}
#: Native modules cannot be imported out of an archive; Spark unpacks this one.
_NATIVE: Final = ("sash._core", "sash._batch")


def configure(session: Session) -> Session:
    """The builder of a session, or a session that runs, with the settings that `sash.spark.rolling` needs for streams.

    A builder that says no number of shuffle partitions gets one that fits the cores: each is a task in every
    micro-batch. One whose master is local gets Unix domain sockets to its Python workers, unless it says otherwise.
    Python workers run the interpreter that runs this, unless PYSPARK_PYTHON names another. Cost: O(1).

    >>> from pyspark.sql import SparkSession
    >>> builder = configure(SparkSession.builder.appName("payments"))
    """
    os.environ.setdefault("PYSPARK_PYTHON", sys.executable)
    if isinstance(session, SparkSession.Builder):
        for name, value in SETTINGS.items():
            session.config(name, value)
        master = session._options.get("spark.master")
        given = {PARTITIONS: str(_fitting(master or "local[*]")), **_sockets(master or "")}
        for name, value in given.items():
            if name not in session._options:
                session.config(name, value)
        return session
    for name, value in SETTINGS.items():
        session.conf.set(name, value)
    return session


def _fitting(master: str) -> int:
    """As many shuffle partitions as cores, but no more than buckets; on a cluster, whose cores are not known yet, one
    for each of the most buckets.

    >>> _fitting("local"), _fitting("local[3]"), _fitting("yarn")
    (1, 3, 16)
    """
    here = re.fullmatch(r"local(?:\[(\d+|\*)(?:,.*)?\])?", master)
    if here is None:
        return BUCKETS
    cores = os.cpu_count() or 1 if here[1] == "*" else int(here[1] or 1)
    return buckets_for(cores)


def buckets_for(partitions: int) -> int:
    """One bucket for each partition of the state, of which a session that nobody has set up has very many.

    A bucket costs calls to Spark's state in each micro-batch, and a partition is one task's work: more buckets than
    partitions would be of no use.

    >>> buckets_for(4), buckets_for(200)
    (4, 16)
    """
    return min(partitions, BUCKETS)


def partitions_of(spark: Any) -> int:
    """The shuffle partitions of the session."""
    return int(spark.conf.get(PARTITIONS))


def _sockets(master: str) -> dict[str, str]:
    """Unix domain sockets, where workers run on this machine and its Python has them.

    >>> _sockets("yarn")
    {}
    """
    return {_SOCKETS: "true"} if master.startswith("local") and hasattr(socket, "AF_UNIX") else {}


def check_session(spark: Any, asked: int | None) -> None:
    """Refuse a session whose state store streams cannot use; warn of one that starts many tasks for nothing, where
    so many buckets are asked for, or None."""
    provider = str(spark.conf.get(_PROVIDER))
    if not provider.endswith("RocksDBStateStoreProvider"):
        raise PlanError(
            f"streams of Sash keep their state in RocksDB, and this session in {provider.rpartition('.')[2]}: add the"
            " line sash.spark.configure(spark) before the stream starts, or configure the builder of the session"
        )
    partitions = partitions_of(spark)
    buckets = asked or buckets_for(partitions)
    cores = _cores(spark, buckets)
    if partitions > max(buckets, 2 * cores):
        warnings.warn(
            f"this session has {partitions} shuffle partitions, and the stream {buckets} buckets:"
            f" {partitions - buckets} tasks of each micro-batch find nothing to do. Before the first start of the"
            f' stream, set spark.conf.set("{PARTITIONS}", {min(cores, buckets)}): its checkpoint keeps the number',
            stacklevel=5,
        )


@contextmanager
def python_of_workers(spark: Any) -> Iterator[None]:
    """What is made inside runs by the interpreter that runs this, where workers are on this machine and nobody named
    another for them: the python3 that is on the path need not have the package. A context that began before one was
    named, also by `configure`, does not know it."""
    context = getattr(spark, "_sc", None)
    if context is None or not context.master.startswith("local"):
        yield
        return
    before = context.pythonExec
    context.pythonExec = os.environ.get("PYSPARK_PYTHON", sys.executable)
    try:
        yield
    finally:
        context.pythonExec = before


def _cores(spark: Any, otherwise: int) -> int:
    """The cores of the session; another number where they are not known, through Connect."""
    return int(spark.sparkContext.defaultParallelism) if hasattr(spark, "_jsparkSession") else otherwise


def logged_session(name: str, log: Path, master: str, settings: Mapping[str, str]) -> SparkSession:
    """A session with the settings of streams and these. What Spark and its workers print goes to the file `log`.

    Spark's Java process hands on what its Python workers print, so all of it goes where the output of that process
    goes, which is settled when it starts: no session may be running yet. Cost: several seconds.
    """
    # A client of Spark Connect has neither, and needs no session of this kind.
    from pyspark import SparkConf, SparkContext
    from pyspark.java_gateway import launch_gateway

    # Whoever types a command has not chosen the pandas, of which nothing of Sash needs more; and logs may be JSON.
    warnings.filterwarnings("ignore", "PySpark does not yet fully support pandas", FutureWarning)
    os.environ.setdefault("PYSPARK_PYTHON", sys.executable)
    os.environ.setdefault("SPARK_LOCAL_IP", "127.0.0.1")
    local = _LOCAL | _sockets(master) if master.startswith("local") else {}
    conf = SparkConf().setMaster(master).setAppName(name)
    conf.setAll([*SETTINGS.items(), (PARTITIONS, str(_fitting(master))), *local.items(), *settings.items()])
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
