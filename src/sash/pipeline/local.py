"""A pipeline in this process, without Java: files or a function in, files or the terminal out."""

from __future__ import annotations

import time
from collections.abc import Iterable, Iterator, Mapping
from datetime import datetime
from pathlib import Path
from typing import Any, Final

import pyarrow as pa

import sash
from sash.errors import PipelineError
from sash.pipeline.files import found, read_file, replace_folder
from sash.pipeline.fit import at_rest, called, columns_of
from sash.pipeline.parts import FILES, Pipeline
from sash.pipeline.progress import Batch, Progress, amount
from sash.pipeline.records import Parsed, dead_letters, parse_typed
from sash.pipeline.stop import Stop

__all__ = ["run_local"]

_SHOWN: Final = 20


def run_local(pipeline: Pipeline, progress: Progress, stop: Stop) -> None:
    """Read everything, compute, and put the results in the place of older ones when all are there.

    All rows are one batch: none is late, and what `emit="update"` emits is revision 0. `Stopped` leaves the results of
    an earlier run as they were. Cost: the rows in memory, and that of `sash.rolling`.
    """
    start = time.perf_counter()
    parsed = _read(pipeline, progress, stop)
    made = amount(len(pipeline.plan.outputs), "column")
    progress.stage(f"Computing {made} over {amount(parsed.rows.num_rows, 'row')}")
    results = _computed(parsed.rows, pipeline)
    stop.check()
    progress.stage("Writing")
    _write(results, parsed.dead, pipeline)
    seconds = time.perf_counter() - start
    rows = parsed.rows.num_rows + parsed.dead.num_rows
    progress.batch(Batch(0, rows, results.num_rows, dead=parsed.dead.num_rows, seconds=seconds))


def _read(pipeline: Pipeline, progress: Progress, stop: Stop) -> Parsed:
    source, on = pipeline.source, pipeline.plan.on
    if source.format not in FILES:
        progress.stage(f"Calling {source.function}")
        return parse_typed(_joined(_tables(called(pipeline), pipeline)), on, {})
    files = found(pipeline.path(source.path))
    columns = columns_of(pipeline)
    progress.stage(f"Reading {amount(len(files), 'file')}", sum(file.stat().st_size for file in files))
    parts = []
    for file in files:
        stop.check()
        parts.append(read_file(file, source.format, columns, on, source.delimiter))
        progress.advance(file.stat().st_size)
    return Parsed(_joined(part.rows for part in parts), pa.concat_tables(part.dead for part in parts))


def _joined(tables: Iterable[pa.Table]) -> pa.Table:
    """One table; a column that one of them has not is null there."""
    try:
        return pa.concat_tables(tables, promote_options="permissive")
    except (pa.ArrowInvalid, pa.ArrowTypeError) as error:
        raise PipelineError(f"the files do not go together: {str(error).splitlines()[0]}") from None


def _tables(given: Any, pipeline: Pipeline) -> Iterable[pa.Table]:
    """What a function gives: a frame, or several one after another."""
    if isinstance(given, Mapping) or hasattr(given, "__arrow_c_stream__") or hasattr(given, "columns"):
        return [_table(given)]
    if isinstance(given, Iterable):
        return [_table(one) for one in given]
    way = f"it must give a frame or an iterable of frames, not {type(given).__name__}"
    raise pipeline.problems.error("source.function", way)


def _table(frame: Any) -> pa.Table:
    # A pandas index is no column, unless it has a name.
    if type(frame).__module__.startswith("pandas"):
        return pa.Table.from_pandas(frame, preserve_index=frame.index.name is not None)
    return pa.table(dict(frame) if isinstance(frame, Mapping) else frame)


def _computed(rows: pa.Table, pipeline: Pipeline) -> pa.Table:
    results = sash.rolling(rows, at_rest(pipeline.plan), progress=False)
    if pipeline.plan.emit == "update":
        results = results.append_column("revision", pa.array([0] * results.num_rows, pa.int32()))
    return results


def _write(results: pa.Table, dead: pa.Table, pipeline: Pipeline) -> None:
    sink = pipeline.sink
    if sink.format == "console":
        show(results)
    else:
        replace_folder(pipeline.path(sink.path), sink.format, [results])
    _write_dead(dead, pipeline.dead_letters)


def _write_dead(dead: pa.Table, folder: Path) -> None:
    if dead.num_rows or folder.exists():
        replace_folder(folder, "json", [dead] if dead.num_rows else [dead_letters([])])


def show(results: pa.Table, most: int = _SHOWN) -> None:
    """Print the first rows as a table, as wide as it is: a heading that is cut off says nothing."""
    for line in _lines(results.slice(0, most)):
        print(line)
    if results.num_rows > most:
        print(f"... and {results.num_rows - most:,} rows more: a sink with a path keeps all of them")


def _lines(rows: pa.Table) -> Iterator[str]:
    cells = [[field.name, *map(_cell, rows.column(field.name).to_pylist())] for field in rows.schema]
    numbers = [pa.types.is_integer(kind) or pa.types.is_floating(kind) for kind in rows.schema.types]
    for row in zip(*(_aligned(column, right) for column, right in zip(cells, numbers, strict=True)), strict=True):
        yield "  ".join(row).rstrip()


def _cell(value: Any) -> str:
    if value is None:
        return ""
    if isinstance(value, datetime):
        return value.replace(tzinfo=None).isoformat(" ", "seconds")
    return f"{value:.6g}" if isinstance(value, float) else str(value)


def _aligned(texts: list[str], right: bool) -> list[str]:
    width = max(map(len, texts))
    return [text.rjust(width) if right else text.ljust(width) for text in texts]
