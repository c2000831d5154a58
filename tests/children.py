"""A process of its own for what may kill it: a crash is then a failed test, and not the end of all of them."""

from __future__ import annotations

import os
import sys
import traceback
from collections.abc import Callable
from typing import Any


def in_child(work: Callable[..., Any], *arguments: Any) -> None:
    """Run work(*arguments) in a fork of this process; AssertionError if it fails there, or dies."""
    read, write = os.pipe()
    child = os.fork()
    if child == 0:
        os.close(read)
        code = 1
        try:
            work(*arguments)
            code = 0
        except BaseException:
            os.write(write, traceback.format_exc().encode()[-60_000:])
        finally:
            sys.stdout.flush()
            os._exit(code)
    os.close(write)
    with os.fdopen(read, "rb") as pipe:
        text = pipe.read().decode()
    status = os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])
    assert status == 0, text or f"the process died of signal {-status}"
