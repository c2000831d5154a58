"""Events that cannot be computed on: an error names them, or they go the way of late ones and nothing else changes."""

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

import sash
from sash.triggers import AtWatermark

LARGE = 2**62
FRAME = {"card": ["a", "b", "a", "b"], "time": [1, 2, 3, 4], "km": [5, "far", 7, 8], "shop": ["x", "y", 3, "z"]}


def operator(aggregation=None, **options):
    over = sash.Composite(km=sash.Sum("km"), shops=sash.Concat("shop")) if aggregation is None else aggregation
    return sash.Sliding(over, sash.TimeWindow(10), by="card", on="time", **options)


def rows():
    return [dict(zip(FRAME, row, strict=True)) for row in zip(*FRAME.values(), strict=True)]


def test_an_error_names_the_event_the_column_the_value_and_the_rule():
    """Of many events the first that cannot be computed on; and nothing has changed."""
    s = operator()
    with pytest.raises(TypeError, match=r"the event at 2 of 'b': column 'km': a number is needed .*'far'"):
        s.push_many(FRAME)
    assert s.keys == []


@pytest.mark.parametrize(
    "make",
    [
        lambda frame: frame,
        lambda frame: pd.DataFrame(frame),
        lambda frame: {name: np.array(column, object) for name, column in frame.items()},
        lambda frame: {name: pd.Series(column, index=range(10, 14)) for name, column in frame.items()},
    ],
    ids=["lists", "frame", "arrays", "series"],
)
def test_the_others_of_a_batch_are_taken_in(make):
    """What is kept says which event, which column and why; the results are those of the rest alone."""
    s, rest = operator(on_error="keep"), operator()
    good = [0, 3]
    results = s.push_many(make(FRAME))
    assert results == rest.push_many({name: [column[place] for place in good] for name, column in FRAME.items()})
    assert [(event.key, event.time, event.value["km"]) for event in s.failed] == [("b", 2, "far"), ("a", 3, 7)]
    assert s.failed[0].error.startswith("TypeError: column 'km': a number is needed")
    assert s.failed[1].error.startswith("TypeError: column 'shop': a text is needed")
    assert s.finish() == rest.finish()


def test_one_by_one():
    """An event that fails has no result, and the next one goes on."""
    s = operator(on_error="keep")
    assert [len(s.push(row)) for row in rows()] == [1, 0, 0, 1]
    assert [event.time for event in s.failed] == [2, 3]


@pytest.mark.parametrize("emit", ["arrival", "update"])
def test_a_result_that_does_not_fit_stops_no_stream(emit):
    """The event whose window overflows is refused; later windows without it are exact."""
    s = sash.Sliding(sash.Sum(), sash.TimeWindow(2), emit=emit, on_error="keep", lateness=0)
    results = s.push_many([1, 2, 3, 10, 11], [5, LARGE, LARGE, 5, 6])
    assert [event.time for event in s.failed] == [3]
    assert s.failed[0].error.startswith("OverflowError")
    assert results.values.tolist() == [5, LARGE + 5, 5, 11]


@pytest.mark.parametrize("bad", [None, "noon", float("nan"), pd.NaT], ids=repr)
def test_a_time_that_is_none(bad):
    """Is the fault of its event, too."""
    s = sash.Sliding(sash.Sum(), sash.TimeWindow(10), on_error="keep")
    assert s.push_many([1, bad, 3], [1, 2, 4]).values.tolist() == [1, 5]
    assert s.push(bad, 8) == []
    assert [event.value for event in s.failed] == [2, 8]


def test_a_key_that_is_none():
    """Is the fault of its event, too."""
    s = sash.Sliding(sash.Sum(), sash.TimeWindow(10), by=True, on_error="keep")
    assert s.push_many(["a", ["b"], "a"], [1, 2, 3], [1, 2, 4]).values.tolist() == [1, 5]
    assert [event.key for event in s.failed] == [["b"]]


def test_a_function_is_given_them():
    """What it raises passes through, and so does what a callback of late events raises."""
    seen = []
    s = operator(on_error=seen.append)
    s.push_many(FRAME)
    assert [event.time for event in seen] == [2, 3]
    assert s.failed == []

    def refuse(event):
        raise ValueError("no more")

    s = sash.Sliding(sash.Sum(), sash.TimeWindow(10), lateness=0, on_late=refuse, on_error="keep")
    s.push(5, 1)
    for call in (lambda: s.push(1, 1), lambda: s.push_many([6, 1], [1, 1])):
        with pytest.raises(ValueError, match="no more"):
            call()
    assert s.failed == []


def test_what_no_event_is_to_blame_for_is_raised():
    """A window that does not fit the times, a late event that was refused, columns of different lengths."""
    with pytest.raises(sash.WindowSpecError):
        sash.Sliding(sash.Sum(), "1h", on_error="keep").push_many([1], [1])
    s = sash.Sliding(sash.Sum(), sash.TimeWindow(1), lateness=0, on_late="raise", on_error="keep")
    with pytest.raises(sash.LateEventError):
        s.push_many([2, 1], [1, 1])
    with pytest.raises(ValueError, match="2 times and 1 values"):
        s.push_many([2, 1], [1])
    with pytest.raises(ValueError, match='on_error is "raise", "keep" or a function'):
        sash.Sliding(sash.Sum(), 2, on_error="drop")


