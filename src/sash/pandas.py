"""`df.sash`: rolling as a method of DataFrames. `import sash.pandas` enters it into pandas.

>>> import pandas as pd
>>> import sash.pandas
>>> df = pd.DataFrame({"t": [1, 2, 3], "x": [5, 1, 2]})
>>> df.sash.rolling(on="t", window=sash.TimeWindow(2), spent=sash.Sum("x"))["spent"].tolist()
[5, 6, 3]
"""

from __future__ import annotations

from typing import Any

import pandas as pd

from sash.plan import Plan
from sash.rolling import rolling

__all__ = ["SashAccessor"]


@pd.api.extensions.register_dataframe_accessor("sash")
class SashAccessor:
    """What `sash` does with a DataFrame, as methods of it."""

    def __init__(self, data: pd.DataFrame) -> None:
        self._data = data

    def rolling(self, plan: Plan | None = None, **options: Any) -> pd.DataFrame:
        """`sash.rolling` over the DataFrame, with all its options.

        >>> import sash.pandas
        >>> plan = sash.Plan(windows=2, aggregations={"n": sash.Count()})
        >>> pd.DataFrame({"x": [1, 2, 3]}).sash.rolling(plan)["n_2"].tolist()
        [1, 2, 2]
        """
        return rolling(self._data, plan, **options)
