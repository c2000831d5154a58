"""Columns that are no 64-bit numbers and have an order: decimals, times, durations and texts, in every frame."""

from __future__ import annotations

import datetime as dt
from decimal import Decimal
from typing import Any
from zoneinfo import ZoneInfo

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
from sash.frames.arrow import ArrowFrame
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
        (sash.Range("clock"), "reads numbers, and column 'clock' is time64.*give 'clock' as a number"),
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


KEPT = {
    "stamp": pa.timestamp("ns"),
    "zoned": pa.timestamp("ms", tz=BERLIN),
    "took": pa.duration("ns"),
    "paid": pa.decimal128(20, 2),
    "narrow": pa.decimal32(5, 1),
    "name": pa.large_string(),
    "empty": pa.decimal64(15, 1),
}
LISTS = {"top": sash.TopK, "all": sash.Collect, "each": sash.CollectDistinct}


@pytest.mark.parametrize(
    "window", [TimeWindow(5), sash.PunctuatedWindow(lambda row: row["t"] == 9)], ids=["time", "values"]
)
@pytest.mark.parametrize("name", KEPT)
def test_lists_and_results_of_the_operator_have_the_type_of_the_column(name: str, window: Any) -> None:
    """And so all of its digits, whatever values there are; Arrow by itself would find microseconds."""
    kind = KEPT[name]
    first, last = (Decimal(5), Decimal(30)) if pa.types.is_decimal(kind) else ("a", "b") if name == "name" else (5, 30)
    values = [None] * 3 if name == "empty" else [last, None, first]
    table = pa.table({"t": [3, 1, 2], "x": pa.array(values, kind)})
    lists = {"top": sash.TopK("x"), "all": sash.Collect("x"), "each": sash.CollectDistinct("x")}
    ones = {"best": sash.Max("x"), "last": sash.Last("x"), "before": sash.IthYoungest("x", i=1)}
    spans = {} if name == "name" else {"span": sash.Range("x"), "gain": sash.Delta("x")}
    plan = Plan(on="t", windows=window, aggregations=lists | ones | spans)
    out = rolling(table, plan)
    found = {one: out[column] for one, column in zip(plan.aggregations, plan.outputs, strict=True)}
    assert {found[one].type for one in lists} == {pa.list_(kind)}
    assert {found[one].type for one in ones} == {kind}
    amount = (
        pa.decimal128(38, kind.scale) if pa.types.is_decimal(kind) else None if not spans else pa.duration(kind.unit)
    )
    assert {found[one].type for one in spans} == ({amount} if spans else set())
    there = [] if name == "empty" else [table["x"][0].as_py(), table["x"][2].as_py()]
    assert found["top"].to_pylist()[0] == there
    assert found["all"].to_pylist()[0] == there[::-1]
    assert found["best"].to_pylist()[0] == (there[0] if there else None)


def test_results_at_arrival_have_the_type_of_the_column_too() -> None:
    """Late rows take another way to the same types."""
    table = pa.table({"t": [3, 1, 2], "x": pa.array([5, None, 3], pa.timestamp("ns"))})
    out = rolling(table, on="t", window=5, emit="arrival", top=sash.TopK("x", k=1), before=sash.IthYoungest("x", i=1))
    assert [field.type for field in out.schema][-2:] == [pa.list_(pa.timestamp("ns")), pa.timestamp("ns")]
    at = rolling(table, on="t", window=5, at=pa.table({"t": [9, 3]}), top=sash.TopK("x", k=1))
    assert at["top"].type == pa.list_(pa.timestamp("ns"))
    assert at["top"].to_pylist()[1] == [pd.Timestamp(5)]
    months = pa.table({"t": [dt.datetime(2024, month, 1) for month in (1, 2, 3)], "x": table["x"]})
    calendar = rolling(months, on="t", window=sash.CalendarWindow("1mo"), top=sash.TopK("x"), all=sash.Collect("x"))
    assert {calendar["top"].type, calendar["all"].type} == {pa.list_(pa.timestamp("ns"))}


