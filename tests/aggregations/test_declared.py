"""What an aggregation declares is true of it: what it takes, what its result is, which row it picks."""

import math
from collections.abc import Mapping
from typing import get_args

import pytest

import sash
from sash.aggregations.base import built_ins
from sash.aggregations.declared import Inputs, Pick
from sash.testing import nasty_values

from .cases import result

BUILT_INS = [make() for make in built_ins().values()]
WORDS = {"int": int, "float": float, "bool": bool, "str": str, "bytes": bytes}
#: Ordinary values, where those of the laws are too wild to have a result.
TAMED = {
    "positive": [1, 2.5],
    "number": [3, 1, 2],
    "real": [3, 1.5, 2, 7],
    "keyed": [(1, "a"), (2, "b")],
    "integer": [1, 6],
}
TAMED |= {"pair": [(1, 2), (2, 3.5), (4, 4)], "weighted": [(1, 2), (2, 3.5)], "plain": ["a", 1, 1.0, b"a"]}


def values_of(over):
    """Values that it takes."""
    given = TAMED.get(over.inputs) or nasty_values(over)
    return [value for value in given if not over.skips(value)]


def fits(found, declared, values):
    """Whether a result is what was declared."""
    if isinstance(declared, list):
        return isinstance(found, (list, tuple)) and all(fits(one, declared[0], values) for one in found)
    if isinstance(declared, Mapping):
        return found._fields == tuple(declared) and all(
            fits(getattr(found, name), part, values) for name, part in declared.items()
        )
    if declared in WORDS:
        return type(found) is WORDS[declared]
    if declared in ("value", "item"):
        return any(found == value or (found != found and value != value) for value in values)
    return {
        "number": lambda: type(found) is (int if all(type(value) is int for value in values) else float),
        "argument": lambda: found in [value[1] for value in values],
        "time": lambda: found in range(len(values)),
        "object": lambda: not isinstance(found, (int, float, str, tuple, list)),
    }[declared]()


@pytest.mark.parametrize("over", BUILT_INS, ids=repr)
def test_a_built_in_declares_what_it_takes_and_gives(over):
    """With the words that there are, and no others."""
    assert over.inputs in get_args(Inputs)
    assert over.inputs
    assert over.result is not None
    assert over.picks is None or over.picks in get_args(Pick)
    values = values_of(over)
    assert fits(result(over, values), over.result, values)


@pytest.mark.parametrize("over", BUILT_INS, ids=repr)
def test_what_the_compiled_twin_declares_fits_the_definition(over):
    """A kernel of frames has a fixed partial; a result of one number or truth is one word."""
    native = over.native()
    if native is None:
        return
    assert native.fixed >= native.batch
    if native.fixed and native.row is not None:
        assert native.row.parts[0].several == (not isinstance(over.result, str))
        assert native.row.timed == over.timed
    if native.batch:
        assert over.fewest >= (over.empty is None)


def test_one_that_changes_a_built_in_declares_anew():
    """What was true of the built-in one is not taken for true of it."""

    class Half(sash.Sum):
        def lower(self, partial):
            return partial / 2

    class Named(sash.ArgMax):
        result = "str"

        def lower(self, partial):
            return str(super().lower(partial))

    class Total(sash.Sum):
        """The same under another name."""

    assert (Half().native(), Half().result, Half().gives) == (None, None, "a value")
    assert Half.inputs == "number"
    assert (Named().native(), Named().result, Named().picks, Named().gives) == (None, "str", None, "str")
    assert Total().native() == sash.Sum().native()
    assert Total().result == "number"


def test_one_that_changes_what_is_picked_picks_nothing():
    """So frames run its methods."""

    class Loud(sash.Last):
        def lower(self, partial):
            return partial[0].upper() if partial else None

    out = sash.rolling({"s": ["a", "b"]}, window=2, loud=Loud("s"))
    assert list(out["loud"]) == ["A", "B"]


def test_one_of_your_own_is_asked_as_the_built_in_ones_are():
    """It says what it reads, so a frame of something else is refused before it runs."""

    class Energy(sash.Aggregation):
        identity = 0.0
        inputs = "real"
        result = "float"
        column = "x"

        def lift(self, value):
            return value * value

        def combine(self, older, newer):
            return older + newer

        def lower(self, partial):
            return math.sqrt(partial)

    assert (Energy.takes, Energy.gives) == ("numbers", "float")
    assert sash.rolling({"x": [3.0, 4.0]}, window=2, e=Energy())["e"].tolist() == [3.0, 5.0]
    with pytest.raises(sash.PlanError, match="reads numbers, and column 'x' is"):
        sash.rolling({"x": ["a", "b"]}, window=2, e=Energy())


def test_result_types_are_in_one_place():
    """And not among the aggregations."""
    assert not set(sash.results.__all__) & set(sash.__all__)
    assert sash.results.QuantileEstimate is type(result(sash.ApproxQuantiles(), [1])[0])
    assert all(isinstance(getattr(sash.results, name), type) for name in sash.results.__all__)