def test_a_snapshot_holds_them():
    """With the way they go; a function is passed again."""
    s = operator(on_error="keep")
    s.push_many(FRAME)
    again = sash.Sliding.restore(s.snapshot())
    assert again.failed == s.failed
    assert again.push({**rows()[1], "time": 9}) == []
    assert len(again.failed) == 3
    blob = operator(on_error=print).snapshot()
    with pytest.raises(sash.SnapshotError, match="pass on_error"):
        sash.Sliding.restore(blob)
    assert sash.Sliding.restore(blob, on_error="raise").failed == []


@given(
    st.lists(st.sampled_from([1, 2, 3, "x", LARGE, None]), max_size=20), st.sampled_from(["arrival", "final", "update"])
)
def test_in_bulk_as_one_by_one(values, emit):
    """The same events fail, and the same results come out."""
    times = [place // 2 for place in range(len(values))]
    bulk = sash.Sliding(sash.Sum(), sash.TimeWindow(3), emit=emit, on_error="keep")
    single = sash.Sliding(sash.Sum(), sash.TimeWindow(3), emit=emit, on_error="keep")
    results = [result for time, value in zip(times, values, strict=True) for result in single.push(time, value)]
    assert list(bulk.push_many(times, values)) == results
    assert bulk.failed == single.failed
    assert bulk.finish() == single.finish()


@pytest.mark.parametrize("make", [pa.array, pl.Series], ids=["arrow", "polars"])
def test_columns_of_other_libraries(make):
    """Keep their kind of time where some of their events are left out."""
    times = make(pd.to_datetime(["2024-05-01", "2024-05-02", "2024-05-03"]))
    s = sash.Sliding(sash.Sum(), "2d", on_error="keep")
    results = s.push_many(times, [1, "x", 2])
    assert results.values.tolist() == [1, 2]
    assert type(results.ends) is type(sash.Sliding(sash.Sum(), "2d").push_many(times, [1, 1, 2]).ends)


# Three windows of one key overflow; those before and behind them do not.
SPILL = [(0, LARGE), (1, LARGE), (5, 1), (6, 1), (20, 1), (21, 2), (40, 3)]
WAITING = {
    "final": {"windows": sash.TimeWindow(10), "emit": "final"},
    "final slides": {"windows": sash.TimeWindow(10, every=5), "emit": "final"},
    "slides": {"windows": sash.TimeWindow(10, every=5), "emit": "arrival"},
    "revised slides": {"windows": sash.TimeWindow(10, every=5), "emit": "update"},
    "watermark": {"windows": sash.TimeWindow(10), "trigger": AtWatermark()},
    "sessions": {"windows": sash.SessionWindow(8), "trigger": AtWatermark()},
}


def slow_and_right(results, spilt):
    """The results of a Python sum, which never overflows, but for those that do not fit."""
    kept = [result for result in results if abs(result.value) < 2**63]
    spilt += [result for result in results if abs(result.value) >= 2**63]
    return kept


@pytest.mark.parametrize("case", WAITING)
@pytest.mark.parametrize("in_bulk", [False, True])
def test_a_result_that_fails_when_its_time_has_come_is_set_aside(case, in_bulk):
    """No event is blamed for it, all other results are there, and the end of the stream can be reached."""
    s = sash.Sliding(sash.Sum(), lateness=2, on_error="keep", **WAITING[case])
    big = sash.aggregation(combine=lambda a, b: a + b, identity=0)
    oracle = sash.Sliding(big, lateness=2, **WAITING[case])
    spilt, expected = [], []
    if in_bulk:
        results = list(s.push_many(*zip(*SPILL, strict=True)))
        expected += slow_and_right(oracle.push_many(*zip(*SPILL, strict=True)), spilt)
    else:
        results = [result for event in SPILL for result in s.push(*event)]
        expected += [one for event in SPILL for one in slow_and_right(oracle.push(*event), spilt)]
    waiting = list(s.results)
    last = list(s.finish())
    assert last == waiting
    expected += slow_and_right(oracle.finish(), spilt)
    plain = [result._replace(revision=0) for result in results + last]
    assert plain == [result._replace(revision=0) for result in expected]
    assert [event.time for event in s.failed] == [one.end if one.time is None else one.time for one in spilt]
    assert spilt
    for event, window in zip(s.failed, spilt, strict=True):
        assert event.error.startswith("OverflowError: the result does not fit in 64 bits")
        assert event.error.endswith(f"in the window from {window.start} to {window.end}")


def test_a_lower_of_your_own_that_raises_stops_no_stream():
    """Whatever it raises; a key is named."""

    class Fussy(sash.Aggregation):
        identity = ""

        def lift(self, value):
            return value

        def combine(self, older, newer):
            return older + newer

        def lower(self, partial):
            if "x" in partial:
                raise LookupError("no x")
            return partial

    failed = []
    s = sash.Sliding(Fussy(), sash.TumblingWindow(10), by=True, emit="final", lateness=0, on_error=failed.append)
    results = [
        one for event in [("k", 1, "a"), ("k", 12, "x"), ("j", 13, "b"), ("k", 25, "c")] for one in s.push(*event)
    ]
    results += s.finish()
    assert [(one.key, one.end, one.value) for one in results] == [("k", 10, "a"), ("j", 20, "b"), ("k", 30, "c")]
    assert [tuple(event) for event in failed] == [("k", 20, None, "LookupError: no x, in the window from 10 to 20")]


def test_where_errors_are_raised_nothing_is_set_aside():
    """The call fails and changes nothing."""
    s = sash.Sliding(sash.Sum(), sash.TimeWindow(10), emit="final", lateness=2)
    for event in SPILL[:2]:
        s.push(*event)
    for _ in range(2):
        with pytest.raises(OverflowError):
            s.push(5, 1)
    with pytest.raises(OverflowError):
        s.finish()
