"""A stream from files to Parquet in a process of its own, to be killed: `python fault_job.py FOLDER MODE EMIT`."""

from __future__ import annotations

import itertools
import os
import random
import signal
import sys
import threading
import time
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[2]))

import sash
import sash.spark
from tests.spark.conftest import configured
from tests.spark.streams import AGGREGATIONS

SOME = ("spent", "where", "words", "shops")


def plan_of(emit: str) -> sash.Plan:
    """What runs: aggregations from trees, from rows, and over all retained rows."""
    some = {name: AGGREGATIONS[name] for name in SOME}
    return sash.Plan(by="card", on="time", windows=["10s", "1m"], aggregations=some, lateness="20s", emit=emit)


def kill_workers() -> None:
    """Kill a Python worker now and then, as long as the job runs: whichever child of the daemon there is."""
    for number in itertools.count():
        time.sleep(random.uniform(0.5, 4.0))
        found = os.popen("pgrep -f pyspark.daemon").read().split()
        ours = [int(pid) for pid in found if _ancestor(int(pid)) == os.getpid()]
        # The daemon itself is the oldest; its children are the workers.
        if len(ours) > 1:
            try:
                os.kill(random.choice(sorted(ours)[1:]), signal.SIGKILL)
                (Path(os.environ["SASH_FAULTS"]) / f"killed {number}").touch()
            except ProcessLookupError:
                continue


def _ancestor(pid: int) -> int:
    """Whether this process started it, however indirectly: our own number if so."""
    while pid > 1:
        if pid == os.getpid():
            return pid
        try:
            pid = int(Path(f"/proc/{pid}/stat").read_text().rsplit(")", 1)[1].split()[1])
        except (OSError, ValueError, IndexError):
            return 0
    return 0


def main(folder: Path, mode: str, emit: str) -> None:
    """Run until everything is read."""
    from pyspark.sql import SparkSession

    spark = configured(SparkSession.builder.master("local[2,50]")).getOrCreate()
    spark.sparkContext.setLogLevel("OFF")
    if mode == "workers":
        threading.Thread(target=kill_workers, daemon=True).start()
    schema = spark.read.parquet(str(folder / "in")).schema
    stream = spark.readStream.schema(schema).option("maxFilesPerTrigger", 1).parquet(str(folder / "in"))
    results = sash.spark.rolling(stream, plan_of(emit), buckets=4)
    writer = results.writeStream.format("parquet").option("path", str(folder / "out"))
    query = writer.option("checkpointLocation", str(folder / "checkpoint")).trigger(availableNow=True).start()
    (folder / "running").touch()
    query.awaitTermination()
    (folder / "done").touch()
    os.kill(os.getpid(), signal.SIGKILL)  # Sessions take seconds to stop, and all is written.


if __name__ == "__main__":
    main(Path(sys.argv[1]), sys.argv[2], sys.argv[3])
