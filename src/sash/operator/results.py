"""What an operator emits: one result, and the results of a call with their columns as arrays."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any, NamedTuple, overload

import numpy as np
import numpy.typing as npt

from sash import _core
from sash.operator import frames
from sash.times import decode_array
from sash.windows.base import WindowPolicy
from sash.windows.scale import Scale

__all__ = ["Result", "Results", "same"]


class Result(NamedTuple):
    """A result: whose window, from where to where, its value, and what fired the trigger.

    `time` and `number` are those of the event that fired the trigger: its time, and how many events had come before
    it. Where each k-th event in the order of time fires, `number` is which one it is. Both are None where a slide of
    time fired, or `query` was called. A result that is emitted again has the same key, window and number, or end where
    there is no number, and the next `revision`. One that is `retracted` was emitted before and is none any more: the
    event that it was about was taken back, or its window is empty now; it has no value.

    >>> import sash
    >>> s = sash.Sliding(sash.Sum(), sash.TimeWindow(10))
    >>> s.push(3, 5)[0]
    Result(key=None, start=-7, end=3, value=5, revision=0, time=3, number=0, window=TimeWindow(10), retracted=False)
    """

    key: Any
    start: Any
    end: Any
    value: Any
    revision: int
    time: Any
    number: int | None
    window: WindowPolicy
    retracted: bool = False


class Results(Sequence[Result]):
    """Results in the order in which they were emitted, and their columns as arrays.

    Cost: O(1) for a result, O(n) for a column, made when it is asked for.

    >>> import sash
    >>> s = sash.Sliding(sash.Sum(), sash.TimeWindow(2))
    >>> results = s.push_many([1, 2, 3], [10, 20, 30])
    >>> results.values, results.ends, results[0].value
    (array([10, 30, 50]), array([1, 2, 3]), 10)
    >>> results
    <3 results, the last 50 at 3>
    """

    __slots__ = ("_native", "_places", "_policies", "_scale")

    def __init__(
        self,
        native: _core.OperatorResults | None,
        scale: Scale,
        policies: tuple[WindowPolicy, ...],
        places: range | None = None,
    ) -> None:
        self._native = native
        self._scale = scale
        self._policies = policies
        #: Which of the native results these are.
        self._places = range(0 if native is None else len(native)) if places is None else places

    def __len__(self) -> int:
        return len(self._places)

    @overload
    def __getitem__(self, index: int) -> Result: ...

    @overload
    def __getitem__(self, index: slice) -> Results: ...

    def __getitem__(self, index: int | slice) -> Result | Results:
        if isinstance(index, slice):
            return Results(self._native, self._scale, self._policies, self._places[index])
        if not -len(self) <= index < len(self):
            raise IndexError(f"there are {len(self)} results, and none at {index}")
        return self._at(self._places[index])

    def __iter__(self) -> Iterator[Result]:
        return map(self._at, self._places)

    def __eq__(self, other: object) -> bool:
        return list(self) == list(other) if isinstance(other, (Results, list)) else NotImplemented

    __hash__ = None  # type: ignore[assignment]

    def _at(self, place: int) -> Result:
        assert self._native is not None
        result: Result = self._native.at(place)
        return result

    def __repr__(self) -> str:
        if not self:
            return "<no results>"
        count = "1 result" if len(self) == 1 else f"{len(self)} results"
        return f"<{count}, the last {self[-1].value!r:.60} at {self[-1].end}>"

    def to_pandas(self) -> Any:
        """The results as a DataFrame of pandas: key, start, end and value, with the fields of records as columns.

        The key is there if events have one, `window` if there are several, `revision` if a result was revised,
        `retracted` if one was. So for `to_polars` and `to_arrow`. Cost: O(n).

        >>> import sash
        >>> spent = sash.Composite(total=sash.Sum(), peak=sash.Max())
        >>> sash.Sliding(spent, sash.TimeWindow(2), by=True).push_many(["a", "a"], [1, 2], [5, 7]).to_pandas()
          key  start  end  total  peak
        0   a     -1    1      5     5
        1   a      0    2     12     7
        """
        return frames.to_pandas(self)

    def to_polars(self) -> Any:
        """The results as a DataFrame of polars."""
        return frames.to_polars(self)

    def to_arrow(self) -> Any:
        """The results as a table of Arrow.

        >>> import sash
        >>> sash.Sliding(sash.Sum(), sash.TimeWindow(2)).push_many([1, 2], [5, 7]).to_arrow()["value"].to_pylist()
        [5, 12]
        """
        return frames.to_arrow(self)

    def _repr_html_(self) -> str:
        return frames.html_of(self)

    @property
    def policies(self) -> tuple[WindowPolicy, ...]:
        """The windows of the operator, which `windows` counts through."""
        return self._policies

    @property
    def keys(self) -> npt.NDArray[Any]:
        """The keys, as an array of numbers or of objects."""
        return as_array(self._column("key"))

    @property
    def values(self) -> npt.NDArray[Any]:
        """The values: int64, float64 or bool if all are, otherwise objects."""
        return as_array(self._column("value"))

    @property
    def ends(self) -> Any:
        """The ends of the windows, as an array of the kind of the times."""
        return self._times("end")

    @property
    def starts(self) -> Any:
        """The starts of the windows, as an array of the kind of the times; objects if one has no such time."""
        return self._times("start")

    @property
    def times(self) -> Any:
        """The times of the events that fired the trigger; objects if slides of time did."""
        return self._times("time")

    @property
    def revisions(self) -> npt.NDArray[np.int64]:
        """How many times each result had been emitted before."""
        return np.asarray(self._column("revision"), np.int64)

    @property
    def retracted(self) -> npt.NDArray[np.bool_]:
        """Which results were emitted before and are none any more."""
        return np.asarray(self._column("retracted"), np.bool_)

    @property
    def numbers(self) -> npt.NDArray[Any]:
        """Which event fired the trigger, as `Result.number` says."""
        return as_array(self._column("number"))

    @property
    def windows(self) -> npt.NDArray[np.int64]:
        """Which of the operator's windows each result is of, by position."""
        return np.asarray(self._column("window") if self else [], np.int64)

    def _column(self, name: str) -> Sequence[Any] | npt.NDArray[Any]:
        """A part of all results: as an array of the core, where it has one."""
        found = None if self._native is None else self._native.column(name)
        if found is None:
            return [getattr(result, name) for result in self]
        own = slice(self._places.start, self._places.stop if self._places.stop >= 0 else None, self._places.step)
        column = found[own]
        # Seen as NumPy's own int64: the core's has the same bits and another name.
        return column.view(np.int64) if isinstance(column, np.ndarray) and column.dtype.kind == "i" else column

    def _times(self, name: str) -> Any:
        ticks = self._column(name)
        if isinstance(ticks, np.ndarray):
            try:
                return decode_array(self._scale.kind, ticks)
            except (OverflowError, ValueError):
                ticks = [getattr(result, name) for result in self]
        elif not self:
            return decode_array(self._scale.kind, np.empty(0, np.int64))
        return _objects(ticks)


def as_array(items: Sequence[Any] | npt.NDArray[Any]) -> npt.NDArray[Any]:
    """An array of the one type that all items have, if it is a plain number; of objects otherwise.

    >>> as_array([1, 2]), as_array([1, None])
    (array([1, 2]), array([1, None], dtype=object))
    """
    if isinstance(items, np.ndarray):
        return items
    types = {type(item) for item in items}
    if types == {int} and all(-(2**63) <= item < 2**63 for item in items):
        return np.array(items, np.int64)
    if types in ({float}, {bool}):
        return np.array(items)
    return _objects(items)


def _objects(items: Sequence[Any]) -> npt.NDArray[Any]:
    array = np.empty(len(items), object)
    # One by one: NumPy would take a list of pairs for a table.
    for place, item in enumerate(items):
        array[place] = item
    return array


def same(one: Any, other: Any) -> bool:
    """Whether two results are one and the same; NaN is NaN, and what cannot be compared is not the same.

    >>> same(1, 1.0), same(float("nan"), float("nan")), same(None, 0)
    (True, True, False)
    """
    if one is other:
        return True
    try:
        return bool(one == other) or bool(one != one and other != other)
    except (TypeError, ValueError):
        return False
