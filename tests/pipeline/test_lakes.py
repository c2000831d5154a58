"""Results in tables of Delta Lake and Iceberg, by the connector that was made for this Spark, where there is one."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

pytest.importorskip("pyspark", reason="needs PySpark: pip install 'sash[spark]'")

import pyspark

import sash
from tests.pipeline.artifacts import fetch
from tests.pipeline.sample import COLUMNS, as_json, payments, pipeline, table

pytestmark = pytest.mark.slow

SPARK = ".".join(pyspark.__version__.split(".")[:2])
CONNECTORS = {
    "delta": [f"io.delta:delta-spark_{SPARK}_2.13:4.4.0", "io.delta:delta-storage:4.4.0"],
    "iceberg": [f"org.apache.iceberg:iceberg-spark-runtime-{SPARK}_2.13:1.12.0"],
}
#: The versions of Spark that these connectors were made for.
MADE_FOR = {"delta": ("4.0", "4.1", "4.2"), "iceberg": ("4.1",)}
SINKS = {"delta": 'path = "spent"', "iceberg": 'table = "lake.db.spent"'}
CATALOG = """\
"spark.sql.catalog.lake" = "org.apache.iceberg.spark.SparkCatalog"
"spark.sql.catalog.lake.type" = "hadoop"
"spark.sql.catalog.lake.warehouse" = "{folder}/lake"
"""
#: Reads a table with the settings of a pipeline's session, and prints its rows.
READ = """\
import json, sys
from pathlib import Path
from sash.pipeline.config import load
from sash.spark.pipeline.engine import _session
from sash.spark.pipeline.lakes import _table
pipeline = load(Path(sys.argv[1]))
rows = _session(pipeline).table(_table(pipeline)).toArrow().to_pylist()
print(json.dumps([row | {"time": row["time"].isoformat()} for row in rows]))
"""
ROWS = payments()


def lake_file(folder: Path, kind: str, emit: str) -> Path:
    """A pipeline from a watched folder to a table; the test is skipped where no connector was made for this Spark."""
    if SPARK not in MADE_FOR[kind]:
        made = ", ".join(MADE_FOR[kind])
        pytest.skip(f"there is no connector of {kind} for Spark {SPARK}: the newest are for Spark {made}")
    jars = json.dumps([str(jar) for jar in fetch(folder / "jars", CONNECTORS[kind], alone=True)])
    source = f'format = "json"\npath = "in"\nwatch = true\nmax_files = 1\ncolumns = {COLUMNS}'
    rest = f'[sink]\nformat = "{kind}"\n{SINKS[kind]}\n[run]\nbuckets = 2\njars = {jars}\n[run.spark]\n'
    rest += CATALOG.format(folder=folder) if kind == "iceberg" else ""
    return pipeline(folder, source, more=f'emit = "{emit}"\nlateness = "2h"', rest=rest)


def run(*command: str) -> str:
    """What a program of this Python prints."""
    done = subprocess.run([sys.executable, *command], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout[-2000:] + done.stderr[-2000:]
    return done.stdout


def as_texts(rows: list[dict[str, Any]]) -> list[str]:
    return sorted(json.dumps({name: row[name] for name in row if name != "revision"}, sort_keys=True) for row in rows)


@pytest.mark.parametrize("emit", ["update", "final"])
@pytest.mark.parametrize("kind", CONNECTORS)
def test_a_table_has_the_last_revision_of_each_row(kind: str, emit: str, tmp_path: Path) -> None:
    """Two runs, late rows and a duplicate in the second: a row is there once, as all rows together give it."""
    file = lake_file(tmp_path, kind, emit)
    end = payments(61)[-1]
    end = end | {"time": end["time"].replace(year=2025)}
    parts = [ROWS[:30], [*ROWS[30:], *[end] * (emit == "final")]]
    (tmp_path / "in").mkdir()
    for number, part in enumerate(parts):
        lines = as_json([*part, part[0]] if emit == "update" else part)
        (tmp_path / "in" / f"{number}.jsonl").write_text("\n".join(lines))
        run("-m", "sash", "run", str(file), "--once", "--no-report", "--log", "quiet")
    twice = [part[0] for part in parts] if emit == "update" else []
    plan = sash.Plan(by="card", on="time", windows=["10m", "1h"], aggregations=_aggregations())
    expected = sash.rolling(table([*ROWS, *twice]), plan).to_pylist()
    unique = {row["time"]: row | {"time": row["time"].isoformat()} for row in expected}
    assert as_texts(json.loads(run("-c", READ, str(file)))) == as_texts(list(unique.values()))


def _aggregations() -> dict[str, sash.Aggregation]:
    return {
        "count": sash.Count(),
        "spent": sash.Sum("amount"),
        "best": sash.ArgMax("amount", "shop"),
        "shops": sash.Concat("shop", separator=" "),
    }
