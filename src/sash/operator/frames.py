"""Results as a frame: a row for each, a column for each part."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

import numpy as np

from sash.aggregations.composite import Record
from sash.markup import as_html

if TYPE_CHECKING:
    from sash.operator.results import Results

__all__ = ["columns_of", "html_of", "to_arrow", "to_pandas", "to_polars"]

_SHOWN: Final = 10


def columns_of(results: Results) -> dict[str, Any]:
    """The columns by name: those that say something of these results, and the fields of records one by one.

    The key is there if an event had one, the window if there are several, the revision if a result was revised,
    `retracted` if one was.
    """
    columns: dict[str, Any] = {}
    if any(key is not None for key in results.keys):
        columns["key"] = results.keys
    columns |= {"start": results.starts, "end": results.ends}
    if len(results.policies) > 1:
        columns["window"] = [repr(results.policies[place]) for place in results.windows]
    columns |= _values(results.values)
    if results.revisions.any():
        columns["revision"] = results.revisions
    if results.retracted.any():
        columns["retracted"] = results.retracted
    return columns


def _values(values: Any) -> dict[str, Any]:
    first = next((value for value in values if value is not None), None)
    if not isinstance(first, Record):
        return {"value": values}
    names = list(dict(first.items()))
    return {name: [None if value is None else value[name] for value in values] for name in names}


def to_pandas(results: Results) -> Any:
    """A DataFrame of pandas."""
    import pandas as pd

    return pd.DataFrame({name: _listed(column) for name, column in columns_of(results).items()})


def to_arrow(results: Results) -> Any:
    """A table of Arrow."""
    import pyarrow as pa

    return pa.table({name: pa.array(_listed(column)) for name, column in columns_of(results).items()})


def to_polars(results: Results) -> Any:
    """A DataFrame of polars."""
    import polars as pl

    return pl.from_arrow(to_arrow(results))


def _listed(column: Any) -> Any:
    """Arrays of objects as lists: libraries find the type of their values."""
    return column.tolist() if isinstance(column, np.ndarray) and column.dtype == object else column


def html_of(results: Results) -> str:
    """The last results as a table."""
    last = results[-_SHOWN:]
    columns = {name: _listed(column) for name, column in columns_of(last).items()}
    rows = list(zip(*columns.values(), strict=True))
    more = f"the last {len(last)} of {len(results):,} results" if len(results) > len(last) else ""
    return as_html(list(columns), rows, more)
