"""The built-in aggregations, one file a family, and how to make your own."""

from sash.aggregations.args import ArgMax, ArgMin
from sash.aggregations.base import Aggregation, Native, built_ins
from sash.aggregations.collecting import Collect
from sash.aggregations.counts import Count
from sash.aggregations.custom import aggregation
from sash.aggregations.ends import First, Last
from sash.aggregations.extrema import Max, MaxCount, Min, MinCount, Range
from sash.aggregations.logic import All, Any, BitAnd, BitOr
from sash.aggregations.means import GeometricMean, Mean
from sash.aggregations.membership import Bloom, BloomFilter
from sash.aggregations.moments import PopulationStdDev, PopulationVariance, SampleStdDev, SampleVariance
from sash.aggregations.sums import Product, Sum
from sash.aggregations.text import Concat

__all__ = [
    "Aggregation",
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
    "First",
    "GeometricMean",
    "Last",
    "Max",
    "MaxCount",
    "Mean",
    "Min",
    "MinCount",
    "Native",
    "PopulationStdDev",
    "PopulationVariance",
    "Product",
    "Range",
    "SampleStdDev",
    "SampleVariance",
    "Sum",
    "aggregation",
    "built_ins",
]
