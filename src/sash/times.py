"""The one encoder of times: every kind of time enters as an int64 whose order is the order of the times, and leaves as
it came.

| kind | what the int64 counts |
|---|---|
| int | itself |
| float | the order-preserving map of its bits; NaN is refused, -0.0 is 0.0 |
| date | days since 1970-01-01 |
| datetime, with or without a zone | microseconds since 1970-01-01 UTC; without a zone it is read as UTC |
| numpy.datetime64 | its own unit |
| pandas.Timestamp, with or without a zone | its own unit |
| Arrow timestamp, with or without a zone | its own unit |

A zone is kept from the first time; the others of a window are instants, whatever their zones.
"""

from __future__ import annotations

import datetime as dt
import math
import sys
from collections.abc import Callable
from contextlib import suppress
from functools import cache
from importlib import import_module
from typing import Any, Final, TypeAlias

import numpy as np
import numpy.typing as npt

from sash.durations import ATTOSECONDS, Duration, parse_duration
from sash.errors import WindowSpecError
from sash.kinds import DATE, FLOAT, GREATEST, INT, LEAST, NAIVE, Kind, decode_real, encode_real

__all__ = [
    "FLOAT",
    "INT",
    "Duration",
    "Kind",
    "bound",
    "decode",
    "decode_array",
    "decode_real",
    "earlier",
    "encode",
    "encode_array",
    "encode_as",
    "encode_real",
    "parse_duration",
    "seconds_between",
]

Ticks: TypeAlias = npt.NDArray[np.int64]

_MICROSECOND: Final = dt.timedelta(microseconds=1)
_SECOND: Final = ATTOSECONDS["s"]
_EPOCH: Final = dt.datetime(1970, 1, 1)
_EPOCH_UTC: Final = dt.datetime(1970, 1, 1, tzinfo=dt.UTC)
_EPOCH_DAY: Final = dt.date(1970, 1, 1).toordinal()
_TAKEN: Final = "a time is an int, float, date, datetime, numpy.datetime64, pandas.Timestamp or Arrow timestamp"


# One time


def encode(value: Any) -> tuple[Kind, int]:
    """The kind of a time, and its int64. Cost: O(1).

    Raises TypeError for what is no time, ValueError for NaN and NaT, OverflowError for what 64 bits do not hold.

    >>> encode(7)
    (Kind(name='int', unit='', zone=None), 7)
    >>> kind, ticks = encode(dt.datetime(1970, 1, 2, tzinfo=dt.UTC))
    >>> str(kind), ticks
    ('datetime[UTC]', 86400000000)
    >>> encode("noon")  # doctest: +ELLIPSIS
    Traceback (most recent call last):
    ...
    TypeError: a time is an int, float, date, datetime, ... or Arrow timestamp, not str ('noon'): read texts first, ...
    """
    return (_ENCODERS.get(type(value)) or _encoder_of(value))(value)


def _encode_int(value: Any) -> tuple[Kind, int]:
    ticks = int(value)
    if not LEAST <= ticks <= GREATEST:
        raise OverflowError(f"the time {value} does not fit in 64 bits; use a coarser unit, or floats")
    return INT, ticks


def _encode_float(value: Any) -> tuple[Kind, int]:
    return FLOAT, encode_real(float(value))


def _encode_date(value: dt.date) -> tuple[Kind, int]:
    return DATE, value.toordinal() - _EPOCH_DAY


def _encode_datetime(value: dt.datetime) -> tuple[Kind, int]:
    if value.utcoffset() is None:
        return NAIVE, (value.replace(tzinfo=None) - _EPOCH) // _MICROSECOND
    return Kind("datetime", zone=value.tzinfo), (value - _EPOCH_UTC) // _MICROSECOND


def _encode_datetime64(value: np.datetime64) -> tuple[Kind, int]:
    if np.isnat(value):
        raise ValueError("NaT is no time: it has no place in an order; drop such events, or give them a time")
    return Kind("datetime64", _unit(value.dtype)), int(value.astype(np.int64))


def _encode_timestamp(value: Any) -> tuple[Kind, int]:
    stamp = value.asm8
    return Kind("timestamp", _unit(stamp.dtype), value.tzinfo), int(stamp.astype(np.int64))


