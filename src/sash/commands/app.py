"""The commands, each a few lines over the part of the package that does the work."""

from __future__ import annotations

from typing import Annotated

import typer

import sash
from sash.commands import demo, look, run, trace

__all__ = ["app"]

app = typer.Typer(
    help="Sliding-window aggregation: exact results for every event, over rows that come late and in bursts.",
    epilog="Begin with `sash init your.parquet`, then `sash run pipeline.toml`. `sash demo` shows all of it at work.",
    no_args_is_help=True,
    pretty_exceptions_enable=False,
    rich_markup_mode=None,
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
    pass


app.command("init")(run.init)
app.command("run")(run.run)
app.command("explain")(look.explain)
app.command("report")(look.report)
app.command("trace")(trace.trace)
app.command("demo")(demo.demo)
app.command("doctor")(look.doctor)
app.command("bench")(look.bench)
