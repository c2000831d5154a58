"""What an operator computes: an aggregation or several by name over windows, or a plan, which says all of it."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from sash.aggregations.base import Aggregation
from sash.aggregations.meant import checked_aggregation
from sash.durations import parse_lateness
from sash.errors import PlanError
from sash.operator.spec import Emit, Spec, check_columns, check_emit, check_min_periods
from sash.triggers import Trigger, resolve_trigger
from sash.windows import as_policies

if TYPE_CHECKING:
    from sash.plan import Plan

__all__ = ["define"]


def define(
    what: Aggregation | Mapping[str, Aggregation] | Plan,
    windows: Any,
    by: bool | str | Sequence[str] | None,
    *,
    on: str | None,
    trigger: Trigger | None,
    emit: Emit | None,
    lateness: Any,
    min_periods: int | None,
) -> Spec:
    """The operator that the arguments of `sash.Sliding` make which a plan has too; beside a plan there are none."""
    from sash.plan import Plan

    if isinstance(what, Plan):
        parts = {"windows": windows, "by": by, "on": on, "emit": emit, "lateness": lateness, "min_periods": min_periods}
        given = [name for name, part in parts.items() if part is not None]
        if given:
            raise PlanError(f"a plan has all parts: leave out {', '.join(given)}, or the plan")
        return _planned(what, trigger)
    key_columns, time_column = check_columns(by, on)
    policies = as_policies(windows)
    return Spec(
        aggregation=checked_aggregation(what),
        policies=policies,
        trigger=resolve_trigger(trigger, policies),
        keyed=bool(by),
        by=key_columns,
        on=time_column,
        emit=check_emit("arrival" if emit is None else emit),
        lateness=parse_lateness(lateness),
        min_periods=check_min_periods(min_periods),
    )


def _planned(plan: Plan, trigger: Trigger | None) -> Spec:
    problems = list(_problems(plan))
    if problems:
        raise PlanError("sash.Sliding cannot run the plan: " + "; ".join(problems))
    # The key of one column is its value, as it is where by= names one.
    by, on = check_columns(plan.by[0] if len(plan.by) == 1 else plan.by or None, plan.on)
    return Spec(
        aggregation=checked_aggregation(plan.aggregations),
        policies=plan.windows,
        trigger=resolve_trigger(trigger, plan.windows),
        keyed=bool(by),
        by=by,
        on=on,
        emit=plan.emit,
        lateness=plan.lateness,
        min_periods=check_min_periods(plan.min_periods),
    )


def _problems(plan: Plan) -> Iterator[str]:
    """What a plan may say of rows that lie side by side, and of their columns, and an operator has not."""
    if plan.expressions:
        yield "expressions are over the columns of a frame: compute them from the results"
    if not plan.peers and plan.emit != "arrival":
        yield "peers=False is the order of rows in a frame: events of one time are in each other's windows"
    if plan.min_periods and len(plan.aggregations) > 1:
        yield "min_periods is of one aggregation: make an operator for each"
    if plan.closed != "right" and any(window.closed_by_plan for window in plan.windows):
        yield f"closed={plan.closed!r} is for windows of time: a number of events ends with the newest of them"
