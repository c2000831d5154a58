"""Relations of DuckDB, by way of Arrow; what comes out is a relation of the same connection."""

from __future__ import annotations

from typing import Any

from sash.frames.arrow import ArrowFrame

__all__ = ["duckdb_frame"]


def duckdb_frame(relation: Any) -> ArrowFrame:
    """A relation, run once, and read.

    >>> import duckdb
    >>> import sash
    >>> events = duckdb.sql("SELECT unnest([1, 2, 4]) AS t, unnest([5, 6, 7]) AS x")
    >>> out = sash.rolling(events, on="t", window=sash.TimeWindow(2), total=sash.Sum("x"))
    >>> out.order("t").fetchall()
    [(1, 5, 5), (2, 6, 11), (4, 7, 7)]
    """

    def give_back(sash_results: Any) -> Any:
        # DuckDB finds the table by the name of this argument.
        return relation.query("sash_source", "SELECT * FROM sash_results")

    return ArrowFrame(relation.to_arrow_table(), give_back)
