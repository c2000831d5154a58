"""The operator of the core over one kind of time: batches into columns, its state as plain values and back."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace
from functools import cache
from typing import Any, Final

import numpy as np
import numpy.typing as npt

from sash import _core
from sash.operator.changes import Changes
from sash.operator.columns import checked_key, checked_keys, read_slot, rows_of
from sash.operator.config import Config, configure
from sash.operator.marks import mark_column, null_column
from sash.operator.results import Results
from sash.operator.spec import Spec
from sash.snapshots import reading
from sash.times import FLOAT, INT, Kind
from sash.windows.scale import Scale

__all__ = ["Engine", "EngineState"]

Ticks = npt.NDArray[np.int64]
#: Called with a late event: key, time, value, watermark (None if the stream had ended).
OnLate = Callable[[Any, Any, Any, Any], Any]
#: Plain values that a snapshot holds.
EngineState = dict[str, Any]

_VERSION: Final = 4


class Engine:
    """One native operator. Every call does all of it, or fails and does nothing."""

    __slots__ = ("config", "core", "scale", "spec")

    def __init__(self, spec: Spec, kind: Kind) -> None:
        self.spec = spec
        self.scale = Scale(kind)
        self.config: Config = configure(spec, kind)
        self.core = _core.Operator(self.config)

    def push_many(
        self, keys: Any, ticks: Ticks, values: Any, on_late: OnLate, changes: Changes | None = None
    ) -> Results:
        """Take a batch in, by columns; what it triggers. Where rows may take others back, the ticks are those of the
        rows that are added."""
        config, ticks = self.config, np.ascontiguousarray(ticks)
        given = cache(lambda: rows_of(values))
        added, rows = values, given
        keys = checked_keys(keys) if config.keyed else None

        def late(place: int, watermark: int | None, tick: int | None = None) -> None:
            key = None if keys is None else _plain(keys[place])
            time = self.scale.time(int(ticks[place]) if changes is None else tick)
            on_late(key, time, given()[place], self.scale.time(watermark))

        if changes is not None:
            if self.core.finished:
                for place in range(len(changes.does)):
                    late(place, None)
                return self.results(None)
            added = changes.of_added(values)
            rows = cache(lambda: rows_of(added))
        columns = [read_slot(added, slot.path, slot.inputs, len(ticks)) for slot in config.row.slots]
        marks = [mark_column(one, added, rows) for one in config.marked] if config.marks else []
        fires = None if config.fires is None else _flags(config.fires, rows())
        nulls = None if config.skips is None else null_column(self.spec.aggregation, config.skips, added, rows)
        own_rows = rows() if config.row.objects else None
        script = None if changes is None else (changes.does, changes.ids)
        return self.results(self.core.push_many(keys, ticks, columns, own_rows, marks, fires, nulls, late, script))

    def advance(self, ticks: int | None) -> Results:
        """Move the watermark on, to the end if None; what that makes final, or due."""
        if self.core.finished:
            return self.results(None)
        return self.results(self.core.finish() if ticks is None else self.core.advance(ticks))

    def check_slide(self, ticks: int) -> None:
        """ValueError if windows that end there would hold a part of a pane."""
        slides = self.config.grid
        if self.config.panes is None or slides is None or slides.first(ticks) == ticks:
            return
        before, after = (self.scale.time(end) for end in (slides.before(ticks), slides.after(ticks)))
        raise ValueError(
            f"{self.scale.time(ticks)!r} is between two slides, and the operator retains panes, not events: ask for"
            f' {before!r} or {after!r}, or make it with keep="events"'
        )

    def results(self, native: _core.OperatorResults | None) -> Results:
        """What the core has emitted."""
        return Results(native, self.scale, self.spec.policies)

    # State

    def dump(self) -> EngineState:
        """The state as plain values. Cost: O(n)."""
        (reals, wide, both), keys, ids, body, clock = self.core.save()
        # Most have no column that holds ints beside floats.
        columns = (reals, wide, both) if both else (reals, wide)
        state = {"version": _VERSION, "clock": clock, "keys": keys, "columns": columns, "body": body}
        if self.spec.others:
            state["others"] = sorted(self.spec.others, key=str)
        return state if self.spec.retract is None else state | {"ids": ids}

    @classmethod
    def load(cls, spec: Spec, kind: Kind, state: Mapping[str, Any]) -> Engine:
        """An engine in the state; `SnapshotError` if it is none. Cost: O(n)."""
        with reading():
            engine = cls(replace(spec, others=frozenset(state.get("others", ()))), kind)
            if state["version"] != _VERSION:
                raise ValueError("the state of the operator is that of another version")
            newest, watermark, finished = state["clock"]
            ids = [checked_key(known) for known in state["ids"]] if spec.retract is not None else []
            keys = checked_keys(state["keys"])
            reals, wide, both = (*state["columns"], ())[:3]
            engine.core.restore(keys, ids, (reals, wide, both), state["body"], newest, watermark, finished)
        return engine

    def copy(self) -> Engine:
        """An engine of its own in the same state."""
        return self.load(self.spec, self.scale.kind, self.dump())

    def without_keys(self, spec: Spec) -> Engine:
        """An engine that reads other columns as numbers, at the same point of the stream; this one has no keys."""
        state, fresh = self.dump(), Engine(spec, self.scale.kind).dump()
        return self.load(spec, self.scale.kind, fresh | {"clock": state["clock"], "body": state["body"]})

    def for_times(self, kind: Kind) -> Engine:
        """This engine, unless it counts in integers and floats come: then one of its own with its times as floats, and
        this one is retired. TypeError if a time is no float exactly."""
        if (self.scale.kind, kind) != (INT, FLOAT):
            return self
        self.core.retire(True)
        engine = self.copy()
        engine.core.read_times_as_reals()
        engine.scale = Scale(FLOAT)
        engine.config = configure(self.spec, FLOAT)
        return engine


def _flags(predicate: Callable[[Any], Any], rows: list[Any]) -> npt.NDArray[np.uint8]:
    return np.fromiter((bool(predicate(row)) for row in rows), np.uint8, len(rows))


def _plain(key: Any) -> Any:
    return key.item() if isinstance(key, np.generic) else key
