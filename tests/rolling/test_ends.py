"""Which rows are in where times are equal, and where an end is out."""

import numpy as np
import pandas as pd
import pytest

import sash


@pytest.mark.parametrize("peers", [True, False])
def test_a_tumbling_window_of_rows_has_that_many(peers):
    """Rows of one time are rows like others: the operator and frames agree."""
    frame = {"t": np.array([1, 1, 1, 1, 2, 2]), "s": np.array(list("abcdef"), object)}
    got = sash.rolling(frame, on="t", window=sash.TumblingWindow(count=2), peers=peers, all=sash.Concat("s"))["all"]
    operator = sash.Sliding(sash.Concat(), sash.TumblingWindow(count=2), trigger=sash.EachEvent())
    assert list(got) == list(operator.push_many(frame["t"], frame["s"]).values) == ["a", "ab", "c", "cd", "e", "ef"]


@pytest.mark.parametrize("closed", ["left", "neither"])
def test_rows_at_an_end_that_is_out_are_out(closed):
    """Also those that came before the row itself, where rows do not see their peers: as in pandas."""
    frame = pd.DataFrame({"t": pd.to_datetime([1, 2, 2, 2, 4, 4], unit="s"), "x": [1.0, 2.0, 4.0, 8.0, 16.0, 32.0]})
    got = sash.rolling(frame, on="t", window="2s", closed=closed, peers=False, min_periods=1, out=sash.Sum("x"))["out"]
    expected = frame.rolling("2s", on="t", closed=closed)["x"].sum()
    np.testing.assert_array_equal(got.to_numpy(float, na_value=np.nan), expected.to_numpy())


@pytest.mark.parametrize("window", [sash.TumblingWindow(0.7), sash.TumblingWindow(0.7, closed="left", origin=0.3)])
def test_blocks_of_floats_are_those_of_the_operator(window):
    """One grid for both, to the last bit."""
    times = np.round(np.arange(0, 30, 0.1), 1)
    frame = {"t": times, "x": np.arange(len(times))}
    operator = sash.Sliding(sash.Count(), window, trigger=sash.EachEvent())
    got = sash.rolling(frame, on="t", window=window, n=sash.Count())["n"]
    assert got.tolist() == operator.push_many(times, frame["x"]).values.tolist()
