"""The operator `Sliding`: windows over streams that come late, by key, which emit results when their trigger fires.

>>> import sash
>>> s = sash.Sliding(sash.Sum(), sash.TimeWindow(10))
>>> s.push(3, 5)[0].value
5
"""

from sash.operator.failed import FailedEvent
from sash.operator.late import LateEvent
from sash.operator.results import Result, Results
from sash.operator.sliding import Sliding

__all__ = ["FailedEvent", "LateEvent", "Result", "Results", "Sliding"]
