"""How far a run is: numbers that add up batch by batch, shown on a terminal, as lines, or as JSON."""

from __future__ import annotations

import json
import sys
import time
from dataclasses import asdict, dataclass, field
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, Final, Literal, TextIO

__all__ = ["BATCHES", "Batch", "Log", "Progress", "Totals", "amount", "progress_for"]

Log = Literal["auto", "plain", "json", "quiet"]
#: The file of a run's folder that has a line for each batch.
BATCHES: Final = "batches.jsonl"


@dataclass(frozen=True)
class Batch:
    """What one batch did. `lag` is how far its newest event is behind the clock, in seconds; None if that is not
    known."""

    number: int
    rows: int = 0
    results: int = 0
    late: int = 0
    dead: int = 0
    seconds: float = 0.0
    lag: float | None = None
    keys: int = 0
    state_bytes: int = 0
    at: str = ""


@dataclass
class Totals:
    """The sums of all batches, and the state after the last."""

    rows: int = 0
    results: int = 0
    late: int = 0
    dead: int = 0
    batches: int = 0
    seconds: float = 0.0
    last: Batch = field(default_factory=lambda: Batch(-1))

    def add(self, batch: Batch) -> None:
        """Take a batch into account."""
        self.rows += batch.rows
        self.results += batch.results
        self.late += batch.late
        self.dead += batch.dead
        self.batches += 1
        self.seconds += batch.seconds
        self.last = batch


class Progress:
    """Says nothing, and keeps the numbers. What shows them derives from it."""

    def __init__(self, folder: Path | None = None) -> None:
        self.totals = Totals()
        self._folder = folder

    def stage(self, words: str, total: int | None = None) -> None:
        """A part of the work begins; `total` is its size, if it has one."""

    def advance(self, amount: int) -> None:
        """So much of it is done."""

    def batch(self, batch: Batch) -> None:
        """A batch is done: it is kept in the folder of the run, and shown."""
        batch = Batch(**asdict(batch) | {"at": batch.at or now()})
        self.totals.add(batch)
        if self._folder is not None:
            with (self._folder / BATCHES).open("a", encoding="utf-8") as file:
                file.write(json.dumps(asdict(batch)) + "\n")
        self.show(batch)

    def show(self, batch: Batch) -> None:
        """Show a batch that is done."""

    def event(self, name: str, words: str, **parts: Any) -> None:
        """Something else that a reader should know."""

    def close(self) -> None:
        """Nothing more will come."""


class Plain(Progress):
    """A line for each stage and batch."""

    def __init__(self, folder: Path | None, out: TextIO) -> None:
        super().__init__(folder)
        self._out = out

    def stage(self, words: str, total: int | None = None) -> None:
        """The words alone."""
        self._print(words)

    def show(self, batch: Batch) -> None:
        """The batch in a line."""
        self._print(in_words(batch))

    def event(self, name: str, words: str, **parts: Any) -> None:
        """The words alone."""
        self._print(words)

    def _print(self, line: str) -> None:
        print(line, file=self._out, flush=True)


class JsonLines(Plain):
    """An object for each stage, batch and event."""

    def stage(self, words: str, total: int | None = None) -> None:
        """The stage, with its size."""
        self._object("stage", message=words, total=total)

    def show(self, batch: Batch) -> None:
        """The batch, part by part."""
        self._object("batch", **asdict(batch))

    def event(self, name: str, words: str, **parts: Any) -> None:
        """The event, with its parts."""
        self._object(name, message=words, **parts)

    def _object(self, name: str, **parts: Any) -> None:
        self._print(json.dumps({"time": now(), "event": name} | parts, default=str))


