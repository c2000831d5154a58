"""What a window shows of its structure is what is there: every entry once, every aggregate that of its entries."""

from __future__ import annotations

import random
from collections.abc import Callable
from typing import Any

import pytest

import sash
from sash.algorithms import ALGORITHMS
from sash.drawing.structure import Node, Pointer, structure_of

#: Small nodes, so that few events make a tree of several levels.
OPTIONS: dict[str, dict[str, int]] = {"btree": {"min_arity": 2}, "fiba": {"min_arity": 2, "leaf": 3}}
Model = dict[int, Any]
NO_INVERSE = [name for name in ALGORITHMS if not ALGORITHMS[name].needs_inverse]


def check(window: sash.Window, model: Model, combined: Callable[[list[Any]], Any]) -> int:
    """Compare the structure with a model of the window; returns how many aggregates were there to compare."""
    structure = structure_of(window, brief=False)
    assert sorted(entry.time for entry in structure.entries()) == sorted(model)
    for entry in structure.entries():
        assert entry.value in ((), (model[entry.time],))
    kept = [aggregate for aggregate in structure.aggregates() if aggregate.value]
    for aggregate in kept:
        below = [model[time] for time in sorted(model) if aggregate.first <= time <= aggregate.last]
        assert aggregate.value == (combined(below),), aggregate
    return len(kept)


def walk(window: sash.Window, seed: int, value: Callable[[random.Random], Any]) -> Any:
    """Do this and that to a window, as its algorithm can, and yield a model of it after each step."""
    chance = random.Random(seed)
    can = ALGORITHMS[window.algorithm]
    model: Model = {}
    newest = 0
    for _ in range(70):
        what = chance.random()
        if what < 0.6 or not model:
            newest += chance.randint(0, 2)
            time = chance.randint(0, newest) if can.late else max([newest, *model])
            given = value(chance)
            window.insert(time, given)
            model[time] = model[time] + given if time in model else given
        elif what < 0.75:
            window.evict()
            del model[min(model)]
        elif what < 0.82:
            until = chance.choice(sorted(model)[:6])
            window.bulk_evict(until)
            model = {time: held for time, held in model.items() if time > until}
        elif what < 0.9 and can.evicts_anywhere:
            gone = chance.choice(sorted(model))
            window.evict(gone)
            del model[gone]
        else:
            window.query()
        yield model


@pytest.mark.parametrize("algorithm", NO_INVERSE)
def test_the_structure_is_what_brute_force_says(algorithm: str) -> None:
    """Over an aggregation that is not commutative, after every operation."""
    seen = 0
    for seed in range(6):
        window = sash.Window(sash.Concat(), algorithm=algorithm, **OPTIONS.get(algorithm, {}))
        for model in walk(window, seed, lambda chance: chance.choice("abcdefgh")):
            seen += check(window, model, "".join)
    assert seen or algorithm == "recalc"


@pytest.mark.parametrize("algorithm", ALGORITHMS)
def test_numbers_of_native_kernels(algorithm: str) -> None:
    """The kernels that are compiled for one aggregation describe themselves as the others do."""
    for seed in range(2):
        window = sash.Window(sash.Sum(), algorithm=algorithm, **OPTIONS.get(algorithm, {}))
        for model in walk(window, seed, lambda chance: chance.randint(-5, 5)):
            check(window, model, sum)


def test_records_and_aggregations_in_python() -> None:
    """A Composite lies in place under FiBA; one of a user's own is made of objects."""
    both = sash.Window(sash.Composite(n=sash.Count(), best=sash.Max()))
    longest = sash.Window(sash.aggregation(lift=len, combine=max, lower=lambda size: size, identity=0))
    for time, value in enumerate([3, 9, 4]):
        both.insert(time, value)
        longest.insert(time, "x" * value)
    assert [entry.value[0].best for entry in structure_of(both, brief=False).entries()] == [3, 9, 4]
    (back,) = structure_of(longest, brief=False).aggregates()
    assert (back.name, back.first, back.last, back.value) == ("back", 0, 2, (9,))


def test_fingers_point_at_the_first_and_the_last_leaf() -> None:
    """However the tree has grown and shrunk."""
    window = sash.Window(sash.Concat(), algorithm="fiba", **OPTIONS["fiba"])
    deepest = 0
    for model in walk(window, 3, lambda chance: chance.choice("xyz")):
        structure = structure_of(window, brief=False)
        leaves = [node for node in structure.walk() if isinstance(node, Node) and node.kind == "leaf"]
        pointed = [{item.name for item in leaf.items if isinstance(item, Pointer)} for leaf in leaves]
        if model:
            assert "left finger" in pointed[0]
            assert "right finger" in pointed[-1]
            assert sum(map(len, pointed)) == 2
        deepest = max(deepest, len(leaves))
    assert deepest > 4


def test_flatfat_shows_what_waits_for_a_query() -> None:
    """An insert combines nothing: the nodes above it have no value until somebody asks."""
    window = sash.Window(sash.Concat(), algorithm="flatfat")
    window.bulk_insert([1, 2, 3, 4], "abcd")
    window.query()
    assert {one.value for one in structure_of(window, brief=False).aggregates()} == {("ab",), ("cd",), ("abcd",)}
    window.evict()
    waiting = [one for one in structure_of(window, brief=False).aggregates() if not one.value]
    assert [(one.name, one.first, one.last) for one in waiting] == [("waits", 2, 4), ("waits", 2, 2)]


def test_a_result_that_is_an_error_is_left_out() -> None:
    """A sum beyond 64 bits is an error when it is asked for; a picture shows the rest."""
    window = sash.Window(sash.Sum(), algorithm="daba")
    window.bulk_insert([1, 2, 3], [2**62, 2**62, 1])
    values = {(one.first, one.last): one.value for one in structure_of(window, brief=False).aggregates()}
    assert () in values.values()
    assert [entry.value for entry in structure_of(window, brief=False).entries()] == [(2**62,), (2**62,), (1,)]


@pytest.mark.parametrize("algorithm", ALGORITHMS)
def test_a_brief_description_is_short_and_counts_what_it_leaves_out(algorithm: str) -> None:
    """What is shown and what is left out is all of the window, and what is shown does not grow with it."""
    window = sash.Window(sash.Sum(), algorithm=algorithm)
    window.bulk_insert(range(20_000), [1] * 20_000)
    if algorithm not in ("fiba", "btree"):
        window.evict()
    structure = structure_of(window, brief=True)
    assert len(structure.entries()) + structure.omitted() == len(window)
    assert len(list(structure.walk())) < 200
