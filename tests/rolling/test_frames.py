"""Frames of every kind: what goes in comes out, with more columns."""

from __future__ import annotations

import datetime as dt
import sys
from decimal import Decimal
from typing import Any

import numpy as np
import pytest

import sash
from sash.errors import PlanError
from sash.rolling import rolling
from sash.windows import CountWindow, LandmarkWindow, SessionWindow, TimeWindow, TumblingWindow

pd = pytest.importorskip("pandas")
pl = pytest.importorskip("polars")
pa = pytest.importorskip("pyarrow")

TIMES = np.array(["2024-01-01", "2024-01-02", "2024-01-03", "2024-01-09"], "datetime64[us]")
COLUMNS: dict[str, Any] = {"t": TIMES, "v": np.array([5, 1, 2, 4]), "s": ["a", "b", None, "d"]}


def pandas_frame() -> Any:
    return pd.DataFrame(COLUMNS, index=[10, 20, 30, 40])


def table() -> Any:
    return pa.table(COLUMNS)


FRAMES = {
    "pandas": pandas_frame,
    "polars": lambda: pl.DataFrame(COLUMNS),
    "lazy": lambda: pl.DataFrame(COLUMNS).lazy(),
    "table": table,
    "batch": lambda: table().to_batches()[0],
    "reader": lambda: table().to_reader(),
    "chunks": lambda: pa.concat_tables([table().slice(0, 1), table().slice(1)]),
    "arrays": lambda: {"t": TIMES, "v": COLUMNS["v"], "s": np.array(COLUMNS["s"], object)},
}


def column(data: Any, name: str) -> list[Any]:
    """A column of any frame as Python values, None for nulls."""
    if isinstance(data, pl.LazyFrame):
        data = data.collect()
    if isinstance(data, pa.RecordBatchReader):
        data = data.read_all()
    values = data[name]
    values = (
        values.to_list()
        if hasattr(values, "to_list")
        else values.to_pylist()
        if hasattr(values, "to_pylist")
        else values.tolist()
    )
    return [None if value is None or value is pd.NA or value != value else value for value in values]


@pytest.mark.parametrize("kind", list(FRAMES))
def test_a_frame_comes_back_as_what_it_was(kind: str) -> None:
    """The same kind, the same rows, and one column for each aggregation."""
    data = FRAMES[kind]()
    result = rolling(
        data,
        on="t",
        window="3d",
        spent=sash.Sum("v"),
        peak=sash.Max("v"),
        path=sash.Concat("s"),
        last=sash.Last("s"),
        where=sash.ArgMax("v", "t"),
        mean=sash.Mean("v"),
        shops=sash.CountDistinct("s"),
    )
    assert type(result) is type(data)
    if isinstance(result, pa.RecordBatchReader):
        result = result.read_all()
    assert column(result, "spent") == [5, 6, 8, 4]
    assert column(result, "peak") == [5, 5, 5, 4]
    assert column(result, "path") == ["a", "ab", "ab", "d"]
    assert column(result, "last") == ["a", "b", "b", "d"]
    assert column(result, "mean") == [5.0, 3.0, 8 / 3, 4.0]
    assert column(result, "shops") == [1, 2, 2, 1]
    where = [np.datetime64(time, "us") for time in column(result, "where")]
    assert where == [TIMES[0], TIMES[0], TIMES[0], TIMES[3]]
    if kind == "pandas":
        assert result.index.tolist() == [10, 20, 30, 40]


def test_the_data_is_not_changed() -> None:
    """What was passed in is as it was."""
    frame = pandas_frame()
    rolling(frame, on="t", window="3d", spent=sash.Sum("v"))
    pd.testing.assert_frame_equal(frame, pandas_frame())


def test_types_of_results_do_not_depend_on_the_data() -> None:
    """What may be null is nullable even if nothing is; sums and counts stay plain integers."""
    result = rolling(
        pandas_frame(),
        on="t",
        window="3d",
        total=sash.Sum("v"),
        peak=sash.Max("v"),
        any=sash.Count(),
        last=sash.Last("v"),
    )
    assert {name: str(result[name].dtype) for name in ("total", "peak", "any", "last")} == {
        "total": "int64",
        "peak": "Int64",
        "any": "int64",
        "last": "Int64",
    }


def test_a_level_of_the_index_is_a_column() -> None:
    """pandas keeps times in the index as a rule: name it."""
    frame = pandas_frame().set_index("t")
    assert rolling(frame, on="t", window="3d", spent=sash.Sum("v"))["spent"].tolist() == [5, 6, 8, 4]


