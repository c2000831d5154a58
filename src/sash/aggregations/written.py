"""An aggregation as it is written in a call, `Quantile("amount", q=0.95)`: what its repr prints, read again."""

from __future__ import annotations

import ast
from typing import Any

from sash.aggregations.base import Aggregation, built_ins
from sash.errors import AggregationError
from sash.suggestions import nearest

__all__ = ["read_call"]


def read_call(text: str) -> Aggregation:
    """The built-in aggregation that the text calls; `AggregationError` if it calls none. Nothing in it is run.

    >>> read_call('ArgMax("amount", "shop")')
    ArgMax("amount", "shop")
    >>> read_call("Summ('amount')")
    Traceback (most recent call last):
    ...
    sash.errors.AggregationError: 'Summ' is no built-in aggregation: did you mean 'Sum'?
    """
    call = _call(text)
    name = call.func.id if isinstance(call.func, ast.Name) else ""
    if name not in built_ins():
        raise AggregationError(f"{name or text!r} is no built-in aggregation{_nearest(name)}")
    columns = [_constant(argument, text) for argument in call.args]
    if other := [column for column in columns if not isinstance(column, str)]:
        known = [option for option in getattr(built_ins()[name], "defaults", ()) if option != "nan"]
        way = f"write an option with its name, {known[0]}={other[0]!r}" if known else "columns are texts in quotes"
        raise AggregationError(f"{other[0]!r} in {text!r:.80} is not a column: {way}")
    options = {str(keyword.arg): _constant(keyword.value, text) for keyword in call.keywords}
    return Aggregation.from_dict({"name": name, "columns": columns, "options": options})


def _call(text: str) -> ast.Call:
    try:
        tree = ast.parse(text.strip(), mode="eval").body
    except (SyntaxError, ValueError):
        tree = None
    if isinstance(tree, ast.Name):
        return ast.Call(tree, [], [])
    if not isinstance(tree, ast.Call):
        raise AggregationError(f'{text!r:.80} calls no aggregation: write it as Sum("amount")')
    return tree


def _constant(node: ast.expr, text: str) -> Any:
    try:
        return ast.literal_eval(node)
    except ValueError:
        raise AggregationError(
            f"{ast.unparse(node)} in {text!r:.80} is no plain value: columns are texts in quotes, options plain values"
        ) from None


def _nearest(name: str) -> str:
    found = nearest(name, built_ins())
    return f": there are {', '.join(sorted(built_ins()))}" if found is None else f": did you mean {found!r}?"
