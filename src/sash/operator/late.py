"""Events that come after the watermark: counted, and handed to whoever was named."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Literal, NamedTuple

from sash.errors import LateEventError

__all__ = ["LateEvent", "LateEvents", "OnLate", "check_on_late"]


class LateEvent(NamedTuple):
    """An event that came too late, and the watermark that it came after; None if the stream had ended.

    >>> LateEvent(None, 3, "a", watermark=5)
    LateEvent(key=None, time=3, value='a', watermark=5)
    """

    key: Any
    time: Any
    value: Any
    watermark: Any


OnLate = Literal["drop", "raise", "keep"] | Callable[[LateEvent], Any]


def check_on_late(on_late: Any) -> OnLate:
    """One of the words or a function, or a ValueError."""
    if on_late in ("drop", "raise", "keep") or callable(on_late):
        return on_late  # type: ignore[no-any-return]
    raise ValueError(f'on_late is "drop", "raise", "keep" or a function of a late event, not {on_late!r:.60}')


class LateEvents:
    """The counts of late events by their reason, and the side list."""

    __slots__ = ("_on_late", "counts", "kept", "raised")

    def __init__(self, on_late: OnLate) -> None:
        self._on_late = on_late
        self.counts = {"watermark": 0, "finished": 0}
        self.kept: list[LateEvent] = []
        #: What the function raised last: the event that came late is not to blame.
        self.raised: Exception | None = None

    def hand_over(self, key: Any, time: Any, value: Any, watermark: Any) -> LateEvent:
        """Count a late event and hand it on."""
        event = LateEvent(key, time, value, watermark)
        if self._on_late == "raise":
            raise LateEventError(_refusal(event))
        if callable(self._on_late):
            self._call(event)
        elif self._on_late == "keep":
            self.kept.append(event)
        self.counts[_reason(event)] += 1
        return event

    def _call(self, event: LateEvent) -> None:
        assert callable(self._on_late)
        try:
            self._on_late(event)
        except Exception as error:
            self.raised = error
            raise

    def take_back(self, events: list[LateEvent]) -> None:
        """The call that handed these over has failed: they are not counted, and not kept."""
        gone = {id(event) for event in events}
        self.kept[:] = [event for event in self.kept if id(event) not in gone]
        for event in events:
            self.counts[_reason(event)] -= 1


def _reason(event: LateEvent) -> str:
    return "finished" if event.watermark is None else "watermark"


def _refusal(event: LateEvent) -> str:
    what = f"the event at {event.time}" + ("" if event.key is None else f" of {event.key!r}")
    if event.watermark is None:
        return f"{what} comes after the end of the stream: push before finish()"
    return f"{what} is before the watermark {event.watermark}: allow more lateness, or choose another on_late"
