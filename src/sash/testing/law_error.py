"""The counterexample to a law, so that it can be read; calls that raise it with the method and its arguments."""

from __future__ import annotations

import reprlib
from collections.abc import Mapping
from typing import Any, Final

from sash.aggregations.base import Aggregation
from sash.errors import AggregationError

__all__ = ["LawError", "call"]

_SHORT: Final = reprlib.Repr()
_SHORT.maxstring = _SHORT.maxother = 200
_SHORT.maxtuple = _SHORT.maxlist = _SHORT.maxset = _SHORT.maxfrozenset = _SHORT.maxdict = 20
#: What each method must give.
_GIVES: Final = {
    "lift": "a partial",
    "combine": "a partial",
    "inverse": "a partial",
    "lower": "a result",
    "encode": "bytes",
    "decode": "a partial",
}


class LawError(AssertionError):
    """A law does not hold. The counterexample is in the message, shortened, and in the fields, whole.

    >>> from sash.aggregations import First
    >>> from sash.testing import check_commutative
    >>> try:
    ...     check_commutative(First(), [1, 2])
    ... except LawError as error:
    ...     print(error.law, error.operands, error.left, error.right)
    commutativity {'a': (1,), 'b': (2,)} ('combine(a, b)', (1,)) ('combine(b, a)', (2,))
    """

    def __init__(
        self,
        aggregation: Aggregation,
        law: str,
        operands: Mapping[str, Any],
        left: tuple[str, Any],
        right: tuple[str, Any],
    ) -> None:
        self.aggregation = aggregation
        self.law = law
        self.operands = dict(operands)
        self.left = left
        self.right = right
        lines = [f"{name} = {_SHORT.repr(value)}" for name, value in [*self.operands.items(), left, right]]
        super().__init__("\n  ".join([f"{aggregation!r} breaks the law of {law}:", *lines]))


# People meet it as sash.testing.LawError, and so a traceback names it.
LawError.__module__ = "sash.testing"


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
