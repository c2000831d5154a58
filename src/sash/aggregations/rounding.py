"""Whether two numbers differ by rounding only."""

from __future__ import annotations

import math

__all__ = ["near"]


def near(a: float, b: float, scale: float) -> bool:
    """Whether the two are equal, both NaN, or apart by no more than what rounding does to numbers of that size.

    >>> near(0.1 + 0.2, 0.3, 1.0), near(1.0, 1.1, 1.0), near(math.nan, math.nan, 1.0)
    (True, False, True)
    """
    if math.isnan(a) or math.isnan(b):
        return math.isnan(a) and math.isnan(b)
    return a == b or abs(a - b) <= 1e-9 * scale
