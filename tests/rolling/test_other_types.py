"""Columns that are no 64-bit numbers and have an order: decimals, times, durations and texts, in every frame."""

from __future__ import annotations

import datetime as dt
from decimal import Decimal
from typing import Any

import duckdb
import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

import sash
from sash import Plan, PlanError, TimeWindow, rolling
from sash.frames.wide import Wide, digits
from tests.rolling import brute

UTC = dt.UTC
BERLIN = "Europe/Berlin"
Row = dict[str, Any]

TYPES = {
    "small": pa.decimal128(9, 2),
    "large": pa.decimal128(38, 4),
    "vast": pa.decimal256(50, 2),
    "when": pa.timestamp("us"),
    "there": pa.timestamp("ms", tz=BERLIN),
    "day": pa.date32(),
    "clock": pa.time64("us"),
    "took": pa.duration("us"),
    "text": pa.string(),
    "code": pa.binary(),
}
#: What each aggregation takes.
ORDERED = list(TYPES)
MEASURED = ["small", "large", "vast", "when", "there", "day", "took"]
ADDED = ["small", "large", "took"]


def rows_of(seed: int, count: int, late: bool = False) -> list[Row]:
    """Rows with nulls, equal values and negative ones; in order of time, or not."""
    rng = np.random.default_rng(seed)

    def some(values: list[Any]) -> Any:
        return None if rng.random() < 0.2 else values[int(rng.integers(len(values)))]

    times = rng.integers(0, 60, count)
    start = dt.datetime(2024, 3, 31, 0, 30)
    return [
        {
            "t": int(time),
            "k": int(rng.integers(3)),
            "small": some([Decimal(i) / 4 for i in range(-6, 7)]),
            "large": some([Decimal(i) * 10**28 + Decimal("0.0001") for i in range(-4, 5)]),
            "vast": some([Decimal(i) * 10**30 for i in range(-4, 5)]),
            "when": some([start + dt.timedelta(minutes=20 * i) for i in range(9)]),
            "there": some([start.replace(tzinfo=UTC) + dt.timedelta(minutes=20 * i) for i in range(9)]),
            "day": some([dt.date(2024, 2, 26) + dt.timedelta(days=i) for i in range(9)]),
            "clock": some([dt.time(i, 30) for i in range(9)]),
            "took": some([dt.timedelta(seconds=i, microseconds=1) for i in range(-4, 5)]),
            "text": some(["", "a", "B", "aa", "é", "ﬀ", "\U0001f600", "z"]),
            "code": some([b"", b"a", b"\xff"]),
        }
        for time in (times if late else np.sort(times))
    ]


def table_of(rows: list[Row]) -> pa.Table:
    schema = pa.schema({"t": pa.int64(), "k": pa.int64(), **TYPES})
    return pa.Table.from_pylist(rows, schema)


def aggregations() -> dict[str, sash.Aggregation]:
    made: dict[str, sash.Aggregation] = {}
    for name in ORDERED:
        made |= {f"max_{name}": sash.Max(name), f"min_{name}": sash.Min(name)}
        made |= {f"most_{name}": sash.MaxCount(name), f"least_{name}": sash.MinCount(name)}
        made |= {f"best_{name}": sash.ArgMax(name, "text"), f"worst_{name}": sash.ArgMin(name, ["t", "k"])}
        made |= {f"top_{name}": sash.TopK(name, k=2), f"by_{name}": sash.BottomK("t", by=name, k=2)}
        made |= {f"mode_{name}": sash.Mode(name), f"different_{name}": sash.CountDistinct(name)}
        made |= {f"first_{name}": sash.First(name), f"last_{name}": sash.Last(name), f"all_{name}": sash.Collect(name)}
    made |= {f"range_{name}": sash.Range(name) for name in MEASURED}
    made |= {f"delta_{name}": sash.Delta(name) for name in MEASURED}
    return made | {f"sum_{name}": sash.Sum(name) for name in ADDED}


def plain(value: Any) -> Any:
    """None for what is null; instants in one zone; records as tuples."""
    if isinstance(value, (list, tuple)):
        return [plain(one) for one in value]
    if isinstance(value, dict):
        return {name: plain(one) for name, one in value.items()}
    if value is None or value is pd.NA or value != value:
        return None
    return value.astimezone(UTC) if isinstance(value, dt.datetime) and value.tzinfo else value


def check(found: dict[str, list[Any]], rows: list[Row], plan: Plan) -> None:
    for column, expected in brute.rolling(rows, plan).items():
        # By the definition a sum of nothing is 0, whatever of.
        given, wanted = (
            [0 if one == dt.timedelta(0) else one for one in plain(list(values))]
            for values in (found[column], expected)
        )
        assert given == wanted, column


