"""Naive Bayes as an aggregation: what the classifier needs to know are counts and moments, and these are mergeable.

(Izbicki, Algebraic classifiers, 2013.)
"""

# The methods are described once, in Aggregation.
# ruff: noqa: D102

from __future__ import annotations

import math
from collections.abc import Mapping
from itertools import zip_longest
from typing import Any, ClassVar

import numpy as np

from sash import codec
from sash.aggregations.base import Aggregation, OnNan, Where, built_in, check_nan
from sash.aggregations.bayes_model import EMPTY, BayesModel, Feature, merged
from sash.aggregations.declared import Inputs, Result
from sash.aggregations.distinct import hashable, read_keys
from sash.aggregations.options import check_positive
from sash.aggregations.reading import is_nan, is_null, not_nan, read_real
from sash.aggregations.rounding import near
from sash.errors import SnapshotError

__all__ = ["NaiveBayes"]

#: Of each label, in the order of first appearance: how many events, and what is known of each feature among them.
Classes = dict[Any, tuple[int, tuple[Feature, ...]]]


@built_in
class NaiveBayes(Aggregation):
    """A classifier of the events in the window: a `BayesModel` with `predict` and `predict_proba`.

    Values are tuples (label, feature, feature, ...). A feature that is a number is Gaussian; anything else hashable is
    a category, whose counts are smoothed by adding `smoothing` to each. Write a category that is a number as a text. An
    event with a null in it is passed over.

    Not commutative (labels stay in the order in which they appeared), not invertible, rounded; a model without classes
    for an empty window. Cost of combine: O(labels * (features + categories)).

    >>> likely = NaiveBayes("fraud", "amount", "country")
    >>> events = [("no", 10.0, "de"), ("no", 12.0, "de"), ("yes", 90.0, "us"), ("yes", 95.0, "de")]
    >>> total = likely.identity
    >>> for event in events:
    ...     total = likely.combine(total, likely.lift(event))
    >>> likely.lower(total).predict((80.0, "us"))
    'yes'
    """

    defaults: ClassVar[Mapping[str, Any]] = {"smoothing": 1.0, "nan": "skip"}
    exact: ClassVar[bool] = False
    inputs: ClassVar[Inputs] = "labelled"
    result: ClassVar[Result] = "object"
    gives: ClassVar[str] = "BayesModel"
    size: ClassVar[str] = "grows with labels, features and categories"
    identity: Classes = {}  # noqa: RUF012  no method changes a partial

    def __init__(
        self, label: str | None = None, *features: str, smoothing: float = 1.0, nan: OnNan = "skip", where: Where = None
    ) -> None:
        if label is None and features:
            raise TypeError('NaiveBayes reads the label first, then the features: ("fraud", "amount", "country")')
        if label is not None and not features:
            raise TypeError(f"NaiveBayes reads at least one feature beside the label {label!r}, and none was given")
        self.column = None if label is None else (label, *features)
        self.smoothing = check_positive("smoothing", smoothing)
        self.nan = check_nan(nan)

    def skips(self, value: Any) -> bool:
        """An event is passed over if its label or a feature is null."""
        if is_null(value):
            return True
        parts = self._parts(value)
        return any(map(is_null, parts)) or (self.nan == "skip" and any(map(is_nan, parts)))

    def lift(self, value: Any) -> Classes:
        label, *features = (not_nan(part, self.nan) for part in self._parts(value))
        return {hashable(label): (1, tuple(map(_lifted, features)))}

    def _parts(self, value: Any) -> tuple[Any, ...]:
        wanted = len(self.columns)
        if isinstance(value, (tuple, list)) and (len(value) == wanted if wanted else len(value) >= 2):
            return tuple(value)
        names = ", ".join(self.columns) or "label, feature, ..."
        raise TypeError(f"a tuple ({names}) is needed, not {type(value).__name__} ({value!r:.60})")

    def combine(self, older: Classes, newer: Classes) -> Classes:
        if not older or not newer:
            return newer or older
        both = older | newer
        for label in older.keys() & newer.keys():
            (count_a, features_a), (count_b, features_b) = older[label], newer[label]
            pairs = zip_longest(features_a, features_b, fillvalue=EMPTY)
            both[label] = count_a + count_b, tuple(merged(a, b) for a, b in pairs)
        for label in older.keys() - newer.keys():
            both[label] = older[label]
        return both

    def lower(self, partial: Classes) -> BayesModel:
        return BayesModel(dict(partial), self.columns[1:], self.smoothing)

    def close(self, one: Classes, other: Classes) -> bool:
        """Whether two partials differ by rounding only, which is relative to the size of the numbers."""
        if list(one) != list(other) or any(one[label][0] != other[label][0] for label in one):
            return False
        pairs = [zip_longest(one[label][1], other[label][1], fillvalue=EMPTY) for label in one]
        return all(_close(a, b) for features in pairs for a, b in features)

    def encode(self, partial: Classes) -> bytes:
        return codec.dumps([(label, *known) for label, known in partial.items()])

    def decode(self, data: bytes) -> Classes:
        match codec.loads(data):
            case [*entries] if all(map(_is_entry, entries)):
                labels = read_keys(label for label, _, _ in entries)
                return {label: (entry[1], entry[2]) for label, entry in zip(labels, entries, strict=True)}
        raise SnapshotError("not a partial of NaiveBayes: labels, their counts and their features are needed")


def _lifted(feature: Any) -> Feature:
    if isinstance(feature, (int, float, np.integer, np.floating)) and not isinstance(feature, (bool, np.timedelta64)):
        return 1, read_real(feature), 0.0, {}
    return 0, 0.0, 0.0, {hashable(feature): 1}


def _close(a: Feature, b: Feature) -> bool:
    scale = max(1.0, abs(a[1]), math.sqrt(abs(a[2])))
    return a[0] == b[0] and a[3] == b[3] and near(a[1], b[1], scale) and near(a[2], b[2], scale * scale)


def _is_entry(entry: Any) -> bool:
    match entry:
        case (_, int(count), tuple(features)):
            return count > 0 and all(map(_is_feature, features))
    return False


def _is_feature(feature: Any) -> bool:
    match feature:
        case (int(count), float(), float(), dict(categories)):
            return count >= 0 and all(type(times) is int and times > 0 for times in categories.values())
    return False
