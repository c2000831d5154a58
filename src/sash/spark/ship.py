"""The installed package on its way to executors that have none."""

from __future__ import annotations

import importlib
import tempfile
import zipfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any, Final

__all__ = ["archive", "ship"]

#: Native modules cannot be imported out of an archive; Spark unpacks this one.
_NATIVE: Final = ("sash._core", "sash._batch")


def ship(spark: Any) -> None:
    """Make the package that is installed here reach every executor of the session, native modules included.

    Not needed where executors have Sash installed. They must have the same version of Python and the same platform as
    this process, and NumPy and PyArrow, which PySpark needs for Arrow anyway. Call it once, before the first job; it
    works for classic sessions and through Spark Connect. Cost: an archive of some megabytes, sent once an executor.

    >>> ship(getfixture("spark"))
    """
    # Spark unpacks an archive beside the files of the job, under the name behind the hash; that folder is on the path
    # of Python workers. So a folder `sash` with the package in it is all that is needed to import it.
    path = f"{archive(Path(tempfile.mkdtemp(prefix='sash-ship-')))}#sash"
    if hasattr(spark, "_jsparkSession"):
        spark.sparkContext.addArchive(path)
    else:
        spark.addArtifacts(path, archive=True)


def archive(folder: Path) -> Path:
    """The package as a zip file in the folder, whose root is the root of the package.

    >>> import tempfile
    >>> with tempfile.TemporaryDirectory() as folder, zipfile.ZipFile(archive(Path(folder))) as made:
    ...     {"__init__.py", "plan.py", "spark/ship.py"} <= set(made.namelist())
    True
    """
    path = folder / "sash.zip"
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as made:
        for name, file in sorted(_files()):
            made.write(file, name)
    return path


def _files() -> Iterator[tuple[str, Path]]:
    """The parts of the package by their names in it. An editable install has them in several places."""
    import sash

    assert sash.__file__ is not None
    root = Path(sash.__file__).parent
    for file in root.rglob("*.py"):
        yield file.relative_to(root).as_posix(), file
    for module in _NATIVE:
        file = Path(str(importlib.import_module(module).__file__))
        yield file.name, file
