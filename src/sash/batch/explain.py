"""A plan in words: which algorithm, what is shared, what is retained, what it costs."""

from __future__ import annotations

from typing import TYPE_CHECKING

from sash.aggregations.base import Aggregation
from sash.batch.naming import output_name
from sash.batch.passes import choose
from sash.batch.slides import slides
from sash.windows import WindowPolicy

if TYPE_CHECKING:
    from sash.plan import Plan

__all__ = ["explain"]


def explain(plan: Plan) -> str:
    """The words behind `Plan.explain`."""
    lines = [_head(plan), _order(plan)]
    for label, window in zip(plan.labels, plan.windows, strict=True):
        lines += _window(plan, label, window)
    lines += [f"{name} = {one!r}, of the results of each row" for name, one in plan.expressions.items()]
    return "\n".join([*lines, _state(plan)])


def _head(plan: Plan) -> str:
    by = f", by {' and '.join(map(repr, plan.by))}" if plan.by else ""
    on = f", over the times in {plan.on!r}" if plan.on else ", in their order"
    few = "" if plan.min_periods is None else f" A window of fewer than {plan.min_periods} values has none."
    if slides(plan):
        every = plan.windows[0].slide
        return f"One row for each multiple of {every and every[0]} at which a window holds an event{by}{on}.{few}"
    return f"One result for each row{by}{on}.{few}"


def _order(plan: Plan) -> str:
    peers = "Rows of one time see each other." if plan.peers else "Of one time, each row sees those before it."
    if plan.emit == "final":
        return (
            "final: each window is exact, whatever the order of the rows. They are sorted by key and time"
            " once, for all\n"
            f"  windows; rows in order are not moved, late ones are merged in. {peers}"
        )
    known = "of what was known when the row came"
    if plan.emit == "arrival":
        return (
            f"arrival: each window {known}. Rows that are all in order run as final ones do;\n"
            f"  else each aggregation runs over a FiBA tree: O(log d) for a row that comes d places late. {peers}"
        )
    late = "without a bound" if plan.lateness is None else f"up to {plan.lateness} late"
    return f"update: each window {known}, and again whenever a late event, {late}, changes it. For streams. {peers}"


def _window(plan: Plan, label: str, window: WindowPolicy) -> list[str]:
    if window.by_value:
        shared = "  sash.Sliding runs it, row after row: what is in depends on the values of the rows."
    elif window.events is not None:
        shared = "  Blocks as long as the window: a window is a suffix of one and a prefix of the next."
    else:
        shared = "  The ends of all windows are found once, by two pointers, for all aggregations."
    made = [
        f"  {output_name(name, label)} = {one!r}: {plan.outputs[output_name(name, label)]}; {_how(one, window)}"
        for name, one in plan.aggregations.items()
    ]
    return [f"{label}: {window.describe()}", shared, *made]


def _how(aggregation: Aggregation, window: WindowPolicy) -> str:
    if window.by_value:
        return "range queries over a FiBA tree"
    stacks = "two stacks" if window.events is None else "block scans"
    return choose(aggregation, ["real"] * len(aggregation.columns), late=False).how(stacks)


def _state(plan: Plan) -> str:
    bounded = all(window.reach or window.events for window in plan.windows)
    kept = "the events of its longest window" if bounded else "the events that its windows may still hold"
    sizes = ", ".join(f"{name} {one.size}" for name, one in plan.aggregations.items())
    return (
        f"In a stream, a key keeps {kept} in one tree; a partial of each aggregation lies beside\n"
        f"  an event: {sizes}. All windows are range queries over it."
    )
