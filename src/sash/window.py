"""The window: the abstract data type of the papers, over any aggregation and any algorithm."""

from __future__ import annotations

import reprlib
from collections.abc import Callable, Iterator, Mapping
from functools import partial
from typing import TYPE_CHECKING, Any, Final, Self, overload

import numpy as np
import numpy.typing as npt

from sash import _core, algorithms, snapshots
from sash.aggregations.base import Aggregation, skips_plainly
from sash.aggregations.composite import Composite
from sash.aggregations.meant import checked_aggregation
from sash.aggregations.records import Path, found, takes_row, value_of
from sash.columns import as_columns, items_of, read_column, read_rows
from sash.errors import AggregationError
from sash.markup import as_html
from sash.times import FLOAT, INT, Kind, encode_array, encode_as

if TYPE_CHECKING:
    from sash.aggregations.records import Row
    from sash.drawing import Drawing
    from sash.store import Store, StoredWindow

__all__ = ["Window"]


class Window(_core.Window):
    """A window of events in the order of their times, and the aggregate of all of them at any moment.

    `Window(aggregation, algorithm="auto", **options)`. The aggregation is one, or several by name, whose results make a
    record. With "auto" the window takes events in any order. Promise `in_order=True` and it takes a cheaper algorithm.
    Add `worst_case=True` if no single insert, evict or query may take long, names of operations
    (`worst_case=["evict", "bulk_evict"]`) if none of those may, or `subtract=True` if totals may be maintained by
    subtraction. `sash.algorithms.ALGORITHMS` has them by name. With `store=` the window may be larger than memory;
    `sash.store.StoredWindow` lists what else it takes.

    Times are int, float, date, datetime, `numpy.datetime64`, `pandas.Timestamp` or Arrow timestamps; the first event
    decides, and times leave as they came. An event at a time that is there already is combined with it, the older
    first. None is skipped, and so is NaN unless the aggregation says otherwise. Whatever raises an error leaves the
    window as it was.

    >>> import sash
    >>> w = sash.Window(sash.Max(), algorithm="daba_lite")
    >>> for time, value in [(1, 4), (2, 2), (5, 3)]:
    ...     w.insert(time, value)
    >>> w.query(), w.oldest, w.youngest, len(w)
    (4, 1, 5, 3)
    >>> w.evict()
    >>> w
    Window(Max(), algorithm='daba_lite', 2 events, 2..5, result 3)

    Inherited from the core, so that a call costs no Python frame:

    - `insert(time, value)`: one event. Cost: that of the algorithm; O(1) in order for most.
    - `evict()`: the oldest event; `EmptyWindowError` if there is none. `evict(time)`: the event of exactly that time;
      says whether it was there. Algorithms that evict the oldest only raise `AggregationError` for any other.
    - `bulk_evict(time)`: every event at or before the time.
    - `query()`: the aggregate of all events; the aggregation's `empty` if there are none. `query(start, end)`: of the
      events from start to end, both ends in; None leaves an end open. Algorithms without range queries raise
      `AggregationError`.
    - `len(window)`, `oldest`, `youngest`: the number of different times, and the first and the last of them;
      `EmptyWindowError` if there are none.
    - `evict_while(policy)`: the longest run of oldest events for which `policy(total, prefix)` holds, with the results
      of the whole window and of that run; where it fails, it must fail for every longer run. O(log n) calls.
    - `clear()`, `shrink_to_fit()`, `check_invariants()`, `memory()` (in bytes), `aggregation`, `algorithm`.

    >>> w = sash.Window(sash.Sum(), algorithm="recalc")
    >>> w.bulk_insert([1, 2, 3, 4], [10, 20, 30, 40])
    >>> w.query(2, 3), w.query(None, 2), w.evict(3), w.evict(3)
    (50, 30, True, False)
    >>> w.bulk_evict(1)
    >>> list(w.items())
    [(2, 20), (4, 40)]
    """

    @overload
    def __new__(
        cls,
        aggregation: Aggregation | Mapping[str, Aggregation],
        algorithm: str = "auto",
        *,
        store: Store,
        **options: Any,
    ) -> StoredWindow: ...

    @overload
    def __new__(
        cls,
        aggregation: Aggregation | Mapping[str, Aggregation],
        algorithm: str = "auto",
        *,
        store: None = None,
        **options: Any,
    ) -> Self: ...

    def __new__(
        cls,
        aggregation: Aggregation | Mapping[str, Aggregation],
        algorithm: str = "auto",
        *,
        store: Store | None = None,
        **options: Any,
    ) -> Window:
        """A window in memory, or one over a store."""
        if cls is Window and store is not None:
            from sash.store import StoredWindow

            cls = StoredWindow
        return super().__new__(cls)

    def __init__(
        self, aggregation: Aggregation | Mapping[str, Aggregation], algorithm: str = "auto", **options: Any
    ) -> None:
        aggregation = checked_aggregation(aggregation)
        options = {name: value for name, value in options.items() if (name, value) != ("store", None)}
        name, self._options = algorithms.resolve(algorithm, aggregation, options)
        super().__init__(
            aggregation, aggregation.native(), name, self._options, own_skips(aggregation), finder(aggregation)
        )

    def bulk_insert(self, times: Any, values: Any) -> None:
        """Insert many events at once: all of them, or none if one is refused.

        Takes lists, NumPy arrays, pandas and Arrow arrays, and whatever has Arrow's C interface; int64 and float64
        arrays are read in place, without the GIL for built-in aggregations. Algorithms that take late events take
        them in any order; the others raise `OutOfOrderError`. Cost of m events: O(m) combines in order, and with fiba
        O(m log(d/m)) among the last d entries; O(m log m) steps to sort them.

        >>> import numpy as np, sash
        >>> w = sash.Window(sash.Mean())
        >>> w.bulk_insert(np.array([1.5, 2.5, 3.5]), np.array([3, 4, 8]))
        >>> w.query()
        5.0
        >>> w.bulk_insert([4.0, 5.0], [1])
        Traceback (most recent call last):
        ...
        ValueError: 2 times and 1 values: there must be one value a time
        """
        kind, ticks = encode_array(times)
        values = _located(self.aggregation, values)
        native = self.aggregation.native()
        if native is not None and native.row is not None:
            return self._insert_rows(kind, ticks, times, values, native.row)
        column, kept = read_column(values, "object" if native is None else native.inputs)
        size = len(column) if kept is None else len(kept)
        if len(ticks) != size:
            raise ValueError(f"{len(ticks)} times and {size} values: there must be one value a time")
        if len(self):
            kind, ticks = _among(self._time_kind, kind, ticks, times)
        if kept is not None:
            ticks = ticks[kept]
        self._bulk_insert(kind, np.ascontiguousarray(ticks), column)

    def _insert_rows(self, kind: Kind, ticks: npt.NDArray[np.int64], times: Any, values: Any, row: Row) -> None:
        columns = read_rows(values, row, len(ticks))
        rows = () if columns is not None else _listed(values)
        if columns is None and len(rows) != len(ticks):
            raise ValueError(f"{len(ticks)} times and {len(rows)} values: there must be one value a time")
        if len(self):
            kind, ticks = _among(self._time_kind, kind, ticks, times)
        if columns is None:
            self._bulk_insert(kind, np.ascontiguousarray(ticks), rows)
        else:
            self._bulk_insert_rows(kind, np.ascontiguousarray(ticks), columns)

    def items(self) -> Iterator[tuple[Any, Any]]:
        """Walk over (time, result of that event alone), oldest first.

        With fiba the walk is lazy, and sees what is inserted or evicted ahead of it meanwhile; the other algorithms
        list everything at the call. The lite algorithms keep aggregates instead of events and raise
        `AggregationError`. Cost: O(n) for the whole walk.

        >>> import sash
        >>> w = sash.Window(sash.Sum()); w.bulk_insert([1, 2, 2], [10, 20, 30])
        >>> list(w.items())
        [(1, 10), (2, 50)]
        """
        return self._walk(*self._entries(None))

    def _walk(self, entries: list[tuple[Any, Any]], last: int) -> Iterator[tuple[Any, Any]]:
        while entries:
            yield from entries
            entries, last = self._entries(last)

    def merge(self, other: Window) -> None:
        """Insert all events of another window; where times are equal, those of the other are the newer.

        Both have the same aggregation and kinds of times that go together, and the other can list its events. The
        other window stays as it is. Cost: that of a bulk insert.

        >>> import sash
        >>> day, night = sash.Window(sash.Concat()), sash.Window(sash.Concat())
        >>> day.bulk_insert([1, 3], ["a", "c"]); night.bulk_insert([2, 3], ["b", "d"])
        >>> day.merge(night); day.query()
        'abcd'
        """
        if not isinstance(other, Window):
            raise TypeError(f"a window is merged with a window, not with {type(other).__name__}")
        if other.aggregation != self.aggregation:
            raise AggregationError(
                f"windows of different aggregations do not merge: {self.aggregation!r}, {other.aggregation!r}"
            )
        if len(self) and len(other):
            _check_kinds(self._time_kind, other._time_kind)
        self._merge(other.copy() if other is self else other)

    def copy(self) -> Window:
        """A window of its own with the same events. Cost: O(n).

        >>> import sash
        >>> w = sash.Window(sash.Sum()); w.insert(1, 5)
        >>> twin = w.copy(); twin.insert(2, 6)
        >>> w.query(), twin.query()
        (5, 11)
        """
        twin = type(self)(self.aggregation, self.algorithm, **self._options)
        twin._assign(self)
        return twin

    __copy__ = copy

    def __deepcopy__(self, memo: dict[int, Any]) -> Window:
        return self.copy()

    def snapshot(self) -> bytes:
        """The window as bytes: a version, a checksum, what it aggregates, and its times and partials in order.

        Equal windows give equal bytes, whatever their history. Cost: O(n). An aggregation in Python whose partials are
        more than plain values needs `encode` and `decode`.

        >>> import sash
        >>> w = sash.Window(sash.Concat()); w.insert(1, "a"); w.insert(2, "b")
        >>> sash.Window.restore(w.snapshot()).query()
        'ab'
        """
        described, body = self._described(self._options)
        return _core.seal(described.to_bytes(), body)

    def _described(self, options: dict[str, Any]) -> tuple[snapshots.Description, bytes]:
        """The window in words and in bytes, both of one moment."""
        times, values, body = self._save()
        kind = None if times is None else str(times)
        return snapshots.Description(self.aggregation.to_dict(), self.algorithm, options, kind, values), body

    @classmethod
    def restore(cls, blob: bytes, aggregation: Aggregation | None = None) -> Window:
        """The window of a snapshot. `SnapshotError` if it is damaged, cut short, foreign or newer than this version.

        The aggregation is found by its name if it is a built-in one, and must be passed if not; a snapshot of another
        aggregation is refused. Nothing in the bytes is run. Cost: O(n).

        >>> import sash
        >>> blob = sash.Window(sash.Sum()).snapshot()
        >>> sash.Window.restore(blob, sash.Max())
        Traceback (most recent call last):
        ...
        sash.errors.SnapshotError: the snapshot is of Sum(), not of Max(): restore it with its own aggregation
        """
        if not isinstance(blob, (bytes, bytearray, memoryview)):
            raise TypeError(f"a snapshot is bytes, not {type(blob).__name__}")
        header, body = _core.open_snapshot(bytes(blob))
        described = snapshots.Description.from_bytes(header)
        matching = described.matching(aggregation)
        with snapshots.reading():
            window = cls(matching, described.algorithm, **described.options)
            if described.times is not None and described.values is not None:
                window._restore(described.values, Kind.parse(described.times), body)
        return window

    def __reduce__(self) -> tuple[Callable[..., Window], tuple[bytes, Aggregation]]:
        return type(self).restore, (self.snapshot(), self.aggregation)

    def __repr__(self) -> str:
        head = f"{type(self).__name__}({self.aggregation!r}, algorithm={self.algorithm!r}"
        if not len(self):
            return f"{head}, empty)"
        events = f"{len(self)} event{'' if len(self) == 1 else 's'}"
        return f"{head}, {events}, {self.oldest}..{self.youngest}, result {self._result()})"

    def draw(self, most: int = 32) -> Drawing:
        """A picture of what is inside: nodes, parts and levels, their entries and the aggregates that are kept.

        An SVG, which notebooks show and `save(path)` writes. Of a window of more than `most` entries it shows the ends
        of whatever is long, and says how many entries it leaves out. Cost: O(n) steps, no combine.

        >>> import sash
        >>> w = sash.Window(sash.Sum(), algorithm="daba"); w.bulk_insert([1, 2, 3], [10, 20, 30])
        >>> picture = w.draw()
        >>> "entry 2: 20" in str(picture), "aggregate suffix of 1 to 2: 30" in str(picture)
        (True, True)
        """
        from sash.drawing.drawing import draw

        return draw(self, most)

    def _repr_html_(self) -> str:
        ends = (self.oldest, self.youngest) if len(self) else ("", "")
        row = [repr(self.aggregation), self.algorithm, f"{len(self):,}", *ends, self._result()]
        table = as_html(["aggregation", "algorithm", "events", "oldest", "youngest", "result"], [row])
        return table + (self._repr_svg_() or "")

    def _repr_svg_(self) -> str | None:
        try:
            return str(self.draw())
        except Exception:  # a repr must not fail
            return None

    def _result(self) -> str:
        try:
            return _SHORT.repr(self.query())
        except Exception as error:  # a repr must not fail
            return f"unknown ({error})"


