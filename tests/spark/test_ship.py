"""Executors of other processes: with Sash shipped to them, and through Spark Connect."""

from __future__ import annotations

import os
import shutil
import stat
import subprocess
import sys
import sysconfig
from pathlib import Path

import pytest

from tests.spark.conftest import needs_java

CLUSTER = """
from pyspark.sql import SparkSession
import sash, sash.spark

spark = (
    SparkSession.builder.master("local-cluster[2,1,1024]")
    .config("spark.ui.enabled", "false").config("spark.sql.shuffle.partitions", "2")
    .config("spark.driver.host", "127.0.0.1").config("spark.driver.bindAddress", "127.0.0.1")
    .config("spark.executor.memory", "512m")
    .getOrCreate()
)
spark.sparkContext.setLogLevel("ERROR")

def where(batches):
    import sys
    import pyarrow as pa
    try:
        import sash.plan
        found = sash.__file__
    except ImportError:
        found = "nowhere"
        # Workers are used again: they must not remember that there was nothing.
        sys.modules.pop("sash", None)
    for batch in batches:
        yield pa.RecordBatch.from_pydict({"where": [found]})

def seen():
    return sorted({row["where"] for row in spark.range(4).repartition(2).mapInArrow(where, "where string").collect()})

print("before:", *seen())
sash.spark.ship(spark)
print("after:", *seen())

class Own(sash.Aggregation):
    identity = 0
    result = "int"
    column = "id"
    def lift(self, value): return value
    def combine(self, older, newer): return 2 * older + newer
    def lower(self, partial): return partial

plan = sash.Plan(
    by="k", on="id", windows=sash.TimeWindow(4),
    aggregations={"all": sash.Collect("id"), "max": sash.Max("id"), "own": Own()},
)
df = spark.range(200).selectExpr("id", "id % 2 k")
rows = {row.id: row for row in sash.spark.rolling(df, plan).collect()}
assert len(rows) == 200
assert all(rows[i].all_4 == [j for j in (i - 2, i) if j >= 0] for i in rows), rows
assert all(rows[i].own_4 == (2 * (i - 2) if i >= 2 else 0) + i for i in rows)
print("rows:", len(rows))
spark.stop()
"""

CONNECT = """
from pyspark.sql import SparkSession
import sash, sash.spark

spark = SparkSession.builder.remote("local[2]").config("spark.sql.shuffle.partitions", "2").getOrCreate()
plan = sash.Plan(
    by="k", on="id", windows=[sash.TimeWindow(4), 3],
    aggregations={"all": sash.Collect("id"), "first": sash.First("id")},
)
df = spark.range(200).selectExpr("id", "id % 2 k")
rows = {row.id: row for row in sash.spark.rolling(df, plan).collect()}
assert all(rows[i].all_4 == [j for j in (i - 2, i) if j >= 0] for i in rows), rows
cut = {row.id: row.all_4 for row in sash.spark.rolling(
    df, sash.Plan(by="k", on="id", windows=sash.TimeWindow(4), aggregations={"all": sash.Collect("id")}),
    split_skewed_keys=30).collect()}
assert cut == {i: row.all_4 for i, row in rows.items()}
print(sash.spark.explain(df, plan).splitlines()[1])
print("rows:", len(rows), type(df).__module__)
spark.stop()
"""


def run(script: str, tmp_path: Path, python: str = sys.executable) -> str:
    """What a script prints in a process of its own, whose workers are run by that Python."""
    path = tmp_path / "script.py"
    path.write_text(script)
    environment = {
        **os.environ,
        "SPARK_LOCAL_IP": "127.0.0.1",
        "SPARK_LOCAL_DIRS": str(tmp_path / "local"),
        "PYSPARK_DRIVER_PYTHON": sys.executable,
        "PYSPARK_PYTHON": python,
    }
    command = [sys.executable, str(path)]
    done = subprocess.run(command, env=environment, cwd=tmp_path, capture_output=True, text=True, timeout=600)
    assert done.returncode == 0, done.stderr[-4_000:]
    return done.stdout


def without_sash(folder: Path) -> Path:
    """A Python that has the libraries of this one, but not Sash: what .pth files add is not there."""
    script = folder / "python"
    libraries = sysconfig.get_paths()["purelib"]
    script.write_text(f'#!/bin/sh\nPYTHONPATH="$PYTHONPATH:{libraries}" exec {sys.executable} -S "$@"\n')
    script.chmod(script.stat().st_mode | stat.S_IXUSR)
    return script


@pytest.mark.slow
def test_executors_without_the_package_import_what_was_shipped(tmp_path: Path) -> None:
    """Two executors, each a process of its own: before, there is no Sash; afterwards it comes out of the archive."""
    needs_java()
    output = run(CLUSTER, tmp_path, str(without_sash(tmp_path)))
    before, after, rows = (line.split(":", 1)[1].split() for line in output.splitlines() if ":" in line)
    assert before == ["nowhere"]
    # Each executor has a folder of its own, named after the application.
    assert len(after) == 2
    assert all("/app-" in path and path.endswith("/sash/__init__.py") for path in after)
    for path in after:
        shutil.rmtree(Path(path).parents[2], ignore_errors=True)
    assert rows == ["200"]


@pytest.mark.slow
def test_a_batch_runs_through_spark_connect(tmp_path: Path) -> None:
    """The client knows no JVM: nothing is known of how rows lie, and everything else is the same."""
    needs_java()
    for needed in ("grpc", "grpc_status", "zstandard", "google.rpc"):
        pytest.importorskip(needed, reason="needs pip install 'pyspark[connect]'")
    output = run(CONNECT, tmp_path)
    assert "shuffle: by 'k'" in output
    assert "rows: 200 pyspark.sql.connect.dataframe" in output
