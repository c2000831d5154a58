"""Records of text as typed rows. What cannot be read goes aside with the reason, and never stops the others.

Both engines read records by these functions, so that a bad record is bad for both, and for the same reason.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence
from typing import Any, Final, NamedTuple

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from sash.pipeline.column_types import TYPES

__all__ = [
    "DEAD",
    "Parsed",
    "dead_letters",
    "fields_as_text",
    "odd_fields",
    "parse_fields",
    "parse_json",
    "parse_typed",
    "schema_of",
]

#: What a bad record leaves: why it is bad, and what it was.
DEAD: Final = pa.schema([("reason", pa.string()), ("record", pa.string())])
_INT64: Final = 2**63
_SCALE: Final = {"seconds": 1_000_000, "milliseconds": 1_000}
_JSON_TYPES: Final[Mapping[str, tuple[type, ...]]] = {
    "text": (str,),
    "int": (int,),
    "float": (int, float),
    "bool": (bool,),
    "timestamp": (str,),
    "seconds": (int, float),
    "milliseconds": (int,),
}


class Parsed(NamedTuple):
    """The rows that could be read, and the dead letters of those that could not."""

    rows: pa.Table
    dead: pa.Table


def schema_of(columns: Mapping[str, str]) -> pa.Schema:
    """The columns as Arrow has them.

    >>> schema_of({"card": "text", "time": "seconds"}).types
    [DataType(string), TimestampType(timestamp[us, tz=UTC])]
    """
    return pa.schema([(name, _arrow(kind)) for name, kind in columns.items()])


def dead_letters(letters: Iterable[tuple[str, str]]) -> pa.Table:
    """Reasons and records as a table."""
    reasons, records = zip(*letters, strict=True) if (letters := list(letters)) else ((), ())
    return pa.table([pa.array(reasons, pa.string()), pa.array(records, pa.string())], DEAD)


def parse_json(lines: Sequence[str | bytes | None], columns: Mapping[str, str], on: str | None) -> Parsed:
    """Lines of JSON objects as rows of the columns; other members are left out. Empty lines are none.

    A record is bad if it is not an object, if a value is not of its column's type, or if it has no time. O(lines).

    >>> lines = ['{"t": 1, "x": 2.5}', '{"t": 2', '{"t": 3, "x": "much"}', '{"x": 1}', '[]', b'{"t": 4, "\\xff": 1}']
    >>> parsed = parse_json(lines, {"t": "int", "x": "float"}, "t")
    >>> parsed.rows.to_pylist()
    [{'t': 1, 'x': 2.5}]
    >>> for letter in parsed.dead["reason"].to_pylist():
    ...     print(letter)
    it is not JSON: Expecting ',' delimiter at character 8
    it is not an object, {...}
    it is not UTF-8: byte 11 is 0xff
    column "x": "much" is not a number
    column "t" has no time
    """
    objects, texts, letters = [], [], []
    for line in lines:
        text, reason = _text(line)
        if not text.strip():
            continue
        found = reason or _object(text)
        if isinstance(found, str):
            letters.append((found, text))
        else:
            objects.append(found)
            texts.append(text)
    made = {name: _of_values([one.get(name) for one in objects], kind) for name, kind in columns.items()}
    raw = {name: [one.get(name) for one in objects] for name in columns}
    return _sorted_out(_together(made, columns), made, raw, columns, on, texts, letters)


def parse_fields(fields: pa.Table, columns: Mapping[str, str], on: str | None) -> Parsed:
    """Columns of text as rows of the columns; an empty field is null. Cost: O(rows), and O(log rows) for a bad field.

    >>> fields = pa.table({"t": ["1", "2", "", "4"], "x": [" 5", "six", "7", ""]})
    >>> parsed = parse_fields(fields, {"t": "int", "x": "int"}, "t")
    >>> parsed.rows.to_pylist(), parsed.dead["reason"].to_pylist()
    ([{'t': 1, 'x': 5}, {'t': 4, 'x': None}], ['column "x": "six" is not a whole number', 'column "t" has no time'])
    """
    texts = {name: _nulls(fields.column(name)) for name in columns}
    made = {name: _of_texts(texts[name], kind) for name, kind in columns.items()}
    raw = {name: _Lazy(texts[name]) for name in columns}
    return _sorted_out(_together(made, columns), made, raw, columns, on, _Records(pa.table(texts)), [])


def fields_as_text(fields: pa.Table) -> tuple[pa.Table, pa.Table]:
    """Columns of bytes as texts, and letters for the rows that have a field that is no UTF-8. Cost: O(rows).

    >>> texts, dead = fields_as_text(pa.table({"t": [b"1", b"2"], "x": [b"tea", b"caf\\xe9"]}))
    >>> texts.to_pylist(), dead["reason"].to_pylist()
    ([{'t': '1', 'x': 'tea'}], ['column "x" is not UTF-8: byte 4 is 0xe9'])
    """
    schema = pa.schema([(name, pa.string()) for name in fields.column_names])
    try:
        return fields.cast(schema), dead_letters([])
    except pa.ArrowInvalid:
        found = [_as_text(row) for row in fields.to_pylist()]
    good = pa.Table.from_pylist([row for row, reason in found if not reason], schema)
    letters = [(reason, json.dumps(row, ensure_ascii=False)) for row, reason in found if reason]
    return good, dead_letters(letters)


def _as_text(row: Mapping[str, bytes | None]) -> tuple[dict[str, str | None], str]:
    """A row of bytes as texts, and why one of them is none."""
    read = {name: None if value is None else _text(value) for name, value in row.items()}
    wrong = [f'column "{name}"{one[1][2:]}' for name, one in read.items() if one and one[1]]
    return {name: one and one[0] for name, one in read.items()}, "; ".join(wrong)


def parse_typed(rows: pa.Table, on: str | None, columns: Mapping[str, str]) -> Parsed:
    """Rows that have their types, but for some columns, which are read as another: what cannot be, and rows without a
    time, are bad. Cost: O(rows).

    >>> parse_typed(pa.table({"t": [1, None]}), "t", {}).dead.to_pylist()
    [{'reason': 'column "t" has no time', 'record': '{"t": null}'}]
    >>> rows = pa.table({"t": [1_714_557_600, 1_714_557_660], "x": ["7", "much"]})
    >>> parsed = parse_typed(rows, "t", {"t": "seconds", "x": "int"})
    >>> [str(row["t"]) for row in parsed.rows.to_pylist()], parsed.dead["reason"].to_pylist()
    (['2024-05-01 10:00:00+00:00'], ['column "x": "much" is not a whole number'])
    """
    made = {name: _read_as(rows.column(name).combine_chunks(), kind) for name, kind in columns.items()}
    raw = {name: _Lazy(rows.column(name)) for name in columns}
    typed = rows
    for name, one in made.items():
        typed = typed.set_column(typed.column_names.index(name), name, one.array)
    return _sorted_out(typed, made, raw, columns, on, _Records(rows), [])


def _read_as(column: pa.Array, kind: str) -> _Column:
    """A column of another type: by its own cast where all values have one, as texts otherwise."""
    # Arrow's own cast of a decimal to a float is not rounded to the nearest.
    if any(is_kind(column.type) for is_kind in (pa.types.is_string, pa.types.is_large_string, pa.types.is_decimal)):
        return _of_texts(_nulls(column), kind)
    if kind in _SCALE:
        return _counted(column.cast(pa.float64()), kind)
    try:
        return _Column(column.cast(_arrow(kind)), np.zeros(len(column), bool))
    except (pa.ArrowInvalid, pa.ArrowNotImplementedError):
        return _of_texts(column.cast(pa.string()), kind)


# Values


class _Column(NamedTuple):
    """A column of a type, with null where a value is bad, and where that is."""

    array: pa.Array
    bad: np.ndarray[Any, Any]


class _Lazy:
    """A column whose values are made into Python objects one by one, for messages."""

    def __init__(self, array: pa.Array) -> None:
        self._array = array

    def __getitem__(self, place: int) -> Any:
        return self._array[place].as_py()


class _Records:
    """Rows as the text of a JSON object, made one by one, for dead letters."""

    def __init__(self, rows: pa.Table) -> None:
        self._rows = rows

    def __getitem__(self, place: int) -> str:
        return json.dumps(self._rows.slice(place, 1).to_pylist()[0], ensure_ascii=False, default=str)


def _arrow(kind: str) -> pa.DataType:
    name = TYPES[kind].arrow
    return pa.timestamp("us", "UTC") if name.startswith("timestamp") else pa.type_for_alias(name)


def _text(line: str | bytes | None) -> tuple[str, str]:
    """The text of a line, and why it is none: bytes that are no UTF-8 are shown as digits."""
    if not isinstance(line, bytes):
        return line or "", ""
    try:
        return line.decode("utf-8-sig"), ""
    except UnicodeDecodeError as error:
        why = f"it is not UTF-8: byte {error.start + 1} is 0x{line[error.start]:02x}"
        return line.decode("utf-8", "backslashreplace"), why


def _object(text: str) -> dict[str, Any] | str:
    """The object that the text is, or why it is none."""
    try:
        found = json.loads(text)
    except (ValueError, RecursionError) as error:
        return _no_json(error)
    return found if isinstance(found, dict) else "it is not an object, {...}"


def _no_json(error: Exception) -> str:
    if isinstance(error, json.JSONDecodeError):
        return f"it is not JSON: {error.msg} at character {error.pos + 1}"
    return f"it is not JSON: {error!s:.80}"


def odd_fields(expected: int) -> str:
    """Why a line of CSV is bad that has more or fewer fields than the header."""
    return f"it has not the {expected} fields of the header"


def _no_time(on: str) -> str:
    return f'column "{on}" has no time'


def _nulls(column: pa.Array | pa.ChunkedArray) -> pa.Array:
    """Texts of which the empty ones are null."""
    texts = pa.chunked_array([column]) if isinstance(column, pa.Array) else column
    texts = texts.combine_chunks().cast(pa.string())
    return pc.if_else(pc.equal(texts, ""), pa.scalar(None, pa.string()), texts)


def _of_values(values: list[Any], kind: str) -> _Column:
    """Values of JSON as a column."""
    allowed = _JSON_TYPES[kind]
    good = [value if _is_of(value, allowed) else None for value in values]
    bad = np.array([one is None and value is not None for one, value in zip(good, values, strict=True)], bool)
    if kind == "timestamp":
        column = _of_texts(pa.array(good, pa.string()), kind)
        return _Column(column.array, bad | column.bad)
    if kind in _SCALE:
        column = _counted(pa.array([None if one is None else float(one) for one in good], pa.float64()), kind)
        return _Column(column.array, bad | column.bad)
    if kind == "float":
        good = [None if one is None else float(one) for one in good]
    return _Column(pa.array(good, _arrow(kind)), bad)


def _is_of(value: Any, allowed: tuple[type, ...]) -> bool:
    if type(value) not in allowed:
        return False
    if type(value) is str:
        return value.isascii() or _encodable(value)
    return type(value) is not int or -_INT64 <= value < _INT64


def _encodable(text: str) -> bool:
    """Whether it has no half of a pair of surrogates: JSON can write one, and no text has it."""
    try:
        text.encode()
    except UnicodeEncodeError:
        return False
    return True


def _of_texts(texts: pa.Array, kind: str) -> _Column:
    """Texts as a column. Where a whole piece cannot be read, its halves are, down to the bad ones."""
    if kind == "text":
        return _Column(texts, np.zeros(len(texts), bool))
    # Many write a space after each comma.
    texts = _nulls(pc.utf8_trim_whitespace(texts))
    pieces: list[pa.Array] = []
    bad = np.zeros(len(texts), bool)
    waiting = [(0, len(texts))]
    while waiting:
        start, stop = waiting.pop()
        piece = _cast(texts.slice(start, stop - start), kind)
        if piece is not None:
            pieces.append(piece)
        elif stop - start == 1:
            bad[start] = True
            pieces.append(pa.nulls(1, _arrow(kind)))
        else:
            middle = (start + stop) // 2
            waiting += [(middle, stop), (start, middle)]
    return _Column(pa.chunked_array(pieces, _arrow(kind)).combine_chunks(), bad)


def _cast(texts: pa.Array, kind: str) -> pa.Array | None:
    """All of the texts as that type; None if one cannot be."""
    try:
        if kind == "timestamp":
            return _times(texts)
        if kind in _SCALE:
            column = _counted(texts.cast(pa.float64()), kind)
            return None if column.bad.any() else column.array
        return texts.cast(_arrow(kind))
    except pa.ArrowInvalid:
        return None


def _times(texts: pa.Array) -> pa.Array:
    """Times of UTC: they name their zone, all of them, or none does."""
    try:
        return texts.cast(pa.timestamp("us")).cast(pa.timestamp("us", "UTC"))
    except pa.ArrowInvalid:
        return texts.cast(pa.timestamp("us", "UTC"))


def _counted(numbers: pa.Array, kind: str) -> _Column:
    """Numbers of seconds or milliseconds as times; those beyond Arrow's are bad."""
    counts = numbers.to_numpy(zero_copy_only=False) * _SCALE[kind]
    empty = np.asarray(pc.is_null(numbers))
    bad = ~empty & ~(np.abs(counts) < float(_INT64))
    ticks = np.where(empty | bad, 0, counts).round().astype(np.int64)
    return _Column(pa.array(ticks, mask=empty | bad).cast(_arrow(kind)), bad)


