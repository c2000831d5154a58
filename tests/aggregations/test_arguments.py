"""What a constructor takes is seen before it is called, and a wrong argument is named in the words of its class."""

from __future__ import annotations

import inspect
from collections.abc import Callable
from typing import Any

import pytest

import sash
from sash.aggregations import built_ins


@pytest.mark.parametrize("name", sorted(built_ins()))
def test_a_signature_names_what_an_aggregation_takes(name: str) -> None:
    """Each option, and `where`: what `help` and notebooks show."""
    cls: Any = built_ins()[name]
    shown = inspect.signature(cls).parameters
    assert {*cls.defaults, "where"} <= shown.keys()
    assert "self" not in shown
    assert all(one.kind is not one.VAR_KEYWORD for one in shown.values())


def test_a_signature_of_your_own_is_yours() -> None:
    """A class with a constructor of its own shows that one."""

    class Scaled(sash.Sum):
        def __init__(self, column: str, factor: float) -> None:
            super().__init__(column)
            self.factor = factor

    assert list(inspect.signature(Scaled).parameters) == ["column", "factor"]
    with pytest.raises(
        TypeError, match=r"^Scaled: missing a required argument: 'factor': it is Scaled\(column, factor\)$"
    ):
        Scaled("x")  # type: ignore[call-arg]


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (
            lambda: sash.Sum("a", "b"),
            "Sum: too many positional arguments: it is Sum(column=None, *, nan='skip', where=None)",
        ),
        (
            lambda: sash.Std("a", dof=0),
            "Std: got an unexpected keyword argument 'dof': it is Std(column=None, *, ddof=1,",
        ),
        (lambda: sash.Composite(sash.Sum()), "Composite: too many positional arguments: it is Composite(**members)"),
        (lambda: sash.Sum(5), "a column is named by a text, not int (5)"),
        (lambda: sash.Sum(["a", "b"]), "a column is named by a text, not list (['a', 'b'])"),
        (lambda: sash.Any(5), "a column is named by a text, not int (5)"),
        (lambda: sash.TopK("a", 3), "a column is named by a text, not int (3): write k=3"),
        (lambda: sash.Quantiles([0.1, 0.9]), "a column is named by a text, not list ([0.1, 0.9]): write at=[0.1, 0.9]"),
    ],
)
def test_a_wrong_argument_is_named(call: Callable[[], Any], message: str) -> None:
    """With what the class takes, not with the class that it inherits from."""
    with pytest.raises(TypeError) as error:
        call()
    assert str(error.value).startswith(message)


def test_an_error_in_a_constructor_is_its_own() -> None:
    """Arguments that fit are not blamed for it."""

    class Broken(sash.Sum):
        def __init__(self, column: str) -> None:
            raise TypeError("something else")

    with pytest.raises(TypeError, match=r"^something else$"):
        Broken("x")


def test_ranks_may_follow_the_column() -> None:
    """As the rank of a `Quantile` does."""
    assert sash.Quantiles("x", [0.1, 0.9]) == sash.Quantiles("x", at=[0.1, 0.9])
    assert sash.ApproxQuantiles("x", [0.1, 0.9]) == sash.ApproxQuantiles("x", at=[0.1, 0.9])
