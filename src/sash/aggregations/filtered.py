"""An aggregation of the events of which a condition is true."""

# The methods are described once, in Aggregation.
# ruff: noqa: D102

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from sash.aggregations.base import Aggregation
from sash.aggregations.composite import Composite
from sash.aggregations.running import Running
from sash.errors import AggregationError
from sash.expressions import Expression, as_condition
from sash.operands import truth

__all__ = ["Filtered", "unfiltered"]


class Filtered(Aggregation):
    """Another aggregation, which passes over events of which the condition is false or null: what `where=` makes.

    A value is a tuple of the columns that the aggregation reads and of those that the condition does, or a row.

    >>> import sash
    >>> over = sash.Sum("amount", where=sash.col("kind") == "card")
    >>> over, over.columns
    (Sum("amount", where=(col('kind') == 'card')), ('amount', 'kind'))
    >>> over.skips((5, "cash")), over.lower(over.lift((5, "card")))
    (True, 5)
    """

    def __init__(self, inner: Aggregation, where: Any) -> None:
        if not inner.columns and inner.inputs != "ignored":
            raise AggregationError(f"where= reads columns of events, and {inner!r} names none: name what it reads")
        self.inner = inner
        self.condition: Expression = as_condition(where)
        self.column = tuple(dict.fromkeys([*inner.columns, *self.condition.columns]))
        self.identity = inner.identity
        self.nan = inner.nan
        # Attributes of the instance, since they are those of the inner one.
        for name in (
            "commutative",
            "exact",
            "timed",
            "inputs",
            "also",
            "rounds",
            "result",
            "takes",
            "gives",
            "size",
            "error",
        ):
            setattr(self, name, getattr(inner, name))

    def skips(self, value: Any) -> bool:
        row = self._row(value)
        found = self.condition.read(row)
        return found is None or not truth(found) or self.inner.skips(self._inner(row))

    def lift(self, value: Any, time: Any = None) -> Any:
        own = self._inner(self._row(value))
        return self.inner.lift(own, time) if self.timed else self.inner.lift(own)

    def _row(self, value: Any) -> Mapping[str, Any]:
        if isinstance(value, Mapping):
            return value
        return dict(zip(self.columns, value if len(self.columns) > 1 else (value,), strict=True))

    def _inner(self, row: Mapping[str, Any]) -> Any:
        """What the inner aggregation takes of the row."""
        names = self.inner.columns
        if isinstance(self.inner, Composite):
            return row
        return True if not names else row[names[0]] if len(names) == 1 else tuple(row[name] for name in names)

    def combine(self, older: Any, newer: Any) -> Any:
        return self.inner.combine(older, newer)

    def lower(self, partial: Any) -> Any:
        return self.inner.lower(partial)

    def inverse(self, whole: Any, older: Any) -> Any:
        return self.inner.inverse(whole, older)

    def running(self) -> Running | None:
        return self.inner.running()

    @property
    def invertible(self) -> bool:
        return self.inner.invertible

    @property
    def fewest(self) -> int:
        return self.inner.fewest

    def encode(self, partial: Any) -> bytes:
        return self.inner.encode(partial)

    def decode(self, data: bytes) -> Any:
        return self.inner.decode(data)

    def to_dict(self) -> dict[str, Any]:
        return self.inner.to_dict() | {"where": self.condition.to_dict()}

    def __repr__(self) -> str:
        inner = repr(self.inner).removesuffix(")")
        return f"{inner}{'' if inner.endswith('(') else ', '}where={self.condition!r})"

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Filtered) and self.inner == other.inner and self.condition.same(other.condition)

    def __hash__(self) -> int:
        return hash((self.inner, self.condition))


def unfiltered(aggregation: Aggregation) -> Aggregation:
    """The aggregation without its condition.

    >>> import sash
    >>> unfiltered(sash.Count(where="paid"))
    Count()
    """
    return aggregation.inner if isinstance(aggregation, Filtered) else aggregation
