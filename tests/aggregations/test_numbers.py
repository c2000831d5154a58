"""Aggregations of numbers beside NumPy, pandas and the statistics module, on random and nasty inputs."""

import math
import statistics

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

import sash

from .cases import NAN, pairs, positive, reals, result, weighted

spread_out = st.lists(reals, min_size=4, max_size=30).filter(lambda values: np.std(values) > 1e-3)
spread_pairs = st.lists(pairs, min_size=2, max_size=30).filter(
    lambda values: min(np.std(np.array(values, float), axis=0)) > 1e-3
)


# Shapes


@given(spread_out)
def test_shapes_are_those_of_pandas(values):
    """The unbiased forms."""
    series = pd.Series(values, dtype=float)
    assert result(sash.Skewness(), values) == pytest.approx(series.skew(), rel=1e-6, abs=1e-6)
    assert result(sash.Kurtosis(), values) == pytest.approx(series.kurt(), rel=1e-6, abs=1e-6)


@given(spread_out)
def test_biased_shapes_are_those_of_the_textbook(values):
    """Central moments divided by powers of the deviation."""
    apart = np.array(values, float) - np.mean(values)
    second = np.mean(apart**2)
    assert result(sash.Skewness(bias=True), values) == pytest.approx(np.mean(apart**3) / second**1.5, abs=1e-6)
    assert result(sash.Kurtosis(bias=True), values) == pytest.approx(np.mean(apart**4) / second**2 - 3, abs=1e-6)


def test_shapes_far_from_zero_do_not_cancel():
    """1e9 + small has the shape of small."""
    small = [0, 1, 2, 7, 3, 3]
    far = [1e9 + value for value in small]
    for over in (sash.Skewness(), sash.Kurtosis(), sash.Skewness(bias=True), sash.Kurtosis(bias=True)):
        assert result(over, far) == pytest.approx(result(over, small), abs=1e-6)


def test_shapes_need_enough_values():
    """Three and four; a population is content with one; equal values have no shape."""
    assert result(sash.Skewness(), [1, 2]) is None
    assert result(sash.Kurtosis(), [1, 2, 3]) is None
    assert result(sash.Skewness(bias=True), []) is None
    assert result(sash.Kurtosis(bias=True), [5]) == 0.0
    assert result(sash.Skewness(), [0.1] * 7) == 0.0
    assert math.isnan(result(sash.Skewness(), [1, math.inf, 2]))


# Pairs


@given(spread_pairs)
def test_covariance_and_correlation_are_those_of_pandas(values):
    """Over a frame of two columns."""
    frame = pd.DataFrame(values, columns=["x", "y"], dtype=float)
    assert result(sash.Covariance(), values) == pytest.approx(frame.x.cov(frame.y), rel=1e-9, abs=1e-8)
    assert result(sash.Covariance(ddof=0), values) == pytest.approx(frame.x.cov(frame.y, ddof=0), rel=1e-9, abs=1e-8)
    assert result(sash.Correlation(), values) == pytest.approx(frame.x.corr(frame.y), abs=1e-6)


@given(spread_pairs)
def test_the_line_is_that_of_least_squares(values):
    """As the statistics module finds it."""
    x, y = (list(map(float, column)) for column in zip(*values, strict=True))
    expected = statistics.linear_regression(x, y)
    found = result(sash.LinearRegression(), values)
    assert found.slope == pytest.approx(expected.slope, rel=1e-6, abs=1e-6)
    assert found.intercept == pytest.approx(expected.intercept, rel=1e-6, abs=1e-4)
    assert found.r_squared == pytest.approx(statistics.correlation(x, y) ** 2, abs=1e-6)
    assert found.at(2.0) == found.slope * 2.0 + found.intercept


def test_pairs_far_from_zero_do_not_cancel():
    """Covariance of 1e9 + {0, 1, 2} is right to 1e-6."""
    values = [(1e9, 1e9 + 2), (1e9 + 1, 1e9 + 4), (1e9 + 2, 1e9 + 6)]
    assert result(sash.Covariance(), values) == pytest.approx(2.0, abs=1e-6)
    assert result(sash.Correlation(), values) == pytest.approx(1.0, abs=1e-9)
    assert result(sash.LinearRegression(), values).slope == pytest.approx(2.0, abs=1e-6)


def test_pairs_that_do_not_vary_have_no_correlation_and_no_line():
    """A flat line through varying x is one, and explains all there is."""
    assert result(sash.Correlation(), [(1, 5), (2, 5)]) is None
    assert result(sash.LinearRegression(), [(1, 5), (1, 6)]) is None
    assert result(sash.LinearRegression(), [(1, 5), (2, 5)]) == sash.results.FittedLine(0.0, 5.0, 1.0)
    assert result(sash.Covariance(), [(1, 2)]) is None
    assert result(sash.Covariance(ddof=0), [(1, 2)]) == 0.0


def test_a_pair_with_a_null_is_passed_over():
    """In either place."""
    values = [(1, 10), (None, 3), (4, None), (NAN, 1), (1, NAN), None, (3, 30)]
    assert result(sash.Covariance(), values) == 20.0
    assert result(sash.WeightedMean(), values) == pytest.approx(100 / 40)


def test_a_propagated_nan_is_in_every_number_of_the_line():
    """r squared too."""
    found = result(sash.LinearRegression(nan="propagate"), [(1, 2), (NAN, 3), (4, 7)])
    assert all(map(math.isnan, found))


# Means


@given(st.lists(weighted, min_size=1, max_size=30))
def test_the_weighted_mean_is_that_of_numpy(values):
    """None where there is no weight at all."""
    numbers, weights = zip(*values, strict=True)
    expected = np.average(np.array(numbers, float), weights=weights) if sum(weights) else None
    assert result(sash.WeightedMean(), values) == (expected if expected is None else pytest.approx(expected, abs=1e-9))


@given(st.lists(positive, min_size=1, max_size=30))
def test_the_harmonic_mean_is_that_of_the_statistics_module(values):
    """Over numbers above 0."""
    assert result(sash.HarmonicMean(), values) == pytest.approx(statistics.harmonic_mean(values), rel=1e-9)


def test_harmonic_means_at_the_ends():
    """Zeros, infinities, negatives, nothing."""
    assert result(sash.HarmonicMean(), [0, 5]) == 0.0
    assert result(sash.HarmonicMean(), [-0.0, 5]) == 0.0
    assert result(sash.HarmonicMean(), [math.inf, math.inf]) == math.inf
    assert result(sash.HarmonicMean(), [math.inf, 1]) == 2.0
    assert result(sash.HarmonicMean(), []) is None
    assert result(sash.HarmonicMean(), [1e300, 1e300]) == pytest.approx(1e300)
    with pytest.raises(ValueError, match="no negative numbers"):
        sash.HarmonicMean().lift(-1)


@pytest.mark.parametrize("weight", [-1, -math.inf, math.inf])
def test_a_weight_is_finite_and_not_negative(weight):
    """Anything else has no meaning."""
    with pytest.raises(ValueError, match="a weight is a finite number from 0 up"):
        sash.WeightedMean().lift((1.0, weight))
