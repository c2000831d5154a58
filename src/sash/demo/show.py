"""The demonstration from end to end: make the stream, run it, show its results."""

from __future__ import annotations

import shutil
import time
from pathlib import Path
from typing import TYPE_CHECKING, Final

import numpy as np
import pyarrow as pa
from rich.console import Console
from rich.progress import BarColumn, Progress, SpinnerColumn, TextColumn, TimeElapsedColumn

from sash.demo import bikes, files, hops, pipeline, report, results

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

__all__ = ["CHART", "LOG", "foreign", "show"]

CHART: Final = "station-day.png"
LOG: Final = "spark.log"
_OWN: Final = frozenset({"trips", "checkpoints", LOG, CHART, *(stream.name for stream in pipeline.STREAMS)})
_FILES: Final = 12
#: So much later than all others comes the trip that closes the stream: the city waits a day for late ones.
_CLOSING: Final = np.timedelta64(2, "D")


def foreign(out: Path) -> list[str]:
    """What lies in the folder and is not of this demonstration, which therefore does not touch it.

    >>> foreign(Path("no-such-folder"))
    []
    """
    return sorted({path.name for path in out.iterdir()} - _OWN) if out.is_dir() else []


def show(out: Path, trips: int, seed: int, console: Console, session: SparkSession | None = None) -> None:
    """Run all of it; what an earlier run left in `out` is replaced. Without a session, one is started and stopped.

    Cost: two minutes or so for 200,000 trips on two cores.
    """
    start = time.perf_counter()
    table = _trips(out, trips, seed, console)
    with _progress(console) as progress:
        step = progress.add_task("Starting Spark", total=None, emitted="")
        running = session or _started(out)
        progress.remove_task(step)
        try:
            ran = _streams(running, out, progress)
            compared = _hops(running, out, trips, progress)
        finally:
            if session is None:
                running.stop()
    _report(out, table, ran, compared, console)
    console.print(f"All in {time.perf_counter() - start:.0f} s.")


def _trips(out: Path, trips: int, seed: int, console: Console) -> pa.Table:
    """Make the stream, write its files, and describe it."""
    _clear(out)
    made = bikes.trips(trips, seed)
    table = files.as_table(made)
    written = files.write(table, out / "trips", _FILES, files.closing(table, _CLOSING))
    behind = bikes.overtaken(made.ended)
    console.print(
        f"[bold]{trips:,} synthetic trips[/] to {len(bikes.STATIONS)} stations in four days, seed {seed}, "
        f"in {len(written)} files in order of arrival."
    )
    console.print(
        f"A trip is overtaken by {behind.mean():.1f} others on average; {(behind <= 9).mean():.1%} by nine at most, "
        f"the last by {behind.max():,}."
    )
    return table


def _clear(out: Path) -> None:
    for name in _OWN:
        path = out / name
        if path.is_dir():
            shutil.rmtree(path)
        else:
            path.unlink(missing_ok=True)
    out.mkdir(parents=True, exist_ok=True)


def _started(out: Path) -> SparkSession:
    from sash.spark.session import local_session

    try:
        return local_session("sash demo", out / LOG)
    except Exception as error:
        # Whatever is wrong with this Spark or this Java, a traceback of ours would not show.
        reason = str(error).splitlines()[0] if str(error) else type(error).__name__
        raise SystemExit(f"Spark did not start: {reason} What it printed is in {out / LOG}") from None


def _progress(console: Console) -> Progress:
    columns = (
        TextColumn("{task.description}"),
        BarColumn(24),
        TextColumn("{task.fields[emitted]}"),
        TimeElapsedColumn(),
    )
    return Progress(SpinnerColumn(), *columns, console=console, transient=True)


def _streams(session: SparkSession, out: Path, progress: Progress) -> list[pipeline.Ran]:
    """Run the streams, a bar for each."""
    bars = {stream.name: progress.add_task(stream.title, total=_FILES + 1, emitted="") for stream in pipeline.STREAMS}
    emitted = dict.fromkeys(bars, 0)

    def follow(stream: pipeline.Stream, batch: pipeline.Batch) -> None:
        emitted[stream.name] += batch.results
        words = f"{emitted[stream.name]:>9,} rows emitted"
        progress.update(bars[stream.name], advance=int(batch.rows > 0), emitted=words)
        _print(progress, f"{stream.title}: {batch.rows:,} trips in {batch.seconds:.1f} s, {words.strip()}")

    return pipeline.run(session, out, follow)


def _hops(session: SparkSession, out: Path, trips: int, progress: Progress) -> hops.Hops:
    bar = progress.add_task("", total=None, emitted="")

    def follow(words: str) -> None:
        progress.update(bar, description=words)
        _print(progress, words)

    return hops.compare(session, out / "trips", trips, follow)


def _print(progress: Progress, words: str) -> None:
    """A line where there is no terminal to draw bars on."""
    if not progress.console.is_terminal:
        progress.console.print(words)


def _report(out: Path, table: pa.Table, ran: list[pipeline.Ran], compared: hops.Hops, console: Console) -> None:
    """Check the results, and only then print them."""
    read = results.read(out, table.num_rows)
    checked = results.check(read, table)
    station, day = report.most_corrected(read)
    report.draw(read, station, day, out / CHART)
    revised = int((read.last["revision"] > 0).sum())
    for part in (report.busiest_stations(read), report.city_peaks(read), report.speeds(ran, compared)):
        console.print()
        console.print(part)
    console.print(f"\nAll {checked:,} results of the streams are those of sash.rolling over the same trips.")
    console.print(f"Late trips changed {revised:,} results by station after they were emitted: each has a revision.")
    console.print(
        f"{len(read.late):,} trips came more than a day late: the city's results have them, marked, without values."
    )
    _print_part(compared, table.num_rows, console)
    console.print(f"\nResults: {out / 'stations'} and {out / 'city'} (Parquet)")
    console.print(f"Chart:   {out / CHART} ({station}, {day:%A})")
    console.print(f"Trips:   {out / 'trips'}; what Spark printed: {out / LOG}")


def _print_part(compared: hops.Hops, trips: int, console: Console) -> None:
    part = "all" if compared.rows == trips else f"the first {compared.rows:,}"
    console.print(
        f"Hop windows ran over {part} of the {trips:,} trips: {compared.windows:,} windows, the same from both."
    )
    starts = f"{compared.spark_start:.1f} s for Spark and {compared.sash_start:.1f} s for Sash"
    console.print(f"A few hundred trips took {starts}: so much is start, and the rest grows with the trips.")
