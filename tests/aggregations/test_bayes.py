"""The naive Bayes classifier: what it predicts, beside a direct computation."""

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import sash

from .cases import NAN, labelled, result

EVENTS = [("no", 10.0, "de"), ("no", 12.0, "de"), ("no", 11.0, "fr"), ("yes", 90.0, "us"), ("yes", 95.0, "de")]


def probabilities(events, number, colour, smoothing):
    """Bayes' theorem from the events themselves, nothing merged."""
    numbers = np.array([event[1] for event in events], float)
    overall = numbers.var() or max(1.0, numbers.mean() ** 2)
    colours = {event[2] for event in events} | {colour}
    joint = {}
    for label in dict.fromkeys(event[0] for event in events):
        own = [event for event in events if event[0] == label]
        values = np.array([event[1] for event in own], float)
        variance = values.var() + 1e-9 * overall
        density = -0.5 * (math.log(2 * math.pi * variance) + (number - values.mean()) ** 2 / variance)
        share = (sum(event[2] == colour for event in own) + smoothing) / (len(own) + smoothing * len(colours))
        joint[label] = math.log(len(own) / len(events)) + density + math.log(share)
    highest = max(joint.values())
    total = sum(math.exp(score - highest) for score in joint.values())
    return {label: math.exp(score - highest) / total for label, score in joint.items()}


@given(st.lists(labelled, min_size=1, max_size=20), st.integers(-10, 10), st.sampled_from(["red", "blue", "new"]))
def test_probabilities_are_those_of_bayes_theorem(events, number, colour):
    """Gaussian numbers, smoothed categories, priors by count."""
    # Numbers that nearly agree make densities that rounding moves by orders of magnitude.
    events = [(label, round(value, 1), kind) for label, value, kind in events]
    model = result(sash.NaiveBayes(smoothing=0.5), events)
    expected = probabilities(events, number, colour, 0.5)
    found = model.predict_proba((number, colour))
    assert list(found) == list(expected)
    assert sum(found.values()) == pytest.approx(1.0)
    for label, chance in expected.items():
        assert found[label] == pytest.approx(chance, rel=1e-3, abs=1e-6)


def test_a_model_predicts():
    """By position, and by name where the columns have names."""
    model = result(sash.NaiveBayes("fraud", "amount", "country"), EVENTS)
    assert model.labels == ("no", "yes")
    assert model.count == 5
    assert model.predict((80.0, "us")) == "yes"
    assert model.predict({"amount": 9, "country": "de"}) == "no"
    with pytest.raises(TypeError, match="not a text"):
        model.predict("us")


def test_what_is_not_known_is_left_out():
    """A null feature, a NaN, a feature that no event has."""
    model = result(sash.NaiveBayes(), EVENTS)
    assert model.predict_proba((None, NAN)) == pytest.approx({"no": 0.6, "yes": 0.4})
    assert model.predict_proba(()) == pytest.approx({"no": 0.6, "yes": 0.4})
    assert model.predict_proba((None, None, "more")) == pytest.approx({"no": 0.6, "yes": 0.4})
    assert model.predict((math.inf, None)) in ("no", "yes")


def test_a_class_without_numbers_is_judged_by_those_of_all():
    """Or it would win wherever numbers count."""
    model = result(sash.NaiveBayes(), [("a", 1.0), ("a", 3.0), ("b", "none"), ("b", "none")])
    chances = model.predict_proba((2.0,))
    assert chances["a"] == pytest.approx(chances["b"])


def test_a_model_of_nothing_predicts_nothing():
    """And has no labels."""
    model = sash.NaiveBayes().empty
    assert model.labels == ()
    assert model.predict((1, 2)) is None
    assert model.predict_proba((1, 2)) == {}


def test_the_oldest_label_wins_a_tie():
    """As everywhere."""
    assert result(sash.NaiveBayes(), [("b", "x"), ("a", "x")]).predict(("x",)) == "b"


def test_events_with_a_null_are_passed_over():
    """In the label or in a feature."""
    events = [*EVENTS, (None, 1.0, "de"), ("yes", None, "de"), ("yes", NAN, "de"), ("yes", 1.0, None), None]
    assert result(sash.NaiveBayes(), events) == result(sash.NaiveBayes(), EVENTS)


@pytest.mark.parametrize("value", [3, ("label",), "ab"], ids=repr)
def test_what_is_no_labelled_event_is_a_type_error(value):
    """A label and at least one feature; as many as there are columns."""
    with pytest.raises(TypeError, match=r"a tuple \(label, feature, ...\) is needed"):
        sash.NaiveBayes().skips(value)
    with pytest.raises(TypeError, match=r"a tuple \(fraud, amount\) is needed"):
        sash.NaiveBayes("fraud", "amount").lift(("yes", 1.0, "de"))


def test_an_unhashable_label_or_category_is_a_type_error():
    """It cannot be counted."""
    for value in (([], 1.0), ("yes", [1])):
        with pytest.raises(TypeError, match="a hashable value is needed"):
            sash.NaiveBayes().lift(value)
