"""What the sketches have in common: a handful of values is kept as it is, and only more of them become a sketch.

A partial is thus either small and exact, or the bytes of a sketch. Both are immutable. A merge opens the bytes, joins
what it opened and writes new bytes, so no stored partial is ever touched. A snapshot is what the partial is already.
"""

# The methods are described once, in Aggregation.
# ruff: noqa: D102

from __future__ import annotations

from typing import Any, Final

from sash import codec
from sash.aggregations.base import OnNan, Where, WithNan
from sash.aggregations.sketches.library import library
from sash.errors import SnapshotError

__all__ = ["SMALL", "Sketched", "check_whole"]

#: How many distinct values, or values, a partial keeps as they are.
SMALL: Final = 64


class Sketched(WithNan):
    """An aggregation whose partials are small collections first and the bytes of a sketch later.

    Which of the two depends only on the values, never on how they were put together.
    """

    def __init__(self, column: str | None = None, *, nan: OnNan = "skip", where: Where = None) -> None:
        super().__init__(column, nan=nan)
        # Asked for here, so that a missing package is an error before the first event, not at the 65th.
        library(type(self).__name__)

    def combine(self, older: Any, newer: Any) -> Any:
        if not older or not newer:
            return newer or older
        if isinstance(older, bytes) or isinstance(newer, bytes):
            return self._join(older, newer)
        both = self._small_join(older, newer)
        return both if len(both) <= SMALL else self._join(older, newer)

    def decode(self, data: bytes) -> Any:
        partial = codec.loads(data)
        try:
            sound = self._sound(partial)
        except Exception as error:  # whatever the library makes of bytes that it did not write
            raise SnapshotError(f"not a partial of {self!r}: {error}") from error
        if not sound:
            raise SnapshotError(f"not a partial of {self!r}: {partial!r:.60}")
        return partial

    def _small_join(self, older: Any, newer: Any) -> Any:
        """Both small collections in one, which may be too large to stay."""
        raise NotImplementedError

    def _join(self, older: Any, newer: Any) -> bytes:
        """The bytes of a new sketch of both; neither is empty, and either may be small."""
        raise NotImplementedError

    def _sound(self, partial: Any) -> bool:
        """Whether it is a partial of this aggregation."""
        raise NotImplementedError


def check_whole(name: str, value: int, least: int, greatest: int) -> int:
    """The value; ValueError if it is no integer from `least` to `greatest`."""
    if type(value) is not int or not least <= value <= greatest:
        raise ValueError(f"{name} is an integer from {least} to {greatest}, not {value!r}")
    return value