def test_nullable_columns_of_pandas() -> None:
    """pd.NA is a null, and integers beyond 2**53 are not rounded on the way."""
    frame = pd.DataFrame({"t": [1, 2, 3], "v": pd.array([2**60 + 1, None, 1], "Int64")})
    result = rolling(frame, on="t", window=TimeWindow(2), total=sash.Sum("v"), peak=sash.Max("v"))
    assert result["total"].tolist() == [2**60 + 1, 2**60 + 1, 1]
    assert result["peak"].tolist() == [2**60 + 1, 2**60 + 1, 1]


def test_foreign_frames_come_back_as_tables() -> None:
    """Whatever has a C stream of Arrow is read through it."""

    class Foreign:
        def __arrow_c_stream__(self, schema: Any = None) -> Any:
            return table().__arrow_c_stream__(schema)

    assert column(rolling(Foreign(), on="t", window="3d", spent=sash.Sum("v")), "spent") == [5, 6, 8, 4]


def test_records_are_structs_of_arrow() -> None:
    """Results with several parts are structs in Arrow and polars, and what Arrow has no type for is an error."""
    frame = pa.table({"t": [1, 2, 3], "v": [1.0, 2.0, 4.0]})
    parts: Any = {"on": "t", "window": TimeWindow(2)}
    both = sash.Composite(total=sash.Sum("v"), first=sash.First("v"))
    out = rolling(frame, **parts, both=both, row=sash.ArgMax("v"), points=sash.M4("v"))
    assert column(out, "both")[1] == {"total": 3.0, "first": 1.0}
    assert column(out, "row")[1] == {"t": 2, "v": 2.0}
    assert column(out, "points")[1]["first"] == {"time": 1, "value": 1.0}
    with pytest.raises(TypeError, match="Arrow has no type"):
        rolling(frame, **parts, seen=sash.Bloom("v"))


def test_null_keys_are_a_key() -> None:
    """Rows without a key have windows of their own."""
    for frame in (
        pd.DataFrame({"k": ["a", None, "a", None], "v": [1, 2, 3, 4]}),
        pa.table({"k": ["a", None, "a", None], "v": [1, 2, 3, 4]}),
        {"k": np.array([1.0, np.nan, 1.0, np.nan]), "v": np.array([1, 2, 3, 4])},
    ):
        assert column(rolling(frame, by="k", window=10, total=sash.Sum("v")), "total") == [1, 2, 4, 6]


def test_keys_of_several_columns() -> None:
    """A key may be a tuple, of any types."""
    frame = pl.DataFrame({"a": ["x", "x", "y", "x"], "b": [1, 2, 1, 1], "v": [1, 2, 3, 4]})
    assert rolling(frame, by=["a", "b"], window=9, total=sash.Sum("v"))["total"].to_list() == [1, 2, 3, 5]


@pytest.mark.parametrize("keys", [np.array([2**62, 5, 2**62, -(2**62)]), np.array([3, 1, 3, 2], np.uint8)])
def test_keys_far_apart_and_close_together(keys: Any) -> None:
    """Integers far apart are hashed, those close together counted."""
    frame = {"k": keys, "v": np.array([1, 2, 3, 4])}
    assert rolling(frame, by="k", window=9, total=sash.Sum("v"))["total"].tolist() == [1, 2, 4, 4]


def test_a_null_time_is_an_error_with_its_row() -> None:
    """A row without a time has no window."""
    frame = pandas_frame()
    frame.loc[30, "t"] = pd.NaT
    with pytest.raises(ValueError, match=r"column 't': .* position 2"):
        rolling(frame, on="t", window="3d", spent=sash.Sum("v"))


def test_all_that_does_not_fit_is_told_at_once() -> None:
    """A missing column, a taken name and a wrong type are three problems of one error."""
    with pytest.raises(PlanError) as caught:
        rolling(pandas_frame().assign(spent=1), on="time", window="3d", spent=sash.Sum("v"), text=sash.Sum("t"))
    message = str(caught.value)
    assert "no column 'time'" in message
    assert "column 'spent' already" in message
    assert "reads numbers, and column 't' is datetime64[us]" in message


def test_a_duration_is_no_time() -> None:
    """The way out for a column of durations is a number, not a difference of times."""
    frame = pd.DataFrame({"t": [1, 2], "took": pd.to_timedelta([1, 2], unit="s")})
    for one in (frame, pl.from_pandas(frame), pa.Table.from_pandas(frame)):
        with pytest.raises(PlanError, match="give 'took' as a number, such as its seconds"):
            rolling(one, on="t", window=2, total=sash.Mean("took"))


