"""The pictures of the documents are what Sash draws now."""

from __future__ import annotations

from pathlib import Path

import pytest

from sash.drawing.program import read_program
from sash.drawing.trace import steps_of

pytestmark = pytest.mark.project

PICTURES = Path(__file__).resolve().parents[2] / "docs" / "pictures"
PROGRAMS = sorted(PICTURES.glob("*.txt"))


def test_there_are_pictures() -> None:
    """One for each family of algorithms at least."""
    drawn = {read_program(file.read_text(encoding="utf-8")).algorithm for file in PROGRAMS}
    assert drawn >= {"two_stacks", "two_stacks_lite", "daba_lite", "flatfat", "amta", "fiba", "btree"}


@pytest.mark.parametrize("file", PROGRAMS, ids=lambda path: path.stem)
def test_a_picture_is_the_last_step_of_its_program(file: Path) -> None:
    """Whoever changes an algorithm or a drawing makes it again."""
    last = list(steps_of(read_program(file.read_text(encoding="utf-8"))))[-1]
    kept = file.with_suffix(".svg").read_text(encoding="utf-8")
    assert last.drawing.svg == kept, f"run: sash trace docs/pictures/{file.name} --out docs/pictures/{file.stem}.svg"
