"""What a frame is to Sash: columns by name in, the same rows with more columns out."""

from __future__ import annotations

import datetime as dt
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from decimal import Decimal
from typing import Any, Final, Literal, Protocol, TypeAlias

import numpy as np
import numpy.typing as npt

from sash._batch import encode_integers
from sash.aggregations.reading import is_nan, is_null
from sash.frames.wide import Wide
from sash.times import Kind

__all__ = [
    "ORDERED",
    "Amounts",
    "Codes",
    "Foreign",
    "Frame",
    "GivenFrame",
    "Instants",
    "Marks",
    "NumberType",
    "Numbers",
    "Objects",
    "Part",
    "Picked",
    "ResultColumn",
    "Taken",
    "TakenRows",
    "Values",
    "alike",
    "joined",
    "missing",
    "ranked",
    "read_numbers",
    "unlike",
]

_NEVER_NULL: Final = frozenset({int, bool, str, bytes, dt.date, dt.datetime, dt.time, dt.timedelta})
#: Of other types it is not known from their name whether all values have a place in one order.
_ORDERED: Final = frozenset({str, dt.date, dt.datetime, dt.time, dt.timedelta, Decimal})

Marks: TypeAlias = npt.NDArray[np.uint8]
NumberType = Literal["integer", "real", "bool"]
#: The types of columns whose values have an order and are no 64-bit numbers; those of the last are Python objects.
ORDERED: Final = ("decimal", "instant", "duration", "ordered", "alike")


@dataclass(frozen=True)
class Values:
    """A column as the engine reads it: numbers without a copy where their type allows, and which rows are null.

    `type` says what is in `numbers`; it is "object" for a column of Python objects and "other" for a column that holds
    neither numbers nor objects, such as lists. Those have no numbers, and neither have columns with an order:
    "decimal", "instant" (times, dates), "duration", "ordered" (texts, times of day), and "alike", Python objects of one
    such type. A frame gives those as codes, where they are wanted.
    """

    type: Literal["integer", "real", "bool", "object", "other", "decimal", "instant", "duration", "ordered", "alike"]
    numbers: npt.NDArray[Any] | None
    nulls: Marks | None
    #: The type in the words of the frame, for messages.
    name: str


@dataclass(frozen=True)
class Codes:
    """Small numbers for the values of a column: equal where they are equal, below `count`; nulls are a value too."""

    codes: npt.NDArray[np.uint32]
    count: int


@dataclass(frozen=True)
class Numbers:
    """A result of numbers. `nullable` is so by the plan, whatever the data; `valid` is None if all are."""

    values: npt.NDArray[Any]
    valid: npt.NDArray[np.bool_] | None
    type: NumberType
    nullable: bool


@dataclass(frozen=True)
class Taken:
    """A result made of the values of a column at other rows; -1 is null."""

    column: str
    rows: npt.NDArray[np.int64]


@dataclass(frozen=True)
class TakenRows:
    """A result made of several columns at other rows, as one record each; -1 is null."""

    columns: tuple[str, ...]
    rows: npt.NDArray[np.int64]


@dataclass(frozen=True)
class Objects:
    """A result of Python objects; None is null."""

    values: list[Any]
    #: The column whose values these are, or are lists of, or of which they are sums or differences, so that their type
    #: is known; None if it is not.
    column: str | None = None
    form: Literal["value", "values", "amount"] = "value"


@dataclass(frozen=True)
class Amounts:
    """A result that is counted in the unit of a column: a decimal of its scale, or a duration. `valid` and `nullable`
    are those of `Numbers`."""

    column: str
    values: Wide
    valid: npt.NDArray[np.bool_] | None
    nullable: bool


ResultColumn: TypeAlias = Numbers | Taken | TakenRows | Objects | Amounts


@dataclass(frozen=True)
class Picked:
    """The values of a column at some of its rows, in the type of the column."""

    column: str
    rows: npt.NDArray[np.int64]


@dataclass(frozen=True)
class Instants:
    """Times of the kind that the frame's are."""

    kind: Kind
    ticks: npt.NDArray[np.int64]


@dataclass(frozen=True)
class Foreign:
    """A result over another frame of the same kind, for the rows of this one."""

    frame: Frame
    result: ResultColumn


Part: TypeAlias = ResultColumn | Picked | Instants


