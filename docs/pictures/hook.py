"""Makes the pages on which a reader steps through the pictures, when the site is built."""

from pathlib import Path
from typing import Any

from mkdocs.structure.files import File, Files

from sash.drawing.page import page
from sash.drawing.program import read_program
from sash.drawing.trace import steps_of


def on_files(files: Files, config: Any) -> Files:
    """A page for each file of operations."""
    for file in sorted((Path(config["docs_dir"]) / "pictures").glob("*.txt")):
        program = read_program(file.read_text(encoding="utf-8"))
        content = page(program, list(steps_of(program)), file.stem)
        files.append(File.generated(config, f"pictures/{file.stem}.html", content=content))
    return files
