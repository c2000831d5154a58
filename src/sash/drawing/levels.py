"""Pictures of levels over leaves: the Monoid Tree, base intervals and FlatFAT."""

from __future__ import annotations

from sash.drawing.canvas import LINE, Box, Word
from sash.drawing.columns import GAP, Sheet
from sash.drawing.structure import Aggregate, Entry, Node, Omitted

__all__ = ["draw_flat", "draw_levels"]


def draw_levels(sheet: Sheet, structure: Node, x: float, y: float) -> float:
    """The leaves below, each level above them over what it covers, the stack and the results as bars."""
    leaves = next(node for node in structure.nodes() if node.kind == "leaves")
    places = _places(sheet, leaves, x)
    levels = [_shown(sheet, node) for node in structure.nodes() if node.kind == "level"]
    rows = [level for level in levels if level]
    for row, level in enumerate(rows):
        for node, (start, end) in level:
            sheet.aggregate(node, start, y + row * (LINE + GAP), end - start)
    bottom = y + len(rows) * (LINE + GAP) + LINE
    for item, place in places:
        if isinstance(item, Entry):
            sheet.entry(item, place, bottom)
        else:
            sheet.canvas.add(Word(place + sheet.cell / 2, bottom + LINE / 2, f"… {item.entries:,} …", "dim"))
    kept = [item for item in structure.items if isinstance(item, Aggregate)]
    stack = [item for node in structure.nodes() if node.kind == "stack" for item, _ in _shown(sheet, node)]
    return sheet.bars([*kept, *stack], bottom + LINE + GAP)


def _places(sheet: Sheet, leaves: Node, x: float) -> list[tuple[Entry | Omitted, float]]:
    """Where the leaves stand, and the gap between them; the levels above are drawn by it."""
    places: list[tuple[Entry | Omitted, float]] = []
    for item in leaves.items:
        if isinstance(item, Entry):
            places.append((item, x))
            sheet.places[item.time] = (x, x + sheet.cell)
            x += sheet.cell
        elif isinstance(item, Omitted):
            places.append((item, x))
            x += sheet.cell + 2 * GAP
    return places


def _shown(sheet: Sheet, node: Node) -> list[tuple[Aggregate, tuple[float, float]]]:
    """The aggregates of a node and where they reach, but for those of leaves that are all left out."""
    return [(item, reach) for item in node.aggregates() if (reach := sheet.reach(item))]


def draw_flat(sheet: Sheet, structure: Node, x: float, y: float) -> float:
    """A complete binary tree over the slots of a ring, some of which are empty."""
    *levels, slots = structure.nodes()
    columns = len(slots.nodes()) or 2 * len(levels[-1].nodes())
    for level in levels:
        width = columns * sheet.cell / len(level.nodes())
        for place, node in enumerate(level.nodes()):
            _node(sheet, node, x + place * width + 1, y, width - 2)
        y += LINE + GAP
    y += LINE
    if omitted := slots.omitted():
        sheet.canvas.add(Word(x + columns * sheet.cell / 2, y - LINE / 2, f"… {omitted:,} entries below …", "dim"))
        return y
    for place, slot in enumerate(slots.nodes()):
        _slot(sheet, slot, x + place * sheet.cell, y)
    return y + 2 * LINE


def _node(sheet: Sheet, node: Node, x: float, y: float, width: float) -> None:
    kept = node.aggregates()
    if kept:
        sheet.aggregate(kept[0], x, y, width)
    else:
        sheet.canvas.add(Box(x, y, width, LINE, kind="missing", title="no entry below, or of both ends of the ring"))


def _slot(sheet: Sheet, slot: Node, x: float, y: float) -> None:
    entries = slot.entries()
    if entries:
        sheet.entry(entries[0], x, y)
    else:
        sheet.canvas.add(Box(x, y, sheet.cell, LINE, kind="missing", title="an empty slot"))
    if slot.kind != "slot":
        sheet.canvas.add(Word(x + sheet.cell / 2, y + 1.5 * LINE, f"↑ {slot.kind}", "pointer"))
