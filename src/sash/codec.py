"""Plain Python values to bytes and back: how partials of Python aggregations travel in snapshots.

A value is one tag byte and its content. The encoding is canonical: a value has exactly one, and dictionaries and sets
are written in the order of their encoded keys, so that equal ones give equal bytes whatever their history. Reading runs
no code, imports nothing but pandas, for its own times, and looks up no name but that of a zone. Whatever is not exactly
what `dumps` writes is a `SnapshotError`.
"""

from __future__ import annotations

import datetime as dt
import math
import re
import struct
from collections.abc import Callable, Iterable, Sequence
from decimal import Decimal, InvalidOperation
from importlib import import_module
from itertools import pairwise
from typing import Any, Final

import numpy as np

from sash.errors import AggregationError, SnapshotError
from sash.times import Kind, decode, encode

__all__ = ["MAX_DEPTH", "dumps", "integer", "joined", "loads"]

#: How deep containers may nest. Far above any partial, far below Python's stack.
MAX_DEPTH: Final = 64

_NAN: Final = struct.pack("<d", math.nan)
_DURATION: Final = re.compile(
    r"(?:timedelta64|(?P<pandas>Timedelta))\[(?P<unit>\d{0,9}[A-Za-z]{1,2})\] (?P<count>-?\d{1,19})"
)
_MICROSECOND: Final = dt.timedelta(microseconds=1)


def dumps(value: Any) -> bytes:
    """The bytes of `value`; equal values of equal types give equal bytes.

    Takes None, bool, int of any size, float, str, bytes, Decimal, date, datetime, time, timedelta, times and durations
    of NumPy and pandas, and tuple, list, dict, set and frozenset of these. NumPy scalars are written as the Python
    number or text they hold. The zone of a datetime is kept as its offset. A type that is not among them raises
    `AggregationError`; deeper than 64 levels is a `SnapshotError`.
    Cost: O(size), and O(n log n) for n keys of a dictionary.

    >>> dumps((1, "a")) == dumps((1, "a"))
    True
    >>> dumps({"a": 1, "b": 2}) == dumps({"b": 2, "a": 1})
    True
    """
    out = bytearray()
    _write(value, out, 0)
    return bytes(out)


def joined(parts: Sequence[bytes]) -> bytes:
    """The bytes of a tuple of values, made of theirs: for values that are written often. Cost: O(size), by copies.

    >>> joined([dumps(1), dumps("a")]) == dumps((1, "a"))
    True
    """
    out = bytearray(dumps(())[:-1])
    _write_size(len(parts), out)
    return bytes(out) + b"".join(parts)


def integer(data: bytes) -> bytes:
    """The bytes of the integer that is not negative and has this data, the lowest byte first. Cost: O(size).

    >>> all(integer(number.to_bytes(3, "little")) == dumps(number) for number in (0, 1, 127, 128, 65536, 2**24 - 1))
    True
    """
    content = data.rstrip(b"\0")
    out = bytearray()
    # The highest bit is that of the sign.
    _write_block(b"i", content + b"\0" if content and content[-1] >> 7 else content, out)
    return bytes(out)


def loads(data: bytes) -> Any:
    """The value whose bytes `data` are; `SnapshotError` if they are not exactly what `dumps` writes. Cost: O(size).

    >>> loads(dumps([1, 2.5, None, {"k": (True, b"x")}]))
    [1, 2.5, None, {'k': (True, b'x')}]
    >>> loads(b"garbage")
    Traceback (most recent call last):
    ...
    sash.errors.SnapshotError: unknown tag 0x67 at byte 0: not a value that this version of Sash writes
    """
    reader = _Reader(data)
    value = reader.read(0)
    if reader.position != len(reader.data):
        raise SnapshotError(f"{len(reader.data) - reader.position} bytes too many at the end of a value")
    return value


# Writing