_SHORT: Final = reprlib.Repr()


def _listed(values: Any) -> tuple[Any, ...]:
    """Values one by one; a frame as its rows, an array as Python numbers."""
    values = as_columns(values)
    if not isinstance(values, Mapping):
        return tuple(items_of(values))
    rows = zip(*(items_of(column) for column in values.values()), strict=True)
    return tuple(dict(zip(values, row, strict=True)) for row in rows)


def finder(aggregation: Aggregation) -> Callable[[Any], Any] | None:
    """What finds the value of an aggregation in a row, if it names columns; a Composite reads rows itself."""
    named = bool(aggregation.columns) and not isinstance(aggregation, Composite)
    return partial(_found_in, aggregation) if named else None


def _found_in(aggregation: Aggregation, value: Any) -> Any:
    """What the columns of a row hold; a value that is no row as it is."""
    return value_of(aggregation, value) if isinstance(value, Mapping) else value


def _located(aggregation: Aggregation, values: Any) -> Any:
    """The values that an aggregation takes of rows, or of columns by name, where it names columns."""
    find = finder(aggregation)
    if find is None or (isinstance(values, np.ndarray) and values.dtype.kind != "O"):
        return values
    values = as_columns(values)
    if isinstance(values, Mapping) and len(aggregation.columns) == 1 and not takes_row(aggregation):
        return found(Path(aggregation.columns[0]), values)
    if isinstance(values, Mapping) or (isinstance(values, (list, tuple)) and any(map(_is_row, values))):
        return [find(row) for row in _listed(values)]
    return values


