"""The laws of an aggregation, one function each, all of them at once, and when two values are the same."""

from __future__ import annotations

import copy
import math
from collections.abc import Iterable, Mapping
from contextlib import suppress
from dataclasses import fields, is_dataclass
from typing import Any, Final

import numpy as np

from sash.aggregations.base import Aggregation
from sash.testing.law_error import LawError, call
from sash.testing.samples import lifted, pairs, partials, triples

__all__ = [
    "TOLERANCE",
    "assert_lawful",
    "check_associative",
    "check_codec",
    "check_commutative",
    "check_empty",
    "check_identity",
    "check_inverse",
    "check_pure",
    "check_running",
    "same",
    "scale_of",
]

#: Relative, for floats of aggregations that are not exact.
TOLERANCE: Final = 1e-9


def _compare(
    aggregation: Aggregation,
    law: str,
    operands: Mapping[str, Any],
    left: tuple[str, Any],
    right: tuple[str, Any],
    tolerance: float | None,
) -> None:
    """LawError unless both sides are the same partial, or close enough."""
    if tolerance is None:
        tolerance = 0.0 if aggregation.exact else TOLERANCE
    if same(left[1], right[1]) or same(left[1], right[1], tolerance, scale_of(operands.values())):
        return
    close = getattr(aggregation, "close", None)
    if close is None or not close(left[1], right[1]):
        raise LawError(aggregation, law, operands, left, right)


def check_associative(aggregation: Aggregation, values: Iterable[Any], *, tolerance: float | None = None) -> None:
    """combine(combine(a, b), c) equals combine(a, combine(b, c)), or `LawError`.

    Cost: O(n) combines, and those of all triples of eight partials.

    >>> from sash.aggregations import Max
    >>> check_associative(Max(), [3, 1, 2])
    """
    for a, b, c in triples(aggregation, values):
        left = call(aggregation, "combine", a=call(aggregation, "combine", a=a, b=b), b=c)
        right = call(aggregation, "combine", a=a, b=call(aggregation, "combine", a=b, b=c))
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
    for a in partials(aggregation, values):
        before = call(aggregation, "combine", identity=aggregation.identity, a=a)
        after = call(aggregation, "combine", a=a, identity=aggregation.identity)
        _compare(aggregation, "identity", {"a": a}, ("combine(identity, a)", before), ("a", a), tolerance)
        _compare(aggregation, "identity", {"a": a}, ("combine(a, identity)", after), ("a", a), tolerance)


def check_inverse(aggregation: Aggregation, values: Iterable[Any], *, tolerance: float | None = None) -> None:
    """inverse(combine(a, b), a) equals b, or `LawError`. Cost: O(n) combines, and those of all pairs of eight.

    >>> from sash.aggregations import Sum
    >>> check_inverse(Sum(), [3, 1, 2])
    """
    for a, b in pairs(aggregation, values):
        whole = call(aggregation, "combine", a=a, b=b)
        rest = call(aggregation, "inverse", whole=whole, a=a)
        _compare(aggregation, "inverse", {"a": a, "b": b}, ("inverse(combine(a, b), a)", rest), ("b", b), tolerance)


def check_commutative(aggregation: Aggregation, values: Iterable[Any], *, tolerance: float | None = None) -> None:
    """combine(a, b) equals combine(b, a), or `LawError`. Cost: O(n) combines, and those of all pairs of eight.

    >>> from sash.aggregations import Max
    >>> check_commutative(Max(), [3, 1, 2])
    """
    for a, b in pairs(aggregation, values):
        one, other = call(aggregation, "combine", a=a, b=b), call(aggregation, "combine", a=b, b=a)
        _compare(
            aggregation, "commutativity", {"a": a, "b": b}, ("combine(a, b)", one), ("combine(b, a)", other), tolerance
        )