def _write(value: Any, out: bytearray, depth: int) -> None:
    if depth > MAX_DEPTH:
        raise SnapshotError(f"a value nested deeper than {MAX_DEPTH} levels is not written; make the partial flatter")
    writer = _WRITERS.get(type(value))
    if writer is not None:
        writer(value, out, depth)
    elif isinstance(value, np.timedelta64) or type(value).__name__ in ("Timestamp", "Timedelta"):
        _write_instant(value, out)
    elif isinstance(value, (np.bool_, np.integer, np.floating, np.str_, np.bytes_)):
        _write(value.item(), out, depth)
    else:
        raise AggregationError(
            f"no encoding for {type(value).__qualname__}: a partial is made of plain values (None, bool, int, float,"
            " str, bytes, Decimal, dates, times, durations, tuple, list, dict, set); or define encode() and decode() on"
            " the aggregation"
        )


def _write_size(size: int, out: bytearray) -> None:
    while size >= 0x80:
        out.append(size & 0x7F | 0x80)
        size >>= 7
    out.append(size)


def _write_block(tag: bytes, content: bytes, out: bytearray) -> None:
    out += tag
    _write_size(len(content), out)
    out += content


def _write_int(value: int, out: bytearray, depth: int) -> None:
    _write_block(b"i", _int_bytes(value), out)


def _int_bytes(value: int) -> bytes:
    return value.to_bytes(_int_size(value), "little", signed=True)


def _int_size(value: int) -> int:
    """The least number of bytes that holds `value` in two's complement; none for 0."""
    return 0 if value == 0 else (value if value >= 0 else ~value).bit_length() // 8 + 1


def _write_float(value: float, out: bytearray, depth: int) -> None:
    out += b"f"
    out += _NAN if math.isnan(value) else struct.pack("<d", value)


def _write_items(tag: bytes, items: Iterable[Any], size: int, out: bytearray, depth: int) -> None:
    out += tag
    _write_size(size, out)
    for item in items:
        _write(item, out, depth + 1)


def _encoded(value: Any, depth: int) -> bytes:
    out = bytearray()
    _write(value, out, depth)
    return bytes(out)


def _write_set(tag: bytes, value: Iterable[Any], out: bytearray, depth: int) -> None:
    members = sorted(_encoded(item, depth + 1) for item in value)
    _check_distinct(members)
    out += tag
    _write_size(len(members), out)
    out += b"".join(members)


def _write_dict(value: dict[Any, Any], out: bytearray, depth: int) -> None:
    pairs = sorted((_encoded(key, depth + 1), _encoded(item, depth + 1)) for key, item in value.items())
    _check_distinct([key for key, _ in pairs])
    out += b"m"
    _write_size(len(pairs), out)
    for key, item in pairs:
        out += key
        out += item


def _check_distinct(keys: list[bytes]) -> None:
    """Only NaN can be twice among the keys of a set or dictionary."""
    if any(one == other for one, other in pairwise(keys)):
        raise AggregationError(
            "a set or dictionary with several NaN keys is not written: NaN is equal to nothing; leave it out"
        )


def _write_text(tag: bytes, text: str, out: bytearray) -> None:
    _write_block(tag, text.encode("utf-8", "surrogatepass"), out)