def _is_row(value: Any) -> bool:
    return isinstance(value, Mapping)


def own_skips(aggregation: Aggregation) -> Callable[[Any], bool] | None:
    """The method `skips`, if an aggregation in Python defines one: the core knows what the others skip."""
    return None if aggregation.native() is not None or skips_plainly(aggregation) else aggregation.skips


def _among(kind: Kind, other: Kind, ticks: npt.NDArray[np.int64], times: Any) -> tuple[Kind, npt.NDArray[np.int64]]:
    """Times of another kind than those of the window: what they are among those, or an error."""
    if (kind.name, kind.unit) == (other.name, other.unit):
        return kind, ticks
    if kind == INT and other == FLOAT:
        return other, ticks
    if kind == FLOAT and other == INT:
        exact = (ticks >= -(2**53)) & (ticks <= 2**53)
        if exact.all():
            return kind, encode_array(ticks.astype(np.float64))[1]
    return kind, np.array([encode_as(kind, time) for time in times], np.int64)


def _check_kinds(kind: Kind, other: Kind) -> None:
    numbers = {INT, FLOAT}
    if (kind.name, kind.unit) != (other.name, other.unit) and not {kind, other} <= numbers:
        raise TypeError(f"times of kind {other} do not merge with times of kind {kind}: convert them first")
