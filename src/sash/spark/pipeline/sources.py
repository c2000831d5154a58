"""Rows of a pipeline's source as a DataFrame, and its bad records as another."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from typing import Any, Final, NamedTuple

import pyarrow as pa
from pyspark.sql import DataFrame, SparkSession
from pyspark.sql import functions as F  # noqa: N812
from pyspark.sql.types import StringType, StructField, StructType

from sash.pipeline.column_types import TYPES
from sash.pipeline.fit import called, columns_of
from sash.pipeline.parts import Pipeline
from sash.pipeline.records import Parsed, dead_letters, odd_fields, parse_fields, parse_json, parse_typed

__all__ = ["Rows", "read"]

#: What stands beside the columns of a record on its way: why it is bad, and what it was.
_REASON, _RECORD = "__reason", "__record"
_MALFORMED: Final = "__malformed"


class Rows(NamedTuple):
    """What could be read, and the reasons and records of what could not; None where nothing can be bad."""

    good: DataFrame
    bad: DataFrame | None


def read(spark: SparkSession, pipeline: Pipeline) -> Rows:
    """The rows of the source, as a batch or a stream."""
    source, on = pipeline.source, pipeline.plan.on
    reader: Any = spark.readStream if source.stream else spark.read
    reader = reader.options(**source.options)
    if source.watch and source.max_files:
        reader = reader.option("maxFilesPerTrigger", source.max_files)
    if source.format == "rate":
        return Rows(reader.format("rate").option("rowsPerSecond", source.rows_per_second).load(), None)
    if source.format == "python":
        return _timed(_called(spark, pipeline), on)
    if source.format == "kafka":
        return _sorted_out(_bytes(_kafka(reader, pipeline)), _types(source.columns), _json_reader(source.columns, on))
    if source.format == "parquet":
        schema = {"schema": spark.read.parquet(pipeline.location(source.path)).schema} if source.watch else {}
        rows = reader.load(pipeline.location(source.path), format="parquet", **schema)
        return _read_as(rows, source.columns, on) if source.columns else _timed(rows, on)
    columns = columns_of(pipeline)
    if source.format == "json":
        lines = _bytes(reader.text(pipeline.location(source.path)))
        return _sorted_out(lines, _types(columns), _json_reader(columns, on))
    return _sorted_out(_fields(spark, reader, pipeline, columns), _types(columns), _field_reader(columns, on))


def _called(spark: SparkSession, pipeline: Pipeline) -> DataFrame:
    made = called(pipeline, spark)
    if not hasattr(made, "isStreaming"):
        way = f"on Spark it takes the session and must give a DataFrame of Spark, not {type(made).__name__}"
        raise pipeline.problems.error("source.function", way)
    return made  # type: ignore[no-any-return]


def _kafka(reader: Any, pipeline: Pipeline) -> DataFrame:
    source = pipeline.source
    reader = reader.format("kafka").option("kafka.bootstrap.servers", source.servers)
    reader = reader.option("subscribe", source.topic).option("startingOffsets", source.starting)
    if source.max_records:
        reader = reader.option("maxOffsetsPerTrigger", source.max_records)
    return reader.load()  # type: ignore[no-any-return]


def _bytes(lines: DataFrame) -> DataFrame:
    """Lines as they came: what is no UTF-8 would not get into Python as a text."""
    return lines.selectExpr("CAST(value AS BINARY) value")


def _fields(spark: SparkSession, reader: Any, pipeline: Pipeline, columns: Mapping[str, str]) -> DataFrame:
    """The fields of CSV as text; a line with more or fewer than the header is kept as it is beside them."""
    path, delimiter = pipeline.location(pipeline.source.path), pipeline.source.delimiter
    header = spark.read.options(header=True, sep=delimiter).csv(path).columns or list(columns)
    fields = [StructField(name, StringType()) for name in [*header, _MALFORMED]]
    options = {"header": True, "sep": delimiter, "mode": "PERMISSIVE", "columnNameOfCorruptRecord": _MALFORMED}
    read: DataFrame = reader.options(**options, multiLine=True, escape='"').schema(StructType(fields)).csv(path)
    return read


def _timed(rows: DataFrame, on: str | None) -> Rows:
    """Rows that have their types: only those without a time are bad."""
    if on is None or on not in rows.columns:
        return Rows(rows, None)
    reason = F.lit(f'column "{on}" has no time').alias("reason")
    record = F.to_json(F.struct(*[F.col(f"`{name}`") for name in rows.columns])).alias("record")
    empty = F.col(f"`{on}`").isNull()
    return Rows(rows.where(~empty), rows.where(empty).select(reason, record))


def _read_as(rows: DataFrame, columns: Mapping[str, str], on: str | None) -> Rows:
    """Rows that have their types, some columns of which are read as another."""
    types = {field.name: field.dataType.simpleString() for field in rows.schema} | _types(columns)
    return _sorted_out(rows, types, lambda batch: parse_typed(batch, on, columns))


def _types(columns: Mapping[str, str]) -> dict[str, str]:
    """The types of columns, as Spark writes them."""
    return {name: TYPES[kind].spark for name, kind in columns.items()}


def _sorted_out(lines: DataFrame, types: Mapping[str, str], parse: Callable[[pa.Table], Parsed]) -> Rows:
    """Each record goes one way or the other: with its columns, which have these types, or with its reason."""

    def work(batches: Iterator[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        for batch in batches:
            parsed = parse(pa.Table.from_batches([batch]))
            dead = parsed.dead.rename_columns([_REASON, _RECORD])
            joined = pa.concat_tables([parsed.rows, dead], promote_options="default")
            yield from joined.select([*types, _REASON, _RECORD]).combine_chunks().to_batches()

    typed = [f"`{name}` {kind}" for name, kind in types.items()]
    both = lines.mapInArrow(work, ", ".join([*typed, f"{_REASON} string", f"{_RECORD} string"]))
    bad = F.col(_REASON).isNotNull()
    letters = both.where(bad).selectExpr(f"{_REASON} AS reason", f"{_RECORD} AS record")
    return Rows(both.where(~bad).drop(_REASON, _RECORD), letters)


def _json_reader(columns: Mapping[str, str], on: str | None) -> Callable[[pa.Table], Parsed]:
    def parse(lines: pa.Table) -> Parsed:
        return parse_json(lines.column("value").to_pylist(), columns, on)

    return parse


def _field_reader(columns: Mapping[str, str], on: str | None) -> Callable[[pa.Table], Parsed]:
    def parse(fields: pa.Table) -> Parsed:
        odd = fields.column(_MALFORMED)
        names = [name for name in fields.column_names if name != _MALFORMED]
        whole = fields.filter(odd.is_null()).select(names)
        letters = [(odd_fields(len(names)), text.as_py()) for text in odd if text.is_valid]
        parsed = parse_fields(whole, columns, on)
        return Parsed(parsed.rows, pa.concat_tables([dead_letters(letters), parsed.dead]))

    return parse
