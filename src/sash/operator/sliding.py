"""The operator: a window policy joined to an aggregation and a trigger, which emits results."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from sash.aggregations.amounts import NoNumberError
from sash.aggregations.base import Aggregation
from sash.durations import parse_duration
from sash.markup import as_html
from sash.operator import snapshots
from sash.operator.changes import as_batch
from sash.operator.columns import batch_parts, check_sizes, row_parts
from sash.operator.config import check_keeping
from sash.operator.definition import define
from sash.operator.engine import Engine
from sash.operator.failed import NOT_OF_AN_EVENT, Events, FailedEvent, FailedEvents, OnError, check_on_error
from sash.operator.late import LateEvent, LateEvents, OnLate, check_on_late
from sash.operator.results import Result, Results
from sash.operator.running import RunningOperator
from sash.operator.spec import (
    Emit,
    Keep,
    Spec,
    check_keep,
    check_retract,
)
from sash.times import bound, encode
from sash.triggers import Trigger
from sash.windows import WindowPolicy

if TYPE_CHECKING:
    from sash.plan import Plan

__all__ = ["Sliding"]


class Sliding:
    """A window policy over an aggregation: push events in, and results come out.

    `aggregation` is one, or several by name as in a `Plan`, whose results make a record. `windows` is one of
    `sash.windows`, a duration, a number of events, or a list of them that share one structure. With
    `by=True` every event has a key first, and each key has windows of its own. With `on=` and `by=` as in a `Plan`,
    events are rows: `push` takes a mapping, a named tuple or a Series, `push_many` a list of them, a mapping of columns
    or a frame, and aggregations name columns.
    A `Plan` alone says all of that, and `emit`, `lateness` and `min_periods`.
    `trigger` says when a result is due; by default each event fires it, or the slide of the window. `emit` says which
    results there are:

    - "arrival", the default: at once, for what has been seen.
    - "final": once, when the watermark has passed: what all events together give, in whatever order they came.
      Without `lateness` that is at `advance` and `finish`, not before.
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
    neighbouring ends of windows share one partial. `keep="events"` retains them, so that `query` works between two
    slides; `keep="panes"` is a `WindowSpecError` that says why where panes are not possible.

    `retract` names the column that says what a row does to those before it (+1 or -1, or insert, update, delete), and
    `id` the one that tells which row: that one leaves its windows, results that change are revised, and one that is
    none any more is emitted with `retracted` set. `docs/late-data.md` has more.

    Times, nulls and equal times are as in `sash.Window`: an event whose value is null changes no window, and has its
    result. Cost of an event in order: O(1) combines for each window, amortized; of a late
    one, and of one that is taken back, O(log n). Memory: the events that windows may still need.

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
    >>> s = sash.Sliding({"spent": sash.Sum("amount"), "peak": sash.Max("amount")}, "1h", by="card", on="time")
    >>> s.push({"card": "x", "time": datetime.datetime(2024, 5, 1, 12), "amount": 30})[0].value
    Record(spent=30, peak=30)
    """

    def __init__(
        self,
        aggregation: Aggregation | Mapping[str, Aggregation] | Plan,
        windows: Any = None,
        by: bool | str | Sequence[str] | None = None,
        *,
        on: str | None = None,
        trigger: Trigger | None = None,
        emit: Emit | None = None,
        lateness: Any = None,
        on_late: OnLate = "drop",
        on_error: OnError = "raise",
        changes_only: bool = False,
        expire: Any = None,
        min_periods: int | None = None,
        keep: Keep | None = None,
        retract: str | None = None,
        id: str | None = None,
    ) -> None:
        asked = define(
            aggregation, windows, by, on=on, trigger=trigger, emit=emit, lateness=lateness, min_periods=min_periods
        )
        taken_back, known_by = check_retract(retract, id, asked.emit, asked.trigger)
        spec = replace(
            asked,
            expire=None if expire is None else parse_duration(expire),
            changes_only=bool(changes_only),
            keep=check_keep(keep),
            retract=taken_back,
            id=known_by,
        )
        check_keeping(spec)
        self._start(spec, check_on_late(on_late), check_on_error(on_error))

    def _start(self, spec: Spec, on_late: OnLate, on_error: OnError) -> None:
        self._spec = spec
        self._on_late = on_late
        self._on_error = on_error
        self._late = LateEvents(on_late)
        self._failed = FailedEvents(on_error)
        self._running = RunningOperator(spec, self._late, self._failed)

    # Events in

    def push(self, *event: Any) -> list[Result]:
        """Take one event, `push(time, value)`, `push(key, time, value)` or `push(row)`; return the results it triggers.

        >>> import sash
        >>> s = sash.Sliding(sash.Concat(), sash.CountWindow(2), by=True)
        >>> [s.push("k", time, letter)[0].value for time, letter in [(1, "a"), (2, "b"), (3, "c")]]
        ['a', 'ab', 'bc']
        """
        if self._spec.retract is not None:
            return list(self.push_many(*as_batch(self._spec, event)))
        key, time, value = self._parts(event)
        running = self._running
        try:
            if running.engine is not None and not running.lock.locked():
                results: list[Result] | None = running.engine.core.push(key, time, value, self._late.hand_over)
                if results is not None:
                    return results
            with running.engine_for(encode(time)[0]) as engine:
                results = engine.core.push(key, time, value, self._late.hand_over)
                assert results is not None
        except NOT_OF_AN_EVENT:
            raise
        except Exception as error:
            why = running.refusal(error) if isinstance(error, NoNumberError) else error
            if why is None:
                return self.push(*event)
            if self._failed.raises or error is self._late.raised:
                raise why from None
            self._failed.hand_over(self.aggregation, (key, time, value), why)
            return []
        return results

    def push_many(self, *columns: Any) -> Results:
        """Take many events, `push_many(times, values)` or `push_many(keys, times, values)`, as `push` one by one would.

        Times are anything that `Window.bulk_insert` takes; keys and values are lists, arrays of NumPy, pandas or Arrow,
        and values may be a mapping of columns, for aggregations of rows. With `on=`, events are one mapping of columns,
        a frame or a list of rows. All of them are taken, or none if one is refused.

        >>> import sash
        >>> sash.Sliding(sash.Mean(), sash.TimeWindow(2)).push_many([1, 2, 3], [4.0, 6.0, 8.0]).values
        array([4., 5., 7.])
        """
        events = Events.of(*self._batch(columns))
        check_sizes(*events, self._spec.keyed)
        try:
            return self._running.take(events)
        except NOT_OF_AN_EVENT:
            raise
        except Exception as error:
            return self._running.take_others(events, error)

    def _batch(self, columns: tuple[Any, ...]) -> tuple[Any, Any, Any]:
        spec = self._spec
        if spec.on is None:
            return self._parts(columns)
        return batch_parts(columns, spec.by, spec.on, untimed=spec.retract is not None)

    def _parts(self, parts: tuple[Any, ...]) -> tuple[Any, Any, Any]:
        if self._spec.on is not None:
            return row_parts(parts, self._spec.by, self._spec.on)
        keyed = self._spec.keyed
        if len(parts) != 2 + keyed:
            wanted = "a key, a time and a value (by=True)" if keyed else "a time and a value (no by=True)"
            raise TypeError(f"an event of this operator is {wanted}, and {len(parts)} parts were given")
        return parts if keyed else (None, *parts)

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
        running = self._running
        with running.changing():
            engine = running.engine
            if engine is None:
                kind, ticks = encode(watermark)
                engine = running.first_engine(kind)
            else:
                # A time between two ticks closes the one before it.
                ticks = bound(engine.scale.kind, watermark, up=True)
            results = engine.advance(ticks)
            running.engine = engine
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
        running = self._running
        with running.changing():
            results = running.nothing() if running.engine is None else running.engine.advance(None)
            running.ended = True
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
        engine = self._running.at_rest()
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
        engine = self._running.at_rest()
        if engine is None:
            return self._running.nothing()
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
        engine = self._running.engine
        return [] if engine is None else engine.core.keys()

    @property
    def watermark(self) -> Any:
        """The time before which events are late; None if there is none yet.

        >>> import sash
        >>> s = sash.Sliding(sash.Sum(), sash.TimeWindow(10), lateness=2)
        >>> _ = s.push(7, 1)
        >>> s.watermark
        5
        """
        engine = self._running.engine
        return None if engine is None else engine.scale.time(engine.core.watermark)

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
        engine = self._running.at_rest()
        state: dict[str, Any] = {
            "engine": None if engine is None else engine.dump(),
            "late": (self._late.counts, [tuple(event) for event in self._late.kept]),
            "ended": self._running.ended,
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
        aggregation: Aggregation | Mapping[str, Aggregation] | None = None,
        windows: Any = None,
        trigger: Trigger | None = None,
        on_late: OnLate | None = None,
        on_error: OnError | None = None,
    ) -> Sliding:
        """The operator of a snapshot, which goes on as if nothing had happened. Cost: O(n).

        What the bytes cannot hold must be passed: an aggregation of your own, windows, triggers, `on_late` and
        `on_error` with functions. What they hold may be passed, and must then be the same. `SnapshotError` if it is
        not, or if the bytes are damaged, foreign or newer than this version.

        >>> import sash
        >>> s = sash.Sliding(sash.Sum(), sash.PolicyWindow(lambda total, old: total - old >= 10))
        >>> sash.Sliding.restore(s.snapshot())
        Traceback (most recent call last):
        ...
        sash.errors.SnapshotError: windows holds a function, which no snapshot does: pass windows=... again
        """
        opened = snapshots.open_blob(blob, aggregation, windows, trigger, on_late, on_error)
        operator = cls.__new__(cls)
        operator._start(opened.spec, opened.on_late, opened.on_error)
        operator._running.ended = opened.state["ended"]
        counts, kept = opened.state["late"]
        operator._late.counts = counts
        operator._late.kept = [LateEvent(*event) for event in kept]
        operator._failed.kept = [FailedEvent(*event) for event in opened.state.get("failed", [])]
        if opened.kind is not None:
            engine = Engine.load(opened.spec, opened.kind, opened.state["engine"])
            operator._running.spec, operator._running.engine = engine.spec, operator._running.own(engine)
        return operator
