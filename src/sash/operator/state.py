"""The state of an engine as plain values and back: the rows are the state, everything else is made from them.

Windows, marks and results that may be revised are computed again from the rows. What rows cannot tell is written: where
windows began that depend on rows long gone, what has been told, and what waits.
"""

from __future__ import annotations

from collections.abc import Callable
from heapq import heapify
from typing import Any

from sash.errors import SnapshotError
from sash.operator.engine import LineEngine
from sash.operator.line import Line
from sash.operator.paths import Stepping
from sash.operator.scale import Scale
from sash.operator.slides import AtSlides
from sash.operator.spec import Spec
from sash.times import FLOAT, encode_as

__all__ = ["dump", "load", "promoted"]

State = dict[str, Any]


def dump(engine: LineEngine) -> State:
    """The state of an engine, sharing the values of its rows. Cost: O(n)."""
    now, heap = engine.now, engine.speaker.heap
    waiting = [] if heap is None else [(ticks, number, line) for ticks, number, line in heap.entries]
    lines = {line.order: line for line in [*engine.lines.values(), *(entry[2] for entry in waiting)]}
    return {
        "now": (now.clock, now.watermark, now.finished),
        "count": engine.count,
        "orders": engine.orders,
        "lines": [_dump_line(line) for _, line in sorted(lines.items())],
        "slides": isinstance(engine.speaker, AtSlides),
        "waiting": sorted((ticks, number, line.order) for ticks, number, line in waiting),
    }


def _dump_line(line: Line) -> State:
    return {
        "key": line.key,
        "order": line.order,
        "rows": list(zip(line.ticks, line.numbers, line.values, strict=True)),
        "dropped": line.dropped,
        "arrivals": line.arrivals,
        "newest": line.newest,
        "due": line.due,
        "retired": line.retired,
        "starts": [None if path is None else path.starts for path in line.paths],
        "last": list(line.last.items()),
        "revisions": [(*about, *told[0], told[2]) for about, told in line.revisions.items()],
    }


def load(spec: Spec, scale: Scale, state: State) -> LineEngine:
    """An engine in the state; `SnapshotError` if it is none. Cost: O(n) inserts."""
    try:
        return _load(spec, scale, state)
    except (KeyError, TypeError, ValueError, IndexError, AttributeError) as error:
        raise SnapshotError(f"the snapshot cannot be read: {error!r} in the state of the operator") from error


def _load(spec: Spec, scale: Scale, state: State) -> LineEngine:
    engine = LineEngine(spec, scale)
    now = engine.now
    now.clock, now.watermark, now.finished = state["now"]
    engine.count, engine.orders = state["count"], state["orders"]
    lines = {described["order"]: _load_line(engine, described) for described in state["lines"]}
    # A heap's order is that of its entries, and entries differ in their first two parts: lines are never compared.
    if engine.speaker.heap is not None:
        engine.speaker.heap.entries[:] = _entries(engine, state["waiting"], lines)
        heapify(engine.speaker.heap.entries)
    if engine.bound.expire is not None:
        engine.idle.entries[:] = [(line.newest or 0, line.order, line) for line in engine.lines.values()]
        heapify(engine.idle.entries)
    return engine


def _entries(engine: LineEngine, waiting: list[Any], lines: dict[int, Line]) -> list[tuple[int, int, Line]]:
    if not isinstance(engine.speaker, AtSlides):
        return [(ticks, number, lines[order]) for ticks, number, order in waiting]
    # Only the entry that is due counts; the others were left behind by earlier ones.
    return [(line.due, line.order, line) for line in lines.values() if line.due is not None]


def _load_line(engine: LineEngine, state: State) -> Line:
    line = engine.make_line(state["key"], state["order"])
    for ticks, number, value in state["rows"]:
        line.ticks.append(ticks)
        line.numbers.append(number)
        line.values.append(value)
        if engine.bound.spec.aggregation.skips(value):
            line.nulls.append((ticks, number))
    line.axis.load(line)
    for name in ("dropped", "arrivals", "newest", "due", "retired"):
        setattr(line, name, state[name])
    for view, path, starts in zip(engine.bound.views, line.paths, state["starts"], strict=True):
        if isinstance(view, Stepping) and path is not None:
            path.starts[:] = starts
            path.marks[:] = [view.mark(value) for value in line.values]
    line.last.update(state["last"])
    for about, window, start, end, revision in state["revisions"]:
        line.revisions[about, window] = ((start, end), _value_now(engine, line, about, window, end), revision)
    if line.retired is None:
        engine.lines[line.key] = line
    return line


def _value_now(engine: LineEngine, line: Line, about: int, window: int, end: int) -> Any:
    """The value of a result that was told: with emit="update" that is always its value now."""
    watermark = engine.now.watermark
    if watermark is not None and end < watermark:
        return None  # final: nothing will ask for it again
    view = engine.bound.views[window]
    if isinstance(engine.speaker, AtSlides):
        span = view.at(line, end)
    else:
        counted = about - 1 - line.dropped
        place = counted if engine.speaker.counts else line.place_of(end, about)
        span = view.of_row(line, place)
    return None if span is None else engine.value(line, span)


def promoted(state: State) -> State:
    """The state with integer times as floats; TypeError if one is no float exactly."""

    def real(ticks: int | None) -> int | None:
        return None if ticks is None else encode_as(FLOAT, ticks)

    clock, watermark, finished = state["now"]
    return {
        **state,
        "now": (real(clock), real(watermark), finished),
        "lines": [_promoted_line(line, real, state["slides"]) for line in state["lines"]],
        "waiting": [(real(ticks), number, order) for ticks, number, order in state["waiting"]],
    }


def _promoted_line(line: State, real: Callable[[int | None], int | None], slides: bool) -> State:
    revisions = [
        # A result of a slide is known by its end, all others by a number.
        (real(about) if slides else about, window, real(start), real(end), revision)
        for about, window, start, end, revision in line["revisions"]
    ]
    return {
        **line,
        "rows": [(real(ticks), number, value) for ticks, number, value in line["rows"]],
        **{name: real(line[name]) for name in ("newest", "due", "retired")},
        "revisions": revisions,
    }
