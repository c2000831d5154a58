"""Which engine runs an operator: the one place that chooses, and that knows how each is written and read."""

from __future__ import annotations

from sash.aggregations import records
from sash.aggregations.records import Row
from sash.errors import SnapshotError
from sash.operator import state
from sash.operator.core_engine import CoreEngine
from sash.operator.engine import Engine, LineEngine
from sash.operator.native import NativeEngine, answers_at_once
from sash.operator.native_lines import NativeLines, asks_no_python
from sash.operator.scale import Scale
from sash.operator.spec import Spec
from sash.times import FLOAT

__all__ = ["dump", "load", "make", "with_real_times"]


def make(spec: Spec, scale: Scale) -> Engine:
    """An engine that can run the configuration, with nothing in it: in the core, where that has all that it needs."""
    row = _row_of(spec)
    if row is None:
        return LineEngine(spec, scale)
    return _native(spec)(spec, scale, row)


def _native(spec: Spec) -> type[CoreEngine]:
    return NativeEngine if answers_at_once(spec) else NativeLines


def _row_of(spec: Spec) -> Row | None:
    """How the aggregation lies in the core, if an engine there can run the operator; None if none can.

    >>> import sash
    >>> from sash.triggers import EachEvent
    >>> _row_of(Spec(sash.Sum(), (sash.TimeWindow(5),), EachEvent())).parts[0].kernel
    'sum'
    >>> _row_of(Spec(sash.Concat(), (sash.TimeWindow(5),), EachEvent()))
    """
    if spec.algorithm != "fiba" or not asks_no_python(spec):
        return None
    row = records.row_of(spec.aggregation)
    if row is None or row.objects or any(part.several for part in row.parts):
        return None
    return row


def dump(engine: Engine) -> state.State:
    """Its state as plain values, sharing the values of its events. Cost: O(n)."""
    if isinstance(engine, CoreEngine):
        return engine.dump()
    assert isinstance(engine, LineEngine)
    return state.dump(engine)


def load(spec: Spec, scale: Scale, dumped: state.State) -> Engine:
    """An engine in the state; `SnapshotError` if it is none. Cost: O(n)."""
    if "native" not in dumped:
        return state.load(spec, scale, dumped)
    row = _row_of(spec)
    if row is None:
        raise SnapshotError("the snapshot cannot be read: its state is that of another operator")
    return _native(spec).load(spec, scale, row, dumped)


def with_real_times(engine: Engine) -> Engine:
    """An engine of its own in the same state, with integer times as floats; TypeError if one is no float exactly."""
    if isinstance(engine, CoreEngine):
        return engine.with_real_times(Scale(FLOAT))
    return load(engine.bound.spec, Scale(FLOAT), state.promoted(dump(engine)))
