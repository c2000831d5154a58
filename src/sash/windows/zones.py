"""Instants as the clocks of their zone show them, and back. By the library that the times came from."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from sash.durations import ATTOSECONDS
from sash.errors import WindowSpecError
from sash.kinds import Kind
from sash.times import decode_array

__all__ = ["at_clock", "clock_of"]

Ticks = npt.NDArray[np.int64]


def clock_of(kind: Kind, ticks: Ticks) -> Ticks:
    """What the clock of the zone shows at the instants, as ticks without a zone."""
    if kind.name == "timestamp":
        shown = decode_array(kind, ticks).tz_localize(None)
        return np.asarray(shown.values).view(np.int64)
    if kind.name == "arrow":
        import pyarrow.compute as pc

        return np.asarray(pc.local_timestamp(decode_array(kind, ticks))).view(np.int64)
    raise WindowSpecError(f"times of kind {kind} have no calendar here: make them a column of pandas, polars or Arrow")


def at_clock(kind: Kind, shown: Ticks) -> Ticks:
    """The instants at which the clock shows the times: the first of two. A time that the clock leaves out is what it
    would be without the change: by the clock of the day before."""
    found = _localized(kind, shown)
    skipped = clock_of(kind, found) != shown
    if skipped.any():
        day = ATTOSECONDS["D"] // (kind.step or 1)
        found = np.where(skipped, _localized(kind, shown - day) + day, found)
    return found


def _localized(kind: Kind, shown: Ticks) -> Ticks:
    plain = shown.view(f"datetime64[{kind.unit}]")
    if kind.name == "timestamp":
        import pandas as pd

        index = pd.DatetimeIndex(plain).tz_localize(
            kind.zone, ambiguous=np.ones(len(plain), np.bool_), nonexistent="shift_forward"
        )
        return np.asarray(index.tz_convert("UTC").tz_localize(None).values).view(np.int64)
    import pyarrow as pa
    import pyarrow.compute as pc

    zone = str(kind.zone)
    instants = pc.assume_timezone(pa.array(plain), zone, ambiguous="earliest", nonexistent="latest")
    return np.asarray(instants.cast(pa.int64()))
