"""A picture of a window: what `Window.draw()` gives."""

from __future__ import annotations

import os
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Final

from sash.drawing.canvas import LINE, STYLE, Canvas, Word, width_of
from sash.drawing.columns import Sheet
from sash.drawing.levels import draw_flat, draw_levels
from sash.drawing.names import Names
from sash.drawing.queues import draw_queue
from sash.drawing.structure import Node, structure_of
from sash.drawing.trees import draw_tree

if TYPE_CHECKING:
    from sash.window import Window

__all__ = ["Drawing", "draw", "draw_structure", "known_of"]

_MARGIN: Final = 14
#: How each algorithm is drawn; the others are queues.
_FAMILIES: Final[dict[str, Callable[[Sheet, Node, float, float], float]]] = {
    "flatfat": draw_flat,
    "flatfat_fifo": draw_flat,
    "base_intervals": draw_levels,
    "log_mta": draw_levels,
    "amta": draw_levels,
    "btree": draw_tree,
    "fiba": draw_tree,
}


@dataclass(frozen=True, slots=True)
class Drawing:
    """An SVG. Notebooks show it, `save` writes it, `str` is its text.

    >>> import sash
    >>> w = sash.Window(sash.Sum()); w.insert(1, 5)
    >>> str(w.draw()).startswith("<svg ")
    True
    """

    #: The shapes, for a page that has the style already.
    body: str

    @property
    def svg(self) -> str:
        """The whole of it, with its style: readable in light and dark."""
        head, rest = self.body.split("</title>", 1)
        return f"{head}</title>\n<style>{STYLE}</style>{rest}"

    def save(self, path: str | os.PathLike[str]) -> None:
        """Write it to a file, in place of one that is there."""
        Path(path).write_text(self.svg, encoding="utf-8")

    def _repr_svg_(self) -> str:
        return self.svg

    def __str__(self) -> str:
        return self.svg


def draw(window: Window, most: int) -> Drawing:
    """The structure of a window. Of one with more entries than `most`, the ends alone; it says what it leaves out."""
    structure = structure_of(window, brief=len(window) > most)
    return draw_structure(structure, window.algorithm, f"{window.algorithm}, {window.aggregation!r}")


def known_of(structure: Node) -> frozenset[str]:
    """What a structure holds, in words: for the picture after it."""
    names = Names([])
    entries = [names.of_entry(entry) for entry in structure.entries()]
    return frozenset(entries + [names.of_aggregate(aggregate) for aggregate in structure.aggregates()])


def draw_structure(structure: Node, algorithm: str, title: str, known: frozenset[str] | None = None) -> Drawing:
    """The picture of a structure. What is not among what is `known`, if that is given, is drawn so that it is seen."""
    names = Names([entry.time for entry in structure.entries()])
    cell, slot = _widths(structure, names)
    family = _FAMILIES.get(algorithm, draw_queue)
    if family in (draw_levels, draw_flat):
        # An aggregate there has two leaves below it at least.
        cell = max(cell, slot / 2)
    sheet = Sheet(Canvas(), names, cell, slot, known)
    sheet.canvas.add(Word(_MARGIN, LINE / 2 + 4, title, "start"))
    sheet.canvas.add(Word(_MARGIN, LINE * 1.3 + 4, _caption(structure, names), "dim start"))
    if structure.items:
        family(sheet, structure, _MARGIN, 2.2 * LINE)
    return Drawing(sheet.canvas.svg(title))


def _widths(structure: Node, names: Names) -> tuple[float, float]:
    """How wide the cell of an entry is, with what is kept beside it, and how wide that of another aggregate."""
    entries, aggregates = structure.entries(), structure.aggregates()
    beside = [one for one in aggregates if one.name in ("suffix", "prefix")]
    others = [one for one in aggregates if one.name in ("", "up")]
    cells = [names.time(entry.time) for entry in entries]
    cells += [names.value(value) for value in [*(one.value for one in entries), *(one.value for one in beside)]]
    widest = [max(map(width_of, texts), default=0.0) for texts in (cells, [names.value(one.value) for one in others])]
    return max(30.0, widest[0] + 10), max(30.0, widest[1] + 10)


def _caption(structure: Node, names: Names) -> str:
    """How many entries there are, and how many of them are left out."""
    omitted = structure.omitted()
    count = len(structure.entries()) + omitted
    words = f"{count:,} entr{'y' if count == 1 else 'ies'}" if count else "empty"
    words += f", {omitted:,} of them left out" if omitted else ""
    return words + (f", times of {names.common.strip()}" if names.common else "")
