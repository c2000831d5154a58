"""What a machine has of what parts of Sash need, and how to get what is not there. Nothing is imported."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
from importlib.util import find_spec
from typing import Final, NamedTuple

__all__ = ["EXTRAS", "Extra", "java", "java_problem", "java_version", "missing_packages"]

OLDEST_JAVA: Final = 17
_GET_JAVA: Final = "apt-get install openjdk-17-jre-headless, or set JAVA_HOME to one that is installed"


class Extra(NamedTuple):
    """An extra of the package: what it is for, and its modules by the names that people know them by."""

    purpose: str
    packages: dict[str, str]


EXTRAS: Final = {
    "arrow": Extra("frames of polars and Arrow, sash run", {"pyarrow": "PyArrow"}),
    "cli": Extra("the command line", {"typer": "Typer", "rich": "Rich", "pydantic": "pydantic"}),
    "compile": Extra("sash.compiled", {"numba": "Numba"}),
    "lmdb": Extra("windows larger than memory, in files", {"lmdb": "lmdb"}),
    "redis": Extra("windows larger than memory, in a server", {"redis": "redis"}),
    "report": Extra(
        "report.html", {"altair": "Altair", "vl_convert": "vl-convert", "pyarrow": "PyArrow", "pydantic": "pydantic"}
    ),
    "sketches": Extra("approximate aggregations", {"datasketches": "DataSketches"}),
    "spark": Extra(
        "Spark, batch and streams",
        {"pyspark": "PySpark", "pyarrow": "PyArrow", "pandas": "pandas", "google.protobuf": "protobuf"},
    ),
    "toml": Extra("plans that are written down", {"pydantic": "pydantic"}),
}


def missing_packages(*extras: str) -> list[str]:
    """The packages of these extras that are not installed, by name."""
    wanted = {module: name for extra in extras for module, name in EXTRAS[extra].packages.items()}
    return [name for module, name in wanted.items() if not _installed(module)]


def _installed(module: str) -> bool:
    try:
        return find_spec(module) is not None
    except ModuleNotFoundError:
        return False


def java_problem() -> str | None:
    """What Java is needed and how to get it; None if it is there. Cost: Java is asked for its version."""
    path = java()
    if path is None:
        return f"Java {OLDEST_JAVA} or newer, which Spark runs on: {_GET_JAVA}"
    version = java_version(printed_version(path))
    if version is not None and version < OLDEST_JAVA:
        return f"Java {OLDEST_JAVA} or newer, and {path} is Java {version}: {_GET_JAVA}"
    return None


def java_version(printed: str) -> int | None:
    """The number in what `java -version` prints; None if there is none.

    >>> java_version('openjdk version "17.0.15" 2025-04-15'), java_version('java version "1.8.0_292"')
    (17, 8)
    """
    found = re.search(r'version "(?:1\.)?(\d+)', printed)
    return int(found[1]) if found else None


def java() -> str | None:
    """The Java that Spark would start."""
    home = os.environ.get("JAVA_HOME")
    return shutil.which(os.path.join(home, "bin", "java") if home else "java")


def printed_version(path: str) -> str:
    """What a Java prints when it is asked for its version."""
    try:
        return subprocess.run([path, "-version"], capture_output=True, text=True, timeout=60, check=False).stderr
    except (OSError, subprocess.TimeoutExpired):
        return ""
