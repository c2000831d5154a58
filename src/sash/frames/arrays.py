"""Dictionaries of NumPy arrays."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from decimal import Decimal
from typing import Any, Final

import numpy as np

# NumPy itself imports it at the first look at a masked array.
import numpy.ma
import numpy.typing as npt

from sash._batch import encode_integers, encode_objects
from sash.aggregations.amounts import instant
from sash.errors import PlanError
from sash.frames.base import (
    Amounts,
    Codes,
    Foreign,
    Frame,
    Instants,
    Numbers,
    Objects,
    Part,
    Picked,
    ResultColumn,
    Taken,
    TakenRows,
    Values,
    alike,
    missing,
    read_numbers,
    unlike,
)
from sash.frames.wide import Wide
from sash.times import Kind, decode_array, encode_array

__all__ = ["ArrayFrame"]

#: What NaT is among the ticks of NumPy.
_NAT: Final = -(2**63)


class ArrayFrame:
    """One-dimensional arrays of one length by name. The mask of a masked array marks its nulls.

    Results that may be null and are no floats come as masked arrays; in floats NaN is the null.

    >>> frame = ArrayFrame({"x": np.array([1, 2])})
    >>> frame.rows, frame.values("x").type
    (2, 'integer')
    """

    def __init__(self, data: Mapping[str, Any]) -> None:
        self._data = data
        self._arrays = {
            name: np.ma.asanyarray(array) if np.ma.isMA(array) else np.asarray(array) for name, array in data.items()
        }
        problems = [
            f"column {name!r} has shape {array.shape}" for name, array in self._arrays.items() if array.ndim != 1
        ]
        lengths = {len(array) for array in self._arrays.values() if array.ndim == 1}
        if len(lengths) > 1:
            problems.append(f"the columns have {', '.join(map(str, sorted(lengths)))} rows")
        if problems:
            raise PlanError(f"columns are one-dimensional arrays of one length, and {'; '.join(problems)}")
        self._rows = lengths.pop() if lengths else 0

    @property
    def names(self) -> Sequence[str]:
        """The columns that can be read."""
        return list(self._arrays)

    @property
    def rows(self) -> int:
        """How many rows there are."""
        return self._rows

    def times(self, name: str) -> tuple[Kind, npt.NDArray[np.int64]]:
        """A column of times, encoded."""
        array = self._arrays[name]
        nulls = _nulls(array)
        if nulls is not None and nulls.any():
            raise ValueError(f"a null is no time; see position {int(nulls.argmax())}")
        kind, ticks = encode_array(np.ma.getdata(array))
        return kind, np.ascontiguousarray(ticks)

    def values(self, name: str) -> Values:
        """A column of values."""
        array = self._arrays[name]
        plain, nulls = np.ma.getdata(array), _nulls(array)
        if plain.dtype.kind in "biuf":
            return read_numbers(plain, nulls, str(plain.dtype), name)
        kinds: dict[str, Any] = {"M": "instant", "m": "duration", "U": "ordered", "S": "ordered"}
        if plain.dtype.kind == "O":
            objects = array.tolist()
            nulls = missing(objects)
            # A decimal that is NaN may be an error: the definition says so.
            there = [one for one, null in zip(objects, nulls, strict=True) if not null or isinstance(one, Decimal)]
            kinds["O"] = "alike" if alike(there) else "object"
        elif plain.dtype.kind in "mM":
            nulls = np.isnat(plain) if nulls is None else nulls | np.isnat(plain)
        marks = None if nulls is None or not nulls.any() else nulls.view(np.uint8)
        return Values(kinds.get(plain.dtype.kind, "other"), None, marks, str(plain.dtype))

    def ordering(self, name: str) -> npt.NDArray[np.int64]:
        """A column with an order as numbers of the same order; those of nulls are nobody's."""
        plain = np.ma.getdata(self._arrays[name])
        if plain.dtype.kind in "mM":
            return _ticks(plain)
        if plain.dtype.kind == "O":
            nulls = self.values(name).nulls
            return order_of_objects(plain, np.zeros(len(plain), np.bool_) if nulls is None else nulls.view(np.bool_))
        return np.unique(plain, return_inverse=True)[1].astype(np.int64)

    def amounts(self, name: str) -> Wide:
        """A column of instants or durations as numbers of its unit; those of nulls are nobody's."""
        return Wide.of(np.ascontiguousarray(_ticks(np.ma.getdata(self._arrays[name]))))

    def reals(self, name: str) -> npt.NDArray[np.float64]:
        """Not of arrays: none holds decimals but as objects."""
        raise NotImplementedError

    def objects(self, name: str) -> list[Any]:
        """A column as Python objects, None where it is null."""
        array = self._arrays[name]
        if array.dtype.kind in "mM":
            # tolist would make integers of nanoseconds.
            nulls = self.values(name).nulls
            return [None if nulls is not None and nulls[i] else value for i, value in enumerate(np.ma.getdata(array))]
        return list(array.tolist())

    def codes(self, name: str, threads: int = 1) -> Codes:
        """A column as codes."""
        array = self._arrays[name]
        plain, nulls = np.ma.getdata(array), _nulls(array)
        if plain.dtype.kind == "f":
            plain = np.ascontiguousarray(plain, np.float64) + 0.0
            nulls = np.isnan(plain) if nulls is None else nulls | np.isnan(plain)
            plain = np.where(nulls, 0.0, plain).view(np.int64)
        elif plain.dtype.kind in "mM":
            nulls = np.isnat(plain) if nulls is None else nulls | np.isnat(plain)
            plain = _ticks(plain)
        if plain.dtype.kind in "biu":
            bits = plain.view(np.int64) if plain.dtype == np.uint64 else np.ascontiguousarray(plain, np.int64)
            marks = None if nulls is None or not nulls.any() else nulls.view(np.uint8)
            return Codes(*encode_integers([(np.ascontiguousarray(bits), marks)], threads))
        return Codes(*encode_objects([None if value != value else value for value in array.tolist()]))

    def codes_with(self, name: str, other: Frame, threads: int = 1) -> Codes:
        """A column as codes, and behind it that of another frame of this kind."""
        assert isinstance(other, ArrayFrame)
        both = [self._arrays[name], other._arrays[name]]
        families = {_family(array) for array in both}
        if len(families) > 1:
            if "O" not in families:
                raise PlanError(unlike(name, *(array.dtype for array in both)))
            both = [array.astype(object) for array in both]
        masked = any(np.ma.isMA(array) for array in both)
        whole: Any = np.ma.concatenate(both) if masked else np.concatenate(both)  # type: ignore[no-untyped-call]
        return ArrayFrame({name: whole}).codes(name, threads)

    def with_columns(self, columns: Mapping[str, ResultColumn | Foreign]) -> dict[str, Any]:
        """A dictionary of the same arrays, with the results behind them."""
        return {**self._data, **{name: self.column(result) for name, result in columns.items()}}

    def made_of(self, columns: Mapping[str, Part]) -> dict[str, Any]:
        """A dictionary of new arrays."""
        return {name: self._part(part) for name, part in columns.items()}

    def only(self, rows: npt.NDArray[np.int64]) -> ArrayFrame:
        """The arrays at some of the rows."""
        return ArrayFrame({name: array[rows] for name, array in self._arrays.items()})

    def _part(self, part: Part) -> Any:
        if isinstance(part, Picked):
            return self._arrays[part.column][part.rows]
        return decode_array(part.kind, part.ticks) if isinstance(part, Instants) else self.column(part)

    def column(self, result: ResultColumn | Foreign) -> Any:
        """A result as an array."""
        match result:
            case Foreign():
                return result.frame.column(result.result)
            case Numbers():
                return as_array(result)
            case Amounts():
                return as_durations(result, np.datetime_data(self._arrays[result.column].dtype))
            case Taken():
                return _take(self._arrays[result.column], result.rows)
            case TakenRows():
                parts = [self.objects(name) for name in result.columns]
                return object_array(
                    [
                        None if row < 0 else {name: part[row] for name, part in zip(result.columns, parts, strict=True)}
                        for row in result.rows.tolist()
                    ]
                )
            case Objects():
                return object_array(result.values)


