"""A sum in which events count for less the older they are."""

# The methods are described once, in Aggregation.
# ruff: noqa: D102

from __future__ import annotations

import datetime as dt
from collections.abc import Mapping
from typing import Any, ClassVar

import numpy as np

from sash.aggregations.base import Native, OnNan, Where, built_in
from sash.aggregations.declared import Inputs, Result
from sash.aggregations.options import check_column
from sash.aggregations.reading import not_nan, read_real
from sash.aggregations.records import record
from sash.aggregations.timed import Timed, plain_time
from sash.durations import Duration, parse_duration
from sash.times import seconds_between

__all__ = ["DecayedSum"]

#: The sum as it stands at a time, and that time.
Standing = tuple[float, Any]
#: What a half life is written as.
HalfLife = str | int | float | dt.timedelta | np.timedelta64


@built_in
class DecayedSum(Timed):
    """The sum of the values, each halved once for every half life that lies between it and the youngest event.

    The half life is a duration such as "10m", or a number of seconds; over times that are numbers, a number of their
    units. One hour if not said. The youngest event that is not null counts in full.

    Commutative, not invertible, rounded; 0.0 for an empty window. It uses the times. Cost of combine: O(1).

    >>> heat = DecayedSum(half_life=10)
    >>> heat.lower(heat.combine(heat.lift(8.0, time=0), heat.lift(1.0, time=20)))
    3.0
    """

    defaults: ClassVar[Mapping[str, Any]] = {"half_life": "1h", "nan": "skip"}
    commutative: ClassVar[bool] = True
    exact: ClassVar[bool] = False
    size: ClassVar[str] = "24 bytes"
    inputs: ClassVar[Inputs] = "real"
    rounds: ClassVar[bool] = True
    result: ClassVar[Result] = "float"
    time_fields: ClassVar[tuple[int, ...]] = (1,)
    width: ClassVar[int] = 2

    def __init__(
        self, column: str | None = None, *, half_life: HalfLife = "1h", nan: OnNan = "skip", where: Where = None
    ) -> None:
        super().__init__(check_column(column, "half_life"), nan=nan)
        length = parse_duration(half_life)
        self.half_life = length.amount if length.plain else str(length)
        self.seconds = _seconds(length)

    def lift(self, value: Any, time: Any = None) -> Standing:
        return read_real(not_nan(value, self.nan)), plain_time(time)

    def combine(self, older: Standing | None, newer: Standing | None) -> Standing | None:
        if older is None or newer is None:
            return newer if older is None else older
        gap = seconds_between(older[1], newer[1])
        # Whichever stands earlier fades to the time of the other; a factor above 1 would overflow.
        if gap < 0:
            return newer[0] * 2.0 ** (gap / self.seconds) + older[0], older[1]
        return older[0] * 2.0 ** (-gap / self.seconds) + newer[0], newer[1]

    def lower(self, partial: Standing | None) -> float:
        return 0.0 if partial is None else partial[0]

    def native(self) -> Native:
        return record(self, "decayed_sum", ("real",), {"half_life": self.seconds})


def _seconds(length: Duration) -> float:
    return float(length.amount) if length.plain else length.amount / 1e9
