"""The keys of a bucket as small numbers that stay the same from batch to batch."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import numpy.typing as npt
import pyarrow as pa

from sash.frames.arrow import ArrowFrame
from sash.frames.base import joined

__all__ = ["KeyCodes"]

Codes = npt.NDArray[np.int64]


class KeyCodes:
    """Numbers for keys of any types, nulls included. Only the different keys of a batch are looked at in Python.

    >>> codes = KeyCodes(["card"])
    >>> codes.of(pa.table({"card": ["a", "b", "a", None]})).tolist(), codes.of(pa.table({"card": [None, "c"]})).tolist()
    ([0, 1, 0, 2], [2, 3])
    """

    def __init__(self, columns: Sequence[str]) -> None:
        self._columns = list(columns)
        self._codes: dict[Any, int] = {}
        self._keys: dict[int, Any] = {}
        self._free: list[int] = []

    def __len__(self) -> int:
        return len(self._codes)

    def of(self, table: pa.Table) -> Codes:
        """The code of each row; a key that is new gets one. Cost: O(n), and O(1) in Python for each different key."""
        if not self._columns:
            self._code(())
            return np.zeros(table.num_rows, np.int64)
        frame = ArrowFrame(table.select(self._columns))
        local = joined([frame.codes(name) for name in self._columns])
        first = np.full(local.count, -1, np.int64)
        first[local.codes[::-1]] = np.arange(table.num_rows - 1, -1, -1)
        used = np.flatnonzero(first >= 0)
        keys = self._plain_keys(table.select(self._columns).take(pa.array(first[used])))
        lasting = np.empty(local.count, np.int64)
        lasting[used] = np.fromiter((self._code(key) for key in keys), np.int64, len(used))
        return lasting[local.codes]

    @property
    def bound(self) -> int:
        """All codes are below it."""
        return len(self._codes) + len(self._free)

    def items(self) -> list[tuple[int, Any]]:
        """The codes that are in use, with their keys."""
        return list(self._keys.items())

    def key(self, code: int) -> Any:
        """The key of a code that is in use."""
        return self._keys[code]

    def keep(self, codes: set[int]) -> None:
        """All other codes are free for other keys. Cost: O(keys)."""
        for code in [code for code in self._keys if code not in codes]:
            del self._codes[self._keys.pop(code)]
            self._free.append(code)

    def saved(self) -> list[Any]:
        """The keys in the order of their codes, of which none may be free."""
        return [self._keys[code] for code in range(len(self._keys))]

    def load(self, keys: Sequence[Any]) -> None:
        """Give keys the codes 0, 1, 2, where there are none yet."""
        for key in keys:
            self._code(key)

    def _code(self, key: Any) -> int:
        code = self._codes.get(key)
        if code is None:
            code = self._free.pop() if self._free else len(self._codes)
            self._codes[key] = code
            self._keys[code] = key
        return code

    @staticmethod
    def _plain_keys(keys: pa.Table) -> list[Any]:
        columns = [[_plain(value) for value in column.to_pylist()] for column in keys.columns]
        return columns[0] if len(columns) == 1 else list(zip(*columns, strict=True))


def _plain(value: Any) -> Any:
    """A key that can be looked up. NaN is a null here, as it is in frames."""
    if isinstance(value, float):
        return None if value != value else value
    return repr(value) if isinstance(value, (list, dict)) else value
