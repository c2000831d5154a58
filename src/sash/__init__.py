"""Sliding-window aggregation: exact, per event, over streams that arrive late and in bursts.

>>> import sash
>>> w = sash.Window(sash.Max())
>>> w.bulk_insert([1, 2, 3], [5, 1, 4])
>>> w.bulk_evict(1)
>>> w.query()
4
"""

from sash import aggregations
from sash.aggregations import *  # noqa: F403
from sash.algorithms import ALGORITHMS
from sash.errors import (
    AggregationError,
    EmptyWindowError,
    LateEventError,
    OutOfOrderError,
    PlanError,
    SashError,
    SnapshotError,
    StoreError,
    WindowSpecError,
)
from sash.window import Window

__version__ = "0.1.0"
__all__ = [
    "ALGORITHMS",
    "AggregationError",
    "EmptyWindowError",
    "LateEventError",
    "OutOfOrderError",
    "PlanError",
    "SashError",
    "SnapshotError",
    "StoreError",
    "Window",
    "WindowSpecError",
    "__version__",
    *aggregations.__all__,
]
