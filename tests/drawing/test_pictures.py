"""Pictures of windows: SVG that parses, with every entry in it once."""

from __future__ import annotations

import re
from collections import Counter
from datetime import datetime, timedelta
from pathlib import Path
from xml.etree import ElementTree

import pytest

import sash
from sash.algorithms import ALGORITHMS
from sash.drawing.structure import structure_of

SVG = "{http://www.w3.org/2000/svg}"
OPTIONS = {"btree": {"min_arity": 2}, "fiba": {"min_arity": 2}}


def filled(algorithm: str, size: int = 20) -> sash.Window:
    """A window that has slid for a while."""
    window = sash.Window(sash.Sum(), algorithm=algorithm, **OPTIONS.get(algorithm, {}))
    for time in range(size):
        window.insert(time, time * time)
        if time % 3 == 2:
            window.evict()
    window.query()
    return window


def titles(svg: str) -> Counter[str]:
    """What rests behind each box."""
    return Counter(title.text or "" for title in ElementTree.fromstring(svg).iter(f"{SVG}title"))


@pytest.mark.parametrize("algorithm", ALGORITHMS)
def test_every_entry_is_drawn_once_and_every_aggregate(algorithm: str) -> None:
    """The words behind the boxes are those of the structure, and the boxes lie within the picture."""
    window = filled(algorithm)
    svg = str(window.draw())
    found = titles(svg)
    structure = structure_of(window, brief=False)
    for entry in structure.entries():
        kept = entry.value[0] if entry.value else "its own partial is not kept"
        assert found.pop(f"entry {entry.time}: {kept}") == 1
    assert sum(count for title, count in found.items() if title.startswith("aggregate")) == len(structure.aggregates())
    check_extent(svg)


def check_extent(svg: str) -> None:
    root = ElementTree.fromstring(svg)
    width, height = float(root.get("width", 0)), float(root.get("height", 0))
    boxes = [box for box in root.iter(f"{SVG}rect") if box.get("class") != "paper"]
    assert boxes
    for box in boxes:
        x, y, wide, high = (float(box.get(name, 0)) for name in ("x", "y", "width", "height"))
        assert wide > 0
        assert 0 <= x <= x + wide <= width
        assert 0 <= y <= y + high <= height


@pytest.mark.parametrize("algorithm", ALGORITHMS)
def test_a_large_window_says_what_it_leaves_out(algorithm: str) -> None:
    """The picture of many entries is about as large as that of a few."""
    window = sash.Window(sash.Sum(), algorithm=algorithm)
    window.bulk_insert(range(10_000), [1] * 10_000)
    svg = str(window.draw())
    found = re.search(r"10,000 entries, ([\d,]+) of them left out", svg)
    assert found
    assert int(found[1].replace(",", "")) + len(structure_of(window, brief=True).entries()) == 10_000
    assert len(svg) < 40_000
    check_extent(svg)


def test_more_is_shown_where_more_is_asked_for() -> None:
    """`most` says how many entries are worth drawing all of."""
    window = filled("daba", 60)
    assert "left out" in str(window.draw())
    assert "left out" not in str(window.draw(most=100))


def test_an_empty_window_has_a_picture() -> None:
    """Of every algorithm."""
    for algorithm in ALGORITHMS:
        assert "empty" in str(sash.Window(sash.Sum(), algorithm=algorithm).draw())


def test_text_of_users_is_no_markup() -> None:
    """Values and times are escaped, and long ones are cut in the cell and whole behind it."""
    window = sash.Window(sash.Concat())
    window.insert(1, "<script>alert('&')</script>")
    assert "<script" not in str(window.draw())
    assert "entry 1: <script>alert('&')</script>" in titles(str(window.draw()))


def test_a_text_that_xml_cannot_hold() -> None:
    """Control characters and half a pair of surrogates are replaced: the picture parses and can be written."""
    window = sash.Window(sash.Concat())
    window.insert(1, "a\x00\x07b\ud83d")
    assert "entry 1: a\ufffd\ufffdb\ufffd" in titles(str(window.draw()))
    assert str(window.draw()).encode()


def test_times_of_one_day_are_shown_without_the_day() -> None:
    """The day is said once, above."""
    window = sash.Window(sash.Sum())
    for minutes in (0, 5, 90):
        window.insert(datetime(2024, 5, 1, 10) + timedelta(minutes=minutes), 1)
    words = [text.text for text in ElementTree.fromstring(str(window.draw())).iter(f"{SVG}text")]
    assert "11:30:00" in words
    assert "3 entries, times of 2024-05-01" in words


def test_notebooks_show_it_and_files_keep_it(tmp_path: Path) -> None:
    """A drawing has the form that notebooks ask for; a window shows its own below its table."""
    window = filled("fiba")
    drawing = window.draw()
    drawing.save(tmp_path / "fiba.svg")
    assert (tmp_path / "fiba.svg").read_text(encoding="utf-8") == drawing._repr_svg_() == window._repr_svg_()
    assert window._repr_html_().endswith(drawing._repr_svg_())


def test_a_window_that_cannot_be_drawn_still_shows_its_table() -> None:
    """A window over a store is not drawn, and says how it can be; its repr does not fail."""
    with sash.Window(sash.Sum(), store=sash.store.Memory(), name="w") as window:
        window.insert(1, 5)
        with pytest.raises(sash.errors.AggregationError, match=r"draw its copy\(\)"):
            window.draw()
        assert window._repr_svg_() is None
        assert window._repr_html_().endswith("</table>")
        assert "entry 1: 5" in str(window.copy().draw())
