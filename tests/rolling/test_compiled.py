"""A user's compiled aggregation over a frame gives what its Python methods give."""

from __future__ import annotations

import functools
from typing import Any

import numpy as np
import pytest

import sash
from sash.rolling import rolling
from sash.windows import TimeWindow

pytest.importorskip("numba")


class Drift(sash.Aggregation):
    """The first and the last value and how many there are: it is not commutative."""

    identity = (0.0, 0.0, 0)
    nan = "skip"

    def __init__(self, column: str) -> None:
        self.column = column

    def lift(self, value: Any) -> Any:
        return value, value, 1

    def combine(self, older: Any, newer: Any) -> Any:
        if older[2] == 0:
            return newer
        if newer[2] == 0:
            return older
        return older[0], newer[1], older[2] + newer[2]

    def lower(self, partial: Any) -> Any:
        return (partial[1] - partial[0]) / partial[2]


class Steps(sash.Aggregation):
    """Integers in, an integer out."""

    identity = 0

    def __init__(self, column: str) -> None:
        self.column = column

    def lift(self, value: Any) -> Any:
        return value * 2

    def combine(self, older: Any, newer: Any) -> Any:
        return newer if newer != 0 else older

    def lower(self, partial: Any) -> Any:
        return partial


class Both(Drift):
    """A result of several numbers."""

    def lower(self, partial: Any) -> Any:
        return partial[0], partial[1]


#: Compiling takes a second or two: once is enough.
compiled = functools.cache(sash.compiled)


def frame(late: bool) -> dict[str, Any]:
    rng = np.random.default_rng(1)
    times = np.arange(300)
    if late:
        times = times - np.where(rng.random(300) < 0.1, rng.integers(0, 40, 300), 0)
    values = np.where(rng.random(300) < 0.1, np.nan, rng.integers(1, 50, 300) / 4)
    return {"t": times, "k": rng.integers(0, 3, 300), "v": values, "i": rng.integers(1, 3, 300)}


@pytest.mark.parametrize("late", [False, True])
@pytest.mark.parametrize("emit", ["final", "arrival"])
@pytest.mark.parametrize("window", [TimeWindow(20), 7])
def test_it_answers_as_its_methods_do(late: bool, emit: Any, window: Any) -> None:
    """In order or late, at arrival or in the end, by time or by count."""
    data = frame(late)
    one, two = Drift("v"), Both("v")
    named = {"a": one, "b": compiled(one), "c": two, "d": compiled(two)}
    out = rolling(data, on="t", by="k", window=window, emit=emit, min_periods=1, **named)
    np.testing.assert_allclose(np.asarray(out["a"], float), np.asarray(out["b"], float))
    assert out["c"].tolist() == out["d"].tolist()


def test_integers_stay_integers() -> None:
    """An integer result is an int64 column, and a window without enough values has none."""
    native = sash.compiled(Steps("i"), value="int")
    out = rolling({"i": np.array([1, 2, 3, 4])}, window=2, min_periods=2, a=Steps("i"), b=native)
    assert out["a"].tolist() == out["b"].tolist() == [None, 4, 6, 8]
    assert out["b"].dtype == np.int64


def test_errors_of_compiled_methods_are_those_of_python() -> None:
    """Where a compiled method fails, its Python method runs and says why."""

    class Picky(Steps):
        def lower(self, partial: Any) -> Any:
            if partial > 6:
                raise ValueError("too much")
            return partial

    with pytest.raises(ValueError, match="too much"):
        rolling({"i": np.array([1, 2, 3, 4])}, window=1, b=sash.compiled(Picky("i"), value="int"))
