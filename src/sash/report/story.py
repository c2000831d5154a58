"""What a report tells: read from the folder of a run, which holds all that it is made from."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

import pyarrow as pa
import pyarrow.dataset as ds

from sash.errors import PipelineError
from sash.plan import Plan

__all__ = ["RUN", "Story", "Stream", "read_story"]

#: The file of a run's folder that says what ran, and where its results are.
RUN: Final = "run.json"
BATCHES: Final = "batches.jsonl"
_FORMATS: Final = {"parquet": "parquet", "csv": "csv", "json": "json"}


@dataclass(frozen=True)
class Stream:
    """A plan that ran, and the results that it emitted; None if they are not in files."""

    name: str
    title: str
    plan: Plan
    results: pa.Table | None
    #: The columns that tell one row from another.
    id: tuple[str, ...]


@dataclass(frozen=True)
class Story:
    """Everything that a report shows."""

    title: str
    facts: list[tuple[str, str]]
    streams: list[Stream]
    batches: list[dict[str, Any]]
    #: The times of the events in order of arrival, and what they are of; None where no order is known.
    arrivals: pa.ChunkedArray | None
    #: The same work by others: what, rows, seconds.
    compared: list[dict[str, Any]]
    #: Stretches of time that a reader should know of: a word, its start and its end.
    marked: list[dict[str, Any]]


def read_story(folder: Path) -> Story:
    """The story of a run's folder; `PipelineError` if it is none."""
    try:
        left = json.loads((folder / RUN).read_text(encoding="utf-8"))
    except FileNotFoundError:
        raise PipelineError(f"{folder} is not the folder of a run: it has no {RUN}; name the folder of [run]") from None
    arrivals = left.get("arrivals")
    below = left.get("below", {})
    return Story(
        left["title"],
        [(name, value) for name, value in left["facts"]],
        [_stream(folder, one, below) for one in left["streams"]],
        _batches(folder / BATCHES),
        None if arrivals is None else _times(folder, arrivals, below),
        left.get("compared", []),
        left.get("marked", []),
    )


def _stream(folder: Path, one: Mapping[str, Any], below: Mapping[str, int]) -> Stream:
    plan = Plan.from_toml(one["plan"])
    results = None if one["results"] is None else _table(folder / one["results"], one["format"], below)
    return Stream(one["name"], one["title"], plan, results, tuple(one["id"]))


def _table(folder: Path, kind: str, below: Mapping[str, int]) -> pa.Table | None:
    """The rows of a folder, of which some are left out: those whose column is not below a number."""
    if not folder.exists():
        return None
    rows = None
    for name, least in below.items():
        rows = ds.field(name) < least
    # Spark lists its files in a folder of its own, whose name says that it is hidden.
    return ds.dataset(folder, format=_FORMATS[kind]).to_table(filter=rows)


def _times(folder: Path, arrivals: Mapping[str, str], below: Mapping[str, int]) -> pa.ChunkedArray | None:
    table = _table(folder / arrivals["path"], arrivals["format"], below)
    if table is None or arrivals["on"] not in table.column_names:
        return None
    times = table.column(arrivals["on"])
    return times if pa.types.is_timestamp(times.type) or pa.types.is_integer(times.type) else None


def _batches(file: Path) -> list[dict[str, Any]]:
    if not file.exists():
        return []
    return [json.loads(line) for line in file.read_text(encoding="utf-8").splitlines()]
