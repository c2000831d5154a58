"""What an aggregation of your own must satisfy, as functions to run on it; and the window that is slow and right.

The laws need nothing but Sash. Only `values_for` needs Hypothesis, and imports it when it is called.

>>> from sash.aggregations import Sum, aggregation
>>> assert_lawful(Sum(), [1, 2, 3])
>>> assert_lawful(aggregation(combine=lambda a, b: a - b, identity=0, name="minus"), [1, 2])  # doctest: +ELLIPSIS
Traceback (most recent call last):
...
sash.testing.LawError: <aggregation minus> breaks the law of identity:
  a = 1
  combine(identity, a) = -1
  a = 1
"""

from sash.testing.law_error import LawError
from sash.testing.laws import (
    TOLERANCE,
    assert_lawful,
    check_associative,
    check_codec,
    check_commutative,
    check_empty,
    check_identity,
    check_inverse,
    check_pure,
    check_running,
    same,
)
from sash.testing.oracle import Oracle
from sash.testing.samples import nasty_values, values_for

__all__ = [
    "TOLERANCE",
    "LawError",
    "Oracle",
    "assert_lawful",
    "check_associative",
    "check_codec",
    "check_commutative",
    "check_empty",
    "check_identity",
    "check_inverse",
    "check_pure",
    "check_running",
    "nasty_values",
    "same",
    "values_for",
]
