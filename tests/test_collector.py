"""Values may refer back to the window that holds them: Python's garbage collector sees the cycle and takes it apart."""

import gc
import weakref
from collections.abc import Callable
from typing import Any

import pytest

import sash
from sash.algorithms import ALGORITHMS


class Thing:
    """A value that can refer to what holds it, and be watched."""

    def __init__(self) -> None:
        self.holder: Any = None


class Chain(sash.Aggregation):
    """All values of the window, in order: every partial, own or combined, refers to its values."""

    identity = ()

    def lift(self, value: Thing) -> tuple[Thing, ...]:
        return (value,)

    def combine(self, older: tuple[Thing, ...], newer: tuple[Thing, ...]) -> tuple[Thing, ...]:
        return older + newer

    def lower(self, partial: tuple[Thing, ...]) -> tuple[Thing, ...]:
        return partial

    def inverse(self, whole: tuple[Thing, ...], older: tuple[Thing, ...]) -> tuple[Thing, ...]:
        return whole[len(older) :]


def survivors(fill: Callable[[list[Thing]], Any]) -> int:
    """How many of some values are alive when they and what holds them refer to each other, and nobody to them."""
    things = [Thing() for _ in range(200)]
    watched = [weakref.ref(thing) for thing in things]
    holder = fill(things)
    for thing in things:
        thing.holder = holder
    del things, thing, holder
    gc.collect()
    return sum(reference() is not None for reference in watched)


@pytest.mark.parametrize("algorithm", sorted(ALGORITHMS))
def test_values_that_refer_to_their_window_are_collected(algorithm: str) -> None:
    """Entries, aggregates, caches and what waits to be freed: none is overlooked, in no algorithm."""

    def fill(things: list[Thing]) -> sash.Window:
        window = sash.Window(Chain(), algorithm=algorithm)
        for time, thing in enumerate(things):
            window.insert(time, thing)
            if time % 3 == 0:
                window.query()
                window.evict()
        window.bulk_evict(100)
        assert len(window.query()) == 99
        return window

    assert survivors(fill) == 0


def test_late_inserts_range_queries_and_bulk_operations_leave_nothing_unseen() -> None:
    """What FiBA keeps beside its nodes: suffixes, hands, room for merging."""

    def fill(things: list[Thing]) -> sash.Window:
        window = sash.Window(Chain())
        window.bulk_insert(range(0, 200, 2), things[:100])
        for place, thing in enumerate(things[100:]):
            window.insert(2 * place + 1, thing)
            window.query(place, 2 * place)
        window.bulk_evict(20)
        window.evict(51)
        return window

    assert survivors(fill) == 0


@pytest.mark.parametrize("aggregation", [sash.Last(), sash.First(), sash.Collect()])
def test_values_that_native_aggregations_keep_are_collected(aggregation: sash.Aggregation) -> None:
    def fill(things: list[Thing]) -> sash.Window:
        window = sash.Window(aggregation)
        for time, thing in enumerate(things):
            window.insert(time, thing)
        return window

    assert survivors(fill) == 0


def test_a_copy_keeps_its_values_when_the_first_is_collected() -> None:
    """Each owns references of its own."""
    things = [Thing() for _ in range(50)]
    window = sash.Window(Chain())
    for time, thing in enumerate(things):
        window.insert(time, thing)
    copy = window.copy()
    cycle = [window]
    cycle.append(cycle)
    del window, cycle
    gc.collect()
    assert copy.query() == tuple(things)
    copy.insert(50, things[0])
    assert len(copy.query()) == 51


@pytest.mark.parametrize("emit", ["arrival", "final", "update"])
@pytest.mark.parametrize("keyed", [False, True])
def test_values_that_refer_to_their_operator_are_collected(emit: str, keyed: bool) -> None:
    """Partials of every key, and results that may be revised."""

    def fill(things: list[Thing]) -> sash.Sliding:
        by = {"by": True} if keyed else {}
        operator = sash.Sliding(Chain(), sash.TimeWindow(40), emit=emit, lateness=10, **by)
        for time, thing in enumerate(things):
            keys = (time % 3,) if keyed else ()
            operator.push(*keys, time - 5 * (time % 7 == 0), thing)
        return operator

    assert survivors(fill) == 0


def test_functions_that_refer_to_their_operator_are_collected() -> None:
    """A programmable window, and a trigger, may be closures over the operator."""

    def fill(things: list[Thing]) -> sash.Sliding:
        made: list[sash.Sliding] = []

        def evict_when(total: int, old: int) -> bool:
            return bool(made) and total - old >= 5 and things is not None

        operator = sash.Sliding(sash.Count(), sash.PolicyWindow(evict_when, over=sash.Count()))
        made.append(operator)
        for time, thing in enumerate(things):
            operator.push(time, thing)
        return operator

    assert survivors(fill) == 0


def test_results_that_refer_to_their_operator_are_collected() -> None:
    def fill(things: list[Thing]) -> Any:
        operator = sash.Sliding(Chain(), sash.TimeWindow(40))
        return operator.push_many(range(len(things)), things)

    assert survivors(fill) == 0


def test_a_collection_in_the_midst_of_a_call_is_harmless() -> None:
    """The structures are not in order then, and are left alone."""

    class Collecting(Chain):
        def combine(self, older: tuple[Thing, ...], newer: tuple[Thing, ...]) -> tuple[Thing, ...]:
            gc.collect(0)
            return older + newer

    things = [Thing() for _ in range(60)]
    for algorithm in sorted(ALGORITHMS):
        window = sash.Window(Collecting(), algorithm=algorithm)
        for time, thing in enumerate(things):
            window.insert(time, thing)
        assert window.query() == tuple(things)
    operator = sash.Sliding(Collecting(), sash.TimeWindow(100))
    for time, thing in enumerate(things):
        emitted = operator.push(time, thing)
    assert emitted[0].value == tuple(things)
