"""Where entries stand in a picture, and bars below them for the aggregates that reach over several."""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import Any, Final

from sash.drawing.canvas import LINE, Box, Canvas, Word, width_of
from sash.drawing.names import Names
from sash.drawing.structure import Aggregate, Entry

__all__ = ["GAP", "Sheet"]

#: Between things that belong together.
GAP: Final = 6


@dataclass(slots=True)
class Sheet:
    """A picture on its way: what is drawn, how things are named, and where the entries stand."""

    canvas: Canvas
    names: Names
    #: The width of an entry, and of an aggregate that is kept for a child.
    cell: float
    slot: float
    #: What the picture before had, if there was one: the rest is drawn so that it is seen.
    known: frozenset[str] | None = None
    #: The ends of each entry's cell, by its time.
    places: dict[Any, tuple[float, float]] = field(default_factory=dict)

    def kind(self, item: Entry | Aggregate, title: str) -> str:
        """The classes of a box: of its kind, without a value, new since the picture before."""
        kind = "entry" if isinstance(item, Entry) else "aggregate"
        missing = "" if item.value else " missing"
        fresh = " fresh" if item.value and self.known is not None and title not in self.known else ""
        return f"{kind}{missing}{fresh}"

    def entry(self, entry: Entry, x: float, y: float, width: float = 0.0) -> None:
        """An entry's cell: its time above its value."""
        width = width or self.cell

        self.places[entry.time] = (x, x + width)
        self.canvas.add(Word(x + width / 2, y - 9, self.names.time(entry.time), "dim"))
        title = self.names.of_entry(entry)
        self.canvas.add(Box(x, y, width, LINE, self.names.value(entry.value), self.kind(entry, title), title))

    def aggregate(self, aggregate: Aggregate, x: float, y: float, width: float, label: str = "") -> None:
        """An aggregate's box."""
        text = " ".join(filter(None, [label, self.names.value(aggregate.value)]))
        if not aggregate.value:
            text = aggregate.name if width > width_of(aggregate.name) else "·"
        title = self.names.of_aggregate(aggregate)
        self.canvas.add(Box(x, y, width, LINE, text, self.kind(aggregate, title), title))

    def reach(self, aggregate: Aggregate) -> tuple[float, float] | None:
        """From where to where the entries of an aggregate stand, into the gap where some are left out.

        None where all of them are.
        """
        times = sorted(self.places)
        first, last = bisect_left(times, aggregate.first), bisect_right(times, aggregate.last) - 1
        if first > last:
            return None
        start, end = self.places[times[first]][0], self.places[times[last]][1]
        if times[first] != aggregate.first and first > 0:
            start = self.places[times[first - 1]][1] + GAP
        if times[last] != aggregate.last and last + 1 < len(times):
            end = self.places[times[last + 1]][0] - GAP
        return start, end

    def _gap(self, aggregate: Aggregate) -> tuple[float, float]:
        """Where the entries of an aggregate would stand, all of which are left out."""
        times = sorted(self.places)
        after = bisect_left(times, aggregate.first)
        return self.places[times[after - 1]][1] + GAP, self.places[times[after]][0] - GAP

    def bars(self, aggregates: Iterable[Aggregate], y: float) -> float:
        """A bar for each aggregate below the entries that it is of, and where the bars end."""
        rows: list[float] = []
        for aggregate in aggregates:
            start, end = self.reach(aggregate) or self._gap(aggregate)
            text = " ".join(filter(None, [aggregate.name, self.names.value(aggregate.value)]))
            needed = max(end - start, width_of(text) + 10)
            row = next((row for row, used in enumerate(rows) if used <= start), len(rows))
            rows[row : row + 1] = [start + needed]
            self.aggregate(aggregate, start, y + row * (LINE + GAP), needed, aggregate.name)
        return y + len(rows) * (LINE + GAP)
