"""Where the partials of one key lie: one window over times, or several over places.

A window keeps one entry a time. That is enough for windows which end between different times. Windows of a number of
events also end between events of equal time: for them each event gets a label of its own, ascending with its place.
"""

# The methods are described once, in Axis.
# ruff: noqa: D102

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, Final, Protocol

from sash.aggregations.base import Aggregation
from sash.operator.scale import Scale
from sash.window import Window

__all__ = ["Axis", "PlaceAxis", "Rows", "TickAxis", "Track"]

#: The distance of labels: room for late events between two neighbours.
_GAP: Final = 1 << 32
_LAST_LABEL: Final = 2**62


class Rows(Protocol):
    """The events of a key in the order of their times, then of their arrival."""

    ticks: list[int]
    values: list[Any]


class Axis(Protocol):
    """What answers for a run of rows, and follows what happens to them. The rows change first, except on removal."""

    def insert(self, rows: Rows, place: int) -> None:
        """The row at the place is new. Whatever fails leaves the axis as it was."""

    def remove(self, rows: Rows, place: int) -> None:
        """The row at the place will go."""

    def forget(self, rows: Rows, count: int) -> None:
        """The first rows will go; the last of them is older than the first that stays."""

    def load(self, rows: Rows) -> None:
        """All rows are new."""

    def query(self, rows: Rows, low: int, high: int, track: int = 0) -> Any:
        """The result of the rows from low to high, the last one out."""


class TickAxis:
    """One window over the times themselves. Its runs of rows begin and end between different times."""

    __slots__ = ("_scale", "_window")

    def __init__(self, aggregation: Aggregation, algorithm: str, scale: Scale) -> None:
        self._window = Window(aggregation, algorithm)
        # Only a timed aggregation looks at the times; ticks do for the others, and cost nothing to encode.
        self._scale = scale if aggregation.timed else None

    def _time(self, ticks: int) -> Any:
        return ticks if self._scale is None else self._scale.time(ticks)

    def insert(self, rows: Rows, place: int) -> None:
        self._window.insert(self._time(rows.ticks[place]), rows.values[place])

    def remove(self, rows: Rows, place: int) -> None:
        ticks = rows.ticks[place]
        self._window.evict(self._time(ticks))
        first, last = place, place
        while first and rows.ticks[first - 1] == ticks:
            first -= 1
        while last + 1 < len(rows.ticks) and rows.ticks[last + 1] == ticks:
            last += 1
        for peer in range(first, last + 1):
            if peer != place:
                self.insert(rows, peer)

    def forget(self, rows: Rows, count: int) -> None:
        self._window.bulk_evict(self._time(rows.ticks[count - 1]))

    def load(self, rows: Rows) -> None:
        for place in range(len(rows.ticks)):
            self.insert(rows, place)

    def query(self, rows: Rows, low: int, high: int, track: int = 0) -> Any:
        if low >= high:
            return self._window.aggregation.empty
        return self._window.query(self._time(rows.ticks[low]), self._time(rows.ticks[high - 1]))


class Track:
    """One aggregation over places, and what it reads of a value."""

    __slots__ = ("aggregation", "read")

    def __init__(self, aggregation: Aggregation, read: Callable[[Any], Any] | None = None) -> None:
        self.aggregation = aggregation
        self.read = read


class _WithTime(Aggregation):
    """A timed aggregation in a window of labels: the time comes along with the value."""

    def __init__(self, inner: Aggregation) -> None:
        self.inner = inner
        self.identity = inner.identity
        self.nan = inner.nan
        self.commutative = inner.commutative  # type: ignore[misc]

    def skips(self, value: Any) -> bool:
        return value is None or self.inner.skips(value[0])

    def lift(self, value: Any, time: Any = None) -> Any:
        return self.inner.lift(*value)

    def combine(self, older: Any, newer: Any) -> Any:
        return self.inner.combine(older, newer)

    def lower(self, partial: Any) -> Any:
        return self.inner.lower(partial)


class PlaceAxis:
    """One window a track, over labels that ascend with the places of the rows."""

    __slots__ = ("_algorithm", "_labels", "_scale", "_tracks", "_windows")

    def __init__(self, tracks: Sequence[Track], algorithm: str, scale: Scale) -> None:
        self._tracks = tracks
        self._algorithm = algorithm
        self._scale = scale
        #: Ascending, one a row.
        self._labels: list[int] = []
        self._windows = self._empty()

    def _empty(self) -> list[Window]:
        return [
            Window(_WithTime(track.aggregation) if track.aggregation.timed else track.aggregation, self._algorithm)
            for track in self._tracks
        ]

    def _value(self, track: Track, rows: Rows, place: int) -> Any:
        value = rows.values[place]
        read = value if track.read is None or value is None else track.read(value)
        return (read, self._scale.time(rows.ticks[place])) if track.aggregation.timed else read

    def insert(self, rows: Rows, place: int) -> None:
        label = self._between(place)
        if label is None:
            self.load(rows)
            return
        done = []
        try:
            for track, window in zip(self._tracks, self._windows, strict=True):
                window.insert(label, self._value(track, rows, place))
                done.append(window)
        except BaseException:
            for window in done:
                window.evict(label)
            raise
        self._labels.insert(place, label)

    def _between(self, place: int) -> int | None:
        """A label for a row that goes to the place; None if there is no room."""
        labels = self._labels
        if place == len(labels):
            label = labels[-1] + _GAP if labels else 0
            return label if label < _LAST_LABEL else None
        if place == 0:
            return labels[0] - _GAP if labels[0] > -_LAST_LABEL else None
        room = labels[place] - labels[place - 1]
        # Late events come in runs, each after the one before it: leave most of the room to those that follow.
        return labels[place - 1] + max(1, room // 64) if room > 1 else None

    def remove(self, rows: Rows, place: int) -> None:
        label = self._labels.pop(place)
        for window in self._windows:
            window.evict(label)

    def forget(self, rows: Rows, count: int) -> None:
        for window in self._windows:
            window.bulk_evict(self._labels[count - 1])
        del self._labels[:count]

    def load(self, rows: Rows) -> None:
        windows = self._empty()
        labels = [place * _GAP for place in range(len(rows.ticks))]
        for track, window in zip(self._tracks, windows, strict=True):
            for place, label in enumerate(labels):
                window.insert(label, self._value(track, rows, place))
        self._windows, self._labels = windows, labels

    def query(self, rows: Rows, low: int, high: int, track: int = 0) -> Any:
        if low >= high:
            return self._windows[track].aggregation.empty
        return self._windows[track].query(self._labels[low], self._labels[high - 1])
