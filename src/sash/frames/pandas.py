"""DataFrames of pandas."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from sash.errors import PlanError
from sash.frames.arrays import ArrayFrame, as_array, as_durations, object_array, order_of_objects
from sash.frames.base import (
    Amounts,
    Codes,
    Foreign,
    Frame,
    Instants,
    Numbers,
    Objects,
    Part,
    Picked,
    ResultColumn,
    Taken,
    Values,
    alike,
    ranked,
    read_numbers,
    unlike,
)
from sash.frames.wide import Wide
from sash.times import Kind, decode_array, encode_array

if TYPE_CHECKING:
    from sash.frames.arrow import ArrowFrame

__all__ = ["PandasFrame"]


class PandasFrame:
    """A DataFrame; its index is kept. A named level of the index can be read as a column, and so can one of times.

    Results that may be null are `Int64` and `boolean`; in floats NaN is the null.

    >>> import pandas as pd
    >>> PandasFrame(pd.DataFrame({"x": [1.5, None]})).values("x").type
    'real'
    """

    def __init__(self, data: Any) -> None:
        if not data.columns.is_unique:
            twice = data.columns[data.columns.duplicated()].tolist()
            raise PlanError(f"the frame has the column {twice[0]!r} twice: rename one of them")
        self._data = data

    @property
    def names(self) -> Sequence[str]:
        """The columns that can be read, and the named levels of the index."""
        levels = [self.time_index, *self._data.index.names]
        return list(dict.fromkeys([*self._data.columns, *(level for level in levels if level is not None)]))

    @property
    def rows(self) -> int:
        """How many rows there are."""
        return len(self._data)

    @property
    def time_index(self) -> str | None:
        """The index, where it is one of times; without a name it is called as `reset_index` calls it."""
        import pandas as pd

        index = self._data.index
        if not isinstance(index, (pd.DatetimeIndex, pd.TimedeltaIndex)):
            return None
        return "index" if index.name is None else index.name

    def _series(self, name: str) -> Any:
        if name in self._data.columns:
            return self._data[name]
        return self._data.index if name == self.time_index else self._data.index.get_level_values(name)

    def times(self, name: str) -> tuple[Kind, npt.NDArray[np.int64]]:
        """A column of times, encoded."""
        kind, ticks = encode_array(self._series(name))
        return kind, np.ascontiguousarray(ticks)

    def values(self, name: str) -> Values:
        """A column of values."""
        series = self._series(name)
        dtype = series.dtype
        if hasattr(dtype, "pyarrow_dtype"):
            return replace(_in_arrow(series).values("values"), name=str(dtype))
        if isinstance(dtype, np.dtype):
            if dtype.kind in "biuf":
                return read_numbers(series.to_numpy(), None, str(dtype), name)
            return Values(_type_of(series), None, _marks(series), str(dtype))
        if getattr(dtype, "kind", "") in ("b", "i", "u", "f"):
            nulls = np.asarray(series.isna())
            plain = series.to_numpy(dtype=np.dtype(f"{dtype.kind}{8 if dtype.kind != 'b' else 1}"), na_value=0)
            return read_numbers(plain, nulls, str(dtype), name)
        return Values(_type_of(series), None, _marks(series), str(dtype))

    def ordering(self, name: str) -> npt.NDArray[np.int64]:
        """A column with an order as numbers of the same order; those of nulls are nobody's."""
        import pandas as pd

        series = self._series(name)
        if hasattr(series.dtype, "pyarrow_dtype"):
            return _in_arrow(series).ordering("values")
        if _type_of(series) in ("instant", "duration"):
            return self.amounts(name).fitting()
        if isinstance(series.dtype, np.dtype):
            return order_of_objects(series.to_numpy(), np.asarray(series.isna()))
        if isinstance(series.dtype, pd.CategoricalDtype) and series.dtype.ordered:
            return np.asarray(pd.Categorical(series).codes, np.int64)
        codes, values = pd.factorize(series, use_na_sentinel=True)
        return ranked(codes, np.argsort(np.asarray(values, object), kind="stable"))

    def amounts(self, name: str) -> Wide:
        """A column of decimals, instants or durations as numbers of its unit; those of nulls are nobody's."""
        import pandas as pd

        series = self._series(name)
        if hasattr(series.dtype, "pyarrow_dtype"):
            return _in_arrow(series).amounts("values")
        index = pd.DatetimeIndex if _type_of(series) == "instant" else pd.TimedeltaIndex
        return Wide.of(np.ascontiguousarray(index(series).asi8))

    def reals(self, name: str) -> npt.NDArray[np.float64]:
        """A column of decimals as the nearest floats; those of nulls are nobody's."""
        return _in_arrow(self._series(name)).reals("values")

    def objects(self, name: str) -> list[Any]:
        """A column as Python objects, None where it is null."""
        series = self._series(name)
        values = list(series.tolist())
        if isinstance(series.dtype, np.dtype) and series.dtype.kind in "bif":
            return values
        return [None if null else value for value, null in zip(values, series.isna().tolist(), strict=True)]

    def codes(self, name: str, threads: int = 1) -> Codes:
        """A column as codes."""
        return _codes(self._series(name), threads)

    def codes_with(self, name: str, other: Frame, threads: int = 1) -> Codes:
        """A column as codes, and behind it that of another frame of this kind."""
        import pandas as pd

        assert isinstance(other, PandasFrame)
        both = [pd.Series(frame._series(name)) for frame in (self, other)]
        if {_family(series) for series in both} == {"numbers", "texts"}:
            raise PlanError(unlike(name, *(series.dtype for series in both)))
        return _codes(pd.concat(both, ignore_index=True), threads)

    def with_columns(self, columns: Mapping[str, ResultColumn | Foreign]) -> Any:
        """A new DataFrame with the same index and columns, and the results behind them."""
        import pandas as pd

        made = {name: self.column(result) for name, result in columns.items()}
        # Copies as pandas' own methods make them: at once, or on the first write where copy-on-write is on. The results
        # are nobody else's, and assigning or concatenating them would copy them once more.
        own = {label: self._data[label].copy(deep=None) for label in self._data.columns}
        whole = pd.DataFrame(own | made, index=self._data.index, copy=False)
        whole.columns.name = self._data.columns.name
        whole.attrs = dict(self._data.attrs)
        return whole

    def made_of(self, columns: Mapping[str, Part]) -> Any:
        """A DataFrame of new columns, with an index of its own."""
        import pandas as pd

        return pd.DataFrame({name: self._part(part) for name, part in columns.items()}, copy=False)

    def only(self, rows: npt.NDArray[np.int64]) -> PandasFrame:
        """A DataFrame of some of the rows; they keep their index."""
        return PandasFrame(self._data.iloc[rows])

    def _part(self, part: Part) -> Any:
        if isinstance(part, Picked):
            return self._series(part.column).take(part.rows).array
        return decode_array(part.kind, part.ticks) if isinstance(part, Instants) else self.column(part)

    def _durations(self, result: Amounts) -> Any:
        import pandas as pd

        series = self._series(result.column)
        dtype = series.dtype
        if hasattr(dtype, "pyarrow_dtype"):
            return pd.arrays.ArrowExtensionArray(_in_arrow(series).column(replace(result, column="values")))
        return as_durations(result, (getattr(dtype, "unit", None) or np.datetime_data(dtype)[0], 1))

    def column(self, result: ResultColumn | Foreign) -> Any:
        """A result as an array of pandas or NumPy."""
        import pandas as pd

        if isinstance(result, Foreign):
            return result.frame.column(result.result)
        if isinstance(result, Numbers):
            if result.type == "real" or not result.nullable:
                return as_array(result)
            mask = np.zeros(len(result.values), bool) if result.valid is None else ~result.valid
            array = pd.arrays.BooleanArray if result.type == "bool" else pd.arrays.IntegerArray
            return array(result.values.astype(bool if result.type == "bool" else np.int64, copy=False), mask)
        if isinstance(result, Taken):
            return _take(self._series(result.column), result.rows)
        if isinstance(result, Objects):
            return object_array(result.values)
        if isinstance(result, Amounts):
            return self._durations(result)
        parts = {name: self.objects(name) for name in result.columns}
        return object_array(
            [None if row < 0 else {name: part[row] for name, part in parts.items()} for row in result.rows.tolist()]
        )


