"""A stream of revisions into a Parquet folder that kills itself while it upserts: `python upsert_job.py FOLDER`.

Each moment kills once, and leaves a file in FOLDER/faults: while the files of a batch are written, when they are and
the log does not name them, when merged files are and the log does not, and when the log is and Spark has not committed.
"""

from __future__ import annotations

import os
import signal
import sys
import threading
import time
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).resolve().parents[2]))

import sash.spark
from sash.spark.sinks import folder as parquet
from sash.spark.sinks import folder_log
from tests.spark.conftest import configured
from tests.spark.fault_job import plan_of

MOMENTS = ("writing", "written", "taken", "merged")


def die_at(moment: str, folder: Path) -> None:
    """Kill this process, its JVM and its workers, unless the moment has killed before."""
    mark = folder / "faults" / moment
    if not mark.exists():
        mark.touch()
        os.killpg(0, signal.SIGKILL)


def die_while_writing(folder: Path) -> None:
    """As soon as there is a file of a batch that is not whole."""
    while not any((folder / "out").glob("*/_temporary/**/*.parquet")):
        time.sleep(0.002)
    die_at("writing", folder)


def main(folder: Path) -> None:
    """Run until everything is read."""
    from pyspark.sql import SparkSession

    parquet._FAN = 2  # type: ignore[misc]  # Merges come soon.
    commit = folder_log.FolderLog.commit

    def dying(log: Any, state: Any) -> None:
        die_at("merged" if any(part.level for part in state.parts) else "written", folder)
        commit(log, state)

    def take(df: Any, number: int) -> None:
        sash.spark.upsert(df, parquet.ParquetFolder(str(folder / "out")), key="row")
        die_at("taken", folder)

    folder_log.FolderLog.commit = dying  # type: ignore[method-assign]
    spark = configured(SparkSession.builder.master("local[2]")).getOrCreate()
    spark.sparkContext.setLogLevel("OFF")
    if not (folder / "faults" / "writing").exists():
        threading.Thread(target=die_while_writing, args=(folder,), daemon=True).start()
    schema = spark.read.parquet(str(folder / "in")).schema
    stream = spark.readStream.schema(schema).option("maxFilesPerTrigger", 1).parquet(str(folder / "in"))
    results = sash.spark.rolling(stream, plan_of("update"), buckets=2)
    writer = results.writeStream.foreachBatch(take).option("checkpointLocation", str(folder / "checkpoint"))
    writer.trigger(availableNow=True).start().awaitTermination()
    (folder / "done").touch()
    os.killpg(0, signal.SIGKILL)  # Sessions take seconds to stop, and all is written.


if __name__ == "__main__":
    main(Path(sys.argv[1]))
