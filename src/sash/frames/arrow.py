"""Tables, record batches and readers of Arrow, and whatever has its C stream interface."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any, Final

import numpy as np
import numpy.typing as npt

from sash._batch import encode_integers, encode_texts
from sash.aggregations.composite import Record
from sash.errors import PlanError
from sash.frames.base import (
    Amounts,
    Codes,
    Foreign,
    Frame,
    Instants,
    Marks,
    Numbers,
    Objects,
    Part,
    Picked,
    ResultColumn,
    Taken,
    Values,
    ranked,
    read_numbers,
    unlike,
)
from sash.frames.wide import DIGITS, Wide
from sash.times import Kind, decode_array, encode_array

__all__ = ["ArrowFrame"]

#: Integers below the one are floats exactly, and so are powers of ten up to the other.
_EXACT: Final = 2**53
_TENS: Final = 22
#: Types of values that have an order and are no numbers.
_ORDERED: Final = ("decimal", "instant", "duration", "ordered")
_NOTHING: Final = np.zeros(0, np.uint64)


class ArrowFrame:
    """A table. Results have true nulls, in floats too; NaN stays what it is.

    >>> import pyarrow as pa
    >>> ArrowFrame(pa.table({"x": [1, None]})).values("x").nulls
    array([0, 1], dtype=uint8)
    """

    def __init__(self, table: Any, give_back: Callable[[Any], Any] = lambda table: table) -> None:
        names = table.column_names
        if len(set(names)) < len(names):
            twice = next(name for name in names if names.count(name) > 1)
            raise PlanError(f"the frame has the column {twice!r} twice: rename one of them")
        self._table = table
        self._give_back = give_back
        self._whole: dict[str, Any] = {}
        self._values: dict[str, Values] = {}

    @property
    def names(self) -> Sequence[str]:
        """The columns that can be read."""
        return list(self._table.column_names)

    @property
    def rows(self) -> int:
        """How many rows there are."""
        return int(self._table.num_rows)

    def _array(self, name: str) -> Any:
        """The column in one array; dictionaries decoded, and views as plain text."""
        import pyarrow as pa

        if name not in self._whole:
            column = self._table.column(name)
            if pa.types.is_dictionary(column.type):
                column = column.cast(column.type.value_type)
            # Arrow has few kernels for views.
            if pa.types.is_string_view(column.type) or pa.types.is_binary_view(column.type):
                column = column.cast(pa.large_string() if pa.types.is_string_view(column.type) else pa.large_binary())
            # To combine a single chunk would copy it.
            self._whole[name] = column.chunk(0) if column.num_chunks == 1 else _combined(column)
        return self._whole[name]

    def times(self, name: str) -> tuple[Kind, npt.NDArray[np.int64]]:
        """A column of times, encoded."""
        kind, ticks = encode_array(self._array(name))
        return kind, np.ascontiguousarray(ticks)

    def values(self, name: str) -> Values:
        """A column of values. Read once: nulls are filled in a copy."""
        if name not in self._values:
            self._values[name] = self._read(name)
        return self._values[name]

    def _read(self, name: str) -> Values:
        import pyarrow as pa
        import pyarrow.compute as pc

        array = self._array(name)
        kind = array.type
        nulls = np.asarray(array.is_null()) if array.null_count else None
        if pa.types.is_integer(kind) or pa.types.is_floating(kind) or pa.types.is_boolean(kind):
            if nulls is not None:
                array = pc.fill_null(array, False if pa.types.is_boolean(kind) else pa.scalar(0, kind))
            return read_numbers(array.to_numpy(zero_copy_only=False), nulls, str(kind), name)
        if pa.types.is_null(kind):
            return Values("object", None, np.ones(len(array), np.uint8), str(kind))
        return Values(_type_of(kind), None, None if nulls is None else nulls.view(np.uint8), str(kind))

    def ordering(self, name: str) -> npt.NDArray[np.int64]:
        """A column with an order as numbers of the same order; those of nulls are nobody's."""
        import pyarrow as pa
        import pyarrow.compute as pc

        given = self._table.column(name)
        if pa.types.is_dictionary(given.type) and given.type.ordered:
            return _places(given)
        array = self._array(name)
        if pa.types.is_temporal(array.type):
            return _ticks(array)
        # Whatever digits a type allows, most values have few.
        numbers = _unscaled(array).narrow if _is_decimal128(array.type) else None
        if numbers is not None:
            return numbers
        codes, listed = _encoded(array)
        return ranked(codes, pc.sort_indices(listed).to_numpy())

    def amounts(self, name: str) -> Wide:
        """A column of decimals, instants or durations as numbers of its unit; those of nulls are nobody's."""
        import pyarrow as pa

        array = self._array(name)
        return _unscaled(array) if pa.types.is_decimal(array.type) else Wide.of(_ticks(array))

    def reals(self, name: str) -> npt.NDArray[np.float64]:
        """A column of decimals as the nearest floats; those of nulls are nobody's."""
        array = self._array(name)
        numbers = _unscaled(array).narrow if _is_decimal128(array.type) else None
        if numbers is not None and (np.abs(numbers) < _EXACT).all() and 0 <= array.type.scale <= _TENS:
            # Both are floats exactly, so their quotient is the nearest.
            return np.asarray(numbers / 10.0**array.type.scale, np.float64)
        # Arrow's own cast is not rounded to the nearest, and that of a text is.
        floats = array.cast("string").cast("float64").fill_null(0.0)
        return np.ascontiguousarray(floats.to_numpy(zero_copy_only=False))

    def objects(self, name: str) -> list[Any]:
        """A column as Python objects, None where it is null."""
        return list(self._array(name).to_pylist())

    def codes(self, name: str, threads: int = 1) -> Codes:
        """A column as codes."""
        import pyarrow as pa

        column = self._table.column(name)
        if _is_dictionary_of_texts(column):
            return _codes_of_dictionary(column, threads)
        array = self._array(name)
        values = self.values(name)
        if values.numbers is not None:
            return _number_codes([values], threads)
        if _has_offsets(array.type):
            return _text_codes(array, threads)
        if pa.types.is_nested(array.type):
            from sash._batch import encode_objects

            return Codes(*encode_objects([repr(value) for value in array.to_pylist()]))
        codes, listed = _encoded(array)
        return Codes(codes.astype(np.uint32), len(listed) + 1)

    def codes_with(self, name: str, other: Frame, threads: int = 1) -> Codes:
        """A column as codes, and behind it that of another frame of this kind."""
        import pyarrow as pa

        assert isinstance(other, ArrowFrame)
        numbers = [self.values(name), other.values(name)]
        if numbers[0].numbers is not None and numbers[0].type == numbers[1].type:
            return _number_codes(numbers, threads)
        both = [pa.table({name: frame._array(name)}) for frame in (self, other)]
        try:
            return ArrowFrame(pa.concat_tables(both, promote_options="permissive")).codes(name, threads)
        except (pa.ArrowInvalid, pa.ArrowTypeError) as error:
            kinds = (table.column(name).type for table in both)
            raise PlanError(f"{unlike(name, *kinds)} ({error})") from None

    def with_columns(self, columns: Mapping[str, ResultColumn | Foreign]) -> Any:
        """The same columns, and the results behind them."""
        table = self._table
        for name, result in columns.items():
            table = table.append_column(name, self.column(result))
        return self._give_back(table)

    def made_of(self, columns: Mapping[str, Part]) -> Any:
        """A table of new columns."""
        import pyarrow as pa

        return self._give_back(pa.table({name: self._part(part) for name, part in columns.items()}))

    def only(self, rows: npt.NDArray[np.int64]) -> ArrowFrame:
        """A table of some of the rows."""
        return ArrowFrame(self._table.take(rows), self._give_back)

    def _part(self, part: Part) -> Any:
        import pyarrow as pa

        if isinstance(part, Picked):
            return self._array(part.column).take(pa.array(part.rows))
        return pa.array(decode_array(part.kind, part.ticks)) if isinstance(part, Instants) else self.column(part)

    def column(self, result: ResultColumn | Foreign) -> Any:
        """A result as an array of Arrow."""
        import pyarrow as pa

        if isinstance(result, Foreign):
            return result.frame.column(result.result)
        if isinstance(result, Numbers):
            return _number_column(result)
        if isinstance(result, Objects):
            return _object_column(result.values, self._type_of_objects(result))
        if isinstance(result, Amounts):
            return _amount_column(result, self._array(result.column).type)
        missing = result.rows < 0
        rows = pa.array(result.rows, mask=missing)
        if isinstance(result, Taken):
            return self._array(result.column).take(rows)
        parts = [self._array(name).take(rows) for name in result.columns]
        return pa.StructArray.from_arrays(parts, names=list(result.columns), mask=pa.array(missing))

    def _type_of_objects(self, result: Objects) -> Any:
        """The type of results that are of a column; None where it is not known, and Arrow is to find one."""
        import pyarrow as pa

        if result.column is None or self.values(result.column).type not in _ORDERED:
            return None
        kind = self._array(result.column).type
        match result.form:
            case "value":
                return kind
            case "values":
                return pa.list_(kind)
            case "amount":
                return _amount_type(kind)


