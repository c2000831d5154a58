"""What the aggregations share that read two numbers an event."""

# The methods are described once, in Aggregation.

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, ClassVar

from sash.aggregations.base import Aggregation, OnNan, Where, check_nan
from sash.aggregations.declared import Inputs
from sash.aggregations.reading import is_nan, is_null, not_nan, read_real

__all__ = ["Pairs", "read_parts"]


def read_parts(value: Any, parts: tuple[str, ...]) -> tuple[Any, ...]:
    """The parts of a value that is a tuple or a list of as many; TypeError if it is not."""
    if isinstance(value, (tuple, list)) and len(value) == len(parts):
        return tuple(value)
    raise TypeError(f"a tuple ({', '.join(parts)}) is needed, not {type(value).__name__} ({value!r:.60})")


class Pairs(Aggregation):
    """A value is a pair of numbers, from two columns of a frame. A pair with a null is passed over."""

    defaults: ClassVar[Mapping[str, Any]] = {"nan": "skip"}
    inputs: ClassVar[Inputs] = "pair"
    rounds: ClassVar[bool] = True
    #: What the two numbers are called.
    parts: ClassVar[tuple[str, str]] = ("x", "y")

    def __init__(
        self, first: str | None = None, second: str | None = None, *, nan: OnNan = "skip", where: Where = None
    ) -> None:
        if (first is None) != (second is None):
            raise TypeError(f"{type(self).__name__} reads two columns, {' and '.join(self.parts)}, and one was given")
        self.column = None if first is None or second is None else (first, second)
        self.nan = check_nan(nan)

    def skips(self, value: Any) -> bool:
        """A pair is passed over if either number is null."""
        if is_null(value):
            return True
        parts = read_parts(value, self.parts)
        return any(map(is_null, parts)) or (self.nan == "skip" and any(map(is_nan, parts)))

    def read(self, value: Any) -> tuple[float, float]:
        """The two numbers as float64."""
        one, other = read_parts(value, self.parts)
        return read_real(not_nan(one, self.nan)), read_real(not_nan(other, self.nan))
