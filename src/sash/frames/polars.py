"""DataFrames of polars, by way of Arrow: their memory is shared, not copied."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import numpy.typing as npt

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

    def give_back(table: Any) -> Any:
        whole: Any = table.frame if isinstance(table, _Columns) else pl.from_arrow(table)
        return whole.lazy() if lazy else whole

    return ArrowFrame(_Columns(data.collect() if lazy else data), give_back)


class _Columns:
    """A DataFrame as a table of Arrow. Only columns that are read become Arrow's: the others may have types that it
    has not, and texts are copied. Those that were given go back as they are.
    """

    def __init__(self, frame: Any) -> None:
        self.frame = frame

    @property
    def column_names(self) -> Sequence[str]:
        return list(self.frame.columns)

    @property
    def num_rows(self) -> int:
        return int(self.frame.height)

    def column(self, name: str) -> Any:
        kind = self.frame.schema[name]
        try:
            # Of Python objects Arrow would get the addresses.
            if str(kind) == "Object":
                raise ValueError("they are objects of Python")
            return self.frame.select(name).to_arrow().column(0)
        except ImportError:
            raise TypeError(
                f"a frame of polars is read through Arrow, which needs pyarrow: {how_to_install('arrow')}"
            ) from None
        except ValueError as error:
            raise TypeError(
                f"Arrow has no type for column {name!r}, which is {kind}: cast it first ({error})"
            ) from None

    def append_column(self, name: str, column: Any) -> _Columns:
        import polars as pl

        return _Columns(self.frame.hstack([pl.Series(name, column)]))

    def take(self, rows: npt.NDArray[np.int64]) -> _Columns:
        return _Columns(self.frame[rows])
