"""Every algorithm against brute force, driven by Hypothesis, with all invariants checked after each step."""

from __future__ import annotations

import pytest
from hypothesis import HealthCheck, settings
from hypothesis.stateful import run_state_machine_as_test

import sash

from .machine import STEPS, machine_for

#: (machine's name suffix, options): small nodes make tall trees.
FIBA = [("_2", {"min_arity": 2}), ("_4", {"min_arity": 4}), ("_8", {"min_arity": 8}), ("", {})]


def run(machine: type, stories: int, steps: int) -> None:
    """Tells so many stories; they must come to at least so many single steps."""
    run_state_machine_as_test(
        machine,
        settings=settings(
            max_examples=stories, stateful_step_count=40, deadline=None, suppress_health_check=list(HealthCheck)
        ),
    )
    assert STEPS[machine.name] >= steps


@pytest.mark.parametrize("algorithm", [name for name in sash.algorithms.ALGORITHMS if name != "fiba"])
def test_each_algorithm_agrees_with_brute_force(algorithm):
    """At least 10,000 single steps, each compared and checked."""
    run(machine_for(algorithm), stories=100, steps=10_000)


@pytest.mark.parametrize(("suffix", "options"), FIBA)
def test_fiba_agrees_with_brute_force(suffix, options):
    """At least 50,000 steps over four node sizes, late events, inner evictions and batches among them."""
    run(machine_for("fiba", suffix, **options), stories=140, steps=12_500)


@pytest.mark.slow
@pytest.mark.parametrize(("suffix", "options"), [*FIBA, ("_3_5", {"min_arity": 3, "leaf": 5}), ("_2_2", {"leaf": 2})])
def test_fiba_agrees_with_brute_force_at_length(suffix, options):
    """The same for a quarter of a million steps each."""
    run(machine_for("fiba", suffix + "_long", **options), stories=2_800, steps=250_000)
