"""Frames of every kind behind one small protocol: pandas, polars, Arrow, dictionaries of NumPy arrays."""

from __future__ import annotations

import sys
from collections.abc import Mapping
from typing import Any

from sash.extras import how_to_install
from sash.frames.arrays import ArrayFrame
from sash.frames.base import Frame, GivenFrame

__all__ = ["Frame", "as_frame"]


def as_frame(data: Any) -> GivenFrame:
    """The frame that the data is; TypeError if it is none.

    Takes `pandas.DataFrame`, `polars.DataFrame`, `pyarrow.Table`, `RecordBatch` and `RecordBatchReader`, relations of
    DuckDB, dictionaries of arrays, and whatever has `__arrow_c_stream__`, which comes back as a `pyarrow.Table`. No
    library is imported that the data did not bring, except pyarrow for those that go through Arrow. Cost: O(1).

    >>> import numpy as np
    >>> as_frame({"x": np.arange(3)}).rows
    3
    >>> as_frame([1, 2])
    Traceback (most recent call last):
    ...
    TypeError: a frame is a DataFrame of pandas or polars, an Arrow table or a dictionary of arrays, not list
    """
    pandas, polars, pyarrow, duckdb = map(sys.modules.get, ("pandas", "polars", "pyarrow", "duckdb"))
    if pandas is not None and isinstance(data, pandas.DataFrame):
        from sash.frames.pandas import PandasFrame

        return PandasFrame(data)
    if polars is not None and isinstance(data, (polars.DataFrame, polars.LazyFrame)):
        from sash.frames.polars import polars_frame

        return polars_frame(data)
    if pyarrow is not None and isinstance(data, (pyarrow.Table, pyarrow.RecordBatch, pyarrow.RecordBatchReader)):
        return _arrow_frame(data)
    if duckdb is not None and isinstance(data, duckdb.DuckDBPyRelation):
        from sash.frames.duckdb import duckdb_frame

        return duckdb_frame(data)
    if isinstance(data, Mapping):
        return ArrayFrame(data)
    if type(data).__module__.partition(".")[0] == "pyspark":
        raise TypeError("a DataFrame of Spark is run where its rows are: write sash.spark.rolling(df, plan)")
    if hasattr(data, "__arrow_c_stream__"):
        return _foreign_frame(data)
    raise TypeError(
        "a frame is a DataFrame of pandas or polars, an Arrow table or a dictionary of arrays, not "
        f"{type(data).__name__}"
    )


def _arrow_frame(data: Any) -> GivenFrame:
    import pyarrow as pa

    from sash.frames.arrow import ArrowFrame

    if isinstance(data, pa.RecordBatch):
        return ArrowFrame(pa.Table.from_batches([data]), _one_batch)
    if isinstance(data, pa.RecordBatchReader):
        return ArrowFrame(data.read_all(), lambda table: table.to_reader())
    return ArrowFrame(data)


def _one_batch(table: Any) -> Any:
    import pyarrow as pa

    batches = table.combine_chunks().to_batches()
    return batches[0] if batches else pa.RecordBatch.from_pylist([], schema=table.schema)


def _foreign_frame(data: Any) -> GivenFrame:
    try:
        import pyarrow as pa
    except ImportError:
        raise TypeError(
            f"{type(data).__name__} is read through Arrow, which needs pyarrow: {how_to_install('arrow')}"
        ) from None
    return _arrow_frame(pa.table(data))
