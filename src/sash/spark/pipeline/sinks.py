"""Results and bad records of a pipeline, on their way out of Spark."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from pyspark.sql import DataFrame

from sash.errors import PipelineError
from sash.pipeline.files import put_in_place, refuse_strange
from sash.pipeline.local import show
from sash.pipeline.parts import FILES, LAKES, Pipeline
from sash.spark.pipeline import lakes
from sash.spark.sinks.topic import TIMES, records

__all__ = ["save", "save_dead", "start", "start_dead"]


def start(results: DataFrame, pipeline: Pipeline, trigger: dict[str, Any]) -> Any:
    """The query that writes the results of a stream as they come."""
    sink = pipeline.sink
    if sink.format == "console":
        writer = results.writeStream.foreachBatch(_shown)
    elif sink.format == "kafka":
        writer = _to_topic(records(_identified(results, sink.id), sink.id), pipeline, sink.topic)
    elif sink.format in LAKES:
        writer = lakes.writer(_identified(results, sink.id), pipeline)
    else:
        writer = results.writeStream.format(sink.format).option("path", pipeline.location(sink.path))
        writer = writer.options(**_options(pipeline))
    appended = pipeline.plan.emit != "update"
    return _started(writer, pipeline, "results", trigger, sink.table if appended else "")


def start_dead(letters: DataFrame, pipeline: Pipeline, trigger: dict[str, Any]) -> Any:
    """The query that writes the bad records of a stream."""
    topic = pipeline.run.dead_letter_topic
    if topic:
        writer = _to_topic(letters.selectExpr("to_json(struct(reason, record)) AS value"), pipeline, topic)
    else:
        writer = letters.writeStream.format("json").option("path", str(pipeline.dead_letters))
    return _started(writer, pipeline, "dead-letters", trigger)


def _started(writer: Any, pipeline: Pipeline, name: str, trigger: dict[str, Any], table: str = "") -> Any:
    checkpoint = pipeline.folder / "checkpoint" / name
    ready = writer.option("checkpointLocation", str(checkpoint)).queryName(name).trigger(**trigger)
    return ready.toTable(table) if table else ready.start()


def _to_topic(records: DataFrame, pipeline: Pipeline, topic: str) -> Any:
    writer = records.writeStream.format("kafka").options(**pipeline.sink.options)
    return writer.option("kafka.bootstrap.servers", pipeline.sink.servers).option("topic", topic)


def _identified(results: DataFrame, names: tuple[str, ...]) -> DataFrame:
    missing = [name for name in names if name not in results.columns]
    if missing:
        raise PipelineError(f"sink.id: the results have no column {missing[0]!r}: {', '.join(results.columns)}")
    return results


def _options(pipeline: Pipeline) -> dict[str, str]:
    return TIMES | ({"header": "true"} if pipeline.sink.format == "csv" else {}) | dict(pipeline.sink.options)


def _shown(batch: DataFrame, number: int) -> None:
    show(batch.toArrow())


def save(results: DataFrame, pipeline: Pipeline) -> None:
    """Write the results of a batch in the place of older ones, when all of them are there."""
    sink = pipeline.sink
    if sink.format == "console":
        show(results.toArrow())
    elif sink.format in FILES:
        _saved(results, sink.format, pipeline.location(sink.path), _options(pipeline))
    elif sink.format in LAKES:
        lakes.save(results, pipeline)
    else:
        writer = records(_identified(results, sink.id), sink.id).write.format("kafka").options(**sink.options)
        writer.option("kafka.bootstrap.servers", sink.servers).option("topic", sink.topic).save()


def save_dead(letters: DataFrame, pipeline: Pipeline) -> None:
    """Write the bad records of a batch."""
    _saved(letters, "json", str(pipeline.dead_letters), {})


def _saved(rows: DataFrame, kind: str, location: str, options: dict[str, str]) -> None:
    writer = rows.write.mode("overwrite").format(kind).options(**options)
    if "://" in location:
        writer.save(location)
        return
    folder = Path(location)
    refuse_strange(folder)
    new = folder.with_name(f".{folder.name}.new")
    writer.save(str(new))
    put_in_place(new, folder)
