"""Windows over a store against brute force, driven by Hypothesis: late commits, crashes, tiny pages and caches."""

from __future__ import annotations

import copy
from typing import Any

import pytest
from hypothesis import HealthCheck, settings
from hypothesis import strategies as st
from hypothesis.stateful import initialize, invariant, precondition, rule, run_state_machine_as_test
from machines.machine import CLOCKS, STEPS, VALUES, AnyOrder, InOrder, Model, StrictOrder

import sash
import sash.store
from sash.store import StoredWindow
from sash.store.window import ALGORITHMS


class Stored(InOrder):
    """The machine of the windows in memory, with a store beneath and a model of what was committed last."""

    store: sash.store.Store

    @initialize(
        aggregation=st.sampled_from(sorted(VALUES)),
        clock=st.sampled_from(sorted(CLOCKS)),
        page=st.sampled_from([2, 2, 4, 8, 64, 512]),
        cache=st.integers(1, 5),
        buffer=st.sampled_from([0, 100, 2**23]),
    )
    def start_stored(self, aggregation: str, clock: str, page: int, cache: int, buffer: int) -> None:
        self.store = sash.store.Memory()
        self.make, self.value, answer = VALUES[aggregation]
        self.clock = CLOCKS[clock]
        self.sizes = {"cache": cache, "buffer": buffer}
        self.window: Any = self.opened(page=page)
        self.model = self.committed = Model(answer)
        self.committed = copy.deepcopy(self.model)
        self.now = self.seed = 0
        self.agree()

    start = None  # the window in memory

    def opened(self, **options: int) -> sash.Window:
        return sash.Window(self.make(), algorithm=self.algorithm, store=self.store, **self.sizes, **options)

    @rule()
    def commit(self) -> None:
        self.window.commit()
        self.committed = copy.deepcopy(self.model)
        self.agree()

    @rule()
    def crash(self) -> None:
        """All that was not committed is gone, and nothing else."""
        self.window.close(commit=False)
        self.window = self.opened()
        self.model = copy.deepcopy(self.committed)
        self.now = max(self.model.values, default=self.now)
        self.agree()

    @rule()
    def close_and_open(self) -> None:
        self.window.close()
        self.window = self.opened()
        self.committed = copy.deepcopy(self.model)
        self.agree()

    @rule()
    def snapshot_and_restore(self) -> None:
        """The bytes are those of a window in memory that has seen the same."""
        restored = sash.Window.restore(self.window.snapshot())
        assert not isinstance(restored, StoredWindow)
        assert same_entries(restored, self.window)

    @rule()
    def go_on_with_a_copy(self) -> None:
        assert same_entries(self.window.copy(), self.window)

    @precondition(lambda self: len(self.model))
    @rule(share=st.integers(0, 100))
    def evict_by_policy(self, share: int) -> None:
        """The policy looks at how many events the prefix has."""
        condemned = len(self.model) * share // 100
        if not isinstance(self.window.aggregation, sash.Concat):
            return
        ticks = sorted(self.model.values)
        sizes = [len(self.model.values[tick]) for tick in ticks]
        most = sum(sizes[:condemned])
        self.window.evict_while(lambda total, prefix: len(prefix) <= most)
        for tick in ticks[:condemned]:
            self.model.evict(tick)
        self.agree()

    @invariant()
    def counts_are_plausible(self) -> None:
        metrics = self.window.metrics
        assert 0 <= metrics.misses <= metrics.reads
        assert metrics.pages_local >= 1

    def teardown(self) -> None:
        self.window.close(commit=False)


def same_entries(one: sash.Window, other: sash.Window) -> bool:
    return list(one.items()) == list(other.items())


class StoredInOrder(Stored, StrictOrder):
    """Those that refuse late events."""


def machine_of(algorithm: str, suffix: str = "") -> type[Stored]:
    late = sash.algorithms.ALGORITHMS[algorithm].late
    bases: tuple[type, ...] = (Stored, AnyOrder) if late else (StoredInOrder,)
    name = f"stored_{algorithm}{suffix}"
    return type(f"Machine_{name}", bases, {"algorithm": algorithm, "name": name})


def run(machine: type[Stored], stories: int, steps: int) -> None:
    run_state_machine_as_test(
        machine,
        settings=settings(
            max_examples=stories, stateful_step_count=40, deadline=None, suppress_health_check=list(HealthCheck)
        ),
    )
    assert STEPS[machine.name] >= steps


@pytest.mark.parametrize("algorithm", ALGORITHMS)
def test_a_window_over_a_store_agrees_with_brute_force(algorithm: str) -> None:
    """Thousands of single steps, each compared and checked, with crashes among them."""
    run(machine_of(algorithm), stories=60, steps=3_000)


@pytest.mark.slow
@pytest.mark.parametrize("algorithm", ALGORITHMS)
def test_a_window_over_a_store_agrees_with_brute_force_at_length(algorithm: str) -> None:
    """The same for many more."""
    run(machine_of(algorithm, "_long"), stories=1_500, steps=75_000)
