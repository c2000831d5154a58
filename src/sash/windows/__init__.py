"""Window policies: which events are in. One file a family; all frozen, checked when they are made.

>>> from sash.windows import TimeWindow
>>> TimeWindow("1h").describe()
'the events in (T - 1h, T]'
"""

from sash.windows.adaptive import AdaptiveWindow
from sash.windows.base import WindowPolicy, known_policies
from sash.windows.calendar import CalendarWindow
from sash.windows.count import CountWindow
from sash.windows.delta import DeltaWindow
from sash.windows.landmark import LandmarkWindow
from sash.windows.programmable import PolicyWindow
from sash.windows.punctuated import PunctuatedWindow
from sash.windows.session import SessionWindow
from sash.windows.time import Closed, TimeWindow
from sash.windows.tumbling import TumblingWindow
from sash.windows.written import as_policies, as_policy, as_written

__all__ = [
    "AdaptiveWindow",
    "CalendarWindow",
    "Closed",
    "CountWindow",
    "DeltaWindow",
    "LandmarkWindow",
    "PolicyWindow",
    "PunctuatedWindow",
    "SessionWindow",
    "TimeWindow",
    "TumblingWindow",
    "WindowPolicy",
    "as_policies",
    "as_policy",
    "as_written",
    "known_policies",
]