def _combined(column: Any) -> Any:
    import pyarrow as pa

    array = column.combine_chunks()
    return array.chunk(0) if isinstance(array, pa.ChunkedArray) else array


def _number_column(result: Numbers) -> Any:
    """Numbers over the memory that they lie in, with a bit for each that is valid."""
    import pyarrow as pa

    if result.type == "bool":
        return pa.array(result.values.astype(bool), mask=None if result.valid is None else ~result.valid)
    values = np.ascontiguousarray(result.values)
    bits = None if result.valid is None else pa.py_buffer(np.packbits(result.valid, bitorder="little"))
    return pa.Array.from_buffers(pa.from_numpy_dtype(values.dtype), len(values), [bits, pa.py_buffer(values)])


def _type_of(kind: Any) -> Any:
    """What a column that holds no numbers is to the engine."""
    import pyarrow as pa

    found = {
        "decimal": pa.types.is_decimal(kind),
        "duration": pa.types.is_duration(kind),
        "instant": pa.types.is_timestamp(kind) or pa.types.is_date(kind),
        "ordered": _has_offsets(kind) or pa.types.is_time(kind) or pa.types.is_fixed_size_binary(kind),
    }
    return next((name for name, is_it in found.items() if is_it), "other")


def _is_decimal128(kind: Any) -> bool:
    """Whether it is a type of decimals that 128 bits hold."""
    import pyarrow as pa

    return bool(pa.types.is_decimal(kind)) and kind.precision <= DIGITS


