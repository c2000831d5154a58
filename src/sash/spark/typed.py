"""Arrow tables whose results have types that are known beforehand: every chunk of a DataFrame has the same."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import chain
from typing import Any

import numpy as np
import pyarrow as pa

from sash.aggregations.composite import Record
from sash.frames.arrow import ArrowFrame
from sash.frames.base import Foreign, Instants, Objects, Part, Picked, ResultColumn

__all__ = ["TypedFrame", "array_of", "as_plain"]


class TypedFrame(ArrowFrame):
    """An Arrow table that gives its results alone, in their types: a list of arrays.

    `TypeError` says which column holds a value that its type does not.

    >>> import sash
    >>> from sash.batch.engine import run
    >>> plan = sash.Plan(windows=2, aggregations={"top": sash.TopK("x", k=1)})
    >>> frame = TypedFrame(pa.table({"x": [1, 2]}), {"top_2": pa.list_(pa.int64())})
    >>> run(frame, plan, {})[0].to_pylist()
    [[1], [2]]
    """

    def __init__(self, table: pa.Table, types: Mapping[str, pa.DataType], hidden: Sequence[str] = ()) -> None:
        super().__init__(table)
        self._types = types
        self._hidden = hidden

    @property
    def names(self) -> Sequence[str]:
        """The columns of the data, without those that are hidden: they can be read, but are no part of a row."""
        return [name for name in super().names if name not in self._hidden]

    def with_columns(self, columns: Mapping[str, ResultColumn | Foreign]) -> list[pa.Array]:
        """The results, in the order in which they were made."""
        return [self._typed(name, result, self._types[name]) for name, result in columns.items()]

    def made_of(self, columns: Mapping[str, Part]) -> pa.Table:
        """A table of new columns: results, and times, in their types; keys as they are."""
        return pa.table({name: self._made(name, part) for name, part in columns.items()})

    def _made(self, name: str, part: Part) -> pa.Array:
        if isinstance(part, Picked):
            return self._part(part)
        if isinstance(part, Instants):
            return self._part(part).cast(self._types[name])
        return self._typed(name, part, self._types[name])

    def _typed(self, name: str, result: ResultColumn | Foreign, kind: pa.DataType) -> pa.Array:
        try:
            if isinstance(result, Foreign) and isinstance(result.result, Objects):
                result = result.result
            if isinstance(result, Objects):
                return array_of(result.values, kind)
            made = self.column(result)
            return made if made.type == kind else made.cast(kind)
        except (pa.ArrowInvalid, pa.ArrowTypeError, pa.ArrowNotImplementedError, TypeError, ValueError) as error:
            raise TypeError(f"column {name!r} is {kind}, and a result does not fit: {error}") from error


def array_of(values: Sequence[Any], kind: pa.DataType) -> pa.Array:
    """The values as an array of the type. Tuples and lists are taken apart column by column, which is many times as
    quick as value by value.

    >>> array_of([(1, [2.5]), None], pa.struct({"n": pa.int64(), "x": pa.list_(pa.float64())})).to_pylist()
    [{'n': 1, 'x': [2.5]}, None]
    """
    types = set(map(type, values))
    if pa.types.is_primitive(kind) and types <= {int, float, bool, type(None)}:
        return pa.array(values, kind)
    if pa.types.is_struct(kind) and _all_tuples(types):
        missing = [value is None for value in values]
        blank = (None,) * kind.num_fields
        columns = zip(*(blank if value is None else value for value in values), strict=True)
        arrays = [array_of(column, field.type) for column, field in zip(columns, kind, strict=True)]
        return pa.StructArray.from_arrays(arrays, fields=list(kind), mask=pa.array(missing))
    if pa.types.is_list(kind) and types and types <= {list, tuple}:
        starts = np.concatenate([[0], np.cumsum([len(value) for value in values])])
        inner = array_of(list(chain.from_iterable(values)), kind.value_type)
        return pa.ListArray.from_arrays(pa.array(starts, pa.int32()), inner, type=kind)
    return pa.array([as_plain(value, kind) for value in values], kind)


def _all_tuples(types: set[type]) -> bool:
    """Whether all are tuples or missing, and some are there. A record is read by its names."""
    found = types - {type(None)}
    return bool(found) and all(issubclass(one, tuple) and not issubclass(one, Record) for one in found)


def as_plain(value: Any, kind: pa.DataType) -> Any:
    """The value for an array of the type: named tuples, records and tuples as structs where the type is one.

    >>> import sash
    >>> as_plain(sash.results.Run(1, 4, 2.5, 3), pa.struct(dict.fromkeys(sash.results.Run._fields, pa.float64())))
    {'start': 1, 'end': 4, 'span': 2.5, 'length': 3}
    """
    if value is None or (pa.types.is_primitive(kind) and type(value) in (int, float, bool)):
        return value
    if isinstance(value, pa.Scalar):
        return _time(value, kind)
    if pa.types.is_struct(kind):
        return _struct(value, kind)
    if pa.types.is_list(kind):
        return [as_plain(part, kind.value_type) for part in value]
    return value


def _struct(value: Any, kind: pa.DataType) -> Any:
    fields = [kind.field(place) for place in range(kind.num_fields)]
    if isinstance(value, Record):
        value = dict(value.items())
    elif isinstance(value, tuple):
        value = dict(zip((field.name for field in fields), value, strict=True))
    if not isinstance(value, dict):
        return value
    return {field.name: as_plain(value.get(field.name), field.type) for field in fields}


def _time(value: pa.Scalar, kind: pa.DataType) -> Any:
    """A time by its number: Arrow would go by way of datetime, which holds fewer times."""
    return value.value if pa.types.is_timestamp(kind) and value.type == kind else value.as_py()