def _encode_arrow(value: Any) -> tuple[Kind, int]:
    if not value.is_valid:
        raise ValueError("a null is no time: drop such events, or give them a time")
    if not hasattr(value.type, "tz"):
        return encode(value.as_py())
    return Kind("arrow", value.type.unit, value.type.tz), int(value.value)


def _unit(dtype: np.dtype[Any]) -> str:
    unit, count = np.datetime_data(dtype)
    if unit == "generic":
        raise TypeError("a datetime64 without a unit is no time: give it one, such as datetime64[us]")
    return unit if count == 1 else f"{count}{unit}"


_ENCODERS: Final[dict[type, Callable[[Any], tuple[Kind, int]]]] = {
    int: _encode_int,
    float: _encode_float,
    dt.date: _encode_date,
    dt.datetime: _encode_datetime,
    np.datetime64: _encode_datetime64,
    np.int64: _encode_int,
    np.float64: _encode_float,
}


def _encoder_of(value: Any) -> Callable[[Any], tuple[Kind, int]]:
    """The encoder of a value whose very type is not in the table: subclasses, and types of other libraries."""
    pandas, pyarrow = sys.modules.get("pandas"), sys.modules.get("pyarrow")
    if isinstance(value, (bool, np.bool_)):
        raise TypeError(f"{_TAKEN}, not bool ({value!r})")
    if pandas is not None and value is pandas.NaT:
        raise ValueError("NaT is no time: it has no place in an order; drop such events, or give them a time")
    if pandas is not None and isinstance(value, pandas.Timestamp):
        return _encode_timestamp
    if pyarrow is not None and isinstance(value, pyarrow.Scalar):
        return _encode_arrow
    if isinstance(value, (np.integer, np.floating)) and not isinstance(value, np.timedelta64):
        return _encode_int if isinstance(value, np.integer) else _encode_float
    for base in (dt.datetime, dt.date, int, float):
        if isinstance(value, base):
            return _ENCODERS[base]
    way = ": read texts first, as datetime.fromisoformat and pandas.to_datetime do" if isinstance(value, str) else ""
    raise TypeError(f"{_TAKEN}, not {type(value).__name__} ({value!r:.60}){way}")


def encode_as(kind: Kind, value: Any) -> int:
    """The int64 of a time in a window whose times are of the kind; instants of all kinds go together if nothing is
    lost.

    Raises what `encode` raises; TypeError for a time that has no place among those; ValueError for an instant that
    falls between two steps of the kind. Cost: O(1).

    >>> encode_as(Kind("datetime64", "s"), dt.datetime(1970, 1, 2))
    86400
    >>> encode_as(INT, dt.datetime(1970, 1, 2))
    Traceback (most recent call last):
    ...
    TypeError: a time of kind datetime among times of kind int: one window takes one kind
    """
    other, ticks = encode(value)
    if (other.name, other.unit) == (kind.name, kind.unit):
        return ticks
    if kind == FLOAT and other == INT:
        return encode_real(_exact_float(ticks))
    whole, rest = _rescaled(kind, other, ticks)
    if rest:
        raise ValueError(
            f"{value!r} falls between two steps of {kind}: use a finer kind of time from the first event on"
        )
    if not LEAST <= whole <= GREATEST:
        raise OverflowError(f"{value!r} does not fit in 64 bits as {kind}: use a coarser unit")
    return whole


def _rescaled(kind: Kind, other: Kind, ticks: int) -> tuple[int, int]:
    """Ticks of another kind in whole ticks of the kind, rounded down, and what is left."""
    if kind.step is None or other.step is None:
        raise TypeError(f"a time of kind {other} among times of kind {kind}: one window takes one kind")
    return divmod(ticks * other.step, kind.step)


def bound(kind: Kind, value: Any, *, up: bool) -> int:
    """The int64 to compare with in a window whose times are of the kind: the nearest at or above the value, or at or
    below.

    The value need not be a time that such a window could hold: it may fall between two steps, or out of range. Raises
    what `encode` raises, and TypeError for a time that has no place among those. Cost: O(1).

    >>> bound(INT, 2.5, up=True), bound(INT, 2.5, up=False)
    (3, 2)
    """
    other, ticks = encode(value)
    if (other.name, other.unit) == (kind.name, kind.unit):
        return ticks
    if (kind, other) == (FLOAT, INT):
        return encode_real(_float_beside(ticks, up))
    if (kind, other) == (INT, FLOAT):
        real = decode_real(ticks)
        if math.isinf(real):
            return GREATEST if real > 0 else LEAST
        whole = math.ceil(real) if up else math.floor(real)
    else:
        whole, rest = _rescaled(kind, other, ticks)
        whole += bool(rest and up)
    return min(max(whole, LEAST), GREATEST)


