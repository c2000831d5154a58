"""No exception of C++ reaches a user by its name, whatever is passed to whatever door."""

from __future__ import annotations

import pickle
import re
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from aggregations.cases import EVERY
from hypothesis import given, settings
from hypothesis import strategies as st
from stores.test_aggregations import NATIVE

import sash
import sash.store
from sash.testing import same

CPLUSPLUS = re.compile(r"std::|\bbad_(cast|alloc)|vector::|basic_string|_M_|length_error|out_of_range|nanobind")
#: Numbers and texts that some conversion does not take.
ODD: list[Any] = [-1, 0, 2**31, 2**32, 2**40, 2**63 - 1, 2**63, 2**64, 2**70, -(2**63), -(2**70), 1e400, float("nan")]
ODD += ["\ud800", "", b"x", None, 1.5, True, (), [], object()]


def events(aggregation: Any, window: Any = 3, **options: Any) -> Any:
    """Some events through an operator."""
    s = sash.Sliding(aggregation, window, **options)
    results = [s.push(time, time) for time in range(4)]
    return results, s.finish()


DOORS: dict[str, Callable[[Any], Any]] = {
    "count": lambda odd: events(sash.Sum(), sash.CountWindow(odd)),
    "count_every": lambda odd: events(sash.Sum(), sash.CountWindow(3, every=odd)),
    "time": lambda odd: events(sash.Sum(), sash.TimeWindow(odd)),
    "time_every": lambda odd: events(sash.Sum(), sash.TimeWindow(10**19, every=odd) if odd != 0 else None),
    "tumbling": lambda odd: events(sash.Sum(), sash.TumblingWindow(odd)),
    "tumbling_count": lambda odd: events(sash.Sum(), sash.TumblingWindow(count=odd)),
    "origin": lambda odd: events(sash.Sum(), sash.TumblingWindow(3, origin=odd)),
    "session": lambda odd: events(sash.Sum(), sash.SessionWindow(odd)),
    "landmark": lambda odd: events(sash.Sum(), sash.LandmarkWindow(since=odd)),
    "delta": lambda odd: events(sash.Sum(), sash.DeltaWindow(lambda value: value, odd)),
    "adaptive": lambda odd: events(sash.Sum(), sash.AdaptiveWindow(odd)),
    "every": lambda odd: events(sash.Sum(), trigger=sash.EveryEvents(odd)),
    "lateness": lambda odd: events(sash.Sum(), lateness=odd),
    "expire": lambda odd: events(sash.Sum(), expire=odd),
    "min_periods": lambda odd: events(sash.Sum(), min_periods=odd),
    "advance": lambda odd: sash.Sliding(sash.Sum(), 3).advance(odd),
    "push_time": lambda odd: sash.Sliding(sash.Sum(), 3).push(odd, 1),
    "push_key": lambda odd: sash.Sliding(sash.Sum(), 3, by=True).push(odd, 1, 1),
    "push_value": lambda odd: sash.Sliding(sash.Sum(), 3).push(1, odd),
    "push_composite": lambda odd: sash.Sliding(sash.Composite(a=sash.Max("a")), 3).push(1, {"a": odd}),
    "insert_time": lambda odd: sash.Window(sash.Sum()).insert(odd, 1),
    "insert_value": lambda odd: sash.Window(sash.Sum()).insert(1, odd),
    "bulk_insert": lambda odd: sash.Window(sash.Sum()).bulk_insert([1, 2], [1, odd]),
    "evict": lambda odd: sash.Window(sash.Sum()).evict(odd),
    "query": lambda odd: sash.Window(sash.Sum()).query(odd, 1),
    "min_arity": lambda odd: sash.Window(sash.Sum(), "fiba", min_arity=odd).insert(1, 1),
    "leaf": lambda odd: sash.Window(sash.Sum(), "fiba", leaf=odd).insert(1, 1),
    "algorithm": lambda odd: sash.Window(sash.Sum(), odd),
    "separator": lambda odd: concatenated(odd),
    "bits": lambda odd: sash.Window(sash.Bloom(bits=odd)) if odd not in (2**40, 2**31, 2**32) else None,
    "hashes": lambda odd: sash.Window(sash.Bloom(hashes=odd)) if odd not in (2**40, 2**31, 2**32) else None,
    "ddof": lambda odd: sash.Window(sash.Var(ddof=odd)).insert(1, 1),
    "half_life": lambda odd: sash.Window(sash.DecayedSum(half_life=odd)).insert(1, 1),
    "columns": lambda odd: sash.Sliding(sash.Sum(odd), 3).push(1, {"a": 1}),
    "rolling": lambda odd: sash.rolling({"v": np.arange(4)}, window=odd, total=sash.Sum("v")),
    "rolling_min": lambda odd: sash.rolling({"v": np.arange(4)}, window=2, min_periods=odd, total=sash.Sum("v")),
    "restore": lambda odd: sash.Window.restore(odd),
    "restore_sliding": lambda odd: sash.Sliding.restore(odd),
    "name": lambda odd: sash.Window(sash.Sum(), "amta", store=sash.store.Memory(), name=odd).close(),
    "page": lambda odd: sash.Window(sash.Sum(), "amta", store=sash.store.Memory(), page=odd).close(),
    "cache": lambda odd: sash.Window(sash.Sum(), "amta", store=sash.store.Memory(), cache=odd).close(),
}


