"""Windows over the rows of a frame: frames in, frames out."""

from __future__ import annotations

import os
import sys
from collections.abc import Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any, Final, Literal, NamedTuple

from sash.errors import PlanError

if TYPE_CHECKING:
    from sash.aggregations.base import Aggregation
    from sash.batch.labels import At
    from sash.expressions import Expression
    from sash.plan import Plan
    from sash.windows.time import Closed

__all__ = ["as_plan", "rolling"]

#: What pandas, polars and others call what rolling has another word for, or has not.
_FOREIGN: Final = {
    **dict.fromkeys(("min_samples", "min_values", "min_count"), "write min_periods="),
    **dict.fromkeys(("period", "window_size", "windows", "length", "size"), "write window="),
    **dict.fromkeys(("index_column", "time", "index", "order_by"), "write on="),
    **dict.fromkeys(("group_by", "groupby", "key", "keys", "partition_by"), "write by="),
    **dict.fromkeys(("aggregations", "aggs", "agg", "func"), 'name each, such as total=sash.Sum("amount")'),
    "center": "a window ends at its row, and knows nothing of later ones; give times half a length later as at=",
    "step": 'write every="10m" for a result at each multiple of a time, or take every so many rows of the result',
    "win_type": "write an aggregation of your own for weights, or use DecayedSum",
}


def rolling(
    data: Any,
    plan: Plan | None = None,
    *,
    on: str | None = None,
    by: str | Sequence[str] | None = None,
    window: Any = None,
    every: Any = None,
    closed: Closed | None = None,
    min_periods: int | None = None,
    peers: bool | None = None,
    emit: Literal["final", "arrival"] | None = None,
    at: Any = None,
    known: str | None = None,
    offset: Any = 0,
    lateness: Any = None,
    retract: str | None = None,
    id: str | None = None,
    threads: int | None = None,
    progress: bool | None = None,
    **aggregations: Aggregation | Expression,
) -> Any:
    """The same frame, the same rows in the same order, with a column for each aggregation and window behind it.

    Takes DataFrames of pandas (the index is kept) and polars, Arrow tables, batches and readers, relations of DuckDB,
    and dictionaries of NumPy arrays; gives back what it got. The rows may be in any order. The window of a row that has
    time T and length L holds the rows of its key in (T - L, T]; see `Plan` for `closed`, `min_periods`, `peers` and
    `emit`. Nulls are skipped and the row still gets its result; a null time is a ValueError.

    With `every`, or windows that have one, they slide by a time, and the result is another frame: the columns of the
    key, `window_start`, `window_end` and the results, a row for each multiple of `every` whose window holds a row;
    with windows of several lengths, the start is that of the longest. `DeltaWindow`, `PunctuatedWindow`, `PolicyWindow`
    and `AdaptiveWindow` are run by `sash.Sliding`, row after row: their functions are given rows, as dictionaries.

    With `at`, another frame of the same kind, the rows of that come out instead: labels, each with the aggregates of
    the events' windows that end at its time, by the same columns `by` and `on`. Labels are in no window. `known` names
    the column of the events that says when each was known: only those that were by the label's time count. `offset`
    ends the windows so long before the label; a list of them gives columns for each. `docs/labels.md` has more.

    An iterator of record batches, a Parquet file or a folder of them is read in parts: record batches come out, while
    no more is held than the rows of the longest window. Rows are sorted by time there, or late by at most `lateness`.

    `retract` names a column that says what each row does to those before it: +1 or -1, or insert, update and delete,
    with the column `id` that tells which. The rows that survive come out. `docs/late-data.md` has more.

    An expression beside the aggregations, such as `share=sash.col("spent_1h") / sash.col("spent_7d")`, is one column
    over the results and the columns of numbers in the row.

    Give a `Plan`, or in short its parts, which have the same defaults: with one `window` the columns are called as the
    aggregations are; with a list of windows, and with a plan, each name is followed by its window: `spent_1h`.

    Native passes run in `threads` threads, by default one for each core that this process may use, without the GIL. The
    results are the same with any number of them, to the last bit.

    Work that takes more than a second shows how far it is: in a notebook, and on a terminal where Rich is installed.
    `progress=False` never does, `progress=True` does without a terminal too.

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
    >>> slides = rolling(frame, on="time", window=TimeWindow(4), every=2, spent=sash.Sum("amount"))
    >>> slides["window_end"], slides["spent"]
    (array([ 2,  4,  6,  8, 10]), array([6, 8, 2, 4, 4]))
    >>> labels = {"time": np.array([4, 9])}
    >>> rolling(frame, at=labels, on="time", window=TimeWindow(3), spent=sash.Sum("amount"))["spent"]
    array([3, 4])
    """
    # Whoever imports the package does not pay for the engine of frames; whoever runs one does.
    from sash.batch.labels import labels_of

    where = labels_of(at, known, offset)
    taken = _retraction(retract, id, where, data)
    parts: dict[str, Any] = {
        "on": on,
        "by": by,
        "every": every,
        "closed": closed,
        "min_periods": min_periods,
        "peers": peers,
        "emit": emit,
        "lateness": lateness,
    }
    how = _How(_threads(threads), progress, taken)
    if plan is None and on is None and _needs_times(window):
        parts["on"] = _time_index(data)
    return _run(data, *as_plan(plan, window, aggregations, parts), where, how)


