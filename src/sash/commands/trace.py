"""`sash trace`: a file of operations as a page to step through."""

from __future__ import annotations

import webbrowser
from pathlib import Path
from typing import Annotated

import typer

from sash.commands.say import WRONG, leave

__all__ = ["trace"]


def trace(
    file: Annotated[Path, typer.Argument(help="The operations, one a line.")],
    out: Annotated[
        Path | None, typer.Option(help="The page to write; with the ending .svg, the last picture alone.")
    ] = None,
    open_it: Annotated[bool, typer.Option("--open", help="Open it in the browser.")] = False,
) -> None:
    """Step through operations on a window, picture by picture.

    Makes one page with a slider: what each operation changes, and the combines that it takes. It needs no network.

    A line is an operation: insert TIME VALUE, bulk_insert TIME=VALUE ..., evict, evict TIME, bulk_evict TIME, query, or
    query START END. Before the first, a line may name the algorithm and its options (algorithm fiba min_arity=2) and
    the aggregation (aggregation Concat). Without them it is FiBA over Concat, with larger nodes. Lines that begin with
    # are shown beside the operation that follows.
    """
    from sash.drawing.page import page
    from sash.drawing.program import read_program
    from sash.drawing.trace import steps_of

    target = out or file.with_suffix(".html")
    try:
        program = read_program(file.read_text(encoding="utf-8"))
        steps = list(steps_of(program))
        whole = steps[-1].drawing.svg if target.suffix == ".svg" else page(program, steps, file.stem)
        target.write_text(whole, encoding="utf-8")
    except ValueError as error:
        # A file that is no text is one too.
        leave("\n".join(f"{file}: {line}" for line in str(error).splitlines()), WRONG)
    except OSError as error:
        leave(f"{error.filename} cannot be read or written: {error.strerror}", WRONG)
    combines = sum(len(step.combines) for step in steps)
    typer.echo(f"{len(steps):,} steps, {combines:,} combines: {target}")
    if open_it:
        webbrowser.open(target.resolve().as_uri())
