"""The table of the built-in aggregations in docs/aggregations.md, made from what the classes say of themselves.

Make it anew after a change with

    python -m sash.aggregations.table docs/aggregations.md
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Final

from sash.aggregations.base import Aggregation, built_ins

__all__ = ["BEGIN", "END", "render", "replaced"]

BEGIN: Final = "<!-- The table is made by `python -m sash.aggregations.table docs/aggregations.md`. -->"
END: Final = "<!-- End of the table. -->"

_HEADER: Final = (
    "name",
    "takes",
    "gives",
    "of an empty window",
    "invertible",
    "commutative",
    "exact",
    "size of a partial",
)


def render() -> str:
    """The table as Markdown: a row for every built-in aggregation, by name. Cost: O(aggregations).

    >>> print("\\n".join(line for line in render().splitlines() if "`Max`" in line))
    | `Max` | numbers | int or float | `None` | - | yes | yes | 8 bytes |
    """
    rows = [_HEADER, ("---",) * len(_HEADER), *(_row(name, cls) for name, cls in sorted(built_ins().items()))]
    return "".join(_line(row) for row in rows)


def _line(cells: Iterable[str]) -> str:
    return f"| {' | '.join(cell.replace('|', chr(92) + '|') for cell in cells)} |\n"


def _row(name: str, cls: Callable[..., Aggregation]) -> tuple[str, ...]:
    made = cls()
    return (
        f"`{name}`",
        made.takes + (", with their times" if made.timed else ""),
        made.gives,
        f"`{made.empty!r}`",
        _yes(made.invertible),
        _yes(made.commutative),
        _exactness(made),
        made.size,
    )


def _yes(whether: bool) -> str:
    return "yes" if whether else "-"


def _exactness(made: Aggregation) -> str:
    if made.error:
        return made.error
    return "yes" if made.exact else "rounded"


def replaced(document: str) -> str:
    """The document with the table between its markers made anew; ValueError if the markers are not there.

    >>> replaced(f"# Title\\n{BEGIN}\\nold\\n{END}\\n").count("`Max`")
    1
    >>> replaced("# Title")
    Traceback (most recent call last):
    ...
    ValueError: the document has no place for the table: it needs the two marker lines of sash.aggregations.table
    """
    before, begin, rest = document.partition(BEGIN)
    _, end, after = rest.partition(END)
    if not begin or not end:
        raise ValueError(
            "the document has no place for the table: it needs the two marker lines of sash.aggregations.table"
        )
    return f"{before}{BEGIN}\n\n{render()}\n{END}{after}"


def main(arguments: list[str]) -> None:
    """Print the table; or, with the path of a document, put it there."""
    if not arguments:
        print(render(), end="")
    for argument in arguments:
        path = Path(argument)
        path.write_text(replaced(path.read_text(encoding="utf-8")), encoding="utf-8")


if __name__ == "__main__":
    import sash.aggregations  # noqa: F401  the classes enter themselves when they are imported

    main(sys.argv[1:])
