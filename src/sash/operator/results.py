"""What an operator says: one result, and a batch of them with its columns as arrays."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any, NamedTuple, overload

import numpy as np
import numpy.typing as npt

from sash.operator.scale import Scale
from sash.operator.voice import Spoken
from sash.times import decode_array
from sash.windows.base import WindowPolicy

__all__ = ["Result", "Results"]


class Result(NamedTuple):
    """A result: whose window, from where to where, what it holds, and what asked for it.

    `time` and `number` tell of the event that asked: its time, and how many events had come before it. Where each
    k-th event in the order of time asks, `number` is which one it is. Both are None where a slide of time or a call of
    `query` asked. A result that is told again has the same key, window and number, or end where there is no number,
    and the next `revision`.

    >>> import sash
    >>> s = sash.Sliding(sash.Sum(), sash.TimeWindow(10))
    >>> s.push(3, 5)[0]
    Result(key=None, start=-7, end=3, value=5, revision=0, time=3, number=0, window=TimeWindow(10))
    """

    key: Any
    start: Any
    end: Any
    value: Any
    revision: int
    time: Any
    number: int | None
    window: WindowPolicy


class Results(Sequence[Result]):
    """Results in the order in which they were told, and their columns as arrays.

    Cost: O(1) for a result, O(n) for a column, made when it is asked for.

    >>> import sash
    >>> s = sash.Sliding(sash.Sum(), sash.TimeWindow(2))
    >>> told = s.push_many([1, 2, 3], [10, 20, 30])
    >>> told.values, told.ends, told[0].value
    (array([10, 30, 50]), array([1, 2, 3]), 10)
    >>> told
    <3 results, the last 50 at 3>
    """

    __slots__ = ("_policies", "_scale", "_told")

    def __init__(self, told: Sequence[Spoken], scale: Scale, policies: tuple[WindowPolicy, ...]) -> None:
        self._told = told
        self._scale = scale
        self._policies = policies

    def __len__(self) -> int:
        return len(self._told)

    @overload
    def __getitem__(self, index: int) -> Result: ...

    @overload
    def __getitem__(self, index: slice) -> Results: ...

    def __getitem__(self, index: int | slice) -> Result | Results:
        if isinstance(index, slice):
            return Results(self._told[index], self._scale, self._policies)
        return self._result(self._told[index])

    def __iter__(self) -> Iterator[Result]:
        return map(self._result, self._told)

    def __eq__(self, other: object) -> bool:
        return list(self) == list(other) if isinstance(other, (Results, list)) else NotImplemented

    __hash__ = None  # type: ignore[assignment]

    def _result(self, told: Spoken) -> Result:
        time = self._scale.time
        policy = self._policies[told.window]
        ends = time(told.start), time(told.end)
        return Result(told.key, *ends, told.value, told.revision, time(told.ticks), told.number, policy)

    def __repr__(self) -> str:
        if not self:
            return "<no results>"
        count = "1 result" if len(self) == 1 else f"{len(self)} results"
        return f"<{count}, the last {self[-1].value!r:.60} at {self[-1].end}>"

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
        return self._times(self._column("end"))

    @property
    def starts(self) -> Any:
        """The starts of the windows, as an array of the kind of the times; objects if one has no such time."""
        return self._times(self._column("start"))

    @property
    def times(self) -> Any:
        """The times of the events that asked; objects if slides of time did."""
        return self._times(self._column("ticks"))

    @property
    def revisions(self) -> npt.NDArray[np.int64]:
        """How many times each result had been told before."""
        return np.asarray(self._column("revision"), np.int64)

    @property
    def numbers(self) -> npt.NDArray[Any]:
        """Which event asked, as `Result.number` says."""
        return as_array(self._column("number"))

    @property
    def windows(self) -> npt.NDArray[np.int64]:
        """Which of the operator's windows each result is of, by position."""
        return np.asarray(self._column("window"), np.int64)

    def _column(self, name: str) -> Sequence[Any] | npt.NDArray[Any]:
        """A part of all results: as an array, where the engine has it as one."""
        whole = getattr(self._told, "column", None)
        found = None if whole is None else whole(name)
        return [getattr(told, name) for told in self._told] if found is None else found

    def _times(self, ticks: Sequence[int | None] | npt.NDArray[Any]) -> Any:
        if isinstance(ticks, np.ndarray) or all(one is not None and -(2**63) <= one < 2**63 for one in ticks):
            try:
                return decode_array(self._scale.kind, np.asarray(ticks, np.int64))
            except (OverflowError, ValueError):
                pass
        return _objects([self._scale.time(one) for one in ticks])


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