@pytest.mark.parametrize("kind", [pa.decimal32(7, 2), pa.decimal64(15, 2), pa.decimal256(30, 2)], ids=str)
def test_decimals_of_every_width(kind: Any) -> None:
    """As those of 128 bits, as values, as keys and in slices of chunks."""
    values = [Decimal("9.99"), Decimal("1.25"), None, Decimal("-2.50"), Decimal("1.25"), Decimal("7")]
    wide = pa.array(values, pa.decimal128(20, 2))
    column = pa.chunked_array([wide.slice(1, 2).cast(kind), wide.cast(kind).slice(3, 2)])
    over = {"top": sash.Max("x"), "total": sash.Sum("x"), "mean": sash.Mean("x"), "n": sash.CountDistinct("x")}
    over |= {"mode": sash.Mode("x"), "often": sash.MaxCount("x"), "gain": sash.Delta("x")}
    out = rolling(pa.table({"x": column, "k": column}), window=4, **over)
    same = rolling(pa.table({"x": wide.slice(1, 4)}), window=4, **over)
    assert out["top"].type == kind
    assert [out[name].to_pylist() for name in over] == [same[name].to_pylist() for name in over]
    assert rolling(pa.table({"k": column}), by="k", window=4, n=sash.Count())["n"].to_pylist() == [1, 1, 1, 2]


@pytest.mark.parametrize("how", [pl.DataFrame, pa.table], ids=["polars", "arrow"])
def test_ordered_categories_have_their_own_order(how: Any) -> None:
    """In polars and Arrow as in pandas."""
    size = pl.Series(["mid", None, "low", "high"], dtype=pl.Enum(["low", "mid", "high"]))
    frame = how({"size": size if how is pl.DataFrame else size.to_arrow(), "n": [0, 1, 2, 3]})
    over = {"most": sash.Max("size"), "least": sash.Min("size"), "often": sash.MinCount("size")}
    out = rolling(frame, window=4, **over, row=sash.ArgMin("size", "n"), all=sash.TopK("size", k=2))
    found = {name: list(out[name].to_list() if how is pl.DataFrame else out[name].to_pylist()) for name in over}
    assert found == {"most": ["mid", "mid", "mid", "high"], "least": ["mid", "mid", "low", "low"], "often": [1] * 4}
    last = out.to_dicts()[-1] if how is pl.DataFrame else out.to_pylist()[-1]
    assert (last["row"], last["all"]) == (2, ["high", "mid"])


@pytest.mark.parametrize("order", ["<", ">"])
@pytest.mark.parametrize("kind", ["m8[s]", "M8[s]"])
def test_times_in_any_byte_order(order: str, kind: str) -> None:
    """Of arrays from files, say, whose bytes lie the other way round."""
    frame = {"x": np.array([5, -3, 9], f"{order}{kind}"), "k": np.array([5, -3, 5], f"{order}{kind}")}
    over = {"top": sash.Max("x"), "span": sash.Range("x"), "gain": sash.Delta("x")}
    over |= {"total": sash.Sum("x")} if kind[0] == "m" else {}
    out = rolling(frame, window=2, **over)
    expected = {"top": [5, 5, 9], "span": [0, 8, 12], "gain": [0, -8, 12], "total": [5, 2, 6]}
    assert {name: out[name].astype(np.int64).tolist() for name in over} == {name: expected[name] for name in over}
    assert rolling(frame, by="k", window=2, n=sash.Count())["n"].tolist() == [1, 1, 2]


def test_a_duration_that_does_not_fit_is_an_error_where_it_is_a_result() -> None:
    """It names the row; where min_periods leaves the result out there is none. NaT is no duration."""
    long = np.array([2**62, 2**62, -9], "m8[s]")
    for frame in ({"x": long}, pa.table({"x": long}), pd.DataFrame({"x": long})):
        with pytest.raises(OverflowError, match=r"the result of row 1, a duration, does not fit in 64 bits"):
            rolling(frame, window=2, total=sash.Sum("x"))
        out = rolling(frame, window=2, min_periods=3, total=sash.Sum("x"))["total"]
        assert pd.isna(pd.Series(out)).all()
    with pytest.raises(OverflowError, match="row 1"):
        rolling({"x": np.array([-(2**62), -(2**62)], "m8[s]")}, window=2, total=sash.Sum("x"))


