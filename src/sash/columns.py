"""The values of a bulk insert on their way into the core: as arrays where types allow, one by one where not."""

from __future__ import annotations

import array
import sys
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, Final, TypeAlias

import numpy as np
import numpy.typing as npt

if TYPE_CHECKING:
    from sash.aggregations.records import Row, Slot

__all__ = ["Column", "as_columns", "as_row", "items_of", "read_column", "read_rows", "read_with_nulls"]

#: What the core takes: numbers without a copy, anything else as Python objects.
Column: TypeAlias = npt.NDArray[np.int64] | npt.NDArray[np.float64] | tuple[Any, ...]
Kept: TypeAlias = npt.NDArray[np.bool_] | None

#: How each kind of input takes each kind of array; what is not here goes one by one.
#: Numbers, and beside them what has an order, a difference or a sum.
_NUMBERS: Final = ("number", "ordered", "measure", "amount")
_DTYPES: Final[dict[tuple[str, str], type[np.int64] | type[np.float64]]] = {
    **{(inputs, code): np.int64 for inputs in (*_NUMBERS, "integer", "any", "hashable", "ignored") for code in "iu"},
    **{(inputs, "b"): np.int64 for inputs in (*_NUMBERS, "integer", "bool", "ignored")},
    **{(inputs, "f"): np.float64 for inputs in (*_NUMBERS, "real", "any", "hashable", "ignored")},
    **{("real", code): np.float64 for code in "biu"},
}


def as_columns(values: Any) -> Any:
    """A frame as a mapping of its columns, and anything else as it is.

    >>> import pandas as pd
    >>> list(as_columns(pd.DataFrame({"km": [1, 2]}))), as_columns([1, 2])
    (['km'], [1, 2])
    """
    if isinstance(values, Mapping) or not hasattr(values, "columns"):
        return values
    names = getattr(values, "column_names", None) or list(values.columns)
    return {name: values[name] for name in names}


def as_row(value: Any) -> Any:
    """A row with names as a mapping: a named tuple, a Series of pandas, a Row of Spark. Anything else as it is.

    >>> import pandas as pd
    >>> [as_row(row) for row in pd.DataFrame({"km": [1.5]}).itertuples(index=False)], as_row(3)
    ([{'km': 1.5}], 3)
    """
    if isinstance(value, Mapping):
        return value
    way = next((found for name in ("_asdict", "asDict", "to_dict") if (found := getattr(value, name, None))), None)
    return value if way is None else way()


def items_of(column: Any) -> list[Any]:
    """The values of a column one by one, as Python has them, None where pandas has a null.

    >>> import pandas as pd
    >>> items_of(pd.array([1, None])), items_of(np.array([1.5])), items_of("ab")
    ([1, None], [1.5], ['a', 'b'])
    """
    if _is_pandas(column) and not (isinstance(column.dtype, np.dtype) and column.dtype.kind in "biuf"):
        nulls = column.isna()
        return [None if null else value for value, null in zip(column.tolist(), nulls, strict=True)]
    if isinstance(column, np.ndarray) and column.dtype.kind in "mM":
        # tolist would make integers of nanoseconds.
        return list(column)
    for name in ("to_pylist", "tolist", "to_list"):
        if hasattr(column, name):
            return list(getattr(column, name)())
    return list(column)


def read_column(values: Any, inputs: str) -> tuple[Column, Kept]:
    """The values for the core, and which of the given ones they are where nulls were left out.

    int64 and float64 arrays of NumPy, pandas and Arrow are not copied. Cost: O(n) where they are not, else O(1).

    >>> read_column(np.array([1, 2]), "number")[0]
    array([1, 2])
    >>> read_column(["a", None], "text")
    (('a', None), None)
    """
    if _is_pandas(values):
        return _from_pandas(values, inputs)
    if isinstance(values, np.ndarray):
        return _from_numpy(values, inputs), None
    if hasattr(values, "__arrow_c_array__") or hasattr(values, "__arrow_c_stream__"):
        return _from_arrow(values, inputs)
    if isinstance(values, (memoryview, array.array)):
        return _from_numpy(np.asarray(values), inputs), None
    return tuple(values), None


