"""Dead pages: none that a manifest refers to is ever given out for deletion."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from sash.store.manifest import Garbage

steps = st.lists(
    st.tuples(st.sampled_from(["put", "drop", "commit", "delete", "fail"]), st.integers(1, 9)), max_size=60
)


@given(steps=steps)
def test_pages_go_once_and_never_too_early(steps: list[tuple[str, int]]) -> None:
    """One level: pages are put at the end, dropped at the front, committed now and then, and deleted behind."""
    garbage = Garbage({})
    low = high = 0
    committed: set[int] = set()
    stored: set[int] = set()
    for step, count in steps:
        if step == "put":
            stored.update(range(high, high + count))
            high += count
        elif step == "drop" and low < high:
            last = min(low + count, high)
            garbage.add(0, 0, low, last)
            low = last
        elif step == "commit":
            garbage.protect({(0, 0): (low, high)})
            committed = set(range(low, high))
            garbage.release({(0, 0): (low, high)})
        elif step in {"delete", "fail"}:
            spans = garbage.take()
            if step == "fail":
                garbage.restore(spans)
                continue
            for _, _, first, last in spans:
                stored.difference_update(range(first, last))
        assert committed <= stored
        assert set(range(low, high)) <= stored
    garbage.release({(0, 0): (low, high)})
    for _, _, first, last in garbage.take():
        stored.difference_update(range(first, last))
    assert stored == set(range(low, high))
