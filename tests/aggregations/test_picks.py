"""First, Last, ArgMin and ArgMax in an operator: the core does what their methods say, whatever the values are."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import sash
from sash.testing import same


def by_its_methods(cls: type[sash.Aggregation]) -> type[sash.Aggregation]:
    """The same aggregation as one of your own: what derives from a built-in one and defines a method is run by it."""
    return type(cls.__name__, (cls,), {"combine": lambda self, older, newer: cls.combine(self, older, newer)})


PICKS = [sash.First, sash.Last, sash.ArgMin, sash.ArgMax]
plain = st.sampled_from([0, 1, -1, 1.0, -0.0, 0.5, math.inf, math.nan, True, 2**62, np.int32(1), np.float64(0.5)])
odd = st.sampled_from(
    ["a", "", b"b", None, (1, 2), (), 2**70, np.float32("nan"), np.str_("x"), np.bool_(True), {"a": 1}]
)
values = plain | odd
events = st.lists(st.tuples(st.integers(0, 9), plain | st.none() | st.sampled_from(["x", 2**70]), values), max_size=12)


def emitted(cls: type[sash.Aggregation], nan: Any, rows: list[Any]) -> list[Any]:
    """What an operator over two windows emits, event by event; an event that fails is its error."""
    columns = ("x",) if issubclass(cls, (sash.First, sash.Last)) else ("key", "x")
    s = sash.Sliding(cls(*columns, nan=nan), [sash.TimeWindow(3), sash.CountWindow(2)], on="t", emit="update")
    seen: list[Any] = []
    for time, key, value in rows:
        try:
            seen += [(one.window, one.end, one.value) for one in s.push({"t": time, "key": key, "x": value})]
        except (TypeError, ValueError, OverflowError) as error:
            seen.append((type(error), str(error)))
    return [*seen, *((one.window, one.end, one.value) for one in s.finish())]


@pytest.mark.parametrize("nan", ["skip", "propagate", "error"])
@pytest.mark.parametrize("cls", PICKS)
@given(rows=events)
def test_the_core_picks_as_the_methods_do(cls: type[sash.Aggregation], nan: Any, rows: list[Any]) -> None:
    """The same results of the same types, and the same errors."""
    found, expected = emitted(cls, nan, rows), emitted(by_its_methods(cls), nan, rows)
    assert len(found) == len(expected)
    for one, other in zip(found, expected, strict=True):
        assert same(one[-1], other[-1])
        assert type(one[-1]) is type(other[-1])
        assert one[:-1] == other[:-1]


@pytest.mark.parametrize("cls", PICKS)
def test_no_method_is_called_for_plain_values(cls: type[sash.Aggregation], monkeypatch: pytest.MonkeyPatch) -> None:
    """Each call of a method costs more than all the rest of an event."""
    called: list[str] = []
    for name in ("skips", "lift", "combine", "lower"):
        own = getattr(cls, name)

        def counted(self: Any, *args: Any, name: str = name, own: Any = own) -> Any:
            called.append(name)
            return own(self, *args)

        if name != "skips" or cls in (sash.ArgMin, sash.ArgMax):
            monkeypatch.setattr(cls, name, counted)
    columns = ("x",) if issubclass(cls, (sash.First, sash.Last)) else ("key", "x")
    s = sash.Sliding(cls(*columns), sash.TimeWindow(50), on="t")
    called.clear()
    count = 500
    s.push_many(
        {"t": range(count), "key": [time % 7 for time in range(count)], "x": [str(time) for time in range(count)]}
    )
    # One or two of no event at all.
    assert len(called) <= 2
