"""`sash init` and `sash run`."""

from __future__ import annotations

from enum import StrEnum
from pathlib import Path
from typing import Annotated

import typer

from sash.commands.say import FAILED, WRONG, leave, need
from sash.errors import PipelineError, SashError
from sash.pipeline.progress import amount

__all__ = ["init", "run"]


class EngineChoice(StrEnum):
    """In this process, or on Spark."""

    local = "local"
    spark = "spark"


class LogChoice(StrEnum):
    """Bars on a terminal, lines, JSON, or nothing."""

    auto = "auto"
    plain = "plain"
    json = "json"
    quiet = "quiet"


def init(
    data: Annotated[
        Path | None, typer.Argument(help="Your Parquet, CSV or JSON-lines file. Without it, a general example.")
    ] = None,
    out: Annotated[Path, typer.Option(help="The file to write.")] = Path("pipeline.toml"),
) -> None:
    """Write a commented pipeline file, fitted to your data.

    It reads the columns and types of your file, and guesses which column is the time and which is the key.
    """
    need("arrow")
    from sash.pipeline.example import example

    if out.exists():
        leave(f"{out} is there already: name another with --out, or delete it first", WRONG)
    try:
        text = example(data, out)
    except PipelineError as error:
        leave(str(error), WRONG)
    out.write_text(text, encoding="utf-8")
    typer.echo(f"Wrote {out}. Look at it, then: sash run {out}")


def run(
    file: Annotated[Path, typer.Argument(help="The pipeline file; sash init writes one.")],
    check: Annotated[bool, typer.Option("--check", help="Say what is wrong, and run nothing.")] = False,
    engine: Annotated[EngineChoice | None, typer.Option(help="In this process, or on Spark.")] = None,
    master: Annotated[str | None, typer.Option(help="Spark's master, such as local[4] or spark://host:7077.")] = None,
    once: Annotated[bool, typer.Option("--once", help="A stream reads what is there, and ends.")] = False,
    log: Annotated[LogChoice, typer.Option(help="Progress on stderr: bars, lines, JSON, none.")] = LogChoice.auto,
    metrics: Annotated[str | None, typer.Option(help="Serve Prometheus metrics at this port or host:port.")] = None,
    report: Annotated[bool, typer.Option(help="Write report.html into the folder of the run.")] = True,
) -> None:
    """Run a pipeline file: a source, a plan over windows, a sink.

    Ctrl-C and SIGTERM stop it cleanly; run it again to continue. Exit codes: 0 done, 1 failed, 2 the file is wrong, 130
    and 143 stopped before its end.
    """
    need("arrow")
    from sash.pipeline.config import load
    from sash.pipeline.fit import fit
    from sash.pipeline.runner import Options, Stopped, write_report
    from sash.pipeline.runner import run as run_pipeline

    try:
        pipeline = load(file, engine=None if engine is None else engine.value, master=master)
        if check:
            fit(pipeline)
            typer.echo(f"{file} is right: {amount(len(pipeline.plan.outputs), 'column')}, engine {pipeline.run.engine}")
            return
        totals = run_pipeline(pipeline, Options(log.value, metrics, once))
    except PipelineError as error:
        leave(str(error), WRONG)
    except Stopped as stopped:
        leave(f"{file}: {stopped}: what was finished is kept; run it again to continue", stopped.code)
    except (SashError, OverflowError, ValueError) as error:
        leave("\n".join([f"{file} failed: {error}", *getattr(error, "__notes__", [])]), FAILED)
    sink = pipeline.sink
    named = f"{'topic' if sink.topic else 'table'} {sink.place}" if sink.place else "printed above"
    where = str(pipeline.path(sink.path)) if sink.path else named
    typer.echo(_ended(totals.rows, totals.results, totals.late, totals.dead, where))
    if totals.dead:
        typer.echo(f"Bad records, with reasons: {pipeline.run.dead_letter_topic or pipeline.dead_letters}")
    if report and (page := write_report(pipeline)):
        typer.echo(f"Report: {page}")


def _ended(rows: int, results: int, late: int, dead: int, where: str) -> str:
    rest = f", {late:,} late" * bool(late) + f", {amount(dead, 'bad record')} set aside" * bool(dead)
    return f"{amount(rows, 'row')} in, {amount(results, 'result')} out{rest}: {where}"