def _in_arrow(series: Any) -> ArrowFrame:
    """A column that Arrow keeps, as Arrow's."""
    import pyarrow as pa

    from sash.frames.arrow import ArrowFrame

    return ArrowFrame(pa.table({"values": series.array.__arrow_array__()}))


def _type_of(series: Any) -> Any:
    """What a column that holds no numbers is to the engine."""
    import pandas as pd

    dtype = series.dtype
    if isinstance(dtype, np.dtype) and dtype.kind == "O":
        return "alike" if alike(series[~np.asarray(series.isna())].tolist()) else "object"
    if isinstance(dtype, pd.CategoricalDtype):
        return "ordered" if dtype.ordered or alike(dtype.categories.tolist()) else "other"
    if isinstance(dtype, pd.StringDtype):
        return "ordered"
    return {"M": "instant", "m": "duration"}.get(getattr(dtype, "kind", ""), "other")


def _codes(series: Any, threads: int) -> Codes:
    import pandas as pd

    if isinstance(series.dtype, np.dtype) and series.dtype.kind in "biuf":
        return ArrayFrame({"keys": series.to_numpy()}).codes("keys", threads)
    if getattr(series.dtype, "storage", None) == "pyarrow":
        return _in_arrow(series).codes("values", threads)
    codes, values = pd.factorize(series, use_na_sentinel=True)
    # Nulls are -1, which is the greatest of all without a sign.
    return Codes(np.where(codes < 0, len(values), codes).astype(np.uint32), len(values) + 1)


def _family(series: Any) -> str | None:
    """Whether a column holds numbers or texts; None where its type does not say so, or it holds something else."""
    import pandas as pd

    if pd.api.types.is_object_dtype(series.dtype):
        return None
    if pd.api.types.is_numeric_dtype(series.dtype):
        return "numbers"
    return "texts" if pd.api.types.is_string_dtype(series.dtype) else None


def _marks(series: Any) -> npt.NDArray[np.uint8] | None:
    nulls = np.asarray(series.isna())
    return nulls.view(np.uint8) if nulls.any() else None


def _take(series: Any, rows: npt.NDArray[np.int64]) -> Any:
    import pandas as pd

    dtype = series.dtype
    if isinstance(dtype, np.dtype) and dtype.kind in "biu":
        array = pd.array(series.to_numpy(), dtype="boolean" if dtype.kind == "b" else "Int64")
    else:
        array = series.to_numpy() if isinstance(dtype, np.dtype) and dtype.kind in "fO" else series.array
    objects = isinstance(array, np.ndarray) and dtype.kind == "O"
    return pd.api.extensions.take(array, rows, allow_fill=True, fill_value=None if objects else _null_of(array))


def _null_of(array: Any) -> Any:
    """The null of an array, in its own form."""
    import pandas as pd

    return np.nan if isinstance(array, np.ndarray) else getattr(array.dtype, "na_value", pd.NaT)
