"""The median and other quantiles as numbers: exact, in the five ways of pandas."""

import math
from typing import get_args

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

import sash
from sash.aggregations.quantiles import Interpolation

from .cases import result

ranks = st.floats(0, 1) | st.sampled_from([0, 0.5, 0.25, 0.07, 1])
few = st.lists(st.floats(-1e9, 1e9) | st.integers(-3, 3), min_size=1, max_size=64)


@given(few, ranks)
def test_a_quantile_of_few_values_is_that_of_numpy(values, q):
    """With straight lines between neighbours."""
    found = result(sash.Quantile(q=q), values)
    assert type(found) is float
    assert found == pytest.approx(np.quantile(values, q), rel=1e-12, abs=1e-6)


@given(few)
def test_the_median_is_the_middle_or_the_mean_of_two(values):
    """As the quantile of 0.5 is."""
    assert result(sash.Median(), values) == pytest.approx(np.median(values), rel=1e-12, abs=1e-6)
    assert result(sash.Median(), values) == result(sash.Quantile(q=0.5), values)


def test_many_values_are_exact_too():
    """A window has no size from which on it is an estimate."""
    values = np.random.default_rng(5).permutation(10_001).astype(float)
    window = sash.Window(sash.Quantile(q=0.9))
    window.bulk_insert(np.arange(10_001), values)
    assert window.query() == 9_000


@given(few, ranks, st.sampled_from(get_args(Interpolation)))
def test_the_five_words_are_those_of_pandas(values, q, word):
    """What is given between two values."""
    series = pd.Series(values, dtype=float)
    found = result(sash.Quantile(q=q, interpolation=word), values)
    assert found == pytest.approx(series.quantile(q, interpolation=word), rel=1e-12, abs=1e-6)
    assert result(sash.Quantiles(at=[0, q], interpolation=word), values) == [series.min(), found]


def test_a_word_that_is_none_is_refused():
    """With those that there are."""
    with pytest.raises(ValueError, match=r"interpolation is 'linear' or 'lower' or .*, not 'cubic'"):
        sash.Quantile("x", interpolation="cubic")


@pytest.mark.parametrize(
    ("values", "q", "expected"),
    [
        ([-math.inf, 0.0], 0.5, -math.inf),
        ([0.0, math.inf], 0.25, math.inf),
        ([math.inf, math.inf], 0.5, math.inf),
        ([-1.5e308, 1.5e308], 0.5, 0.0),
        ([-0.0], 0.5, 0.0),
        ([1.0, 1.0], 0.3, 1.0),
    ],
)
def test_infinities_and_the_largest_numbers_have_quantiles(values, q, expected):
    """What lies between a number and infinity is infinite."""
    assert str(result(sash.Quantile(q=q), values)) == str(expected)


def test_nothing_has_no_median_and_nan_spoils_it_if_let_through():
    """None, and NaN."""
    assert sash.Median().empty is None
    assert result(sash.Median(), [1, None, math.nan]) == 1.0
    assert math.isnan(result(sash.Median(nan="propagate"), [1, math.nan]))


@pytest.mark.parametrize("q", [-0.1, 1.1, math.nan, "0.5", True])
def test_a_rank_is_a_number_from_0_to_1(q):
    """The error says how percentiles are written."""
    with pytest.raises(ValueError, match=r"q is a number from 0 to 1, not .*: the 99th percentile is 0\.99"):
        sash.Quantile("x", q)


def test_the_rank_comes_after_the_column():
    """By place or by name; alone it is no column."""
    assert sash.Quantile("x", 0.9) == sash.Quantile("x", q=0.9) != sash.Quantile("x")
    assert repr(sash.Quantile("x", 0.9)) == 'Quantile("x", q=0.9)'
    with pytest.raises(TypeError, match=r"a column is named by a text, not float \(0.9\): write q=0.9"):
        sash.Quantile(0.9)


@pytest.mark.parametrize("size", [5, 200])
def test_a_frame_gets_a_column_of_floats_as_pandas_has_it(size):
    """Exact over windows that a sketch would estimate."""
    frame = pd.DataFrame({"x": np.random.default_rng(6).normal(size=1_000)})
    out = sash.rolling(frame, window=size, middle=sash.Median("x"), low=sash.Quantile("x", 0.1))
    rolling = frame["x"].rolling(size, min_periods=1)
    assert out["middle"].dtype == out["low"].dtype == np.float64
    np.testing.assert_allclose(out["middle"], rolling.median(), rtol=1e-12, atol=1e-12)
    np.testing.assert_allclose(out["low"], rolling.quantile(0.1), rtol=1e-9, atol=1e-12)


def test_variance_and_deviation_are_of_a_sample_unless_said_otherwise():
    """As pandas, polars and SQL; `ddof=0` as NumPy."""
    values = [2.0, 4.0, 4.0, 4.0, 5.0, 5.0, 7.0, 9.0]
    for ddof in (0, 1, 2):
        assert result(sash.Var(ddof=ddof), values) == pytest.approx(np.var(values, ddof=ddof))
        assert result(sash.Std(ddof=ddof), values) == pytest.approx(np.std(values, ddof=ddof))
        assert result(sash.Std(ddof=ddof), values[:ddof]) is None
        out = sash.rolling({"x": np.array(values)}, window=3, s=sash.Std("x", ddof=ddof))["s"]
        assert np.isnan(out[:ddof]).all()
        assert out[-1] == pytest.approx(np.std(values[-3:], ddof=ddof))
    assert sash.Var() == sash.Var(ddof=1) != sash.Var(ddof=0)
    with pytest.raises(ValueError, match="ddof must be at least 0, not -1"):
        sash.Std(ddof=-1)
    with pytest.raises(TypeError, match="write ddof=0"):
        sash.Var(0)


def test_nunique_is_another_name():
    """Of the same class, so it is described by the name of that."""
    assert sash.NUnique is sash.CountDistinct
    assert sash.NUnique("x").to_dict()["name"] == "CountDistinct"
