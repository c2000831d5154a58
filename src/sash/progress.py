"""Bars for work that takes long: on a terminal with Rich, in a notebook, and nowhere else unless asked for."""

from __future__ import annotations

import sys
import time
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from importlib.util import find_spec
from threading import Timer
from typing import Any, Final, Protocol, TypeVar

__all__ = ["advance", "counted", "showing"]

#: A bar appears when the work has taken so many seconds.
_PATIENCE: Final = 1.0
#: Work of fewer rows and passes is done before that, so that nothing is set up for it.
_WORTH: Final = 100_000

T = TypeVar("T")


class _Bar(Protocol):
    def advance(self, amount: int) -> None: ...
    def close(self) -> None: ...


def _ignore(amount: int) -> None:
    """Nobody watches."""


_ADVANCE: ContextVar[Callable[[int], None]] = ContextVar("advance", default=_ignore)


def advance(amount: int = 1) -> None:
    """So much of the work that is being shown is done. Cost: next to none where none is."""
    _ADVANCE.get()(amount)


@contextmanager
def showing(progress: bool | None, words: str, steps: int, rows: int) -> Iterator[None]:
    """Show how many steps `advance` tells of, over so many rows, if there is somebody to see them.

    >>> with showing(False, "rolling", 10, 10**9):
    ...     advance()
    """
    bar = _bar(progress, words, steps) if steps * rows >= _WORTH else None
    if bar is None:
        yield
        return
    token = _ADVANCE.set(bar.advance)
    try:
        yield
    finally:
        _ADVANCE.reset(token)
        bar.close()


def counted(
    progress: bool | None, words: str, items: Iterable[T], size: Callable[[T], int], total: Callable[[], int | None]
) -> Iterator[T]:
    """The items, and how far they have been taken. `total` is asked for only where somebody sees it.

    >>> list(counted(False, "reading", "abc", len, lambda: 3))
    ['a', 'b', 'c']
    """
    if not _watched(progress):
        yield from items
        return
    bar = _bar(progress, words, total())
    try:
        for item in items:
            yield item
            if bar is not None:
                bar.advance(size(item))
    finally:
        if bar is not None:
            bar.close()


def _watched(progress: bool | None) -> bool:
    """Whether a bar would be seen: asked for, or a terminal or a notebook is there to show it."""
    if progress is None:
        return _notebook() is not None or (sys.stderr is not None and sys.stderr.isatty())
    return progress


def _bar(progress: bool | None, words: str, total: int | None) -> _Bar | None:
    if not _watched(progress):
        return None
    if (display := _notebook()) is not None:
        return _InNotebook(display, words, total)
    return _OnTerminal(words, total) if find_spec("rich") else None


def _notebook() -> Any:
    """IPython's display, in a notebook; None elsewhere."""
    ipython = sys.modules.get("IPython")
    shell = None if ipython is None else ipython.get_ipython()
    return None if type(shell).__name__ != "ZMQInteractiveShell" else sys.modules.get("IPython.display")


class _OnTerminal:
    """A bar of Rich on stderr. A timer begins it, since one pass over the rows may take long by itself."""

    def __init__(self, words: str, total: int | None) -> None:
        self._words, self._total, self._done = words, total, 0
        self._rich: Any = None
        self._timer = Timer(_PATIENCE, self._begin)
        self._timer.daemon = True
        self._timer.start()

    def advance(self, amount: int) -> None:
        self._done += amount
        if self._rich is not None:
            self._rich.update(self._rich.task_ids[0], completed=self._done)

    def close(self) -> None:
        self._timer.cancel()
        self._timer.join()
        if self._rich is not None:
            self._rich.stop()

    def _begin(self) -> None:
        from rich.console import Console
        from rich.errors import LiveError
        from rich.progress import BarColumn, Progress, TextColumn, TimeElapsedColumn, TimeRemainingColumn

        count = TextColumn("{task.completed:,.0f}" + ("" if self._total is None else f" of {self._total:,}"))
        columns = (TextColumn("{task.description}"), BarColumn(24), count, TimeElapsedColumn(), TimeRemainingColumn())
        bars = Progress(*columns, console=Console(stderr=True, highlight=False), transient=True)
        bars.add_task(self._words, total=self._total, completed=self._done)
        try:
            bars.start()
        except LiveError:
            # Somebody shows something of their own: that is enough.
            return
        self._rich = bars


class _InNotebook:
    """HTML that changes in its place, from the thread that works: no other may write to the cell."""

    def __init__(self, display: Any, words: str, total: int | None) -> None:
        self._display, self._words, self._total, self._done = display, words, total, 0
        self._shown: Any = None
        self._next = time.monotonic() + _PATIENCE

    def advance(self, amount: int) -> None:
        self._done += amount
        now = time.monotonic()
        if now < self._next:
            return
        self._next = now + 0.2
        html = self._display.HTML(self._html())
        if self._shown is None:
            self._shown = self._display.display(html, display_id=True)
        else:
            self._shown.update(html)

    def close(self) -> None:
        if self._shown is not None:
            self._shown.update(self._display.HTML(""))

    def _html(self) -> str:
        if self._total is None:
            return f"<progress></progress> {self._words}: {self._done:,}"
        bar = f'<progress max="{self._total}" value="{self._done}"></progress>'
        return f"{bar} {self._words}: {self._done:,} of {self._total:,}"
