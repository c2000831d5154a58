"""Packages that only some doors need, and how to get one that is not there."""

from __future__ import annotations

import re
from collections.abc import Iterator

__all__ = ["how_to_install", "requirements"]


def how_to_install(*extras: str) -> str:
    """The command that installs what extras of Sash bring: the packages themselves, with their versions, so that it
    works wherever Sash came from. Where Sash is imported and not installed, it installs a checkout with them.

    >>> how_to_install("arrow")
    "pip install 'pyarrow>=18'"
    """
    wanted = {one for extra in extras for one in list(requirements(extra)) or [f".[{extra}]"]}
    return " ".join(["pip install", *(f"'{one}'" for one in sorted(wanted))])


def requirements(extra: str) -> Iterator[str]:
    """What the extra requires, with what the extras within it do.

    >>> any(one.startswith("pyspark") for one in requirements("spark"))
    True
    """
    from importlib.metadata import PackageNotFoundError, requires

    try:
        lines = requires("sash") or []
    except PackageNotFoundError:
        return
    for line in lines:
        requirement, _, marker = line.partition(";")
        if not re.search(rf"""extra == ['"]{re.escape(extra)}['"]""", marker):
            continue
        within = re.fullmatch(r"sash\[(.+)\]", requirement.strip())
        if within is None:
            yield requirement.strip()
        else:
            for one in within[1].split(","):
                yield from requirements(one)
