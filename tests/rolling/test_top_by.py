"""The k most extreme by another column: texts and numbers, against brute force and DuckDB."""

from __future__ import annotations

from typing import Any

import duckdb
import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

import sash
from sash.windows import CountWindow, TimeWindow
from tests.rolling import brute
from tests.rolling.test_brute_force import frames, masked, plain


@given(frames, st.integers(1, 12), st.integers(1, 4), st.sampled_from([sash.TopK, sash.BottomK]))
def test_values_are_ranked_by_another_column(frame: Any, length: int, k: int, over: Any) -> None:
    """The oldest first among equals; where either is null, the event is passed over. Texts rank texts."""
    out = sash.rolling(
        masked(frame),
        by="k",
        on="t",
        window=TimeWindow(length),
        by_number=over("s", by="v", k=k),
        by_text=over("i", "s", k=k),
    )
    for name, value, key in (("by_number", "s", "v"), ("by_text", "i", "s")):
        for here, given_list in enumerate(plain(out[name])):
            span = brute.members(frame, here, TimeWindow(length), "right", True, False)
            rows = [frame[i] for i in span if frame[i][value] is not None and frame[i][key] is not None]
            ranked = sorted(rows, key=lambda row, key=key: row[key], reverse=over is sash.TopK)
            assert given_list == [row[value] for row in ranked[:k]]


def test_duckdb_ranks_alike() -> None:
    """`max_by` of so many, over a frame without ties."""
    rng = np.random.default_rng(3)
    frame = pd.DataFrame({"t": np.arange(80), "x": rng.permutation(80), "s": rng.choice(["a", "b", "c"], 80)})
    ours = sash.rolling(frame, window=CountWindow(9), top=sash.TopK("s", by="x", k=3))["top"].tolist()
    query = "SELECT max_by(s, x, 3) OVER (ORDER BY t ROWS BETWEEN 8 PRECEDING AND CURRENT ROW) FROM frame ORDER BY t"
    assert ours == [row[0] for row in duckdb.sql(query).fetchall()]


def test_it_is_written_described_and_refused() -> None:
    """As other aggregations of two columns."""
    over = sash.TopK("merchant", by="amount", k=3)
    assert repr(over) == 'TopK("merchant", "amount", k=3)'
    assert sash.Aggregation.from_dict(over.to_dict()) == over
    w = sash.Window(over)
    w.insert(1, ("bakery", 4))
    w.insert(2, ("cinema", 9))
    assert w.query() == ["cinema", "bakery"]
    with pytest.raises(TypeError, match="two columns"):
        sash.TopK(by="amount")
