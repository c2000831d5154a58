"""The command line: `sash demo`."""

from pathlib import Path
from typing import Annotated

import typer

import sash

app = typer.Typer(
    help="Sliding-window aggregation.", no_args_is_help=True, add_completion=False, pretty_exceptions_enable=False
)


def _print_version(wanted: bool) -> None:
    if wanted:
        typer.echo(f"sash {sash.__version__}")
        raise typer.Exit


@app.callback()
def _options(
    version: Annotated[
        bool, typer.Option("--version", callback=_print_version, is_eager=True, help="Print the version and leave.")
    ] = False,
) -> None:
    """Sliding-window aggregation."""


@app.command()
def demo(
    out: Annotated[Path, typer.Option(help="The folder for the trips, the results and the chart.")] = Path(
        "build/demo"
    ),
    seed: Annotated[int, typer.Option(min=0, help="Another seed is another stream.")] = 1,
    trips: Annotated[int, typer.Option(min=1_000, help="How many trips to make.")] = 200_000,
) -> None:
    """Run a synthetic stream of bike trips through the pipeline on Spark, on this machine."""
    from sash.demo.requirements import missing

    _stop_if(missing())
    from rich.console import Console

    from sash.demo.show import foreign, show

    if strange := foreign(out):
        _stop_if(f"{out} holds {strange[0]}, which is not of a demo: name an empty or a new folder with --out")
    show(out, trips, seed, Console(highlight=False))


def _stop_if(problem: str | None) -> None:
    """Say in one line what is in the way, and leave."""
    if problem is not None:
        typer.echo(problem, err=True)
        raise typer.Exit(1)


def main() -> None:
    """Run the command line, as the script `sash` does."""
    app(prog_name="sash")
