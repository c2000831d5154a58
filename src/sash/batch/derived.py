"""Expressions over results: columns behind those that aggregations make."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TypeVar

import numpy as np

from sash.batch.slides import slides
from sash.errors import PlanError
from sash.frames.base import Foreign, Frame, Numbers, NumberType, ResultColumn, Taken, Values
from sash.operands import Operand
from sash.plan import Plan

__all__ = ["expression_problems", "with_expressions"]

#: Results of the frame itself, or those of another one too.
Given = TypeVar("Given", ResultColumn, ResultColumn | Foreign)


def expression_problems(plan: Plan, made: Sequence[str], known: Sequence[str]) -> list[str]:
    """Which expressions of a plan read what is neither made before them nor a column, or have the name of such. Slides
    are no rows, and have results alone.

    >>> import sash
    >>> share = sash.col("spent_1h") / sash.col("spent_7d")
    >>> plan = sash.Plan(on="t", windows="1h", aggregations={"spent": sash.Sum("x")}, expressions={"share": share})
    >>> expression_problems(plan, ["spent_1h"], ["t"])
    ["expression 'share': there is no result and no column 'spent_7d': there are 'spent_1h', 't'"]
    """
    problems, there = [], [*made, *([] if slides(plan) else known)]
    for name, expression in plan.expressions.items():
        missing = [column for column in expression.columns if column not in there]
        rest = f"there are {', '.join(map(repr, there))}"
        problems += [f"expression {name!r}: there is no result and no column {column!r}: {rest}" for column in missing]
        if name in there:
            problems.append(f"expression {name!r}: there is a column of that name already: rename the expression")
        there.append(name)
    return problems


def with_expressions(
    plan: Plan, frame: Frame, results: Mapping[str, Given], rows: int | None = None
) -> dict[str, Given | Numbers]:
    """The results, and the plan's expressions over them and over the columns of the frame behind them. `rows` says how
    many results there are, where they are not those of the frame's rows."""
    found: dict[str, Given | Numbers] = dict(results)
    count = frame.rows if rows is None else rows
    read: list[Operand] = []

    def operand(name: str) -> Operand:
        read.append(_read(name, frame, found))
        return read[-1]

    for name, expression in plan.expressions.items():
        try:
            found[name] = _numbers(_owned(expression.over(operand, count), read))
        except (TypeError, OverflowError) as error:
            error.add_note(f"in {name!r}, {expression!r}")
            raise
    return found


def _read(name: str, frame: Frame, found: Mapping[str, Given | Numbers]) -> Operand:
    if name not in found:
        return _operand(name, frame.values(name))
    result = found[name]
    if isinstance(result, Foreign):
        return _result(name, result.result, result.frame)
    return _result(name, result, frame)


def _owned(made: Operand, read: Sequence[Operand]) -> Operand:
    """A result in memory of its own: what is nothing but a column would lie in that of the frame, and whoever writes to
    the one would change the other."""
    if any(np.may_share_memory(made.values, one.values) for one in read):
        return Operand(made.values.copy(), made.valid)
    return made


def _result(name: str, result: ResultColumn, source: Frame) -> Operand:
    if isinstance(result, Numbers):
        values = result.values.astype(np.bool_) if result.type == "bool" else result.values
        return _without_nan(Operand(values, result.valid))
    if not isinstance(result, Taken):
        raise PlanError(f"the result {name!r} is no column of numbers, and expressions are over those")
    whole, taken = _operand(name, source.values(result.column)), result.rows >= 0
    rows = np.where(taken, result.rows, 0)
    if not len(whole.values):
        return Operand(np.zeros(len(rows)), taken)
    return Operand(whole.values[rows], taken & whole.there[rows])


def _operand(name: str, values: Values) -> Operand:
    if values.numbers is None:
        raise PlanError(f"the column {name!r} is {values.name}, and expressions over results are over numbers")
    numbers = values.numbers.astype(np.bool_) if values.type == "bool" else values.numbers
    return _without_nan(Operand(numbers, None if values.nulls is None else values.nulls == 0))


def _without_nan(operand: Operand) -> Operand:
    """A NaN is a null."""
    if operand.values.dtype.kind != "f":
        return operand
    return Operand(operand.values, operand.there & ~np.isnan(operand.values))


def _numbers(operand: Operand) -> Numbers:
    kinds: dict[str, NumberType] = {"b": "bool", "f": "real"}
    valid = None if operand.there.all() else operand.there
    return Numbers(operand.values, valid, kinds.get(operand.values.dtype.kind, "integer"), True)
