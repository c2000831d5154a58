"""Pictures of search trees: FiBA with its fingers and spines, and the augmented B-tree."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

from sash.drawing.canvas import LINE, Box, Line, Word, width_of
from sash.drawing.columns import GAP, Sheet
from sash.drawing.structure import Aggregate, Entry, Node, Omitted, Pointer

__all__ = ["draw_tree"]

#: Between a node and the ones below it, and between siblings.
_DROP: Final = 30
_APART: Final = 14
#: Where the cells of a node are: below the times.
_HEAD: Final = 20
#: What FiBA keeps beside its nodes: drawn as bars, because they reach over several.
_BESIDE: Final = ("inner", "left", "right", "middle", "back")


@dataclass(frozen=True, slots=True)
class Placed:
    """A node that was drawn: its ends, and where its parent reaches it."""

    left: float
    right: float
    top: float
    bottom: float
    middle: float


def draw_tree(sheet: Sheet, structure: Node, x: float, y: float) -> float:
    """The root above, its children below it, what is kept beside the nodes as bars; returns where it ends."""
    root = structure.nodes()[0]
    fingers = any(isinstance(item, Pointer) for item in root.walk())
    placed = _node(sheet, root, x, y, (fingers, fingers))
    return sheet.bars([item for item in structure.aggregates() if item.name in _BESIDE], placed.bottom + GAP)


def _node(sheet: Sheet, node: Node, x: float, y: float, spines: tuple[bool, bool]) -> Placed:
    """A node and all below it. `spines` says whether it lies on the left one and on the right one."""
    if not node.nodes():
        return _leaf(sheet, node, x, y, any(spines))
    return _inner(sheet, node, x, y, spines)


def _leaf(sheet: Sheet, node: Node, x: float, y: float, spine: bool) -> Placed:
    """The entries side by side; below them the suffixes of a finger, and what points at it."""
    end, bottom = _cells(sheet, node, x + GAP, y + _HEAD)
    bottom = _up(sheet, node, x + GAP, end, bottom) + GAP
    end += GAP
    sheet.canvas.below(_frame(x, y, end, bottom, spine))
    for pointer in (item for item in node.items if isinstance(item, Pointer)):
        sheet.canvas.add(Word((x + end) / 2, bottom + LINE / 2, f"↑ {pointer.name}", "pointer"))
        bottom += LINE
    return Placed(x, end, y, bottom, (x + end) / 2)


def _cells(sheet: Sheet, node: Node, x: float, y: float) -> tuple[float, float]:
    """The entries of a leaf, with the aggregates that are kept beside each; returns the right and the lower end."""
    bottom, column = y + LINE, x
    for item in node.items:
        match item:
            case Entry():
                sheet.entry(item, x, y)
                column, x = x, x + sheet.cell
            case Aggregate(name="suffix"):
                sheet.aggregate(item, column, y + LINE, sheet.cell)
                bottom = y + 2 * LINE
            case Omitted():
                text = f"… {item.entries:,} …"
                sheet.canvas.add(Word(x + width_of(text) / 2, y + LINE / 2, text, "dim"))
                x += width_of(text)
            case _:
                pass
    return x, bottom


def _up(sheet: Sheet, node: Node, x: float, end: float, y: float) -> float:
    """A node's own aggregate, which a B-tree keeps in it, below its entries; returns where it ends."""
    first = node.items[0]
    if not (isinstance(first, Aggregate) and first.name in ("up", "waits")):
        return y
    sheet.aggregate(first, x, y, end - x)
    return y + LINE


def _inner(sheet: Sheet, node: Node, x: float, y: float, spines: tuple[bool, bool]) -> Placed:
    """The children first, then the node above their middle, with a line from each cell to its child."""
    entries = [item for item in node.items if isinstance(item, Entry)]
    below = y + _HEAD + (2 if entries else 1) * LINE + GAP + _DROP
    placed = _children(sheet, node, x, below, spines)
    cell = max(sheet.cell, sheet.slot / len(entries)) if entries else sheet.slot
    width = (len(entries) or len(placed)) * cell + 2 * GAP
    left = max(x, (placed[0].middle + placed[-1].middle - width) / 2)
    bottom = _entries_of(sheet, node, entries, left, y, cell) if entries else _slots(sheet, node, left, y)
    sheet.canvas.below(_frame(left, y, left + width, bottom + GAP, any(spines)))
    for place, child in enumerate(placed):
        # Between the entries of a B-tree; below the child's own slot in FiBA.
        share = place if entries else place + 0.5
        spine = (spines[0] and place == 0) or (spines[1] and place == len(placed) - 1)
        start = left + GAP + share * cell
        sheet.canvas.below(Line(start, bottom + GAP, child.middle, child.top, "spine" if spine else ""))
    right = max(left + width, placed[-1].right)
    return Placed(x, right, y, max(child.bottom for child in placed), left + width / 2)


def _children(sheet: Sheet, node: Node, x: float, y: float, spines: tuple[bool, bool]) -> list[Placed]:
    children = node.nodes()
    placed: list[Placed] = []
    for place, child in enumerate(children):
        on = (spines[0] and place == 0, spines[1] and place == len(children) - 1)
        placed.append(_node(sheet, child, x, y, on))
        x = placed[-1].right + _APART
    return placed


def _slots(sheet: Sheet, node: Node, left: float, y: float) -> float:
    """FiBA's inner node: the aggregate that is kept for each child; none for one on a spine."""
    x = left + GAP - sheet.slot
    top = y + GAP
    for item in node.items:
        if isinstance(item, Node):
            x += sheet.slot
            sheet.canvas.add(Box(x, top, sheet.slot, LINE, kind="missing", title="on a spine: kept beside the tree"))
        elif isinstance(item, Aggregate) and item.name == "up":
            sheet.canvas.shapes.pop()
            sheet.aggregate(item, x, top, sheet.slot)
    return top + LINE


def _entries_of(sheet: Sheet, node: Node, entries: list[Entry], left: float, y: float, cell: float) -> float:
    """The B-tree's inner node: entries of its own, and the aggregate of all below it."""
    for place, entry in enumerate(entries):
        sheet.entry(entry, left + GAP + place * cell, y + _HEAD, cell)
    return _up(sheet, node, left + GAP, left + GAP + len(entries) * cell, y + _HEAD + LINE)


def _frame(left: float, top: float, right: float, bottom: float, spine: bool) -> Box:
    return Box(left, top, right - left, bottom - top, kind="node spine" if spine else "node")