def _float_beside(value: int, up: bool) -> float:
    real = float(value)
    if up and real < value:
        return math.nextafter(real, math.inf)
    return math.nextafter(real, -math.inf) if not up and real > value else real


def _exact_float(value: int) -> float:
    real = float(value)
    if real != value:
        raise TypeError(f"the time {value} is no float64 exactly: keep all times integers, or below 2**53")
    return real


def decode(kind: Kind, ticks: int) -> Any:
    """The time that was encoded; datetimes and timestamps in the zone of the kind. Cost: O(1).

    >>> from zoneinfo import ZoneInfo
    >>> decode(*encode(dt.datetime(2024, 2, 29, 12, tzinfo=ZoneInfo("Asia/Tokyo")))).isoformat()
    '2024-02-29T12:00:00+09:00'
    """
    return _DECODERS[kind.name](kind, int(ticks))


def _decode_datetime(kind: Kind, ticks: int) -> dt.datetime:
    since = dt.timedelta(microseconds=ticks)
    if not isinstance(kind.zone, dt.tzinfo):
        return _EPOCH + since
    try:
        return (_EPOCH_UTC + since).astimezone(kind.zone)
    except OverflowError:
        # In the first and in the last hours there are times that UTC has no datetime for, and their zone has.
        edge = (dt.datetime.max if ticks > 0 else dt.datetime.min).replace(tzinfo=kind.zone)
        return (_EPOCH + (since + (edge.utcoffset() or dt.timedelta(0)))).replace(tzinfo=kind.zone)


def _stamp(kind: Kind, ticks: int) -> Any:
    return np.int64(ticks).view(f"datetime64[{kind.unit}]")


def _decode_timestamp(kind: Kind, ticks: int) -> Any:
    stamp = import_module("pandas").Timestamp(_stamp(kind, ticks))
    return stamp if kind.zone is None else stamp.tz_localize("UTC").tz_convert(kind.zone)


def _decode_arrow(kind: Kind, ticks: int) -> Any:
    scalar, made = _arrow_times(kind)
    return scalar(ticks, made)


@cache
def _arrow_times(kind: Kind) -> tuple[Callable[..., Any], Any]:
    """How Arrow makes a time, and its type. To ask for both takes several times as long as to make one."""
    pyarrow = import_module("pyarrow")
    return pyarrow.scalar, pyarrow.timestamp(kind.unit, kind.zone)


_DECODERS: Final[dict[str, Callable[[Kind, int], Any]]] = {
    "int": lambda kind, ticks: ticks,
    "float": lambda kind, ticks: decode_real(ticks),
    "date": lambda kind, ticks: dt.date.fromordinal(ticks + _EPOCH_DAY),
    "datetime": _decode_datetime,
    "datetime64": _stamp,
    "timestamp": _decode_timestamp,
    "arrow": _decode_arrow,
}


# Arrays of times


def encode_array(values: Any) -> tuple[Kind, Ticks]:
    """The kind of an array of times, and their int64s.

    Takes NumPy, Arrow and pandas arrays, whatever has Arrow's C interface, and sequences of times. int64, datetime64
    and Arrow timestamps are not copied. Raises what `encode` raises, with the position. Cost: O(n), vectorised where
    types allow.

    >>> kind, ticks = encode_array(np.array(["1970-01-01", "1970-01-03"], "datetime64[D]"))
    >>> str(kind), ticks.tolist()
    ('datetime64[D]', [0, 2])
    >>> encode_array([1, 2, 3])[1].tolist()
    [1, 2, 3]
    """
    pandas = sys.modules.get("pandas")
    if isinstance(values, np.ndarray):
        return _encode_ndarray(values)
    if pandas is not None and isinstance(values, (pandas.Series, pandas.Index)):
        return _encode_pandas(values)
    if hasattr(values, "__arrow_c_array__") or hasattr(values, "__arrow_c_stream__"):
        return _encode_arrow_array(values)
    return _encode_sequence(values)


