"""`sash.spark.monitor`: how a stream does, in a terminal or a notebook."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import astuple, dataclass
from datetime import datetime
from typing import Any, Final

from sash.markup import as_html
from sash.spark.stream.metrics import part_of, report_of

__all__ = ["QueryView", "lag_of", "monitor"]

_HEADINGS: Final = (
    "batch", "rows", "rows/s", "seconds", "results", "late", "watermark", "lag", "state rows", "state bytes"
)  # fmt: skip
#: How many batches are shown, and how often one that is followed is drawn, in seconds.
_SHOWN: Final = 10
_POLL: Final = 0.5


@dataclass(frozen=True)
class _Line:
    batch: int
    rows: int
    rows_a_second: float
    seconds: float
    results: int | None
    late: int | None
    watermark: str | None
    lag: float | None
    state_rows: int | None
    state_bytes: int | None

    @classmethod
    def of(cls, progress: Any) -> _Line:
        """What a progress of Spark's says, and what Sash adds to it."""
        report = report_of(progress)
        metrics = None if report is None else report.metrics
        known = ("results", "late", "state_rows", "state_bytes")
        results, late, state_rows, state_bytes = (getattr(metrics, name, None) for name in known)
        seconds = (part_of(progress, "durationMs") or {}).get("triggerExecution", 0) / 1000
        # Through Connect Spark leaves its own number out.
        rows = int(part_of(progress, "numInputRows") or getattr(metrics, "rows", 0))
        rate = rows / seconds if seconds else 0.0
        watermark = (part_of(progress, "eventTime") or {}).get("watermark")
        number = int(part_of(progress, "batchId"))
        lag = lag_of(progress)
        return cls(number, rows, rate, seconds, results, late, watermark, lag, state_rows, state_bytes)

    def cells(self) -> list[str]:
        """Its numbers as they are shown."""
        return [_shown(value) for value in astuple(self)]


class QueryView:
    """The last batches of a query: rows and their rate, seconds, results, late rows, the watermark, how many seconds
    the newest event is behind the clock, and the rows and bytes of state in the buckets that the batch touched.

    `print` shows it, and a notebook draws a table. `follow` goes on until the query ends.
    """

    def __init__(self, query: Any) -> None:
        self._query = query

    def follow(self, seconds: float | None = None) -> None:
        """Draw it again as batches end, until the query does, or so many seconds have passed. In place where Rich is
        installed (`pip install rich`), else a line for each batch."""
        until = None if seconds is None else time.monotonic() + seconds
        with _screen() as draw:
            while True:
                active = self._query.isActive
                draw(self)
                if not active or (until is not None and time.monotonic() >= until):
                    return
                time.sleep(_POLL)

    @property
    def lines(self) -> list[list[str]]:
        """The cells of the table, the newest batch last."""
        done = [one for one in self._query.recentProgress if "addBatch" in (part_of(one, "durationMs") or {})]
        return [_Line.of(one).cells() for one in done[-_SHOWN:]]

    def __str__(self) -> str:
        """The table as text."""
        rows = [list(_HEADINGS), *self.lines]
        widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
        return "\n".join("  ".join(f"{cell:>{width}}" for cell, width in zip(row, widths, strict=True)) for row in rows)

    __repr__ = __str__

    def _repr_html_(self) -> str:
        return as_html(_HEADINGS, self.lines)


def monitor(query: Any) -> QueryView:
    """A view of a query of `sash.spark.rolling`, for a terminal or a notebook: `print(monitor(query))`, or
    `monitor(query).follow()` to go on looking. Other queries have one too, without what only Sash knows.

    Cost: nothing for the stream; Spark keeps its last hundred batches.

    >>> from types import SimpleNamespace as Query
    >>> times = {"max": "2024-01-01T00:00:10Z", "watermark": "2024-01-01T00:00:00Z"}
    >>> took = {"triggerExecution": 250, "addBatch": 200}
    >>> batch = {"batchId": 0, "numInputRows": 300, "durationMs": took, "eventTime": times}
    >>> print(monitor(Query(recentProgress=[batch | {"timestamp": "2024-01-01T00:00:15Z"}])))
    batch  rows  rows/s  seconds  results  late             watermark  lag  state rows  state bytes
        0   300   1,200     0.25        -     -  2024-01-01T00:00:00Z  5.0           -            -
    """
    return QueryView(query)


def lag_of(progress: Any) -> float | None:
    """How many seconds the newest event is behind the time at which its batch began; None if no event had a time."""
    newest = (part_of(progress, "eventTime") or {}).get("max")
    if newest is None:
        return None
    began = datetime.fromisoformat(part_of(progress, "timestamp"))
    return (began - datetime.fromisoformat(newest)).total_seconds()


def _shown(value: Any) -> str:
    if value is None:
        return "-"
    if isinstance(value, float):
        return f"{value:,.0f}" if abs(value) >= 1000 else f"{value:.3g}" if abs(value) < 1 else f"{value:.1f}"
    return f"{value:,}" if isinstance(value, int) else str(value)


@contextmanager
def _screen() -> Iterator[Callable[[QueryView], None]]:
    """What draws a view again and again."""
    try:
        from rich.live import Live
    except ImportError:
        yield _Printer()
        return
    with Live() as live:
        yield lambda view: live.update(_rich_table(view), refresh=True)


def _rich_table(view: QueryView) -> Any:
    from rich.table import Table

    table = Table(*_HEADINGS)
    for line in view.lines:
        table.add_row(*line)
    return table


class _Printer:
    """Prints each batch once, under headings."""

    def __init__(self) -> None:
        self._seen: Sequence[str] = ()

    def __call__(self, view: QueryView) -> None:
        """What is new."""
        if not self._seen:
            print("  ".join(_HEADINGS))
        lines = view.lines
        fresh = lines[lines.index(list(self._seen)) + 1 :] if list(self._seen) in lines else lines
        for line in fresh:
            print("  ".join(line))
            self._seen = line
