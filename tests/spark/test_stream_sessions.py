"""Streams on sessions as people have them: made by nothing but `configure`, or with the 200 partitions of Spark."""

from __future__ import annotations

import random
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

pytest.importorskip("pyspark", reason="needs PySpark: pip install 'sash[spark]'")

import sash
import sash.spark
from tests.spark.conftest import needs_java
from tests.spark.streams import batches, by_row, expected, random_rows
from tests.spark.test_stream import run, stream_of, write_files

ROOT = Path(__file__).resolve().parents[2]


@pytest.mark.slow
def test_four_rows_on_a_session_of_200_partitions(spark: Any, tmp_path: Path) -> None:
    """One warning, and the results; every task of a micro-batch but those of buckets finds nothing to do."""
    other = spark.newSession()
    sash.spark.configure(other).conf.set("spark.sql.shuffle.partitions", "200")
    table = random_rows(random.Random(1), 4, nulls=False)
    write_files(tmp_path / "in", batches(table, 2))
    spent = {"spent": sash.Sum("amount")}
    plan = sash.Plan(by="card", on="time", windows="1h", aggregations=spent, lateness="5m")
    with pytest.warns(UserWarning, match="200 shuffle partitions, and the stream 16 buckets") as warned:
        df = sash.spark.rolling(stream_of(other, tmp_path / "in"), plan)
    assert len([one for one in warned if "partitions" in str(one.message)]) == 1
    results, query = run(df, tmp_path)
    assert by_row(results, list(plan.outputs)) == expected(table, plan)
    (operator,) = query.recentProgress[0]["stateOperators"]
    assert operator["numShufflePartitions"] == 200


DOCUMENT = """
import sys
sys.path.insert(0, {root!r})
from pathlib import Path
from pyspark.sql import SparkSession
import sash.spark
from tests.test_docs import blocks, run
spark = sash.spark.configure(SparkSession.builder.master("local[2]")).getOrCreate()
assert spark.conf.get("spark.sql.shuffle.partitions") == "2"
names = {{"__name__": "__main__", "spark": spark}}
found = list(blocks(Path({document!r}).read_text()))
assert sum("readStream" in block.source for block in found) >= 1
complaints = [line for block in found for line in run(block, names, "streams")]
assert not complaints, "".join(complaints)
"""


@pytest.mark.slow
def test_the_code_about_streams_runs_as_it_is_written(tmp_path: Path) -> None:
    """On a session that nothing but `configure` has made: as many shuffle partitions as cores, and no others."""
    needs_java()
    code = DOCUMENT.format(root=str(ROOT), document=str(ROOT / "docs" / "spark-streams.md"))
    subprocess.run([sys.executable, "-c", code], check=True, timeout=600, cwd=tmp_path)
