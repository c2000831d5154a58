"""Python results as values that Arrow reads: records, named tuples and times as plain ones."""

from __future__ import annotations

from typing import Any

import pyarrow as pa

from sash.aggregations.composite import Record

__all__ = ["as_plain"]


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
