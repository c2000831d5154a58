"""Which engine runs an operator: the one place that chooses, and that knows how each is written and read."""

from __future__ import annotations

from sash.errors import SnapshotError
from sash.sliding import state
from sash.sliding.engine import Engine, LineEngine
from sash.sliding.native import NativeEngine, row_of
from sash.sliding.scale import Scale
from sash.sliding.spec import Spec
from sash.times import FLOAT

__all__ = ["dump", "load", "make", "with_real_times"]


def make(spec: Spec, scale: Scale) -> Engine:
    """An engine that can run the configuration, with nothing in it."""
    row = row_of(spec)
    return LineEngine(spec, scale) if row is None else NativeEngine(spec, scale, row)


def dump(engine: Engine) -> state.State:
    """Its state as plain values, sharing the values of its events. Cost: O(n)."""
    if isinstance(engine, NativeEngine):
        return engine.dump()
    assert isinstance(engine, LineEngine)
    return state.dump(engine)


def load(spec: Spec, scale: Scale, dumped: state.State) -> Engine:
    """An engine in the state; `SnapshotError` if it is none. Cost: O(n)."""
    if "native" not in dumped:
        return state.load(spec, scale, dumped)
    row = row_of(spec)
    if row is None:
        raise SnapshotError("the snapshot cannot be read: its state is that of another operator")
    return NativeEngine.load(spec, scale, row, dumped)


def with_real_times(engine: Engine) -> Engine:
    """An engine of its own in the same state, with integer times as floats; TypeError if one is no float exactly."""
    if isinstance(engine, NativeEngine):
        return engine.with_real_times(Scale(FLOAT))
    return load(engine.bound.spec, Scale(FLOAT), state.promoted(dump(engine)))