def test_a_decimal_is_to_be_a_number() -> None:
    """For products: a float rounds it, an integer of its smallest unit does not. The error says both, at every door."""
    table = pa.table({"t": [1, 2], "paid": pa.array([Decimal("1.25"), None], pa.decimal128(9, 2))})
    for one in (table, pl.from_arrow(table)):
        with pytest.raises(PlanError, match="give 'paid' as a float or, exactly, as an integer"):
            rolling(one, on="t", window=2, total=sash.Product("paid"))
    with pytest.raises(TypeError, match="pass a float or, exactly, an integer: "):
        sash.Sliding(sash.Product("paid"), 2, on="t").push(table.to_pylist()[0])


def test_an_overflow_names_the_row() -> None:
    """An integer sum that does not fit is an error, never a wrong number; one that fits in the end is none."""
    frame = {"v": np.array([1, 2**62, 2**62, -(2**62), 5])}
    with pytest.raises(OverflowError, match="row 2"):
        rolling(frame, window=2, total=sash.Sum("v"))
    fits = {"v": np.array([2**62, -(2**62), 2**62, -(2**62)])}
    assert rolling(fits, window=4, total=sash.Sum("v"))["total"].tolist() == [2**62, 0, 2**62, 0]


def test_nan_as_the_aggregation_says() -> None:
    """NaN is a null, or goes into the result, or is an error with its row."""
    frame = {"v": np.array([1.0, np.nan, 3.0])}
    total = rolling(
        frame, window=2, a=sash.Sum("v"), b=sash.Max("v", nan="propagate"), c=sash.Min("v", nan="propagate")
    )
    assert total["a"].tolist() == [1.0, 1.0, 3.0]
    np.testing.assert_array_equal(total["b"], [1.0, np.nan, np.nan])
    np.testing.assert_array_equal(total["c"], [1.0, np.nan, np.nan])
    with pytest.raises(ValueError, match="row 1"):
        rolling(frame, window=2, total=sash.Sum("v", nan="error"))


@pytest.mark.parametrize("kind", list(FRAMES))
def test_an_empty_frame_gets_its_columns(kind: str) -> None:
    """No rows in, no rows out, and the columns are there."""
    data = FRAMES[kind]()
    if kind == "arrays":
        empty: Any = {name: array[:0] for name, array in data.items()}
    elif kind == "reader":
        empty = table().slice(0, 0).to_reader()
    else:
        empty = data.slice(0, 0) if hasattr(data, "slice") else data.iloc[:0]
    result = rolling(empty, on="t", window="3d", n=sash.Count(), last=sash.Last("s"), path=sash.Concat("s"))
    assert column(result, "n") == []


def test_one_row() -> None:
    """A row alone is its own window, unless the end is out."""
    frame = {"t": np.array([5]), "v": np.array([2.5])}
    assert rolling(frame, on="t", window=TimeWindow(1), total=sash.Sum("v"))["total"].tolist() == [2.5]
    out = rolling(frame, on="t", window=TimeWindow(1, closed="left"), total=sash.Sum("v"), peak=sash.Max("v"))
    assert out["total"].tolist() == [0.0]
    assert np.isnan(out["peak"]).all()


def test_daylight_saving_does_not_stretch_an_hour() -> None:
    """Zones change what a clock shows, not how long a window is."""
    zone = "Europe/Berlin"
    times = pd.date_range("2024-03-31 00:00", "2024-03-31 06:00", freq="30min", tz=zone)
    frame = pd.DataFrame({"t": times, "v": 1})
    assert rolling(frame, on="t", window="2h", n=sash.Count())["n"].tolist()[3:] == [4] * (len(times) - 3)
    arrow = pa.Table.from_pandas(frame)
    assert column(rolling(arrow, on="t", window="2h", n=sash.Count()), "n")[3:] == [4] * (len(times) - 3)


def test_leap_days_and_negative_times_and_nanoseconds() -> None:
    """29 February is a day as any other; times before 1970 and steps of 1 ns are exact."""
    days = np.array(["2024-02-28", "2024-02-29", "2024-03-01"], "datetime64[D]")
    assert rolling({"t": days}, on="t", window="2d", n=sash.Count())["n"].tolist() == [1, 2, 2]
    old = np.array([-(2**63) + 1, -5, 0, 2**63 - 1])
    assert rolling({"t": old}, on="t", window=TimeWindow(6), n=sash.Count())["n"].tolist() == [1, 1, 2, 1]
    fine = np.array([0, 1, 2], "datetime64[ns]")
    assert rolling({"t": fine}, on="t", window="2ns", n=sash.Count())["n"].tolist() == [1, 2, 2]
    dates = pa.table({"t": [dt.date(2024, 2, 28), dt.date(2024, 2, 29)]})
    assert column(rolling(dates, on="t", window="1d", n=sash.Count()), "n") == [1, 1]


