"""Events that are rows: `on` and `by` name their columns, as in a plan."""

import datetime as dt

import numpy as np
import pandas as pd
import pyarrow as pa
import pytest

import sash

NOON = dt.datetime(2024, 5, 1, 12, tzinfo=dt.UTC)
ROWS = [
    {"card": "x", "time": NOON, "amount": 30, "shop": "a"},
    {"card": "y", "time": NOON + dt.timedelta(minutes=10), "amount": 5, "shop": "b"},
    {"card": "x", "time": NOON + dt.timedelta(minutes=50), "amount": 7, "shop": "c"},
    {"card": "x", "time": NOON + dt.timedelta(minutes=70), "amount": 1, "shop": "a"},
]
AGGREGATIONS = [
    sash.Sum("amount"),
    sash.ArgMax("amount", "shop"),
    sash.Concat("shop"),
    sash.Composite(spent=sash.Sum("amount"), shops=sash.CountDistinct("shop"), last=sash.Last("shop")),
]


def columns():
    return {name: [row[name] for row in ROWS] for name in ROWS[0]}


@pytest.mark.parametrize("aggregation", AGGREGATIONS, ids=repr)
def test_a_row_is_read_by_the_names_of_its_columns(aggregation):
    """One by one, as a list, by columns and as a frame: what rolling gives for each row."""
    plan = {"on": "time", "by": "card"}
    one_by_one = sash.Sliding(aggregation, "1h", **plan)
    values = [one_by_one.push(row)[0].value for row in ROWS]
    frame = pd.DataFrame(columns())
    for batch in (ROWS, tuple(ROWS), columns(), frame, pa.Table.from_pandas(frame)):
        results = sash.Sliding(aggregation, "1h", **plan).push_many(batch)
        assert [result.value for result in results] == values
        assert [result.key for result in results] == ["x", "y", "x", "x"]
    expected = sash.rolling(frame, window="1h", **plan, out=aggregation)["out"].tolist()
    assert [tuple(value) if isinstance(value, tuple) else value for value in values] == [
        tuple(value.values()) if isinstance(value, dict) else tuple(value) if isinstance(value, tuple) else value
        for value in expected
    ]


def test_several_columns_make_a_key():
    """A key is the tuple of its parts."""
    s = sash.Sliding(sash.Count(), 2, by=["card", "shop"], on="time")
    for batch in (columns(), ROWS):
        s = sash.Sliding(sash.Count(), 2, by=["card", "shop"], on="time")
        assert [result.key for result in s.push_many(batch)] == [("x", "a"), ("y", "b"), ("x", "c"), ("x", "a")]
    assert s.push({"card": "y", "shop": "b", "time": NOON, "amount": 1})[0].key == ("y", "b")


def test_no_rows_are_no_events():
    """An empty list changes nothing and gives nothing, with a key and without."""
    for by in ("card", ["card", "shop"], None):
        s = sash.Sliding(sash.Sum("amount"), "1h", by=by, on="time")
        assert len(s.push_many([])) == 0
        assert s.push(ROWS[0])[0].value == 30


def test_a_list_with_a_row_that_lacks_a_column_changes_nothing():
    """The error names the column; the rows before it have not been taken."""
    for missing in ("time", "card", "amount"):
        s = sash.Sliding(sash.Sum("amount"), "1h", by="card", on="time")
        broken = {name: value for name, value in ROWS[1].items() if name != missing}
        with pytest.raises(KeyError, match=f"no column '{missing}'"):
            s.push_many([ROWS[0], broken])
        assert s.push(ROWS[0])[0].value == 30


@pytest.mark.parametrize("options", [{}, {"retract": "op", "id": "amount", "emit": "update"}], ids=["plain", "retract"])
def test_rows_of_other_libraries_are_rows(options):
    """What pandas gives row by row is taken as it is, named tuples and Series, alone and in a list."""
    rows = [row | {"op": 1} for row in ROWS]
    frame = pd.DataFrame(rows)
    found = []
    for given in (rows, [row for _, row in frame.iterrows()], list(frame.itertuples(index=False))):
        one_by_one, at_once = (sash.Sliding(sash.Concat("shop"), "1h", by="card", on="time", **options) for _ in "ab")
        found.append([result.value for row in given for result in one_by_one.push(row)])
        found.append([result.value for result in at_once.push_many(given)])
    assert found == [["a", "b", "ac", "ca"]] * 6


def test_a_list_holds_rows_alone():
    """Anything else in it is an error that says what a row is."""
    s = sash.Sliding(sash.Sum("amount"), "1h", by="card", on="time")
    with pytest.raises(TypeError, match="a row is a mapping with the column 'time', not int"):
        s.push_many([ROWS[0], 3])


def test_rows_of_a_list_take_others_back():
    """A row that removes another needs neither time nor values, in a list as alone."""
    rows = [{"at": 1, "km": 5, "trip": 7, "op": "insert"}, {"at": 2, "km": 6, "trip": 8, "op": "insert"}]
    rows.append({"trip": 7, "op": "delete"})
    all_at_once, one_by_one = (
        sash.Sliding(sash.Concat("trip"), sash.TimeWindow(10), on="at", retract="op", id="trip", emit="update")
        for _ in range(2)
    )
    results = [result for row in rows for result in one_by_one.push(row | {"trip": str(row["trip"])})]
    assert list(all_at_once.push_many([row | {"trip": str(row["trip"])} for row in rows])) == results
    assert results[-1].value == "8"