def _encode_ndarray(values: npt.NDArray[Any]) -> tuple[Kind, Ticks]:
    if values.ndim != 1:
        raise ValueError(f"times are a one-dimensional array, not one of shape {values.shape}")
    if isinstance(values, np.ma.MaskedArray):
        _refuse(np.ma.getmaskarray(values), "a null is no time")
        values = np.ma.getdata(values)
    code = values.dtype.kind
    if code == "M":
        return Kind("datetime64", _unit(values.dtype)), _stamps(_native(values))
    if code in "iu":
        if code == "u":
            _refuse(values > np.uint64(GREATEST), "the time does not fit in 64 bits", OverflowError)
        return INT, values.astype(np.int64, copy=False)
    if code == "f":
        return FLOAT, _encode_reals(values)
    if code == "O":
        return _encode_one_by_one(values.tolist())
    raise TypeError(f"{_TAKEN}, not an array of {values.dtype}")


def _stamps(values: npt.NDArray[np.datetime64]) -> Ticks:
    """The ticks of datetimes. NaT is the least of all, and looking for that needs no memory."""
    ticks = values.view(np.int64)
    if ticks.min(initial=GREATEST) == LEAST:
        raise ValueError(f"NaT is no time: it has no place in an order; see position {int(ticks.argmin())}")
    return ticks


def _native(values: npt.NDArray[Any]) -> npt.NDArray[Any]:
    return values.astype(values.dtype.newbyteorder("="), copy=False)


def _refuse(bad: npt.NDArray[np.bool_], why: str, error: type[Exception] = ValueError) -> None:
    if bad.any():
        raise error(f"{why}; see position {int(bad.argmax())}")


def _encode_pandas(values: Any) -> tuple[Kind, Ticks]:
    if hasattr(values.dtype, "pyarrow_dtype"):
        # Arrow's times in pandas' own form, in which they leave as well.
        _refuse(np.asarray(values.isna()), "a null is no time")
        values = import_module("pyarrow").chunked_array(values.array.__arrow_array__()).to_pandas()
    if values.dtype.kind != "M":
        _refuse(np.asarray(values.isna()), "a null is no time")
        return _encode_ndarray(values.to_numpy())
    unit = getattr(values.dtype, "unit", None) or _unit(values.dtype)
    ticks = _stamps(values.to_numpy(dtype=f"datetime64[{unit}]"))
    return Kind("timestamp", unit, getattr(values.dtype, "tz", None)), ticks


def _encode_arrow_array(values: Any) -> tuple[Kind, Ticks]:
    pa = import_module("pyarrow")
    if not isinstance(values, (pa.Array, pa.ChunkedArray)):
        values = pa.chunked_array(values) if hasattr(values, "__arrow_c_stream__") else pa.array(values)
    if values.null_count:
        _refuse(np.asarray(values.is_null()), "a null is no time")
    if isinstance(values, pa.ChunkedArray):
        values = (
            values.chunk(0)
            if values.num_chunks == 1
            else pa.concat_arrays(values.chunks or [pa.array([], values.type)])
        )
    if pa.types.is_timestamp(values.type):
        kind = Kind("arrow", values.type.unit, values.type.tz)
        return kind, values.view(pa.int64()).to_numpy(zero_copy_only=True)
    if pa.types.is_date(values.type):
        return DATE, values.cast(pa.date32()).view(pa.int32()).to_numpy().astype(np.int64)
    return _encode_ndarray(values.to_numpy(zero_copy_only=False))


def _encode_sequence(values: Any) -> tuple[Kind, Ticks]:
    items = values if isinstance(values, (list, tuple, range)) else list(values)
    if not items:
        return INT, np.empty(0, np.int64)
    if all(type(item) is float for item in items):
        return _encode_ndarray(np.array(items, np.float64))
    if all(type(item) is int for item in items):
        # NumPy would make floats of integers beyond int64; one by one they are refused, with their position.
        with suppress(OverflowError):
            return _encode_ndarray(np.array(items, np.int64))
    return _encode_one_by_one(items)


