"""Columns under the operators of expressions: values with nulls, as in SQL."""

from __future__ import annotations

import operator
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, Final, TypeAlias

import numpy as np
import numpy.typing as npt

__all__ = [
    "ARITHMETIC",
    "COMPARISONS",
    "LOGIC",
    "Operand",
    "calculate",
    "calculate_one",
    "found_in",
    "inverted",
    "join",
    "join_one",
    "literal",
    "truth",
    "truths",
]

Marks: TypeAlias = npt.NDArray[np.bool_]

ARITHMETIC: Final[dict[str, Callable[[Any, Any], Any]]] = {
    "+": operator.add,
    "-": operator.sub,
    "*": operator.mul,
    "/": operator.truediv,
}
COMPARISONS: Final[dict[str, Callable[[Any, Any], Any]]] = {
    "<": operator.lt,
    "<=": operator.le,
    "==": operator.eq,
    "!=": operator.ne,
    ">=": operator.ge,
    ">": operator.gt,
}
LOGIC: Final = ("&", "|")


@dataclass(frozen=True)
class Operand:
    """A column of values, and which of them are there; None for all. Values that are not there may be anything."""

    values: npt.NDArray[Any]
    valid: Marks | None = None

    @property
    def there(self) -> Marks:
        """Marks the values that are there."""
        return np.ones(len(self.values), np.bool_) if self.valid is None else self.valid


def literal(value: Any, rows: int) -> Operand:
    """One value in every row."""
    if isinstance(value, (bool, int, float)):
        return Operand(np.full(rows, value))
    values = np.empty(rows, object)
    values[:] = value
    return Operand(values, None if value is not None else np.zeros(rows, np.bool_))


def calculate(op: str, left: Operand, right: Operand) -> Operand:
    """Arithmetic, or a comparison: null where either is.

    >>> calculate("/", Operand(np.array([6, 1])), Operand(np.array([4, 0])))
    Operand(values=array([1.5, 0. ]), valid=array([ True, False]))
    """
    valid = left.there & right.there
    if op in COMPARISONS:
        return Operand(_compared(COMPARISONS[op], left.values, right.values, valid), valid)
    if op == "/":
        valid = valid & (right.values != 0)
    one, two = left.values[valid], right.values[valid]
    done = ARITHMETIC[op](_number(one), _number(two))
    if done.dtype.kind in "iu":
        _refuse_overflow(op, one, two)
    values = np.zeros(len(valid), done.dtype)
    values[valid] = done
    return Operand(values, valid)


def calculate_one(op: str, left: Any, right: Any) -> Any:
    """The same of two values; None for null.

    >>> calculate_one("/", 6, 4), calculate_one("/", 1, 0), calculate_one("<", None, 2)
    (1.5, None, None)
    """
    if left is None or right is None or (op == "/" and right == 0):
        return None
    if op in COMPARISONS:
        return bool(COMPARISONS[op](left, right))
    for value in (left, right):
        if not isinstance(value, (int, float, np.number, np.bool_)):
            raise TypeError(f"arithmetic is of numbers, and {value!r:.60} is none")
    done = ARITHMETIC[op](left, right)
    if isinstance(done, int) and abs(done) >= 2**63:
        raise OverflowError(f"a result of {op} does not fit in 64 bits: make one of the columns floats")
    return done


def _number(values: npt.NDArray[Any]) -> npt.NDArray[Any]:
    """Numbers as int64 or float64: truths are counted, and what was an object is what its values are."""
    plain = np.array(values.tolist()) if values.dtype == object else values
    if plain.dtype.kind not in "biuf" and len(plain):
        raise TypeError(f"arithmetic is of numbers, and {plain[0]!r:.60} is none")
    return plain.astype(np.float64 if plain.dtype.kind == "f" else np.int64)


def _refuse_overflow(op: str, left: npt.NDArray[Any], right: npt.NDArray[Any]) -> None:
    """Integers wrap around in silence; as floats they say how large the result is."""
    large = ARITHMETIC[op](left.astype(np.float64), right.astype(np.float64))
    if len(large) and np.abs(large).max() >= 2.0**63:
        raise OverflowError(f"a result of {op} does not fit in 64 bits: make one of the columns floats")


def _compared(compare: Callable[[Any, Any], Any], left: Any, right: Any, valid: Marks) -> Marks:
    if left.dtype != object and right.dtype != object:
        done: Marks = compare(left, right) & valid
        return done
    found = np.zeros(len(valid), np.bool_)
    pairs = zip(left[valid].tolist(), right[valid].tolist(), strict=True)
    found[valid] = [bool(compare(one, two)) for one, two in pairs]
    return found


def found_in(operand: Operand, values: Sequence[Any]) -> Operand:
    """Whether each value is one of some."""
    wanted = set(values)
    found = np.fromiter((value in wanted for value in operand.values.tolist()), np.bool_, len(operand.values))
    return Operand(found & operand.there, operand.valid)


def inverted(operand: Operand) -> Operand:
    """The opposite of each truth."""
    return Operand(~truths(operand), operand.valid)


def join(op: str, left: Operand, right: Operand) -> Operand:
    """Both truths, or one of them; null where that depends on a null.

    >>> null = Operand(np.array([True]), np.array([False]))
    >>> join("|", null, Operand(np.array([True]))), join("&", null, Operand(np.array([True]))).valid
    (Operand(values=array([ True]), valid=array([ True])), array([False]))
    """
    decides = op == "|"
    one, two = truths(left), truths(right)
    decided = (left.there & (one == decides)) | (right.there & (two == decides))
    return Operand(decided == decides, decided | (left.there & right.there))


def join_one(op: str, left: Any, right: Any) -> bool | None:
    """The same of two truths; None for null.

    >>> join_one("|", None, True), join_one("&", None, True)
    (True, None)
    """
    decides = op == "|"
    known = [truth(one) for one in (left, right) if one is not None]
    if decides in known:
        return decides
    return None if len(known) < 2 else not decides


def truth(value: Any) -> bool:
    """A truth; TypeError for what is none."""
    if isinstance(value, (bool, np.bool_)):
        return bool(value)
    raise TypeError(f"a condition is true or false, and {value!r:.60} is neither: compare it with something")


def truths(operand: Operand) -> Marks:
    """Truths, False where there is none; TypeError for what is no truth."""
    values = operand.values[operand.there]
    kind = np.array(values.tolist()).dtype.kind if values.dtype == object else values.dtype.kind
    if len(values) and kind != "b":
        truth(values[0])
    found = np.zeros(len(operand.values), np.bool_)
    found[operand.there] = values.astype(np.bool_)
    return found
