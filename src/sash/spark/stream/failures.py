"""Rows that cannot be computed on, found by halves: one of them stops no other."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import pyarrow as pa

from sash.aggregations.base import Aggregation, is_built_in
from sash.aggregations.composite import Composite

__all__ = ["failures", "may_fail", "named", "restated"]


def failures(count: int, attempt: Callable[[int, int], None]) -> list[tuple[int, Exception]]:
    """Which of so many items fail by themselves, and how, where a stretch of them either succeeds or changes nothing.

    Every other item succeeds exactly once, in order. Cost: O(k log n) attempts for k failures among n items.

    >>> done = []
    >>> def attempt(start, end):
    ...     items = [[1, 2, 0, 4][place] for place in range(start, end)]
    ...     done.extend([10 // item for item in items])
    >>> failures(4, attempt), done
    ([(2, ZeroDivisionError('integer division or modulo by zero'))], [10, 5, 2])
    """
    found: list[tuple[int, Exception]] = []
    waiting = [(0, count)]
    while waiting:
        start, end = waiting.pop()
        if start == end:
            continue
        try:
            attempt(start, end)
        except MemoryError:
            raise
        except Exception as error:
            if end - start == 1:
                found.append((start, error))
            else:
                middle = (start + end) // 2
                waiting += [(middle, end), (start, middle)]
    return found


def named(row: pa.Table, columns: Sequence[str], error: Exception) -> str:
    """The rule that a row breaks, with the row: the values of the columns that windows read.

    >>> named(pa.table({"card": ["a"], "amount": [7]}), ["card", "amount"], ValueError("7 is too many"))
    "the row with card='a', amount=7: 7 is too many"
    """
    values: dict[str, Any] = {name: row.column(name)[0].as_py() for name in columns}
    return f"the row with {', '.join(f'{name}={value!r:.80}' for name, value in values.items())}: {error}"


def restated(error: Exception, message: str) -> Exception:
    """The same kind of error with another message, where its kind can be made from one.

    >>> restated(ValueError("x"), "the row: x")
    ValueError('the row: x')
    """
    try:
        return type(error)(message)
    except TypeError:
        return RuntimeError(message)


def may_fail(aggregation: Aggregation) -> bool:
    """Whether a value of a type that it reads may be refused, so that new rows are tried before they are taken.

    >>> import sash
    >>> may_fail(sash.Sum("x")), may_fail(sash.Sum("x", nan="error")), may_fail(sash.GeometricMean("x"))
    (False, True, True)
    """
    if isinstance(aggregation, Composite):
        return any(map(may_fail, aggregation.members.values()))
    return aggregation.nan == "error" or aggregation.inputs == "positive" or not is_built_in(aggregation)
