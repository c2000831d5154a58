"""Which values there are: how many, which, and which of them most often.

Equal values are one value, and the oldest form of it is kept: of 1, 1.0 and True that which came first. NaNs are one
value where they are not skipped.
"""

# The methods are described once, in Aggregation.
# ruff: noqa: D102

from __future__ import annotations

import math
from typing import Any, ClassVar

import numpy as np

from sash import codec
from sash.aggregations.base import WithNan, built_in
from sash.aggregations.declared import Inputs, Result
from sash.aggregations.reading import is_nan, not_nan, plain
from sash.aggregations.running import Occurring, Running
from sash.errors import SnapshotError

__all__ = ["CollectDistinct", "CountDistinct", "Mode", "NUnique"]

#: How often each value occurs, in the order of first appearance.
Occurrences = dict[Any, int]


def _one_nan(value: Any) -> Any:
    """The value, plain. Dictionaries find a NaN by its identity, so there must be one NaN only; in tuples too."""
    if is_nan(value):
        return math.nan
    if isinstance(value, np.str_):
        return str(value)
    return tuple(map(_one_nan, value)) if type(value) is tuple else plain(value)


def hashable(value: Any) -> Any:
    """The value as a key of a dictionary; TypeError if it cannot be one."""
    key = _one_nan(value)
    try:
        hash(key)
    except TypeError:
        raise TypeError(
            f"a hashable value is needed, not {type(value).__name__} ({value!r:.60}): make a tuple or a text of it"
        ) from None
    return key


def added(older: Occurrences, newer: Occurrences) -> Occurrences:
    """Both counts in one, without a change to either. Keys of the older come first and keep their form.

    The larger of the two is copied as a whole; only the smaller is walked.
    """
    if not older or not newer:
        return newer or older
    if len(newer) <= len(older):
        both = older.copy()
        for value, count in newer.items():
            both[value] = both.get(value, 0) + count
        return both
    both = older | newer
    for value, count in older.items():
        both[value] = count + newer.get(value, 0)
    return both


def subtracted(whole: Occurrences, older: Occurrences) -> Occurrences:
    """The counts of the rest; values that are not in the rest are not in it."""
    rest = whole.copy()
    for value, count in older.items():
        left = rest.pop(value, 0) - count
        if left:
            rest[value] = left
    return rest


def read_keys(items: Any) -> list[Any]:
    """Values out of a snapshot, each of them once; `SnapshotError` if they are not."""
    keys = [_one_nan(item) for item in items]
    try:
        distinct = len(set(keys)) == len(keys)
    except TypeError:
        distinct = False
    if not distinct:
        raise SnapshotError("values that are not distinct in a snapshot of distinct values")
    return keys


class _Counting(WithNan):
    """A partial is the count of each value. Snapshots keep its order, which dictionaries of the codec do not."""

    size: ClassVar[str] = "grows with the distinct values"
    inputs: ClassVar[Inputs] = "distinct"
    identity: Occurrences = {}  # noqa: RUF012  no method changes a partial

    def lift(self, value: Any) -> Occurrences:
        return {hashable(not_nan(value, self.nan)): 1}

    def combine(self, older: Occurrences, newer: Occurrences) -> Occurrences:
        return added(older, newer)

    def encode(self, partial: Occurrences) -> bytes:
        return codec.dumps(list(partial.items()))

    def decode(self, data: bytes) -> Occurrences:
        match codec.loads(data):
            case [*pairs] if all(type(pair) is tuple and len(pair) == 2 for pair in pairs):
                counts = [count for _, count in pairs]
                if all(type(count) is int and count > 0 for count in counts):
                    return dict(zip(read_keys(value for value, _ in pairs), counts, strict=True))
        raise SnapshotError(f"not a partial of {type(self).__name__}: values and how often each occurs are needed")


@built_in
class CountDistinct(_Counting):
    """How many different values, exactly. Any hashable values; others are a TypeError. `NUnique`, the word of pandas
    and polars, is another name of it.

    Commutative, invertible, exact; 0 for an empty window. A partial holds every different value with its count: where
    there are very many, a sketch is smaller. Cost of combine: O(distinct values). A window
    need not combine: an insert or evict at any time and a query take O(1), and a query of a part of m events O(m).

    >>> shops = CountDistinct()
    >>> shops.lower(shops.combine(shops.lift("a"), shops.combine(shops.lift("b"), shops.lift("a"))))
    2
    >>> shops.lift(["a"])
    Traceback (most recent call last):
    ...
    TypeError: a hashable value is needed, not list (['a']): make a tuple or a text of it
    """

    commutative: ClassVar[bool] = True
    result: ClassVar[Result] = "int"

    def inverse(self, whole: Occurrences, older: Occurrences) -> Occurrences:
        return subtracted(whole, older)

    def running(self) -> Running | None:
        return Occurring()

    def lower(self, partial: Occurrences) -> int:
        return len(partial)

    def encode(self, partial: Occurrences) -> bytes:
        """The order means nothing here, so it leaves no trace."""
        return codec.dumps(sorted(partial.items(), key=codec.dumps))


#: The same class: the word of pandas and polars.
NUnique = CountDistinct


@built_in
class Mode(_Counting):
    """The most frequent value; of several, the one that appeared first. Any hashable values, of which few differ.

    Not commutative, not invertible (who came first is lost with the oldest events), exact; None for an empty window.
    Cost of combine: O(distinct values).

    >>> usual = Mode()
    >>> usual.lower(usual.combine(usual.lift("b"), usual.lift("a")))
    'b'
    """

    result: ClassVar[Result] = "value"

    def lower(self, partial: Occurrences) -> Any:
        return max(partial, key=partial.__getitem__, default=None)


@built_in
class CollectDistinct(WithNan):
    """The different values, in the order in which they first appear, in a list. Any hashable values.

    Not commutative, not invertible, exact; [] for an empty window. Cost of combine: O(distinct values).

    >>> shops = CollectDistinct()
    >>> shops.lower(shops.combine(shops.lift("b"), shops.combine(shops.lift("a"), shops.lift("b"))))
    ['b', 'a']
    """

    result: ClassVar[Result] = ["value"]
    size: ClassVar[str] = "grows with the distinct values"
    inputs: ClassVar[Inputs] = "distinct"
    #: The values are keys, in order; what they map to is nothing.
    identity: dict[Any, None] = {}  # noqa: RUF012  no method changes a partial

    def lift(self, value: Any) -> dict[Any, None]:
        return {hashable(not_nan(value, self.nan)): None}

    def combine(self, older: dict[Any, None], newer: dict[Any, None]) -> dict[Any, None]:
        if not older or not newer:
            return newer or older
        return older if newer.keys() <= older.keys() else older | newer

    def lower(self, partial: dict[Any, None]) -> list[Any]:
        return list(partial)

    def encode(self, partial: dict[Any, None]) -> bytes:
        return codec.dumps(list(partial))

    def decode(self, data: bytes) -> dict[Any, None]:
        values = codec.loads(data)
        if type(values) is not list:
            raise SnapshotError("not a partial of CollectDistinct: a list of values is needed")
        return dict.fromkeys(read_keys(values))
