"""Rolling where frames live: a method of pandas, an expression of polars, relations of DuckDB."""

from __future__ import annotations

from typing import Any

import duckdb
import numpy as np
import pandas as pd
import polars as pl
import pytest

import sash
import sash.pandas
import sash.polars
from sash.aggregations import built_ins
from sash.windows import TimeWindow


def rows(n: int = 300) -> pl.DataFrame:
    rng = np.random.default_rng(5)
    return pl.DataFrame(
        {
            "t": rng.integers(0, 500, n),
            "k": rng.choice(["a", "b", "c"], n),
            "v": rng.integers(-9, 9, n),
            "w": np.where(rng.random(n) < 0.1, np.nan, rng.random(n)),
        }
    )


def test_the_accessor_of_pandas_is_rolling() -> None:
    """With its options, its errors and its labels."""
    frame = rows().to_pandas()
    options: Any = {"by": "k", "on": "t", "window": 3, "total": sash.Sum("v")}
    pd.testing.assert_frame_equal(frame.sash.rolling(**options), sash.rolling(frame, **options))
    labels = pd.DataFrame({"t": [250], "k": ["a"]})
    at = frame.sash.rolling(at=labels, by="k", on="t", window=TimeWindow(50), n=sash.Count())
    assert at["n"].tolist() == [len(frame[(frame.k == "a") & (frame.t > 200) & (frame.t <= 250)])]
    with pytest.raises(sash.PlanError, match="window is missing"):
        frame.sash.rolling(on="t")


@pytest.mark.parametrize("name", ["sum", "max", "mean", "std", "count_distinct", "last", "concat"])
@pytest.mark.parametrize("how", ["eager", "lazy", "streaming", "over"])
def test_an_expression_of_polars_is_a_column_of_rolling(name: str, how: str) -> None:
    """Eager, lazy, by the streaming engine, and in groups: equal values, and the type is known before it runs."""
    frame = rows().with_columns(s=pl.col("v").cast(pl.String))
    column = "s" if name == "concat" else "v"
    method = getattr(pl.col(column).sash, name)
    keys = {} if how == "over" else {"keys": "k"}
    expression = method(by="t", window=TimeWindow(40, closed="both"), **keys)
    if how == "over":
        expression = expression.over("k")
    made = next(made for made in built_ins().values() if made.__name__.lower() == name.replace("_", ""))
    expected = sash.rolling(frame, by="k", on="t", window=TimeWindow(40, closed="both"), out=made(column))["out"]
    if how == "eager":
        ours = frame.select(expression)[column]
    else:
        lazy = frame.lazy().select(expression)
        assert how == "over" or lazy.collect_schema()[column] == expected.dtype
        ours = lazy.collect(engine="streaming" if how == "streaming" else "auto")[column]
    assert ours.to_list() == expected.to_list()


def test_expressions_of_polars_read_several_columns_and_options() -> None:
    """Other columns come first, options by name; polars' own rolling agrees; what is unknown is named."""
    frame = rows().sort("t")
    out = frame.select(
        mean=pl.col("v").sash.weighted_mean("w", by="t", window=TimeWindow(30)),
        top=pl.col("v").sash.top_k(by="t", window=TimeWindow(30), k=2),
        rows=(pl.col("v") * 2).sash.sum(window=5),
        sums=pl.col("v").sash.sum(by=pl.col("t") + 1, window=TimeWindow(30)),
        theirs=pl.col("v").rolling_sum_by("t", "30i"),
    )
    expected = sash.rolling(
        frame, on="t", window=TimeWindow(30), mean=sash.WeightedMean("v", "w"), top=sash.TopK("v", k=2)
    )
    assert out["mean"].equals(expected["mean"], null_equal=True)
    assert out["top"].to_list() == expected["top"].to_list()
    assert out["rows"].to_list() == (frame["v"] * 2).rolling_sum(5, min_samples=1).to_list()
    assert out["sums"].to_list() == out["theirs"].to_list()
    with pytest.raises(AttributeError, match="no aggregation 'maximum'"):
        pl.col("v").sash.maximum(window=3)
    assert "count_distinct" in dir(pl.col("v").sash)


def test_relations_of_duckdb_come_back_as_relations() -> None:
    """Of the same connection: they can be joined with its tables; labels too. DuckDB's own frame agrees."""
    with duckdb.connect() as connection:
        connection.register("rows", rows().to_arrow())
        events = connection.sql("SELECT k, t, v FROM rows")
        out = sash.rolling(events, by="k", on="t", window=TimeWindow(40), total=sash.Sum("v"))
        theirs = connection.sql(
            "SELECT *, sum(v) OVER (PARTITION BY k ORDER BY t RANGE BETWEEN 39 PRECEDING AND CURRENT ROW) FROM rows"
        ).project("k, t, v, #5")
        assert sorted(out.fetchall()) == sorted(theirs.fetchall())
        assert connection.sql("SELECT count(*) FROM out JOIN rows USING (k, t, v)").fetchall()[0][0] >= 300
        labels = connection.sql("SELECT 'a' AS k, 100 AS t")
        at = sash.rolling(events, at=labels, by="k", on="t", window=TimeWindow(40), n=sash.Count())
        inside = connection.sql("SELECT count(*) FROM rows WHERE k = 'a' AND t > 60 AND t <= 100").fetchall()[0]
        assert at.fetchall() == [("a", 100, inside[0])]
