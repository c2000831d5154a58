"""An aggregation of your own as native functions: no interpreter runs while a window combines."""

# The methods are described once, in Aggregation.
# ruff: noqa: D102

from __future__ import annotations

from functools import cached_property
from typing import TYPE_CHECKING, Any, Final

from sash.aggregations.base import Aggregation, Native, OnNan
from sash.aggregations.declared import Result
from sash.aggregations.reading import is_nan, is_null
from sash.aggregations.records import record
from sash.errors import AggregationError

if TYPE_CHECKING:
    from sash.aggregations.numba_functions import Functions, NumberKind

__all__ = ["Compiled", "compiled"]

_MOST_INPUTS: Final = 8
#: How the core reads the values of each kind.
_INPUTS: Final[dict[NumberKind, str]] = {"float": "real", "int": "integer", "bool": "bool"}


def compiled(aggregation: Aggregation, *, value: NumberKind | tuple[NumberKind, ...] | None = None) -> Aggregation:
    """The same aggregation, compiled by Numba to functions that the core calls without the interpreter and the GIL.

    Its partials must be numbers or flat tuples of at most 63 numbers, as `identity` shows; its methods plain arithmetic
    that Numba can compile; attributes of `self` that they read must be numbers with public names, and are read once,
    now. `value` says what the values are: "float" (the default), "int" or "bool", or a tuple of these, one a column. A
    value with a null in one of its columns is skipped. Integers are int64 and wrap around as NumPy's do.
    `AggregationError` says which method cannot be compiled and why. Needs the extra `sash[compile]`.

    An event for which a compiled method raises an error is refused, and the window stays as it was. Only where a late
    event fails among its neighbours it comes in, and results that need it are errors until it has left. Run the
    aggregation uncompiled to see the error itself. Cost: some seconds to compile, once; a few nanoseconds a call. Where
    `lift` or `combine` may raise one (they divide, or say `raise`), an insert asks first: a query and one combine more.

    >>> import sash
    >>> class Energy(sash.Aggregation):
    ...     identity = 0.0
    ...     commutative = True
    ...     def lift(self, value): return value * value
    ...     def combine(self, older, newer): return older + newer
    ...     def lower(self, partial): return partial
    >>> w = sash.Window(sash.compiled(Energy()))
    >>> w.bulk_insert([1, 2, 3], [1.0, 2.0, 3.0])
    >>> w.query()
    14.0
    """
    if not isinstance(aggregation, Aggregation):
        raise AggregationError(f"an aggregation is needed, not {aggregation!r:.60}")
    if isinstance(aggregation, Compiled):
        return _again(aggregation, value)
    if aggregation.native() is not None:
        raise AggregationError(f"{aggregation!r} is compiled already: it is a built-in one")
    return Compiled(aggregation, _kinds_of_values(aggregation, value))


def _again(aggregation: Compiled, value: NumberKind | tuple[NumberKind, ...] | None) -> Compiled:
    if value is None or _kinds_of_values(aggregation, value) == aggregation.values:
        return aggregation
    raise AggregationError(f"{aggregation!r} is compiled for {aggregation.values} already: compile its original")


def _kinds_of_values(
    aggregation: Aggregation, value: NumberKind | tuple[NumberKind, ...] | None
) -> tuple[NumberKind, ...]:
    width = max(1, len(aggregation.columns))
    kinds: tuple[NumberKind, ...] = value if isinstance(value, tuple) else (value or "float",) * width
    if not 1 <= len(kinds) <= _MOST_INPUTS or any(kind not in _INPUTS for kind in kinds):
        raise AggregationError(f'value is "float", "int" or "bool", or a tuple of 1 to 8 of them, not {value!r:.60}')
    if aggregation.columns and len(kinds) != width:
        raise AggregationError(f"{aggregation!r} reads {width} columns, and value names {len(kinds)} kinds: name each")
    return kinds


class Compiled(Aggregation):
    """What `compiled` returns. Its methods are those of the aggregation; windows run the native functions."""

    def __init__(self, aggregation: Aggregation, values: tuple[NumberKind, ...]) -> None:
        self.original = aggregation
        self.values = values
        self.column = aggregation.column
        self.nan: OnNan = aggregation.nan
        self.identity = aggregation.identity
        # Attributes of the instance, since they are those of the original.
        self.commutative = aggregation.commutative  # type: ignore[misc]
        self.exact = aggregation.exact  # type: ignore[misc]
        from sash.aggregations.numba_functions import compile_functions

        self._functions: Functions = compile_functions(aggregation, values)

    def lift(self, value: Any, time: Any = None) -> Any:
        return self.original.lift(value)

    def combine(self, older: Any, newer: Any) -> Any:
        return self.original.combine(older, newer)

    def lower(self, partial: Any) -> Any:
        return self.original.lower(partial)

    def inverse(self, whole: Any, older: Any) -> Any:
        return self.original.inverse(whole, older)

    @property
    def invertible(self) -> bool:
        """Whether the original is."""
        return self.original.invertible

    def skips(self, value: Any) -> bool:
        """Whether the value is None, or NaN where `nan` is "skip"; of several columns, whether one is."""
        if len(self.values) == 1 or not isinstance(value, (tuple, list)):
            return self.original.skips(value)
        return any(is_null(part) or (self.nan == "skip" and is_nan(part)) for part in value)

    def encode(self, partial: Any) -> bytes:
        return self.original.encode(partial)

    def decode(self, data: bytes) -> Any:
        return self.original.decode(data)

    def shape(self, fields: tuple[Any, ...]) -> Any:
        """A result of several numbers as the original gives it; no result as None."""
        return self._functions.shape(fields)

    @property
    def result(self) -> Result:  # type: ignore[override]
        """What Numba found: one number or truth; of several, only the original knows what they are."""
        form = self._functions.result
        return None if form.several else form.kinds[0]

    def functions(self) -> dict[str, Any]:
        """What the core gets: the addresses of the functions, the identity as words, which numbers are integers.

        The addresses hold in this process, and as long as this object lives. So they are no part of its pickle.
        """
        return self._functions.options()

    def native(self) -> Native:
        return self._native

    @cached_property
    def _native(self) -> Native:
        inputs = tuple(_INPUTS[kind] for kind in self.values)
        return record(self, "compiled", inputs, self.functions())

    def to_dict(self) -> dict[str, Any]:
        original = self.original.to_dict()
        return {**original, "name": self._name(), "options": {**original["options"], "values": list(self.values)}}

    def _name(self) -> str:
        return f"compiled:{self.original._name()}"

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Compiled) and (self.original, self.values) == (other.original, other.values)

    def __hash__(self) -> int:
        return hash((Compiled, self.original))

    def __reduce__(self) -> tuple[type[Compiled], tuple[Aggregation, tuple[NumberKind, ...]]]:
        return Compiled, (self.original, self.values)

    def __repr__(self) -> str:
        return f"compiled({self.original!r})"
