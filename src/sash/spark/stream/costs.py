"""Passes over rows, or trees: what each has cost a bucket, and when trees begin to pay."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

__all__ = ["Costs"]

# In the time that a pass takes for one row and one result column: measured, and only their ratios matter.
#: A window out of a tree.
_QUERY: Final = 50
#: A row into a tree.
_INSERT: Final = 25
#: A pass over no rows.
_CALL: Final = 10_000


@dataclass
class Costs:
    """A pass is over all retained rows, whatever the number of results; a tree costs by the result.

    So large micro-batches over short windows run by passes, and small ones over long windows by trees. Rows go into
    trees once passes have cost more than trees would have, and the building of them: at most twice the cheaper way.

    >>> costs = Costs(windows=1, columns=1)
    >>> [costs.prefer_trees(rows=100_000, results=50_000) for _ in range(3)]
    [False, False, False]
    >>> [costs.prefer_trees(rows=100_000, results=10) for _ in range(40)].index(True)
    25
    """

    windows: int
    columns: int
    _owed: int = 0

    def prefer_trees(self, rows: int, results: int) -> bool:
        """Note a pass over so many rows for so many results; whether rows should go into trees instead. Cost: O(1)."""
        spent = (rows + _CALL) * self.columns - results * self.windows * _QUERY
        self._owed = max(0, self._owed + spent)
        return self._owed > (rows + _CALL) * _INSERT
