"""Columns of times from several places, brought to one kind."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TypeAlias

import numpy as np
import numpy.typing as npt

from sash.durations import Duration
from sash.times import FLOAT, INT, Kind, decode_array, encode_array
from sash.windows.scale import Scale

__all__ = ["Ticks", "before", "common_times"]

Ticks: TypeAlias = npt.NDArray[np.int64]


def common_times(columns: Sequence[tuple[Kind, Ticks]]) -> tuple[Kind, list[Ticks]]:
    """One kind for all columns, the finest of theirs, and their ticks in it.

    Raises TypeError for kinds that have none in common, such as numbers and instants, or instants with and without a
    zone; OverflowError for a time that does not fit in the finest. Cost: O(n), nothing where the kinds are one.

    >>> seconds, milliseconds = np.array([1], "datetime64[s]"), np.array([5], "datetime64[ms]")
    >>> kind, ticks = common_times([encode_array(seconds), encode_array(milliseconds)])
    >>> str(kind), [column.tolist() for column in ticks]
    ('datetime64[ms]', [[1000], [5]])
    """
    kinds = [kind for kind, _ in columns]
    first = kinds[0]
    if all((kind.name, kind.unit, kind.zone is None) == (first.name, first.unit, first.zone is None) for kind in kinds):
        return first, [ticks for _, ticks in columns]
    if set(kinds) == {INT, FLOAT}:
        return FLOAT, [ticks if kind == FLOAT else _as_reals(ticks) for kind, ticks in columns]
    if any(kind.step is None for kind in kinds) or len({kind.zone is None for kind in kinds}) > 1:
        raise TypeError(f"times of kinds {' and '.join(map(str, kinds))} have no order among them: convert one of them")
    finest = min(kinds, key=lambda kind: kind.step or 0)
    return finest, [_in_steps(finest, kind, ticks) for kind, ticks in columns]


def _as_reals(ticks: Ticks) -> Ticks:
    reals = ticks.astype(np.float64)
    if len(ticks) and int(np.abs(ticks).max()) > 2**53:
        raise TypeError("integers beyond 2**53 among float times are no float64 exactly: make all times integers")
    return encode_array(reals)[1]


def _in_steps(finest: Kind, kind: Kind, ticks: Ticks) -> Ticks:
    assert kind.step is not None
    assert finest.step is not None
    steps, rest = divmod(kind.step, finest.step)
    if rest:
        raise TypeError(f"a step of {kind} is no whole number of steps of {finest}: convert one of the two columns")
    if len(ticks) and (int(ticks.max()) > (2**63 - 1) // steps or int(ticks.min()) < -(2**63) // steps):
        raise OverflowError(f"a time of kind {kind} does not fit in 64 bits as {finest}: use a coarser unit")
    return ticks * steps


def before(kind: Kind, ticks: Ticks, length: Duration) -> Ticks:
    """The times so long before these; OverflowError for one that 64 bits do not hold.

    >>> before(INT, np.array([10, 20]), Duration(5, plain=True))
    array([ 5, 15])
    """
    amount = Scale(kind).length(length)
    if kind == FLOAT:
        return encode_array(decode_array(FLOAT, ticks) - amount)[1]
    if len(ticks) and int(ticks.min()) < -(2**63) + amount:
        raise OverflowError(f"{length} before the earliest time does not fit in 64 bits: use a shorter offset")
    return ticks - int(amount)
