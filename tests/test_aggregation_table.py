"""The table of aggregations in the documents is the one that the code makes."""

import subprocess
import sys

import pytest

import sash
from sash.aggregations import Aggregation, table

pytestmark = pytest.mark.project

CLASSES = sorted(sash.aggregations.built_ins().items())


def rows():
    """The cells of each row, by the name of the aggregation."""
    lines = [line.strip("| ").split(" | ") for line in table.render().splitlines()[2:]]
    return {cells[0].strip("`"): cells for cells in lines}


def test_the_document_has_the_table_that_the_code_makes(project):
    """Change a class, and the document must be made anew."""
    document = (project / "docs" / "aggregations.md").read_text()
    anew = table.replaced(document)
    assert document == anew, "run: python -m sash.aggregations.table docs/aggregations.md"


def test_every_built_in_has_a_row():
    """And no one else has."""
    assert list(rows()) == [name for name, _ in CLASSES]
    assert {len(cells) for cells in rows().values()} == {8}


@pytest.mark.parametrize(("name", "cls"), CLASSES, ids=[name for name, _ in CLASSES])
def test_a_row_says_what_the_class_is(name, cls):
    """Its own words, not those that every class inherits."""
    made = cls()
    for word in ("gives", "size"):
        assert getattr(made, word) != getattr(Aggregation, word), f"{name} does not say {word}"
    cells = rows()[name]
    assert cells[4:6] == ["yes" if made.invertible else "-", "yes" if made.commutative else "-"]
    assert cells[3] == f"`{made.empty!r}`"


@pytest.mark.parametrize(("name", "cls"), CLASSES, ids=[name for name, _ in CLASSES])
def test_what_is_approximate_says_by_how_much(name, cls):
    """A bound beyond rounding is part of the contract: "rounded" is for floats only, "yes" for what is exact."""
    made = cls()
    exactness = rows()[name][6]
    assert exactness == (made.error or ("yes" if made.exact else "rounded"))
    if "sketches" in cls.__module__:
        assert made.error


def test_the_module_prints_the_table_and_writes_it_into_a_document(tmp_path):
    """What the message of the first test tells to run."""
    printed = subprocess.run(
        [sys.executable, "-m", "sash.aggregations.table"], check=True, capture_output=True, text=True, encoding="utf-8"
    )
    assert printed.stdout == table.render()
    page = tmp_path / "page.md"
    page.write_text(f"before\n{table.BEGIN}\nold\n{table.END}\nafter\n")
    table.main([str(page)])
    assert page.read_text() == f"before\n{table.BEGIN}\n\n{table.render()}\n{table.END}\nafter\n"


def test_a_document_without_the_markers_is_refused(tmp_path):
    """And stays as it is."""
    page = tmp_path / "page.md"
    page.write_text("nothing here")
    with pytest.raises(ValueError, match="no place for the table"):
        table.main([str(page)])
    assert page.read_text() == "nothing here"
