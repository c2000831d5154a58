"""What aggregations and operators give where it is more than a number or a value of yours.

>>> from sash import results
>>> results.FittedLine(slope=2.0, intercept=1.0, r_squared=1.0).at(10)
21.0
"""

from sash.aggregations.bayes_model import BayesModel
from sash.aggregations.bins import BinCounts
from sash.aggregations.comoments import FittedLine
from sash.aggregations.composite import Record
from sash.aggregations.membership import BloomFilter
from sash.aggregations.points import Point, Points
from sash.aggregations.runs import Run
from sash.aggregations.sketches import CountEstimate, Counts, DistinctCount, FrequentItem, QuantileEstimate
from sash.operator import FailedEvent, LateEvent, Result, Results

__all__ = [
    "BayesModel",
    "BinCounts",
    "BloomFilter",
    "CountEstimate",
    "Counts",
    "DistinctCount",
    "FailedEvent",
    "FittedLine",
    "FrequentItem",
    "LateEvent",
    "Point",
    "Points",
    "QuantileEstimate",
    "Record",
    "Result",
    "Results",
    "Run",
]