def as_array(result: Numbers) -> Any:
    """Numbers as an array: NaN is the null of floats, a mask that of others."""
    values, valid = result.values, result.valid
    if result.type == "bool":
        values = values.astype(bool)
    if result.type == "real":
        return values if valid is None or _nan_where_null(values, valid) else np.where(valid, values, np.nan)
    if not result.nullable:
        return values
    return np.ma.MaskedArray(values, mask=False if valid is None else ~valid)


def as_durations(result: Amounts, unit: tuple[str, int]) -> npt.NDArray[Any]:
    """Amounts as an array of durations: NaT is the null."""
    values = result.values.fitting(result.valid, _NAT + 1).copy()
    if result.valid is not None:
        values[~result.valid] = _NAT
    return values.view(f"m8[{unit[1]}{unit[0]}]")


def order_of_objects(objects: npt.NDArray[Any], nulls: npt.NDArray[np.bool_]) -> npt.NDArray[np.int64]:
    """Python objects of one type with an order as numbers of the same order."""
    compared = [None if null else instant(value) for value, null in zip(objects, nulls, strict=True)]
    codes, count = encode_objects(compared)
    values: list[Any] = [None] * count
    for code, value in zip(codes.tolist(), compared, strict=True):
        values[code] = value
    there = [code for code, value in enumerate(values) if value is not None]
    ranks = np.zeros(count, np.int64)
    ranks[sorted(there, key=values.__getitem__)] = np.arange(len(there))
    return ranks[codes]