def test_objects_that_are_no_values() -> None:
    """NA and NaT among texts and times are null; a decimal that is not finite is what the definition says it is."""
    texts = np.array(["b", pd.NA, "a"], object)
    times = np.array([dt.date(2024, 1, 2), pd.NaT, dt.date(2024, 1, 1)], object)
    for column in (texts, times):
        for frame in ({"x": column}, pd.DataFrame({"x": column})):
            assert list(rolling(frame, window=3, top=sash.Max("x"))["top"]) == [column[0]] * 3
    finite = [Decimal(1), Decimal("0.5")]
    for one in (sash.Max("x"), sash.TopK("x"), sash.Sum("x"), sash.ArgMax("x", "x")):
        infinite = np.array([*finite, Decimal("Infinity")], object)
        for frame in ({"x": infinite}, pd.DataFrame({"x": infinite})):
            with pytest.raises(ValueError, match="a decimal is finite"):
                rolling(frame, window=3, out=one)
    with pytest.raises(ValueError, match="a decimal is finite"):
        rolling({"x": np.array([*finite, Decimal("sNaN")], object)}, window=3, out=sash.Max("x", nan="propagate"))
    nan = {"x": np.array([*finite, Decimal("NaN")], object)}
    assert list(rolling(nan, window=3, top=sash.Max("x"))["top"]) == [1, 1, 1]
    with pytest.raises(ValueError, match="is NaN"):
        rolling(nan, window=3, top=sash.Max("x", nan="error"))


def test_datetimes_of_objects_are_instants() -> None:
    """As those of a column with a zone are, also where the clock was put back in between."""
    zone = ZoneInfo(BERLIN)
    early = dt.datetime(2024, 10, 27, 2, 45, tzinfo=zone)
    late = dt.datetime(2024, 10, 27, 2, 30, fold=1, tzinfo=zone)
    for frame in ({"x": np.array([late, early], object)}, pd.DataFrame({"x": pd.Series([late, early], dtype=object)})):
        out = rolling(
            frame, window=2, top=sash.Max("x"), span=sash.Range("x"), all=sash.TopK("x"), n=sash.MinCount("x")
        )
        assert [one.fold for one in out["top"]] == [1, 1]
        assert list(out["span"])[1] == dt.timedelta(minutes=45)
        assert [one.fold for one in list(out["all"])[1]] == [1, 0]
        assert list(out["n"]) == [1, 1]


def test_what_has_no_order_is_refused() -> None:
    """In words that fit what takes more than numbers."""
    table = pa.table({"x": [[1], [2]]})
    with pytest.raises(PlanError, match=r"Max\(\"x\"\) reads what has an order, and column 'x' is list"):
        rolling(table, window=2, top=sash.Max("x"))


def test_bytes_of_one_length_have_an_order() -> None:
    """Identifiers, say; as all bytes."""
    table = pa.table({"x": pa.array([b"bb", None, b"\xff\x00", b"aa"], pa.binary(2))}).slice(1)
    out = rolling(table, window=3, top=sash.Max("x"), least=sash.Min("x"), all=sash.TopK("x"))
    assert out["top"].type == pa.binary(2)
    assert out["top"].to_pylist() == [None, b"\xff\x00", b"\xff\x00"]
    assert out["least"].to_pylist() == [None, b"\xff\x00", b"aa"]
    assert out["all"].to_pylist()[2] == [b"\xff\x00", b"aa"]


@pytest.mark.parametrize(
    "column",
    [pl.Series([Decimal(1), None], dtype=pl.Object), pl.Series([2**100, None], dtype=pl.Int128)],
    ids=["o", "i"],
)
def test_what_arrow_does_not_have_is_refused(column: pl.Series) -> None:
    """Python objects of polars would be compared by where they lie."""
    for over in (sash.Max("x"), sash.CountDistinct("x"), sash.Last("x")):
        with pytest.raises(TypeError, match=r"Arrow has no type for column 'x', which is .*: cast it first"):
            rolling(pl.DataFrame({"x": column}), window=2, out=over)


def test_the_order_of_a_column_is_found_once(monkeypatch: pytest.MonkeyPatch) -> None:
    """However many aggregations and conditions want it."""
    asked = []
    ordering = ArrowFrame.ordering
    monkeypatch.setattr(ArrowFrame, "ordering", lambda frame, name: (asked.append(name), ordering(frame, name))[1])
    over = {f"top_{n}": sash.Max("text", where=sash.col("k") > n) for n in range(4)}
    rolling(table_of(rows_of(7, 20)), on="t", window=[5, 9], least=sash.Min("text"), **over)
    assert asked == ["text"]
