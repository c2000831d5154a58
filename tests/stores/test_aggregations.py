"""Every aggregation whose partials can be written gives over a store what it gives in memory."""

from __future__ import annotations

from typing import Any

import pytest
from aggregations.cases import EVERY, clock, name
from hypothesis import given, settings
from hypothesis import strategies as st

import sash
import sash.store
from sash.store.window import ALGORITHMS
from sash.testing import same

small = st.integers(-20, 20)
NATIVE = [
    (sash.Count(), small),
    (sash.Sum(), small | st.floats(-9, 9)),
    (sash.Product(), st.integers(1, 2)),
    (sash.Mean(), small),
    (sash.GeometricMean(), st.integers(1, 9)),
    (sash.Min(), small | st.floats(-9, 9)),
    (sash.Max(), small),
    (sash.Range(), small),
    (sash.MinCount(), small),
    (sash.MaxCount(), small),
    (sash.First(), small | st.text(max_size=2)),
    (sash.Last(), small),
    (sash.ArgMax(), st.tuples(st.integers(0, 3), small)),
    (sash.ArgMin(), st.tuples(st.integers(0, 3), st.text(max_size=2))),
    (sash.Var(), small),
    (sash.Std(ddof=0), small),
    (sash.Any(), st.booleans()),
    (sash.All(), st.booleans()),
    (sash.BitOr(), st.integers(0, 255)),
    (sash.BitAnd(), st.integers(0, 255)),
    (sash.Bloom(bits=128, hashes=2), st.text(max_size=2)),
    (sash.Concat(separator="-"), st.text("abc", max_size=2)),
    (sash.Collect(), small | st.text(max_size=2)),
    (sash.Composite(total=sash.Sum("a"), peak=sash.Max("a")), st.fixed_dictionaries({"a": small})),
    (
        sash.Composite(total=sash.Sum("a"), names=sash.CollectDistinct("b")),
        st.fixed_dictionaries({"a": small, "b": st.sampled_from("xyz")}),
    ),
]


def plain(result: Any) -> Any:
    """A result that can be compared: models and filters by their bytes or what they answer."""
    if isinstance(result, sash.results.BayesModel):
        return result.predict_proba((0.5, "red"))
    return result


@pytest.mark.parametrize("algorithm", ALGORITHMS)
@pytest.mark.parametrize("case", NATIVE + EVERY, ids=name)
def test_over_a_store_as_in_memory(case: Any, algorithm: str) -> None:
    """Twice the same steps, with a close and an open between; both windows agree all along."""
    over, values = case

    @settings(max_examples=6)
    @given(st.lists(values, min_size=20, max_size=60), st.integers(0, 40))
    def check(drawn: list[Any], keep: int) -> None:
        store = sash.store.Memory()
        memory = sash.Window(over, algorithm=algorithm)
        stored: Any = sash.Window(over, algorithm=algorithm, store=store, page=2, cache=1)
        for second, value in enumerate(drawn):
            for window in (memory, stored):
                window.insert(clock(second), value)
            while len(memory) > keep:
                memory.evict()
                stored.evict()
            if second % 20 == 10:
                stored.close()
                stored = sash.Window(over, algorithm=algorithm, store=store, cache=1)
            assert len(stored) == len(memory)
            assert same(plain(stored.query()), plain(memory.query()), 1e-9, scale=100.0)
        entries = [(time, plain(result)) for time, result in memory.items()]
        assert [(time, plain(result)) for time, result in stored.items()] == entries
        stored.close()

    check()


@pytest.mark.parametrize("algorithm", ALGORITHMS)
def test_integers_become_floats_and_objects(algorithm: str) -> None:
    """A window that changes the kind of its values or times is written anew, and the old pages go."""
    store = sash.store.Memory()
    w: Any = sash.Window(sash.Collect(), algorithm=algorithm, store=store, page=4, cache=1)
    w.bulk_insert(range(100), range(100))
    w.commit()
    w.insert(100.5, 0.5)
    assert w.query() == [*range(100), 0.5]
    w.insert(101, "text")
    assert w.query() == [*range(100), 0.5, "text"]
    w.close()
    pages = len(store._boxes[b"window"].keys)
    w = sash.Window(sash.Collect(), algorithm=algorithm, store=store, cache=1)
    assert w.query() == [*range(100), 0.5, "text"]
    assert (w.oldest, w.youngest) == (0.0, 101.0)
    w.close()
    assert len(store._boxes[b"window"].keys) <= pages


@pytest.mark.parametrize("algorithm", ALGORITHMS)
def test_a_failing_combine_changes_nothing(algorithm: str) -> None:
    """An aggregation in Python raises half way through a batch: none of it is in, and the window goes on."""

    class Picky(sash.Aggregation):
        identity = ""

        def lift(self, value: str) -> str:
            return value

        def combine(self, older: str, newer: str) -> str:
            if "!" in newer:
                raise ArithmeticError("no shouting")
            return older + newer

        def lower(self, partial: str) -> str:
            return partial

    w: Any = sash.Window(Picky(), algorithm=algorithm, store=sash.store.Memory(), page=2, cache=1)
    w.bulk_insert(range(40), "abcdefghij" * 4)
    with pytest.raises(ArithmeticError):
        w.bulk_insert(range(40, 80), [*"abcdefghij" * 3, *"abc!efghij"])
    with pytest.raises(ArithmeticError):
        w.insert(40, "!")
    w.check_invariants()
    assert (len(w), w.query()) == (40, "abcdefghij" * 4)
    w.bulk_insert(range(40, 60), "x" * 20)
    w.bulk_evict(29)
    assert w.query() == "abcdefghij" + "x" * 20
    w.close()
