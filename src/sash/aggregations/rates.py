"""What happens per second, and the mean of a value that holds until the next event."""

# The methods are described once, in Aggregation.
# ruff: noqa: D102

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, ClassVar, Literal

from sash.aggregations.base import Native, OnNan, Where, built_in
from sash.aggregations.declared import Inputs, Result
from sash.aggregations.options import check_column
from sash.aggregations.reading import not_nan, read_real
from sash.aggregations.records import record
from sash.aggregations.timed import Timed, plain_time
from sash.times import seconds_between

__all__ = ["Rate", "TimeWeightedMean"]

Flat = tuple[float, float, Any, Any]


@built_in
class Rate(Timed):
    """Events per second from the first event to the last, or with `of="values"` the sum of their values per second.

    The first event starts the clock: what came after it is divided by the seconds since it. So one event a second is
    a rate of 1, and 5 every 2 seconds a rate of 2.5 of values. Times that are numbers are read as seconds.

    Not commutative, not invertible, rounded; None where no time lies between the first event and the last. It uses the
    times. Cost of combine: O(1).

    >>> pace = Rate()
    >>> pace.lower(pace.combine(pace.combine(pace.lift("a", time=0), pace.lift("b", time=1)), pace.lift("c", time=4)))
    0.5
    """

    defaults: ClassVar[Mapping[str, Any]] = {"of": "events", "nan": "skip"}
    exact: ClassVar[bool] = False
    takes: ClassVar[str] = "values, or numbers"
    result: ClassVar[Result] = "float"
    size: ClassVar[str] = "40 bytes"
    #: The amount of the first event, that of all after it, the first time, the last.
    time_fields: ClassVar[tuple[int, ...]] = (2, 3)
    width: ClassVar[int] = 4

    def __init__(
        self,
        column: str | None = None,
        *,
        of: Literal["events", "values"] = "events",
        nan: OnNan = "skip",
        where: Where = None,
    ) -> None:
        super().__init__(check_column(column, "of"), nan=nan)
        if of not in ("events", "values"):
            raise ValueError(f'of is "events" or "values", not {of!r:.60}')
        self.of = of

    @property
    def inputs(self) -> Inputs:  # type: ignore[override]
        """Values are read only where they are summed."""
        return "ignored" if self.of == "events" else "real"

    def lift(self, value: Any, time: Any = None) -> Flat:
        not_nan(value, self.nan)
        amount = 1.0 if self.of == "events" else read_real(value)
        when = plain_time(time)
        return amount, 0.0, when, when

    def combine(self, older: Flat | None, newer: Flat | None) -> Flat | None:
        if older is None or newer is None:
            return newer if older is None else older
        return older[0], older[1] + (newer[0] + newer[1]), older[2], newer[3]

    def lower(self, partial: Flat | None) -> float | None:
        if partial is None:
            return None
        seconds = seconds_between(partial[2], partial[3])
        return partial[1] / seconds if seconds else None

    def native(self) -> Native:
        return record(self, "rate", (self.inputs,))


@built_in
class TimeWeightedMean(Timed):
    """The mean over time of a value that holds until the next event: the area from the first event to the last, divided
    by the time between them.

    The youngest value holds for no time yet, so it counts only where no time has passed: then it is the mean. The same
    is true of a NaN that propagates. Not commutative, not invertible, rounded; None for an empty window. It uses the
    times. Cost of combine: O(1).

    >>> level = TimeWeightedMean()
    >>> total = None
    >>> for time, value in [(0, 10.0), (1, 40.0), (3, 0.0)]:
    ...     total = level.combine(total, level.lift(value, time))
    >>> level.lower(total)
    30.0
    """

    exact: ClassVar[bool] = False
    inputs: ClassVar[Inputs] = "real"
    rounds: ClassVar[bool] = True
    result: ClassVar[Result] = "float"
    size: ClassVar[str] = "40 bytes"
    #: The area, the last value, the first time, the last.
    time_fields: ClassVar[tuple[int, ...]] = (2, 3)
    width: ClassVar[int] = 4

    def lift(self, value: Any, time: Any = None) -> Flat:
        number = read_real(not_nan(value, self.nan))
        when = plain_time(time)
        return 0.0, number, when, when

    def combine(self, older: Flat | None, newer: Flat | None) -> Flat | None:
        if older is None or newer is None:
            return newer if older is None else older
        gap = seconds_between(older[3], newer[2])
        # A value that held for no time adds nothing, even if it is infinite.
        held = older[1] * gap if gap else 0.0
        return older[0] + (held + newer[0]), newer[1], older[2], newer[3]

    def lower(self, partial: Flat | None) -> float | None:
        if partial is None:
            return None
        seconds = seconds_between(partial[2], partial[3])
        return partial[0] / seconds if seconds else partial[1]

    def native(self) -> Native:
        return record(self, "time_weighted_mean")
