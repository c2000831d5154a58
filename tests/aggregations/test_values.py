"""Aggregations that keep values: which there are, which come first, which are greatest, what goes with them, bins."""

import math
from collections import Counter
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import sash

from .cases import NAN, keyed, numbers, result, words

# Distinct values


@given(st.lists(words))
def test_distinct_values_are_those_of_a_dictionary(values):
    """In the order of first appearance, in the form that came first."""
    expected = list(dict.fromkeys(values))
    found = result(sash.CollectDistinct(), values)
    assert [(type(value), value) for value in found] == [(type(value), value) for value in expected]
    assert result(sash.CountDistinct(), values) == len(expected)


def test_equal_numbers_are_one_value_in_its_oldest_form():
    """1, 1.0 and True; 0.0 and -0.0; but not "1"."""
    assert result(sash.CollectDistinct(), [True, 1, 1.0, "1"]) == [True, "1"]
    assert result(sash.CollectDistinct(), [1.0, True])[0] is not True
    assert math.copysign(1, result(sash.CollectDistinct(), [-0.0, 0.0, 0])[0]) == -1
    assert result(sash.CountDistinct(), [1, Fraction(1), np.int8(1), np.float32(1)]) == 1


def test_nans_that_are_let_through_are_one_value():
    """However many objects there are of it, in tuples too, and after a snapshot."""
    values = [NAN, float("nan"), np.float64("nan"), (1, float("nan")), (1, NAN)]
    assert result(sash.CountDistinct(nan="propagate"), values) == 2
    assert result(sash.CountDistinct(), values[:3]) == 0
    window = sash.Window(sash.CountDistinct(nan="propagate"))
    window.bulk_insert(range(5), values)
    again = sash.Window.restore(window.snapshot())
    again.insert(9, float("nan"))
    assert again.query() == 2


def test_a_window_forgets_values_that_have_left():
    """And finds the next first appearance."""
    #  0 1 2 3
    #  b a b c     without the first, a comes before b
    window = sash.Window(sash.CollectDistinct())
    window.bulk_insert(range(4), ["b", "a", "b", "c"])
    assert window.query() == ["b", "a", "c"]
    window.evict()
    assert window.query() == ["a", "b", "c"]


def test_a_snapshot_keeps_the_order_of_distinct_values():
    """It is not the order of the codec's dictionaries."""
    for order in (["b", "a", "c"], ["c", "b", "a"]):
        window = sash.Window(sash.CollectDistinct(), algorithm="two_stacks_lite")
        window.bulk_insert(range(3), order)
        assert sash.Window.restore(window.snapshot()).query() == order


@given(st.lists(words))
def test_the_mode_is_the_most_frequent_and_then_the_oldest(values):
    """As Counter.most_common has it."""
    expected = Counter(values).most_common(1)
    assert result(sash.Mode(), values) == (expected[0][0] if expected else None)


# Ends


@given(st.lists(words), st.integers(0, 4))
def test_the_ith_youngest_is_counted_from_the_end(values, i):
    """0 is the last."""
    assert result(sash.IthYoungest(i=i), values) == (values[-1 - i] if i < len(values) else None)


@given(st.lists(numbers))
def test_delta_is_last_minus_first(values):
    """Whatever lies between."""
    assert result(sash.Delta(), values) == (values[-1] - values[0] if values else None)


def test_delta_of_integers_is_exact_or_an_error():
    """Never a wrong number."""
    assert result(sash.Delta(), [2**53, 2**53 + 1]) == 1
    with pytest.raises(OverflowError, match="64 bits"):
        result(sash.Delta(), [-(2**63), 1])
    assert result(sash.Delta(), [-math.inf, 1]) == math.inf


# The greatest and the least


@given(st.lists(numbers), st.integers(1, 5))
def test_top_and_bottom_are_the_ends_of_the_sorted_values(values, k):
    """Sorting is stable, so the oldest of equals comes first."""
    for over, descending in ((sash.TopK(k=k), True), (sash.BottomK(k=k), False)):
        expected = sorted(values, reverse=descending)[:k]
        found = result(over, values)
        assert [(type(value), value) for value in found] == [(type(value), value) for value in expected]


def test_a_nan_that_is_let_through_is_more_extreme_than_any_number():
    """At either end."""
    values = [1, NAN, math.inf, -math.inf]
    top, bottom = (result(over(k=2, nan="propagate"), values) for over in (sash.TopK, sash.BottomK))
    assert math.isnan(top[0])
    assert math.isnan(bottom[0])
    assert (top[1], bottom[1]) == (math.inf, -math.inf)


# Arguments


@given(st.lists(keyed))
def test_the_argument_of_the_extreme_is_that_of_the_oldest(values):
    """min and max of Python keep the first of equals."""
    assert result(sash.ArgMin(), values) == (min(values, key=lambda value: value[0])[1] if values else None)
    assert result(sash.ArgMax(), values) == (max(values, key=lambda value: value[0])[1] if values else None)


def test_several_columns_go_with_the_key():
    """As a dictionary; values may be nested or flat."""
    over = sash.ArgMax("amount", ["shop", "city"])
    nested = [(5, ("a", "Rome")), (9, ("b", "Oslo")), (9, ("c", "Bonn"))]
    flat = [(key, *argument) for key, argument in nested]
    assert result(over, nested) == result(over, flat) == {"shop": "b", "city": "Oslo"}
    assert sash.ArgMax("amount", "shop", "city") == over
    assert over.empty is None
    assert over.skips((1, ("a", None)))
    with pytest.raises(TypeError, match=r"a pair \(key, shop, city\) is needed"):
        over.lift((1, "a"))


def test_one_column_in_a_list_is_that_column():
    """No dictionary of one."""
    assert sash.ArgMin("amount", ["shop"]) == sash.ArgMin("amount", "shop")


def test_the_whole_row_goes_with_the_key():
    """It is any object, and comes out as it is, also from a window and its snapshot."""
    over = sash.ArgMax("amount")
    rows = [{"amount": 3, "shop": "a"}, {"amount": 7, "shop": "b"}, {"amount": 7, "shop": "c"}]
    window = sash.Window(over)
    window.bulk_insert(range(3), [(row["amount"], row) for row in rows])
    assert window.query() == rows[1]
    assert sash.Window.restore(window.snapshot()).query() == rows[1]


# Bins


@given(st.lists(numbers))
def test_bins_are_those_of_numpy(values):
    """Half open, the last one closed; what is outside is counted too."""
    edges = [-2, -0.5, 0, 1.0, 3]
    found = result(sash.Histogram(edges=edges), values)
    counts, _ = np.histogram(np.array(values, float), edges)
    assert found.bins == tuple(counts)
    assert found.below == sum(value < -2 for value in values)
    assert found.above == sum(value > 3 for value in values)
    assert found.total == len(values)
    assert result(sash.Histogram(edges=edges, outside=False), values) == found.bins


def test_infinities_are_edges_and_values():
    """And a NaN that is let through is above."""
    over = sash.Histogram(edges=[-math.inf, 0, math.inf], nan="propagate")
    assert result(over, [-math.inf, -0.0, math.inf, NAN]) == sash.results.BinCounts(0, (1, 2), 1)


def test_edges_come_as_any_sequence():
    """Arrays and lists are tuples in the end, so that descriptions are plain."""
    assert sash.Histogram(edges=np.array([0.0, 1.0])) == sash.Histogram(edges=[0.0, 1.0])
    assert sash.Histogram(edges=[0, 1]).options["edges"] == (0, 1)
    assert sash.Histogram().empty == sash.results.BinCounts(0, (0, 0, 0, 0), 0)
