"""A pipeline file to begin with: commented, and fitted to a file if one is shown."""

from __future__ import annotations

import json
import os
from collections.abc import Mapping
from pathlib import Path
from typing import Final, NamedTuple

from sash.errors import PipelineError
from sash.pipeline.files import found
from sash.pipeline.guess import guess, guess_key, guess_time

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
format = "{format}"            # parquet, csv, json (lines), kafka, rate, python
path = {path}
{source}# watch = true                # a stream: keep watching the folder for new files (engine "spark")
# Kafka:    format = "kafka", servers = "localhost:9092", topic = "payments", columns = {{...}}
# Python:   format = "python", function = "module:function", which gives a frame

[plan]
{plan}windows = {windows}
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
# packages = ["org.apache.spark:spark-sql-kafka-0-10_2.13:4.2.0"]   # Kafka: the version of your Spark
"""


class _Shown(NamedTuple):
    format: str
    path: str
    columns: Mapping[str, str]
    delimiter: str


def example(shown: Path | None, out: Path) -> str:
    """The text of a pipeline file at `out`, over the file or folder that is shown.

    `PipelineError` if it is none of Parquet, CSV or JSON lines, or has no column of times. Cost: that of reading it.

    >>> text = example(None, Path("pipeline.toml"))
    >>> from sash.pipeline.config import read_pipeline
    >>> read_pipeline(text, Path("pipeline.toml")).plan.columns
    ('card', 'time', 'amount')
    """
    fit = _Shown("parquet", "payments", _COLUMNS, ",") if shown is None else _look(shown, out)
    time = guess_time(fit.columns)
    if time is None:
        raise PipelineError(
            f"{shown} has no column that looks like a time: its columns are {_listed(fit.columns)}; name one of them"
            " ts, or write the file by hand from the example of sash init"
        )
    key = guess_key(fit.columns, time)
    aggregations = _aggregations(fit.columns, time, key)
    windows = ["10m", "1h"] if fit.columns[time] == "timestamp" else [10, 100]
    return _TEXT.format(
        name=out.name,
        format=fit.format,
        path=_text(fit.path),
        source=_source(fit, time),
        plan=f"by = {_text(key)}\non = {_text(time)}\n" if key else f"on = {_text(time)}\n",
        windows=json.dumps(windows),
        outputs=", ".join(f"{next(iter(aggregations))}_{window}" for window in windows),
        aggregations="".join(f"{_key(name)} = '{call}'\n" for name, call in aggregations.items()),
    )


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
    return _Shown(kind, path, guess(first, kind, delimiter), delimiter)


def _delimiter(file: Path) -> str:
    """The one of the usual that the header has most of."""
    with file.open(encoding="utf-8", errors="replace") as stream:
        header = stream.readline()
    return max((",", ";", "\t", "|"), key=header.count)


def _source(fit: _Shown, time: str) -> str:
    """What text needs said, and Parquet says itself."""
    lines = [f"delimiter = {_text(fit.delimiter)}\n"] * (fit.delimiter != ",")
    if fit.format != "parquet":
        columns = ", ".join(f"{_key(name)} = {_text(kind)}" for name, kind in fit.columns.items())
        lines.append(f"columns = {{{columns}}}\n")
        lines.append("# Types: text, int, float, bool, timestamp; seconds and milliseconds for times as numbers.\n")
    return "".join(lines)


def _aggregations(columns: Mapping[str, str], time: str, key: str | None) -> dict[str, str]:
    numbers = [name for name, kind in columns.items() if kind in ("int", "float") and name not in (time, key)]
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
