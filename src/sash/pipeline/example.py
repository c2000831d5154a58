"""A pipeline file to begin with: commented, and fitted to a file if one is shown."""

from __future__ import annotations

import json
import os
import re
from collections.abc import Mapping
from pathlib import Path
from typing import Any, Final, NamedTuple

import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq

from sash.errors import PipelineError
from sash.pipeline.column_types import TYPES
from sash.pipeline.config import EXAMPLE_PACKAGE
from sash.pipeline.files import csv_delimiter, found, read_file
from sash.pipeline.guess import arrow_word, guess, guess_key, guess_time, is_key, is_place, is_time, nearly_unique

__all__ = ["example", "kind_of"]

_FORMATS: Final = {"parquet": (".parquet",), "csv": (".csv", ".tsv"), "json": (".jsonl", ".json", ".ndjson")}
_ENDINGS: Final = {ending: kind for kind, endings in _FORMATS.items() for ending in endings}
_COLUMNS: Final = {"time": "timestamp", "card": "text", "amount": "float", "shop": "text"}
_MOST: Final = 3

_TEXT: Final = """\
# A pipeline: where rows come from, what to compute over sliding windows, where results go.
#
#   sash run {name} --check     say what is wrong, and run nothing
#   sash run {name}             run it
#   sash explain {name}         what runs where, and at what cost
#
# Paths begin at the folder of this file.

[source]
{format:<30}# parquet, csv, json (lines), kafka, rate, python
path = {path}
{source}# watch = true                # a stream: keep watching the folder for new files (engine "spark")
# Kafka:    format = "kafka", servers = "localhost:9092", topic = "payments", columns = {{...}}
# Python:   format = "python", function = "module:function", which gives a frame

[plan]
{plan}{windows}
# emit = "final"              # once, exact; "update": at once and again when late rows change it; "arrival": at once
# lateness = "10m"            # how late a row of a stream may come

# Each gives a column for each window: {outputs}.
[plan.aggregations]
{aggregations}
[sink]
format = "parquet"            # parquet, csv, json, console, kafka, delta, iceberg
path = "results"

[run]
folder = "run"                # progress, bad records, checkpoint, report.html
# engine = "spark"            # "local" is this process; "spark" for streams and for what outgrows it
# master = "local[*]"
# trigger = "10s"             # how often a stream looks for new rows
# packages = ["{package}"]   # Kafka: the version of your Spark
"""


class _Shown(NamedTuple):
    """A file that was looked at: its columns, which of them `[source]` must name, its time and key, and whether its
    times are days."""

    format: str
    path: str
    columns: Mapping[str, str]
    named: Mapping[str, str]
    delimiter: str
    time: str
    key: str | None
    days: bool


_GENERAL: Final = _Shown("parquet", "payments", _COLUMNS, {}, ",", "time", "card", False)


def example(shown: Path | None, out: Path) -> str:
    """The text of a pipeline file at `out`, over the file or folder that is shown.

    `PipelineError` if it is none of Parquet, CSV or JSON lines, has no rows, no header or no column of times. Cost:
    that of reading it.

    >>> text = example(None, Path("pipeline.toml"))
    >>> from sash.pipeline.config import read_pipeline
    >>> read_pipeline(text, Path("pipeline.toml")).plan.columns
    ('card', 'time', 'amount')
    """
    fit = _GENERAL if shown is None else _look(shown, out)
    aggregations = _aggregations(fit)
    windows, comment = _windows(fit)
    return _TEXT.format(
        name=out.name,
        format=f"format = {_text(fit.format)}",
        path=_text(fit.path),
        source=_source(fit),
        plan=f"by = {_text(fit.key)}\non = {_text(fit.time)}\n" if fit.key else f"on = {_text(fit.time)}\n",
        windows=f"windows = {json.dumps(windows)}{comment}",
        outputs=", ".join(f"{next(iter(aggregations))}_{window}" for window in windows),
        aggregations="".join(f"{_key(name)} = '{call}'\n" for name, call in aggregations.items()),
        package=EXAMPLE_PACKAGE,
    )


def _windows(fit: _Shown) -> tuple[list[Any], str]:
    """Two to begin with, and what a reader should know of them."""
    if fit.columns[fit.time] in ("int", "float"):
        length = '{policy = "TimeWindow", length = 60}'
        return [10, 100], f"          # so many rows each; {length} is a length in the unit of {fit.time}"
    return (["7d", "30d"] if fit.days else ["10m", "1h"]), ""


