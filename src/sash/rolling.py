"""Windows over the rows of a frame: frames in, frames out."""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any, Literal

from sash.errors import PlanError

if TYPE_CHECKING:
    from sash.aggregations.base import Aggregation
    from sash.batch.derived import Expressions
    from sash.batch.labels import At
    from sash.expressions import Expression
    from sash.plan import Plan
    from sash.windows.time import Closed

__all__ = ["as_plan", "rolling"]


def rolling(
    data: Any,
    plan: Plan | None = None,
    *,
    on: str | None = None,
    by: str | Sequence[str] | None = None,
    window: Any = None,
    closed: Closed = "right",
    min_periods: int | None = None,
    peers: bool = True,
    emit: Literal["final", "arrival"] = "final",
    at: Any = None,
    known: str | None = None,
    offset: Any = 0,
    lateness: Any = None,
    threads: int | None = None,
    **aggregations: Aggregation | Expression,
) -> Any:
    """The same frame, the same rows in the same order, with a column for each aggregation and window behind it.

    Takes DataFrames of pandas (the index is kept) and polars, Arrow tables, batches and readers, and dictionaries of
    NumPy arrays; gives back what it got. The rows may be in any order. The window of a row that has time T and length
    L holds the rows of its key in (T - L, T]; see `Plan` for `closed`, `min_periods`, `peers` and `emit`. Nulls are
    skipped and the row still gets its result; a null time is a ValueError.

    A window with `every` slides by a time. If all have the same, the result is another frame: the columns of
    the key, `window_start`, `window_end` and the results, a row for each multiple of `every` whose window holds a row;
    with windows of several lengths, the start is that of the longest. `DeltaWindow`, `PunctuatedWindow`, `PolicyWindow`
    and `AdaptiveWindow` are run by `sash.Sliding`, row after row: their functions are given rows, as dictionaries.

    With `at`, another frame of the same kind, the rows of that come out instead: labels, each with the aggregates of
    the events' windows that end at its time, by the same columns `by` and `on`. Labels are in no window. `known` names
    the column of the events that says when each was known: only those that were by the label's time count. `offset`
    ends the windows so long before the label; a list of them gives columns for each. `docs/labels.md` has more.

    An iterator of record batches, a Parquet file or a folder of them is read in parts: record batches come out, while
    no more is held than the rows of the longest window. Rows are sorted by time there, or late by at most `lateness`.

    An expression beside the aggregations, such as `share=sash.col("spent_1h") / sash.col("spent_7d")`, is one column
    over the results and the columns of numbers in the row.

    Give a `Plan`, or in short its parts: with one `window` the columns are called as the aggregations are; with a list
    of windows, and with a plan, each name is followed by its window: `spent_1h`.

    Native passes run in `threads` threads, by default one for each core that this process may use, without the GIL. The
    results are the same with any number of them, to the last bit.

    `PlanError` names all that does not fit, before anything runs. An integer result that does not fit in 64 bits is an
    OverflowError with the row. Cost: O(n) for rows in order, or nearly so, plus about 3 combines a row for each
    aggregation and window, whatever the length of the window; O(n log n) for rows in no order.

    >>> import numpy as np
    >>> import sash
    >>> from sash.windows import TimeWindow
    >>> frame = {"time": np.array([1, 2, 3, 7]), "amount": np.array([5, 1, 2, 4])}
    >>> rolling(frame, on="time", window=TimeWindow(3), spent=sash.Sum("amount"))["spent"]
    array([5, 6, 8, 4])
    >>> two = rolling(frame, on="time", window=[2, 3], spent=sash.Sum("amount"))
    >>> list(two), two["spent_2"]
    (['time', 'amount', 'spent_2', 'spent_3'], array([5, 6, 3, 6]))
    >>> slides = rolling(frame, on="time", window=TimeWindow(4, every=2), spent=sash.Sum("amount"))
    >>> slides["window_end"], slides["spent"]
    (array([ 2,  4,  6,  8, 10]), array([6, 8, 2, 4, 4]))
    >>> labels = {"time": np.array([4, 9])}
    >>> rolling(frame, at=labels, on="time", window=TimeWindow(3), spent=sash.Sum("amount"))["spent"]
    array([3, 4])
    """
    # Whoever imports the package does not pay for the engine of frames; whoever runs one does.
    from sash.batch.labels import labels_of
    from sash.expressions import Expression

    where = labels_of(at, known, offset)
    parts = {"on": on, "by": by, "closed": closed, "min_periods": min_periods, "peers": peers, "emit": emit}
    parts |= {"lateness": lateness}
    if plan is not None:
        return _run(data, as_plan(plan, window, aggregations, parts)[0], {}, where, {}, _threads(threads))
    expressions = {name: one for name, one in aggregations.items() if isinstance(one, Expression)}
    computed = {name: one for name, one in aggregations.items() if not isinstance(one, Expression)}
    short, names = as_plan(None, window, computed, parts)
    return _run(data, short, names, where, expressions, _threads(threads))


def as_plan(
    plan: Plan | None, window: Any, aggregations: Mapping[str, Any], parts: Mapping[str, Any]
) -> tuple[Plan, dict[str, str]]:
    """The plan, or that of its parts, and the names of columns that are not the plan's own: with one window, those of
    the aggregations. `PlanError` if a plan has parts beside it.

    >>> import sash
    >>> as_plan(None, "1h", {"n": sash.Count()}, {"on": "t"})[1]
    {'n_1h': 'n'}
    """
    from sash.batch.naming import output_name
    from sash.plan import Plan

    if plan is not None:
        _refuse_both(plan, {"window": window, **aggregations, **parts})
        return plan, {}
    if window is None:
        raise PlanError('window is missing: give a length such as "7d", a number of rows, or a list of them')
    short = Plan(windows=window, aggregations=aggregations, **parts)
    one = not isinstance(window, (list, tuple))
    return short, {output_name(name, short.labels[0]): name for name in aggregations} if one else {}


def _run(
    data: Any, plan: Plan, names: dict[str, str], where: tuple[Any, At] | None, more: Expressions, threads: int
) -> Any:
    from sash.batch.engine import run
    from sash.batch.labels import run_at
    from sash.frames import as_frame

    if isinstance(data, (str, os.PathLike, Iterator)) and not hasattr(data, "read_all"):
        from sash.batch.chunks import rolling_batches

        if where is not None:
            raise PlanError("labels are of frames, and rows that are read in parts are none: read all rows, as a table")
        return rolling_batches(data, plan, names, more, threads)
    frame = as_frame(data)
    if where is None:
        return run(frame, plan, names, more, threads)
    return run_at(frame, as_frame(where[0]), plan, names, where[1], more, threads)


def _threads(threads: int | None) -> int:
    """As many as are given; those of the cores that this process may use, if none are."""
    from sash.aggregations.options import check_size

    if threads is not None:
        return check_size("threads", threads, least=1)
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


def _refuse_both(plan: Any, parts: Mapping[str, Any]) -> None:
    from sash.plan import Plan

    if not isinstance(plan, Plan):
        raise TypeError(f"plan is a sash.Plan, not {type(plan).__name__}: give the parts of a plan by name")
    defaults = {"closed": "right", "peers": True, "emit": "final"}
    given = [f"{name}=" for name, value in parts.items() if value is not None and value != defaults.get(name)]
    if given:
        raise PlanError(f"a plan has all parts: leave out {', '.join(given)}, or the plan")
