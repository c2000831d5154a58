"""Large and small numbers together: what has left a window leaves nothing behind."""

import itertools

import numpy as np
import pytest

import sash

LARGE = 1e16
MANY = 1_000_000
ONES = 100


@pytest.mark.parametrize("algorithm", ["two_stacks_lite", "daba_lite", "amta", "fiba"])
def test_a_sum_never_drifts(algorithm):
    """A million alternating values of 1e16 and 1 slide by; then a window of ones sums up to their number exactly."""
    window = sash.Window(sash.Sum(), algorithm=algorithm)
    values = itertools.chain(itertools.islice(itertools.cycle([LARGE, 1.0]), MANY), itertools.repeat(1.0, ONES))
    for time, value in enumerate(values):
        window.insert(time, value)
        if time >= ONES:
            window.evict()
    assert window.query() == float(ONES)


def test_a_sum_never_drifts_over_frames_and_streams():
    """The same through rolling and through an operator."""
    values = np.concatenate([np.tile([LARGE, 1.0], MANY // 2), np.ones(ONES)])
    times = np.arange(len(values))
    frame = sash.rolling({"t": times, "x": values}, on="t", window=sash.TimeWindow(ONES), total=sash.Sum("x"))
    assert frame["total"][-1] == float(ONES)
    emitted = sash.Sliding(sash.Sum(), sash.TimeWindow(ONES), lateness=0).push_many(times, values)
    assert emitted.values[-1] == float(ONES)
    assert np.array_equal(emitted.values[-ONES // 2 :] >= LARGE, np.asarray(frame["total"])[-ONES // 2 :] >= LARGE)


@pytest.mark.parametrize("aggregation", [sash.Var(), sash.Var(ddof=0), sash.Composite(spread=sash.Var())])
def test_variances_of_large_numbers_are_right(aggregation):
    """1e9 plus 0, 1 and 2: nothing cancels."""
    window = sash.Window(aggregation)
    window.bulk_insert([1, 2, 3], [1e9, 1e9 + 1, 1e9 + 2])
    result = window.query()
    spread = result.spread if isinstance(result, sash.results.Record) else result
    expected = 2 / 3 if aggregation == sash.Var(ddof=0) else 1.0
    assert spread == pytest.approx(expected, abs=1e-6)


@pytest.mark.parametrize(
    "aggregation", [sash.Var(), sash.Skewness(), sash.Kurtosis(), sash.Covariance(), sash.Correlation()]
)
def test_an_infinity_has_one_answer_whatever_the_order(aggregation):
    """NaN, as in NumPy, however the events are combined."""
    pairs = isinstance(aggregation, (sash.Covariance, sash.Correlation))
    values = [0.0, 1.0, float("inf"), 2.0, 5.0, 7.0]
    events = [(value, value + 1) for value in values] if pairs else values
    left = right = aggregation.identity
    for event in events:
        left = aggregation.combine(left, aggregation.lift(event))
    for event in reversed(events):
        right = aggregation.combine(aggregation.lift(event), right)
    assert np.isnan(aggregation.lower(left))
    assert np.isnan(aggregation.lower(right))
    window = sash.Window(aggregation)
    window.bulk_insert(range(len(events)), events)
    assert np.isnan(window.query())
