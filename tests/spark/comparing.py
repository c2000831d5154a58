"""Rows of Spark beside rows of a frame, whatever order they come in."""

from __future__ import annotations

import datetime as dt
from typing import Any


def by_id(df: Any) -> dict[int, Any]:
    """The rows by their `id`, each there once."""
    rows = df.collect()
    found = {row["id"]: row for row in rows}
    assert len(found) == len(rows)
    return found


def plain(value: Any) -> Any:
    """Rows as dictionaries, times as instants."""
    if hasattr(value, "asDict"):
        return {name: plain(part) for name, part in value.asDict().items()}
    if isinstance(value, list):
        return [plain(part) for part in value]
    if isinstance(value, dt.datetime):
        return value.astimezone(dt.UTC)
    return value


def same_rows(df: Any, table: Any) -> None:
    """The DataFrame has the rows of the Arrow table, column for column."""
    assert df.columns == table.column_names
    ours, theirs = by_id(df), {row["id"]: row for row in table.to_pylist()}
    assert ours.keys() == theirs.keys()
    for i, row in ours.items():
        assert plain(row) == plain_table_row(theirs[i])


def plain_table_row(row: dict[str, Any]) -> dict[str, Any]:
    """A row of Arrow in the same form."""
    return {name: plain(value) for name, value in row.items()}
