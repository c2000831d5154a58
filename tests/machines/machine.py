"""The state machine: one window of any algorithm beside brute force, compared after every single step."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from itertools import accumulate
from typing import Any, ClassVar

import pytest
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, precondition, rule

import sash
from sash.testing import Oracle

#: Steps taken by each machine, by its name: the suite checks that they are enough.
STEPS: Counter[str] = Counter()

#: Sizes that windows go through: nothing, one, two, powers of two and their neighbours.
SIZES = [0, 1, 2, 3, 4, 5, 7, 8, 9, 15, 16, 17, 31, 32, 33, 63, 64, 65]

#: Non-commutative and non-invertible ones first: they catch what sums hide.
VALUES: dict[str, tuple[Callable[[], sash.Aggregation], Callable[[int], Any]]] = {
    "concat": (sash.Concat, lambda seed: chr(97 + seed % 26)),
    "arg_max": (sash.ArgMax, lambda seed: (seed % 4, seed)),
    "first": (sash.First, lambda seed: seed),
    "max_count": (sash.MaxCount, lambda seed: seed % 3),
    "int_sum": (sash.Sum, lambda seed: seed % 1000 - 500),
    "float_sum": (sash.Sum, lambda seed: (seed % 1000) / 7.0),
}

EPOCH = datetime(2026, 3, 29, tzinfo=UTC)

#: Integers, floats that are negative and fractional, and datetimes: from a count of ticks.
CLOCKS: dict[str, Callable[[int], Any]] = {
    "int": lambda ticks: ticks,
    "float": lambda ticks: ticks / 4 - 100.5,
    "datetime": lambda ticks: EPOCH + timedelta(minutes=ticks),
}


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
        make, self.value = VALUES[aggregation]
        if self.algorithm == "subtract_on_evict":
            make, self.value = VALUES["int_sum"]
        self.clock = CLOCKS[clock]
        self.window = sash.Window(make(), algorithm=self.algorithm, **self.options)
        self.oracle = Oracle(make())
        self.now = 0
        self.seed = 0
        self.agree()

    def agree(self) -> None:
        STEPS[self.name] += 1
        self.window.check_invariants()
        assert len(self.window) == len(self.oracle)
        assert same(self.window.query(), self.oracle.query())
        if len(self.oracle):
            assert (self.window.oldest, self.window.youngest) == (self.oracle.oldest, self.oracle.youngest)

    def next_value(self) -> Any:
        self.seed = (self.seed * 31 + 17) % 10007
        return self.value(self.seed)

    def insert(self, ticks: int) -> None:
        value = self.next_value()
        for window in (self.window, self.oracle):
            window.insert(self.clock(ticks), value)
        self.now = max(self.now, ticks)
        self.agree()

    def evict(self) -> None:
        for window in (self.window, self.oracle):
            window.evict()
        self.agree()

    @rule(gaps=st.lists(st.integers(0, 3), min_size=1, max_size=12))
    def insert_some(self, gaps: list[int]) -> None:
        """A gap of nothing is an equal time: it combines into the youngest."""
        for gap in gaps:
            self.insert(self.now + gap)

    @rule(size=st.sampled_from(SIZES))
    def go_to_size(self, size: int) -> None:
        while len(self.oracle) < size:
            self.insert(self.now + 1)
        while len(self.oracle) > size:
            self.evict()

    @rule(rounds=st.integers(1, 24))
    def slide(self, rounds: int) -> None:
        for _ in range(rounds):
            self.insert(self.now + 1)
            self.evict()

    @rule(gaps=st.lists(st.integers(0, 2), max_size=70))
    def bulk_insert(self, gaps: list[int]) -> None:
        ticks = [self.now + total for total in accumulate(gaps)]
        self.now = max([self.now, *ticks])
        times, values = [self.clock(t) for t in ticks], [self.next_value() for _ in ticks]
        for window in (self.window, self.oracle):
            window.bulk_insert(times, values)
        self.agree()

    @rule(back=st.integers(-2, 80))
    def bulk_evict(self, back: int) -> None:
        for window in (self.window, self.oracle):
            window.bulk_evict(self.clock(self.now - back))
        self.agree()

    @precondition(lambda self: not len(self.oracle))
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

    @precondition(lambda self: sash.ALGORITHMS[self.algorithm].lists)
    @rule()
    def list_the_events(self) -> None:
        pairs = zip(self.window.items(), self.oracle.items(), strict=True)
        assert all(a[0] == b[0] and same(a[1], b[1]) for a, b in pairs)


class StrictOrder(InOrder):
    """Algorithms that refuse late events: a refusal changes nothing."""

    @precondition(lambda self: len(self.oracle))
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
            time = self.clock(self.now - back)
            assert self.window.evict(time) == self.oracle.evict(time)
            self.agree()

    @rule(start=st.none() | st.integers(-3, 80), end=st.none() | st.integers(-3, 80))
    def query_a_range(self, start: int | None, end: int | None) -> None:
        bounds = [None if back is None else self.clock(self.now - back) for back in (start, end)]
        assert same(self.window.query(*bounds), self.oracle.query(*bounds))


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
        times, values = [self.clock(t) for t in ticks], [self.next_value() for _ in ticks]
        for window in (self.window, self.oracle):
            window.bulk_insert(times, values)
        self.now = max([self.now, *ticks])
        self.agree()

    @rule(backs=st.lists(st.integers(-5, 60), max_size=30))
    def merge_another(self, backs: list[int]) -> None:
        ticks = sorted({self.now - back for back in backs})
        times, values = [self.clock(t) for t in ticks], [self.next_value() for _ in ticks]
        other = sash.Window(self.window.aggregation, algorithm=self.algorithm)
        other.bulk_insert(times, values)
        self.window.merge(other)
        self.oracle.bulk_insert(times, values)
        self.now = max([self.now, *ticks])
        self.agree()


def machine_for(algorithm: str, suffix: str = "", **options: int) -> type[InOrder]:
    """The machine that asks of an algorithm all it declares."""
    ability = sash.ALGORITHMS[algorithm]
    base: type[InOrder] = StrictOrder
    if ability.late:
        base = AnyOrder
    elif ability.evicts_anywhere:
        base = type("StrictAnywhere", (StrictOrder, EvictsAnywhere), {})
    name = algorithm + suffix
    return type(f"Machine_{name}", (base,), {"algorithm": algorithm, "options": options, "name": name})