def kind_of(path: Path) -> str:
    """The format of a file or of the files in a folder, by their endings; `PipelineError` if it is none that is
    known."""
    files = found(path)
    if not files:
        raise PipelineError(f"there is no file at {path}")
    for ending in reversed(files[0].suffixes):
        if ending in _ENDINGS:
            return _ENDINGS[ending]
    raise PipelineError(f"{files[0]} is none of {', '.join(_ENDINGS)}: sash init takes Parquet, CSV and JSON lines")


def _look(shown: Path, out: Path) -> _Shown:
    kind = kind_of(shown)
    first = found(shown)[0]
    delimiter = _delimiter(first) if kind == "csv" else ","
    path = os.path.relpath(shown.resolve(), out.parent.resolve())
    try:
        columns = guess(first, kind, delimiter)
    except pa.ArrowInvalid as error:
        raise PipelineError(f"{first} cannot be read as {kind}: {str(error).splitlines()[0]}") from None
    _refuse_data_as_header(first, columns)
    named = _read_as(first, columns) if kind == "parquet" else columns
    rows = read_file(first, kind, named, None, delimiter).rows
    if not rows.num_rows:
        raise PipelineError(f"{first} has no rows, from which types are guessed: show sash init a file that has some")
    time = guess_time(columns)
    if time is None:
        raise PipelineError(_without_time(first, columns, rows))
    unique = nearly_unique(rows)
    key = guess_key({name: word for name, word in columns.items() if name not in unique}, time)
    return _Shown(kind, path, columns, named, delimiter, time, key, _days(rows.column(time)))


def _read_as(file: Path, columns: Mapping[str, str]) -> dict[str, str]:
    """The columns of Parquet that are read as another type than their own."""
    own = {field.name: arrow_word(field.type) for field in pq.read_schema(file)}
    return {name: word for name, word in columns.items() if word in TYPES and word != own[name]}


def _refuse_data_as_header(file: Path, columns: Mapping[str, str]) -> None:
    for name in columns:
        if re.fullmatch(r"|-?[\d.,]+|\d{4}-\d\d-\d\d.*", name.strip()):
            raise PipelineError(f'{file} begins with data, "{name}": put a line of column names before it')


def _without_time(file: Path, columns: Mapping[str, str], rows: pa.Table) -> str:
    """Why no column is taken for the time, and what would be."""
    text = next((name for name, kind in columns.items() if kind == "text" and is_time(name)), None)
    if text is not None:
        value = next((one for one in rows.column(text).to_pylist() if one), "")
        return f'{file}: column "{text}" would be the time, but "{value}" is not ISO 8601, such as 2024-05-01T10:00:00'
    return (
        f"{file} has no column that looks like a time: its columns are {_listed(columns)}; a time is written as"
        " 2024-05-01T10:00:00, or is a number in a column named time or ts"
    )


def _days(times: pa.ChunkedArray) -> bool:
    """Whether all times are whole days."""
    if pa.types.is_date(times.type):
        return True
    return pa.types.is_timestamp(times.type) and bool(pc.all(pc.equal(times, pc.floor_temporal(times))).as_py())


def _delimiter(file: Path) -> str:
    with pa.input_stream(str(file)) as stream:
        header: bytes = stream.read(1 << 20).split(b"\n", 1)[0]
    return csv_delimiter(header.decode("utf-8", "replace"))


def _source(fit: _Shown) -> str:
    """What text needs said, and Parquet says itself."""
    lines = [f"delimiter = {_text(fit.delimiter)}\n"] * (fit.delimiter != ",")
    if fit.named:
        columns = ", ".join(f"{_key(name)} = {_text(kind)}" for name, kind in fit.named.items())
        lines.append(f"columns = {{{columns}}}\n")
        lines.append("# Types: text, int, float, bool, timestamp; seconds and milliseconds for times as numbers.\n")
    return "".join(lines)


def _aggregations(fit: _Shown) -> dict[str, str]:
    numbers = [
        name
        for name, kind in fit.columns.items()
        if kind in ("int", "float") and name not in (fit.time, fit.key) and not (is_key(name) or is_place(name))
    ]
    made = {"count": "Count()"}
    for name in numbers[:_MOST]:
        made |= {f"{name}_mean": f"Mean({_text(name)})", f"{name}_max": f"Max({_text(name)})"}
    return made


def _listed(columns: Mapping[str, str]) -> str:
    return ", ".join(f"{name} ({kind})" for name, kind in columns.items())


def _text(value: str) -> str:
    return json.dumps(value, ensure_ascii=False)


def _key(name: str) -> str:
    return name if name.isascii() and name.replace("_", "").replace("-", "").isalnum() else _text(name)
