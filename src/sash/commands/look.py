"""Commands that look and do not run: `sash explain`, `sash report`, `sash doctor`, `sash bench`."""

from __future__ import annotations

import platform
import shutil
import sys
import webbrowser
from importlib.metadata import version
from pathlib import Path
from typing import Annotated

import typer

import sash
from sash.commands.say import FAILED, WRONG, leave, need
from sash.errors import PlanError, SashError
from sash.extras import how_to_install
from sash.requirements import EXTRAS, java, java_problem, java_version, missing_packages, printed_version

__all__ = ["bench", "doctor", "explain", "report"]


def explain(file: Annotated[Path, typer.Argument(help="A pipeline file, or a plan as TOML.")]) -> None:
    """Say what a pipeline or a plan computes, where and at what cost.

    Nothing runs.
    """
    try:
        text = file.read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError) as error:
        why = getattr(error, "strerror", None) or "it is no text"
        leave(f"{file} cannot be read: {why}", WRONG)
    try:
        typer.echo(_explained(file, text))
    except SashError as error:
        leave(str(error), WRONG)


def _explained(file: Path, text: str) -> str:
    from sash.pipeline.config import read_pipeline

    try:
        return sash.Plan.from_toml(text).explain()
    except PlanError:
        pipeline = read_pipeline(text, file)
    source, sink, run = pipeline.source, pipeline.sink, pipeline.run
    read = source.path or source.topic or source.function or f"{source.rows_per_second} rows a second"
    where = {"local": "in this process, all rows at once", "spark": f"on Spark, {run.master}"}[run.engine]
    lines = [
        f"Reads {source.format}: {read}{', as a stream' if source.stream else ''}.",
        f"Runs {where}. Bad records go to {run.dead_letter_topic or pipeline.dead_letters}.",
        f"Writes {sink.format}: {sink.place or 'the terminal'}.",
        "",
        pipeline.plan.explain(),
    ]
    return "\n".join(lines)


def report(
    folder: Annotated[Path, typer.Argument(help="The folder of a run or of the demo.")],
    open_it: Annotated[bool, typer.Option("--open", help="Open it in the browser.")] = False,
) -> None:
    """Make report.html again, of what a run left in its folder."""
    need("report")
    from sash.report import write

    try:
        page = write(folder)
    except SashError as error:
        leave(str(error), WRONG)
    typer.echo(f"Report: {page}")
    if open_it:
        webbrowser.open(page.resolve().as_uri())


def doctor() -> None:
    """Say what this machine has, and how to get what it has not.

    Java, a compiler, and the packages of each extra.
    """
    lines = [("sash", sash.__version__, ""), ("Python", platform.python_version(), sys.executable)]
    lines += [_of_java(), _of_spark(), _of_compiler()]
    for name, extra in EXTRAS.items():
        missing = missing_packages(name)
        advice = f"{extra.purpose}: {how_to_install(name)}" if missing else extra.purpose
        lines.append((f"sash[{name}]", f"no {', '.join(missing)}" if missing else "yes", advice))
    width = [max(len(line[place]) for line in lines) for place in (0, 1)]
    for what, state, advice in lines:
        typer.echo(f"{what:<{width[0]}}  {state:<{width[1]}}  {advice}".rstrip())


def _of_java() -> tuple[str, str, str]:
    if problem := java_problem():
        return "Java", "no", f"Spark needs {problem}"
    path = java() or ""
    return "Java", str(java_version(printed_version(path)) or "yes"), path


def _of_spark() -> tuple[str, str, str]:
    """Connectors are made for one version of Spark, so it is named."""
    if missing_packages("spark"):
        return "Spark", "no", how_to_install("spark")
    return "Spark", version("pyspark"), "connectors for Kafka, Delta Lake and Iceberg must be made for it"


def _of_compiler() -> tuple[str, str, str]:
    found = next((path for name in ("g++", "clang++", "c++") if (path := shutil.which(name))), None)
    if found is None:
        return "compiler", "no", "only to build Sash itself: apt-get install g++"
    return "compiler", "yes", found


def bench(
    rows: Annotated[int, typer.Option(min=1_000, help="How many events.")] = 1_000_000,
    window: Annotated[int, typer.Option(min=1, help="How many events a window holds.")] = 10_000,
) -> None:
    """Measure sums and maxima over windows on this machine.

    The results of all ways are compared before a time is printed.
    """
    from sash.commands.measure import measured

    try:
        for line in measured(rows, window):
            typer.echo(line)
    except AssertionError as error:
        leave(f"the results differ, so nothing was measured: {error}", FAILED)
