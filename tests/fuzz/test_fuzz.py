"""Every adversary for a moment, from the same seed each time; `make fuzz SECONDS=60` takes another one, and longer."""

from __future__ import annotations

import pytest

from .run import ADVERSARIES, run


@pytest.mark.parametrize("name", ADVERSARIES)
def test_an_adversary_finds_nothing(name: str) -> None:
    """Whoever finds something gets a test of its own beside the mending."""
    assert run(name, 2.0).programs > 0
