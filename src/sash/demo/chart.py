"""A day of one station: what was told at first, and what late trips made of it."""

from __future__ import annotations

from pathlib import Path
from typing import Any, Final, TypeAlias

import numpy as np

from sash.demo.results import Results

__all__ = ["draw", "most_corrected"]

Frame: TypeAlias = Any

_SHOWN: Final = "count_1h"
_HOLE: Final = np.timedelta64(20, "m")
_FIRST, _LAST, _GAP = "#c2570c", "#1f4e79", "#f3c9a5"


def most_corrected(results: Results) -> tuple[str, Any]:
    """The station and the day whose hourly counts were corrected most. Cost: O(n)."""
    rows = results.last[["station"]].assign(
        day=results.last["ended"].dt.floor("D"), moved=(results.last[_SHOWN] - results.first[_SHOWN]).abs()
    )
    station, day = rows.groupby(["station", "day"])["moved"].sum().idxmax()
    return str(station), day


def draw(results: Results, station: str, day: Any, path: Path) -> None:
    """Draw the trips of the last hour at each trip of the station on that day, as they were told first and last."""
    from matplotlib.backends.backend_agg import FigureCanvasAgg
    from matplotlib.dates import DateFormatter
    from matplotlib.figure import Figure

    last, first, late = _of_day(results, station, day)
    figure = Figure(figsize=(10, 4.6), layout="constrained")
    FigureCanvasAgg(figure)
    axes = figure.add_subplot()
    axes.step(*_line(last), where="post", color=_LAST, lw=1.5, zorder=3, label="after late trips (last revision)")
    axes.step(*_line(first), where="post", color=_FIRST, lw=1.5, zorder=2, label="as told first")
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


def _line(rows: Frame) -> tuple[Any, Any]:
    """Times and counts, with a hole where no trip ended for a while: there is an answer at each trip, none between."""
    times, counts = rows["ended"].to_numpy(), rows[_SHOWN].to_numpy().astype(float)
    holes = np.flatnonzero(np.diff(times) > _HOLE) + 1
    return np.insert(times, holes, times[holes - 1]), np.insert(counts, holes, np.nan)


def _of_day(results: Results, station: str, day: Any) -> tuple[Frame, Frame, Frame]:
    """The station's trips of the day by their last revision; those in time as told first; those that were not."""
    chosen = (results.last["station"] == station) & (results.last["ended"].dt.floor("D") == day)
    last, first = results.last[chosen], results.first[chosen]
    # Rows are in order of arrival: who is overtaken by a trip of the same station was not in time.
    in_time = (last["ended"] >= last["ended"].cummax()).to_numpy()
    return last.sort_values("ended"), first[in_time], last[~in_time]
