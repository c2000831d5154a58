"""DataFrames of polars, by way of Arrow: their memory is shared, not copied."""

from __future__ import annotations

from typing import Any

from sash.extras import how_to_install
from sash.frames.arrow import ArrowFrame

__all__ = ["polars_frame"]


def polars_frame(data: Any) -> ArrowFrame:
    """A DataFrame; a LazyFrame is collected, and comes back lazy.

    >>> import polars as pl
    >>> polars_frame(pl.DataFrame({"x": [1, 2]})).rows
    2
    """
    import polars as pl

    lazy = isinstance(data, pl.LazyFrame)
    frame = data.collect() if lazy else data
    try:
        table = frame.to_arrow()
    except ImportError:
        raise TypeError(
            f"a frame of polars is read through Arrow, which needs pyarrow: {how_to_install('arrow')}"
        ) from None
    given = len(table.column_names)

    def give_back(table: Any) -> Any:
        # The columns that were given go back as they are: no type changes on the way through Arrow.
        whole = frame.hstack([pl.Series(name, table.column(name)) for name in table.column_names[given:]])
        return whole.lazy() if lazy else whole

    def make(table: Any) -> Any:
        whole: Any = pl.from_arrow(table)
        return whole.lazy() if lazy else whole

    return ArrowFrame(table, give_back, make)
