"""What the columns of a file are, guessed from its first rows."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, Final

import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq

from sash.errors import PipelineError
from sash.pipeline.files import json_lines, read_fields
from sash.pipeline.records import parse_fields, parse_json

__all__ = [
    "arrow_word",
    "format_of",
    "guess",
    "guess_key",
    "guess_time",
    "is_key",
    "is_place",
    "is_time",
    "nearly_unique",
]

_ROWS: Final = 2_000
#: So many of the values must be of a type: a few bad records do not make a column of numbers one of texts.
_SHARE: Final = 0.8
_TIMES: Final = ("time", "timestamp", "ts", "date", "datetime", "at", "when", "created", "ended", "started")
#: Whole numbers that count from 1970 and fall between 1990 and 2100 are times, if their column is named so.
_EPOCHS: Final = {"seconds": (631_152_000, 4_102_444_800), "milliseconds": (631_152_000_000, 4_102_444_800_000)}
_KEYS: Final = ("key", "id", "user", "customer", "card", "account", "device", "sensor", "station", "symbol", "host")
_PLACES: Final = ("lat", "latitude", "lon", "lng", "longitude")
#: Fewer rows do not show whether the values of a column repeat.
_ENOUGH: Final = 100


def guess(file: Path, kind: str, delimiter: str = ",") -> dict[str, str]:
    """The columns of a file and their types, as words of `TYPES`; what is none of them has its name in Arrow.

    `PipelineError` for JSON that is no lines. Cost: O(1) rows of Parquet, O(file) of others.
    """
    if kind == "parquet":
        return _of_parquet(file)
    if kind == "csv":
        fields = read_fields(file, delimiter)[0].slice(0, _ROWS)
        return {name: _of_fields(fields.select([name])) for name in fields.column_names}
    return _of_json(json_lines(file)[:_ROWS], file)


def format_of(file: Path) -> str | None:
    """What a file is, by its first bytes or by its ending; None where neither says it."""
    with pa.input_stream(str(file)) as stream:
        first: bytes = stream.read(64)
    if first.startswith(b"PAR1"):
        return "parquet"
    if first.lstrip().startswith(b'{"'):
        return "json"
    return "csv" if file.suffix in (".csv", ".tsv") else None


def _of_parquet(file: Path) -> dict[str, str]:
    parquet = pq.ParquetFile(file)
    rows = next(parquet.iter_batches(_ROWS), None)
    words = {field.name: arrow_word(field.type) for field in parquet.schema_arrow}
    return words if rows is None else {name: _of_typed(name, rows.column(name), word) for name, word in words.items()}


def _of_typed(name: str, column: pa.Array, word: str) -> str:
    """Times may be texts or numbers, and decimals are computed on as floats."""
    if word == "int":
        return _epoch(name, column)
    if word == "text" and is_time(name):
        return "timestamp" if _of_fields(pa.table({name: column.cast(pa.string())})) == "timestamp" else word
    return "float" if word == "decimal" else word


def _epoch(name: str, numbers: pa.Array) -> str:
    ends = pc.min_max(numbers).as_py()
    for word, (least, most) in _EPOCHS.items():
        if is_time(name) and ends["min"] is not None and least <= ends["min"] and ends["max"] < most:
            return word
    return "int"


def arrow_word(kind: pa.DataType) -> str:
    """The word for a type of Arrow; its own name, if there is none.

    >>> arrow_word(pa.int32()), arrow_word(pa.timestamp("ns")), arrow_word(pa.list_(pa.int64()))
    ('int', 'timestamp', 'list<item: int64>')
    """
    tests: tuple[tuple[Any, str], ...] = (
        (pa.types.is_boolean, "bool"),
        (pa.types.is_integer, "int"),
        (pa.types.is_floating, "float"),
        (pa.types.is_decimal, "decimal"),
        (pa.types.is_timestamp, "timestamp"),
        (pa.types.is_date, "date"),
        (pa.types.is_string, "text"),
        (pa.types.is_large_string, "text"),
        (pa.types.is_dictionary, "text"),
    )
    return next((word for test, word in tests if test(kind)), str(kind))


def _of_fields(column: pa.Table) -> str:
    """The narrowest type that nearly all fields have."""
    name = column.column_names[0]
    values = sum(bool(text) for text in column.column(name).to_pylist())

    def good(kind: str) -> int:
        rows = parse_fields(column, {name: kind}, None).rows
        return int(rows.num_rows - rows.column(name).null_count)

    word = _narrowest(values, good)
    return _epoch(name, parse_fields(column, {name: word}, None).rows.column(name)) if word == "int" else word


def _of_json(lines: list[bytes], file: Path) -> dict[str, str]:
    objects = []
    for line in lines:
        try:
            one = json.loads(line)
        except ValueError:
            continue
        if isinstance(one, dict):
            objects.append(one)
    if not objects and lines[0].lstrip().startswith(b"["):
        way = f"jq -c '.[]' {file} > {file.stem}.jsonl"
        raise PipelineError(f"{file} is one JSON array, and JSON lines are an object a line: {way} makes them")
    if not objects:
        way = f"jq -c . {file} > {file.stem}.jsonl writes an object a line"
        raise PipelineError(f"no line of {file} is a JSON object: {way}")
    names = dict.fromkeys(name for one in objects for name in one)
    words = {name: _of_members(name, objects) for name in names}
    return {name: word for name, word in words.items() if word is not None}


def _of_members(name: str, objects: Sequence[Mapping[str, Any]]) -> str | None:
    """The type of a member; None for lists and objects, which no column holds."""
    values = [json.dumps({name: one[name]}) for one in objects if one.get(name) is not None]

    def good(kind: str) -> int:
        return int(parse_json(values, {name: kind}, None).rows.num_rows)

    word = _narrowest(len(values), good)
    if word == "text" and values and good("text") == 0:
        return None
    return _epoch(name, parse_json(values, {name: word}, None).rows.column(name)) if word == "int" else word


def _narrowest(values: int, good: Any) -> str:
    """Whole numbers are numbers too: they are what a column holds only if no other number is among them."""
    enough = max(_SHARE * values, 1)
    numbers = good("float")
    if numbers >= enough:
        return "int" if good("int") == numbers else "float"
    return next((kind for kind in ("bool", "timestamp") if good(kind) >= enough), "text")


def guess_time(columns: Mapping[str, str]) -> str | None:
    """The column that is most likely the time: a timestamp before a number, a telling name before others.

    >>> guess_time({"id": "int", "ts": "int", "amount": "float"}), guess_time({"day": "timestamp"})
    ('ts', 'day')
    """
    times = [name for name, kind in columns.items() if kind in ("timestamp", "date", *_EPOCHS)]
    if times:
        return next((name for name in times if is_time(name)), times[0])
    return next((name for name, kind in columns.items() if kind in ("int", "float") and is_time(name)), None)


def guess_key(columns: Mapping[str, str], time: str | None) -> str | None:
    """The column that is most likely the key: a text with a telling name, any such name, then the first text.

    >>> guess_key({"time": "timestamp", "card": "text", "amount": "float"}, "time")
    'card'
    """
    rest = {name: kind for name, kind in columns.items() if name != time and kind in ("text", "int")}
    texts = [name for name, kind in rest.items() if kind == "text"]
    telling = [name for name in [*texts, *rest] if is_key(name)]
    return next(iter([*telling, *texts]), None)


def nearly_unique(rows: pa.Table) -> list[str]:
    """The columns in which most rows have a value of their own: as a key, each would give windows of one row.

    >>> nearly_unique(pa.table({"id": range(100), "card": ["a", "b"] * 50}))
    ['id']
    >>> nearly_unique(pa.table({"id": range(3)}))
    []
    """
    first = rows.slice(0, _ROWS)
    if first.num_rows < _ENOUGH:
        return []
    plain = [name for name in first.column_names if arrow_word(first.column(name).type) in ("text", "int")]
    return [name for name in plain if 2 * pc.count_distinct(first.column(name)).as_py() > first.num_rows]


def is_time(name: str) -> bool:
    """Whether a column that is named so is likely to hold times.

    >>> is_time("Event Time"), is_time("createdAt"), is_time("amount")
    (True, True, False)
    """
    return _named(name, _TIMES)


def is_key(name: str) -> bool:
    """Whether a column that is named so is likely to tell whose event it is.

    >>> is_key("User ID"), is_key("userId"), is_key("paid")
    (True, True, False)
    """
    return _named(name, _KEYS)


def is_place(name: str) -> bool:
    """Whether a column that is named so is likely to hold a coordinate, which has no useful mean.

    >>> is_place("start_lat"), is_place("Longitude"), is_place("flat_rate")
    (True, True, False)
    """
    return _named(name, _PLACES)


def _named(name: str, words: tuple[str, ...]) -> bool:
    parts = re.split(r"[^a-z0-9]+", re.sub(r"(?<=[a-z0-9])(?=[A-Z])", "_", name).lower())
    return any(word in parts or (parts[-1].endswith(word) and len(word) > 2) for word in words)
