"""Every command in the documents runs, in a folder with the files that the document shows, and prints what it says."""

from __future__ import annotations

import doctest
import re
import subprocess
import sys
from pathlib import Path

import pytest

pytestmark = pytest.mark.project

PROJECT = Path(__file__).resolve().parent.parent
BLOCK = re.compile(r'^```(\w+)(?: title="([^"]+)")?\n(.*?)^```$', re.MULTILINE | re.DOTALL)
DOCUMENTS = [path for path in sorted(PROJECT.glob("docs/**/*.md")) if "\n```console\n" in path.read_text()]


def printed(command: str, folder: Path) -> str:
    """What a command of `sash` prints."""
    program, *arguments = command.split()
    assert program == "sash", command
    done = subprocess.run(
        [sys.executable, "-m", "sash", *arguments],
        cwd=folder,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        check=False,
    )
    return done.stdout


def sessions(block: str) -> list[tuple[str, str]]:
    """The commands of a block, each with what it prints."""
    parts = re.split(r"^\$ (.*)\n", block, flags=re.MULTILINE)[1:]
    return list(zip(parts[::2], parts[1::2], strict=True))


@pytest.mark.parametrize("document", DOCUMENTS, ids=lambda path: path.name)
def test_commands_print_what_the_document_says(document: Path, tmp_path: Path) -> None:
    """A block with a title is a file; a block of the console is a session, in their order."""
    pytest.importorskip("pyarrow")
    pytest.importorskip("typer")
    same = doctest.OutputChecker()
    for kind, title, body in BLOCK.findall(document.read_text()):
        if title:
            (tmp_path / title).write_text(body)
        for command, expected in sessions(body) if kind == "console" else []:
            found = printed(command, tmp_path)
            assert same.check_output(expected, found, doctest.ELLIPSIS), f"$ {command}\n{found}"


def test_a_document_has_commands() -> None:
    """A test of no document would pass."""
    assert "pipelines.md" in [path.name for path in DOCUMENTS]
