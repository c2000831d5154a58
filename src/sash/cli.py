"""The command line: `sash demo`."""

from typing import Annotated

import typer

import sash
from sash import demo as demonstration

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
    events: Annotated[int, typer.Option(min=100, help="How many events to run.")] = 20_000,
    seed: Annotated[int, typer.Option(help="Another seed is another stream.")] = 1,
) -> None:
    """Run algorithms side by side on a bursty synthetic stream, in order and with late events."""
    demonstration.run(events=events, seed=seed)


def main() -> None:
    """Run the command line, as the script `sash` does."""
    app(prog_name="sash")