def _ticks(array: Any) -> npt.NDArray[np.int64]:
    """Times as numbers of their unit."""
    import pyarrow as pa

    narrow = pa.int32() if array.type.bit_width == 32 else pa.int64()
    ticks = array.view(narrow).cast(pa.int64()).fill_null(0)
    return np.ascontiguousarray(ticks.to_numpy(zero_copy_only=False), np.int64)


def _unscaled(array: Any) -> Wide:
    """Decimals as numbers of their last digit."""
    import pyarrow as pa

    wide = pa.decimal128(DIGITS, array.type.scale)
    try:
        array = array.fill_null(0).cast(wide)
    except pa.ArrowInvalid as error:
        raise OverflowError(f"a decimal has more than {DIGITS} digits: round the values, or give floats") from error
    words = np.frombuffer(array.buffers()[1], np.uint64, 2 * len(array), 16 * array.offset) if len(array) else _NOTHING
    return Wide.of_words(words)


def _amount_type(kind: Any) -> Any:
    """The type of sums and differences of values of a type: decimals of its scale, or durations of its unit."""
    import pyarrow as pa

    if pa.types.is_decimal(kind):
        return pa.decimal128(DIGITS, kind.scale)
    if pa.types.is_date(kind):
        return pa.duration("s" if pa.types.is_date32(kind) else "ms")
    return pa.duration(kind.unit)


def _amount_column(result: Amounts, kind: Any) -> Any:
    """Sums or differences of values of a type."""
    import pyarrow as pa

    numbers: npt.NDArray[Any]
    if pa.types.is_decimal(kind):
        numbers = result.values.checked(result.valid).words
    else:
        numbers = result.values.fitting(result.valid)
    if pa.types.is_date32(kind):
        numbers = numbers * 86_400
    bits = None if result.valid is None else pa.py_buffer(np.packbits(result.valid, bitorder="little"))
    buffers = [bits, pa.py_buffer(np.ascontiguousarray(numbers))]
    return pa.Array.from_buffers(_amount_type(kind), len(result.values.low), buffers)


