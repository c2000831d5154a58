"""Columns in whatever form pandas, polars and Arrow keep them give the same results."""

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest

import sash

PLAIN = pd.DataFrame(
    {
        "t": pd.to_datetime(["2024-01-01", "2024-01-02", "2024-01-02", "2024-01-04"]),
        "k": ["a", "b", None, "a"],
        "x": [1, 2, 3, 4],
        "s": ["p", None, "q", "r"],
        "f": [1.5, None, 2.5, 3.5],
        "b": pd.array([True, None, False, True], dtype="boolean"),
    }
)
FORMS = {
    "nullable": lambda: PLAIN.convert_dtypes(),
    "Arrow in pandas": lambda: PLAIN.convert_dtypes(dtype_backend="pyarrow"),
    "categories": lambda: PLAIN.astype({"k": "category", "s": "category"}),
    "polars": lambda: pl.from_pandas(PLAIN),
    "categories of polars": lambda: pl.from_pandas(PLAIN).with_columns(pl.col("s", "k").cast(pl.Categorical)),
    "Arrow": lambda: pa.Table.from_pandas(PLAIN),
    "views of Arrow": lambda: pl.from_pandas(PLAIN).to_arrow(compat_level=pl.CompatLevel.newest()),
}
AGGREGATIONS = [
    sash.Sum("x"),
    sash.Mean("f"),
    sash.Any("b"),
    sash.Concat("s"),
    sash.Last("s"),
    sash.ArgMax("x", "s"),
    sash.CountDistinct("s"),
    sash.Collect("s"),
    sash.Count("b"),
    sash.Mode("s"),
]


def results(frame, aggregation):
    out = sash.rolling(frame, on="t", by="k", window="3d", out=aggregation)["out"]
    values = out.to_pylist() if hasattr(out, "to_pylist") else out.to_list()
    return [value if isinstance(value, list) else None if pd.isna(value) else value for value in values]


@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize("aggregation", AGGREGATIONS, ids=repr)
def test_a_column_is_a_column_in_every_form(form, aggregation):
    """Times, keys, numbers, truths and texts, with nulls."""
    assert results(FORMS[form](), aggregation) == results(PLAIN, aggregation)


@pytest.mark.parametrize("name", [None, "t", "when"])
def test_times_in_the_index_go_without_saying(name):
    """As in pandas: a DatetimeIndex is the times of windows in time, whatever it is called."""
    frame = PLAIN.set_index("t").rename_axis(name)
    expected = sash.rolling(PLAIN, on="t", window="2d", out=sash.Sum("x"))["out"].tolist()
    out = sash.rolling(frame, window="2d", out=sash.Sum("x"))
    assert out["out"].tolist() == expected
    assert out.index.equals(frame.index)
    assert sash.rolling(frame, window=2, out=sash.Sum("x"))["out"].tolist() == [1, 3, 5, 7]


def test_another_index_is_no_time():
    """It must be named."""
    with pytest.raises(sash.PlanError, match="needs the column of times"):
        sash.rolling(PLAIN, window="2d", out=sash.Sum("x"))


@pytest.mark.parametrize("values", [[1.5, 2.0, 1.5], [1, 2, 1], ["a", "b", "a"]])
def test_frequent_items_are_structs_in_arrow(values):
    """A list of named tuples is a list of structs with their names, whatever the items are."""
    table = pa.table({"t": [1, 2, 3], "v": values})
    found = sash.rolling(table, on="t", window=sash.TimeWindow(3), out=sash.FrequentItems("v"))["out"]
    assert found.type.value_type.names == ["item", "estimate", "lower", "upper"]
    assert [(one["item"], one["estimate"]) for one in found[2].as_py()] == [(values[0], 2), (values[1], 1)]


@pytest.mark.parametrize("of", ["v", "total"])
@pytest.mark.parametrize("make", [dict, pd.DataFrame])
def test_an_expression_has_memory_of_its_own(make, of):
    """Whoever writes to an expression that is a bare column changes neither the data nor another result."""
    data = make({"t": np.arange(3), "v": np.array([1.0, 2.0, 4.0])})
    out = sash.rolling(data, on="t", window=sash.TimeWindow(3), total=sash.Sum("v"), same=sash.col(of))
    theirs = [np.asarray(column) for column in (data["v"], out["v"], out["total"])]
    assert not any(np.shares_memory(np.asarray(out["same"]), column) for column in theirs)


def test_a_column_that_nobody_reads_may_be_of_any_type():
    """Arrow has no integers of 128 bits and no objects of Python: such columns go back as they came."""
    frame = pl.DataFrame({"t": [1, 2, 3], "v": [1.0, 2.0, 4.0]}).with_columns(
        pl.Series("huge", [1, 2, 3], dtype=pl.Int128), pl.Series("thing", [object(), 1, None], dtype=pl.Object)
    )
    for data in (frame, frame.lazy()):
        out = sash.rolling(data, on="t", window=2, total=sash.Sum("v"))
        assert type(out) is type(data)
        out = out.lazy().collect()
        assert out["huge"].equals(frame["huge"])
        assert out["thing"].to_list() == frame["thing"].to_list()
        assert out["total"].to_list() == [1.0, 3.0, 6.0]
