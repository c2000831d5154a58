"""Ctrl-C and SIGTERM: a wish to stop, which a run fulfils where nothing is half done."""

from __future__ import annotations

import signal
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from types import FrameType

__all__ = ["Stop", "Stopped", "keeping_interrupts", "signals"]


class Stopped(Exception):  # noqa: N818  it is no error: somebody wished it
    """A run was stopped before its end. What was finished before is kept."""

    def __init__(self, number: int) -> None:
        super().__init__(f"stopped by {signal.Signals(number).name}")
        #: The exit code that shells give to what a signal ends.
        self.code = 128 + number


class Stop:
    """Whether a signal has come. A second one takes effect at once, as signals do."""

    def __init__(self) -> None:
        self.number = 0
        self._event = threading.Event()

    def __bool__(self) -> bool:
        return self._event.is_set()

    def ask(self, number: int) -> None:
        """Note the wish."""
        self.number = number
        self._event.set()

    def check(self) -> None:
        """Raise `Stopped` if a signal has come."""
        if self:
            raise Stopped(self.number)

    def wait(self, seconds: float) -> bool:
        """Sleep until a signal comes, or so long."""
        return self._event.wait(seconds)


@contextmanager
def signals() -> Iterator[Stop]:
    """A `Stop` that Ctrl-C and SIGTERM ask, as long as the context lasts. Outside the main thread nothing asks it."""
    stop = Stop()

    def handle(number: int, frame: FrameType | None) -> None:
        stop.ask(number)
        signal.signal(number, before[signal.Signals(number)])

    if threading.current_thread() is not threading.main_thread():
        yield stop
        return
    before = {number: signal.getsignal(number) for number in (signal.SIGINT, signal.SIGTERM)}
    for number in before:
        signal.signal(number, handle)
    try:
        yield stop
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)


@contextmanager
def keeping_interrupts() -> Iterator[None]:
    """Whoever heard of Ctrl-C before the context does so after it: a session of PySpark takes it for itself."""
    if threading.current_thread() is not threading.main_thread():
        yield
        return
    before = signal.getsignal(signal.SIGINT)
    try:
        yield
    finally:
        signal.signal(signal.SIGINT, before)
