"""One rule for integers: a result is exact, and an OverflowError when it is asked for and does not fit in 64 bits.

Whatever was in the window on the way, whatever the algorithm, in a frame, in an operator and over a store.
"""

from __future__ import annotations

import math
from random import Random
from typing import Any

import numpy as np
import pytest

import sash
import sash.store
from sash.algorithms import ALGORITHMS

LEAST, GREATEST = -(2**63), 2**63 - 1
#: Values that reach the ends of 64 bits, and that cancel.
VALUES = [LEAST, LEAST + 1, GREATEST, 2**62, -(2**62), 2**40, -(2**40), 3, -1, 0]
CASES = {
    "sum": (sash.Sum, sum),
    "product": (sash.Product, math.prod),
    "max": (sash.Max, max),
    "min": (sash.Min, min),
    "range": (sash.Range, lambda values: max(values) - min(values)),
    "delta": (sash.Delta, lambda values: values[-1] - values[0]),
}


def fits(number: int) -> bool:
    return LEAST <= number <= GREATEST


def agree(ask: Any, expected: int) -> None:
    """The number, or an error if there is none in 64 bits."""
    if fits(expected):
        assert ask() == expected
        return
    with pytest.raises(OverflowError, match="fit in 64 bits"):
        ask()


@pytest.mark.parametrize("name", ALGORITHMS)
@pytest.mark.parametrize("case", CASES)
def test_every_algorithm(name: str, case: str) -> None:
    """No insert is refused, and every result is that of Python's integers."""
    make, expected = CASES[case]
    if ALGORITHMS[name].needs_inverse and not make().invertible:
        pytest.skip("needs an inverse")
    for seed in range(12):
        random = Random(seed)
        window, values = sash.Window(make(), name), []
        for time in range(40):
            values.append(random.choice(VALUES))
            window.insert(time, values[-1])
            if len(values) > random.randrange(1, 9):
                window.evict()
                del values[0]
            if values:
                agree(window.query, expected(values))
        restored = sash.Window.restore(window.snapshot())
        if values:
            agree(restored.query, expected(values))


@pytest.mark.parametrize("case", CASES)
def test_records(case: str) -> None:
    """Members of a record, beside others, and with floats in another column."""
    make, expected = CASES[case]
    for algorithm in ("fiba", "daba_lite", "amta"):
        random = Random(5)
        window, values = sash.Window(sash.Composite(a=make("x"), b=sash.Sum("y"), c=sash.Count("x")), algorithm), []
        for time in range(60):
            values.append(random.choice(VALUES))
            window.insert(time, {"x": values[-1], "y": 1 if time < 30 else 0.5})
            if time > 5:
                window.evict()
                del values[0]
            if fits(expected(values)):
                assert window.query()["a"] == expected(values)
                assert window.query()["c"] == len(values)


@pytest.mark.parametrize("case", CASES)
def test_operators(case: str) -> None:
    """A push whose own result does not fit is refused, and changes nothing; all others go on."""
    make, expected = CASES[case]
    for seed in range(10):
        random = Random(seed)
        s = sash.Sliding(make(), sash.CountWindow(3), by=True)
        values: list[int] = []
        for time in range(40):
            value = random.choice(VALUES)
            window = [*values, value][-3:]
            if fits(expected(window)):
                assert s.push("k", time, value)[0].value == expected(window)
                values.append(value)
            else:
                before = s.snapshot()
                with pytest.raises(OverflowError, match="fit in 64 bits"):
                    s.push("k", time, value)
                assert s.snapshot() == before
            if seed % 2:
                s = sash.Sliding.restore(s.snapshot())


@pytest.mark.parametrize("case", ["sum", "product", "max", "min", "range"])
def test_frames(case: str) -> None:
    """A row whose result does not fit is named."""
    make, expected = CASES[case]
    for seed in range(30):
        random = Random(seed)
        values = [random.choice(VALUES) for _ in range(6)]
        windows = [values[max(0, place - 2) : place + 1] for place in range(6)]
        frame = {"v": np.array(values)}
        if all(fits(expected(window)) for window in windows):
            got = sash.rolling(frame, window=3, out=make("v"))["out"]
            assert got.tolist() == [expected(window) for window in windows]
        else:
            with pytest.raises(OverflowError, match="row"):
                sash.rolling(frame, window=3, out=make("v"))


