"""The keys of a bucket as small numbers that stay the same from batch to batch."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from typing import Any

import numpy as np
import numpy.typing as npt
import pyarrow as pa

from sash import _core
from sash.frames.arrow import ArrowFrame
from sash.frames.base import joined

__all__ = ["KeyCodes"]

Codes = npt.NDArray[np.int64]


class KeyCodes:
    """Numbers for keys of any types, nulls included. Python looks at the different keys of a batch, and not at those of
    one column of integers, which take some 40 bytes each.

    >>> codes = KeyCodes(["card"])
    >>> codes.of(pa.table({"card": ["a", "b", "a", None]})).tolist(), codes.of(pa.table({"card": [None, "c"]})).tolist()
    ([0, 1, 0, 2], [2, 3])
    """

    def __init__(self, columns: Sequence[str]) -> None:
        self._columns = list(columns)
        self._slots = _core.KeySlots()

    def __len__(self) -> int:
        return len(self._slots)

    def of(self, table: pa.Table) -> Codes:
        """The code of each row; a key that is new gets one. Cost: O(n), and O(1) in Python for each different key."""
        if not self._columns:
            self._slots.of([()])
            return np.zeros(table.num_rows, np.int64)
        if len(self._columns) == 1 and _are_integers(table.column(self._columns[0])):
            return self._slots.of_integers(np.asarray(table.column(self._columns[0]).cast(pa.int64())))
        frame = ArrowFrame(table.select(self._columns))
        local = joined([frame.codes(name) for name in self._columns])
        first = np.full(local.count, -1, np.int64)
        first[local.codes[::-1]] = np.arange(table.num_rows - 1, -1, -1)
        used = np.flatnonzero(first >= 0)
        keys = self._plain_keys(table.select(self._columns).take(pa.array(first[used])))
        lasting = np.empty(local.count, np.int64)
        lasting[used] = self._slots.of(keys)
        return lasting[local.codes]

    @property
    def bound(self) -> int:
        """All codes are below it."""
        return self._slots.bound()

    def key(self, code: int) -> Any:
        """The key of a code that is in use."""
        return self._slots.key(code)

    def keep(self, codes: Collection[int] | Codes) -> None:
        """All other codes are free for other keys. Cost: O(keys)."""
        gone = np.ones(self.bound, bool)
        gone[codes if isinstance(codes, np.ndarray) else np.fromiter(codes, np.int64, len(codes))] = False
        self._slots.drop(np.flatnonzero(gone))

    def memory(self) -> int:
        """About how many bytes it takes."""
        return self._slots.memory()

    def saved(self) -> list[Any]:
        """The keys in the order of their codes, of which none may be free."""
        return [self._slots.key(code) for code in range(self.bound)]

    def load(self, keys: Sequence[Any]) -> None:
        """Give keys the codes 0, 1, 2, where there are none yet."""
        self._slots.of(list(keys))

    @staticmethod
    def _plain_keys(keys: pa.Table) -> list[Any]:
        columns = [[_plain(value) for value in column.to_pylist()] for column in keys.columns]
        return columns[0] if len(columns) == 1 else list(zip(*columns, strict=True))


def _are_integers(column: pa.ChunkedArray) -> bool:
    """Whether all of them are, and fit in 64 bits with a sign."""
    return bool(pa.types.is_integer(column.type) and column.type != pa.uint64() and column.null_count == 0)


def _plain(value: Any) -> Any:
    """A key that can be looked up. NaN is a null here, as it is in frames."""
    if isinstance(value, float):
        return None if value != value else value
    return repr(value) if isinstance(value, (list, dict)) else value
