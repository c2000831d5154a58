"""What the demonstration tells at its end."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any, Final, TypeAlias

from rich.table import Table

from sash.demo.hops import Hops
from sash.demo.pipeline import Ran
from sash.demo.results import Results

__all__ = ["busiest_stations", "city_peaks", "speeds"]

Frame: TypeAlias = Any

_STATIONS: Final = 8
_WINDOWS: Final = ("10m", "1h", "1d")


def busiest_stations(results: Results) -> Table:
    """The stations with most trips, each at its busiest hour, by what was told last."""
    last = results.last
    revised = last[last["revision"] > 0].groupby("station").size()
    table = _table("The busiest stations, each at its busiest hour")
    _columns(table, ["station", "at"], ["10m", "1h", "1d", "mean 1h", "longest 1d", "bike", "bikes 1d", "revised"])
    for name in last["station"].value_counts().index[:_STATIONS]:
        rows = last[last["station"] == name]
        peak = rows.loc[rows["count_1h"].idxmax()]
        counts = [f"{peak[f'count_{window}']:,}" for window in _WINDOWS]
        longest = [_minutes(peak["longest_1d"]), str(peak["longest_bike_1d"]), f"{peak['bikes_1d']:,}"]
        table.add_row(name, _moment(peak), *counts, _minutes(peak["mean_1h"]), *longest, f"{revised.get(name, 0):,}")
    return table


def city_peaks(results: Results) -> Table:
    """The whole city: each window where it holds most trips."""
    table = _table("The whole city, each window at its fullest")
    _columns(table, ["window", "at"], ["trips", "mean", "longest", "bike", "bikes"])
    for window in _WINDOWS:
        peak = results.city.loc[results.city[f"count_{window}"].idxmax()]
        mean, longest = (_minutes(peak[f"{name}_{window}"]) for name in ("mean", "longest"))
        count, bikes = (f"{peak[f'{name}_{window}']:,}" for name in ("count", "bikes"))
        table.add_row(window, _moment(peak), count, mean, longest, str(peak[f"longest_bike_{window}"]), bikes)
    return table


def speeds(streams: Iterable[Ran], hops: Hops) -> Table:
    """How long each way took, and over how many rows. The streams ran at the same time."""
    table = _table("How long it took")
    _columns(table, ["what"], ["rows", "seconds", "rows/s"])
    ran = list(streams)
    for one in ran:
        _speed(table, f"Sash, stream, {one.stream.title.lower()}: 3 windows, 5 aggregations", one.rows, one.seconds)
    rows, seconds = zip(*(one.warm for one in ran), strict=True)
    _speed(table, "Sash, both streams, after their first micro-batch", sum(rows), max(seconds))
    _speed(table, "Spark, batch: 1 h every 10 s, 4 aggregations", hops.rows, hops.spark_seconds)
    _speed(table, "Sash, batch: the same windows", hops.rows, hops.sash_seconds)
    return table


def _speed(table: Table, what: str, rows: int, seconds: float) -> None:
    table.add_row(what, f"{rows:,}", f"{seconds:.1f}", f"{rows / seconds:,.0f}")


def _table(title: str) -> Table:
    return Table(title=title, title_justify="left", title_style="bold", box=None, pad_edge=False, padding=(0, 1, 0, 0))


def _columns(table: Table, words: Iterable[str], numbers: Iterable[str]) -> None:
    for name in words:
        table.add_column(name, no_wrap=True)
    for name in numbers:
        table.add_column(name, justify="right", no_wrap=True)


def _moment(row: Frame) -> str:
    return f"{row['ended']:%a %H:%M}"


def _minutes(seconds: float) -> str:
    """Minutes and seconds.

    >>> _minutes(754.2)
    '12:34'
    """
    return f"{int(seconds) // 60}:{int(seconds) % 60:02}"
