"""What naive Bayes knows of the features, and the classifier that it makes of it."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property, reduce
from itertools import zip_longest
from typing import Any, Final

import numpy as np

from sash.aggregations.distinct import Occurrences, added, hashable
from sash.aggregations.reading import is_nan, read_real

__all__ = ["EMPTY", "BayesModel", "Feature", "merged"]

#: Of the numbers: count, mean, sum of the squared distances from it. Of all else: how often each category occurs.
Feature = tuple[int, float, float, Occurrences]

EMPTY: Final[Feature] = (0, 0.0, 0.0, {})

#: The share of a feature's variance that is added to that of each class, so that none is 0.
_LEAST_VARIANCE: Final = 1e-9
#: The least logarithm of a density.
_FARTHEST: Final = -1e300


def merged(older: Feature, newer: Feature) -> Feature:
    """Two features as one: centred moments merge, counts add up."""
    categories = added(older[3], newer[3])
    if older[0] == 0 or newer[0] == 0:
        return (*(newer[:3] if older[0] == 0 else older[:3]), categories)
    count = older[0] + newer[0]
    apart = newer[1] - older[1]
    share = newer[0] / count
    return (
        count,
        older[1] + apart * share,
        older[2] + newer[2] + apart * apart * share * older[0],
        categories,
    )


@dataclass(frozen=True)
class BayesModel:
    """A naive Bayes classifier: which label the features of an event point to.

    Features are given in the order of the columns, or as a mapping by their names. A null, and what the model has seen
    nothing of, is left out of the reckoning. Cost of a prediction: O(labels * features).

    >>> from sash import NaiveBayes
    >>> likely = NaiveBayes()
    >>> model = likely.lower(likely.combine(likely.lift(("cat", "meows")), likely.lift(("dog", "barks"))))
    >>> model.labels, model.predict(["barks"])
    (('cat', 'dog'), 'dog')
    >>> round(model.predict_proba(["barks"])["dog"], 6)
    0.666667
    """

    #: Of each label: how many events, and what is known of each feature among them.
    classes: Mapping[Any, tuple[int, tuple[Feature, ...]]]
    #: The names of the features; none where values were passed directly.
    names: tuple[str, ...] = ()
    #: What is added to the count of each category.
    smoothing: float = 1.0

    @property
    def labels(self) -> tuple[Any, ...]:
        """The labels, in the order in which they appeared."""
        return tuple(self.classes)

    @property
    def count(self) -> int:
        """How many events the model has seen."""
        return sum(count for count, _ in self.classes.values())

    def predict(self, features: Sequence[Any] | Mapping[str, Any]) -> Any:
        """The most probable label; the oldest on ties; None if the model has seen nothing."""
        chances = self.predict_proba(features)
        return max(chances, key=chances.__getitem__, default=None)

    def predict_proba(self, features: Sequence[Any] | Mapping[str, Any]) -> dict[Any, float]:
        """The probability of each label; they add up to 1."""
        given = self._in_order(features)
        scores = {label: self._score(label, given) for label in self.classes}
        highest = max(scores.values(), default=0.0)
        chances = {label: math.exp(score - highest) for label, score in scores.items()}
        total = sum(chances.values())
        return {label: chance / total for label, chance in chances.items()}

    def _in_order(self, features: Sequence[Any] | Mapping[str, Any]) -> list[Any]:
        if isinstance(features, Mapping):
            return [features.get(name) for name in self.names]
        if isinstance(features, str):
            raise TypeError(f"features are a list or a mapping by name, not a text ({features!r:.60})")
        return list(features)

    def _score(self, label: Any, features: list[Any]) -> float:
        """The logarithm of the probability, but for a constant."""
        count, known = self.classes[label]
        score = math.log(count / self.count)
        size = len(features)
        triples = zip(features, _padded(known, size), _padded(self._everywhere, size), strict=True)
        for feature, here, everywhere in triples:
            if feature is not None and not is_nan(feature):
                score += self._log_likelihood(feature, here, everywhere)
        return score

    @cached_property
    def _everywhere(self) -> tuple[Feature, ...]:
        """What is known of each feature over all classes."""
        columns = zip_longest(*(known for _, known in self.classes.values()), fillvalue=EMPTY)
        return tuple(reduce(merged, column, EMPTY) for column in columns)

    def _log_likelihood(self, feature: Any, here: Feature, everywhere: Feature) -> float:
        if isinstance(feature, (int, float, np.integer, np.floating)) and not isinstance(feature, bool):
            return _log_density(read_real(feature), here, everywhere)
        key, seen = hashable(feature), everywhere[3]
        if not seen:
            return 0.0
        kinds = len(seen) + (key not in seen)
        count = here[3].get(key, 0) + self.smoothing
        return math.log(count / (sum(here[3].values()) + self.smoothing * kinds))


def _padded(known: tuple[Feature, ...], size: int) -> tuple[Feature, ...]:
    return known[:size] + (EMPTY,) * (size - len(known))


def _log_density(number: float, here: Feature, everywhere: Feature) -> float:
    """Of the normal distribution of the class; of all classes where this one has no number."""
    if not everywhere[0]:
        return 0.0
    count, mean, spread, _ = here if here[0] else everywhere
    overall = everywhere[2] / everywhere[0] or max(1.0, everywhere[1] * everywhere[1])
    variance = spread / count + _LEAST_VARIANCE * overall
    distance = (number - mean) / math.sqrt(variance)
    # However far a number lies, its chances stay comparable: no infinity is subtracted from another.
    return max(_FARTHEST, -0.5 * (math.log(2 * math.pi * variance) + distance * distance))