def test_without_a_key():
    """`on` alone: one window over all rows, and a restored operator goes on with rows."""
    s = sash.Sliding(sash.Sum("amount"), 2, on="time")
    assert s.push_many(columns()).values.tolist() == [30, 35, 12, 8]
    assert sash.Sliding.restore(s.snapshot()).push({"time": NOON + dt.timedelta(days=1), "amount": 4})[0].value == 5


@pytest.mark.parametrize(
    ("event", "error", "words"),
    [
        ((NOON, 5), TypeError, "is a row with the column 'time', and 2 parts"),
        ((5,), TypeError, "a row is a mapping with the column 'time', not int"),
        (({"card": "x", "amount": 5},), KeyError, "the row has no column 'time'"),
        (({"time": NOON, "amount": 5},), KeyError, "the row has no column 'card'"),
        (({"card": "x", "time": NOON},), KeyError, "amount"),
    ],
)
def test_what_is_no_row_is_refused(event, error, words):
    """With the column that is missing; and nothing has changed."""
    s = sash.Sliding(sash.Sum("amount"), "1h", by="card", on="time")
    s.push(ROWS[0])
    before = s.snapshot()
    with pytest.raises(error, match=words):
        s.push(*event)
    assert s.snapshot() == before


def test_a_number_is_a_number_of_events():
    """As in a plan, and in pandas."""
    assert sash.Sliding(sash.Sum(), 2).push_many(np.arange(4), np.arange(4)).values.tolist() == [0, 1, 3, 5]


@pytest.mark.parametrize("aggregation", [*AGGREGATIONS, sash.Count("amount"), sash.Collect("shop")], ids=repr)
def test_a_named_column_is_read_beside_keys_and_times_of_their_own(aggregation):
    """Without `on`, a value is a row too: by columns, as a frame, as rows, one by one."""
    keys, times = columns()["card"], columns()["time"]
    expected = sash.Sliding(aggregation, "1h", on="time", by="card").push_many(columns())
    for values in (columns(), pd.DataFrame(columns()), pa.table(columns()), ROWS):
        results = sash.Sliding(aggregation, "1h", by=True).push_many(keys, times, values)
        assert [result.value for result in results] == [result.value for result in expected]
    one_by_one = sash.Sliding(aggregation, "1h", by=True)
    results = [one_by_one.push(row["card"], row["time"], row)[0] for row in ROWS]
    assert [result.value for result in results] == [result.value for result in expected]


@pytest.mark.parametrize(
    ("aggregation", "values", "error", "words"),
    [
        (sash.Sum(), {"amount": [1, 2]}, TypeError, "a value is needed, and the events are rows with 'amount'"),
        (sash.Max(), pd.DataFrame({"amount": [1, 2]}), TypeError, "a value is needed"),
        (sash.Covariance(), {"x": [1, 2], "y": [1, 2]}, TypeError, "a value is needed"),
        (sash.Sum("amout"), {"amount": [1, 2]}, KeyError, "no column 'amout': did you mean 'amount'"),
        (sash.Collect("amout"), {"amount": [1, 2]}, KeyError, "no column 'amout'"),
        (sash.Sum("amount"), [{"amount": 1}, {"x": 2}], KeyError, "the row has no column 'amount'"),
        (sash.Sum("amount"), [1, 2], TypeError, "a row is needed, a mapping with the column 'amount', not 1"),
        (sash.Sum("amount"), np.array([1, 2]), TypeError, "a row is needed"),
        (sash.Composite(a=sash.Sum("x"), b=sash.Sum()), {"x": [1, 2]}, TypeError, "a value is needed"),
    ],
    ids=repr,
)
def test_rows_and_values_are_not_taken_for_one_another(aggregation, values, error, words):
    """A column that is named is read, and a mapping is no value; what is refused changes nothing."""
    s = sash.Sliding(aggregation, sash.TimeWindow(10), by=True)
    with pytest.raises(error, match=words):
        s.push_many(["a", "b"], [1, 2], values)
    assert s.keys == []


def test_rows_are_counted_without_a_column():
    """A count needs no value: rows of whatever columns are events."""
    s = sash.Sliding(sash.Count(), sash.TimeWindow(10))
    assert s.push_many([1, 2], {"amount": [None, 2]}).values.tolist() == [1, 2]


@pytest.mark.parametrize("emit", ["arrival", "final", "update"])
def test_a_null_event_is_an_event_of_a_session(emit):
    """It adds nothing, takes its place, and so joins two sessions; in frames too."""
    s = sash.Sliding(sash.Count(), sash.SessionWindow(5), emit=emit)
    results = [*s.push_many([1, 9, 5], [1, 1, None]), *s.finish()]
    last = {result.end: (result.start, result.value) for result in results}
    assert last[5] == (1, 1)
    assert last[9] == ((9, 1) if emit == "arrival" else (1, 2))
    frame = {"t": np.array([1, 9, 5]), "x": np.array([1.0, 1.0, np.nan])}
    assert sash.rolling(frame, on="t", window=sash.SessionWindow(5), n=sash.Count("x"))["n"].tolist() == [1, 2, 1]


@pytest.mark.parametrize("emit", ["arrival", "final", "update"])
def test_a_key_that_comes_back_after_it_expired_begins_anew(emit):
    """Its windows hold nothing from before, and its revisions count from 0."""
    s = sash.Sliding(sash.Concat(), sash.TimeWindow(1000), by=True, emit=emit, lateness=0, expire=10)
    results = [*s.push_many(["a", "a", "b", "a"], [1, 2, 50, 60], list("xyzw")), *s.finish()]
    own = [(result.end, result.value, result.revision) for result in results if result.key == "a"]
    assert own == [(1, "x", 0), (2, "xy", 0), (60, "w", 0)]
