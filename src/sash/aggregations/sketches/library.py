"""The one place that imports `datasketches`."""

from __future__ import annotations

import importlib
from functools import cache
from typing import Any

from sash.extras import how_to_install

__all__ = ["library"]


def library(wanted_by: str) -> Any:
    """The module `datasketches`; ImportError with the way out if it is not there.

    >>> library("Quantiles").__name__
    'datasketches'
    """
    try:
        return _imported()
    except ImportError as error:
        how = how_to_install("sketches")
        raise ImportError(f"{wanted_by} needs the package datasketches: {how}") from error


@cache
def _imported() -> Any:
    # A failed import is not remembered: the package may be installed while the process runs.
    return importlib.import_module("datasketches")