def _write_timedelta(value: dt.timedelta, out: bytearray, depth: int) -> None:
    _write_block(b"D", _int_bytes(value // _MICROSECOND), out)


def _write_instant(value: Any, out: bytearray) -> None:
    """A time or duration of NumPy or pandas: its type and unit, and how many of those it is."""
    try:
        _write_text(b"I", _instant_text(value), out)
    except TypeError as error:
        raise AggregationError(f"no encoding for {value!r:.60}: {error}") from error


def _instant_text(value: Any) -> str:
    if isinstance(value, dt.timedelta):
        return _duration_text(value.to_timedelta64(), "Timedelta")  # type: ignore[attr-defined]
    if isinstance(value, np.timedelta64):
        return _duration_text(value, "timedelta64")
    kind, ticks = encode(value)
    return f"{kind} {ticks}"


def _duration_text(value: np.timedelta64, name: str) -> str:
    unit, count = np.datetime_data(value.dtype)
    return f"{name}[{unit if count == 1 else f'{count}{unit}'}] {value.astype(np.int64)}"


_WRITERS: Final[dict[type, Callable[[Any, bytearray, int], None]]] = {
    type(None): lambda value, out, depth: out.extend(b"N"),
    bool: lambda value, out, depth: out.extend(b"T" if value else b"F"),
    int: _write_int,
    float: _write_float,
    str: lambda value, out, depth: _write_text(b"s", value, out),
    bytes: lambda value, out, depth: _write_block(b"b", value, out),
    Decimal: lambda value, out, depth: _write_text(b"d", str(value), out),
    dt.date: lambda value, out, depth: _write_text(b"Y", value.isoformat(), out),
    dt.datetime: lambda value, out, depth: _write_text(b"Z", value.isoformat(), out),
    dt.time: lambda value, out, depth: _write_text(b"C", value.isoformat(), out),
    dt.timedelta: _write_timedelta,
    np.datetime64: lambda value, out, depth: _write_instant(value, out),
    tuple: lambda value, out, depth: _write_items(b"t", value, len(value), out, depth),
    list: lambda value, out, depth: _write_items(b"l", value, len(value), out, depth),
    set: lambda value, out, depth: _write_set(b"u", value, out, depth),
    frozenset: lambda value, out, depth: _write_set(b"z", value, out, depth),
    dict: _write_dict,
}


# Reading


class _Reader:
    """A position in bytes that nobody vouches for. Every size is held against what is left before it is believed."""

    __slots__ = ("data", "position")

    def __init__(self, data: bytes) -> None:
        self.data = bytes(data)
        self.position = 0

    def read(self, depth: int) -> Any:
        if depth > MAX_DEPTH:
            raise SnapshotError(f"a value nested deeper than {MAX_DEPTH} levels: not one that Sash writes")
        start = self.position
        tag = self.take(1)
        reader = _READERS.get(tag)
        if reader is None:
            raise SnapshotError(
                f"unknown tag 0x{tag.hex()} at byte {start}: not a value that this version of Sash writes"
            )
        return reader(self, depth)

    def take(self, size: int) -> bytes:
        end = self.position + size
        if end > len(self.data):
            raise SnapshotError(
                f"cut short: {size} bytes wanted at byte {self.position}, {len(self.data) - self.position} there"
            )
        taken = self.data[self.position : end]
        self.position = end
        return taken

    def size(self) -> int:
        """A count of items or bytes; each takes at least one byte, so more than what is left is a lie."""
        size = shift = 0
        while True:
            byte = self.take(1)[0]
            size |= (byte & 0x7F) << shift
            if byte < 0x80:
                break
            shift += 7
            if shift > 63:
                raise SnapshotError(f"a size of more than 64 bits before byte {self.position}")
        if byte == 0 and shift:
            raise self.not_canonical("size")
        if size > len(self.data) - self.position:
            raise SnapshotError(f"cut short: {size} items or bytes promised at byte {self.position}")
        return size

    def block(self) -> bytes:
        return self.take(self.size())

    def text(self) -> str:
        try:
            return self.block().decode("utf-8", "surrogatepass")
        except UnicodeDecodeError as error:
            raise SnapshotError(f"text that is not UTF-8 before byte {self.position}") from error

    def items(self, depth: int) -> list[Any]:
        return [self.read(depth + 1) for _ in range(self.size())]

    def ascending(self, depth: int, after_key: Callable[[Any], Any]) -> None:
        """Read as many keys as promised, each encoded after the one before it, and hand them on."""
        last = b""
        for _ in range(self.size()):
            start = self.position
            key = self.read(depth + 1)
            encoded = self.data[start : self.position]
            if encoded <= last:
                raise self.not_canonical("order of keys")
            last = encoded
            try:
                after_key(key)
            except TypeError as error:
                raise SnapshotError(f"a key that cannot be one before byte {self.position}: {error}") from error

    def not_canonical(self, what: str) -> SnapshotError:
        return SnapshotError(f"a {what} that Sash does not write this way, before byte {self.position}")


def _read_int(reader: _Reader, depth: int) -> int:
    content = reader.block()
    value = int.from_bytes(content, "little", signed=True)
    if _int_size(value) != len(content):
        raise reader.not_canonical("number")
    return value


def _read_float(reader: _Reader, depth: int) -> float:
    content = reader.take(8)
    value: float = struct.unpack("<d", content)[0]
    if not math.isnan(value):
        return value
    if content != _NAN:
        raise reader.not_canonical("NaN")
    # NaN is equal to itself alone: one object for all of them, so that a key is found again.
    return math.nan


def _read_parsed(reader: _Reader, parse: Callable[[str], Any], write: Callable[[Any], str]) -> Any:
    """What `parse` makes of a text, if `write` gives the very text back."""
    text = reader.text()
    try:
        value = parse(text)
    except (ValueError, TypeError, InvalidOperation, OverflowError) as error:
        raise SnapshotError(f"malformed {text[:40]!r} before byte {reader.position}") from error
    if write(value) != text:
        raise reader.not_canonical(f"value {text[:40]!r}")
    return value


def _read_timedelta(reader: _Reader, depth: int) -> dt.timedelta:
    try:
        return dt.timedelta(microseconds=_read_int(reader, depth))
    except OverflowError as error:
        raise SnapshotError(f"a duration out of range before byte {reader.position}") from error


def _parse_instant(text: str) -> Any:
    if text.startswith(("datetime64", "timestamp")):
        kind, _, ticks = text.rpartition(" ")
        return decode(Kind.parse(kind), int(ticks))
    match = _DURATION.fullmatch(text)
    if match is None:
        raise ValueError("neither a time nor a duration")
    duration = np.int64(match["count"]).view(f"m8[{match['unit']}]")
    return import_module("pandas").Timedelta(duration) if match["pandas"] else duration


def _read_set(reader: _Reader, depth: int) -> set[Any]:
    members: set[Any] = set()
    size = 0

    def add(key: Any) -> None:
        nonlocal size
        size += 1
        members.add(key)

    reader.ascending(depth, add)
    if len(members) != size:
        raise reader.not_canonical("set with equal members")
    return members


def _read_dict(reader: _Reader, depth: int) -> dict[Any, Any]:
    mapping: dict[Any, Any] = {}
    size = 0

    def add(key: Any) -> None:
        nonlocal size
        size += 1
        hash(key)
        mapping[key] = reader.read(depth + 1)

    reader.ascending(depth, add)
    if len(mapping) != size:
        raise reader.not_canonical("dictionary with equal keys")
    return mapping


_READERS: Final[dict[bytes, Callable[[_Reader, int], Any]]] = {
    b"N": lambda reader, depth: None,
    b"T": lambda reader, depth: True,
    b"F": lambda reader, depth: False,
    b"i": _read_int,
    b"f": _read_float,
    b"s": lambda reader, depth: reader.text(),
    b"b": lambda reader, depth: reader.block(),
    b"d": lambda reader, depth: _read_parsed(reader, Decimal, str),
    b"Y": lambda reader, depth: _read_parsed(reader, dt.date.fromisoformat, dt.date.isoformat),
    b"Z": lambda reader, depth: _read_parsed(reader, dt.datetime.fromisoformat, dt.datetime.isoformat),
    b"C": lambda reader, depth: _read_parsed(reader, dt.time.fromisoformat, dt.time.isoformat),
    b"D": _read_timedelta,
    b"I": lambda reader, depth: _read_parsed(reader, _parse_instant, _instant_text),
    b"t": lambda reader, depth: tuple(reader.items(depth)),
    b"l": lambda reader, depth: reader.items(depth),
    b"u": _read_set,
    b"z": lambda reader, depth: frozenset(_read_set(reader, depth)),
    b"m": _read_dict,
}
