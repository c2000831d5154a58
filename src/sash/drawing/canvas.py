"""Boxes, words and lines on a plane, and the SVG of them: readable in light and dark, at any scale."""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from html import escape
from typing import Final

__all__ = ["LINE", "STYLE", "Box", "Canvas", "Line", "Word", "width_of"]

#: The height of a row, and the width of a character.
LINE: Final = 24
_CHARACTER: Final = 7.3

#: How the shapes look: for a page of several pictures, which needs it once.
STYLE: Final = """
.sash-drawing { font: 12px ui-monospace, Menlo, Consolas, monospace; }
.sash-drawing rect { fill: #fff; stroke: #5c6b7a; }
.sash-drawing text { fill: #1c2733; text-anchor: middle; dominant-baseline: central; }
.sash-drawing line { stroke: #5c6b7a; }
.sash-drawing .paper { fill: #f6f7f9; stroke: none; }
.sash-drawing .node { fill: #e9edf2; stroke: #5c6b7a; }
.sash-drawing .spine { stroke: #2456a6; stroke-width: 2.5; }
.sash-drawing .aggregate { fill: #dbe8fb; stroke: #6d93cf; }
.sash-drawing .missing { fill: none; stroke-dasharray: 3 3; }
.sash-drawing .fresh { stroke: #c2410c; stroke-width: 2.5; }
.sash-drawing .dim { fill: #5c6b7a; font-size: 11px; }
.sash-drawing .start { text-anchor: start; }
.sash-drawing .pointer { fill: #2456a6; font-weight: 600; }
@media (prefers-color-scheme: dark) {
.sash-drawing rect { fill: #12171d; stroke: #8b9aa9; }
.sash-drawing text { fill: #e6ebf0; }
.sash-drawing line { stroke: #8b9aa9; }
.sash-drawing .paper { fill: #1a2129; }
.sash-drawing .node { fill: #26303a; stroke: #8b9aa9; }
.sash-drawing .spine { stroke: #7fb0ff; }
.sash-drawing .aggregate { fill: #1d3557; stroke: #5f8fd0; }
.sash-drawing .missing { fill: none; }
.sash-drawing .fresh { stroke: #fb923c; }
.sash-drawing .dim { fill: #97a6b5; }
.sash-drawing .pointer { fill: #7fb0ff; }
}
"""


#: What XML has no place for.
_UNFIT: Final = re.compile(r"[^\t\n\r\x20-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")


def _markup(text: str) -> str:
    """A text of users as XML: no markup, and nothing that XML cannot hold."""
    return escape(_UNFIT.sub("\ufffd", text))


def width_of(text: str) -> float:
    """How wide a text is."""
    return len(text) * _CHARACTER


@dataclass(frozen=True, slots=True)
class Box:
    """A rectangle with a text in it. `title` is what a pointer over it shows."""

    x: float
    y: float
    width: float
    height: float
    text: str = ""
    kind: str = ""
    title: str = ""

    def svg(self) -> str:
        """Its element."""
        place = f'x="{self.x:g}" y="{self.y:g}" width="{self.width:g}" height="{self.height:g}"'
        title = f"<title>{_markup(self.title)}</title>" if self.title else ""
        text = Word(self.x + self.width / 2, self.y + self.height / 2, self.text).svg() if self.text else ""
        return f'<g>{title}<rect class="{self.kind}" rx="3" {place}/>{text}</g>'


@dataclass(frozen=True, slots=True)
class Word:
    """A text, in the middle of its place unless its kind says start."""

    x: float
    y: float
    text: str
    kind: str = ""

    def svg(self) -> str:
        """Its element."""
        return f'<text class="{self.kind}" x="{self.x:g}" y="{self.y:g}">{_markup(self.text)}</text>'


@dataclass(frozen=True, slots=True)
class Line:
    """A line from one place to another."""

    x: float
    y: float
    to_x: float
    to_y: float
    kind: str = ""

    def svg(self) -> str:
        """Its element."""
        return f'<line class="{self.kind}" x1="{self.x:g}" y1="{self.y:g}" x2="{self.to_x:g}" y2="{self.to_y:g}"/>'


@dataclass(slots=True)
class Canvas:
    """Shapes, those to be drawn first in front."""

    shapes: list[Box | Word | Line] = field(default_factory=list)

    def add(self, *shapes: Box | Word | Line) -> None:
        """Draw these above the others."""
        self.shapes.extend(shapes)

    def below(self, *shapes: Box | Word | Line) -> None:
        """Draw these under all others."""
        self.shapes[:0] = shapes

    def svg(self, label: str) -> str:
        """All of it as one SVG without its style, on a ground of its own, so that it can be read on any page."""
        right, bottom = self._extent()
        width, height = right + 12, bottom + 12
        body = "\n".join(shape.svg() for shape in self.shapes)
        head = f'width="{width:.0f}" height="{height:.0f}" viewBox="0 0 {width:.0f} {height:.0f}"'
        # A cell of a notebook is narrower than many a window, and would cut it off.
        head += ' style="max-width: 100%; height: auto"'
        return (
            f'<svg xmlns="http://www.w3.org/2000/svg" class="sash-drawing" role="img" {head}>\n'
            f"<title>{_markup(label)}</title>\n"
            f'<rect class="paper" width="100%" height="100%" rx="8"/>\n{body}\n</svg>\n'
        )

    def _extent(self) -> tuple[float, float]:
        right = bottom = 0.0
        for shape in self.shapes:
            match shape:
                case Box():
                    right, bottom = max(right, shape.x + shape.width), max(bottom, shape.y + shape.height)
                case Word():
                    share = 1.0 if "start" in shape.kind else 0.5
                    right, bottom = max(right, shape.x + share * width_of(shape.text)), max(bottom, shape.y + LINE / 2)
                case Line():
                    right, bottom = max(right, shape.x, shape.to_x), max(bottom, shape.y, shape.to_y)
        return right, bottom
