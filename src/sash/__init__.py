"""Sliding-window aggregation: exact, per event, over streams that arrive late and in bursts.

>>> import sash
>>> w = sash.Window(sash.Max())
>>> w.bulk_insert([1, 2, 3], [5, 1, 4])
>>> w.bulk_evict(1)
>>> w.query()
4
"""

import sys as _sys
import typing as _typing
from importlib import import_module as _import_module

from sash.errors import (
    AggregationError,
    EmptyWindowError,
    LateEventError,
    OutOfOrderError,
    PipelineError,
    PlanError,
    SashError,
    SnapshotError,
    StoreError,
    WindowSpecError,
)
from sash.rolling import rolling

if _typing.TYPE_CHECKING:
    from sash import algorithms as algorithms
    from sash import results, store
    from sash import windows as windows
    from sash.aggregations import (
        M4,
        Aggregation,
        All,
        Any,
        ApproxCountDistinct,
        ApproxQuantiles,
        ArgMax,
        ArgMin,
        BitAnd,
        BitOr,
        Bloom,
        BottomK,
        Collect,
        CollectDistinct,
        Composite,
        Concat,
        Correlation,
        Count,
        CountDistinct,
        CountMin,
        Covariance,
        DecayedSum,
        Delta,
        First,
        FrequentItems,
        GeometricMean,
        HarmonicMean,
        Histogram,
        IthYoungest,
        Kurtosis,
        Last,
        LinearRegression,
        LongestIncreasingRun,
        Max,
        MaxCount,
        Mean,
        Median,
        Min,
        MinCount,
        Mode,
        NaiveBayes,
        NUnique,
        Product,
        Quantile,
        Quantiles,
        Range,
        Rank,
        Rate,
        Skewness,
        Std,
        Sum,
        TimeSince,
        TimeWeightedMean,
        TopK,
        Var,
        WeightedMean,
        ZScore,
        aggregation,
    )
    from sash.aggregations.compiled import compiled
    from sash.expressions import col
    from sash.operator import Sliding
    from sash.plan import Plan
    from sash.triggers import AtWatermark, EachEvent, EveryEvents, EverySlide, OnDelta, OnDemand, OnPunctuation
    from sash.window import Window
    from sash.windows import (
        AdaptiveWindow,
        CalendarWindow,
        CountWindow,
        DeltaWindow,
        LandmarkWindow,
        PolicyWindow,
        PunctuatedWindow,
        SessionWindow,
        TimeWindow,
        TumblingWindow,
    )
else:

    def __getattr__(name: str) -> object:
        """Everything else is imported when it is first asked for: whoever needs a part does not pay for all."""
        if name in ("algorithms", "pandas", "polars", "results", "spark", "store", "testing", "triggers", "windows"):
            return _import_module(f"sash.{name}")
        homes = ("aggregations", "windows", "window", "plan", "operator", "triggers", "expressions")
        for home in homes if name in __all__ else ():
            found = getattr(_import_module(f"sash.{home}"), name, None)
            if found is not None:
                globals()[name] = found
                return found
        raise AttributeError(f"module 'sash' has no attribute {name!r}")

    def __dir__() -> list[str]:
        return sorted({*globals(), *__all__})


__version__ = "0.1.0"

# In groups, for those who read.
__all__ = [  # noqa: RUF022
    # The doors.
    "Window",
    "Sliding",
    "Plan",
    "rolling",
    "store",
    "results",
    # Aggregations: counts, sums and means.
    "Count",
    "Sum",
    "Product",
    "Mean",
    "GeometricMean",
    "HarmonicMean",
    "WeightedMean",
    "TimeWeightedMean",
    "Rate",
    "DecayedSum",
    # Extremes, and what goes with them.
    "Min",
    "Max",
    "Range",
    "Rank",
    "MinCount",
    "MaxCount",
    "ArgMin",
    "ArgMax",
    "TopK",
    "BottomK",
    # Spread, shape and order.
    "Var",
    "Std",
    "Skewness",
    "Kurtosis",
    "Median",
    "Quantile",
    "Quantiles",
    "Histogram",
    # Two columns, or more.
    "Covariance",
    "Correlation",
    "LinearRegression",
    "NaiveBayes",
    # Ends of the window, and the way between them.
    "First",
    "Last",
    "IthYoungest",
    "Delta",
    "M4",
    "LongestIncreasingRun",
    # The values themselves.
    "Collect",
    "CollectDistinct",
    "Concat",
    "CountDistinct",
    "NUnique",
    "Mode",
    "ApproxCountDistinct",
    "ApproxQuantiles",
    "FrequentItems",
    "CountMin",
    "Bloom",
    # Truths and bits.
    "Any",
    "All",
    "BitAnd",
    "BitOr",
    # Of a row and its window.
    "ZScore",
    "TimeSince",
    # Several at once, and your own.
    "Composite",
    "Aggregation",
    "aggregation",
    "compiled",
    # Conditions on events, and arithmetic on results.
    "col",
    # Windows.
    "TimeWindow",
    "CountWindow",
    "SessionWindow",
    "TumblingWindow",
    "LandmarkWindow",
    "CalendarWindow",
    "DeltaWindow",
    "PunctuatedWindow",
    "AdaptiveWindow",
    "PolicyWindow",
    # Triggers.
    "EachEvent",
    "EveryEvents",
    "EverySlide",
    "AtWatermark",
    "OnPunctuation",
    "OnDelta",
    "OnDemand",
    # Errors.
    "SashError",
    "AggregationError",
    "EmptyWindowError",
    "LateEventError",
    "OutOfOrderError",
    "PipelineError",
    "PlanError",
    "SnapshotError",
    "StoreError",
    "WindowSpecError",
]

# Whoever has NumPy already works with arrays: the engine of frames comes along, so that the first call takes no longer
# than the next. Without it the package stays light.
if "numpy" in _sys.modules:
    _import_module("sash.batch.labels")