def test_sessions_tumbling_and_landmarks() -> None:
    """Policies other than lengths and counts give what they hold so far."""
    frame = {"t": np.array([1, 2, 6, 7, 20, 21]), "s": np.array(list("abcdef"), object)}

    def path(window: Any) -> list[Any]:
        values: list[Any] = rolling(frame, on="t", window=window, path=sash.Concat("s"))["path"].tolist()
        return values

    assert path(SessionWindow(4)) == ["a", "ab", "c", "cd", "e", "ef"]
    assert path(TumblingWindow(5)) == ["a", "ab", "c", "cd", "e", "f"]
    assert path(TumblingWindow(7, closed="left")) == ["a", "ab", "abc", "d", "e", "f"]
    assert path(TumblingWindow(count=4)) == ["a", "ab", "abc", "abcd", "e", "ef"]
    assert path(LandmarkWindow(since=6)) == [None, None, "c", "cd", "cde", "cdef"]
    assert path(LandmarkWindow()) == ["a", "ab", "abc", "abcd", "abcde", "abcdef"]


def test_windows_that_are_not_of_a_row_are_refused() -> None:
    """A frame gets one result a row: what emits at other times is for sash.Sliding."""
    frame = {"t": np.array([1, 2]), "v": np.array([1, 2])}
    for window in (CountWindow(4, every=2), [TimeWindow(4, every=2), TimeWindow(5)]):
        with pytest.raises(PlanError, match="every="):
            rolling(frame, on="t", window=window, n=sash.Count())
    with pytest.raises(PlanError, match="Sliding"):
        rolling(frame, on="t", window=SessionWindow(3), emit="arrival", n=sash.Count())
    with pytest.raises(PlanError, match="no unit"):
        rolling(frame, on="t", window="3d", n=sash.Count())


def test_a_user_s_aggregation_and_its_errors() -> None:
    """Methods in Python are called from the pass; what they raise comes out, with a note of the column."""
    longest = sash.aggregation(
        combine=lambda a, b: b if len(b) > len(a) else a, identity="", name="longest", column="s"
    )
    frame = {"s": np.array(["aa", "b", "ccc", "d"], object)}
    assert rolling(frame, window=2, top=longest)["top"].tolist() == ["aa", "aa", "ccc", "ccc"]
    broken = sash.aggregation(combine=lambda a, b: a / 0, identity=0, column="v")
    with pytest.raises(ZeroDivisionError):
        rolling({"v": np.array([1, 2, 3])}, window=2, top=broken)


def test_a_million_rows_of_one_key_and_a_hundred_thousand_keys() -> None:
    """Large frames agree with NumPy where it has an answer."""
    rng = np.random.default_rng(3)
    values = rng.integers(-9, 9, 1_000_000)
    sums = np.cumsum(values)
    total = rolling({"t": np.arange(1_000_000), "v": values}, on="t", window=TimeWindow(1000), total=sash.Sum("v"))
    assert (total["total"][1000:] == sums[1000:] - sums[:-1000]).all()
    keys = rng.integers(0, 100_000, 400_000)
    counted = rolling({"k": keys, "t": np.arange(400_000)}, by="k", on="t", window=TimeWindow(400_000), n=sash.Count())
    assert np.bincount(keys).max() == counted["n"].max()
    assert (np.sort(counted["n"]) == np.sort(pd.Series(keys).groupby(keys).cumcount() + 1)).all()


def test_pandas_and_numpy_need_no_arrow(monkeypatch: pytest.MonkeyPatch) -> None:
    """Without pyarrow, frames that do not go through it work; the others say what to install."""
    monkeypatch.setitem(sys.modules, "pyarrow", None)
    parts: Any = {"on": "t", "by": "s", "window": "3d", "total": sash.Sum("v"), "last": sash.Last("s")}
    if pd.__version__ < "3":  # from then on pandas itself reads names of columns through pyarrow
        assert rolling(pandas_frame(), **parts)["total"].tolist() == [5, 1, 2, 4]
    assert rolling(FRAMES["arrays"](), **parts)["total"].tolist() == [5, 1, 2, 4]

    class Foreign:
        def __arrow_c_stream__(self, schema: Any = None) -> Any:
            raise AssertionError("not without pyarrow")

    with pytest.raises(TypeError, match="pip install 'pyarrow"):
        rolling(Foreign(), **parts)