def check_running(aggregation: Aggregation, values: Iterable[Any], *, tolerance: float | None = None) -> None:
    """The running form, after all partials came and the first have gone, gives what `lower` gives of the rest combined;
    or `LawError`. Cost: O(n) combines.

    >>> from sash.aggregations import Median
    >>> check_running(Median(), [3, 1, 2])
    """
    running, every = aggregation.running(), lifted(aggregation, values)
    if running is None or not every:
        return
    gone, rest = every[: len(every) // 2], every[len(every) // 2 :]
    for a in every:
        running.add(a)
    for a in gone:
        running.remove(a)
    whole = aggregation.identity
    for a in rest:
        whole = call(aggregation, "combine", whole=whole, a=a)
    lowered = call(aggregation, "lower", whole=whole)
    _compare(
        aggregation,
        "the running form",
        {"rest": rest},
        ("running", running.result(every[-1])),
        ("lower", lowered),
        tolerance,
    )


def check_empty(aggregation: Aggregation, values: Iterable[Any] = (), *, tolerance: float | None = None) -> None:
    """The declared empty result is the identity, lowered, or `LawError`.

    >>> from sash.aggregations import Concat
    >>> check_empty(Concat())
    """
    lowered = call(aggregation, "lower", identity=aggregation.identity)
    _compare(aggregation, "the empty window", {}, ("empty", aggregation.empty), ("lower(identity)", lowered), tolerance)


def check_pure(aggregation: Aggregation, values: Iterable[Any], *, tolerance: float | None = None) -> None:
    """No method changes its arguments, or `LawError`: windows share partials. Cost: O(n) combines and copies, and those
    of all pairs of eight.

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
    for time, value in enumerate(value for value in values if not aggregation.skips(value)):
        _check_untouched(aggregation, "lift", {"value": value, "time": time} if aggregation.timed else {"value": value})
    for a in partials(aggregation, values):
        _check_untouched(aggregation, "lower", {"a": a})
    for a, b in pairs(aggregation, values):
        _check_untouched(aggregation, "combine", {"a": a, "b": b})
        if aggregation.invertible:
            whole = call(aggregation, "combine", a=copy.deepcopy(a), b=copy.deepcopy(b))
            _check_untouched(aggregation, "inverse", {"whole": whole, "a": a})


def _check_untouched(aggregation: Aggregation, name: str, arguments: Mapping[str, Any]) -> None:
    identity = copy.deepcopy(aggregation.identity)
    before = copy.deepcopy(dict(arguments))
    # A result that is refused is no breach; the arguments must be whole all the same.
    with suppress(OverflowError):
        call(aggregation, name, **arguments)
    shown = {f"{argument} before": value for argument, value in before.items()}
    changes = [(argument, arguments[argument], before[argument]) for argument in arguments]
    for argument, now, then in [*changes, ("identity", aggregation.identity, identity)]:
        if not same(now, then):
            after = f"{argument} after {name}({', '.join(arguments)})"
            raise LawError(aggregation, "purity", shown, (after, now), (f"{argument} before", then))


def check_codec(aggregation: Aggregation, values: Iterable[Any], *, tolerance: float | None = None) -> None:
    """decode(encode(a)) is a, and is encoded the same, or `LawError`. Cost: O(n).

    >>> from sash.aggregations import Collect
    >>> check_codec(Collect(), ["a", 1, 2.5])
    """
    for a in partials(aggregation, values):
        data = call(aggregation, "encode", a=a)
        if not isinstance(data, bytes):
            raise LawError(aggregation, "codecs", {"a": a}, ("type of encode(a)", type(data)), ("must be", bytes))
        back = call(aggregation, "decode", data=data)
        if not same(back, a):
            raise LawError(aggregation, "codecs", {"a": a}, ("decode(encode(a))", back), ("a", a))
        again = call(aggregation, "encode", a=back)
        if again != data:
            raise LawError(aggregation, "codecs", {"a": a}, ("encode(decode(encode(a)))", again), ("encode(a)", data))


def assert_lawful(aggregation: Aggregation, values: Iterable[Any], *, tolerance: float | None = None) -> None:
    """Every law that the aggregation must satisfy or says it satisfies, over the values; `LawError` with a
    counterexample.

    That no method fails on what another gives; purity, identity, associativity, the empty result, the codec;
    commutativity, inverse and running form where declared. Floats are compared within `tolerance`, which is 0 for
    aggregations that say they are exact and 1e-9 for others. An aggregation that is approximate may define
    `close(a, b)`: whether two partials may stand for the same events. Values of a timed aggregation come at times 0, 1,
    2, and so on, and are combined in that order only. A handful of values goes far: up to eight partials are combined
    in all triples.

    >>> from sash.aggregations import Concat
    >>> assert_lawful(Concat(separator=","), ["a", "", "b"])
    """
    values = list(values)
    checks = [check_pure, check_identity, check_associative, check_empty, check_codec, check_running]
    if aggregation.commutative:
        checks.append(check_commutative)
    if aggregation.invertible:
        checks.append(check_inverse)
    for check in checks:
        check(aggregation, values, tolerance=tolerance)


def same(a: Any, b: Any, tolerance: float = 0.0, scale: float = 1.0) -> bool:
    """Whether two values are the same: NaN is NaN, containers and dataclasses by what is in them, floats within a
    tolerance.

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
    if is_dataclass(a):
        return all(same(getattr(a, part), getattr(b, part), tolerance, scale) for part in _compared(a))
    if hasattr(a, "__dict__") and not any("__eq__" in vars(base) for base in type(a).__mro__[:-1]):
        return same(vars(a), vars(b), tolerance, scale)
    return bool(a == b)


def _compared(value: Any) -> list[str]:
    return [part.name for part in fields(value) if part.compare]


def _same_reals(a: Any, b: Any, tolerance: float, scale: float) -> bool:
    try:
        if math.isnan(a) or math.isnan(b):
            return math.isnan(a) and math.isnan(b)
        return a == b or math.isclose(a, b, rel_tol=tolerance, abs_tol=tolerance * scale)
    except TypeError:
        return False


def scale_of(operands: Iterable[Any]) -> float:
    """The size of the largest finite number in the operands, at least 1: rounding errors are relative to it.

    >>> scale_of([0.5, (2, [-70.0])])
    70.0
    """
    largest = 1.0
    for operand in operands:
        if isinstance(operand, (float, int)) and math.isfinite(operand):
            largest = max(largest, float(min(abs(operand), 2**1000)))
        elif isinstance(operand, (tuple, list)):
            largest = max(largest, scale_of(operand))
        elif isinstance(operand, dict):
            largest = max(largest, scale_of(operand.values()))
    return largest
