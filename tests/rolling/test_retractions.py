"""Frames of changes: the rows that survive, and their windows."""

from __future__ import annotations

import random
from typing import Any

import numpy as np
import pytest

import sash

pd = pytest.importorskip("pandas", reason="needs pandas")
pa = pytest.importorskip("pyarrow", reason="needs PyArrow")

SOME = {
    "words": sash.Concat("shop"),
    "where": sash.ArgMax("amount", "shop"),
    "first": sash.First("shop"),
    "spent": sash.Sum("amount"),
}
PLAN = sash.Plan(by="card", on="time", windows=["5s", 3], aggregations=SOME)


def changes(rng: random.Random, count: int) -> list[dict[str, Any]]:
    """Rows that come, are replaced and go, some of them twice, and some that never came."""
    rows = []
    for place in range(count):
        op = rng.choice(["insert", "insert", "insert", "update", "delete"])
        time = pd.Timestamp(place - rng.choice([0, 0, 3]), unit="s")
        row = {"card": rng.choice("ab"), "id": rng.randint(0, count // 3), "time": time, "op": op}
        rows.append(row | {"amount": rng.randint(0, 3), "shop": rng.choice("xyz")})
    return rows


def by_hand(rows: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """What is left, one change after the other."""
    left: list[dict[str, Any]] = []
    for row in rows:
        left = [one for one in left if (one["card"], one["id"]) != (row["card"], row["id"])]
        if row["op"] != "delete":
            left.append(row)
    return left


@pytest.mark.parametrize("seed", range(20))
def test_the_rows_that_survive_have_the_windows_of_a_frame_without_the_others(seed: int) -> None:
    """An update is a delete and an insert; what comes out is what a frame of the survivors gives."""
    rows = changes(random.Random(seed), 40)
    results = sash.rolling(pd.DataFrame(rows), PLAN, retract="op", id="id")
    expected = sash.rolling(pd.DataFrame(by_hand(rows), columns=list(rows[0])), PLAN)
    pd.testing.assert_frame_equal(results.reset_index(drop=True), expected)


def test_a_row_without_an_id_takes_back_the_last_one_that_is_equal() -> None:
    """+1 and -1: all other columns tell which; the survivors keep their index."""
    frame = pd.DataFrame({"t": [1, 1, 2, 1, 3], "x": ["a", "a", "b", "a", "c"], "sign": [1, 1, 1, -1, -1]})
    results = sash.rolling(frame, on="t", window=sash.TimeWindow(5), words=sash.Concat("x"), retract="sign")
    assert results.index.tolist() == [0, 2]
    assert results["words"].tolist() == ["a", "ab"]


@pytest.mark.parametrize("kind", ["arrow", "arrays", "polars"])
def test_every_kind_of_frame(kind: str) -> None:
    """What comes out is of the kind that went in."""
    columns = {"t": [1, 2, 3], "id": [7, 8, 7], "x": [1, 2, 5], "op": ["c", "c", "d"]}
    if kind == "polars":
        frame: Any = pytest.importorskip("polars").DataFrame(columns)
    else:
        frame = pa.table(columns) if kind == "arrow" else {name: np.array(array) for name, array in columns.items()}
    results = sash.rolling(frame, on="t", window=2, spent=sash.Sum("x"), retract="op", id="id")
    assert type(results) is type(frame)
    assert np.asarray(results["spent"]).tolist() == [2]


@pytest.mark.parametrize(
    ("options", "words"),
    [
        ({"retract": "op", "id": "id", "emit": "arrival"}, "what was known when a row came is not taken back"),
        ({"retract": "what", "id": "id"}, "there is no column 'what'"),
        ({"retract": "op", "id": "other"}, "column 'other' tells rows apart, and row 1 has none"),
        ({"id": "id"}, "name the column that says so, retract="),
        ({"retract": "id"}, r"\+1 or -1, or insert, update, delete; see row 1: 8"),
        ({"retract": "op"}, "an update replaces the row of its id, and there is none: give id=; see row 1"),
        ({"retract": "op", "id": "id", "at": pa.table({"t": [1]})}, "without labels"),
    ],
)
def test_what_has_no_meaning_is_refused(options: dict[str, Any], words: str) -> None:
    """In words."""
    frame = pa.table({"t": [1, 2], "id": [1, 8], "other": [1, None], "op": ["insert", "update"]})
    with pytest.raises((sash.PlanError, ValueError), match=words):
        sash.rolling(frame, on="t", window=sash.TimeWindow(2), n=sash.Count(), **options)
