"""A pipeline as one file, read and checked; nothing runs."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import replace
from os.path import normpath
from pathlib import Path
from typing import Any, Final

from sash.errors import PipelineError, PlanError
from sash.pipeline.column_types import TYPES
from sash.pipeline.parts import ENGINES, FILES, LAKES, SINKS, SOURCES, Pipeline, Run, Sink, Source
from sash.pipeline.problems import Problems, nearest, parsed
from sash.pipeline.table import Table
from sash.plan import Plan

__all__ = ["EXAMPLE_PACKAGE", "add_plan_problems", "load", "missing_columns", "read_pipeline"]

#: Spark's connector for Kafka.
EXAMPLE_PACKAGE: Final = "org.apache.spark:spark-sql-kafka-0-10_2.13:4.2.0"
_TABLES: Final = ("source", "plan", "sink", "run")
_SERVER: Final = re.compile(r"[^\s:,]+:\d+|\[[0-9A-Fa-f:]+\]:\d+")
_FUNCTION: Final = re.compile(r"[A-Za-z_][\w.]*:[A-Za-z_]\w*")
#: A problem of a plan begins with the part that has it.
_OF_NAMED: Final = re.compile(r"^(aggregation|expression) '([^']*)': ")
_PARTS: Final = "by|on|windows|aggregations|expressions|emit|lateness|closed|min_periods|peers"
_OF_PART: Final = re.compile(rf"^'?({_PARTS})'?(?::| is| has) ?")


def read_pipeline(text: str, file: Path, *, engine: str | None = None, master: str | None = None) -> Pipeline:
    """The pipeline of such a text; `PipelineError` names every mistake with its line. `engine` and `master` go before
    what the file says. Cost: that of the plan."""
    tables = parsed(file.name, text)
    problems = Problems(file.name, text)
    for name in tables:
        if name not in _TABLES:
            inner = name in ("aggregations", "expressions")
            way = f"write [plan.{name}]" if inner else nearest(name, _TABLES)
            problems.add(name, f"a pipeline has no such table: {way}")
    for name, needed in (("source", 'format = "parquet"'), ("plan", 'windows = "1h"')):
        if name not in tables:
            problems.add(name, f"the table is missing: begin it with [{name}] and {needed}")
    plan = _plan(tables.get("plan", {}), problems) if "plan" in tables else None
    source = Source("")
    if "source" in tables:
        source = _source(Table("source", tables["source"], problems), plan, problems)
    sink = _sink(Table("sink", tables.get("sink", {}), problems), plan)
    if sink.path and source.path and Path(normpath(source.path)).is_relative_to(normpath(sink.path)):
        stem = Path(sink.path).stem
        other = f"{stem}-results" if stem else "results"
        problems.add("sink.path", f'the source is there, and results would replace it: write path = "{other}"')
    run = _run(Table("run", tables.get("run", {}), problems), source, sink, engine, master)
    _fits(source, plan, sink, run, problems)
    problems.settle()
    assert plan is not None
    return Pipeline(file, source, plan, sink, run, problems)


def load(file: Path, *, engine: str | None = None, master: str | None = None) -> Pipeline:
    """The pipeline of a file; `PipelineError` if there is none."""
    try:
        text = file.read_text(encoding="utf-8")
    except FileNotFoundError:
        raise PipelineError(f"{file} is not there: sash init --out {file} writes an example") from None
    except (OSError, UnicodeDecodeError) as error:
        raise PipelineError(f"{file} cannot be read as UTF-8 text: {error}") from None
    return read_pipeline(text, file, engine=engine, master=master)


# The tables


def _plan(values: Any, problems: Problems) -> Plan | None:
    if not isinstance(values, Mapping):
        problems.add("plan", "it must be one table, [plan]")
        return None
    try:
        return Plan.from_dict(values)
    except PlanError as error:
        add_plan_problems(error, problems)
    return None


def add_plan_problems(error: PlanError, problems: Problems) -> None:
    """Note each problem that an error of a plan names, at its key."""
    for text in _each(str(error)):
        problems.add(*_placed(text))


def _each(message: str) -> list[str]:
    """The problems that an error of a plan names."""
    return message.split("\n- ")[1:] if "\n- " in message else [message]


def _placed(text: str) -> tuple[str, str]:
    """The key that a problem of a plan is about, and the rest of what it says."""
    if found := _OF_NAMED.match(text):
        return f"plan.{found[1]}s.{found[2]}", text[found.end() :]
    if found := _OF_PART.match(text):
        return f"plan.{found[1]}", text[found.end() :] if found[0].rstrip().endswith(":") else text
    if found := re.match(r"^'([^']*)' is no part of a plan", text):
        return f"plan.{found[1]}", text
    return "plan", text


def _source(table: Table, plan: Plan | None, problems: Problems) -> Source:
    kind = table.word("format", SOURCES, "", needed=table.is_table)
    source = Source(kind)
    if kind in FILES:
        source = _files(table, kind)
    elif kind == "kafka":
        starting = table.word("starting", ("earliest", "latest"), "earliest")
        records = table.whole("max_records", None)
        servers, topic = _kafka(table)
        columns = _columns(table, needed=True)
        source = Source(kind, columns=columns, servers=servers, topic=topic, starting=starting, max_records=records)
    elif kind == "rate":
        source = Source(kind, rows_per_second=table.whole("rows_per_second", 10) or 10)
    elif kind == "python":
        source = Source(kind, function=_function(table))
    if not kind:
        return source
    source = replace(source, options=table.settings("options"))
    table.finish()
    _knows_times(table, source, plan, problems)
    return source


def _files(table: Table, kind: str) -> Source:
    path = table.text("path", needed='the folder, file or pattern, such as path = "payments/*.parquet"')
    watch = table.truth("watch", False)
    # What comes into a watched folder later must not change the columns of what came before; Parquet says them itself.
    columns = _columns(table, needed=watch and kind != "parquet")
    delimiter = table.text("delimiter", ",") if kind == "csv" else ","
    if len(delimiter) != 1:
        table.problem("delimiter", f'it must be one character, such as ";" or "\\t", not "{delimiter}"')
    return Source(kind, path, watch, columns, delimiter, max_files=table.whole("max_files", None))


def _kafka(table: Table) -> tuple[str, str]:
    servers = table.text("servers", needed='the brokers, such as servers = "localhost:9092"')
    wrong = [one for one in servers.split(",") if servers and not _SERVER.fullmatch(one.strip())]
    if wrong:
        table.problem(
            "servers", f'"{wrong[0].strip()}" is not a host and port: write "localhost:9092", several with commas'
        )
    return servers, table.text("topic", needed='the name of a topic, such as topic = "payments"')


def _columns(table: Table, needed: bool) -> dict[str, str]:
    given = table.get("columns")
    if given is None:
        if needed:
            table.missing("columns", 'it is missing: name each column and its type, columns = {time = "timestamp"}')
        return {}
    if not isinstance(given, Mapping) or not given:
        table.problem("columns", 'it must be a table of names and types, {time = "timestamp", amount = "float"}')
        return {}
    for name, kind in given.items():
        if kind not in TYPES:
            table.problem(f"columns.{name}", f'"{kind}" is not a type: {nearest(kind, TYPES)}')
    return {name: kind if kind in TYPES else "timestamp" for name, kind in given.items()}


def _function(table: Table) -> str:
    written = table.text("function", needed='a function, such as function = "sources:payments"')
    if written and not _FUNCTION.fullmatch(written):
        table.problem("function", f'"{written}" names no function: write its module, a colon and its name, "rows:read"')
    return written


def _knows_times(table: Table, source: Source, plan: Plan | None, problems: Problems) -> None:
    """The columns of the plan must be there, where the file says which there are."""
    given = {"rate": {"timestamp": "timestamp", "value": "int"}}.get(source.format, source.columns)
    if plan is None or not given:
        return
    # Of Parquet only those are named that are read as another type.
    if source.format != "parquet":
        missing_columns(plan, list(given), problems)
    kind = given.get(plan.on or "")
    if kind in ("text", "bool"):
        times = '"timestamp", "seconds", "milliseconds", "int" or "float"'
        table.problem(f"columns.{plan.on}", f'the plan takes times from it, and it is "{kind}": write {times}')


def missing_columns(plan: Plan, known: Sequence[str], problems: Problems) -> None:
    """Note each column that a plan reads and a source has not, at the key that names it."""
    reads = [("plan.by", name) for name in plan.by] + [("plan.on", plan.on)] * (plan.on is not None)
    reads += [(f"plan.aggregations.{key}", name) for key, one in plan.aggregations.items() for name in one.columns]
    for key, name in dict.fromkeys(reads):
        if name not in known:
            problems.add(key, f'the source has no column "{name}": {nearest(name, known)}')


def _sink(table: Table, plan: Plan | None) -> Sink:
    kind = table.word("format", SINKS, "" if "format" in table else "console")
    sink = Sink(kind)
    if not kind:
        return sink
    if kind in FILES:
        sink = Sink(kind, table.text("path", needed='the folder of the results, such as path = "results"'))
    elif kind == "kafka":
        servers, topic = _kafka(table)
        sink = Sink(kind, servers=servers, topic=topic, id=_id(table, plan))
    elif kind in LAKES:
        path = table.text("path") if kind == "delta" else ""
        needed = (
            "" if path else 'the name of a table, such as table = "lake.db.spent"' + ", or path" * (kind == "delta")
        )
        sink = Sink(kind, path, table=table.text("table", needed=needed), id=_id(table, plan))
    sink = replace(sink, options=table.settings("options"))
    table.finish()
    return sink


def _id(table: Table, plan: Plan | None) -> tuple[str, ...]:
    """The columns that tell rows apart: the key and the time, where nothing else is said."""
    default = () if plan is None else (*plan.by, *([plan.on] if plan.on else []))
    return table.texts("id") or default


def _run(table: Table, source: Source, sink: Sink, engine: str | None, master: str | None) -> Run:
    needs_spark = source.stream or sink.format in ("kafka", *LAKES)
    written = table.word("engine", ENGINES, "spark" if needs_spark else "local")
    run = Run(
        engine="spark" if (engine or written) == "spark" else "local",
        folder=table.text("folder", "run"),
        master=master or table.text("master", "local[*]"),
        trigger=table.duration("trigger"),
        buckets=table.whole("buckets", None),
        on_late=table.word("on_late", ("drop", "keep"), "drop"),
        packages=_packages(table),
        jars=table.texts("jars"),
        spark=table.settings("spark"),
        dead_letter_topic=table.text("dead_letter_topic"),
    )
    table.finish()
    return run


def _packages(table: Table) -> tuple[str, ...]:
    packages = table.texts("packages")
    for one in packages:
        if one.count(":") != 2:
            rule = "write its group, name and version, with colons"
            table.problem("packages", f'"{one}" is not a package: {rule}, "{EXAMPLE_PACKAGE}"')
    return packages


def _fits(source: Source, plan: Plan | None, sink: Sink, run: Run, problems: Problems) -> None:
    """What does not go together."""
    if sink.path and Path(normpath(run.folder)).is_relative_to(normpath(sink.path)):
        problems.add("run.folder", f'the results are in "{sink.path}", and nothing else may be: write folder = "run"')
    if run.engine == "local":
        for key, path in (("source.path", source.path), ("sink.path", sink.path)):
            if "://" in path:
                problems.add(key, f'"local" has files of this machine only, not {path}: write engine = "spark"')
        what = "watches no folder" if source.watch else f"reads no {source.format}"
        if source.stream:
            problems.add("run.engine", f'"local" {what}: write engine = "spark"')
        if sink.format in ("kafka", *LAKES):
            problems.add("run.engine", f'"local" writes no {sink.format}: write engine = "spark"')
    if run.dead_letter_topic and sink.format != "kafka":
        problems.add("run.dead_letter_topic", "a topic is written on the servers of a kafka sink: leave it out")
    if plan is None:
        return
    if source.stream and plan.lateness is None and plan.emit != "arrival":
        problems.add("plan.lateness", f'a stream with emit = "{plan.emit}" waits for late rows: write lateness = "10m"')
    if source.stream and plan.on is None:
        problems.add("plan.on", 'a stream needs times: name their column, on = "time"')
    if run.engine == "spark" and not source.stream and plan.emit == "arrival":
        problems.add("plan.emit", '"arrival" needs an order, which Spark keeps in streams only: write engine = "local"')
