"""What the demonstration needs of the machine, and how to get what is not there."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
from importlib.util import find_spec
from typing import Final

__all__ = ["PACKAGES", "java_version", "missing"]

_OLDEST_JAVA: Final = 17
PACKAGES: Final = {"pyspark": "PySpark", "pyarrow": "PyArrow", "pandas": "pandas", "matplotlib": "Matplotlib"}
_GET_JAVA: Final = "apt-get install openjdk-17-jre-headless, or set JAVA_HOME to one that is installed"


def missing() -> str | None:
    """What is not there, in one line with the way to get it; None if nothing is missing.

    Cost: nothing is imported; Java is asked for its version.
    """
    absent = [name for package, name in PACKAGES.items() if find_spec(package) is None]
    if absent:
        return f"The demo needs {' and '.join(absent)}: pip install 'sash[demo]'"
    java = _java()
    if java is None:
        return f"The demo needs Java {_OLDEST_JAVA} or newer, which Spark runs on: {_GET_JAVA}"
    version = java_version(_printed_version(java))
    if version is not None and version < _OLDEST_JAVA:
        return f"The demo needs Java {_OLDEST_JAVA} or newer, and {java} is Java {version}: {_GET_JAVA}"
    return None


def java_version(printed: str) -> int | None:
    """The number in what `java -version` prints; None if there is none.

    >>> java_version('openjdk version "17.0.15" 2025-04-15'), java_version('java version "1.8.0_292"')
    (17, 8)
    """
    found = re.search(r'version "(?:1\.)?(\d+)', printed)
    return int(found[1]) if found else None


def _java() -> str | None:
    """The Java that Spark would start."""
    home = os.environ.get("JAVA_HOME")
    return shutil.which(os.path.join(home, "bin", "java") if home else "java")


def _printed_version(java: str) -> str:
    try:
        return subprocess.run([java, "-version"], capture_output=True, text=True, timeout=60, check=False).stderr
    except (OSError, subprocess.TimeoutExpired):
        return ""