# Sorting out


def _together(made: Mapping[str, _Column], columns: Mapping[str, str]) -> pa.Table:
    return pa.table([column.array for column in made.values()], schema_of(columns))


def _sorted_out(
    table: pa.Table,
    made: Mapping[str, _Column],
    raw: Mapping[str, Any],
    columns: Mapping[str, str],
    on: str | None,
    records: Any,
    letters: list[tuple[str, str]],
) -> Parsed:
    """The rows of a table without those that have a bad value or no time."""
    bad = np.zeros(table.num_rows, bool)
    for column in made.values():
        bad |= column.bad
    if on in table.column_names:
        bad |= np.asarray(pc.is_null(table.column(on)))
    if not bad.any():
        return Parsed(table, dead_letters(letters))
    for place in map(int, np.flatnonzero(bad)):
        wrong = [_wrong(name, raw[name][place], columns[name]) for name, one in made.items() if one.bad[place]]
        letters.append(("; ".join(wrong) or _no_time(str(on)), records[place]))
    return Parsed(table.filter(pa.array(~bad)), dead_letters(letters))


def _wrong(name: str, value: Any, kind: str) -> str:
    written = json.dumps(value, ensure_ascii=False, default=str)[:80].encode("utf-8", "backslashreplace").decode()
    return f'column "{name}": {written} is not {TYPES[kind].words}'
