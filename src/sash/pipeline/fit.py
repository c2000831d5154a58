"""Whether a pipeline fits what it would run on: files that are there, columns, types, packages. Nothing is run."""

from __future__ import annotations

import sys
import traceback
from collections.abc import Callable, Mapping
from importlib import import_module
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq

import sash
from sash import suggestions
from sash.batch.slides import slides
from sash.errors import PipelineError, PlanError, SashError
from sash.extras import how_to_install
from sash.pipeline.config import add_plan_problems, missing_columns
from sash.pipeline.files import csv_names, found, refuse_strange
from sash.pipeline.guess import format_of, guess
from sash.pipeline.parts import FILES, Pipeline
from sash.pipeline.problems import nearest
from sash.pipeline.records import schema_of
from sash.plan import Plan
from sash.requirements import java_problem

__all__ = ["at_rest", "called", "columns_of", "fit"]


def fit(pipeline: Pipeline) -> None:
    """`PipelineError` names all in which the pipeline does not fit. Cost: that of a look at the first file."""
    _engine_is_there(pipeline)
    _files_are_there(pipeline)
    schema = _schema(pipeline)
    if schema is not None:
        _plan_fits(pipeline, schema)
    pipeline.problems.settle()


def at_rest(plan: Plan) -> Plan:
    """The plan for rows that are all there: "update" gives what it would in the end, all at once."""
    return Plan(**plan._parts() | {"emit": "final"}) if plan.emit == "update" else plan


def columns_of(pipeline: Pipeline) -> dict[str, str]:
    """The columns of a source of text, as the file of the pipeline says or as guessed from the first file; of Parquet
    those that are read as another type."""
    source = pipeline.source
    if source.columns or source.format == "parquet":
        return dict(source.columns)
    return guess(found(pipeline.path(source.path))[0], source.format, source.delimiter)


def function_of(pipeline: Pipeline) -> Callable[..., Any]:
    """The function of a source; `PipelineError` if it is not there. Modules beside the file of the pipeline count."""
    module, _, name = pipeline.source.function.partition(":")
    folder = str(pipeline.file.parent.resolve())
    if folder not in sys.path:
        sys.path.insert(0, folder)
    try:
        function = getattr(import_module(module), name, None)
    except Exception as error:
        why = f"{type(error).__name__}: {error!s:.200}"
        where = "a module is looked for beside this file and among the installed ones"
        pipeline.problems.add("source.function", f"module {module} cannot be imported: {why}: {where}")
        function = None
    else:
        if not callable(function):
            names = [one for one, value in vars(sys.modules[module]).items() if callable(value)]
            pipeline.problems.add("source.function", f"module {module} has no function {name}: {nearest(name, names)}")
    pipeline.problems.settle()
    assert function is not None
    made: Callable[..., Any] = function
    return made


def called(pipeline: Pipeline, *arguments: Any) -> Any:
    """What the function of a source gives; `SashError` in one line if it raises."""
    function = function_of(pipeline)
    try:
        return function(*arguments)
    except Exception as error:
        last = traceback.extract_tb(error.__traceback__)[-1]
        where = f"{last.filename}:{last.lineno}"
        name = pipeline.source.function
        raise SashError(f"source.function: {name} raised {type(error).__name__}: {error} ({where})") from error


def _engine_is_there(pipeline: Pipeline) -> None:
    if pipeline.run.engine != "spark":
        return
    if find_spec("pyspark") is None:
        pipeline.problems.add("run.engine", f"it needs PySpark, which is not installed: {how_to_install('spark')}")
    elif pipeline.run.master.startswith("local") and (problem := java_problem()):
        pipeline.problems.add("run.engine", f"it needs {problem}")


def _files_are_there(pipeline: Pipeline) -> None:
    """What the run needs beside its source."""
    if pipeline.folder.exists() and not pipeline.folder.is_dir():
        pipeline.problems.add("run.folder", f"{pipeline.folder} is a file: name a folder")
    sink = pipeline.sink
    if sink.format in FILES and "://" not in sink.path and not pipeline.source.stream:
        try:
            refuse_strange(pipeline.path(sink.path))
        except PipelineError as error:
            pipeline.problems.add("sink.path", str(error))
    for jar in pipeline.run.jars:
        if "://" not in jar and not found(pipeline.path(jar)):
            pipeline.problems.add("run.jars", f"there is no file at {pipeline.path(jar)}: a file or a pattern is meant")


