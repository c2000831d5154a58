"""A plan over a frame: looks at both, sorts once, then runs every aggregation over every window."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from sash._batch import Bounds, Order
from sash.aggregations.base import Aggregation
from sash.batch.base import Batch, Pass
from sash.batch.blame import located
from sash.batch.bounds import bounds_of, refusal
from sash.batch.calendar import CalendarBounds, calendar_bounds
from sash.batch.columns import Columns
from sash.batch.derived import expression_problems, with_expressions
from sash.batch.kernel_passes import KernelPass
from sash.batch.naming import output_name
from sash.batch.passes import choose, wrong_type
from sash.batch.policies import Events, operator_problem
from sash.batch.probes import Probes
from sash.batch.slides import BOUNDS, Slides, slide_problems, slides
from sash.errors import PlanError, SashError
from sash.frames import Frame
from sash.frames.base import Codes, Marks, Part, ResultColumn, joined
from sash.plan import Plan
from sash.progress import advance
from sash.suggestions import did_you_mean
from sash.times import Kind
from sash.windows import WindowPolicy

__all__ = [
    "Job",
    "column_problems",
    "frame_problems",
    "read_problems",
    "run",
    "settle",
    "type_problems",
    "window_problems",
]


@dataclass(frozen=True)
class Job:
    """A frame on its way through a plan: its times, its keys, and its rows in order."""

    frame: Frame
    plan: Plan
    kind: Kind | None
    ticks: npt.NDArray[np.int64] | None
    codes: Codes | None
    order: Order

    @classmethod
    def of(cls, frame: Frame, plan: Plan, threads: int = 1) -> Job:
        """The frame, read and sorted. It must fit the plan: `run` checks that. What comes out is the same with any
        number of threads."""
        kind, ticks = _times(frame, plan)
        codes = joined([frame.codes(name, threads) for name in plan.by], threads) if plan.by else None
        key, count = (None, 1) if codes is None else (codes.codes, codes.count)
        return cls(frame, plan, kind, ticks, codes, Order(frame.rows, ticks, key, count, threads))

    def results(self, names: Mapping[str, str]) -> dict[str, ResultColumn]:
        """The results of every aggregation over every window; `names` renames them."""
        return self._results(names, self.order, Columns(self.frame, self.kind, self.ticks))

    def at_probes(self, probes: Probes, names: Mapping[str, str]) -> dict[str, ResultColumn]:
        """The same for the events of the frame and the probes behind them."""
        return self._results(names, probes.order, probes.columns, probes.marks)

    def slides(self) -> Slides:
        """The ends of windows that slide by a time of their own."""
        assert self.kind is not None
        return Slides.of(self.frame, self.plan, self.kind, self.ticks, self.codes, self.order)

    def at_slides(self, slides: Slides, names: Mapping[str, str]) -> dict[str, Part]:
        """The keys, the windows and the results at some of the ends."""
        probes, count = slides.probes(), len(slides.ends.ticks)
        results = self.at_probes(probes, names)
        found = {name: probes.result(result, 0, count) for name, result in results.items()}
        return slides.where() | with_expressions(self.plan, self.frame, found, count)

    def _results(
        self, names: Mapping[str, str], order: Order, columns: Columns, labels: Marks | None = None
    ) -> dict[str, ResultColumn]:
        plan = self.plan
        batch = Batch(order, columns, plan.emit == "arrival", plan.min_periods or 0)
        results: dict[str, ResultColumn] = {}
        # Labels that see what was known then have the bits of the stream, which frames pay for nowhere else.
        then = batch.known and labels is not None
        passes = {
            name: choose(one, [columns.own(column).type for column in one.columns], batch.late, then)
            for name, one in plan.aggregations.items()
        }
        # Which windows have so many values is a question about all bounds.
        once = len(passes) == 1 and batch.min_periods < 2 and isinstance(next(iter(passes.values())), KernelPass)
        found = _bounds(order, self.kind, plan, labels, columns, once=once)
        for label, window, bounds in zip(plan.labels, plan.windows, found, strict=True):
            for name, one in passes.items():
                made = output_name(name, label)
                try:
                    results[names.get(made, made)] = self._result(plan.aggregations[name], window, one, batch, bounds)
                except PlanError:
                    raise
                except Exception as error:
                    raise located(error, names.get(made, made), plan.aggregations[name], plan, columns) from error
                advance()
        return results

    def _result(
        self,
        aggregation: Aggregation,
        window: WindowPolicy,
        one: Pass,
        batch: Batch,
        bounds: Bounds | CalendarBounds | None,
    ) -> ResultColumn:
        if bounds is None:
            return self._by_operator(aggregation, window)
        return bounds.run(one, batch) if isinstance(bounds, CalendarBounds) else one.run(batch, bounds)

    def _by_operator(self, aggregation: Aggregation, window: WindowPolicy) -> ResultColumn:
        assert self.kind is not None
        events = Events(self.frame, self.kind, self.ticks, self.codes, self.plan.columns)
        return events.result(aggregation, window, self.plan.min_periods or 0)


def run(frame: Frame, plan: Plan, names: Mapping[str, str], threads: int = 1) -> Any:
    """The frame with the results of the plan behind its columns, or a frame of slides. `names` renames the results.

    `PlanError` names everything in which the plan does not fit the frame, before anything runs.
    """
    settle(frame_problems(frame, plan, names))
    job = Job.of(frame, plan, threads)
    if slides(plan):
        return frame.made_of(job.at_slides(job.slides(), names))
    return frame.with_columns(with_expressions(plan, frame, job.results(names)))


def _times(frame: Frame, plan: Plan) -> tuple[Kind | None, npt.NDArray[np.int64] | None]:
    if plan.on is None:
        return None, None
    try:
        return frame.times(plan.on)
    except (TypeError, ValueError, OverflowError) as error:
        raise type(error)(f"column {plan.on!r}: {error}") from error


def _bounds(
    order: Order,
    kind: Kind | None,
    plan: Plan,
    labels: Marks | None = None,
    columns: Columns | None = None,
    *,
    once: bool = False,
) -> list[Bounds | CalendarBounds | None]:
    """The bounds of every window, found before any aggregation runs; None where the operator will find them."""
    found: list[Bounds | CalendarBounds | None] = []
    problems: list[str] = []
    ticks = None if columns is None else columns.ticks
    for window in plan.windows:
        try:
            if kind is not None and ticks is not None and (lengths := window.lengths(kind, ticks)) is not None:
                found.append(calendar_bounds(order, window, lengths, plan, labels))
            else:
                found.append(None if window.by_value else bounds_of(order, window, kind, plan, labels, once=once))
        except SashError as error:
            problems.append(str(error))
    settle(problems)
    return found


def window_problems(kind: Kind | None, plan: Plan) -> list[str]:
    """In which windows the plan does not fit times of the kind."""
    empty = Order(0, None if kind is None else np.empty(0, np.int64), None, 1)
    try:
        _bounds(empty, kind, plan)
    except SashError as error:
        return [str(error)]
    return []


def column_problems(known: Sequence[str], plan: Plan, names: Mapping[str, str], *, live: bool = False) -> list[str]:
    """In which ways the plan does not fit a frame, or a stream, that has these columns; `names` renames the results."""
    problems = read_problems(known, plan, live=live) + slide_problems(plan, live)
    beside = (*plan.by, *BOUNDS) if slides(plan) else known
    kind = "result" if slides(plan) else "frame"
    for made in plan.outputs:
        name = names.get(made, made)
        if name in beside:
            problems.append(f"the {kind} has a column {name!r} already: rename the aggregation, or the column")
    return problems


def read_problems(known: Sequence[str], plan: Plan, *, live: bool = False) -> list[str]:
    """In which ways the plan cannot read a frame, or a stream, that has these columns."""
    problems = []
    if plan.emit == "update" and not live:
        problems.append('emit="update" revises results as events come, and a frame is all there: use sash.Sliding')
    problems += [why for window in plan.windows if (why := refusal(window, plan.emit == "arrival" and not live))]
    read = dict.fromkeys([*plan.columns, *(name for window in plan.windows for name in window.columns)])
    for column in read:
        if column not in known:
            problems.append(f"the frame has no column {column!r}: {did_you_mean(column, known)}")
    for name, aggregation in plan.aggregations.items():
        whys = (operator_problem(aggregation, window) for window in plan.windows)
        problems += [f"aggregation {name!r}: {why}" for why in whys if why]
        if aggregation.timed and plan.on is None and set(aggregation.columns) <= set(known):
            problems.append(f"aggregation {name!r}: {aggregation!r} needs times: name their column with on=")
    return problems


def type_problems(frame: Frame, plan: Plan) -> list[str]:
    """Which aggregations cannot read the types of their columns."""
    known = set(frame.names)
    readable = {name: one for name, one in plan.aggregations.items() if one.columns and set(one.columns) <= known}
    return [
        f"aggregation {name!r}: {why}"
        for name, one in readable.items()
        if (why := wrong_type(one, frame.values(one.columns[0])))
    ]


def frame_problems(frame: Frame, plan: Plan, names: Mapping[str, str]) -> list[str]:
    """In which ways the plan does not fit the frame; `names` renames the results."""
    problems = column_problems(frame.names, plan, names) + type_problems(frame, plan)
    made = [names.get(name, name) for name in plan.outputs]
    return problems + expression_problems(plan, made, frame.names)


def settle(problems: list[str]) -> None:
    """Raise `PlanError` with all problems, if there are any."""
    if len(problems) == 1:
        raise PlanError(problems[0])
    if problems:
        raise PlanError("\n- ".join([f"the plan does not fit the frame in {len(problems)} ways:", *problems]))