def _object_column(values: list[Any], kind: Any) -> Any:
    """Python objects of a type, or in the one that Arrow finds for them; named tuples and records as structs."""
    import pyarrow as pa

    try:
        return pa.array([_as_struct(value) for value in values], kind)
    except (pa.ArrowInvalid, pa.ArrowTypeError, pa.ArrowNotImplementedError) as error:
        kind = next(type(value).__name__ for value in values if value is not None)
        raise TypeError(f"Arrow has no type for results such as {kind}: use a frame of pandas ({error})") from error


def _as_struct(value: Any) -> Any:
    if isinstance(value, tuple) and hasattr(value, "_asdict"):
        return {name: _as_struct(part) for name, part in value._asdict().items()}
    if isinstance(value, Record):
        return {name: _as_struct(part) for name, part in value.items()}
    if isinstance(value, list):
        return [_as_struct(part) for part in value]
    return value


def _encoded(array: Any) -> tuple[npt.NDArray[Any], Any]:
    """Codes, and the values that they stand for; that of null is behind them all."""
    import pyarrow as pa

    # Arrow has few kernels for narrow decimals.
    if pa.types.is_decimal(array.type) and array.type.bit_width < 128:
        array = array.cast(pa.decimal128(array.type.precision, array.type.scale))
    encoded = array.dictionary_encode()
    return encoded.indices.fill_null(len(encoded.dictionary)).to_numpy(zero_copy_only=False), encoded.dictionary


def _is_dictionary_of_texts(column: Any) -> bool:
    """Whether a column is a dictionary of texts that are all there."""
    import pyarrow as pa

    if not pa.types.is_dictionary(column.type) or not _has_offsets(column.type.value_type):
        return False
    return not any(chunk.dictionary.null_count for chunk in column.chunks)


def _codes_of_dictionary(column: Any, threads: int) -> Codes:
    """The values that a dictionary lists are few, so they are read instead of the rows. It may list one twice."""
    import pyarrow as pa

    whole = _combined(column.unify_dictionaries())
    listed = ArrowFrame(pa.table({"values": whole.dictionary})).codes("values", threads)
    codes = np.append(listed.codes, np.uint32(listed.count))
    places = whole.indices.cast(pa.int64()).fill_null(len(whole.dictionary)).to_numpy(zero_copy_only=False)
    return Codes(codes[places], listed.count + 1)


def _places(column: Any) -> npt.NDArray[np.int64]:
    """The places of ordered categories in their list."""
    import pyarrow as pa

    whole = _combined(column.unify_dictionaries())
    return np.asarray(whole.indices.cast(pa.int64()).fill_null(0).to_numpy(zero_copy_only=False), np.int64)


def _has_offsets(kind: Any) -> bool:
    """Whether a type is one of texts or bytes that lie one behind the other."""
    import pyarrow as pa

    types = pa.types
    return any(of(kind) for of in (types.is_string, types.is_large_string, types.is_binary, types.is_large_binary))


def _text_codes(array: Any, threads: int) -> Codes:
    """The codes of texts, which are read where Arrow keeps them."""
    import pyarrow as pa

    large = pa.types.is_large_string(array.type) or pa.types.is_large_binary(array.type)
    _, offsets, data = array.buffers()
    if len(array) == 0 or offsets is None:
        return Codes(np.zeros(0, np.uint32), 0)
    ends: npt.NDArray[Any] = np.frombuffer(offsets, np.int64 if large else np.int32)[
        array.offset : array.offset + len(array) + 1
    ]
    nulls = np.asarray(array.is_null()).view(np.uint8) if array.null_count else None
    return Codes(*encode_texts(ends, np.frombuffer(data or b"", np.uint8), nulls, threads))


def _number_codes(parts: Sequence[Values], threads: int) -> Codes:
    """The codes of columns of one type, one behind the other."""
    return Codes(*encode_integers([_key_bits(values) for values in parts], threads))


def _key_bits(values: Values) -> tuple[npt.NDArray[np.int64], Marks | None]:
    """Numbers as integers that are equal where they are, and which are nulls. A NaN is one."""
    numbers, nulls = values.numbers, values.nulls
    assert numbers is not None
    if values.type == "real":
        bits = numbers + 0.0
        missing = np.isnan(bits) if nulls is None else np.isnan(bits) | nulls.view(np.bool_)
        nulls = missing.view(np.uint8) if missing.any() else None
        numbers = np.where(missing, 0.0, bits).view(np.int64)
    return np.ascontiguousarray(numbers), nulls
