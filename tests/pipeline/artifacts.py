"""Jars by their Maven coordinates, through the Ivy that comes with PySpark: by its defaults, or by the settings file
that `IVY_SETTINGS` names. Ivy keeps what it has fetched. Tests skip where an artifact is out of reach."""

from __future__ import annotations

import os
import shutil
import subprocess
from collections.abc import Sequence
from pathlib import Path

import pytest

MODULE = """\
<ivy-module version="2.0">
  <info organisation="sash" module="tests"/>
  <dependencies>{lines}</dependencies>
</ivy-module>
"""
LINE = '<dependency org="{}" name="{}" rev="{}" conf="default->default" transitive="{}"/>'
#: A registry that is there answers within it.
PATIENCE = 300


def fetch(folder: Path, coordinates: Sequence[str], alone: bool = False) -> list[Path]:
    """The artifacts and all that they need, or the artifacts alone, as files of the folder."""
    lines = [LINE.format(*one.split(":"), "false" if alone else "true") for one in coordinates]
    folder.mkdir(parents=True, exist_ok=True)
    module = folder / "ivy.xml"
    module.write_text(MODULE.format(lines="".join(lines)))
    settings = ["-settings", os.environ["IVY_SETTINGS"]] if "IVY_SETTINGS" in os.environ else []
    command = [*_ivy(), *settings, "-ivy", str(module), "-confs", "default"]
    command += ["-retrieve", f"{folder}/[artifact]-[revision].[ext]"]
    try:
        done = subprocess.run(command, capture_output=True, text=True, timeout=PATIENCE, check=False)
    except subprocess.TimeoutExpired:
        pytest.skip(f"needs {coordinates[0]} from Maven Central, which does not answer")
    if done.returncode:
        missing = [line.strip(" :\t") for line in done.stdout.splitlines() if "not found" in line]
        pytest.skip(f"needs {coordinates[0]} from Maven Central: {missing[-1] if missing else 'Ivy failed'}")
    return sorted(folder.glob("*.jar"))


def _ivy() -> list[str]:
    pyspark = pytest.importorskip("pyspark")
    if shutil.which("java") is None:
        pytest.skip("needs Java 17 or newer, and no `java` is there")
    return ["java", "-jar", str(next((Path(pyspark.__file__).parent / "jars").glob("ivy-*.jar")))]
