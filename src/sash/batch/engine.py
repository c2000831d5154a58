"""A plan over a frame: looks at both, sorts once, then runs every aggregation over every window."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
import numpy.typing as npt

from sash._rolling import Bounds, Order
from sash.batch.bounds import bounds_of, refusal
from sash.batch.columns import Columns
from sash.batch.naming import output_name
from sash.batch.passes import Batch, choose, wrong_type
from sash.errors import PlanError, SashError
from sash.frames import Frame
from sash.frames.base import Answer, joined
from sash.plan import Plan
from sash.times import Kind

__all__ = ["run"]


def run(frame: Frame, plan: Plan, names: Mapping[str, str]) -> Any:
    """The frame with the results of the plan behind its columns; `names` renames them.

    `PlanError` names everything in which the plan does not fit the frame, before anything runs.
    """
    _check(frame, plan, names)
    kind, ticks = _times(frame, plan)
    codes = joined([frame.codes(name) for name in plan.by]) if plan.by else None
    order = Order(frame.rows, ticks, None if codes is None else codes.codes, 1 if codes is None else codes.count)
    columns = Columns(frame, kind, ticks)
    batch = Batch(order, columns, plan.emit == "arrival", plan.min_periods or 0)
    answers: dict[str, Answer] = {}
    passes = {name: choose(one, columns, batch.late) for name, one in plan.aggregations.items()}
    for label, window, bounds in zip(plan.labels, plan.windows, _bounds(order, kind, plan), strict=True):
        for name, one in passes.items():
            made = output_name(name, label)
            try:
                answers[names.get(made, made)] = one.run(batch, bounds)
            except (TypeError, ValueError, OverflowError) as error:
                error.add_note(f"in {names.get(made, made)!r}, {plan.aggregations[name]!r} over {window!r}")
                raise
    return frame.with_columns(answers)


def _times(frame: Frame, plan: Plan) -> tuple[Kind | None, npt.NDArray[np.int64] | None]:
    if plan.on is None:
        return None, None
    try:
        return frame.times(plan.on)
    except (TypeError, ValueError, OverflowError) as error:
        raise type(error)(f"column {plan.on!r}: {error}") from error


def _bounds(order: Order, kind: Kind | None, plan: Plan) -> list[Bounds]:
    """The bounds of every window, found before any aggregation runs."""
    found, problems = [], []
    for window in plan.windows:
        try:
            found.append(bounds_of(order, window, kind, plan))
        except SashError as error:
            problems.append(str(error))
    _settle(problems)
    return found


def _check(frame: Frame, plan: Plan, names: Mapping[str, str]) -> None:
    problems = []
    if plan.emit == "update":
        problems.append('emit="update" revises results as events come, and a frame is all there: use sash.Sliding')
    problems += [why for window in plan.windows if (why := refusal(window, plan.emit == "arrival"))]
    known = set(frame.names)
    for column in plan.columns:
        if column not in known:
            problems.append(f"the frame has no column {column!r}: it has {', '.join(map(repr, frame.names))}")
    for made in plan.outputs:
        name = names.get(made, made)
        if name in known:
            problems.append(f"the frame has a column {name!r} already: rename the aggregation, or the column")
    for name, aggregation in plan.aggregations.items():
        if not set(aggregation.columns) <= known:
            continue
        if aggregation.timed and plan.on is None:
            problems.append(f"aggregation {name!r}: {aggregation!r} needs times: name their column with on=")
        if aggregation.columns and (why := wrong_type(aggregation, frame.values(aggregation.columns[0]))):
            problems.append(f"aggregation {name!r}: {why}")
    _settle(problems)


def _settle(problems: list[str]) -> None:
    if len(problems) == 1:
        raise PlanError(problems[0])
    if problems:
        raise PlanError("\n- ".join([f"the plan does not fit the frame in {len(problems)} ways:", *problems]))
