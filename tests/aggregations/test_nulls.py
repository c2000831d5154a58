"""Every null that pandas, polars, Arrow and NumPy have is a null here: it is in no window, and its row has a result."""

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest

import sash

INTEGERS = {
    "list": [3, None, 4],
    "list with NA": [3, pd.NA, 4],
    "list with NaT": [3, pd.NaT, 4],
    "list with NaN": [3, float("nan"), 4],
    "array of objects": np.array([3, pd.NA, 4], object),
    "masked array": np.ma.array([3, 9, 4], mask=[0, 1, 0]),
    "Int64 of pandas": pd.array([3, None, 4], dtype="Int64"),
    "Float64 of pandas": pd.array([3.0, None, 4.0], dtype="Float64"),
    "Arrow in pandas": pd.array([3, None, 4], dtype="int64[pyarrow]"),
    "series": pd.Series([3, None, 4], dtype="Int64"),
    "series of objects": pd.Series([3, pd.NA, 4], dtype=object),
    "series of Arrow": pd.Series([3, None, 4], dtype="int64[pyarrow]"),
    "polars": pl.Series([3, None, 4]),
    "Arrow": pa.array([3, None, 4]),
    "chunks of Arrow": pa.chunked_array([[3, None], [4]]),
}
TEXTS = {
    "list": ["a", None, "b"],
    "list with NA": ["a", pd.NA, "b"],
    "string of pandas": pd.array(["a", None, "b"], dtype="string"),
    "series of Arrow": pd.Series(["a", None, "b"], dtype="string[pyarrow]"),
    "categories": pd.Series(["a", None, "b"], dtype="category"),
    "Categorical": pd.Categorical(["a", None, "b"]),
    "polars": pl.Series(["a", None, "b"]),
    "categories of polars": pl.Series(["a", None, "b"], dtype=pl.Categorical),
    "Arrow": pa.array(["a", None, "b"]),
    "views of Arrow": pa.array(["a", None, "b"], pa.string_view()),
    "dictionary of Arrow": pa.array(["a", None, "b"]).dictionary_encode(),
}
MOMENTS = {
    "datetime64": np.array(["2024-05-01", "NaT", "2024-05-02"], "datetime64[ns]"),
    "series": pd.Series(pd.to_datetime(["2024-05-01", None, "2024-05-02"])),
    "zoned series": pd.Series(pd.to_datetime(["2024-05-01", None, "2024-05-02"], utc=True)),
    "polars": pl.Series(pd.to_datetime(["2024-05-01", None, "2024-05-02"])),
}
TIMES = [1, 2, 3]
NUMBERS = [
    (sash.Count(), [1, 1, 2]),
    (sash.Sum(), [3, 3, 7]),
    (sash.Max(), [3, 3, 4]),
    (sash.CountDistinct(), [1, 1, 2]),
]
WORDS = [(sash.Count(), [1, 1, 2]), (sash.Concat(), ["a", "a", "ab"]), (sash.Collect(), [["a"], ["a"], ["a", "b"]])]
CASES = [
    pytest.param(aggregation, values, expected, id=f"{aggregation!r}-{name}")
    for columns, cases in ((INTEGERS, NUMBERS), (TEXTS, WORDS), (MOMENTS, [(sash.Count(), [1, 1, 2])]))
    for name, values in columns.items()
    for aggregation, expected in cases
]


@pytest.mark.parametrize(("aggregation", "values", "expected"), CASES)
def test_a_null_of_a_column_is_in_no_window(aggregation, values, expected):
    """In a window, in the operator, and by name in both."""
    window = sash.Window(aggregation)
    window.bulk_insert(TIMES, values)
    assert (len(window), window.query()) == (2, expected[-1])
    operator = sash.Sliding(aggregation, sash.TimeWindow(10))
    assert [result.value for result in operator.push_many(TIMES, values)] == expected
    named = type(aggregation)("x")
    window = sash.Window(named)
    window.bulk_insert(TIMES, {"x": values})
    assert (len(window), window.query()) == (2, expected[-1])
    operator = sash.Sliding(named, sash.TimeWindow(10))
    assert [result.value for result in operator.push_many(TIMES, {"x": values})] == expected


@pytest.mark.parametrize("null", [None, pd.NA, pd.NaT, np.datetime64("NaT"), np.timedelta64("NaT")], ids=repr)
@pytest.mark.parametrize(
    "aggregation",
    [sash.Count(), sash.Sum(), sash.Concat(), sash.Collect(), sash.CountDistinct(), sash.ArgMax(), sash.Covariance()],
    ids=repr,
)
def test_a_null_by_itself_is_in_no_window(aggregation, null):
    """Pushed and inserted one by one."""
    assert aggregation.skips(null)
    window = sash.Window(aggregation)
    window.insert(1, null)
    assert len(window) == 0
    assert sash.Sliding(aggregation, sash.TimeWindow(10)).push(1, null)[0].value == aggregation.empty


@pytest.mark.parametrize(
    "aggregation",
    [sash.Covariance, sash.Correlation, sash.LinearRegression, sash.WeightedMean, sash.ArgMax, sash.ArgMin],
    ids=lambda cls: cls.__name__,
)
@pytest.mark.parametrize("null", [None, pd.NA, float("nan")], ids=repr)
def test_a_pair_with_one_null_adds_no_entry(aggregation, null):
    """Neither by itself nor in bulk, as a tuple or by columns, alone or in a Composite."""
    pairs = [(null, 1.0), (1.0, 2.0), (2.0, None), (3.0, 5.0)]
    rows = [{"x": x, "y": y} for x, y in pairs]
    columns = {name: [row[name] for row in rows] for name in ("x", "y")}
    composite = sash.Composite(only=aggregation("x", "y"))
    for over, values in ((aggregation(), pairs), (aggregation("x", "y"), rows), (composite, rows)):
        window = sash.Window(over)
        for time, value in enumerate(values):
            window.insert(time, value)
        bulk = sash.Window(over)
        bulk.bulk_insert(range(4), values)
        whole = sash.Window(over)
        whole.bulk_insert(range(4), columns if over.columns else values)
        for one in (window, bulk, whole):
            assert (len(one), one.oldest, one.youngest) == (2, 1, 3)
            assert one.query() == window.query()
