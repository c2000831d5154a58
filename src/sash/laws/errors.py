"""The counterexample to a law, so that it can be read."""

from __future__ import annotations

import reprlib
from collections.abc import Mapping
from typing import Any, Final

from sash.aggregations.base import Aggregation

__all__ = ["LawError"]

_SHORT: Final = reprlib.Repr()
_SHORT.maxstring = _SHORT.maxother = 200
_SHORT.maxtuple = _SHORT.maxlist = _SHORT.maxset = _SHORT.maxfrozenset = _SHORT.maxdict = 20


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
