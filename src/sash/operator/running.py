"""An operator while it runs: the engine of its times, one thread at a time, and batches of events into it."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from threading import Lock
from typing import Any, Final

import numpy as np

from sash.aggregations.amounts import NoNumberError
from sash.aggregations.base import Aggregation
from sash.aggregations.composite import Composite
from sash.aggregations.records import fits, reads
from sash.errors import SnapshotError
from sash.operator.changes import read_changes
from sash.operator.engine import Engine, Ticks
from sash.operator.failed import Events, FailedEvents, failing, located
from sash.operator.late import LateEvent, LateEvents
from sash.operator.results import Results
from sash.operator.spec import Spec
from sash.times import INT, Kind, encode_array, encode_as
from sash.windows.scale import Scale

__all__ = ["RunningOperator"]

_IN_USE: Final = (
    "the operator is in use, by another thread or by a callback of its own: wait for that call to end, or give each"
    " thread an operator of its own"
)


class RunningOperator:
    """What changes while an operator runs: its engine, and whether the stream has ended. One thread at a time changes
    it."""

    __slots__ = ("_failed", "_late", "ended", "engine", "lock", "spec")

    def __init__(self, spec: Spec, late: LateEvents, failed: FailedEvents) -> None:
        self.spec = spec
        self._late = late
        self._failed = failed
        #: The first event decides the kind of the times, and so what the engine counts in.
        self.engine: Engine | None = None
        self.ended = False
        self.lock = Lock()

    # The engine

    @contextmanager
    def changing(self) -> Iterator[None]:
        """What may give the operator another engine is done by one thread at a time; the engine sees to the rest."""
        if not self.lock.acquire(blocking=False):
            raise RuntimeError(_IN_USE)
        try:
            yield
        finally:
            self.lock.release()

    def at_rest(self) -> Engine | None:
        """The engine, if there is one yet, while no call changes it."""
        if self.lock.locked():
            raise RuntimeError(_IN_USE)
        return self.engine

    def nothing(self) -> Results:
        """No results."""
        scale = Scale(INT) if self.engine is None else self.engine.scale
        return Results(None, scale, self.spec.policies)

    def first_engine(self, kind: Kind) -> Engine:
        """An engine over times of that kind."""
        engine = Engine(self.spec, kind)
        if self.ended:
            engine.core.end()
        return self.own(engine)

    def refusal(self, error: NoNumberError) -> Exception | None:
        """Why the value in which a record of numbers failed is refused; None if it is read from now on, by members in
        Python: the aggregations take it, and no event is there yet."""
        column = error.column
        for one in _members(self.spec):
            if reads(one, {column}):
                try:
                    one.lift(error.value)
                except Exception as why:
                    return why
        if column in self.spec.others or (self.engine is not None and self.engine.core.keys()):
            return error
        self.spec = replace(self.spec, others=self.spec.others | {column})
        self.engine = None if self.engine is None else self.own(self.engine.without_keys(self.spec))
        return None

    def own(self, engine: Engine) -> Engine:
        """The engine, with failures going where this operator's go."""
        engine.core.keep_failures(None if self._failed.raises else self._failed.hand_over_window)
        return engine

    @contextmanager
    def engine_for(self, kind: Kind) -> Iterator[Engine]:
        """The engine that takes times of that kind. If it is another one, it is the operator's once it has done what
        it is wanted for; the one before takes no events meanwhile, which would be lost."""
        with self.changing():
            before = self.engine
            try:
                engine = self.first_engine(kind) if before is None else self.own(before.for_times(kind))
                yield engine
            except BaseException:
                if before is not None:
                    before.core.retire(False)
                raise
            self.engine = engine

    # Events

    def take(self, events: Events) -> Results:
        """All of the events, or none."""
        try:
            return self._take(events)
        except NoNumberError as error:
            why = self.refusal(error)
        if why is None:
            return self.take(events)
        raise why

    def _take(self, events: Events) -> Results:
        keys, times, values = events
        changes = None if self.spec.retract is None else read_changes(self.spec, events)
        if changes is not None:
            times = changes.of_added(times)
        kind, ticks = encode_array(times)
        if not len(ticks):
            # Rows that only take others back need some to be there.
            if changes is None or self.engine is None or not len(changes.does):
                return self.nothing()
            kind = self.engine.scale.kind
        late: list[LateEvent] = []
        with self.engine_for(kind) as engine:
            ticks = _ticks_in(engine.scale.kind, kind, ticks, times)
            hand_over = lambda *event: late.append(self._late.hand_over(*event))  # noqa: E731
            try:
                return engine.push_many(keys, ticks, values, hand_over, changes)
            except BaseException:
                self._late.take_back(late)
                raise

    def take_others(self, events: Events, error: Exception) -> Results:
        """Take in the events that can be computed on, and hand over the others; they are found on a copy."""
        # It keeps failures as this one does, and nobody looks at them.
        failed = FailedEvents("raise" if self._failed.raises else lambda _: None)
        twin = RunningOperator(self.spec, LateEvents("drop"), failed)
        try:
            twin.ended = self.ended
            twin.engine = None if self.engine is None else twin.own(self.engine.copy())
        except SnapshotError:
            # The aggregation goes on failing: nothing more is found out.
            raise error from None
        places = failing(len(events.times), lambda first, last: twin.take(events.between(first, last)))
        if not places:
            raise error
        if self._failed.raises:
            place = next(iter(places))
            raise located(self.spec.aggregation, events.one(place), places[place]) from error
        rest = [place for place in range(len(events.times)) if place not in places]
        results = self.take(events.at(rest)) if rest else self.nothing()
        for place, why in places.items():
            self._failed.hand_over(self.spec.aggregation, events.one(place), why)
        return results


def _members(spec: Spec) -> list[Aggregation]:
    """The aggregations of which the core has a part: others read values themselves."""
    wholes = spec.aggregations
    members = [one for whole in wholes for one in (whole.members.values() if isinstance(whole, Composite) else [whole])]
    return [one for one in members if fits(one) is not None]


def _ticks_in(own: Kind, kind: Kind, ticks: Ticks, times: Any) -> Ticks:
    """What the ticks of times of a kind are among those of the operator."""
    if (own.name, own.unit) == (kind.name, kind.unit):
        return ticks
    return np.array([encode_as(own, time) for time in times], np.int64)
