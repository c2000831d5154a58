"""Every error of Sash is one of Python's, and says the way out."""

import inspect

import pytest

from sash import errors

BUILT_IN = {
    "AggregationError": TypeError,
    "EmptyWindowError": IndexError,
    "LateEventError": ValueError,
    "OutOfOrderError": ValueError,
    "PipelineError": ValueError,
    "PlanError": ValueError,
    "SnapshotError": ValueError,
    "StoreError": OSError,
    "WindowSpecError": ValueError,
}


def test_the_list_of_errors_is_complete():
    """Each class in the module is public and known here."""
    classes = {name for name, cls in vars(errors).items() if inspect.isclass(cls)}
    assert classes == set(errors.__all__) == {"SashError", *BUILT_IN}


@pytest.mark.parametrize("name", BUILT_IN)
def test_an_error_is_a_built_in_one_and_a_sash_error(name):
    """Code that knows nothing of Sash can catch it; code that knows Sash can catch them all."""
    error = getattr(errors, name)
    assert issubclass(error, BUILT_IN[name])
    assert issubclass(error, errors.SashError)


@pytest.mark.parametrize("name", BUILT_IN)
def test_an_error_says_when_it_is_raised_and_the_way_out(name):
    """The docstring is the contract of the error."""
    assert "Way out:" in getattr(errors, name).__doc__


@pytest.mark.parametrize("name", BUILT_IN)
def test_an_error_keeps_its_message(name):
    """Nothing is lost between two bases."""
    with pytest.raises(errors.SashError, match="the rule, the value, the way out"):
        raise getattr(errors, name)("the rule, the value, the way out")
