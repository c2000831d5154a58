"""Windows that slide by a time of their own: another frame, a row for each key and end of a window that holds events.

The ends are probes behind the events.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Final

import numpy as np
import numpy.typing as npt

from sash._batch import Order
from sash.aggregations.filtered import unfiltered
from sash.aggregations.of_row import ZScore
from sash.batch.grid import Ends, ends_of
from sash.batch.probes import Probes
from sash.frames.base import Codes, Frame, Instants, Part, Picked
from sash.plan import Plan
from sash.times import FLOAT, Kind, decode_real, encode_real

__all__ = ["BOUNDS", "Slides", "slide_problems", "slides"]

#: The columns that hold the bounds of a window.
BOUNDS: Final = ("window_start", "window_end")


def slides(plan: Plan) -> bool:
    """Whether the windows of the plan slide by a time.

    >>> import sash
    >>> slides(sash.Plan(on="t", windows=sash.TimeWindow("1h", every="1m"), aggregations={"n": sash.Count()}))
    True
    """
    return all(window.slides for window in plan.windows)


def slide_problems(plan: Plan, live: bool = False) -> list[str]:
    """What keeps the windows of a plan from one grid of ends; a stream, which is `live`, may have several."""
    sliding = [span for window in plan.windows if window.slides and (span := window.span)]
    if not sliding:
        return []
    problems = []
    if len(sliding) < len(plan.windows):
        other = next(window for window in plan.windows if not window.slides)
        problems.append(
            f"{sliding[0]!r} slides by a time, and {other!r} emits at each row: give each kind its own plan"
        )
    if len({window.every for window in sliding}) > 1 and not live:
        problems.append(f"the windows slide by {sliding[0].every} and by others: give each slide its own plan")
    if plan.emit != "final" and not live:
        problems.append(f'emit={plan.emit!r} has no slides over a frame: use emit="final", or sash.Sliding')
    if not plan.peers:
        problems.append("peers=False is about rows of one time, and a slide is no row: leave it out")
    of_rows = [one for one in plan.aggregations.values() if isinstance(unfiltered(one), ZScore)]
    problems += [f"{one!r} is of the row's own value, and a slide is no row: leave out every=" for one in of_rows]
    taken = [name for name in BOUNDS if name in plan.by]
    problems += [f"the column {name!r} says where a window lies: rename yours" for name in taken]
    return problems


@dataclass(frozen=True)
class Slides:
    """The events of a frame, and the ends of the windows that are computed."""

    frame: Frame
    plan: Plan
    kind: Kind
    ticks: npt.NDArray[np.int64]
    codes: Codes | None
    ends: Ends
    threads: int

    @classmethod
    def of(cls, frame: Frame, plan: Plan, kind: Kind, ticks: Any, codes: Codes | None, order: Order) -> Slides:
        """All ends of windows that hold an event."""
        windows = [span for window in plan.windows if (span := window.span)]
        return cls(frame, plan, kind, ticks, codes, ends_of(order, kind, windows), order.threads)

    def probes(self) -> Probes:
        """The events and the ends."""
        codes = self.codes
        if codes is not None:
            codes = Codes(np.concatenate([codes.codes, self.ends.codes]), codes.count)
        return Probes.of(self.frame, self.kind, self.ticks, self.ends.ticks, codes, threads=self.threads)

    def where(self) -> dict[str, Part]:
        """The key and the ends of each window; with windows of several lengths, the start is that of the longest."""
        rows = self._rows()
        keys: dict[str, Part] = {name: Picked(name, rows[self.ends.codes]) for name in self.plan.by}
        return keys | {
            BOUNDS[0]: Instants(self.kind, self._starts()),
            BOUNDS[1]: Instants(self.kind, self.ends.ticks),
        }

    def _rows(self) -> npt.NDArray[np.int64]:
        """The first row of each key."""
        if self.codes is None:
            return np.zeros(1, np.int64)
        rows = np.zeros(self.codes.count, np.int64)
        rows[self.codes.codes[::-1]] = np.arange(len(self.ticks))[::-1]
        return rows

    def _starts(self) -> npt.NDArray[np.int64]:
        lengths = (window.span.length for window in self.plan.windows if window.span)
        longest = max(lengths, key=lambda length: length.amount)
        if self.kind != FLOAT:
            return self.ends.ticks - longest.ticks(self.kind)
        return np.array([encode_real(decode_real(end) - longest.amount) for end in self.ends.ticks.tolist()], np.int64)