def _ticks(times: npt.NDArray[Any]) -> npt.NDArray[np.int64]:
    """Instants or durations as numbers of their unit."""
    return times.astype(times.dtype.newbyteorder("="), copy=False).view(np.int64)


def _nan_where_null(values: npt.NDArray[np.float64], valid: npt.NDArray[np.bool_]) -> bool:
    """Whether the nulls are NaN already, as those of deviations are. Few are nulls, most often."""
    return bool(np.isnan(values[np.flatnonzero(~valid)]).all())


def _nulls(array: npt.NDArray[Any]) -> npt.NDArray[np.bool_] | None:
    return np.ma.getmaskarray(array) if isinstance(array, np.ma.MaskedArray) else None


def _family(array: npt.NDArray[Any]) -> str:
    """What values of the array may be equal to: numbers, texts, times or objects."""
    return {"b": "i", "u": "i", "f": "i", "S": "U"}.get(array.dtype.kind, array.dtype.kind)


def _take(array: npt.NDArray[Any], rows: npt.NDArray[np.int64]) -> Any:
    missing = rows < 0
    if not len(array):
        # Whatever is taken from nothing is null.
        array = np.zeros(1, array.dtype)
    taken = array[np.where(missing, 0, rows)]
    if array.dtype.kind == "f" and not isinstance(array, np.ma.MaskedArray):
        taken[missing] = np.nan
        return taken
    if array.dtype.kind == "O":
        taken[missing] = None
        return taken
    if array.dtype.kind in "mM" and not isinstance(array, np.ma.MaskedArray):
        taken[missing] = "NaT"
        return taken
    return np.ma.MaskedArray(taken, mask=missing | np.ma.getmaskarray(taken))


def object_array(values: list[Any]) -> npt.NDArray[Any]:
    """An array of objects as they are: NumPy would take a list of pairs for a table."""
    array = np.empty(len(values), object)
    array[:] = values
    return array
