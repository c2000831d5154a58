"""What an operator was asked to do, as the core takes it: record, windows and trigger over one kind of time."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from functools import partial
from typing import Any, NamedTuple

from sash import codec
from sash.aggregations import records
from sash.aggregations.base import Aggregation, skips_plainly
from sash.aggregations.compiled import Compiled
from sash.aggregations.composite import Composite
from sash.aggregations.counts import Count
from sash.aggregations.reading import is_null
from sash.aggregations.records import ObjectMember, Part, Path, ResultSpec, Row, Slot
from sash.errors import WindowSpecError
from sash.operator.columns import checked_key
from sash.operator.marks import Mark, Marked, mark_of
from sash.operator.panes import Panes, obstacle, panes_of
from sash.operator.results import Result, same
from sash.operator.spec import Spec
from sash.times import Kind
from sash.triggers import AtWatermark, EveryEvents, EverySlide, OnDelta, OnDemand, OnPunctuation, resolve_trigger
from sash.windows import WindowPolicy
from sash.windows.config import CoreLength, PolicyConfig, length_of
from sash.windows.described import read_by
from sash.windows.scale import Grid, Scale

__all__ = ["Config", "Output", "check_keeping", "configure", "configure_lookups"]


@dataclass(frozen=True, slots=True)
class Output:
    """A result made of some results of a record."""

    #: Who shapes a composite result; None where nobody asks for it.
    aggregation: Aggregation | None
    first: int
    last: int
    composite: bool


@dataclass(frozen=True, slots=True)
class Config:
    """Everything that `_core.Operator` reads."""

    kind: Kind
    row: Row
    #: The first is the result; programmable windows see the others.
    outputs: tuple[Output, ...]
    #: What a result without a value stands for.
    empties: tuple[Any, ...]
    #: Results are Python objects while the operator runs.
    makes_objects: bool
    policies: tuple[PolicyConfig, ...]
    windows: tuple[WindowPolicy, ...]
    fires_on: str
    emit: str
    every: int
    #: By how much a measure moves until the trigger fires; None where it does not fire by one.
    moves: int | float | None
    #: The slides, and as the core takes them.
    grid: Grid | None
    slide: tuple[CoreLength, int] | None
    #: None where events are retained one by one.
    panes: Panes | None
    lateness: CoreLength | None
    expire: CoreLength | None
    changes_only: bool
    min_periods: int
    #: Rows may take others back.
    retracts: bool
    keyed: bool
    seconds_per_tick: float
    #: The windows, and the trigger where it reads a measure; and what each reads of a value, empty if none reads any.
    marked: tuple[Marked, ...]
    marks: tuple[Mark | None, ...]
    #: Whether a value fires the trigger, and whether it is null; None where the core knows.
    fires: Any
    skips: Any
    early_start: Any
    result_type: type[Result] = Result
    same: Any = field(default=same)
    codec: Any = codec
    checked_key: Any = field(default=checked_key)


def configure(spec: Spec, kind: Kind) -> Config:
    """The configuration over one kind of time; `WindowSpecError` if a length has no meaning in it.

    >>> import sash
    >>> from sash.times import INT
    >>> configure(Spec(sash.Sum(), (sash.TimeWindow(5),), sash.EachEvent()), INT).policies[0].length
    (5, 5.0)
    """
    scale = Scale(kind)
    trigger = _fires(spec)
    row, outputs = _record(spec)
    moves = spec.trigger if isinstance(spec.trigger, OnDelta) else None
    marked: tuple[Marked, ...] = spec.policies if moves is None else (*spec.policies, moves)
    marks = tuple(mark_of(one) for one in marked)
    policies = _policies(spec, scale)
    grid = None if trigger.slide is None else _grid(trigger.slide, scale)
    slide = None if grid is None else (length_of(grid.every), grid.origin)
    panes = None if slide is None or obstacle(spec, row) else panes_of(spec, policies, slide, scale)
    return Config(
        kind=kind,
        row=row,
        outputs=outputs,
        empties=tuple(_empty(result) for result in row.results),
        makes_objects=bool(row.objects) or any(part.several for part in row.parts),
        policies=policies,
        windows=spec.policies,
        fires_on=trigger.on,
        emit=trigger.emit,
        every=trigger.every,
        moves=None if moves is None else moves.delta,
        grid=grid,
        slide=slide,
        panes=panes,
        lateness=_lateness(spec, scale),
        expire=None if spec.expire is None else length_of(scale.length(spec.expire)),
        changes_only=spec.changes_only,
        min_periods=spec.min_periods,
        retracts=spec.retract is not None,
        keyed=spec.keyed,
        seconds_per_tick=scale.seconds() if row.timed else 1.0,
        marked=marked,
        marks=marks if any(mark is not None for mark in marks) else (),
        fires=partial(_is_punctuation, spec.trigger.predicate) if isinstance(spec.trigger, OnPunctuation) else None,
        skips=partial(_skips, spec.aggregation) if len(outputs) > 1 else None,
        early_start=partial(_early_start, spec.policies, scale),
    )


def check_keeping(spec: Spec) -> None:
    """`WindowSpecError` if panes are wanted where events are needed one by one."""
    if spec.keep != "panes":
        return
    why = (
        f"{spec.trigger!r} does not fire at slides" if _fires(spec).slide is None else obstacle(spec, _record(spec)[0])
    )
    if why is not None:
        raise WindowSpecError(f'keep="panes" is not possible here: {why}; leave keep= out')


def configure_lookups(row: Row, windows: tuple[WindowPolicy, ...], kind: Kind) -> Config:
    """Time windows of many keys over a record, for a caller who looks up results by key and time.

    >>> import sash
    >>> from sash.times import INT
    >>> configure_lookups(records.row_of(sash.Sum()), (sash.TimeWindow(5),), INT).fires_on
    'events'
    """
    scale = Scale(kind)
    return Config(
        kind=kind,
        row=row,
        outputs=(Output(None, 0, len(row.results), composite=True),),
        empties=tuple(_empty(result) for result in row.results),
        makes_objects=False,
        policies=tuple(window.core(scale) for window in windows),
        windows=windows,
        fires_on="events",
        emit="arrival",
        every=1,
        moves=None,
        grid=None,
        slide=None,
        panes=None,
        lateness=None,
        expire=None,
        changes_only=False,
        min_periods=0,
        retracts=False,
        keyed=True,
        seconds_per_tick=scale.seconds() if row.timed else 1.0,
        marked=(),
        marks=(),
        fires=None,
        skips=None,
        early_start=None,
    )


# The record


def _record(spec: Spec) -> tuple[Row, tuple[Output, ...]]:
    """The aggregation and those that programmable windows look at, side by side in one record."""
    rows = [_row_of(aggregation, spec.others) for aggregation in spec.aggregations]
    if spec.floats is not None:
        rows = [records.with_reproducible(row, spec.floats) for row in rows]
    outputs, first = [], 0
    for aggregation, row in zip(spec.aggregations, rows, strict=True):
        outputs.append(Output(aggregation, first, first + len(row.results), row.composite))
        first += len(row.results)
    return (rows[0] if len(rows) == 1 else _joined(rows)), tuple(outputs)


def _row_of(aggregation: Aggregation, others: frozenset[str | None]) -> Row:
    """The record that an aggregation is, reading the columns that it names; one member in Python where the core has
    none for it."""
    if isinstance(aggregation, Composite) and others:
        return records.build(aggregation.members, others)
    if aggregation.columns and not isinstance(aggregation, Composite):
        return replace(records.build({"": aggregation}, others), composite=False)
    row = None if records.reads(aggregation, others) else records.row_of(aggregation)
    if row is not None:
        return row
    member = ObjectMember(aggregation, (Path(),))
    result = ResultSpec(aggregation, native=False, position=0)
    return Row((), (), (member,), (result,), composite=False, timed=aggregation.timed)


def _joined(rows: list[Row]) -> Row:
    slots: list[Slot] = []
    parts: list[Part] = []
    objects: list[ObjectMember] = []
    results: list[ResultSpec] = []
    for row in rows:
        results += [
            ResultSpec(one.aggregation, one.native, one.position + len(parts if one.native else objects), one.truth)
            for one in row.results
        ]
        parts += [replace(one, slots=tuple(slot + len(slots) for slot in one.slots)) for one in row.parts]
        slots += row.slots
        objects += row.objects
    return Row(tuple(slots), tuple(parts), tuple(objects), tuple(results), True, any(row.timed for row in rows))


def _empty(result: ResultSpec) -> Any:
    # A compiled aggregation has a result for the empty window itself: where there is none, it gave none.
    return None if isinstance(result.aggregation, Compiled) else result.aggregation.empty


# The trigger


class _Fires(NamedTuple):
    on: str
    emit: str
    every: int = 1
    slide: EverySlide | None = None


def _fires(spec: Spec) -> _Fires:
    match spec.trigger:
        case OnDemand():
            return _Fires("demand", spec.emit)
        case EverySlide() as slide:
            return _Fires("slides", spec.emit, slide=slide)
        case EveryEvents(k=k):
            return _Fires("events", spec.emit, every=k)
        case AtWatermark():
            return _at_watermark(spec.policies)
    return _Fires("events", spec.emit)


def _at_watermark(policies: tuple[WindowPolicy, ...]) -> _Fires:
    implied = resolve_trigger(None, policies)
    if isinstance(implied, EverySlide):
        return _Fires("slides", "final", slide=implied)
    sessions = len(policies) == 1 and policies[0].closes
    return _Fires("session_end" if sessions else "passed", "final")


def _skips(aggregation: Aggregation, value: Any) -> bool:
    """Whether a value, or what is read of a row, is null to the aggregation."""
    of_row = aggregation.columns and not isinstance(aggregation, Composite)
    return aggregation.skips(records.value_of(aggregation, value) if of_row else value)


def _is_punctuation(predicate: Any, value: Any) -> bool:
    return not is_null(value) and bool(read_by(predicate, value))


def _grid(slide: EverySlide, scale: Scale) -> Grid:
    assert slide.every is not None
    return Grid(scale, slide.every, slide.origin)


# The windows


def _policies(spec: Spec, scale: Scale) -> tuple[PolicyConfig, ...]:
    output = 0
    configs = []
    for policy in spec.policies:
        seen = 0
        if policy.looks_at is not None:
            output += 1
            seen = output
        core = policy.core(scale, seen)
        configs.append(replace(core, counts=True) if _sees_counts(spec, policy) else core)
    if isinstance(spec.trigger, OnDelta) and spec.emit != "arrival":
        # In the order of times, which events fire may change: the core follows them as it does windows.
        configs.append(PolicyConfig("moved", delta=spec.trigger.delta))
    return tuple(configs)


def _sees_counts(spec: Spec, policy: WindowPolicy) -> bool:
    """Whether a programmable window sees how many values there are, and no other values than the operator's own: rows
    know that without a query."""
    own, seen = spec.aggregation, policy.looks_at
    if type(seen) is not Count or seen.columns or own.columns:
        return False
    return skips_plainly(own) and own.nan == seen.nan


def _early_start(policies: tuple[WindowPolicy, ...], scale: Scale, window: int, end: int, by_event: bool) -> Any:
    """The start of a window that begins before all times that 64 bits hold."""
    return scale.time(policies[window].early_start(scale, end, by_event))


def _lateness(spec: Spec, scale: Scale) -> CoreLength | None:
    if spec.lateness is None:
        return None
    return (0, 0.0) if spec.lateness == 0 else length_of(scale.length(spec.lateness))