@pytest.mark.parametrize("algorithm", ["fiba", "amta", "log_mta"])
def test_stores(algorithm: str) -> None:
    """A window over a store that was closed in between."""
    store = sash.store.Memory()
    with sash.Window(sash.Sum(), algorithm, store=store, page=2) as window:
        window.bulk_insert(range(6), [GREATEST, GREATEST, 5, LEAST, LEAST, 1])
        assert window.query() == 4
    with sash.Window(sash.Sum(), algorithm, store=store) as window:
        window.evict()
        window.evict()
        with pytest.raises(OverflowError, match="64 bits"):
            window.query()
        window.evict()
        window.evict()
        assert window.query() == LEAST + 1
        assert window.copy().query() == LEAST + 1


def test_what_the_issue_had() -> None:
    """Zero times what does not fit is zero, by every algorithm."""
    for name, known in ALGORITHMS.items():
        if not known.needs_inverse:
            window = sash.Window(sash.Product(), name)
            window.bulk_insert(range(21), [0] + [2**40] * 20)
            assert window.query() == 0


def test_windows_that_were_wide_merge_and_copy() -> None:
    """With windows that were not."""
    wide, narrow = sash.Window(sash.Sum()), sash.Window(sash.Sum(), "amta")
    wide.bulk_insert([1, 2], [GREATEST, GREATEST])
    narrow.bulk_insert([3, 4], [1, 2])
    both = wide.copy()
    both.merge(narrow)
    with pytest.raises(OverflowError, match="64 bits"):
        both.query()
    both.evict(1)
    both.evict(2)
    assert both.query() == 3
    assert both.snapshot() == filled("fiba", {3: 1, 4: 2}).snapshot()


def filled(algorithm: str, entries: dict[int, int]) -> sash.Window:
    window = sash.Window(sash.Sum(), algorithm)
    for time, value in entries.items():
        window.insert(time, value)
    return window


def test_equal_contents_give_equal_bytes() -> None:
    """What a window held once does not show: large integers, objects beside numbers."""
    w = sash.Window(sash.Sum())
    for time, value in enumerate([GREATEST, GREATEST, 5]):
        w.insert(time, value)
    w.bulk_evict(1)
    assert w.snapshot() == filled("fiba", {2: 5}).snapshot()
    for aggregation, odd, plain in [
        (sash.Last(), "a", 5),
        (sash.First(), 2.5, 5),
        (sash.First(), 7, 2.5),
        (sash.Collect(), "a", 5),
        (sash.ArgMax(), (1, "a"), (2.5, 7)),
    ]:
        w, fresh = sash.Window(aggregation), sash.Window(aggregation)
        w.insert(1, odd)
        for window in (w, fresh):
            window.insert(2, plain)
        w.evict()
        assert w.snapshot() == fresh.snapshot()
        assert sash.Window.restore(w.snapshot()).query() == fresh.query()


def test_operators_that_were_wide_give_equal_bytes() -> None:
    """Once what needed 128 bits has left."""
    wide, plain = (sash.Sliding(sash.Sum(), sash.TimeWindow(3), lateness=0) for _ in range(2))
    for operator, first in ((wide, GREATEST), (plain, 1)):
        operator.push(1, first)
        for time in (10, 11, 12):
            operator.push(time, time)
    assert wide.snapshot() == plain.snapshot()


@pytest.mark.parametrize("name", ALGORITHMS)
def test_a_snapshot_of_a_window_that_held_objects_once(name: str) -> None:
    """Whatever the algorithm keeps, entries or aggregates: restored, it gives what it gave, and goes on."""
    for aggregation in (sash.Collect(), sash.First(), sash.Last(), sash.CollectDistinct()):
        if ALGORITHMS[name].needs_inverse and not aggregation.invertible:
            continue
        window = sash.Window(aggregation, name)
        for time, value in enumerate(["x", 1, 2, 3, 4]):
            window.insert(time, value)
        window.evict()
        for again in (sash.Window.restore(window.snapshot()), window.copy()):
            assert again.query() == window.query()
            again.insert(5, 5)
            again.evict()
            fresh = sash.Window(aggregation)
            fresh.bulk_insert([2, 3, 4, 5], [2, 3, 4, 5])
            assert again.query() == fresh.query()
