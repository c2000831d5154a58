"""What the columns of a file are, guessed from its first rows."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, Final

import pyarrow as pa
import pyarrow.parquet as pq

from sash.pipeline.files import json_lines, read_fields
from sash.pipeline.records import parse_fields, parse_json

__all__ = ["arrow_word", "guess", "guess_key", "guess_time"]

_ROWS: Final = 2_000
#: So many of the values must be of a type: a few bad records do not make a column of numbers one of texts.
_SHARE: Final = 0.8
_TIMES: Final = ("time", "timestamp", "ts", "date", "datetime", "at", "when", "created", "ended", "started")
_KEYS: Final = ("key", "id", "user", "customer", "card", "account", "device", "sensor", "station", "symbol", "host")


def guess(file: Path, kind: str, delimiter: str = ",") -> dict[str, str]:
    """The columns of a file and their types, as words of `TYPES`. Cost: O(1) rows of Parquet, O(file) of others."""
    if kind == "parquet":
        return {field.name: arrow_word(field.type) for field in pq.read_schema(file)}
    if kind == "csv":
        fields = read_fields(file, delimiter)[0].slice(0, _ROWS)
        return {name: _of_fields(fields.select([name])) for name in fields.column_names}
    return _of_json(json_lines(file)[:_ROWS])


def arrow_word(kind: pa.DataType) -> str:
    """The word for a type of Arrow.

    >>> arrow_word(pa.int32()), arrow_word(pa.timestamp("ns"))
    ('int', 'timestamp')
    """
    tests: tuple[tuple[Any, str], ...] = (
        (pa.types.is_boolean, "bool"),
        (pa.types.is_integer, "int"),
        (pa.types.is_floating, "float"),
        (pa.types.is_decimal, "float"),
        (pa.types.is_timestamp, "timestamp"),
        (pa.types.is_date, "timestamp"),
    )
    return next((word for test, word in tests if test(kind)), "text")


def _of_fields(column: pa.Table) -> str:
    """The narrowest type that nearly all fields have."""
    name = column.column_names[0]
    values = sum(bool(text) for text in column.column(name).to_pylist())

    def good(kind: str) -> int:
        rows = parse_fields(column, {name: kind}, None).rows
        return int(rows.num_rows - rows.column(name).null_count)

    return _narrowest(values, good)


def _of_json(lines: list[bytes]) -> dict[str, str]:
    objects = []
    for line in lines:
        try:
            one = json.loads(line)
        except ValueError:
            continue
        if isinstance(one, dict):
            objects.append(one)
    names = dict.fromkeys(name for one in objects for name in one)
    return {name: _of_members(name, objects) for name in names}


def _of_members(name: str, objects: Sequence[Mapping[str, Any]]) -> str:
    values = [json.dumps({name: one[name]}) for one in objects if one.get(name) is not None]

    def good(kind: str) -> int:
        return int(parse_json(values, {name: kind}, None).rows.num_rows)

    return _narrowest(len(values), good)


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
    times = [name for name, kind in columns.items() if kind in ("timestamp", "seconds", "milliseconds")]
    if times:
        return next((name for name in times if _named(name, _TIMES)), times[0])
    return next((name for name, kind in columns.items() if kind in ("int", "float") and _named(name, _TIMES)), None)


def guess_key(columns: Mapping[str, str], time: str | None) -> str | None:
    """The column that is most likely the key: a text with a telling name, any such name, then the first text.

    >>> guess_key({"time": "timestamp", "card": "text", "amount": "float"}, "time")
    'card'
    """
    rest = {name: kind for name, kind in columns.items() if name != time and kind in ("text", "int")}
    texts = [name for name, kind in rest.items() if kind == "text"]
    telling = [name for name in [*texts, *rest] if _named(name, _KEYS)]
    return next(iter([*telling, *texts]), None)


def _named(name: str, words: tuple[str, ...]) -> bool:
    parts = name.lower().replace("-", "_").split("_")
    return any(word in parts or (name.lower().endswith(word) and len(word) > 2) for word in words)
