"""A number for each value of a column, made once in Python: what a sketch makes of it, such as its hash."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
import pyarrow as pa

from sash.spark.stream.key_codes import KeyCodes
from sash.spark.stream.retained import Ticks

__all__ = ["Learned"]


class Learned:
    """The codes of values, and by their code the number that `make` gives for each; 0 for null.

    >>> sizes = Learned(["x"], len)
    >>> codes = sizes.codes(pa.table({"x": ["a", "bcd", None, "a"]}))
    >>> codes.tolist(), sizes.numbers[codes].tolist()
    ([0, 1, 2, 0], [1, 3, 0, 1])
    """

    def __init__(self, columns: Sequence[str], make: Callable[[Any], int]) -> None:
        self._values = KeyCodes(columns)
        self._make = make
        #: By code.
        self.numbers: Ticks = np.empty(0, np.int64)
        self._known = np.empty(0, bool)

    def __len__(self) -> int:
        return len(self._values)

    def key(self, code: int) -> Any:
        """The value of a code that is in use."""
        return self._values.key(code)

    def codes(self, table: pa.Table) -> Ticks:
        """The codes of a column of values. Cost: O(n), and O(1) in Python for each that is new."""
        codes = self._values.of(table)
        grown = self._values.bound - len(self._known)
        self.numbers = np.concatenate([self.numbers, np.zeros(grown, np.int64)])
        self._known = np.concatenate([self._known, np.zeros(grown, bool)])
        for code in np.unique(codes[~self._known[codes]]).tolist():
            key = self._values.key(code)
            self.numbers[code] = 0 if key is None else self._make(key)
            self._known[code] = True
        return codes

    def keep(self, codes: Sequence[int]) -> None:
        """Forget the values of all other codes. Cost: O(values)."""
        self._values.keep(set(codes))
        known = np.zeros(len(self._known), bool)
        known[list(codes)] = True
        self._known &= known