@pytest.mark.parametrize("late", [False, True])
@pytest.mark.parametrize("emit", ["final", "arrival"])
def test_every_frame_gives_what_the_definition_gives(emit: Any, late: bool) -> None:
    """Arrow, polars and pandas, by key, over several windows; nulls are passed over, and an empty window has none."""
    rows = rows_of(1, 60, late)
    table = table_of(rows)
    plan = Plan(
        by="k",
        on="t",
        windows=[TimeWindow(9), TimeWindow(7, closed="neither"), 4],
        aggregations=aggregations(),
        emit=emit,
    )
    found = rolling(table, plan)
    check(found.to_pydict(), rows, plan)
    check(
        rolling(pl.from_arrow(table.drop_columns("vast")), _without(plan, "vast")).to_dict(as_series=False),
        rows,
        _without(plan, "vast"),
    )
    in_arrow = rolling(table.to_pandas(types_mapper=pd.ArrowDtype), plan)
    check({name: in_arrow[name].tolist() for name in plan.outputs}, rows, plan)
    objects = rolling(pd.DataFrame(rows).astype(dict.fromkeys(TYPES, object)), plan)
    check({name: objects[name].tolist() for name in plan.outputs}, rows, plan)


def _without(plan: Plan, column: str) -> Plan:
    kept = {name: one for name, one in plan.aggregations.items() if column not in one.columns}
    return Plan(**plan._parts() | {"aggregations": kept})


def test_results_have_the_types_of_their_columns() -> None:
    """One of the values has its own type; sums and differences of decimals have 38 digits, those of times are
    durations."""
    out = rolling(table_of(rows_of(2, 30)), on="t", window=5, **aggregations())
    for name, kind in TYPES.items():
        assert out.schema.field(f"max_{name}").type == kind
        assert out.schema.field(f"mode_{name}").type == kind
    assert out.schema.field("sum_small").type == pa.decimal128(38, 2)
    assert out.schema.field("range_vast").type == pa.decimal128(38, 2)
    assert out.schema.field("range_when").type == pa.duration("us")
    assert out.schema.field("delta_there").type == pa.duration("ms")
    assert out.schema.field("range_day").type == pa.duration("s")
    assert out.schema.field("sum_took").type == pa.duration("us")
    assert out.schema.field("best_small").type == pa.string()


def test_columns_of_pandas_keep_their_types() -> None:
    """Times with and without a zone, of any unit; texts; categories in their own order, or in that of their values."""
    when = pd.to_datetime(["2024-01-02", "2024-01-01", None, "2024-01-03"])
    frame = pd.DataFrame(
        {
            "s": when.astype("datetime64[s]"),
            "z": when.tz_localize(BERLIN),
            "d": pd.to_timedelta([2, -1, None, 3], unit="h"),
            "x": pd.array(["b", "a", None, "c"], "string"),
            "c": pd.Categorical(["low", "high", None, "mid"], ["low", "mid", "high"], ordered=True),
            "u": pd.Categorical(["low", "high", None, "mid"]),
        }
    )
    out = rolling(
        frame,
        window=4,
        **{f"max_{name}": sash.Max(name) for name in frame.columns},
        span=sash.Range("z"),
        total=sash.Sum("d"),
    )
    for name in frame.columns:
        assert out[f"max_{name}"].dtype == frame[name].dtype
    assert out["max_z"].tolist()[-1] == pd.Timestamp("2024-01-03", tz=BERLIN)
    assert out["max_c"].tolist() == ["low", "high", "high", "high"]
    assert out["max_u"].tolist() == ["low", "low", "low", "mid"]
    assert out["span"].tolist()[1:] == [pd.Timedelta(days=1), pd.Timedelta(days=1), pd.Timedelta(days=2)]
    assert out["total"].tolist() == [pd.Timedelta(hours=h) for h in (2, 1, 1, 4)]


def test_arrays_of_numpy() -> None:
    """datetime64, timedelta64 and texts; a masked array has nulls, and so has NaT."""
    frame = {
        "when": np.array(["2024-01-02", "NaT", "2024-01-01"], "datetime64[D]"),
        "took": np.array([2, 3, -4], "timedelta64[15m]"),
        "text": np.ma.MaskedArray(["b", "c", "a"], mask=[False, True, False]),
    }
    out = rolling(
        frame,
        window=3,
        latest=sash.Max("when"),
        span=sash.Range("when"),
        total=sash.Sum("took"),
        least=sash.Min("text"),
        often=sash.MaxCount("text"),
    )
    assert out["latest"].tolist() == [dt.date(2024, 1, 2)] * 3
    assert out["span"].tolist() == [dt.timedelta(0), dt.timedelta(0), dt.timedelta(days=1)]
    assert out["total"].dtype == "timedelta64[15m]"
    assert out["total"].tolist() == [dt.timedelta(minutes=15 * n) for n in (2, 5, 1)]
    assert out["least"].tolist() == ["b", "b", "a"]
    assert out["often"].tolist() == [1, 1, 1]


