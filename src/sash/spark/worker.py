"""What a Python worker of Spark does once, between its first tasks."""

from __future__ import annotations

import gc
from itertools import count
from typing import Final

__all__ = ["note_task"]

#: How many tasks this process has begun.
_TASKS: Final = count()


def note_task() -> None:
    """To be called when a task begins. Cost: O(1).

    Spark collects the garbage of a worker after every task, and looks at each object of each module for it: 15 to 40
    milliseconds, which the next task waits for, and more than a small one takes. In the second task all modules are
    loaded, and there is no garbage yet: what is there now is passed over from then on.
    """
    from pyspark import TaskContext

    if TaskContext.get() is not None and next(_TASKS) == 1:
        gc.freeze()
