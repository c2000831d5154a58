"""Approximate results from small sketches, with their error bounds: those of Apache DataSketches, as aggregations.

They need the package `datasketches`, which the extra `sketches` brings along. It is imported when the first
of them is made.
"""

from sash.aggregations.sketches.count_min import CountEstimate, CountMin, Counts
from sash.aggregations.sketches.distinct import ApproxCountDistinct, DistinctCount
from sash.aggregations.sketches.frequent import FrequentItem, FrequentItems
from sash.aggregations.sketches.quantiles import ApproxQuantiles, QuantileEstimate

__all__ = [
    "ApproxCountDistinct",
    "ApproxQuantiles",
    "CountEstimate",
    "CountMin",
    "Counts",
    "DistinctCount",
    "FrequentItem",
    "FrequentItems",
    "QuantileEstimate",
]
