"""What the engines in the core have in common: keys, columns and late rows in, answers and state out."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterable, Mapping, Sequence
from typing import Any, Final, Self, overload

import numpy as np
import numpy.typing as npt

from sash.aggregations.compiled import Compiled
from sash.aggregations.records import Answer, Row
from sash.columns import Column
from sash.errors import SnapshotError
from sash.operator.batch import rows_of
from sash.operator.core_columns import checked_keys, plain, read_column
from sash.operator.engine import OnLateRow
from sash.operator.engine import Row as Event
from sash.operator.scale import Length, Scale
from sash.operator.spec import Bound, Spec
from sash.operator.voice import Now, Spoken

__all__ = ["CoreEngine", "CoreTold", "length_of", "seconds_of"]

Ticks = npt.NDArray[np.int64]

_LONGEST: Final = 2**63 - 1


class CoreTold(Sequence[Spoken]):
    """Results that lie in columns. Each is made when it is asked for."""

    @abstractmethod
    def _at(self, place: int) -> Spoken:
        """The result at a place that there is, counted from the first."""

    @overload
    def __getitem__(self, index: int) -> Spoken: ...

    @overload
    def __getitem__(self, index: slice) -> list[Spoken]: ...

    def __getitem__(self, index: int | slice) -> Spoken | list[Spoken]:
        if isinstance(index, slice):
            return [self[place] for place in range(*index.indices(len(self)))]
        if not -len(self) <= index < len(self):
            raise IndexError(f"there are {len(self)} results, and none at {index}")
        return self._at(index % len(self))


class CoreEngine(ABC):
    """An engine whose keys, windows and clock are in the core: a batch is one call, without the GIL."""

    #: Which engine wrote a state.
    version: int

    def __init__(self, spec: Spec, scale: Scale, row: Row) -> None:
        self.bound = Bound(spec, scale)
        self.row = row
        self.finished = False
        self._core = self._make()

    @abstractmethod
    def _make(self) -> Any:
        """What runs it in the core."""

    @abstractmethod
    def _extend(self, keys: Any, ticks: Ticks, columns: list[Column], kept: npt.NDArray[np.bool_]) -> Sequence[Spoken]:
        """Take rows in, of which those not kept are late; what they trigger."""

    @abstractmethod
    def advance(self, ticks: int | None) -> Sequence[Spoken]:
        """Move the watermark on, to the end if None; what that makes final, or due."""

    @abstractmethod
    def ask(self, key: Any, ticks: int | None) -> Sequence[Spoken]:
        """The windows of a key that end at the ticks, or now."""

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
        return int(self._core.memory())

    # Rows in

    def extend(self, rows: Iterable[Event], on_late: OnLateRow) -> list[Spoken]:
        """Take rows in, in the order of their arrival; what they trigger."""
        keys, ticks, values = zip(*rows, strict=True)
        return list(self.extend_columns(list(keys), np.array(ticks, np.int64), list(values), on_late))

    def extend_columns(self, keys: Any, ticks: Ticks, values: Any, on_late: OnLateRow) -> Sequence[Spoken]:
        """Take a batch in, by columns; what it triggers."""
        late = self._late(ticks)
        keys = checked_keys(keys) if self.bound.spec.keyed else None
        rows = rows_of(values) if late else []
        for place, watermark in late:
            key = None if keys is None else plain(keys[place])
            on_late(key, int(ticks[place]), rows[place], watermark)
        if self.finished:
            return []
        columns = [read_column(values, slot.path, slot.inputs, len(ticks)) for slot in self.row.slots]
        kept = np.ones(len(ticks), bool)
        kept[[place for place, _ in late]] = False
        return self._extend(keys, np.ascontiguousarray(ticks), columns, kept)

    def _late(self, ticks: Ticks) -> Sequence[tuple[int, int | None]]:
        if self.finished:
            return [(place, None) for place in range(len(ticks))]
        late: list[tuple[int, int | None]] = self._core.late(np.ascontiguousarray(ticks))
        return late

    def finish(self) -> None:
        """The end of the stream: whatever comes now is late."""
        self.finished = True

    # Answers out

    def shaped(self, parts: Sequence[Any]) -> Any:
        """The result of a window from the answers of its parts; None among them is nothing."""
        results = tuple(_answered(answer, parts[answer.position]) for answer in self.row.answers)
        if not self.row.composite:
            return results[0]
        shape: Any = self.bound.spec.aggregation
        return shape.shape(results)

    def empties(self) -> list[Any]:
        """What each part answers where it says nothing."""
        empties: list[Any] = [None] * len(self.row.parts)
        for answer in self.row.answers:
            empties[answer.position] = _answered(answer, None)
        return empties

    # State

    def dump(self) -> dict[str, Any]:
        """The state as plain values. Cost: O(n)."""
        now = self.now
        return {"native": self.version, "now": (now.clock, now.watermark, now.finished), **self._saved()}

    @abstractmethod
    def _saved(self) -> dict[str, Any]:
        """The state of the core, with keys, kinds of columns and body."""

    @classmethod
    def load(cls, spec: Spec, scale: Scale, row: Row, state: Mapping[str, Any]) -> Self:
        """An engine in the state; `SnapshotError` if it is none. Cost: O(n)."""
        engine = cls(spec, scale, row)
        try:
            if state["native"] != cls.version:
                raise ValueError("the state is that of another engine")
            engine._restore(state)
        except (KeyError, TypeError, ValueError) as error:
            raise SnapshotError(f"the snapshot cannot be read: {error!r} in the state of the operator") from error
        return engine

    def _restore(self, state: Mapping[str, Any]) -> None:
        clock, watermark, self.finished = state["now"]
        self._core.restore(state["keys"], state["reals"], state["body"], clock, watermark)

    def with_real_times(self, scale: Scale) -> Self:
        """An engine of its own with integer times as floats; TypeError if one is no float exactly."""
        spec = self.bound.spec
        twin = self.load(spec, self.bound.scale, self.row, self.dump())
        twin._core.read_times_as_reals()
        twin.bound = Bound(spec, scale)
        return twin


def _answered(answer: Answer, given: Any) -> Any:
    if given is None:
        # A compiled aggregation answers for the empty window itself, so nothing is what it said.
        return None if isinstance(answer.aggregation, Compiled) else answer.aggregation.empty
    return bool(given) if answer.truth else given


def length_of(length: Length | None) -> tuple[int, float] | None:
    """A length as the core takes it: in ticks that are counts, and as a real.

    >>> length_of(5), length_of(2**70)[0] == 2**63 - 1
    ((5, 5.0), True)
    """
    if length is None:
        return None
    return min(int(length), _LONGEST), float(length)


def seconds_of(scale: Scale) -> float:
    """How long a tick is; TypeError if it has no length."""
    if scale.kind.name in ("int", "float"):
        return 1.0
    if scale.kind.step is None:
        raise TypeError(f"times of kind {scale.kind} have no length in seconds: use days or finer")
    return scale.kind.step * 1e-18
