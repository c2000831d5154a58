"""Every exception of Sash. Each is also a built-in one, so that code which knows nothing of Sash can catch it.

>>> try:
...     raise EmptyWindowError("the window is empty")
... except IndexError as error:
...     print(error)
the window is empty
"""

from __future__ import annotations

__all__ = [
    "AggregationError",
    "EmptyWindowError",
    "LateEventError",
    "OutOfOrderError",
    "PipelineError",
    "PlanError",
    "SashError",
    "SnapshotError",
    "StoreError",
    "WindowSpecError",
]


class SashError(Exception):
    """What all errors of Sash have in common: catch it to catch them all.

    Wrong types, wrong values and overflows of single arguments are plain `TypeError`, `ValueError` and `OverflowError`.

    >>> issubclass(SnapshotError, SashError) and issubclass(SnapshotError, ValueError)
    True
    """


class OutOfOrderError(SashError, ValueError):
    """An event is older than the youngest one, and the algorithm of the window takes events in order only.

    The window is as it was. Way out: an algorithm that takes late events (`algorithm="fiba"`, or `"auto"`), or sort
    first.
    """


class EmptyWindowError(SashError, IndexError):
    """Something was asked of an empty window that only an event can give: to evict, or for the oldest or youngest
    time.

    Way out: look at `len(window)` first. `query()` needs no such care; it has a result for the empty window.
    """


class SnapshotError(SashError, ValueError):
    """The bytes are no snapshot that this version can read: damaged, cut short, foreign, or made by a newer version.

    Nothing was restored, and nothing in the bytes was run. Way out: take the bytes again from their source, restore
    with the aggregation that made them, or update Sash if they come from a newer version.
    """


class StoreError(SashError, OSError):
    """The store that keeps the cold part of a window could not be reached, or gave back something unusable.

    What was committed before is still in the store. Way out: mend the store, then open the window again.
    """


class WindowSpecError(SashError, ValueError):
    """A window policy or a duration makes no sense: a length of zero, an unknown unit, a slide longer than its window.

    Way out: the message names the rule and the value that breaks it.
    """


class PlanError(SashError, ValueError):
    """A plan does not fit together, or does not fit the frame that it is run on: a missing column, a name used twice.

    Way out: the message names the part of the plan, and what there is to choose from.
    """


class PipelineError(SashError, ValueError):
    """A pipeline file is wrong, or asks for what is not there: a folder, a column, a package.

    Nothing was run. Way out: the message has a line for each mistake, with the line of the file, the key and what would
    be right.
    """


class LateEventError(SashError, ValueError):
    """An event came after its time had been closed by the watermark, and lateness was declared an error.

    Way out: allow more lateness, or choose to drop late events or to revise results.
    """


class AggregationError(SashError, TypeError):
    """An aggregation cannot do what is asked: a missing method, no inverse, a partial that no codec can write.

    Way out: the message names the method to define, or the algorithm that needs less.
    """


def retold(error: Exception, text: str) -> Exception:
    """The same error with another text, where a text is all that it is; otherwise the error itself, with a note.

    >>> retold(OverflowError("too large"), "row 3: too large")
    OverflowError('row 3: too large')
    """
    if type(error) in (TypeError, ValueError, OverflowError, KeyError, AggregationError):
        return type(error)(text)
    error.add_note(text)
    return error


def text_of(error: Exception) -> str:
    """What an error says; that of a KeyError without the quotes around it.

    >>> text_of(KeyError("there is no column 'x'"))
    "there is no column 'x'"
    """
    return str(error.args[0]) if isinstance(error, KeyError) and error.args else str(error)