def _encode_reals(values: npt.NDArray[Any]) -> Ticks:
    reals = values.astype(np.float64, copy=False) + 0.0
    _refuse(np.isnan(reals), "NaN is no time: it has no place in an order")
    bits = reals.view(np.int64)
    return np.where(bits >= 0, bits, bits ^ np.int64(GREATEST))


def _decode_reals(ticks: Ticks) -> npt.NDArray[np.float64]:
    return np.where(ticks >= 0, ticks, ticks ^ np.int64(GREATEST)).view(np.float64)


def _encode_one_by_one(items: Any) -> tuple[Kind, Ticks]:
    """The first time decides the kind; floats among integers make all of them floats."""
    kind = encode(items[0])[0] if len(items) else INT
    if kind == INT and any(isinstance(item, (float, np.floating)) for item in items):
        kind = FLOAT
    ticks = np.empty(len(items), np.int64)
    for position, item in enumerate(items):
        try:
            ticks[position] = encode_as(kind, item)
        except (TypeError, ValueError, OverflowError) as error:
            raise type(error)(f"{error}; see position {position}") from None
    return kind, ticks


def decode_array(kind: Kind, ticks: Ticks) -> Any:
    """The times that were encoded: an array of NumPy, a `DatetimeIndex` or an Arrow array, by the kind. Cost: O(n).

    >>> decode_array(FLOAT, encode_array(np.array([-1.5, 2.0]))[1])
    array([-1.5,  2. ])
    """
    ticks = np.asarray(ticks, np.int64)
    if kind.name == "int":
        return ticks
    if kind.name == "float":
        return _decode_reals(ticks)
    if kind.name == "datetime64":
        return ticks.view(f"datetime64[{kind.unit}]")
    if kind.name == "timestamp":
        return _decode_pandas(kind, ticks)
    if kind.name == "arrow":
        return _decode_arrow_array(kind, ticks)
    times = np.empty(len(ticks), object)
    times[:] = [decode(kind, tick) for tick in ticks.tolist()]
    return times


def _decode_pandas(kind: Kind, ticks: Ticks) -> Any:
    index = import_module("pandas").DatetimeIndex(ticks.view(f"datetime64[{kind.unit}]"))
    return index if kind.zone is None else index.tz_localize("UTC").tz_convert(kind.zone)


def _decode_arrow_array(kind: Kind, ticks: Ticks) -> Any:
    pyarrow = import_module("pyarrow")
    return pyarrow.array(ticks).view(pyarrow.timestamp(kind.unit, kind.zone))


# Times and durations


def earlier(kind: Kind, ticks: int, duration: Duration) -> int:
    """The int64 of the time that lies `duration` before; the earliest there is, if that is out of range. Cost: O(1).

    >>> decode(FLOAT, earlier(FLOAT, encode_real(10.0), parse_duration(2.5)))
    7.5
    """
    if kind == FLOAT:
        if not duration.plain:
            raise WindowSpecError(
                f"{duration} over times of kind float, which have no unit of time: give a plain number"
            )
        return encode_real(decode_real(ticks) - duration.amount)
    return max(LEAST, ticks - duration.ticks(kind))


def seconds_between(start: Any, end: Any) -> float:
    """How many seconds lie between two times; negative if the end is before the start. Cost: O(1).

    Numbers are read as seconds. Of clock times the difference is taken in ticks, exactly, and rounded once. Raises what
    `encode` raises; TypeError for a number and a clock time, and for months and years, which have no length.

    >>> seconds_between(dt.datetime(2024, 2, 28), np.datetime64("2024-03-01T00:00:00.5"))
    172800.5
    >>> seconds_between(3, 5.5)
    2.5
    """
    (kind, ticks), (other, later) = encode(start), encode(end)
    if kind.step is not None and other.step is not None:
        return (later * other.step - ticks * kind.step) / _SECOND
    if kind not in (INT, FLOAT) or other not in (INT, FLOAT):
        raise TypeError(
            f"no number of seconds lies between a time of kind {kind} and one of kind {other}: use numbers, or times in"
            " days or a finer unit"
        )
    if kind == other == INT:
        return float(later - ticks)
    one, two = _number(kind, ticks), _number(other, later)
    # Infinity is a time, and no time lies between it and itself.
    return 0.0 if one == two else two - one


def _number(kind: Kind, ticks: int) -> float:
    return decode_real(ticks) if kind == FLOAT else float(ticks)
