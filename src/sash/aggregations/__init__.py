"""The built-in aggregations, one file a family, and how to make your own."""

from sash.aggregations.args import ArgMax, ArgMin
from sash.aggregations.base import Aggregation, Native, built_ins
from sash.aggregations.bayes import NaiveBayes
from sash.aggregations.bins import Histogram
from sash.aggregations.collecting import Collect
from sash.aggregations.comoments import Correlation, Covariance, LinearRegression
from sash.aggregations.compiled import compiled
from sash.aggregations.composite import Composite
from sash.aggregations.counts import Count
from sash.aggregations.custom import aggregation
from sash.aggregations.decay import DecayedSum
from sash.aggregations.distinct import CollectDistinct, CountDistinct, Mode, NUnique
from sash.aggregations.ends import Delta, First, IthYoungest, Last
from sash.aggregations.extrema import Max, MaxCount, Min, MinCount, Range
from sash.aggregations.logic import All, Any, BitAnd, BitOr
from sash.aggregations.means import GeometricMean, HarmonicMean, Mean, WeightedMean
from sash.aggregations.membership import Bloom
from sash.aggregations.moments import Std, Var
from sash.aggregations.of_row import TimeSince, ZScore
from sash.aggregations.points import M4
from sash.aggregations.quantiles import Median, Quantile, Quantiles
from sash.aggregations.ranks import Rank
from sash.aggregations.rates import Rate, TimeWeightedMean
from sash.aggregations.runs import LongestIncreasingRun
from sash.aggregations.shapes import Kurtosis, Skewness
from sash.aggregations.sketches import ApproxCountDistinct, ApproxQuantiles, CountMin, FrequentItems
from sash.aggregations.sums import Product, Sum
from sash.aggregations.text import Concat
from sash.aggregations.top import BottomK, TopK

__all__ = [
    "M4",
    "Aggregation",
    "All",
    "Any",
    "ApproxCountDistinct",
    "ApproxQuantiles",
    "ArgMax",
    "ArgMin",
    "BitAnd",
    "BitOr",
    "Bloom",
    "BottomK",
    "Collect",
    "CollectDistinct",
    "Composite",
    "Concat",
    "Correlation",
    "Count",
    "CountDistinct",
    "CountMin",
    "Covariance",
    "DecayedSum",
    "Delta",
    "First",
    "FrequentItems",
    "GeometricMean",
    "HarmonicMean",
    "Histogram",
    "IthYoungest",
    "Kurtosis",
    "Last",
    "LinearRegression",
    "LongestIncreasingRun",
    "Max",
    "MaxCount",
    "Mean",
    "Median",
    "Min",
    "MinCount",
    "Mode",
    "NUnique",
    "NaiveBayes",
    "Native",
    "Product",
    "Quantile",
    "Quantiles",
    "Range",
    "Rank",
    "Rate",
    "Skewness",
    "Std",
    "Sum",
    "TimeSince",
    "TimeWeightedMean",
    "TopK",
    "Var",
    "WeightedMean",
    "ZScore",
    "aggregation",
    "built_ins",
    "compiled",
]
