"""The engine in the core: time windows of built-in aggregations, each event answered at once, one call a batch."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any, Final, overload

import numpy as np
import numpy.typing as npt

from sash import _core
from sash.aggregations import records
from sash.aggregations.compiled import Compiled
from sash.aggregations.records import Answer, Part, Path, Row
from sash.columns import Column, read_with_nulls
from sash.errors import SnapshotError
from sash.sliding.batch import checked_key, items_of, rows_of
from sash.sliding.engine import OnLateRow
from sash.sliding.engine import Row as Event
from sash.sliding.scale import Length, Scale
from sash.sliding.spec import Bound, Spec
from sash.sliding.voice import Now, Spoken
from sash.triggers import EachEvent
from sash.windows import TimeWindow

__all__ = ["NativeEngine", "NativeTold", "row_of"]

Ticks = npt.NDArray[np.int64]

#: Parts that answer with several numbers: their results are made in Python.
_SEVERAL: Final = frozenset({"m4", "increasing_run", "line"})
_LONGEST: Final = 2**63 - 1
#: What the core calls an answer: nothing, an integer, a real.
_NOTHING, _INTEGER, _REAL = 0, 1, 2


def row_of(spec: Spec) -> Row | None:
    """How the aggregation lies in the core, if this engine can run the operator; None if it cannot.

    >>> import sash
    >>> from sash.triggers import EachEvent
    >>> row_of(Spec(sash.Sum(), (sash.TimeWindow(5),), EachEvent())).parts[0].kernel
    'sum'
    >>> row_of(Spec(sash.Concat(), (sash.TimeWindow(5),), EachEvent()))
    """
    plain = spec.emit == "arrival" and not spec.changes_only and not spec.min_periods and spec.algorithm == "fiba"
    windows = all(isinstance(policy, TimeWindow) and policy.every is None for policy in spec.policies)
    if not plain or not windows or not isinstance(spec.trigger, EachEvent):
        return None
    row = records.row_of(spec.aggregation)
    if row is None or row.objects or any(_answers_with_several(part) for part in row.parts):
        return None
    return row


def _answers_with_several(part: Part) -> bool:
    return part.kernel in _SEVERAL or bool(part.options.get("several"))


class NativeEngine:
    """Every key's windows in one native table. Cost of an event in order: O(1) combines for the longest window if
    nothing may be late, O(log n) for each other."""

    def __init__(self, spec: Spec, scale: Scale, row: Row) -> None:
        self.bound = Bound(spec, scale)
        self.row = row
        self.count = 0
        self.finished = False
        self._core = _core.Keyed(
            row,
            [_span(policy, scale) for policy in spec.policies if isinstance(policy, TimeWindow)],
            _length(self.bound.lateness),
            _length(self.bound.expire),
            _seconds(scale) if row.timed else 1.0,
            scale.kind.name == "float",
        )

    @property
    def now(self) -> Now:
        """How far event time has come."""
        now = Now()
        now.clock, now.watermark = self._core.clock()
        now.finished = self.finished
        return now

    @property
    def lines(self) -> list[Any]:
        """The keys that have state."""
        keys = self._core.keys()
        return keys if self.bound.spec.keyed else [None] * len(keys)

    def memory(self) -> int:
        """The bytes that the windows and the table of integer keys take."""
        return self._core.memory()

    def extend(self, rows: Iterable[Event], on_late: OnLateRow) -> list[Spoken]:
        """Take rows in, in the order of their arrival; what they trigger."""
        keys, ticks, values = zip(*rows, strict=True)
        return list(self.extend_columns(list(keys), np.array(ticks, np.int64), list(values), on_late))

    def extend_columns(self, keys: Any, ticks: Ticks, values: Any, on_late: OnLateRow) -> NativeTold:
        """Take a batch in, by columns; what it triggers."""
        late = self._late(ticks)
        keys = _checked_keys(keys) if self.bound.spec.keyed else None
        rows = rows_of(values) if late else []
        for place, watermark in late:
            key = None if keys is None else _plain(keys[place])
            on_late(key, int(ticks[place]), rows[place], watermark)
        if self.finished:
            return NativeTold(self, [], ticks[:0], [], self.count)
        columns = [_column(values, path, inputs, len(ticks)) for path, inputs in self._slots()]
        answers = self._core.extend(keys, np.ascontiguousarray(ticks), columns)
        kept = np.ones(len(ticks), bool)
        kept[[place for place, _ in late]] = False
        first, self.count = self.count, self.count + int(kept.sum())
        return NativeTold(self, _taken(keys, kept), ticks[kept], answers, first)

    def _late(self, ticks: Ticks) -> Sequence[tuple[int, int | None]]:
        if self.finished:
            return [(place, None) for place in range(len(ticks))]
        return self._core.late(np.ascontiguousarray(ticks))

    def _slots(self) -> list[tuple[Path, str]]:
        return [(slot.path, slot.inputs) for slot in self.row.slots]

    def advance(self, ticks: int | None) -> list[Spoken]:
        """Move the watermark on, to the end if None. Nothing waits to be told."""
        if ticks is None:
            self.finished = True
        elif not self.finished:
            self._core.advance(ticks)
        return []

    def finish(self) -> None:
        """The end of the stream: whatever comes now is late."""
        self.finished = True

    def ask(self, key: Any, ticks: int | None) -> list[Spoken]:
        """The windows of a key that end at the ticks, or now."""
        clock, watermark = self._core.clock()
        at = max((one for one in (clock, watermark) if one is not None), default=None) if ticks is None else ticks
        if at is None:
            return []
        told = []
        answers = self._core.ask(key if self.bound.spec.keyed else 0, at)
        for window, (parts, filled) in enumerate(answers):
            start = self.start(window, at) if filled else None
            told.append(Spoken(key, window, start, at, None, self.shaped(parts), 0, None))
        return told

    def start(self, window: int, end: int) -> int:
        """Where a window begins that ends at the ticks."""
        policy = self.bound.spec.policies[window]
        assert isinstance(policy, TimeWindow)
        return self.bound.scale.back(end, self.bound.scale.length(policy.length))

    def shaped(self, parts: Sequence[Any]) -> Any:
        """The result of a window from the answers of its parts; None among them is nothing."""
        results = tuple(_answered(answer, parts[answer.position]) for answer in self.row.answers)
        if not self.row.composite:
            return results[0]
        shape: Any = self.bound.spec.aggregation
        return shape.shape(results)

    # State

    def dump(self) -> dict[str, Any]:
        """The state as plain values. Cost: O(n)."""
        reals, body = self._core.save()
        now = self.now
        return {
            "native": 1,
            "now": (now.clock, now.watermark, now.finished),
            "count": self.count,
            "keys": self._core.keys(),
            "reals": list(reals),
            "body": body,
        }

    @classmethod
    def load(cls, spec: Spec, scale: Scale, row: Row, state: Mapping[str, Any]) -> NativeEngine:
        """An engine in the state; `SnapshotError` if it is none. Cost: O(n)."""
        engine = cls(spec, scale, row)
        try:
            clock, watermark, engine.finished = state["now"]
            engine.count = state["count"]
            engine._core.restore(state["keys"], state["reals"], state["body"], clock, watermark)
        except (KeyError, TypeError, ValueError) as error:
            raise SnapshotError(f"the snapshot cannot be read: {error!r} in the state of the operator") from error
        return engine

    def with_real_times(self, scale: Scale) -> NativeEngine:
        """An engine of its own with integer times as floats; TypeError if one is no float exactly."""
        spec = self.bound.spec
        twin = NativeEngine.load(spec, self.bound.scale, self.row, self.dump())
        twin._core.read_times_as_reals()
        twin.bound = Bound(spec, scale)
        return twin


def _answered(answer: Answer, given: Any) -> Any:
    if given is None:
        # A compiled aggregation answers for the empty window itself, so nothing is what it said.
        return None if isinstance(answer.aggregation, Compiled) else answer.aggregation.empty
    return bool(given) if answer.truth else given


def _span(policy: TimeWindow, scale: Scale) -> tuple[int, float, bool, bool]:
    length = _length(scale.length(policy.length))
    assert length is not None
    return *length, policy.closed in ("left", "both"), policy.closed in ("right", "both")


def _length(length: Length | None) -> tuple[int, float] | None:
    if length is None:
        return None
    return min(int(length), _LONGEST), float(length)


def _seconds(scale: Scale) -> float:
    if scale.kind.name in ("int", "float"):
        return 1.0
    if scale.kind.step is None:
        raise TypeError(f"times of kind {scale.kind} have no length in seconds: use days or finer")
    return scale.kind.step * 1e-18


# Columns in


def _column(values: Any, path: Path, inputs: str, size: int) -> Column:
    if path.column is not None:
        values = _named(values, path.column)
    if path.index is not None:
        values = [_item(value, path) for value in _listed(values)]
    if isinstance(values, Mapping):
        # The events themselves are counted: rows, of which no column is read.
        return np.ones(size, np.int64)
    return read_with_nulls(values, inputs)


def _named(values: Any, column: str) -> Any:
    if isinstance(values, Mapping) or not isinstance(values, (list, tuple, np.ndarray)):
        return values[column]
    return [None if row is None else row[column] for row in values]


def _item(value: Any, path: Path) -> Any:
    if value is None:
        return None
    if not isinstance(value, (tuple, list)) or len(value) != path.length:
        raise TypeError(f"a tuple of {path.length} values is needed, not {type(value).__name__} ({value!r:.60})")
    return value[path.index or 0]


def _listed(values: Any) -> list[Any]:
    return values.tolist() if isinstance(values, np.ndarray) else list(values)


def _checked_keys(keys: Any) -> Any:
    """Integers as an array, all others one by one."""
    if isinstance(keys, np.ndarray) and keys.dtype.kind == "i":
        return np.ascontiguousarray(keys, np.int64)
    return [checked_key(key) for key in items_of(keys)]


def _taken(keys: Any, kept: npt.NDArray[np.bool_]) -> Any:
    if keys is None or kept.all():
        return keys
    return [key for key, taken in zip(keys, kept, strict=True) if taken]


# Results out


class NativeTold(Sequence[Spoken]):
    """The results of a batch, a window after the other for each event. Each is made when it is asked for."""

    def __init__(self, engine: NativeEngine, keys: Any, ticks: Ticks, answers: list[Any], first: int) -> None:
        self._engine = engine
        self._keys = keys
        self._ticks = ticks
        self._answers = answers
        self._first = first
        self._windows = len(engine.bound.spec.policies)
        self._parts = len(engine.row.parts)

    def __len__(self) -> int:
        return len(self._ticks) * self._windows

    @overload
    def __getitem__(self, index: int) -> Spoken: ...

    @overload
    def __getitem__(self, index: slice) -> list[Spoken]: ...

    def __getitem__(self, index: int | slice) -> Spoken | list[Spoken]:
        if isinstance(index, slice):
            return [self[place] for place in range(*index.indices(len(self)))]
        if not -len(self) <= index < len(self):
            raise IndexError(f"there are {len(self)} results, and none at {index}")
        event, window = divmod(index % len(self), self._windows)
        ticks = int(self._ticks[event])
        parts = [self._answer(window, part, event) for part in range(self._parts)]
        start = self._engine.start(window, ticks)
        key = None if self._keys is None else _plain(self._keys[event])
        return Spoken(key, window, start, ticks, ticks, self._engine.shaped(parts), 0, self._first + event)

    def _answer(self, window: int, part: int, event: int) -> Any:
        words, tags = self._answers[window * self._parts + part]
        if tags[event] == _NOTHING:
            return None
        word = words[event : event + 1]
        return int(word[0]) if tags[event] == _INTEGER else float(word.view(np.float64)[0])

    # Whole columns

    def column(self, name: str) -> npt.NDArray[Any] | None:
        """A column of the results without a loop in Python; None if there is no way without."""
        match name:
            case "ticks" | "end":
                return np.repeat(self._ticks, self._windows)
            case "window":
                return np.tile(np.arange(self._windows), len(self._ticks))
            case "revision":
                return np.zeros(len(self), np.int64)
            case "number":
                return np.repeat(np.arange(self._first, self._first + len(self._ticks)), self._windows)
            case "key" if isinstance(self._keys, np.ndarray):
                return np.repeat(self._keys, self._windows)
            case "value" if not self._engine.row.composite:
                return self.field(self._engine.row.answers[0])
        return None

    def field(self, answer: Answer) -> npt.NDArray[Any] | None:
        """The results of one aggregation as numbers; None if they are not all of one kind."""
        columns = [self._answers[window * self._parts + answer.position] for window in range(self._windows)]
        if not columns or not len(self._ticks):
            return None
        tags = np.stack([tags for _, tags in columns], axis=1).ravel()
        words = np.stack([words for words, _ in columns], axis=1).ravel()
        if (tags == _REAL).all():
            return words.view(np.float64)
        if (tags == _INTEGER).all():
            # Seen as NumPy's own int64: the core's has the same bits and another name.
            return words.astype(bool) if answer.truth else words.view(np.int64)
        return None


def _plain(key: Any) -> Any:
    return key.item() if isinstance(key, np.generic) else key
