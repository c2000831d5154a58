"""The demonstration from end to end: make the stream, run it, check its results, and write the report."""

from __future__ import annotations

import shutil
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import TYPE_CHECKING, Final

import numpy as np
import pyarrow as pa
from rich.console import Console
from rich.progress import BarColumn, Progress, SpinnerColumn, TextColumn, TimeElapsedColumn

from sash.demo import bikes, files, hops, pipeline, results, summary
from sash.report import PAGE, write
from sash.report.disorder import overtaken
from sash.report.story import BATCHES, RUN

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

__all__ = ["LOG", "foreign", "show"]

LOG: Final = "spark.log"
_OWN: Final = frozenset(
    {"trips", "checkpoints", LOG, PAGE, RUN, BATCHES, *(stream.name for stream in pipeline.STREAMS)}
)
#: A run of a minute is over before Java's second compiler pays. It slows both sides of the comparison alike.
_JAVA: Final = {"spark.driver.extraJavaOptions": "-XX:TieredStopAtLevel=1 -XX:+UseSerialGC"}
_FILES: Final = 8
#: So much later than all others comes the trip that closes the stream: the city waits a day for late ones.
_CLOSING: Final = np.timedelta64(2, "D")


def foreign(out: Path) -> list[str]:
    """What lies in the folder and is not of this demonstration, which therefore does not touch it.

    >>> foreign(Path("no-such-folder"))
    []
    """
    return sorted({path.name for path in out.iterdir()} - _OWN) if out.is_dir() else []


def show(out: Path, trips: int, seed: int, console: Console, session: SparkSession | None = None) -> Path:
    """Run all of it, and give the path of the report; what an earlier run left in `out` is replaced.

    Without a session, one is started and stopped. Cost: a minute or so for 200,000 trips on two cores.
    """
    from sash.spark.session import SparkFailure

    _clear(out)
    # Java starts while the trips are made.
    with ThreadPoolExecutor(1) as beside, _progress(console) as progress:
        starting = beside.submit(lambda: session or _started(out))
        made = bikes.trips(trips, seed)
        table = files.as_table(made)
        files.write(table, out / "trips", _FILES, files.closing(table, _CLOSING))
        behind = overtaken(made.ended.astype(np.int64))
        console.print(summary.stream(behind))
        step = progress.add_task("Starting Spark", total=None, emitted="")
        running = starting.result()
        progress.remove_task(step)
        try:
            ran = _streams(running, out, progress)
            compared = _hops(running, out, trips, progress)
        except SparkFailure as error:
            raise SystemExit(f"Spark failed: {_first_line(error)} What it printed is in {out / LOG}") from None
        finally:
            if session is None:
                running.stop()
    _check(out, table, ran, compared, behind, console)
    page = write(out)
    console.print(f"Report: {page}", soft_wrap=True)
    return page


def _clear(out: Path) -> None:
    for name in _OWN:
        path = out / name
        if path.is_dir():
            shutil.rmtree(path)
        else:
            path.unlink(missing_ok=True)
    out.mkdir(parents=True, exist_ok=True)


def _started(out: Path) -> SparkSession:
    from sash.spark.session import logged_session

    try:
        return logged_session("sash demo", out / LOG, "local[2]", _JAVA)
    except Exception as error:
        # Whatever is wrong with this Spark or this Java, a traceback of ours would not show.
        raise SystemExit(f"Spark did not start: {_first_line(error)} What it printed is in {out / LOG}") from None


def _first_line(error: Exception) -> str:
    return str(error).splitlines()[0] if str(error) else type(error).__name__


def _progress(console: Console) -> Progress:
    columns = (
        TextColumn("{task.description}"),
        BarColumn(24),
        TextColumn("{task.fields[emitted]}"),
        TimeElapsedColumn(),
    )
    return Progress(SpinnerColumn(), *columns, console=console, transient=True, disable=not console.is_terminal)


def _streams(session: SparkSession, out: Path, progress: Progress) -> list[pipeline.Ran]:
    """Run the streams, a bar for each."""
    bars = {stream.name: progress.add_task(stream.title, total=_FILES + 1, emitted="") for stream in pipeline.STREAMS}
    emitted = dict.fromkeys(bars, 0)

    def follow(stream: pipeline.Stream, batch: pipeline.Batch) -> None:
        summary.note_batch(out / BATCHES, stream, batch)
        emitted[stream.name] += batch.results
        words = f"{emitted[stream.name]:>9,} rows emitted"
        progress.update(bars[stream.name], advance=int(batch.rows > 0), emitted=words)

    return pipeline.run(session, out, follow)


def _hops(session: SparkSession, out: Path, trips: int, progress: Progress) -> hops.Hops:
    bar = progress.add_task("", total=None, emitted="")
    return hops.compare(session, out / "trips", trips, lambda words: progress.update(bar, description=words))


def _check(
    out: Path,
    table: pa.Table,
    ran: list[pipeline.Ran],
    compared: hops.Hops,
    behind: bikes.Array,
    console: Console,
) -> None:
    """Compare every result with `sash.rolling`, and only then say anything of them."""
    read = results.read(out, table.num_rows)
    checked = results.check(read, table)
    revised = int((read.last["revision"] > 0).sum())
    console.print(summary.checked(checked, revised, len(read.late)))
    console.print(summary.speeds(ran, compared))
    summary.leave(out / RUN, ran, compared, behind, checked, revised, len(read.late))
