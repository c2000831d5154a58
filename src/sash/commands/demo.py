"""`sash demo`."""

from __future__ import annotations

import webbrowser
from pathlib import Path
from typing import Annotated

import typer

from sash.commands.say import FAILED, leave, need
from sash.requirements import java_problem

__all__ = ["demo"]


def demo(
    out: Annotated[Path, typer.Option(help="The folder for the trips, the results and the report.")] = Path(
        "build/demo"
    ),
    seed: Annotated[int, typer.Option(min=0, help="Another seed is another stream.")] = 1,
    trips: Annotated[int, typer.Option(min=1_000, help="How many trips to make.")] = 200_000,
    open_it: Annotated[bool, typer.Option("--open", help="Open the report in the browser.")] = False,
) -> None:
    """Run a stream of bike trips on Spark, and write its report.

    On this machine, without a download or a server. The trips are synthetic, with the disorder of real ones; every
    result is compared with those of sash.rolling, and Spark's own windows run over the same rows.
    """
    need("spark", "report")
    if problem := java_problem():
        leave(f"The demo needs {problem}", FAILED)
    from rich.console import Console

    from sash.demo.show import foreign, show

    if out.exists() and not out.is_dir():
        leave(f"{out} is a file: name a folder with --out", FAILED)
    if strange := foreign(out):
        leave(f"{out} holds {strange[0]}, which is not of a demo: name an empty or a new folder with --out", FAILED)
    page = show(out, trips, seed, Console(highlight=False, soft_wrap=True))
    if open_it:
        webbrowser.open(page.resolve().as_uri())