def read_rows(values: Any, row: Row, size: int) -> list[Column] | None:
    """The columns that a record reads, one a slot, where the values are a frame; None where they are single rows.

    A dict of columns and whatever has columns by name (pandas, polars, Arrow) is a frame. One array is the column of
    all slots that read the whole value. Cost: O(1) a column without nulls, O(n) a column with some.

    >>> from sash.aggregations.records import build
    >>> from sash import Sum
    >>> read_rows({"x": np.array([1, 2])}, build({"total": Sum("x")}), 2)
    [array([1, 2])]
    """
    if (
        _is_column(values)
        and not row.objects
        and all(slot.path.column is None and slot.path.index is None for slot in row.slots)
    ):
        return [_one_a_time(read_with_nulls(values, slot.inputs), size) for slot in row.slots]
    if not hasattr(values, "__getitem__") or isinstance(values, (list, tuple, np.ndarray)):
        return None
    if row.objects or any(slot.path.column is None and slot.inputs != "ignored" for slot in row.slots):
        return None
    return [_slot_column(values, slot, size) for slot in row.slots]


def _is_column(values: Any) -> bool:
    """Whether it is one array, of NumPy, pandas, polars or Arrow."""
    one = getattr(values, "ndim", None) == 1 or hasattr(values, "null_count")
    return one and not hasattr(values, "columns")


def _one_a_time(column: Column, size: int) -> Column:
    if len(column) != size:
        raise ValueError(f"{size} times and {len(column)} values: there must be one value a time")
    return column


def _slot_column(values: Any, slot: Slot, size: int) -> Column:
    if slot.path.column is None:
        return np.ones(size, np.int64)
    try:
        found = values[slot.path.column]
    except (KeyError, IndexError) as error:
        raise KeyError(f"there is no column {slot.path.column!r}") from error
    column = read_with_nulls(found, slot.inputs)
    if len(column) != size:
        raise ValueError(f"{size} times and {len(column)} values of {slot.path.column!r}: there must be one a time")
    return column


def read_with_nulls(values: Any, inputs: str) -> Column:
    """The values for the core, as many as were given: where there are nulls, one by one.

    >>> read_with_nulls(np.array([1, 2]), "number")
    array([1, 2])
    """
    column, kept = read_column(values, inputs)
    if kept is not None and not kept.all():
        filled: list[Any] = [None] * len(kept)
        for place, value in zip(np.flatnonzero(kept), column, strict=True):
            filled[place] = value
        return tuple(filled)
    return column


def _from_numpy(values: npt.NDArray[Any], inputs: str) -> Column:
    if values.ndim != 1:
        return _rows(values, inputs)
    dtype = _DTYPES.get((inputs, values.dtype.kind))
    if dtype is None or isinstance(values, np.ma.MaskedArray):
        # Iterating keeps datetime64 scalars what they are; tolist would make some of them integers.
        return tuple(values) if values.dtype.kind in "Mm" else tuple(values.tolist())
    if values.dtype.kind == "u" and dtype is np.int64 and len(values) and int(values.max()) > np.iinfo(np.int64).max:
        return tuple(values.tolist())
    return np.ascontiguousarray(values, np.int64) if dtype is np.int64 else np.ascontiguousarray(values, np.float64)


def _rows(values: npt.NDArray[Any], inputs: str) -> tuple[Any, ...]:
    if inputs == "keyed" and values.ndim == 2:
        return tuple(values.tolist())
    raise ValueError(f"values are a one-dimensional array, not one of shape {values.shape}")


def _is_pandas(values: Any) -> bool:
    pandas = sys.modules.get("pandas")
    return pandas is not None and isinstance(
        values, (pandas.Series, pandas.Index, pandas.api.extensions.ExtensionArray)
    )


def _from_pandas(values: Any, inputs: str) -> tuple[Column, Kept]:
    if isinstance(values.dtype, np.dtype) and values.dtype.kind != "O":
        return _from_numpy(values.to_numpy(), inputs), None
    # pd.NA, NaT and NaN are the nulls of such columns.
    kept = ~np.asarray(values.isna())
    return tuple(values[kept].tolist()), kept


def _from_arrow(values: Any, inputs: str) -> tuple[Column, Kept]:
    try:
        import pyarrow as pa
    except ImportError:
        return tuple(values), None
    if not isinstance(values, (pa.Array, pa.ChunkedArray)):
        values = pa.chunked_array(values) if hasattr(values, "__arrow_c_stream__") else pa.array(values)
    if not _is_number(values.type):
        return tuple(values.to_pylist()), None
    kept = None
    if values.null_count:
        kept = np.asarray(values.is_valid())
        values = values.drop_null()
    numbers = values.to_numpy(zero_copy_only=False) if isinstance(values, pa.Array) else values.to_numpy()
    return _from_numpy(numbers, inputs), kept


def _is_number(arrow_type: Any) -> bool:
    import pyarrow as pa

    return bool(pa.types.is_integer(arrow_type) or pa.types.is_floating(arrow_type) or pa.types.is_boolean(arrow_type))