class Frame(Protocol):
    """One kind of frame. Nothing in it is changed; `with_columns` makes a new one of the same kind."""

    @property
    def names(self) -> Sequence[str]:
        """The columns that can be read."""

    @property
    def rows(self) -> int:
        """How many rows there are."""

    def times(self, name: str) -> tuple[Kind, npt.NDArray[np.int64]]:
        """A column of times, encoded. Raises what `sash.times.encode_array` raises."""

    def values(self, name: str) -> Values:
        """A column of values."""

    def ordering(self, name: str) -> npt.NDArray[np.int64]:
        """A column with an order as numbers of the same order; those of nulls are nobody's."""

    def amounts(self, name: str) -> Wide:
        """A column of decimals, instants or durations as numbers of its unit; those of nulls are nobody's."""

    def reals(self, name: str) -> npt.NDArray[np.float64]:
        """A column of decimals as the nearest floats; those of nulls are nobody's."""

    def objects(self, name: str) -> list[Any]:
        """A column as Python objects, None where it is null."""

    def codes(self, name: str, threads: int = 1) -> Codes:
        """A column as codes."""

    def codes_with(self, name: str, other: Frame, threads: int = 1) -> Codes:
        """A column as codes, and behind it that of another frame of this kind."""

    def column(self, result: ResultColumn) -> Any:
        """A result as a column of such a frame."""

    def with_columns(self, columns: Mapping[str, ResultColumn | Foreign]) -> Any:
        """The data as it was given, with the results behind it."""

    def made_of(self, columns: Mapping[str, Part]) -> Any:
        """Another frame of the same kind, with these columns and rows of its own."""


class GivenFrame(Frame, Protocol):
    """A frame as it was given, and not made of several."""

    def only(self, rows: npt.NDArray[np.int64]) -> GivenFrame:
        """A frame of some of the rows, with all that belongs to them."""


def missing(values: Sequence[Any]) -> npt.NDArray[np.bool_]:
    """Which Python objects are nulls: None, NA, NaT and NaN.

    >>> missing(["a", None, float("nan"), np.datetime64("NaT")]).tolist()
    [False, True, True, True]
    """
    doubtful = {kind for kind in set(map(type, values)) if kind not in _NEVER_NULL}
    nulls = (value is None or (type(value) in doubtful and (is_null(value) or is_nan(value))) for value in values)
    return np.fromiter(nulls, np.bool_, len(values))


def alike(values: Sequence[Any]) -> bool:
    """Whether all are Python objects of one type with an order, and some are there.

    >>> import datetime as dt
    >>> alike(["a", "b"]), alike([dt.date(2024, 1, 1)]), alike([1, 2]), alike(["a", 1])
    (True, True, False, False)
    """
    types = set(map(type, values))
    if len(types) != 1 or types.isdisjoint(_ORDERED):
        return False
    if Decimal in types:
        # What becomes of others is said by the definition.
        return all(map(Decimal.is_finite, values))
    # Among themselves naive datetimes have an order, and aware ones.
    return types.isdisjoint((dt.datetime, dt.time)) or len({one.tzinfo is None for one in values}) == 1


def ranked(codes: npt.NDArray[Any], ranks: npt.NDArray[Any]) -> npt.NDArray[np.int64]:
    """The rank of each value, given the codes of all values and the codes in the order of what they stand for.

    >>> ranked(np.array([0, 1, 0]), np.array([1, 0]))
    array([1, 0, 1])
    """
    places = np.zeros(len(ranks) + 1, np.int64)
    places[ranks] = np.arange(len(ranks))
    return np.asarray(places[codes], np.int64)


def joined(parts: Sequence[Codes], threads: int = 1) -> Codes:
    """The codes of several columns together."""
    first, *others = parts
    for other in others:
        pairs = first.codes.astype(np.int64) * other.count + other.codes
        first = Codes(*encode_integers([(pairs, None)], threads))
    return first


def unlike(name: str, one: Any, other: Any) -> str:
    """What is wrong with a column whose types in two frames have no equal values."""
    return f"the column {name!r} of the two frames is {one} and {other}: convert one of them"


def read_numbers(values: npt.NDArray[Any], nulls: npt.NDArray[np.bool_] | None, name: str, column: str) -> Values:
    """An array of numbers as int64 or float64; OverflowError for what does not fit in 64 bits."""
    marks = None if nulls is None or not nulls.any() else np.ascontiguousarray(nulls).view(np.uint8)
    code = values.dtype.kind
    if code == "b":
        return Values("bool", np.ascontiguousarray(values, np.int64), marks, name)
    if code == "f":
        return Values("real", np.ascontiguousarray(values, np.float64), marks, name)
    if code == "u" and values.dtype.itemsize == 8 and len(values):
        large = values > np.uint64(2**63 - 1)
        if nulls is not None:
            large &= ~nulls
        if large.any():
            row = int(large.argmax())
            raise OverflowError(
                f"column {column!r}, row {row}: {values[row]} does not fit in 64 bits; pass floats, or scale it down"
            )
    return Values("integer", np.ascontiguousarray(values, np.int64), marks, name)
