"""Calls of an aggregation's methods that say, when they fail, which method it was and what it was given."""

from __future__ import annotations

from typing import Any

from sash.aggregations.base import Aggregation
from sash.errors import AggregationError
from sash.laws.errors import LawError

__all__ = ["call"]


def call(aggregation: Aggregation, method: str, **arguments: Any) -> Any:
    """What the method gives; `LawError` of the law of types if it fails, with what it was given.

    An `AggregationError` passes: it says by itself what is missing. So does an OverflowError, which refuses a result
    rather than give a wrong one.

    >>> from sash.aggregations import aggregation
    >>> call(aggregation(lift=str, combine=lambda a, b: a + b, identity=0), "combine", a=0, b="1")
    Traceback (most recent call last):
    ...
    sash.testing.LawError: <aggregation <lambda>> breaks the law of types:
      a = 0
      b = '1'
      combine(a, b) = TypeError("unsupported operand type(s) for +: 'int' and 'str'")
      it must give = 'a partial'
    """
    try:
        return getattr(aggregation, method)(*arguments.values())
    except (AggregationError, OverflowError):
        raise
    except Exception as error:
        wanted = _GIVES[method]
        shown = f"{method}({', '.join(arguments)})"
        raise LawError(aggregation, "types", arguments, (shown, error), ("it must give", wanted)) from error


_GIVES = {
    "lift": "a partial",
    "combine": "a partial",
    "inverse": "a partial",
    "lower": "a result",
    "encode": "bytes",
    "decode": "a partial",
}
