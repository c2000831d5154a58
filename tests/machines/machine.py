"""The state machine: one window of any algorithm beside brute force, compared after every single step."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from itertools import accumulate
from operator import itemgetter
from typing import Any, ClassVar

import pytest
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, precondition, rule

import sash

#: Steps taken by each machine, by its name: the suite checks that they are enough.
STEPS: Counter[str] = Counter()

#: Sizes that windows go through: nothing, one, two, powers of two and their neighbours.
SIZES = [0, 1, 2, 3, 4, 5, 7, 8, 9, 15, 16, 17, 31, 32, 33, 63, 64, 65]

#: What is aggregated, a value for each seed, and the result straight from all values in order. Non-commutative and
#: non-invertible ones first: they catch what sums hide.
VALUES: dict[str, tuple[Callable[[], sash.Aggregation], Callable[[int], Any], Callable[[list[Any]], Any]]] = {
    "concat": (sash.Concat, lambda seed: chr(97 + seed % 26), lambda values: "".join(values) if values else None),
    "arg_max": (
        sash.ArgMax,
        lambda seed: (seed % 4, seed),
        lambda values: max(values, key=itemgetter(0))[1] if values else None,
    ),
    "first": (sash.First, lambda seed: seed, lambda values: values[0] if values else None),
    "max_count": (sash.MaxCount, lambda seed: seed % 3, lambda values: values.count(max(values, default=None))),
    "int_sum": (sash.Sum, lambda seed: seed % 1000 - 500, sum),
    "float_sum": (sash.Sum, lambda seed: (seed % 1000) / 7.0, sum),
}

EPOCH = datetime(2026, 3, 29, tzinfo=UTC)

#: Integers, floats that are negative and fractional, and datetimes: from a count of ticks.
CLOCKS: dict[str, Callable[[int], Any]] = {
    "int": lambda ticks: ticks,
    "float": lambda ticks: ticks / 4 - 100.5,
    "datetime": lambda ticks: EPOCH + timedelta(minutes=ticks),
}


class Model:
    """Brute force: every value under its time, and the result computed from them directly."""

    def __init__(self, aggregate: Callable[[list[Any]], Any]) -> None:
        self.aggregate = aggregate
        self.values: dict[int, list[Any]] = {}

    def __len__(self) -> int:
        return len(self.values)

    def insert(self, ticks: int, value: Any) -> None:
        self.values.setdefault(ticks, []).append(value)

    def evict(self, ticks: int) -> bool:
        return self.values.pop(ticks, None) is not None

    def bulk_evict(self, ticks: int) -> None:
        self.values = {kept: values for kept, values in self.values.items() if kept > ticks}

    def query(self, start: float = -math.inf, end: float = math.inf) -> Any:
        inside = (ticks for ticks in sorted(self.values) if start <= ticks <= end)
        return self.aggregate([value for ticks in inside for value in self.values[ticks]])


def same(left: Any, right: Any) -> bool:
    """Equal, or as near as two ways of adding floats come."""
    if isinstance(left, float) and isinstance(right, float):
        return math.isclose(left, right, rel_tol=1e-9, abs_tol=1e-9)
    return bool(left == right)


class InOrder(RuleBasedStateMachine):
    """What every algorithm can do, by events whose times do not decrease."""

    algorithm: ClassVar[str]
    options: ClassVar[dict[str, int]] = {}
    name: ClassVar[str]

    @initialize(aggregation=st.sampled_from(sorted(VALUES)), clock=st.sampled_from(sorted(CLOCKS)))
    def start(self, aggregation: str, clock: str) -> None:
        if self.algorithm == "subtract_on_evict":
            aggregation = "int_sum"
        make, self.value, aggregate = VALUES[aggregation]
        self.clock = CLOCKS[clock]
        self.window = sash.Window(make(), algorithm=self.algorithm, **self.options)
        self.model = Model(aggregate)
        self.now = 0
        self.seed = 0
        self.agree()

    def agree(self) -> None:
        STEPS[self.name] += 1
        self.window.check_invariants()
        assert len(self.window) == len(self.model)
        assert same(self.window.query(), self.model.query())
        if len(self.model):
            ends = self.clock(min(self.model.values)), self.clock(max(self.model.values))
            assert (self.window.oldest, self.window.youngest) == ends

    def next_value(self) -> Any:
        self.seed = (self.seed * 31 + 17) % 10007
        return self.value(self.seed)

    def insert(self, ticks: int) -> None:
        value = self.next_value()
        self.window.insert(self.clock(ticks), value)
        self.model.insert(ticks, value)
        self.now = max(self.now, ticks)
        self.agree()

    def insert_all(self, ticks: list[int]) -> None:
        values = [self.next_value() for _ in ticks]
        self.window.bulk_insert([self.clock(t) for t in ticks], values)
        for t, value in zip(ticks, values, strict=True):
            self.model.insert(t, value)
        self.now = max([self.now, *ticks])
        self.agree()

    def evict(self) -> None:
        self.window.evict()
        self.model.evict(min(self.model.values))
        self.agree()

    @rule(gaps=st.lists(st.integers(0, 3), min_size=1, max_size=12))
    def insert_some(self, gaps: list[int]) -> None:
        """A gap of nothing is an equal time: it combines into the youngest."""
        for gap in gaps:
            self.insert(self.now + gap)

    @rule(size=st.sampled_from(SIZES))
    def go_to_size(self, size: int) -> None:
        while len(self.model) < size:
            self.insert(self.now + 1)
        while len(self.model) > size:
            self.evict()

    @rule(rounds=st.integers(1, 24))
    def slide(self, rounds: int) -> None:
        for _ in range(rounds):
            self.insert(self.now + 1)
            self.evict()

    @rule(gaps=st.lists(st.integers(0, 2), max_size=70))
    def bulk_insert(self, gaps: list[int]) -> None:
        self.insert_all([self.now + total for total in accumulate(gaps)])

    @rule(back=st.integers(-2, 80))
    def bulk_evict(self, back: int) -> None:
        self.window.bulk_evict(self.clock(self.now - back))
        self.model.bulk_evict(self.now - back)
        self.agree()

    @precondition(lambda self: not len(self.model))
    @rule()
    def evict_from_nothing(self) -> None:
        with pytest.raises(sash.EmptyWindowError):
            self.window.evict()
        self.agree()

    @rule()
    def snapshot_and_restore(self) -> None:
        blob = self.window.snapshot()
        self.window = sash.Window.restore(blob)
        assert self.window.snapshot() == blob
        self.agree()

    @rule()
    def go_on_with_a_copy(self) -> None:
        self.window = self.window.copy()
        self.agree()

    @precondition(lambda self: sash.algorithms.ALGORITHMS[self.algorithm].lists)
    @rule()
    def list_the_events(self) -> None:
        for (time, result), ticks in zip(self.window.items(), sorted(self.model.values), strict=True):
            assert time == self.clock(ticks)
            assert same(result, self.model.query(ticks, ticks))


class StrictOrder(InOrder):
    """Algorithms that refuse late events: a refusal changes nothing."""

    @precondition(lambda self: len(self.model))
    @rule(late=st.integers(1, 50))
    def refuse_a_late_event(self, late: int) -> None:
        with pytest.raises(sash.OutOfOrderError):
            self.window.insert(self.clock(self.now - late), self.next_value())
        with pytest.raises(sash.OutOfOrderError):
            self.window.bulk_insert([self.clock(self.now + 1), self.clock(self.now - late)], [self.next_value()] * 2)
        self.agree()


class EvictsAnywhere(InOrder):
    """Evictions at any time, there or not, and range queries at every kind of boundary."""

    @rule(backs=st.lists(st.integers(-1, 70), min_size=1, max_size=6))
    def evict_at(self, backs: list[int]) -> None:
        for back in backs:
            assert self.window.evict(self.clock(self.now - back)) == self.model.evict(self.now - back)
            self.agree()

    @rule(start=st.none() | st.integers(-3, 80), end=st.none() | st.integers(-3, 80))
    def query_a_range(self, start: int | None, end: int | None) -> None:
        low, high = (None if back is None else self.now - back for back in (start, end))
        found = self.window.query(*(None if bound is None else self.clock(bound) for bound in (low, high)))
        assert same(found, self.model.query(-math.inf if low is None else low, math.inf if high is None else high))


class AnyOrder(EvictsAnywhere):
    """Late events, one by one and in batches that overlap what is there in every way."""

    @rule(backs=st.lists(st.integers(0, 90), min_size=1, max_size=10))
    def insert_late(self, backs: list[int]) -> None:
        for back in backs:
            self.insert(self.now - back)

    @rule(
        backs=st.lists(st.integers(-20, 90), max_size=40),
        size=st.sampled_from([0, 0, 0, 1, 2, 15, 16, 17, 63, 64, 65, 1000, 2500]),
        spread=st.integers(1, 4),
        ordered=st.booleans(),
    )
    def bulk_insert_anywhere(self, backs: list[int], size: int, spread: int, ordered: bool) -> None:
        ticks = [self.now - back for back in backs] + [self.now - 80 + i * spread for i in range(size)]
        if ordered:
            ticks.sort()
        self.insert_all(ticks)
        if len(self.model) > 200:
            self.bulk_evict(100)

    @rule(backs=st.lists(st.integers(-5, 60), max_size=30))
    def merge_another(self, backs: list[int]) -> None:
        ticks = sorted({self.now - back for back in backs})
        times, values = [self.clock(t) for t in ticks], [self.next_value() for _ in ticks]
        other = sash.Window(self.window.aggregation, algorithm=self.algorithm)
        other.bulk_insert(times, values)
        self.window.merge(other)
        for t, value in zip(ticks, values, strict=True):
            self.model.insert(t, value)
        self.now = max([self.now, *ticks])
        self.agree()


def machine_for(algorithm: str, suffix: str = "", **options: int) -> type[InOrder]:
    """The machine that asks of an algorithm all it declares."""
    ability = sash.algorithms.ALGORITHMS[algorithm]
    base: type[InOrder] = StrictOrder
    if ability.late:
        base = AnyOrder
    elif ability.evicts_anywhere:
        base = type("StrictAnywhere", (StrictOrder, EvictsAnywhere), {})
    name = algorithm + suffix
    return type(f"Machine_{name}", (base,), {"algorithm": algorithm, "options": options, "name": name})
