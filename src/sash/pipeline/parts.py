"""The parts of a pipeline: a source, a plan, a sink, and how to run it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Final, Literal

from sash.pipeline.problems import Problems
from sash.plan import Plan

__all__ = ["ENGINES", "FILES", "LAKES", "SINKS", "SOURCES", "Pipeline", "Run", "Sink", "Source"]

Engine = Literal["local", "spark"]

ENGINES: Final = ("local", "spark")
FILES: Final = ("parquet", "csv", "json")
SOURCES: Final = (*FILES, "kafka", "rate", "python")
#: Tables that take MERGE, by connectors that Spark does not come with.
LAKES: Final = ("delta", "iceberg")
SINKS: Final = (*FILES, "console", "kafka", *LAKES)


@dataclass(frozen=True)
class Source:
    """Where rows come from. Which parts count depends on the format."""

    format: str
    path: str = ""
    #: A stream: the folder is watched for new files.
    watch: bool = False
    #: The columns of text and JSON, by name, with a word of `TYPES`, or those of Parquet that are read as another type;
    #: empty where a file says it itself.
    columns: Mapping[str, str] = field(default_factory=dict)
    delimiter: str = ","
    servers: str = ""
    topic: str = ""
    starting: str = "earliest"
    rows_per_second: int = 10
    function: str = ""
    #: How many files or Kafka records a micro-batch takes at most.
    max_files: int | None = None
    max_records: int | None = None
    options: Mapping[str, str] = field(default_factory=dict)

    @property
    def stream(self) -> bool:
        """Whether it does not end by itself. A function decides that itself."""
        return self.watch or self.format in ("kafka", "rate")


@dataclass(frozen=True)
class Sink:
    """Where results go."""

    format: str = "console"
    path: str = ""
    servers: str = ""
    topic: str = ""
    #: The name of a table of Delta Lake or Iceberg, with that of its catalog.
    table: str = ""
    #: The columns that tell one row from another: the key of a Kafka record, and what is merged by.
    id: tuple[str, ...] = ()
    options: Mapping[str, str] = field(default_factory=dict)

    @property
    def place(self) -> str:
        """The folder, topic or table, as the file has it; nothing for the console."""
        return self.path or self.topic or self.table


@dataclass(frozen=True)
class Run:
    """How it runs, and the folder for what a run leaves beside its results."""

    engine: Engine = "local"
    folder: str = "run"
    master: str = "local[*]"
    trigger: str | None = None
    buckets: int | None = None
    on_late: str = "drop"
    packages: tuple[str, ...] = ()
    jars: tuple[str, ...] = ()
    spark: Mapping[str, str] = field(default_factory=dict)
    #: A topic for bad records, on the servers of the sink; a folder of the run's has them if there is none.
    dead_letter_topic: str = ""


@dataclass(frozen=True)
class Pipeline:
    """A pipeline file that has no mistake that can be found without running it.

    >>> from sash.pipeline.config import read_pipeline
    >>> text = '''
    ... [source]
    ... format = "parquet"
    ... path = "payments"
    ... [plan]
    ... by = "card"
    ... on = "time"
    ... windows = "1h"
    ... aggregations = {spent = 'Sum("amount")'}
    ... '''
    >>> pipeline = read_pipeline(text, Path("pipeline.toml"))
    >>> pipeline.source.format, pipeline.plan.outputs, pipeline.run.engine
    ('parquet', {'spent_1h': 'int or float'}, 'local')
    """

    file: Path
    source: Source
    plan: Plan
    sink: Sink
    run: Run
    problems: Problems = field(compare=False, repr=False)

    def path(self, name: str) -> Path:
        """A path of the file: relative ones begin at its folder."""
        return self.file.parent / Path(name).expanduser()

    def location(self, name: str) -> str:
        """A path as Spark takes it: what names its file system is as it is."""
        return name if "://" in name else str(self.path(name).resolve())

    @property
    def folder(self) -> Path:
        """Where progress, bad records, the checkpoint and the report are."""
        return self.path(self.run.folder)

    @property
    def dead_letters(self) -> Path:
        """The folder of bad records."""
        return self.folder / "dead-letters"
