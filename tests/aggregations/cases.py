"""Each aggregation of this folder with the values that it takes, and what the tests do with them."""

import datetime as dt
import math
from functools import reduce

from hypothesis import strategies as st

import sash

NAN = math.nan

#: Few different ones, so that there are ties; ints and floats that are equal; both zeros.
numbers = st.integers(-3, 3) | st.sampled_from([-0.5, 0.5, 1.0, 2.0, 0.0, -0.0]) | st.floats(-100, 100)
reals = st.integers(-20, 20) | st.floats(-100, 100)
positive = st.integers(1, 20) | st.floats(0.01, 100)
words = st.sampled_from(["a", "b", "c", "", 1, 1.0, True, 0, -0.0, (1, "x"), b"a"])
pairs = st.tuples(reals, reals)
weighted = st.tuples(reals, st.integers(0, 5) | st.floats(0.01, 5))
keyed = st.tuples(st.integers(-2, 2) | st.sampled_from([0.5, 1.0]), st.text("abc", max_size=2))
several = st.tuples(st.integers(-2, 2), st.tuples(st.text("abc", max_size=1), st.integers(0, 3)))
labelled = st.tuples(st.sampled_from(["yes", "no"]), reals, st.sampled_from(["red", "blue", True]))

UNTIMED = [
    (sash.CountDistinct(), words),
    (sash.CollectDistinct(), words),
    (sash.Mode(), words),
    (sash.IthYoungest(i=0), words),
    (sash.IthYoungest(i=2), words),
    (sash.TopK(k=2), numbers),
    (sash.BottomK(k=3), numbers),
    (sash.ArgMin(), keyed),
    (sash.ArgMax("key", "argument"), keyed),
    (sash.ArgMax("amount", ["shop", "city"]), several),
    (sash.Histogram(edges=[-1, 0, 0.5, 2]), numbers),
    (sash.Histogram(outside=False), numbers),
    (sash.WeightedMean(), weighted),
    (sash.Covariance(), pairs),
    (sash.Covariance(ddof=0), pairs),
    (sash.Correlation(), pairs),
    (sash.LinearRegression(), pairs),
    (sash.Skewness(), reals),
    (sash.Skewness(bias=True), reals),
    (sash.Kurtosis(), reals),
    (sash.HarmonicMean(), positive),
    (sash.Delta(), numbers),
    (sash.NaiveBayes(), labelled),
]
TIMED = [
    (sash.M4(), numbers),
    (sash.LongestIncreasingRun(), numbers),
    (sash.DecayedSum(half_life=2), reals),
    (sash.Rate(), words),
    (sash.Rate(of="values"), reals),
    (sash.TimeWeightedMean(), reals),
]
EVERY = UNTIMED + TIMED


def name(case):
    """What a case is called."""
    return repr(case[0])


def lifted(over, events):
    """The partials of (time, value), without those that are passed over."""
    return [
        over.lift(value, time) if over.timed else over.lift(value) for time, value in events if not over.skips(value)
    ]


def result_at(over, events):
    """What a window of these (time, value) would give."""
    return over.lower(reduce(over.combine, lifted(over, events), over.identity))


def result(over, values):
    """What a window of these values would give, at times 0, 1, 2, ..."""
    return result_at(over, list(enumerate(values)))


def clock(seconds):
    """A time that has a unit."""
    return dt.datetime(2024, 2, 28, tzinfo=dt.UTC) + dt.timedelta(seconds=seconds)
