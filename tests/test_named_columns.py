"""A window reads the columns that its aggregation names: of rows, lists of them, mappings of columns, frames."""

import pandas as pd
import polars as pl
import pyarrow as pa
import pytest

import sash

COLUMNS = {"amount": [3, 1, 2], "shop": ["a", "b", "c"]}
ROWS = [{"amount": amount, "shop": shop} for amount, shop in zip(*COLUMNS.values(), strict=True)]
AGGREGATIONS = [
    sash.Sum("amount"),
    sash.Count("amount"),
    sash.Concat("shop"),
    sash.Collect("amount"),
    sash.First("shop"),
    sash.ArgMax("amount", "shop"),
    sash.ArgMax("amount"),
    sash.Covariance("amount", "amount"),
]


@pytest.mark.parametrize("aggregation", AGGREGATIONS, ids=repr)
@pytest.mark.parametrize("algorithm", ["fiba", "daba_lite"])
def test_a_column_that_is_named_is_read(aggregation, algorithm):
    """What a Composite of it alone gives; the snapshot of such a window goes on with rows."""
    expected = sash.Window(sash.Composite(only=aggregation))
    expected.bulk_insert([1, 2, 3], ROWS)
    one_by_one = sash.Window(aggregation, algorithm=algorithm)
    for time, row in enumerate(ROWS, start=1):
        one_by_one.insert(time, row)
    frames = (ROWS, COLUMNS, pd.DataFrame(COLUMNS), pl.DataFrame(COLUMNS), pa.table(COLUMNS))
    windows = [one_by_one, *(sash.Window(aggregation, algorithm=algorithm) for _ in frames)]
    for window, values in zip(windows[1:], frames, strict=True):
        window.bulk_insert([1, 2, 3], values)
    for window in windows:
        assert window.query() == expected.query().only
    again = sash.Window.restore(one_by_one.snapshot())
    again.insert(4, ROWS[0])
    expected.insert(4, ROWS[0])
    assert again.query() == expected.query().only


@pytest.mark.parametrize(
    "values", [{"amout": [1, 2]}, [{"amount": 1}, {"shop": 2}], pd.DataFrame({"amout": [1, 2]})], ids=repr
)
def test_a_row_without_the_column_is_refused(values):
    """With the column that is missing; and nothing has changed."""
    window = sash.Window(sash.Sum("amount"))
    with pytest.raises(KeyError, match="no column 'amount'"):
        window.bulk_insert([1, 2], values)
    with pytest.raises(KeyError, match="no column 'amount': did you mean 'amout'"):
        window.insert(1, {"amout": 5})
    assert len(window) == 0


def test_a_mapping_is_no_value():
    """Where no column is named and a value is needed, a row is an error."""
    window = sash.Window(sash.Sum())
    with pytest.raises(TypeError, match="a number is needed"):
        window.insert(1, {"amount": 5})
    with pytest.raises((TypeError, ValueError)):
        window.bulk_insert([1, 2], {"amount": [1, 2]})
    assert len(window) == 0
