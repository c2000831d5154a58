"""Sliding-window aggregation: exact, per event, over streams that arrive late and in bursts.

>>> import sash
>>> w = sash.Window(sash.Max())
>>> w.bulk_insert([1, 2, 3], [5, 1, 4])
>>> w.bulk_evict(1)
>>> w.query()
4
"""

from sash.aggregations import (
    Aggregation,
    All,
    Any,
    ArgMax,
    ArgMin,
    BitAnd,
    BitOr,
    Bloom,
    BloomFilter,
    Collect,
    Concat,
    Count,
    First,
    GeometricMean,
    Last,
    Max,
    MaxCount,
    Mean,
    Min,
    MinCount,
    PopulationStdDev,
    PopulationVariance,
    Product,
    Range,
    SampleStdDev,
    SampleVariance,
    Sum,
    aggregation,
    built_ins,
)
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
    "Aggregation",
    "AggregationError",
    "All",
    "Any",
    "ArgMax",
    "ArgMin",
    "BitAnd",
    "BitOr",
    "Bloom",
    "BloomFilter",
    "Collect",
    "Concat",
    "Count",
    "EmptyWindowError",
    "First",
    "GeometricMean",
    "Last",
    "LateEventError",
    "Max",
    "MaxCount",
    "Mean",
    "Min",
    "MinCount",
    "OutOfOrderError",
    "PlanError",
    "PopulationStdDev",
    "PopulationVariance",
    "Product",
    "Range",
    "SampleStdDev",
    "SampleVariance",
    "SashError",
    "SnapshotError",
    "StoreError",
    "Sum",
    "Window",
    "WindowSpecError",
    "__version__",
    "aggregation",
    "built_ins",
]
