"""Tables and texts for notebooks."""

from __future__ import annotations

from collections.abc import Sequence
from html import escape
from typing import Any

__all__ = ["as_html", "lines_as_html"]


def as_html(headings: Sequence[str], rows: Sequence[Sequence[Any]], more: str = "") -> str:
    """A table for notebooks.

    >>> as_html(["a"], [["<b>"]])
    '<table><thead><tr><th>a</th></tr></thead><tbody><tr><td>&lt;b&gt;</td></tr></tbody></table>'
    """
    head = "".join(f"<th>{escape(str(one))}</th>" for one in headings)
    body = "".join("<tr>" + "".join(f"<td>{escape(str(cell))}</td>" for cell in row) + "</tr>" for row in rows)
    rest = f"<p>{escape(more)}</p>" if more else ""
    return f"<table><thead><tr>{head}</tr></thead><tbody>{body}</tbody></table>{rest}"


def lines_as_html(text: str) -> str:
    """Lines that stay lines: notebooks break a `pre` in the midst of words, unless it says otherwise.

    >>> lines_as_html("a < b").rpartition(">a")[2]
    ' &lt; b</pre>'
    """
    style = "font-family: monospace; white-space: pre-wrap; word-break: normal"
    return f'<pre style="{style}">{escape(text)}</pre>'
