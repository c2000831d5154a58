"""An aggregation from functions, for those who would rather not write a class."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from sash.aggregations.base import Aggregation
from sash.errors import AggregationError

__all__ = ["aggregation"]


class FunctionAggregation(Aggregation):
    """What `aggregation` returns."""

    def __init__(
        self,
        functions: dict[str, Callable[..., Any] | None],
        identity: Any,
        commutative: bool,
        name: str,
        column: str | None,
    ) -> None:
        self.identity = identity
        self.column = column
        self.name = name
        self._functions = functions
        # An attribute of the instance, since every aggregation from functions is of this one class.
        self.commutative = commutative  # type: ignore[misc]

    def lift(self, value: Any) -> Any:
        return self._call("lift", value)

    def combine(self, older: Any, newer: Any) -> Any:
        return self._call("combine", older, newer)

    def lower(self, partial: Any) -> Any:
        return self._call("lower", partial)

    def inverse(self, whole: Any, older: Any) -> Any:
        if not self.invertible:
            return super().inverse(whole, older)
        return self._call("inverse", whole, older)

    @property
    def invertible(self) -> bool:
        """Whether an inverse was given."""
        return self._functions["inverse"] is not None

    def encode(self, partial: Any) -> bytes:
        if self._functions["encode"] is None:
            return super().encode(partial)
        data = self._call("encode", partial)
        if not isinstance(data, bytes):
            raise AggregationError(f"encode of {self!r} gave {type(data).__name__}; it must give bytes")
        return data

    def decode(self, data: bytes) -> Any:
        return super().decode(data) if self._functions["decode"] is None else self._call("decode", data)

    def function(self, name: str) -> Callable[..., Any]:
        """The function that was given for a method."""
        function = self._functions[name]
        assert function is not None
        return function

    def _call(self, name: str, *arguments: Any) -> Any:
        return self.function(name)(*arguments)

    def _name(self) -> str:
        return f"aggregation:{self.name}"

    def __repr__(self) -> str:
        return f"<aggregation {self.name}>" if self.column is None else f"<aggregation {self.name} of {self.column!r}>"


def aggregation(
    *,
    combine: Callable[[Any, Any], Any],
    identity: Any,
    lift: Callable[[Any], Any] | None = None,
    lower: Callable[[Any], Any] | None = None,
    inverse: Callable[[Any, Any], Any] | None = None,
    commutative: bool = False,
    encode: Callable[[Any], bytes] | None = None,
    decode: Callable[[bytes], Any] | None = None,
    column: str | None = None,
    name: str | None = None,
) -> Aggregation:
    """An aggregation from functions; see `Aggregation` for what each must do. `lift` and `lower` default to what goes
    in.

    Snapshots write partials of plain values by themselves; for others give `encode` and `decode`. `name` tells
    aggregations apart in snapshots; it defaults to the name of `combine`. `AggregationError` if a part is missing or
    cannot be called.

    >>> import math
    >>> divisor = aggregation(combine=math.gcd, identity=0, commutative=True)
    >>> divisor.lower(divisor.combine(divisor.lift(12), divisor.lift(18)))
    6
    >>> divisor
    <aggregation gcd>
    """
    given = {"lift": lift, "combine": combine, "lower": lower, "inverse": inverse, "encode": encode, "decode": decode}
    for part, function in given.items():
        if function is not None and not callable(function):
            raise AggregationError(f"{part} must be a function, not {type(function).__name__} ({function!r:.60})")
    if not callable(combine):
        raise AggregationError("combine is missing: give a function of (older, newer)")
    if (encode is None) != (decode is None):
        raise AggregationError("encode and decode go together: a snapshot that cannot be read back is none")
    functions: dict[str, Callable[..., Any] | None] = {**given, "lift": lift or _as_it_is, "lower": lower or _as_it_is}
    return FunctionAggregation(functions, identity, commutative, name or _name_of(combine), column)


def _as_it_is(value: Any) -> Any:
    return value


def _name_of(function: Callable[..., Any]) -> str:
    return getattr(function, "__qualname__", type(function).__qualname__)
