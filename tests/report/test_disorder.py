"""Disorder and bulks, counted against brute force."""

from __future__ import annotations

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from sash.report.disorder import flow, in_powers


@given(st.lists(st.integers(0, 30), min_size=1, max_size=40), st.integers(1, 12))
def test_flow_is_what_a_window_does(times: list[int], length: int) -> None:
    """After each event, the window holds what is newer than the newest time less its length."""
    held: list[int] = []
    sizes, evicted = [], []
    newest = -1
    for time in times:
        newest = max(newest, time)
        held.append(time)
        left = [one for one in held if one > newest - length]
        sizes.append(len(left))
        evicted.append(len(held) - len(left))
        held = left
    found = flow(np.array(times), length)
    assert (found.sizes.tolist(), found.evicted.tolist()) == (sizes, evicted)


@given(st.lists(st.integers(0, 2_000), max_size=50))
def test_every_value_is_in_its_bin(values: list[int]) -> None:
    """A bin holds the values from its power of two to the next."""
    found = in_powers(np.array(values, np.int64))
    for least, count in zip(found.least, found.counts, strict=True):
        end = 2 * least if least else 1
        assert count == sum(least <= value < end for value in values)
    assert sum(found.counts) == len(values)
