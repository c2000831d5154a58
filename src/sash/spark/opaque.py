"""Results that are objects to be asked, as bytes: a column of Spark holds no filters and no models."""

from __future__ import annotations

from typing import Any

from sash.aggregations.base import Aggregation
from sash.aggregations.composite import Composite
from sash.aggregations.filtered import Filtered
from sash.plan import Plan

__all__ = ["decoded", "in_plain_values"]


class Encoded(Aggregation):
    """Another aggregation whose results are the bytes of its partials.

    >>> import sash
    >>> seen = sash.Bloom("shop")
    >>> data = Encoded(seen).lower(seen.lift("bakery"))
    >>> "bakery" in seen.lower(seen.decode(data))
    True
    """

    def __init__(self, inner: Aggregation) -> None:
        self.inner = inner
        self.column = inner.column
        self.nan = inner.nan
        self.identity = inner.identity
        # Attributes of the instance, since they are those of the inner one.
        self.commutative = inner.commutative  # type: ignore[misc]
        self.timed = inner.timed  # type: ignore[misc]

    def skips(self, value: Any) -> bool:
        """Whether the inner one does."""
        return self.inner.skips(value)

    def lift(self, value: Any, time: Any = None) -> Any:
        """The partial of the inner one."""
        return self.inner.lift(value)

    def combine(self, older: Any, newer: Any) -> Any:
        """The partial of both."""
        return self.inner.combine(older, newer)

    def lower(self, partial: Any) -> bytes:
        """The bytes of the partial."""
        return self.inner.encode(partial)

    def __repr__(self) -> str:
        return repr(self.inner)


def decoded(aggregation: Aggregation) -> Aggregation:
    """The aggregation whose results are objects, where it is one that gives bytes; any other as it is."""
    return aggregation.inner if isinstance(aggregation, Encoded) else aggregation


def in_plain_values(plan: Plan) -> Plan:
    """The plan as it runs on Spark: what gives an object to be asked gives its bytes.

    >>> import sash
    >>> plan = sash.Plan(on="t", windows="1h", aggregations={"n": sash.Count(), "seen": sash.Bloom("shop")})
    >>> [type(one).__name__ for one in in_plain_values(plan).aggregations.values()]
    ['Count', 'Encoded']
    """
    aggregations = {name: _plain(one) for name, one in plan.aggregations.items()}
    return plan if aggregations == dict(plan.aggregations) else Plan(**plan._parts() | {"aggregations": aggregations})


def _plain(aggregation: Aggregation) -> Aggregation:
    if isinstance(aggregation, Composite):
        return Composite(**{name: _plain(one) for name, one in aggregation.members.items()})
    if isinstance(aggregation, Filtered):
        return Filtered(_plain(aggregation.inner), aggregation.condition)
    return Encoded(aggregation) if aggregation.result == "object" else aggregation
