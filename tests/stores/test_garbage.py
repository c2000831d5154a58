"""Dead pages: none that a manifest refers to is ever given out for deletion."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from sash.store.manifest import Extents, Garbage

steps = st.lists(
    st.tuples(st.sampled_from(["put", "drop", "hole", "commit", "half", "delete", "fail"]), st.integers(1, 9)),
    max_size=60,
)


@given(steps=steps)
def test_pages_go_once_and_never_too_early(steps: list[tuple[str, int]]) -> None:
    """One level: pages are put at the end, dropped at the front and in the middle, committed now and then, and deleted
    behind. A commit may fail half way: then either manifest may be found."""
    garbage = Garbage({})
    high = 0
    live: set[int] = set()
    committed: set[int] = set()
    stored: set[int] = set()

    def extents() -> Extents:
        return {(0, 0): (min(live), high)} if live else {}

    def delete() -> None:
        for _, _, first, last in garbage.take():
            assert stored.issuperset(range(first, last))
            stored.difference_update(range(first, last))

    for step, count in steps:
        if step == "put":
            stored.update(range(high, high + count))
            live.update(range(high, high + count))
            high += count
        elif step in {"drop", "hole"} and live:
            dead = sorted(live)[count % len(live) :][:1] if step == "hole" else sorted(live)[:count]
            for page in dead:
                garbage.add(0, 0, page, page + 1)
            live.difference_update(dead)
        elif step in {"commit", "half"}:
            garbage.protect(extents())
            committed = committed | live
            if step == "commit":
                garbage.release(extents())
                committed = set(live)
        elif step == "delete":
            delete()
        elif step == "fail":
            garbage.restore(garbage.take())
        assert committed | live <= stored
    garbage.protect(extents())
    garbage.release(extents())
    delete()
    assert stored == live
