"""The built-in aggregations, one file a family, and how to make your own."""

from sash.aggregations.args import ArgMax, ArgMin
from sash.aggregations.base import Aggregation, Native, built_ins
from sash.aggregations.bayes import NaiveBayes
from sash.aggregations.bayes_model import BayesModel
from sash.aggregations.bins import BinCounts, Histogram
from sash.aggregations.collecting import Collect
from sash.aggregations.comoments import Correlation, Covariance, Line, LinearRegression
from sash.aggregations.compiled import compiled
from sash.aggregations.composite import Composite, Record
from sash.aggregations.counts import Count
from sash.aggregations.custom import aggregation
from sash.aggregations.decay import DecayedSum
from sash.aggregations.distinct import CollectDistinct, CountDistinct, Mode
from sash.aggregations.ends import Delta, First, IthYoungest, Last
from sash.aggregations.extrema import Max, MaxCount, Min, MinCount, Range
from sash.aggregations.logic import All, Any, BitAnd, BitOr
from sash.aggregations.means import GeometricMean, HarmonicMean, Mean, WeightedMean
from sash.aggregations.membership import Bloom, BloomFilter
from sash.aggregations.moments import PopulationStdDev, PopulationVariance, SampleStdDev, SampleVariance
from sash.aggregations.points import M4, Point, Points
from sash.aggregations.rates import Rate, TimeWeightedMean
from sash.aggregations.runs import LongestIncreasingRun, Run
from sash.aggregations.shapes import Kurtosis, Skewness
from sash.aggregations.sketches import (
    ApproxCountDistinct,
    CountEstimate,
    CountMin,
    Counts,
    DistinctCount,
    FrequentItem,
    FrequentItems,
    Quantile,
    Quantiles,
)
from sash.aggregations.sums import Product, Sum
from sash.aggregations.text import Concat
from sash.aggregations.top import BottomK, TopK

__all__ = [
    "M4",
    "Aggregation",
    "All",
    "Any",
    "ApproxCountDistinct",
    "ArgMax",
    "ArgMin",
    "BayesModel",
    "BinCounts",
    "BitAnd",
    "BitOr",
    "Bloom",
    "BloomFilter",
    "BottomK",
    "Collect",
    "CollectDistinct",
    "Composite",
    "Concat",
    "Correlation",
    "Count",
    "CountDistinct",
    "CountEstimate",
    "CountMin",
    "Counts",
    "Covariance",
    "DecayedSum",
    "Delta",
    "DistinctCount",
    "First",
    "FrequentItem",
    "FrequentItems",
    "GeometricMean",
    "HarmonicMean",
    "Histogram",
    "IthYoungest",
    "Kurtosis",
    "Last",
    "Line",
    "LinearRegression",
    "LongestIncreasingRun",
    "Max",
    "MaxCount",
    "Mean",
    "Min",
    "MinCount",
    "Mode",
    "NaiveBayes",
    "Native",
    "Point",
    "Points",
    "PopulationStdDev",
    "PopulationVariance",
    "Product",
    "Quantile",
    "Quantiles",
    "Range",
    "Rate",
    "Record",
    "Run",
    "SampleStdDev",
    "SampleVariance",
    "Skewness",
    "Sum",
    "TimeWeightedMean",
    "TopK",
    "WeightedMean",
    "aggregation",
    "built_ins",
    "compiled",
]
