"""What a callback may do with its operator while a call runs: nothing that the call would not know of."""

import pytest

import sash

CALLS = {
    "push": lambda s: s.push(100, "x"),
    "push_many": lambda s: s.push_many([100], ["x"]),
    "advance": lambda s: s.advance(100),
    "finish": lambda s: s.finish(),
    "query": lambda s: s.query(),
    "results": lambda s: s.results,
    "snapshot": lambda s: s.snapshot(),
}


@pytest.mark.parametrize("emit", ["arrival", "final", "update"])
@pytest.mark.parametrize("call", CALLS)
@pytest.mark.parametrize("batch", [[(3, "late")], [(21, "a"), (3, "late"), (22, "b")]], ids=["one", "many"])
@pytest.mark.parametrize("many", [False, True])
def test_a_callback_of_late_events_cannot_come_in_between(emit, call, batch, many):
    """It is refused, the call that it came from fails, and the operator is as if neither had been made."""
    s = sash.Sliding(sash.Concat(), sash.TimeWindow(10), emit=emit, lateness=5, on_late=lambda _: CALLS[call](s))
    s.push(20, "first")
    good, late = [event for event in batch if event[1] != "late"], (3, "late")
    with pytest.raises(RuntimeError, match="in use, by another thread or by a callback"):
        s.push_many(*zip(*batch, strict=True)) if many else s.push(*late)
    assert s.late_counts == {"watermark": 0, "finished": 0}
    assert s.watermark == 15
    twin = sash.Sliding(sash.Concat(), sash.TimeWindow(10), emit=emit, lateness=5)
    twin.push(20, "first")
    for event in good:
        assert s.push(*event) == twin.push(*event)
    assert s.finish() == twin.finish()


def test_a_callback_that_collects_loses_nothing():
    """What may be done with late events: keep them, and push them elsewhere."""
    late = []
    s = sash.Sliding(sash.Concat(), sash.TimeWindow(10), lateness=5, on_late=late.append)
    results = s.push_many([20, 21, 3, 22], ["a", "b", "late", "c"])
    assert [result.value for result in results] == ["a", "ab", "abc"]
    assert [event.value for event in late] == ["late"]
