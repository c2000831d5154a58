"""Pictures of queues: Two-Stacks, ABA, DABA and the lite ones, with the pointers between their parts."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from sash.drawing.canvas import LINE, Word
from sash.drawing.columns import GAP, Sheet
from sash.drawing.structure import Aggregate, Entry, Node, Omitted

__all__ = ["draw_queue"]

#: The letters of the papers for where the parts begin.
_LETTERS: Final = {"front": "F", "left": "L", "right": "R", "accumulated": "A", "back": "B"}
_PARTED: Final = 14


def draw_queue(sheet: Sheet, structure: Node, x: float, y: float) -> float:
    """The parts side by side, the kept aggregates as bars below; returns where the picture ends."""
    parts = structure.nodes()
    top = y + (2.4 if len(parts) > 1 else 0.8) * LINE
    starts: dict[str, float] = {}
    deepest = top + LINE
    for part in parts:
        starts[part.kind] = x
        end, bottom = _part(sheet, part, x, top)
        if end > x and len(parts) > 1:
            sheet.canvas.add(Word((x + end) / 2, y + LINE / 2, part.kind, "dim"))
            x = end + _PARTED
        deepest = max(deepest, bottom)
    _pointers(sheet, starts, top - LINE)
    kept = [item for item in structure.items if isinstance(item, Aggregate)]
    return sheet.bars(kept, deepest + GAP)


def _part(sheet: Sheet, part: Node, x: float, y: float) -> tuple[float, float]:
    """The entries of a part and below each its aggregate; returns the right end and the lower one."""
    bottom = y + LINE
    column = x
    for item in part.items:
        match item:
            case Entry():
                sheet.entry(item, x, y)
                column, x = x, x + sheet.cell
            case Aggregate():
                sheet.aggregate(item, column, y + LINE, sheet.cell)
                bottom = y + 2 * LINE
            case Omitted():
                sheet.canvas.add(Word(x + sheet.cell / 2, y + LINE / 2, f"… {item.entries:,} …", "dim"))
                x += sheet.cell + 2 * GAP
            case _:
                raise AssertionError(item)
    return x, bottom


def _pointers(sheet: Sheet, starts: Mapping[str, float], y: float) -> None:
    """A letter with an arrow where each part begins; parts that are empty share one."""
    if len(starts) < 2 or not sheet.places:
        return
    end = max(right for _, right in sheet.places.values())
    letters: dict[float, str] = {}
    for kind, x in starts.items():
        letters[min(x, end)] = letters.get(min(x, end), "") + _LETTERS[kind]
    # In DABA the youngest entry stays out of the structure, and E is before it.
    last = end - sheet.cell if len(starts) > 2 else end
    letters[last] = letters.get(last, "") + "E"
    for x, names in letters.items():
        sheet.canvas.add(Word(x, y, f"{names}↓", "pointer"))