def concatenated(separator: Any) -> None:
    """Texts with a separator, in a window and after a restore."""
    window = sash.Window(sash.Concat(separator=separator))
    window.bulk_insert([1, 2], ["a", "b"])
    assert window.query() == f"a{separator}b"
    assert sash.Window.restore(window.snapshot()).query() == f"a{separator}b"


@pytest.mark.parametrize("name", DOORS)
def test_a_door_takes_a_value_or_says_what_is_wrong_with_it(name: str) -> None:
    """In the words of Python."""
    for odd in ODD:
        try:
            DOORS[name](odd)
        except (sash.SashError, TypeError, ValueError, OverflowError, LookupError) as error:
            if CPLUSPLUS.search(str(error)) or not str(error) or isinstance(error, AssertionError):
                pytest.fail(f"{odd!a}: {type(error).__name__}: {str(error)!a}")
            if "of a type or a size that the core does not take" in str(error):
                pytest.fail(f"{odd!a} is found out in the core only: {error}")


@pytest.mark.parametrize("one", ["fiba", "amta", "recalc"])
@pytest.mark.parametrize("other", ["fiba", "btree", "log_mta"])
@settings(max_examples=3)
@given(st.data())
def test_windows_merge_whatever_their_algorithms(one: str, other: str, data: st.DataObject) -> None:
    """Every aggregation, in a record or not: the same result as of one window."""
    for aggregation, values in NATIVE + EVERY:
        drawn = [data.draw(values) for _ in range(6)]
        older, newer, whole = sash.Window(aggregation, one), sash.Window(aggregation, other), sash.Window(aggregation)
        for window, part in ((older, range(3)), (newer, range(3, 6)), (whole, range(6))):
            for time in part:
                window.insert(time, drawn[time])
        older.merge(newer)
        assert equal(older.query(), whole.query()), aggregation


@pytest.mark.parametrize("algorithm", ["fiba", "amta", "log_mta"])
@settings(max_examples=3)
@given(st.data())
def test_stored_windows_are_copied_pickled_and_written(algorithm: str, data: st.DataObject) -> None:
    """By way of a window in memory, which may keep its partials in another form."""
    for aggregation, values in NATIVE + EVERY:
        with sash.Window(aggregation, algorithm, store=sash.store.Memory()) as window:
            for time in range(5):
                window.insert(time, data.draw(values))
            twins = [window.copy(), sash.Window.restore(window.snapshot()), pickle.loads(pickle.dumps(window))]
            for twin in twins:
                assert equal(twin.query(), window.query()), aggregation


def equal(one: Any, other: Any) -> bool:
    """Results that agree; models by what they say."""
    if isinstance(one, sash.results.BayesModel):
        return bool(one.predict_proba((0.5, "red")) == other.predict_proba((0.5, "red")))
    return same(one, other, 1e-9, scale=100.0)