def test_windows_without_values() -> None:
    """Extremes have none, a sum is 0 of the type; with min_periods it is null too."""
    table = pa.table({"t": [1, 2], "paid": pa.array([None, Decimal("1.25")], pa.decimal128(9, 2))})
    out = rolling(table, on="t", window=1, top=sash.Max("paid"), total=sash.Sum("paid"), span=sash.Range("paid"))
    assert out["top"].to_pylist() == [None, Decimal("1.25")]
    assert out["total"].to_pylist() == [Decimal("0.00"), Decimal("1.25")]
    assert out["span"].to_pylist() == [None, Decimal("0.00")]
    assert rolling(table, on="t", window=1, min_periods=1, total=sash.Sum("paid"))["total"].to_pylist() == [
        None,
        Decimal("1.25"),
    ]


def test_decimals_are_read_as_floats_where_floats_are_computed() -> None:
    """Means, deviations, quantiles and regressions give floats, of the floats nearest to the decimals."""
    values = [Decimal("0.1"), None, Decimal("2.30"), Decimal("-7.77"), Decimal("123456789012345678.1234")]
    decimals = pa.table({"t": range(5), "x": pa.array(values, pa.decimal128(30, 4)), "y": [1.0, 2.0, 3.0, 5.0, 4.0]})
    floats = decimals.set_column(1, "x", pa.array([None if one is None else float(one) for one in values]))
    plan = Plan(
        on="t",
        windows=[2, TimeWindow(3)],
        aggregations={
            "mean": sash.Mean("x"),
            "std": sash.Std("x"),
            "median": sash.Median("x"),
            "corr": sash.Correlation("x", "y"),
            "other": sash.Covariance("y", "x"),
            "weighted": sash.WeightedMean("y", "y"),
        },
    )
    assert rolling(decimals, plan).drop_columns("x").equals(rolling(floats, plan).drop_columns("x"))


@pytest.mark.parametrize(
    ("one", "words"),
    [
        (sash.Product("small"), "give 'small' as a float or, exactly, as an integer"),
        (sash.Mean("took"), "give 'took' as a number, such as its seconds"),
        (sash.Sum("when"), "subtract 'when' and the results of First or Last"),
        (sash.Range("text"), "reads numbers, and column 'text' is string"),
        (sash.Sum("text"), "reads numbers, and column 'text' is string"),
        (sash.Range("clock"), "reads numbers, and column 'clock' is time64"),
    ],
    ids=repr,
)
def test_what_has_no_meaning_is_refused(one: sash.Aggregation, words: str) -> None:
    """Before anything runs, with the way out."""
    with pytest.raises(PlanError, match=words):
        rolling(table_of(rows_of(3, 5)), on="t", window=5, out=one)


def test_a_sum_that_has_too_many_digits_is_an_error() -> None:
    """It names the row; one that fits in the end is none."""
    most = Decimal("9" * 38)
    table = pa.table({"x": pa.array([most, Decimal(0), Decimal(f"-{most}"), most, Decimal(1)], pa.decimal128(38, 0))})
    assert rolling(table.slice(0, 4), window=4, s=sash.Sum("x"))["s"].to_pylist() == [most, most, 0, most]
    with pytest.raises(OverflowError, match=r"the result of row 4 has more than 38 digits"):
        rolling(table, window=2, s=sash.Sum("x"))


@pytest.mark.parametrize("threads", [1, 2])
def test_labels_slides_and_parts(threads: int) -> None:
    """At labels, with and without what was known, at slides and in parts there are the results of the rows."""
    rows = rows_of(4, 50)
    events = table_of(rows)
    plan = Plan(by="k", on="t", windows=TimeWindow(9), aggregations=aggregations())
    labels = events.select(["k", "t"])
    at = rolling(events, plan, at=labels, threads=threads)
    check(at.to_pydict(), rows, plan)
    known = rolling(events, plan, at=labels, known="t", threads=threads)
    assert known.equals(at)
    parts = pa.Table.from_batches(list(rolling(iter(events.to_batches(7)), plan, threads=threads)))
    assert parts.combine_chunks().to_pydict() == rolling(events, plan, threads=threads).to_pydict()
    slid = rolling(events, Plan(on="t", windows=TimeWindow(20, every=10), aggregations=aggregations()), threads=threads)
    for row in slid.to_pylist():
        inside = [one for one in rows if row["window_start"] < one["t"] <= row["window_end"]]
        for name in ("max_small", "min_text", "sum_large", "range_when", "sum_took"):
            over = aggregations()[name]
            assert row[f"{name}_20"] == brute.result(over, inside, list(range(len(inside))), None)


