"""What goes wrong on Spark, in a line that names the way out."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Final

import pyspark
from py4j.protocol import Py4JError, Py4JNetworkError
from pyspark.errors import PySparkException

from sash.errors import SashError
from sash.pipeline.parts import LAKES, Pipeline

__all__ = ["FAILURES", "GONE", "cause", "not_started", "restated"]

#: What a call of Java raises once Java is gone.
GONE: Final = (ConnectionError, Py4JNetworkError)
#: Whatever a call of Spark raises.
FAILURES: Final = (PySparkException, Py4JError, ConnectionError)
_NO_SOURCE: Final = re.compile(r"Failed to find (?:the )?data source: (\w+)")
_UNRESOLVED: Final = re.compile(r"(?:unresolved dependency|download failed): ([^#\s]+)#([^;\s]+);([^:!\s]+)[:!]")
#: A class that is named as Java and Python name what is raised.
_RAISED: Final = re.compile(r"\w(Error|Exception)\b")
_KAFKA: Final = "org.apache.spark:spark-sql-kafka-0-10_2.13"


def cause(text: str) -> str:
    """The part of Spark's account that says what happened."""
    lines = [line.strip() for line in text.splitlines() if line.strip()]
    telling = [line for line in lines if _RAISED.search(line) and not line.startswith(("at ", "File "))]
    return (telling or lines or ["unknown"])[-1 if telling else 0][:500]


def restated(error: Exception, pipeline: Pipeline, log: Path) -> Exception:
    """A failure in one line; `PipelineError` where the file of the pipeline can mend it."""
    if isinstance(error, GONE):
        return SashError(f"Java, in which Spark runs, has ended: what it printed is in {log}")
    kind = pipeline.sink.format
    if kind in LAKES and "ClassNotFoundException" in str(error):
        way = f"name the one for Spark {pyspark.__version__} in packages or jars"
        return pipeline.problems.error("run.packages", f"this Spark has no connector for {kind}: {way}")
    if found := _NO_SOURCE.search(str(error)):
        way = f'write packages = ["{_KAFKA}:{pyspark.__version__}"]' if found[1] == "kafka" else "name it in packages"
        return pipeline.problems.error("run.packages", f"this Spark has no connector for {found[1]}: {way}, or jars")
    return SashError(cause(str(error)))


def not_started(error: Exception, pipeline: Pipeline, log: Path) -> Exception:
    """Why there is no session."""
    printed = log.read_text(encoding="utf-8", errors="replace") if log.exists() else ""
    if found := list(_UNRESOLVED.finditer(printed)):
        what = ":".join(found[-1].groups())
        way = f"name a version that is there, or give the files as jars; the search is in {log}"
        return pipeline.problems.error("run.packages", f"{what} was not found: {way}")
    reason = str(error).splitlines()[0] if str(error) else type(error).__name__
    return SashError(f"Spark did not start: {reason} What it printed is in {log}")
