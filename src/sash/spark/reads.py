"""Which columns of a row a plan reads: what must be where its windows are computed."""

from __future__ import annotations

from collections.abc import Sequence

from sash.aggregations.base import Aggregation
from sash.aggregations.composite import Composite
from sash.aggregations.filtered import unfiltered
from sash.aggregations.records import takes_row
from sash.plan import Plan

__all__ = ["columns_read"]


def columns_read(plan: Plan, names: Sequence[str]) -> tuple[str, ...]:
    """The columns that the plan and its windows read; all of them, in their order, where functions see whole rows.

    >>> import sash
    >>> plan = sash.Plan(by="k", on="t", windows="1h", aggregations={"peak": sash.Max("x")})
    >>> columns_read(plan, ["x", "y", "t", "k"])
    ('k', 't', 'x')
    """
    whole = any(callable(window.reads) for window in plan.windows)
    if whole or any(map(_sees_row, plan.aggregations.values())):
        return tuple(names)
    read = [name for window in plan.windows for name in window.columns]
    return tuple(dict.fromkeys([*plan.columns, *read]))


def _sees_row(aggregation: Aggregation) -> bool:
    """Whether the aggregation, or a member of it, takes the whole row."""
    inner = unfiltered(aggregation)
    return any(map(_sees_row, inner.members.values())) if isinstance(inner, Composite) else takes_row(inner)