def test_conditions_and_calendars() -> None:
    """A condition is a mask; windows of months have lengths of their own."""
    days = [dt.datetime(2024, 1, 1) + dt.timedelta(days=9 * i) for i in range(12)]
    paid = [Decimal(i % 5) - 2 for i in range(12)]
    table = pa.table({"t": days, "paid": pa.array(paid, pa.decimal128(20, 1)), "card": [i % 3 > 0 for i in range(12)]})
    out = rolling(
        table,
        on="t",
        window=sash.CalendarWindow("1mo"),
        total=sash.Sum("paid"),
        top=sash.Max("paid"),
        by_card=sash.Sum("paid", where="card"),
    )
    for i, row in enumerate(out.to_pylist()):
        start = (pd.Timestamp(days[i]) - pd.DateOffset(months=1)).to_pydatetime()
        inside = [j for j in range(i + 1) if days[j] > start]
        assert row["total"] == sum(paid[j] for j in inside)
        assert row["top"] == max(paid[j] for j in inside)
        assert row["by_card"] == sum(paid[j] for j in inside if j % 3)


def test_a_window_by_value_runs_through_the_operator() -> None:
    """Sessions by a condition on values: the operator reads decimals, times and texts too."""
    rows = rows_of(5, 40)
    window = sash.PunctuatedWindow(lambda row: row["text"] == "a")
    over = {"total": sash.Sum("small"), "top": sash.Max("text"), "late": sash.Max("when")}
    out = rolling(table_of(rows), on="t", window=window, **over).to_pylist()
    assert any(row["total"] for row in out)
    assert all(row["total"] is None or isinstance(row["total"], (Decimal, int)) for row in out)


def test_the_engines_of_others_agree() -> None:
    """DuckDB and polars, over decimals, times and texts."""
    table = table_of(rows_of(6, 200)).select(["t", "k", "small", "when", "text"])
    table = table.append_column("n", pa.array(range(200)))
    out = rolling(
        table, window=10, top=sash.Max("small"), total=sash.Sum("small"), late=sash.Max("when"), least=sash.Min("text")
    )
    over = "over (order by n rows between 9 preceding and current row)"
    connection = duckdb.connect()
    connection.register("events", table)
    found = connection.sql(
        f'select max(small) {over} as top, coalesce(sum(small) {over}, 0) as total, max("when") {over} as late,'
        f" min(text) {over} as least from events order by n"
    )
    for name, column in zip(found.columns, zip(*found.fetchall(), strict=True), strict=True):
        assert out[name].to_pylist() == list(column)
    ranked = pl.from_arrow(table).with_columns(pl.col("when").rolling_max(10, min_samples=1).alias("late"))
    assert out["late"].to_pylist() == ranked["late"].to_list()


wide = st.integers(-(10**38) + 1, 10**38 - 1)


@given(st.lists(st.tuples(wide, wide), min_size=1))
def test_wide_numbers(pairs: list[tuple[int, int]]) -> None:
    """Differences and sums are those of Python's integers, or an error if they have more than 38 digits."""
    one, other = (_wide([pair[i] for pair in pairs]) for i in (0, 1))
    assert one.integers() == [pair[0] for pair in pairs]
    expected = [a - b for a, b in pairs]
    if max(map(abs, expected)) >= 10**38:
        with pytest.raises(OverflowError):
            one.minus(other).checked()
    else:
        assert one.minus(other).checked().integers() == expected
    parts = [np.array([part.sum()]) for part in digits(one, len(pairs))]
    total = sum(pair[0] for pair in pairs)
    if abs(total) >= 10**38:
        with pytest.raises(OverflowError):
            Wide.total(parts).checked()
    else:
        assert (Wide.of(parts[0]) if len(parts) == 1 else Wide.total(parts)).integers() == [total]


def _wide(numbers: list[int]) -> Wide:
    words = [word for number in numbers for word in (number & (2**64 - 1), number >> 64 & (2**64 - 1))]
    return Wide.of_words(np.array(words, np.uint64))
