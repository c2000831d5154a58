"""What others take for the windows of benchmarks/rolling.py: pandas, polars, DuckDB, numbagg and bottleneck.

numbagg is in the extra `bench`; without it, it is left out.
"""

from collections.abc import Callable, Mapping, Sequence
from importlib.util import find_spec
from typing import Any, Final

import bottleneck
import duckdb
import numpy as np
import pandas as pd
import polars as pl

#: Names of theirs where they are others.
_SQL: Final = {"mean": "avg", "std": "stddev_samp"}
#: DuckDB takes long: it is measured over this share of the rows.
DUCKDB_SHARE: Final = 20

Run = Callable[[], Any]


def by_time(name: str, frame: pd.DataFrame, seconds: int) -> Mapping[str, tuple[Run, int]]:
    """Windows of so many seconds: each with how many of the rows it takes."""
    rows = len(frame)
    tidy = pl.from_pandas(frame)
    found: dict[str, tuple[Run, int]] = {}
    if name != "distinct":
        found["pandas"] = (getattr(frame.rolling(f"{seconds}s", on="t")["v"], name), rows)
    if name not in ("count", "distinct"):
        expression = getattr(pl.col("v"), f"rolling_{name}_by")("t", f"{seconds}s")
        found["polars"] = (lambda: tidy.select(expression)["v"].to_numpy(), rows)
    part = frame.iloc[: max(rows // DUCKDB_SHARE, 1)]
    found["duckdb"] = (_duckdb(name, part, seconds), len(part))
    return found


def by_rows(name: str, values: np.ndarray[Any, Any], rows: int) -> Mapping[str, tuple[Run, int]]:
    """Windows of so many rows, of those that have no others."""
    found: dict[str, tuple[Run, int]] = {}
    moved = getattr(bottleneck, f"move_{name}", None)
    if moved is not None:
        ddof = {"ddof": 1} if name == "std" else {}
        found["bottleneck"] = (lambda: moved(values, rows, min_count=1, **ddof), len(values))
    if find_spec("numbagg") is not None:
        import numbagg

        other = getattr(numbagg, f"move_{name}", None)
        if other is not None:
            found["numbagg"] = (lambda: other(values, window=rows, min_count=1), len(values))
    return found


def keyed(windows: Sequence[str], names: Sequence[str]) -> Mapping[str, Callable[[pl.DataFrame], Any]]:
    """The ways of polars to windows of the keys `k`; the second wants rows in order of key and time."""
    value = pl.col("v")
    wanted = [
        getattr(value, f"rolling_{name}_by")("t", window).over("k").alias(f"{name}_{window}")
        for window in windows
        for name in names
    ]

    def rolled(frame: pl.DataFrame) -> Any:
        parts = [
            frame.lazy()
            .rolling("t", period=window, group_by="k")
            .agg(*(getattr(value, name)().alias(f"{name}_{window}") for name in names))
            for window in windows
        ]
        return pl.collect_all(parts)

    return {"rolling_by": lambda frame: frame.with_columns(wanted), "rolling and agg": rolled}


def _duckdb(name: str, part: pd.DataFrame, seconds: int) -> Run:
    call = "count(distinct v)" if name == "distinct" else f"{_SQL.get(name, name)}(v)"
    # (T - L, T] is an interval one tick shorter, with both ends in.
    query = (
        f"select {call} over (order by t range between interval '{seconds * 1_000_000 - 1} microseconds' preceding"
        " and current row) as out from part"
    )
    connection = duckdb.connect()
    connection.register("part", part)
    return lambda: connection.sql(query).fetchnumpy()["out"]
