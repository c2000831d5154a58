"""Aggregations whose result depends on the row at which a window ends, not on the window alone. For frames."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, ClassVar, NoReturn

from sash.aggregations.base import Aggregation, OnNan, Where, WithNan, of_row
from sash.aggregations.declared import Inputs, Result
from sash.aggregations.filtered import unfiltered
from sash.aggregations.options import check_column, check_size
from sash.errors import AggregationError

__all__ = ["OfRow", "TimeSince", "ZScore", "looks_back"]


class OfRow(Aggregation):
    """What they share: a window by itself has no result of theirs."""

    result: ClassVar[Result] = "float"
    size: ClassVar[str] = "no partial"

    def lift(self, value: Any, time: Any = None) -> NoReturn:
        """Not of a value: the row counts."""
        raise AggregationError(
            f"{self!r} is of a row and its window, and a window by itself has no row: use sash.rolling, or"
            " sash.spark.rolling over a DataFrame at rest"
        )

    def lower(self, partial: Any) -> None:
        """An empty window has no result."""
        return


@of_row
class ZScore(OfRow, WithNan):
    """How far the row's own value is from the mean of its window, in standard deviations. For frames.

    The row is in its window, unless `closed` says otherwise: with "left" and "neither" it is compared with what came
    before it. Null where the value is, where the window has no deviation, and where all its values are equal. `ddof` as
    in `Std`. Cost: that of `Mean` and `Std`.

    >>> import numpy as np
    >>> import sash
    >>> frame = {"t": np.array([1, 2, 3]), "x": np.array([1.0, 3.0, 8.0])}
    >>> sash.rolling(frame, on="t", window=sash.TimeWindow(9, closed="left"), z=sash.ZScore("x"))["z"].round(3)
    array([  nan,   nan, 4.243])
    >>> sash.rolling(frame, on="t", window=3, z=sash.ZScore("x", ddof=0))["z"].round(3)
    array([  nan, 1.   , 1.359])
    """

    inputs: ClassVar[Inputs] = "number"
    defaults: ClassVar[Mapping[str, Any]] = {"ddof": 1, "nan": "skip"}

    def __init__(self, column: str | None = None, *, ddof: int = 1, nan: OnNan = "skip", where: Where = None) -> None:
        super().__init__(check_column(column, "ddof"), nan=nan)
        self.ddof = check_size("ddof", ddof, least=0)


@of_row
class TimeSince(OfRow):
    """How long before the row, or the label, the last event of its window was: seconds, or what plain times count.

    With a column, the last event at which it changed: its value was another one than in the event of the key before, or
    there was none before. With `where=`, only events of which that is true count. The row is in its window unless
    `closed` says otherwise, and 0 before itself; null if the window has no such event. For frames. Cost: O(1) a row.

    >>> import numpy as np
    >>> import sash
    >>> frame = {"t": np.array([1, 2, 5, 9]), "s": np.array(["on", "on", "off", "off"])}
    >>> out = sash.rolling(frame, on="t", window=sash.TimeWindow(100), changed=sash.TimeSince("s"))
    >>> out["changed"]
    array([0., 1., 0., 4.])
    >>> sash.rolling(frame, on="t", window=sash.TimeWindow(100, closed="left"), last=sash.TimeSince())["last"]
    array([nan,  1.,  3.,  4.])
    """

    timed: ClassVar[bool] = True
    inputs: ClassVar[Inputs] = "ignored"


def looks_back(aggregation: Aggregation) -> bool:
    """Whether what is in a window depends on the event before it.

    >>> looks_back(TimeSince("status")), looks_back(TimeSince())
    (True, False)
    """
    inner = unfiltered(aggregation)
    return isinstance(inner, TimeSince) and bool(inner.columns)
