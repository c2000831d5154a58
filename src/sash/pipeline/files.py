"""Files in and files out, in this process: Parquet, CSV and JSON lines."""

from __future__ import annotations

import csv
import glob
import json
import shutil
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any, Final

import pyarrow as pa
import pyarrow.csv
import pyarrow.parquet as pq

from sash.errors import PipelineError
from sash.pipeline.records import (
    Parsed,
    dead_letters,
    fields_as_text,
    odd_fields,
    parse_fields,
    parse_json,
    parse_typed,
)

__all__ = [
    "ENDINGS",
    "csv_delimiter",
    "csv_names",
    "found",
    "json_lines",
    "put_in_place",
    "read_fields",
    "read_file",
    "refuse_strange",
    "replace_folder",
]

ENDINGS: Final = {"parquet": ".parquet", "csv": ".csv", "json": ".jsonl"}


def found(path: Path) -> list[Path]:
    """The files of a path: itself, all in the folder, or all that the pattern matches, in the order of their names.

    Names that begin with a dot or an underscore are left out, as Spark does.
    """
    if path.is_dir():
        files = [file for file in path.rglob("*") if file.is_file()]
    else:
        files = [Path(name) for name in glob.glob(str(path), recursive=True) if Path(name).is_file()]
    root = path if path.is_dir() else Path()
    return sorted(file for file in files if not _hidden(file, root))


def _hidden(file: Path, root: Path) -> bool:
    parts = file.relative_to(root).parts if file.is_relative_to(root) and root != Path() else (file.name,)
    return any(part.startswith((".", "_")) for part in parts)


def read_file(file: Path, kind: str, columns: Mapping[str, str], on: str | None, delimiter: str) -> Parsed:
    """The rows of one file, and its bad records. `PipelineError` if it cannot be read at all."""
    try:
        if kind == "parquet":
            rows = pq.read_table(file)
            _refuse_missing(file, columns, rows.column_names)
            return parse_typed(rows, on, columns)
        if kind == "json":
            return parse_json(json_lines(file), columns, on)
        fields, odd = read_fields(file, delimiter)
        _refuse_missing(file, columns, fields.column_names)
        parsed = parse_fields(fields, columns, on)
        return Parsed(parsed.rows, pa.concat_tables([odd, parsed.dead]))
    except (pa.ArrowInvalid, OSError) as error:
        raise PipelineError(f"{file} cannot be read as {kind}: {str(error).splitlines()[0]}") from None


def _refuse_missing(file: Path, columns: Mapping[str, str], there: list[str]) -> None:
    missing = [name for name in columns if name not in there]
    if missing:
        raise PipelineError(f"{file} has no column {missing[0]!r}: it has {', '.join(there)}")


def json_lines(file: Path) -> list[bytes]:
    """The lines of a file, which may be compressed."""
    with pa.input_stream(str(file)) as stream:
        lines: list[bytes] = stream.read().split(b"\n")
    return lines


def read_fields(file: Path, delimiter: str) -> tuple[pa.Table, pa.Table]:
    """All fields of a CSV file as text, and letters for the lines that have more or fewer than the header."""
    odd: list[tuple[str, str]] = []

    def skip(row: pa.csv.InvalidRow) -> str:
        odd.append((odd_fields(row.expected_columns), str(row.text)))
        return "skip"

    names = csv_names(file, delimiter)
    fields = pa.csv.read_csv(
        str(file),
        parse_options=pa.csv.ParseOptions(delimiter=delimiter, invalid_row_handler=skip, newlines_in_values=True),
        convert_options=pa.csv.ConvertOptions(column_types=dict.fromkeys(names, pa.binary())),
    )
    texts, bad = fields_as_text(fields)
    return texts, pa.concat_tables([dead_letters(odd), bad])


def csv_names(file: Path, delimiter: str) -> list[str]:
    """The column names of a CSV file; `PipelineError` if one is missing or there twice, or if another delimiter is
    between them."""
    with pa.input_stream(str(file)) as stream:
        header: bytes = stream.read(1 << 20).split(b"\n", 1)[0]
    text = header.decode("utf-8-sig", "replace").rstrip("\r")
    if not text.strip():
        raise PipelineError(f"{file} is empty: a CSV file begins with a line of column names")
    names = next(csv.reader([text], delimiter=delimiter))
    other = csv_delimiter(text)
    if len(names) == 1 and other in text:
        raise PipelineError(f"its first line has no {delimiter!r}: write delimiter = {json.dumps(other)}")
    if "" in names:
        raise PipelineError(f"column {names.index('') + 1} of {file} has no name: write one into its first line")
    if twice := [name for name in names if names.count(name) > 1]:
        raise PipelineError(f'{file} has two columns "{twice[0]}": rename one of them in its first line')
    return names


def csv_delimiter(header: str) -> str:
    """The one of the usual that a line has most of."""
    return max((",", ";", "\t", "|"), key=header.count)


def replace_folder(folder: Path, kind: str, tables: Iterator[pa.Table] | list[pa.Table]) -> int:
    """Write the tables as files of a folder, which takes the place of an older one when all of it is there.

    `PipelineError` if the folder holds anything that is no such file: nobody else's work is deleted. Gives the rows.
    """
    refuse_strange(folder)
    new = folder.with_name(f".{folder.name}.new")
    shutil.rmtree(new, ignore_errors=True)
    new.mkdir(parents=True)
    rows = 0
    for number, table in enumerate(tables):
        _write(table, new / f"part-{number:05}{ENDINGS[kind]}", kind)
        rows += table.num_rows
    put_in_place(new, folder)
    return rows


def put_in_place(new: Path, folder: Path) -> None:
    """A folder that is complete takes the place of an older one."""
    if folder.exists():
        shutil.rmtree(folder)
    new.rename(folder)


def refuse_strange(folder: Path) -> None:
    """`PipelineError` if the folder holds anything that no run has written: nobody else's work is deleted."""
    if folder.is_file():
        raise PipelineError(f"{folder} is a file, and results go into a folder: write another path")
    own = ("part-", "_", ".")
    files = sorted(folder.iterdir()) if folder.is_dir() else []
    strange = next((path.name for path in files if not path.name.startswith(own)), None)
    if strange is not None:
        raise PipelineError(f"{folder} holds {strange}, which no run has written: write another path")


def _write(table: pa.Table, file: Path, kind: str) -> None:
    if kind == "parquet":
        pq.write_table(table, file)
    elif kind == "csv":
        pa.csv.write_csv(table, str(file))
    else:
        with file.open("w", encoding="utf-8") as out:
            out.writelines(json.dumps(row, default=_json) + "\n" for row in table.to_pylist())


def _json(value: Any) -> Any:
    """What JSON has no form for: times as ISO 8601, bytes as hexadecimal digits."""
    if hasattr(value, "isoformat"):
        return value.isoformat()
    return value.hex() if isinstance(value, bytes) else str(value)
