"""When two values are the same: what the laws and the tests compare by."""

from __future__ import annotations

import math
from collections.abc import Iterable
from dataclasses import fields, is_dataclass
from typing import Any

import numpy as np

__all__ = ["same", "scale_of"]


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
