"""A pipeline from its file to its end: checked, run by its engine, shown, and left with a report."""

from __future__ import annotations

import contextlib
import json
import os
import shutil
import time
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any, Final

from sash.batch.slides import slides
from sash.pipeline.fit import fit
from sash.pipeline.metrics import exposed
from sash.pipeline.parts import Pipeline
from sash.pipeline.progress import BATCHES, Log, Progress, Totals, now, progress_for
from sash.pipeline.stop import Stop, Stopped, signals

__all__ = ["RUN", "Options", "Stopped", "run", "write_report"]

#: What a run leaves in its folder, beside its batches.
RUN: Final = "run.json"


@dataclass(frozen=True)
class Options:
    """What the command line says of a run, beside the engine."""

    log: Log = "auto"
    #: Where the numbers are served for Prometheus.
    metrics: str | None = None
    #: A stream ends when it has read what is there.
    once: bool = False


def run(pipeline: Pipeline, options: Options = Options()) -> Totals:
    """Run it. `PipelineError` names what does not fit, before anything runs; `Stopped` comes of a signal that ends a
    run before its end. A stream that is stopped has not ended early: it goes on when it is run again."""
    fit(pipeline)
    pipeline.folder.mkdir(parents=True, exist_ok=True)
    begun, start = now(), time.perf_counter()
    if pipeline.run.engine == "local":
        (pipeline.folder / BATCHES).unlink(missing_ok=True)
    progress = progress_for(options.log, pipeline.folder)
    try:
        with signals() as stop, exposed(progress.totals, options.metrics) as port:
            if port is not None:
                progress.event("metrics", f"Metrics for Prometheus at port {port}", port=port)
            _engine(pipeline, progress, stop, options.once)
    finally:
        progress.close()
        _leave(pipeline, progress.totals, begun, time.perf_counter() - start)
    return progress.totals


def _engine(pipeline: Pipeline, progress: Progress, stop: Stop, once: bool) -> None:
    if pipeline.run.engine == "local":
        from sash.pipeline.local import run_local

        run_local(pipeline, progress, stop)
        return
    from sash.spark.pipeline import run_spark

    run_spark(pipeline, progress, stop, once)


def _leave(pipeline: Pipeline, totals: Totals, begun: str, seconds: float) -> None:
    """What the report is made from, beside the results."""
    sink = pipeline.sink
    results = (
        os.path.relpath(pipeline.path(sink.path), pipeline.folder) if sink.path and "://" not in sink.path else None
    )
    stream = {"name": "results", "title": "Results", "plan": pipeline.plan.to_toml(), "results": results}
    key = [*pipeline.plan.by, *([pipeline.plan.on] if pipeline.plan.on else [])]
    shape: dict[str, Any] = {
        "title": pipeline.file.stem,
        "facts": _facts(pipeline, totals, begun, seconds),
        "streams": [stream | {"format": sink.format, "id": list(sink.id) or key}],
        "totals": {name: value for name, value in asdict(totals).items() if name != "last"},
    }
    # In this process rows leave in the order in which they came; Spark keeps none.
    if pipeline.run.engine == "local" and results and pipeline.plan.on and not slides(pipeline.plan):
        shape["arrivals"] = {"path": results, "format": sink.format, "on": pipeline.plan.on}
    (pipeline.folder / RUN).write_text(json.dumps(shape, indent=1), encoding="utf-8")
    with contextlib.suppress(shutil.SameFileError):
        shutil.copyfile(pipeline.file, pipeline.folder / "pipeline.toml")


def _facts(pipeline: Pipeline, totals: Totals, begun: str, seconds: float) -> list[tuple[str, str]]:
    """What stands at the head of a report. Options are left out: they may hold a password."""
    source, sink = pipeline.source, pipeline.sink
    return [
        ("rows in", f"{totals.rows:,}"),
        ("results out", f"{totals.results:,}"),
        ("late rows", f"{totals.late:,}"),
        ("bad records", f"{totals.dead:,}"),
        (f"seconds, engine {pipeline.run.engine}", f"{seconds:,.2g}" if seconds < 10 else f"{seconds:,.0f}"),
        ("begun", begun[:16].replace("T", " ")),
        ("source", f"{source.format} {source.path or source.topic or source.function}".strip()),
        ("sink", f"{sink.format} {sink.place}".strip()),
    ]


def write_report(pipeline: Pipeline) -> Path | None:
    """The page about a run; None where nothing can draw it."""
    from sash.requirements import missing_packages

    if missing_packages("report"):
        return None
    from sash.report import write

    return write(pipeline.folder)
