"""The command line, `sash`; extra `sash[cli]`."""

from __future__ import annotations

import sys

from sash.extras import how_to_install
from sash.requirements import missing_packages

__all__ = ["main"]


def main() -> None:
    """Run the command line, as the script `sash` does."""
    if missing := missing_packages("cli"):
        sys.exit(f"The command line needs {' and '.join(missing)}: {how_to_install('cli')}")
    from sash.commands.app import app

    app(prog_name="sash")
