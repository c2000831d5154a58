"""A pipeline on Spark: a batch where the source ends, a stream where it does not."""

from __future__ import annotations

import contextlib
import threading
import time
from collections.abc import Callable
from typing import Any, Final

from pyspark.sql import DataFrame, Observation, SparkSession
from pyspark.sql import functions as F  # noqa: N812

from sash.durations import parse_duration
from sash.errors import PlanError
from sash.pipeline.config import add_plan_problems
from sash.pipeline.fit import at_rest
from sash.pipeline.parts import Pipeline
from sash.pipeline.progress import Batch, Progress
from sash.pipeline.stop import Stop, keeping_interrupts
from sash.spark.pipeline import sinks
from sash.spark.pipeline.brokers import answers
from sash.spark.pipeline.failures import FAILURES, not_started, restated
from sash.spark.pipeline.follow import follow
from sash.spark.pipeline.lakes import SETTINGS
from sash.spark.pipeline.sources import Rows, read
from sash.spark.rolling import rolling
from sash.spark.session import logged_session

__all__ = ["run_spark"]

_LOG: Final = "spark.log"
_POLL: Final = 0.25
#: How long a stream may take to stop.
_STOP: Final = "30s"
#: A run that is killed while it writes its first offsets leaves a file of them that is half done. Spark ignores it, but
#: would refuse to begin again beside it.
_BEGINS_EMPTY: Final = "spark.sql.streaming.verifyCheckpointDirectoryEmptyOnStart"


def run_spark(
    pipeline: Pipeline, progress: Progress, stop: Stop, once: bool, session: SparkSession | None = None
) -> None:
    """Run it on a session of its own, or on one that is given. A stream that is stopped goes on when it is run again.

    Cost: Spark's start of several seconds; a micro-batch as `sash.spark.rolling` says.
    """
    answers(pipeline)
    progress.stage("Starting Spark")
    spark = session or _session(pipeline)
    try:
        rows = read(spark, pipeline)
        if rows.good.isStreaming:
            _stream(rows, pipeline, progress, stop, once)
        else:
            _batch(spark, rows, pipeline, progress, stop)
    except FAILURES as error:
        raise restated(error, pipeline, pipeline.folder / _LOG) from error
    finally:
        if session is None:
            # A signal to all processes of the run has ended Java before.
            with contextlib.suppress(*FAILURES):
                spark.stop()


def _session(pipeline: Pipeline) -> SparkSession:
    run = pipeline.run
    settings = {
        **SETTINGS.get(pipeline.sink.format, {}),
        "spark.sql.streaming.stopTimeout": _STOP,
        "spark.jars.packages": ",".join(run.packages),
        "spark.jars": ",".join(map(pipeline.location, run.jars)),
    }
    log = pipeline.folder / _LOG
    try:
        given = {name: value for name, value in settings.items() if value} | dict(run.spark)
        with keeping_interrupts():
            return logged_session(f"sash run {pipeline.file.name}", log, run.master, given)
    except Exception as error:
        # Whatever is wrong with this Spark or this Java, a traceback of ours would not show.
        raise not_started(error, pipeline, log) from None


def _results(good: DataFrame, pipeline: Pipeline, **options: Any) -> DataFrame:
    plan = pipeline.plan if good.isStreaming else at_rest(pipeline.plan)
    try:
        results = rolling(good, plan, **options)
    except PlanError as error:
        add_plan_problems(error, pipeline.problems)
        pipeline.problems.settle()
        raise
    if plan.emit != pipeline.plan.emit:
        return results.withColumn("revision", F.lit(0))
    return results


def _stream(rows: Rows, pipeline: Pipeline, progress: Progress, stop: Stop, once: bool) -> None:
    trigger = {"availableNow": True} if once else {"processingTime": _interval(pipeline.run.trigger)}
    results = _results(rows.good, pipeline, buckets=pipeline.run.buckets, on_late=pipeline.run.on_late)
    rows.good.sparkSession.conf.set(_BEGINS_EMPTY, "false")
    progress.stage("Streaming" if not once else "Reading what is there")
    queries = [sinks.start(results, pipeline, trigger)]
    if rows.bad is not None:
        counted = rows.bad.observe("dead", F.count(F.lit(1)).alias("letters"))
        queries.append(sinks.start_dead(counted, pipeline, trigger))
    follow(queries, progress, stop)


def _interval(trigger: str | None) -> str:
    """How often a stream looks for rows, as Spark writes it; at once, when nothing is said."""
    return "0 seconds" if trigger is None else f"{parse_duration(trigger).amount // 10**6} milliseconds"


def _batch(spark: SparkSession, rows: Rows, pipeline: Pipeline, progress: Progress, stop: Stop) -> None:
    start = time.perf_counter()
    taken, made, dead = Observation(), Observation(), Observation()
    one = F.count(F.lit(1)).alias("rows")
    results = _results(rows.good.observe(taken, one), pipeline).observe(made, one)
    progress.stage("Running on Spark")
    _interruptible(spark, lambda: sinks.save(results, pipeline), progress, stop)
    letters = 0
    if rows.bad is not None:
        bad = rows.bad.observe(dead, one)
        _interruptible(spark, lambda: sinks.save_dead(bad, pipeline), progress, stop)
        letters = dead.get["rows"]
    seconds = time.perf_counter() - start
    progress.batch(Batch(0, taken.get["rows"] + letters, made.get["rows"], dead=letters, seconds=seconds))


def _interruptible(spark: SparkSession, work: Callable[[], None], progress: Progress, stop: Stop) -> None:
    """Do the work on a thread, so that a signal can cancel it."""
    failed: list[BaseException] = []

    def run() -> None:
        try:
            work()
        except BaseException as error:
            failed.append(error)

    thread = threading.Thread(target=run, daemon=True)
    thread.start()
    while thread.is_alive() and not stop:
        thread.join(_POLL)
    if stop:
        spark.sparkContext.cancelAllJobs()
        thread.join()
        stop.check()
    if failed:
        raise failed[0]
