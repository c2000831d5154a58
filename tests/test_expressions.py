"""Expressions: one row at a time and whole columns give the same, by the rules of SQL's nulls."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import sash
from sash.expressions import Expression
from sash.operands import Operand

NUMBERS = st.one_of(st.none(), st.integers(-3, 3), st.sampled_from([-1.5, 0.0, math.nan, math.inf]))
ROWS = st.lists(
    st.fixed_dictionaries(
        {"a": NUMBERS, "b": NUMBERS, "s": st.sampled_from([None, "x", "y"]), "p": st.sampled_from([None, True, False])}
    ),
    max_size=6,
)


def _operators(*words: str) -> Any:
    return st.sampled_from(words)


numbers = st.recursive(
    st.one_of(
        st.sampled_from([sash.col("a"), sash.col("b")]),
        st.integers(-2, 2).map(lambda value: Expression("value", (value,))),
    ),
    lambda inner: st.builds(
        lambda op, one, two: Expression(op, (one, two)), _operators("+", "-", "*", "/"), inner, inner
    ),
    max_leaves=4,
)
conditions = st.recursive(
    st.one_of(
        st.builds(
            lambda op, one, two: Expression(op, (one, two)),
            _operators("<", "<=", "==", "!=", ">=", ">"),
            numbers,
            numbers,
        ),
        st.sampled_from(
            [sash.col("p"), sash.col("s") == "x", sash.col("s").is_in(["y", "z"]), sash.col("s").is_null()]
        ),
    ),
    lambda inner: st.one_of(
        st.builds(lambda op, one, two: Expression(op, (one, two)), _operators("&", "|"), inner, inner),
        inner.map(lambda one: ~one),
    ),
    max_leaves=5,
)


def column(rows: list[Any], name: str) -> Operand:
    """A column of objects; a NaN is a null."""
    values = np.empty(len(rows), object)
    values[:] = [row[name] for row in rows]
    return Operand(values, np.array([value is not None and value == value for value in values.tolist()], np.bool_))


@given(ROWS, conditions)
def test_a_row_and_a_column_give_the_same_truths(rows: list[Any], condition: Expression) -> None:
    """True, false and null, whatever the condition; described and read again, it is the same."""
    found = condition.over(lambda name: column(rows, name), len(rows))
    columns = [bool(value) if there else None for value, there in zip(found.values, found.there, strict=True)]
    assert columns == [condition.read(row) for row in rows]
    again = Expression.from_dict(condition.to_dict())
    assert again.same(condition)
    assert repr(again) == repr(condition)


@given(ROWS, numbers)
def test_a_row_and_a_column_give_the_same_numbers(rows: list[Any], number: Expression) -> None:
    """What is divided by zero is null; a NaN that arithmetic makes is one."""
    found = number.over(lambda name: column(rows, name), len(rows))
    ours = [float(value) if there else None for value, there in zip(found.values, found.there, strict=True)]
    theirs = [None if value is None else float(value) for value in map(number.read, rows)]
    for one, two in zip(ours, theirs, strict=True):
        assert (one is None) == (two is None)
        assert one is None or two is None or one == two or (math.isnan(one) and math.isnan(two))


@pytest.mark.parametrize("value", [np.arange(3), [1, 2], (1,), {"a": 1}], ids=repr)
def test_a_value_is_the_same_in_all_rows(value: Any) -> None:
    """A plan is about any frame: an array is the column of one."""
    with pytest.raises(TypeError, match="a value is the same in all rows"):
        sash.col("a") * value


@pytest.mark.parametrize("compute", [lambda s: s / sash.Count(), lambda s: 2 * s, lambda s: s - 1], ids=["/", "*", "-"])
def test_results_are_computed_with_not_aggregations(compute: Any) -> None:
    """The error shows how a ratio is written."""
    with pytest.raises(TypeError, match="is no number to compute with, but its results are"):
        compute(sash.Sum("amount"))
