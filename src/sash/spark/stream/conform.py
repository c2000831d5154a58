"""Columns by name and type: rows of a log fit the stream that reads them, whatever stream wrote them."""

from __future__ import annotations

import pyarrow as pa

__all__ = ["canonical", "conformed", "joined_tables", "widens"]


def canonical(kind: pa.DataType) -> pa.DataType:
    """The type as a log has it: instants in UTC, text, bytes and lists with small offsets. So neither the zone of the
    session nor its way of crossing to Python is part of a checkpoint.

    >>> canonical(pa.large_list(pa.timestamp("us", "Europe/Berlin"))) == pa.list_(pa.timestamp("us", "UTC"))
    True
    """
    if pa.types.is_timestamp(kind) and kind.tz is not None:
        return pa.timestamp(kind.unit, "UTC")
    if pa.types.is_large_string(kind) or pa.types.is_string_view(kind):
        return pa.string()
    if pa.types.is_large_binary(kind) or pa.types.is_binary_view(kind):
        return pa.binary()
    if pa.types.is_map(kind):
        return pa.map_(canonical(kind.key_type), canonical(kind.item_type))
    if pa.types.is_struct(kind):
        return pa.struct([field.with_type(canonical(field.type)) for field in kind])
    if pa.types.is_list(kind) or pa.types.is_large_list(kind):
        return pa.list_(canonical(kind.value_type))
    return kind


def conformed(table: pa.Table, schema: pa.Schema) -> pa.Table:
    """The columns of the schema, found by name, in its types; null where the table has none. Cost: O(columns), and
    O(rows) where bytes are laid out differently."""
    if table.schema.equals(schema):
        return table
    return pa.Table.from_arrays([_column(table, field) for field in schema], schema=schema)


def _column(table: pa.Table, field: pa.Field) -> pa.ChunkedArray:
    place = table.schema.get_field_index(field.name)
    if place < 0:
        return pa.chunked_array([pa.nulls(table.num_rows, field.type)])
    column = table.column(place)
    return column if column.type == field.type else column.cast(field.type)


def joined_tables(tables: list[pa.Table]) -> pa.Table:
    """Tables of one log, one behind the other: all columns that any has, each in its widest type."""
    return pa.concat_tables(tables, promote_options="permissive")


def widens(held: pa.DataType, wanted: pa.DataType) -> bool:
    """Whether every value of the one is a value of the other.

    >>> widens(pa.int32(), pa.int64()), widens(pa.int64(), pa.int32()), widens(pa.int64(), pa.float64())
    (True, False, False)
    """
    if held == wanted or pa.types.is_null(held):
        return True
    if pa.types.is_signed_integer(held):
        if pa.types.is_signed_integer(wanted):
            return bool(held.bit_width <= wanted.bit_width)
        return bool(pa.types.is_float64(wanted) and held.bit_width <= 32)
    return bool(pa.types.is_float32(held) and pa.types.is_float64(wanted))