def _schema(pipeline: Pipeline) -> pa.Schema | None:
    """The columns that will come, where that can be known now."""
    source = pipeline.source
    if source.format == "python":
        function_of(pipeline)
        return None
    if source.format == "rate":
        return schema_of({"timestamp": "timestamp", "value": "int"})
    if source.format not in FILES or "://" in source.path:
        return schema_of(source.columns) if source.columns and source.format != "parquet" else None
    files = _files(pipeline)
    if not files:
        return None
    other = format_of(files[0])
    if other not in (None, source.format):
        pipeline.problems.add("source.format", f'{files[0]} is not {source.format}: write format = "{other}"')
        return None
    try:
        return _schema_of(files[0], pipeline)
    except (pa.ArrowInvalid, OSError, SashError) as error:
        pipeline.problems.add("source.path", f"{files[0]} cannot be read as {source.format}: {error!s:.200}")
    return None


def _schema_of(file: Path, pipeline: Pipeline) -> pa.Schema:
    source = pipeline.source
    if source.format == "parquet":
        return _read_as(pq.read_schema(file), pipeline)
    if source.format == "csv":
        names = csv_names(file, source.delimiter)
        for name in source.columns:
            if name not in names:
                pipeline.problems.add(
                    f"source.columns.{name}", f'{file} has no column "{name}": {nearest(name, names)}'
                )
    return schema_of(source.columns or guess(file, source.format, source.delimiter))


def _read_as(schema: pa.Schema, pipeline: Pipeline) -> pa.Schema:
    """The columns of Parquet, some of them of the type that the pipeline gives them."""
    for name, field in zip(pipeline.source.columns, schema_of(pipeline.source.columns), strict=True):
        if name not in schema.names:
            there = nearest(name, schema.names)
            pipeline.problems.add(f"source.columns.{name}", f'the source has no column "{name}": {there}')
        elif pa.types.is_nested(schema.field(name).type):
            kind = schema.field(name).type
            pipeline.problems.add(f"source.columns.{name}", f"it is {kind} in the file, which is read as nothing else")
        else:
            schema = schema.set(schema.names.index(name), field)
    return schema


def _files(pipeline: Pipeline) -> list[Any]:
    source = pipeline.source
    path = pipeline.path(source.path)
    files = found(path)
    if source.watch and (not path.is_dir() or (not files and source.format == "parquet")):
        why = "is not a folder" if not path.is_dir() else "holds no file yet that says which columns there are"
        pipeline.problems.add("source.path", f"{path} {why}: a watched source is a folder with a first file in it")
    elif not files and not source.watch:
        pipeline.problems.add("source.path", f"there is no file at {path}: {_likely(path)}")
    return files


def _likely(path: Path) -> str:
    """What may have been meant."""
    if path.is_dir():
        return "the folder is empty"
    near = suggestions.nearest(path.name, [one.name for one in path.parent.iterdir()]) if path.parent.is_dir() else None
    return f'did you mean "{near}"?' if near else "a file, a folder or a pattern is meant"


def _plan_fits(pipeline: Pipeline, schema: pa.Schema) -> None:
    plan, problems = pipeline.plan, pipeline.problems
    missing_columns(plan, schema.names, problems)
    if plan.on in schema.names and pa.types.is_string(schema.field(plan.on).type):
        problems.add("plan.on", f'column "{plan.on}" holds texts: times are timestamps or numbers')
    if problems:
        return
    try:
        results = sash.rolling(schema.empty_table(), at_rest(plan))
    except PlanError as error:
        add_plan_problems(error, problems)
    else:
        _id_is_there(pipeline, results.column_names)
    nested = [name for name, one in plan.aggregations.items() if isinstance(one.result, (list, Mapping))]
    if pipeline.sink.format == "csv" and nested:
        rest = 'gives several values, for which CSV has no form: write "parquet" or "json"'
        problems.add("sink.format", f'aggregation "{nested[0]}" {rest}')
    if slides(plan) and plan.emit != "final":
        problems.add("plan.emit", 'windows that slide by a time are emitted once: write emit = "final"')


def _id_is_there(pipeline: Pipeline, columns: list[str]) -> None:
    for name in pipeline.sink.id:
        if name not in columns:
            pipeline.problems.add("sink.id", f'the results have no column "{name}": {nearest(name, columns)}')
