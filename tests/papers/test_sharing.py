"""Windows that share one tree: what they hold together is what the longest needs."""

import weakref

import numpy as np
import pytest

import sash

LONGEST = 1 << 12
LENGTHS = [LONGEST // 8, LONGEST // 4, LONGEST // 2, LONGEST]


class Partial:
    """A number that can be watched."""

    __slots__ = ("__weakref__", "number")

    def __init__(self, number):
        self.number = number


class Watched(sash.Aggregation):
    """A sum whose partials are objects, all of which are known while they live."""

    identity = None

    def __init__(self):
        self.living = weakref.WeakSet()

    def made(self, number):
        partial = Partial(number)
        self.living.add(partial)
        return partial

    def lift(self, value):
        return self.made(value)

    def combine(self, older, newer):
        return self.made(older.number + newer.number) if older and newer else older or newer

    def lower(self, partial):
        return partial and partial.number


class Total(sash.Aggregation):
    """A sum that can be compiled."""

    identity = (0.0,)

    def lift(self, value):
        return (value,)

    def combine(self, older, newer):
        return (older[0] + newer[0],)

    def lower(self, partial):
        return partial[0]


@pytest.fixture(params=["native", "compiled", "python"])
def aggregation(request):
    """A sum that the core has, one that is compiled, and one that runs in Python."""
    if request.param == "compiled":
        pytest.importorskip("numba")
        return sash.compiled(Total())
    return sash.Sum() if request.param == "native" else Watched()


def slid(aggregation, lengths):
    """An operator over these windows that has slid over more than two lengths of the longest."""
    operator = sash.Sliding(aggregation, [sash.TimeWindow(length) for length in lengths], lateness=0)
    for start in range(0, 9 * LONGEST // 4, 512):
        operator.push_many(np.arange(start, start + 512), np.ones(512))
    return operator


def held_by(operator):
    """The bytes of its rows, partials and keys."""
    return operator._running.engine.core.memory()


def test_windows_that_share_hold_what_the_longest_holds(aggregation):
    """At most a fifth more, for native, compiled and Python aggregations."""
    assert held_by(slid(aggregation, LENGTHS)) <= 1.2 * held_by(slid(aggregation, LENGTHS[-1:]))


def test_partials_of_python_live_once():
    """The objects that an operator holds are counted, those that combines made among them."""
    alone, shared = Watched(), Watched()
    operators = slid(alone, LENGTHS[-1:]), slid(shared, LENGTHS)  # alive while their partials are counted
    assert len(shared.living) <= 1.2 * len(alone.living)
    assert LONGEST <= len(alone.living) <= 2 * LONGEST
    del operators
