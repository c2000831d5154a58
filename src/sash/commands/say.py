"""What a command says when it cannot do what is asked: a line, without a traceback, and an exit code."""

from __future__ import annotations

from typing import Final, NoReturn

import typer

from sash.extras import how_to_install
from sash.requirements import missing_packages

__all__ = ["FAILED", "WRONG", "leave", "need"]

#: A run that failed, and a file or a call that is wrong.
FAILED: Final = 1
WRONG: Final = 2


def leave(words: str, code: int) -> NoReturn:
    """Say why, and leave."""
    typer.echo(words, err=True)
    raise typer.Exit(code)


def need(*extras: str) -> None:
    """Leave with the command that installs what is missing of the extras."""
    if missing := missing_packages(*extras):
        leave(f"This needs {' and '.join(missing)}: {how_to_install(*extras)}", FAILED)
