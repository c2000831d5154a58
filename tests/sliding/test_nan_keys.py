"""NaN as a key: equal to nothing in Python, and one key here, before and after a restore."""

from decimal import Decimal
from math import nan

import numpy as np
import pytest

import sash

#: Each call makes a NaN of its own.
KEYS = {
    "float": lambda: float("nan"),
    "numpy": lambda: np.float64("nan"),
    "decimal": lambda: Decimal("NaN"),
    "tuple": lambda: ("a", float("nan")),
    "deep": lambda: (1, ("a", (float("nan"), 2.5)), Decimal("NaN")),
}


@pytest.mark.parametrize("key", KEYS.values(), ids=KEYS)
@pytest.mark.parametrize("many", [False, True])
def test_a_key_with_nan_is_found_again(key, many):
    """Whoever brings it, and after a restore too."""

    def push(operator, time, value):
        events = operator.push_many([key()], [time], [value]) if many else operator.push(key(), time, value)
        return [result.value for result in events]

    s = sash.Sliding(sash.Sum(), sash.TimeWindow(10), by=True)
    assert push(s, 1, 5) == [5]
    assert push(s, 2, 6) == [11]
    s = sash.Sliding.restore(s.snapshot())
    assert len(s.keys) == 1
    assert push(s, 3, 7) == [18]
    assert s.query(key())[0].value == 18
    assert len(s.keys) == 1


def test_partials_with_nan_are_found_again():
    """A window that counts what is distinct knows its NaN after a restore."""
    w = sash.Window(sash.CountDistinct(nan="propagate"))
    w.insert(1, float("nan"))
    w.insert(2, ("a", nan))
    w = sash.Window.restore(w.snapshot())
    w.insert(3, float("nan"))
    assert w.query() == 2
