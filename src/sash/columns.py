"""The values of a bulk insert on their way into the core: as arrays where types allow, one by one where not."""

from __future__ import annotations

import array
import sys
from typing import Any, Final, TypeAlias

import numpy as np
import numpy.typing as npt

__all__ = ["Column", "read_column"]

#: What the core takes: numbers without a copy, anything else as Python objects.
Column: TypeAlias = npt.NDArray[np.int64] | npt.NDArray[np.float64] | tuple[Any, ...]
Kept: TypeAlias = npt.NDArray[np.bool_] | None

#: How each kind of input takes each kind of array; what is not here goes one by one.
_DTYPES: Final[dict[tuple[str, str], type[np.int64] | type[np.float64]]] = {
    **{(inputs, code): np.int64 for inputs in ("number", "integer", "any", "hashable", "ignored") for code in "iu"},
    **{(inputs, "b"): np.int64 for inputs in ("number", "integer", "bool", "ignored")},
    **{(inputs, "f"): np.float64 for inputs in ("number", "real", "any", "hashable", "ignored")},
    **{("real", code): np.float64 for code in "biu"},
}


def read_column(values: Any, inputs: str) -> tuple[Column, Kept]:
    """The values for the core, and which of the given ones they are where nulls were left out.

    int64 and float64 arrays of NumPy, pandas and Arrow are not copied. Cost: O(n) where they are not, else O(1).

    >>> read_column(np.array([1, 2]), "number")[0]
    array([1, 2])
    >>> read_column(["a", None], "text")
    (('a', None), None)
    """
    pandas = sys.modules.get("pandas")
    if pandas is not None and isinstance(values, (pandas.Series, pandas.Index)):
        return _from_pandas(values, inputs)
    if isinstance(values, np.ndarray):
        return _from_numpy(values, inputs), None
    if hasattr(values, "__arrow_c_array__") or hasattr(values, "__arrow_c_stream__"):
        return _from_arrow(values, inputs)
    if isinstance(values, (memoryview, array.array)):
        return _from_numpy(np.asarray(values), inputs), None
    return tuple(values), None


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


def _from_pandas(values: Any, inputs: str) -> tuple[Column, Kept]:
    if isinstance(values.dtype, np.dtype) and values.dtype.kind != "O":
        return _from_numpy(values.to_numpy(), inputs), None
    # pd.NA, NaT and NaN are the nulls of such columns.
    kept = np.asarray(values.notna())
    return tuple(values[kept].tolist()), kept


def _from_arrow(values: Any, inputs: str) -> tuple[Column, Kept]:
    try:
        import pyarrow as pa
    except ImportError:
        return tuple(values), None
    if not isinstance(values, (pa.Array, pa.ChunkedArray)):
        values = pa.chunked_array(values) if hasattr(values, "__arrow_c_stream__") else pa.array(values)
    kept = None
    if values.null_count:
        kept = np.asarray(values.is_valid())
        values = values.drop_null()
    if _is_number(values.type):
        numbers = values.to_numpy(zero_copy_only=False) if isinstance(values, pa.Array) else values.to_numpy()
        return _from_numpy(numbers, inputs), kept
    return tuple(values.to_pylist()), kept


def _is_number(arrow_type: Any) -> bool:
    import pyarrow as pa

    return bool(pa.types.is_integer(arrow_type) or pa.types.is_floating(arrow_type) or pa.types.is_boolean(arrow_type))
