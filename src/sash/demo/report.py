"""What the demonstration shows at its end: tables, and the chart of a day that late trips changed."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path
from typing import Any, Final, TypeAlias

import numpy as np
from rich.table import Table

from sash.demo.hops import Hops
from sash.demo.pipeline import Ran
from sash.demo.results import Results

__all__ = ["busiest_stations", "city_peaks", "draw", "most_corrected", "speeds"]

Frame: TypeAlias = Any

_STATIONS: Final = 8
_WINDOWS: Final = ("10m", "1h", "1d")
_SHOWN: Final = "count_1h"
_HOLE: Final = np.timedelta64(20, "m")
_FIRST, _LAST, _GAP = "#c2570c", "#1f4e79", "#f3c9a5"


def busiest_stations(results: Results) -> Table:
    """The stations with most trips, each at its busiest hour, by their last revision."""
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


def most_corrected(results: Results) -> tuple[str, Any]:
    """The station and the day whose hourly counts were corrected most. Cost: O(n)."""
    rows = results.last[["station"]].assign(
        day=results.last["ended"].dt.floor("D"), moved=(results.last[_SHOWN] - results.first[_SHOWN]).abs()
    )
    station, day = rows.groupby(["station", "day"])["moved"].sum().idxmax()
    return str(station), day


def draw(results: Results, station: str, day: Any, path: Path) -> None:
    """Draw the trips of the last hour at each trip of the station on that day, by their first and last revisions."""
    from matplotlib.backends.backend_agg import FigureCanvasAgg
    from matplotlib.dates import DateFormatter
    from matplotlib.figure import Figure

    last, first, late = _of_day(results, station, day)
    figure = Figure(figsize=(10, 4.6), layout="constrained")
    FigureCanvasAgg(figure)
    axes = figure.add_subplot()
    axes.step(*_steps(last), where="post", color=_LAST, lw=1.5, zorder=3, label="after late trips (last revision)")
    axes.step(*_steps(first), where="post", color=_FIRST, lw=1.5, zorder=2, label="first result")
    corrected = last.loc[first.index, _SHOWN]
    axes.fill_between(first["ended"], first[_SHOWN], corrected, step="post", color=_GAP, lw=0, zorder=1)
    axes.plot(late["ended"], np.zeros(len(late)), "|", color=_FIRST, ms=9, clip_on=False, label="a trip that came late")
    axes.set_title(f"{station}, {day:%A %-d %B %Y}: trips that ended in the last hour", loc="left", fontsize=11)
    axes.set_ylabel("trips in the last hour")
    axes.set_xlabel("time of day (UTC); synthetic trips", fontsize=9)
    midnight = np.datetime64(day, "m")
    axes.set_xticks(midnight + np.arange(0, 25, 2) * np.timedelta64(60, "m"))
    axes.xaxis.set_major_formatter(DateFormatter("%H:%M"))  # type: ignore[no-untyped-call]
    axes.set_ylim(bottom=0)
    axes.spines[["top", "right"]].set_visible(False)
    axes.legend(frameon=False, loc="upper left", fontsize=9)
    figure.savefig(path, dpi=130)


def _steps(rows: Frame) -> tuple[Any, Any]:
    """Times and counts, with a hole where no trip ended for a while: there is a result at each trip, none between."""
    times, counts = rows["ended"].to_numpy(), rows[_SHOWN].to_numpy().astype(float)
    holes = np.flatnonzero(np.diff(times) > _HOLE) + 1
    return np.insert(times, holes, times[holes - 1]), np.insert(counts, holes, np.nan)


def _of_day(results: Results, station: str, day: Any) -> tuple[Frame, Frame, Frame]:
    """The station's trips of the day by their last revision; those in time by their first; those that were late."""
    chosen = (results.last["station"] == station) & (results.last["ended"].dt.floor("D") == day)
    last, first = results.last[chosen], results.first[chosen]
    # Rows are in order of arrival: who is overtaken by a trip of the same station was not in time.
    in_time = (last["ended"] >= last["ended"].cummax()).to_numpy()
    return last.sort_values("ended"), first[in_time], last[~in_time]