class Bars(Progress):
    """A bar where the end is known, a line that changes where it is not."""

    def __init__(self, folder: Path | None) -> None:
        super().__init__(folder)
        from rich.console import Console
        from rich.progress import BarColumn, SpinnerColumn, TextColumn, TimeElapsedColumn, TimeRemainingColumn
        from rich.progress import Progress as RichProgress

        columns = (SpinnerColumn(), TextColumn("{task.description}"), BarColumn(24), TextColumn("{task.fields[words]}"))
        console = Console(stderr=True, highlight=False)
        times = (TimeElapsedColumn(), TimeRemainingColumn())
        self._bars = RichProgress(*columns, *times, console=console, transient=True)
        self._bars.start()
        self._task: Any = None

    def stage(self, words: str, total: int | None = None) -> None:
        """Another bar takes the place of the last."""
        if self._task is not None:
            self._bars.remove_task(self._task)
        self._task = self._bars.add_task(words, total=total, words="")

    def advance(self, amount: int) -> None:
        """The bar grows."""
        if self._task is not None:
            self._bars.advance(self._task, amount)

    def show(self, batch: Batch) -> None:
        """The sums stand behind the bar."""
        totals = self.totals
        speed = totals.rows / totals.seconds if totals.seconds else 0
        lag = "" if batch.lag is None else f", lag {duration_words(batch.lag)}"
        words = f"{totals.rows:,} rows, {speed:,.0f} a second, {totals.late:,} late, {totals.dead:,} bad{lag}"
        if self._task is not None:
            self._bars.update(self._task, words=words)

    def event(self, name: str, words: str, **parts: Any) -> None:
        """A line above the bar."""
        self._bars.console.print(words)

    def close(self) -> None:
        """The bar goes."""
        self._bars.stop()


def progress_for(log: Log, folder: Path | None) -> Progress:
    """What suits the terminal, or its absence: bars on one, lines elsewhere, unless another is asked for."""
    if log == "quiet":
        return Progress(folder)
    if log == "json":
        return JsonLines(folder, sys.stderr)
    return Bars(folder) if log == "auto" and sys.stderr.isatty() else Plain(folder, sys.stderr)


def in_words(batch: Batch) -> str:
    """A batch in a line.

    >>> in_words(Batch(3, rows=5000, results=4000, late=2, seconds=2.0, lag=75, state_bytes=2_500_000))
    'batch 3: 5,000 rows in 2.0 s (2,500 a second), 4,000 results, 2 late, lag 1m15s, state 2.5 MB'
    """
    speed = f" ({batch.rows / batch.seconds:,.0f} a second)" if batch.seconds else ""
    parts = [f"{amount(batch.rows, 'row')} in {batch.seconds:.1f} s{speed}", amount(batch.results, "result")]
    parts += [f"{batch.late:,} late"] * bool(batch.late) + [f"{batch.dead:,} bad"] * bool(batch.dead)
    parts += [] if batch.lag is None else [f"lag {duration_words(batch.lag)}"]
    parts += [f"state {batch.state_bytes / 1e6:.1f} MB"] * bool(batch.state_bytes)
    return f"batch {batch.number}: {', '.join(parts)}"


def amount(count: int, word: str) -> str:
    """So many of something.

    >>> amount(1, "row"), amount(5000, "row")
    ('1 row', '5,000 rows')
    """
    return f"{count:,} {word}" if count == 1 else f"{count:,} {word}s"


def duration_words(seconds: float) -> str:
    """A length of time, in its two largest units.

    >>> duration_words(5), duration_words(75), duration_words(90061)
    ('5s', '1m15s', '1d1h')
    """
    whole = max(round(seconds), 0)
    parts = [(whole // 86400, "d"), (whole // 3600 % 24, "h"), (whole // 60 % 60, "m"), (whole % 60, "s")]
    first = next((place for place, (count, _) in enumerate(parts) if count), len(parts) - 1)
    return "".join(f"{count}{unit}" for count, unit in parts[first : first + 2] if count) or "0s"


def now() -> str:
    """The time of the clock, as ISO 8601."""
    return datetime.fromtimestamp(time.time(), UTC).isoformat(timespec="milliseconds")
