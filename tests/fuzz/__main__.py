"""`python -m fuzz SECONDS` runs all adversaries; `python -m fuzz NAME SEED` runs one program of one again."""

from __future__ import annotations

import secrets
import sys
import traceback

from .run import ADVERSARIES, run


def main(arguments: list[str]) -> int:
    """How many adversaries have found something."""
    if len(arguments) == 2:
        run(arguments[0], 0.0, int(arguments[1]))
        return 0
    seconds, seed, found = float(arguments[0]), secrets.randbits(40), 0
    for name in ADVERSARIES:
        try:
            tried = run(name, seconds / len(ADVERSARIES), seed)
            print(f"{name:22} {tried.programs:8} programs {tried.steps:9} steps", flush=True)
        except AssertionError:
            found += 1
            traceback.print_exc()
    return found


sys.exit(main(sys.argv[1:]))