def as_plan(
    plan: Plan | None, window: Any, aggregations: Mapping[str, Any], parts: Mapping[str, Any]
) -> tuple[Plan, dict[str, str]]:
    """The plan, or that of its parts, and the names of columns that are not the plan's own: with one window, those of
    the aggregations. Expressions may be among these. `PlanError` if a plan has parts beside it.

    >>> import sash
    >>> as_plan(None, "1h", {"n": sash.Count()}, {"on": "t"})[1]
    {'n_1h': 'n'}
    """
    from sash.batch.naming import output_name
    from sash.expressions import Expression
    from sash.plan import Plan

    if plan is not None:
        _refuse_both(plan, {"window": window, **parts, **aggregations})
        return plan, {}
    _refuse_foreign(aggregations)
    if window is None:
        raise PlanError('window is missing: give a length such as "7d", a number of rows, or a list of them')
    given = {name: value for name, value in parts.items() if value is not None}
    if (every := given.pop("every", None)) is not None:
        # For windows that are policies closed= means nothing, and the plan says so.
        closed = given.get("closed") if _all_policies(window) else given.pop("closed", None)
        window = _sliding(window, every, closed or "right")
    expressions = {name: value for name, value in aggregations.items() if isinstance(value, Expression)}
    computed = {name: value for name, value in aggregations.items() if name not in expressions}
    short = Plan(windows=window, aggregations=computed, expressions=expressions, **given)
    one = not isinstance(window, (list, tuple))
    return short, {output_name(name, short.labels[0]): name for name in computed} if one else {}


def _sliding(window: Any, every: Any, closed: Closed) -> Any:
    """The windows, each of which slides by the time."""
    from sash.errors import WindowSpecError
    from sash.windows import TimeWindow, WindowPolicy
    from sash.windows.calendar import is_calendar

    if isinstance(window, (list, tuple)):
        return [_sliding(one, every, closed) for one in window]
    if isinstance(window, WindowPolicy) and window.span is not None and not window.slides:
        return TimeWindow(window.span.length, every, window.span.closed)
    if isinstance(window, (int, WindowPolicy)):
        raise PlanError(
            f"every= is for windows of a length of time that have none of their own, not {window!r}: leave it out"
        )
    if is_calendar(window):
        raise PlanError(
            f"every: a window by the calendar, {window!r}, does not slide: give the times of its ends as labels, at="
        )
    try:
        return TimeWindow(window, every, closed)
    except WindowSpecError as error:
        raise PlanError(f"every: {error}") from None


def _all_policies(window: Any) -> bool:
    from sash.windows import WindowPolicy

    windows = window if isinstance(window, (list, tuple)) else [window]
    return all(isinstance(one, WindowPolicy) for one in windows)


def _needs_times(window: Any) -> bool:
    """Whether one of the windows is not of so many rows."""
    windows = window if isinstance(window, (list, tuple)) else [window]
    return any(getattr(one, "in_time", not isinstance(one, int)) for one in windows)


def _time_index(data: Any) -> str | None:
    """The index of a DataFrame of pandas, if it is one of times: they go without saying."""
    pandas = sys.modules.get("pandas")
    if pandas is None or not isinstance(data, pandas.DataFrame):
        return None
    from sash.frames.pandas import PandasFrame

    return PandasFrame(data).time_index


def _retraction(retract: str | None, id: str | None, where: Any, data: Any) -> tuple[str, str | None] | None:
    """The columns that say which rows are taken back; None if none does."""
    if retract is None:
        if id is not None:
            raise PlanError("id= tells which row is taken back: name the column that says so, retract=")
        return None
    if where is not None or _in_parts(data):
        raise PlanError("retract: rows are taken back in one frame, without labels: read all rows, as a table")
    return retract, id


def _in_parts(data: Any) -> bool:
    return isinstance(data, (str, os.PathLike, Iterator)) and not hasattr(data, "read_all")


class _How(NamedTuple):
    """In how many threads the work is done, whether it shows how far it is, and which columns take rows back."""

    threads: int
    progress: bool | None
    taken: tuple[str, str | None] | None


def _run(data: Any, plan: Plan, names: dict[str, str], where: tuple[Any, At] | None, how: _How) -> Any:
    from sash.batch.engine import run
    from sash.batch.labels import run_at
    from sash.frames import as_frame
    from sash.progress import showing

    if _in_parts(data):
        from sash.batch.chunks import rolling_batches

        if where is not None:
            raise PlanError("labels are of frames, and rows that are read in parts are none: read all rows, as a table")
        return rolling_batches(data, plan, names, how.threads, progress=how.progress)
    frame = as_frame(data)
    if how.taken is not None:
        from sash.batch.retractions import check_names, surviving

        check_names(frame.names, *how.taken, plan.emit)
        frame = frame.only(surviving(frame, plan.by, *how.taken))
    with showing(how.progress, "rolling", len(plan.outputs), frame.rows):
        if where is None:
            return run(frame, plan, names, how.threads)
        return run_at(frame, as_frame(where[0]), plan, names, where[1], how.threads)


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
    given = [f"{name}=" for name, value in parts.items() if value is not None]
    if given:
        raise PlanError(f"a plan has all parts: leave out {', '.join(given)}, or the plan")


def _refuse_foreign(aggregations: Mapping[str, Any]) -> None:
    """Keywords of other libraries would be names of results here: say which word is meant."""
    from sash.aggregations.base import Aggregation

    for name, value in aggregations.items():
        if name in _FOREIGN and not isinstance(value, Aggregation):
            raise PlanError(f"rolling has no {name}=: {_FOREIGN[name]}")
