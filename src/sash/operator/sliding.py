"""The operator: a window policy joined to an aggregation and a trigger, which emits results."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from threading import Lock
from typing import Any, Final

import numpy as np

from sash.aggregations.base import Aggregation
from sash.aggregations.meant import checked_aggregation
from sash.durations import parse_duration
from sash.errors import SnapshotError
from sash.markup import as_html
from sash.operator import snapshots
from sash.operator.columns import check_sizes, row_parts
from sash.operator.config import check_keeping
from sash.operator.engine import Engine, Ticks
from sash.operator.failed import (
    NOT_OF_AN_EVENT,
    Events,
    FailedEvent,
    FailedEvents,
    OnError,
    check_on_error,
    failing,
    located,
)
from sash.operator.late import LateEvent, LateEvents, OnLate, check_on_late
from sash.operator.results import Result, Results
from sash.operator.spec import (
    Emit,
    Keep,
    Spec,
    check_columns,
    check_emit,
    check_keep,
    check_lateness,
    check_min_periods,
)
from sash.times import INT, Kind, bound, encode, encode_array, encode_as
from sash.triggers import Trigger, resolve_trigger
from sash.windows.base import WindowPolicy, as_policies
from sash.windows.scale import Scale

__all__ = ["Sliding"]

_IN_USE: Final = (
    "the operator is in use, by another thread or by a callback of its own: wait for that call to end, or give each"
    " thread an operator of its own"
)


class Sliding:
    """A window policy over an aggregation: push events in, and results come out.

    `policy` is one of `sash.windows`, a duration, a number of events, or a list of them that share one structure. With
    `by=True` every event has a key first, and each key has windows of its own. With `on=` and `by=` as in a `Plan`,
    events are rows: `push` takes a mapping, `push_many` a mapping of columns or a frame, and aggregations name columns.
    `trigger` says when a result is due; by default each event fires it, or the slide of the window. `emit` says which
    results there are:

    - "arrival": at once, for what has been seen.
    - "final": once, when the watermark has passed: what all events together give, in whatever order they came.
    - "update": at once, and again with the next `revision` for every earlier result that a late event changes.

    The watermark trails the newest event of all keys by `lateness`. An event before it is late: it is counted in
    `late_counts` and handed to `on_late` ("drop", "raise", "keep" in the list `late`, or a function of a `LateEvent`).
    An event that cannot be computed on, because of its type or because a result does not fit, is an error that names it
    ("raise"), or changes nothing and goes the same way: `on_error="keep"` in the list `failed`, or a function. So does
    a window whose result fails when its time has come, which is no event's fault: it is left out, the stream goes on.
    Without `lateness` nothing is late, and nothing is forgotten until `advance` is called. `changes_only` emits a
    result only if its value is not the one emitted last for its key. `expire` drops keys that have been idle that long.
    `min_periods` gives None for windows with fewer values. A call that fails changes nothing.

    Windows that slide by `every` retain panes, not events, where no result needs events one by one: events between two
    neighbouring ends of windows share one partial. `keep="events"` retains them, so that `query` answers between two
    slides; `keep="panes"` is a `WindowSpecError` that says why where panes are not possible.

    Times, nulls and equal times are as in `sash.Window`: an event whose value is null changes no window, and has its
    result. Cost of an event in order: O(1) combines for each window, amortized; of a late
    one O(log n). Memory: the events that windows may still need.

    >>> import datetime
    >>> import sash
    >>> s = sash.Sliding(sash.Sum(), sash.TimeWindow(10))
    >>> [s.push(time, value)[0].value for time, value in [(1, 5), (8, 2), (11, 4)]]
    [5, 7, 6]
    >>> s = sash.Sliding(sash.Max(), [sash.TimeWindow(2), sash.CountWindow(2)], by=True, emit="final", lateness=1)
    >>> s.push("a", 1, 9), s.push("b", 2, 5)
    ([], [])
    >>> [(result.key, result.end, result.value) for result in s.push("b", 4, 3)]
    [('a', 1, 9), ('a', 1, 9), ('b', 2, 5), ('b', 2, 5)]
    >>> s = sash.Sliding(sash.Sum("amount"), "1h", by="card", on="time")
    >>> s.push({"card": "x", "time": datetime.datetime(2024, 5, 1, 12), "amount": 30})[0].value
    30
    """

    def __init__(
        self,
        aggregation: Aggregation,
        policy: Any,
        by: bool | str | Sequence[str] | None = None,
        *,
        on: str | None = None,
        trigger: Trigger | None = None,
        emit: Emit = "arrival",
        lateness: Any = None,
        on_late: OnLate = "drop",
        on_error: OnError = "raise",
        changes_only: bool = False,
        expire: Any = None,
        min_periods: int = 0,
        keep: Keep | None = None,
    ) -> None:
        key_columns, time_column = check_columns(by, on)
        policies = as_policies(policy)
        spec = Spec(
            aggregation=checked_aggregation(aggregation),
            policies=policies,
            trigger=resolve_trigger(trigger, policies),
            keyed=bool(by),
            on=time_column,
            by=key_columns,
            emit=check_emit(emit),
            lateness=check_lateness(lateness),
            expire=None if expire is None else parse_duration(expire),
            changes_only=bool(changes_only),
            min_periods=check_min_periods(min_periods),
            keep=check_keep(keep),
        )
        check_keeping(spec)
        self._start(spec, check_on_late(on_late), check_on_error(on_error))

    def _start(self, spec: Spec, on_late: OnLate, on_error: OnError) -> None:
        self._spec = spec
        self._on_late = on_late
        self._on_error = on_error
        self._late = LateEvents(on_late)
        self._failed = FailedEvents(on_error)
        self._keyed = spec.keyed
        # The first event decides the kind of the times, and so what the engine counts in.
        self._engine: Engine | None = None
        self._ended = False
        self._lock = Lock()

    # Events in

    def push(self, *event: Any) -> list[Result]:
        """Take one event, `push(time, value)`, `push(key, time, value)` or `push(row)`; return the results it triggers.

        >>> import sash
        >>> s = sash.Sliding(sash.Concat(), sash.CountWindow(2), by=True)
        >>> [s.push("k", time, letter)[0].value for time, letter in [(1, "a"), (2, "b"), (3, "c")]]
        ['a', 'ab', 'bc']
        """
        key, time, value = self._parts(event)
        engine = self._engine
        try:
            if engine is not None and not self._lock.locked():
                results: list[Result] | None = engine.core.push(key, time, value, self._late.hand_over)
                if results is not None:
                    return results
            with self._engine_for(encode(time)[0]) as engine:
                results = engine.core.push(key, time, value, self._late.hand_over)
                assert results is not None
        except NOT_OF_AN_EVENT:
            raise
        except Exception as error:
            if self._failed.raises or error is self._late.raised:
                raise
            self._failed.hand_over(self.aggregation, (key, time, value), error)
            return []
        return results

    def push_many(self, *columns: Any) -> Results:
        """Take many events, `push_many(times, values)` or `push_many(keys, times, values)`, as `push` one by one would.

        Times are anything that `Window.bulk_insert` takes; keys and values are lists, arrays of NumPy, pandas or Arrow,
        and values may be a mapping of columns, for aggregations of rows. All of them, or none if one is refused.

        >>> import sash
        >>> sash.Sliding(sash.Mean(), sash.TimeWindow(2)).push_many([1, 2, 3], [4.0, 6.0, 8.0]).values
        array([4., 5., 7.])
        """
        keys, times, values = self._parts(columns)
        events = Events.of(keys, times, values)
        check_sizes(*events, self._keyed)
        try:
            return self._push_all(events)
        except NOT_OF_AN_EVENT:
            raise
        except Exception as error:
            return self._push_others(events, error)

    def _push_others(self, events: Events, error: Exception) -> Results:
        """Take in the events that can be computed on, and hand over the others; they are found on a copy."""
        twin = Sliding.__new__(Sliding)
        # It keeps failures as this one does, and nobody looks at them.
        twin._start(self._spec, "drop", "raise" if self._failed.raises else lambda _: None)
        try:
            twin._ended = self._ended
            twin._engine = None if self._engine is None else twin._own(self._engine.copy())
        except SnapshotError:
            # The aggregation goes on failing: nothing more is found out.
            raise error from None
        failed = failing(len(events.times), lambda first, last: twin._push_all(events.between(first, last)))
        if not failed:
            raise error
        if self._failed.raises:
            place = next(iter(failed))
            raise located(self.aggregation, events.one(place), failed[place]) from error
        rest = [place for place in range(len(events.times)) if place not in failed]
        results = self._push_all(events.at(rest)) if rest else self._nothing()
        for place, why in failed.items():
            self._failed.hand_over(self.aggregation, events.one(place), why)
        return results

    def _push_all(self, events: Events) -> Results:
        """All of the events, or none."""
        keys, times, values = events
        kind, ticks = encode_array(times)
        if not len(ticks):
            return self._nothing()
        late: list[LateEvent] = []
        with self._engine_for(kind) as engine:
            ticks = _ticks_in(engine.scale.kind, kind, ticks, times)
            try:
                return engine.push_many(keys, ticks, values, lambda *event: late.append(self._late.hand_over(*event)))
            except BaseException:
                self._late.take_back(late)
                raise

    @contextmanager
    def _changing(self) -> Iterator[None]:
        """What may give the operator another engine is done by one thread at a time; the engine sees to the rest."""
        if not self._lock.acquire(blocking=False):
            raise RuntimeError(_IN_USE)
        try:
            yield
        finally:
            self._lock.release()

    def _at_rest(self) -> Engine | None:
        """The engine, if there is one yet, while no call changes it."""
        if self._lock.locked():
            raise RuntimeError(_IN_USE)
        return self._engine

    def _parts(self, parts: tuple[Any, ...]) -> tuple[Any, Any, Any]:
        if self._spec.on is not None:
            return row_parts(parts, self._spec.by, self._spec.on)
        if len(parts) != 2 + self._keyed:
            wanted = "a key, a time and a value (by=True)" if self._keyed else "a time and a value (no by=True)"
            raise TypeError(f"an event of this operator is {wanted}, and {len(parts)} parts were given")
        return parts if self._keyed else (None, *parts)

    def _nothing(self) -> Results:
        scale = Scale(INT) if self._engine is None else self._engine.scale
        return Results(None, scale, self._spec.policies)

    # Times

    def _first_engine(self, kind: Kind) -> Engine:
        engine = Engine(self._spec, kind)
        if self._ended:
            engine.core.end()
        return self._own(engine)

    def _own(self, engine: Engine) -> Engine:
        """The engine, with failures going where this operator's go."""
        engine.core.keep_failures(None if self._failed.raises else self._failed.hand_over_window)
        return engine

    @contextmanager
    def _engine_for(self, kind: Kind) -> Iterator[Engine]:
        """The engine that takes times of that kind. If it is another one, it is the operator's once it has done what
        it is wanted for; the one before takes no events meanwhile, which would be lost."""
        with self._changing():
            before = self._engine
            try:
                engine = self._first_engine(kind) if before is None else self._own(before.for_times(kind))
                yield engine
            except BaseException:
                if before is not None:
                    before.core.retire(False)
                raise
            self._engine = engine

    def advance(self, watermark: Any = None) -> Results:
        """Say that no event before the watermark will come any more, and return what that makes final or due.

        A watermark never goes back: one that is behind changes nothing. None is the end of the stream: everything is
        final, and whatever is pushed afterwards is late. Cost: that of the results, and O(1) a key.

        >>> import sash
        >>> s = sash.Sliding(sash.Count(), sash.TumblingWindow(10), emit="final")
        >>> s.push(3, "a"), s.push(7, "b")
        ([], [])
        >>> [(result.start, result.end, result.value) for result in s.advance(11)]
        [(0, 10, 2)]
        """
        if watermark is None:
            return self.finish()
        with self._changing():
            engine = self._engine
            if engine is None:
                kind, ticks = encode(watermark)
                engine = self._first_engine(kind)
            else:
                # A time between two ticks closes the one before it.
                ticks = bound(engine.scale.kind, watermark, up=True)
            results = engine.advance(ticks)
            self._engine = engine
        return results

    def finish(self) -> Results:
        """The end of the stream: everything that waits is emitted. What is pushed afterwards is late.

        >>> import sash
        >>> s = sash.Sliding(sash.Sum(), sash.SessionWindow(5), trigger=sash.triggers.AtWatermark())
        >>> s.push(1, 10), s.push(3, 20), s.push(20, 5)
        ([], [], [])
        >>> [(result.start, result.end, result.value) for result in s.finish()]
        [(1, 3, 30), (20, 20, 5)]
        """
        with self._changing():
            results = self._nothing() if self._engine is None else self._engine.advance(None)
            self._ended = True
        return results

    # Queries

    def query(self, key: Any = None, at: Any = None) -> list[Result]:
        """The windows of a key that end at a time, or now, one result a window; nothing is emitted or changed by it.

        Now is the newest event of all keys, or the watermark if that is further; where the trigger fires at slides, the
        slide that fires next. ValueError for a time before the watermark, because events that such a window needs may
        be gone, and for a time between two slides where panes are retained. Cost: O(log n) combines a window.

        >>> import sash
        >>> s = sash.Sliding(sash.Sum(), sash.TimeWindow(10), trigger=sash.triggers.OnDemand())
        >>> s.push(1, 5), s.push(8, 2)
        ([], [])
        >>> s.query()[0].value, s.query(at=11)[0].value
        (7, 2)
        """
        engine = self._at_rest()
        if engine is None:
            return []
        ticks = None if at is None else bound(engine.scale.kind, at, up=False)
        watermark = engine.core.watermark
        if ticks is not None and watermark is not None and ticks < watermark and not engine.core.finished:
            raise ValueError(
                f"{at!r} is before the watermark {engine.scale.time(watermark)!r}: ask for that time or a later one"
            )
        if ticks is not None:
            engine.check_slide(ticks)
        results: list[Result] = engine.core.query(key, ticks)
        return results

    @property
    def results(self) -> Results:
        """What waits to be emitted: the results that `finish` would emit now. Nothing changes. Cost: O(n).

        >>> import sash
        >>> s = sash.Sliding(sash.Sum(), sash.TimeWindow(10), emit="final", lateness=5)
        >>> s.push(1, 5)
        []
        >>> [result.value for result in s.results]
        [5]
        """
        engine = self._at_rest()
        if engine is None:
            return self._nothing()
        copy = engine.copy()
        if not self._failed.raises:
            copy.core.keep_failures(lambda *_: None)
        return copy.advance(None)

    @property
    def keys(self) -> list[Any]:
        """The keys that have state, in the order in which they came; [None] for an operator without keys.

        >>> import sash
        >>> s = sash.Sliding(sash.Sum(), sash.TimeWindow(10), by=True, expire=100)
        >>> _ = s.push("a", 1, 1), s.push("b", 101, 1)
        >>> s.keys
        ['b']
        """
        return [] if self._engine is None else self._engine.core.keys()

    @property
    def watermark(self) -> Any:
        """The time before which events are late; None if there is none yet.

        >>> import sash
        >>> s = sash.Sliding(sash.Sum(), sash.TimeWindow(10), lateness=2)
        >>> _ = s.push(7, 1)
        >>> s.watermark
        5
        """
        return None if self._engine is None else self._engine.scale.time(self._engine.core.watermark)

    @property
    def late(self) -> list[LateEvent]:
        """The late events, where on_late="keep" keeps them. The list is yours: clear it when you have seen to them.

        >>> import sash
        >>> s = sash.Sliding(sash.Sum(), sash.TimeWindow(10), lateness=0, on_late="keep")
        >>> _ = s.push(7, 1), s.push(6, 2)
        >>> s.late
        [LateEvent(key=None, time=6, value=2, watermark=7)]
        """
        return self._late.kept

    @property
    def late_counts(self) -> dict[str, int]:
        """How many events came late: behind the "watermark", and after the stream had "finished".

        >>> import sash
        >>> s = sash.Sliding(sash.Sum(), sash.TimeWindow(10), lateness=0)
        >>> _ = s.push(7, 1), s.push(6, 2)
        >>> s.late_counts
        {'watermark': 1, 'finished': 0}
        """
        return dict(self._late.counts)

    @property
    def failed(self) -> list[FailedEvent]:
        """The events that could not be computed on, where on_error="keep" keeps them. The list is yours, as `late` is.

        >>> import sash
        >>> s = sash.Sliding(sash.Sum(), sash.TimeWindow(10), on_error="keep")
        >>> s.push_many([1, 2, 3], [5, "six", 7]).values
        array([ 5, 12])
        >>> s.failed[0].time, s.failed[0].value, s.failed[0].error
        (2, 'six', "TypeError: a number is needed (int or float), not str ('six'): convert it first")
        """
        return self._failed.kept

    @property
    def aggregation(self) -> Aggregation:
        """What is aggregated."""
        return self._spec.aggregation

    @property
    def policies(self) -> tuple[WindowPolicy, ...]:
        """The windows, in the order in which they were given."""
        return self._spec.policies

    @property
    def trigger(self) -> Trigger:
        """When results are emitted."""
        return self._spec.trigger

    def __repr__(self) -> str:
        policies = self.policies[0] if len(self.policies) == 1 else list(self.policies)
        keys = f", {len(self.keys)} keys" if self._spec.keyed else ""
        return f"Sliding({self.aggregation!r}, {policies!r}, emit={self._spec.emit!r}{keys})"

    def _repr_html_(self) -> str:
        windows = "; ".join(policy.describe() for policy in self.policies)
        keys = f"{len(self.keys):,}" if self._spec.keyed else "none"
        row = [repr(self.aggregation), windows, self._spec.emit, keys, self.watermark]
        return as_html(["aggregation", "windows", "emit", "keys", "watermark"], [row])

    # Snapshots

    def snapshot(self) -> bytes:
        """The operator as bytes: what it does, its partials, and what it has yet to emit. Cost: O(n).

        Functions are not written; `restore` wants them again. `AggregationError` if a key or a partial is not plain.

        >>> import sash
        >>> s = sash.Sliding(sash.Sum(), sash.TimeWindow(10)); _ = s.push(1, 5)
        >>> sash.Sliding.restore(s.snapshot()).push(2, 6)[0].value
        11
        """
        engine = self._at_rest()
        state: dict[str, Any] = {
            "engine": None if engine is None else engine.dump(),
            "late": (self._late.counts, [tuple(event) for event in self._late.kept]),
            "ended": self._ended,
        }
        if not self._failed.raises:
            state["failed"] = [tuple(event) for event in self._failed.kept]
        kind = None if engine is None else engine.scale.kind
        return snapshots.seal(self._spec, self._on_late, self._on_error, kind, state)

    @classmethod
    def restore(
        cls,
        blob: bytes,
        *,
        aggregation: Aggregation | None = None,
        policy: Any = None,
        trigger: Trigger | None = None,
        on_late: OnLate | None = None,
        on_error: OnError | None = None,
    ) -> Sliding:
        """The operator of a snapshot, which goes on as if nothing had happened. Cost: O(n).

        What the bytes cannot hold must be passed: an aggregation of your own, policies, triggers, `on_late` and
        `on_error` with functions. What they hold may be passed, and must then be the same. `SnapshotError` if it is
        not, or if the bytes are damaged, foreign or newer than this version.

        >>> import sash
        >>> s = sash.Sliding(sash.Sum(), sash.PolicyWindow(lambda total, old: total - old >= 10))
        >>> sash.Sliding.restore(s.snapshot())
        Traceback (most recent call last):
        ...
        sash.errors.SnapshotError: the policy holds a function, which no snapshot does: pass policy=... again
        """
        opened = snapshots.open_blob(blob, aggregation, policy, trigger, on_late, on_error)
        operator = cls.__new__(cls)
        operator._start(opened.spec, opened.on_late, opened.on_error)
        operator._ended = opened.state["ended"]
        counts, kept = opened.state["late"]
        operator._late.counts = counts
        operator._late.kept = [LateEvent(*event) for event in kept]
        operator._failed.kept = [FailedEvent(*event) for event in opened.state.get("failed", [])]
        if opened.kind is not None:
            operator._engine = operator._own(Engine.load(opened.spec, opened.kind, opened.state["engine"]))
        return operator


def _ticks_in(own: Kind, kind: Kind, ticks: Ticks, times: Any) -> Ticks:
    """What the ticks of times of a kind are among those of the operator."""
    if (own.name, own.unit) == (kind.name, kind.unit):
        return ticks
    return np.array([encode_as(own, time) for time in times], np.int64)
