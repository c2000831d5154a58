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

from __future__ import annotations

import copy
import math
from collections.abc import Callable, Iterable, Mapping
from contextlib import suppress
from itertools import pairwise, product
from typing import TYPE_CHECKING, Any

import numpy as np

from sash.aggregations.base import Aggregation
from sash.errors import AggregationError
from sash.oracle import Oracle

if TYPE_CHECKING:
    from hypothesis.strategies import SearchStrategy

__all__ = [
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
    "same",
    "values_for",
]

#: Relative, for floats of aggregations that are not exact.
TOLERANCE = 1e-9


class LawError(AssertionError):
    """A law does not hold. The counterexample is in the message and in the fields.

    >>> from sash.aggregations import First
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
        lines = [f"{name} = {value!r}" for name, value in [*self.operands.items(), left, right]]
        super().__init__("\n  ".join([f"{aggregation!r} breaks the law of {law}:", *lines]))


# Comparison


def same(a: Any, b: Any, tolerance: float = 0.0, scale: float = 1.0) -> bool:
    """Whether two values are the same: NaN is NaN, containers by what is in them, floats within a tolerance.

    Floats differ by at most `tolerance` times the larger of them and `scale`. Objects that define no equality are
    compared by their attributes.

    >>> same([1.0, math.nan], [1.0, math.nan]), same(0.1 + 0.2, 0.3), same(0.1 + 0.2, 0.3, tolerance=1e-9)
    (True, False, True)
    """
    if a is b:
        return True
    if isinstance(a, (float, np.floating)) or isinstance(b, (float, np.floating)):
        return _same_reals(a, b, tolerance, scale)
    if isinstance(a, np.ndarray) and isinstance(b, np.ndarray):
        return a.shape == b.shape and same(a.tolist(), b.tolist(), tolerance, scale)
    if type(a) is not type(b):
        return bool(a == b)
    if isinstance(a, (tuple, list)):
        return len(a) == len(b) and all(same(x, y, tolerance, scale) for x, y in zip(a, b, strict=True))
    if isinstance(a, dict):
        return a.keys() == b.keys() and all(same(a[key], b[key], tolerance, scale) for key in a)
    if hasattr(a, "__dict__") and not any("__eq__" in vars(base) for base in type(a).__mro__[:-1]):
        return same(vars(a), vars(b), tolerance, scale)
    return bool(a == b)


def _same_reals(a: Any, b: Any, tolerance: float, scale: float) -> bool:
    try:
        if math.isnan(a) or math.isnan(b):
            return math.isnan(a) and math.isnan(b)
        return a == b or math.isclose(a, b, rel_tol=tolerance, abs_tol=tolerance * scale)
    except TypeError:
        return False


def _scale(operands: Iterable[Any]) -> float:
    """The size of the largest finite float in the operands, at least 1: rounding errors are relative to it."""
    largest = 1.0
    for operand in operands:
        if isinstance(operand, float) and math.isfinite(operand):
            largest = max(largest, abs(operand))
        elif isinstance(operand, (tuple, list)):
            largest = max(largest, _scale(operand))
    return largest


# Laws


def _compare(
    aggregation: Aggregation,
    law: str,
    operands: Mapping[str, Any],
    left: tuple[str, Any],
    right: tuple[str, Any],
    tolerance: float | None,
) -> None:
    if tolerance is None:
        tolerance = 0.0 if aggregation.exact else TOLERANCE
    if same(left[1], right[1]) or same(left[1], right[1], tolerance, _scale(operands.values())):
        return
    raise LawError(aggregation, law, operands, left, right)


def _partials(aggregation: Aggregation, values: Iterable[Any]) -> list[Any]:
    """The identity, each value lifted, and each two neighbours combined: laws are about partials, not about values."""
    lifted = [aggregation.lift(value) for value in values if not aggregation.skips(value)]
    # Copies, so that a combine that spoils its arguments is left for check_pure to find.
    pairs = [aggregation.combine(copy.deepcopy(a), copy.deepcopy(b)) for a, b in pairwise(lifted)]
    return [copy.deepcopy(aggregation.identity), *lifted, *pairs]


def check_associative(aggregation: Aggregation, values: Iterable[Any], *, tolerance: float | None = None) -> None:
    """combine(combine(a, b), c) equals combine(a, combine(b, c)), or `LawError`. Cost: O(n^3) combines.

    >>> from sash.aggregations import Max
    >>> check_associative(Max(), [3, 1, 2])
    """
    combine = aggregation.combine
    for a, b, c in product(_partials(aggregation, values), repeat=3):
        left = combine(combine(a, b), c)
        right = combine(a, combine(b, c))
        _compare(
            aggregation,
            "associativity",
            {"a": a, "b": b, "c": c},
            ("combine(combine(a, b), c)", left),
            ("combine(a, combine(b, c))", right),
            tolerance,
        )


def check_identity(aggregation: Aggregation, values: Iterable[Any], *, tolerance: float | None = None) -> None:
    """The identity is neutral on both sides, or `LawError`. Cost: O(n) combines.

    >>> from sash.aggregations import Mean
    >>> check_identity(Mean(), [3, 1, 2])
    """
    for a in _partials(aggregation, values):
        before = aggregation.combine(aggregation.identity, a)
        after = aggregation.combine(a, aggregation.identity)
        _compare(aggregation, "identity", {"a": a}, ("combine(identity, a)", before), ("a", a), tolerance)
        _compare(aggregation, "identity", {"a": a}, ("combine(a, identity)", after), ("a", a), tolerance)


def check_inverse(aggregation: Aggregation, values: Iterable[Any], *, tolerance: float | None = None) -> None:
    """inverse(combine(a, b), a) equals b, or `LawError`. Cost: O(n^2) combines.

    >>> from sash.aggregations import Sum
    >>> check_inverse(Sum(), [3, 1, 2])
    """
    for a, b in product(_partials(aggregation, values), repeat=2):
        rest = aggregation.inverse(aggregation.combine(a, b), a)
        _compare(aggregation, "inverse", {"a": a, "b": b}, ("inverse(combine(a, b), a)", rest), ("b", b), tolerance)


def check_commutative(aggregation: Aggregation, values: Iterable[Any], *, tolerance: float | None = None) -> None:
    """combine(a, b) equals combine(b, a), or `LawError`. Cost: O(n^2) combines.

    >>> from sash.aggregations import Max
    >>> check_commutative(Max(), [3, 1, 2])
    """
    for a, b in product(_partials(aggregation, values), repeat=2):
        one, other = aggregation.combine(a, b), aggregation.combine(b, a)
        _compare(
            aggregation, "commutativity", {"a": a, "b": b}, ("combine(a, b)", one), ("combine(b, a)", other), tolerance
        )


def check_empty(aggregation: Aggregation, values: Iterable[Any] = (), *, tolerance: float | None = None) -> None:
    """The declared empty result is the identity, lowered, or `LawError`.

    >>> from sash.aggregations import Concat
    >>> check_empty(Concat())
    """
    lowered = aggregation.lower(aggregation.identity)
    _compare(aggregation, "the empty window", {}, ("empty", aggregation.empty), ("lower(identity)", lowered), tolerance)


def check_pure(aggregation: Aggregation, values: Iterable[Any], *, tolerance: float | None = None) -> None:
    """No method changes its arguments, or `LawError`: windows share partials. Cost: O(n^2) combines and copies.

    >>> from sash.aggregations import aggregation
    >>> careless = aggregation(lift=lambda v: [v], combine=lambda a, b: a.extend(b) or a, identity=[], name="careless")
    >>> check_pure(careless, [1, 2])  # doctest: +ELLIPSIS
    Traceback (most recent call last):
    ...
    sash.testing.LawError: <aggregation careless> breaks the law of purity:
      a before = []
      b before = [1]
      a after combine(a, b) = [1]
      a before = []
    """
    values = list(values)
    for value in values:
        if not aggregation.skips(value):
            _check_untouched(aggregation, "lift", {"value": value}, aggregation.lift)
    partials = _partials(aggregation, values)
    for a in partials:
        _check_untouched(aggregation, "lower", {"a": a}, aggregation.lower)
    for a, b in product(partials, repeat=2):
        _check_untouched(aggregation, "combine", {"a": a, "b": b}, aggregation.combine)
        if aggregation.invertible:
            whole = aggregation.combine(copy.deepcopy(a), copy.deepcopy(b))
            _check_untouched(aggregation, "inverse", {"whole": whole, "a": a}, aggregation.inverse)


def _check_untouched(
    aggregation: Aggregation, name: str, arguments: Mapping[str, Any], method: Callable[..., Any]
) -> None:
    identity = copy.deepcopy(aggregation.identity)
    before = copy.deepcopy(dict(arguments))
    # A result that is refused is no breach; the arguments must be whole all the same.
    with suppress(OverflowError):
        method(*arguments.values())
    call = f"{name}({', '.join(arguments)})"
    shown = {f"{argument} before": value for argument, value in before.items()}
    pairs = [(argument, arguments[argument], before[argument]) for argument in arguments]
    for argument, now, then in [*pairs, ("identity", aggregation.identity, identity)]:
        if not same(now, then):
            raise LawError(
                aggregation, "purity", shown, (f"{argument} after {call}", now), (f"{argument} before", then)
            )


def check_codec(aggregation: Aggregation, values: Iterable[Any], *, tolerance: float | None = None) -> None:
    """decode(encode(a)) is a, and is encoded the same, or `LawError`. Cost: O(n).

    >>> from sash.aggregations import Collect
    >>> check_codec(Collect(), ["a", 1, 2.5])
    """
    for a in _partials(aggregation, values):
        data = aggregation.encode(a)
        if not isinstance(data, bytes):
            raise LawError(aggregation, "codecs", {"a": a}, ("type of encode(a)", type(data)), ("must be", bytes))
        back = aggregation.decode(data)
        _compare(aggregation, "codecs", {"a": a}, ("decode(encode(a))", back), ("a", a), tolerance=0.0)
        again = aggregation.encode(back)
        _compare(aggregation, "codecs", {"a": a}, ("encode(decode(encode(a)))", again), ("encode(a)", data), None)


def assert_lawful(aggregation: Aggregation, values: Iterable[Any], *, tolerance: float | None = None) -> None:
    """Every law that the aggregation must satisfy or says it satisfies, over the values; `LawError` with a
    counterexample.

    Purity, identity, associativity, the empty result, the codec; commutativity and inverse where declared. Floats are
    compared within `tolerance`, which is 0 for aggregations that say they are exact and 1e-9 for others.
    A handful of values goes far: partials are combined in all triples. Cost: O(n^3) combines.

    >>> from sash.aggregations import Concat
    >>> assert_lawful(Concat(separator=","), ["a", "", "b"])
    """
    values = list(values)
    checks = [check_pure, check_identity, check_associative, check_empty, check_codec]
    if aggregation.commutative:
        checks.append(check_commutative)
    if aggregation.invertible:
        checks.append(check_inverse)
    for check in checks:
        check(aggregation, values, tolerance=tolerance)


# Strategies


def values_for(aggregation: Aggregation) -> SearchStrategy[Any]:
    """A Hypothesis strategy of values that the built-in aggregation takes; no nulls, no NaN. Needs Hypothesis.

    >>> from sash.aggregations import Sum
    >>> values_for(Sum())
    one_of(integers(min_value=-1000000, max_value=1000000), floats(min_value=-1000000.0, max_value=1000000.0))
    """
    native = aggregation.native()
    if native is None:
        raise AggregationError(f"{aggregation!r} is not built in: only you know which values it takes")
    return _strategies(bool(native.options.get("geometric")))[native.inputs]


def _strategies(positive: bool) -> dict[str, SearchStrategy[Any]]:
    from hypothesis import strategies as st

    number = st.integers(-(10**6), 10**6) | st.floats(-1e6, 1e6)
    text = st.text(st.characters(exclude_categories=["Cs"]), max_size=5)
    anything = number | text
    return {
        "ignored": anything,
        "number": number,
        "real": st.integers(1, 10**6) | st.floats(1e-6, 1e6) if positive else number,
        "integer": st.integers(-(2**63), 2**63 - 1) | st.integers(0, 15),
        "bool": st.booleans(),
        "any": anything,
        # Few keys, so that there are ties.
        "keyed": st.tuples(st.integers(-2, 2) | st.sampled_from([-0.5, 0.5, 1.0]), anything),
        "hashable": anything | st.binary(max_size=20),
        "text": text,
    }
