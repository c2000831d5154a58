"""Expressions over columns: conditions on events, and arithmetic on results."""

from __future__ import annotations

import ast
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from typing import Any, Final

from sash.errors import PlanError
from sash.operands import (
    ARITHMETIC,
    COMPARISONS,
    LOGIC,
    Operand,
    calculate,
    calculate_one,
    found_in,
    inverted,
    join,
    join_one,
    literal,
    truth,
)

__all__ = ["Expression", "as_condition", "col", "read_expression"]

#: Operators of Python's grammar by what they are called there.
_SIGNS: Final[dict[type[ast.AST], str]] = {
    ast.Add: "+",
    ast.Sub: "-",
    ast.Mult: "*",
    ast.Div: "/",
    ast.BitAnd: "&",
    ast.BitOr: "|",
    ast.Lt: "<",
    ast.LtE: "<=",
    ast.Eq: "==",
    ast.NotEq: "!=",
    ast.GtE: ">=",
    ast.Gt: ">",
}
_OPERATORS: Final = {*ARITHMETIC, *COMPARISONS, *LOGIC, "col", "value", "is_in", "is_null", "~"}


@dataclass(frozen=True, eq=False, repr=False)
class Expression:
    """A column, a value, or an operation on expressions. `sash.col` makes the first one, operators make the others.

    Comparisons are `<`, `<=`, `==`, `!=`, `>=` and `>`; `&`, `|` and `~` join conditions; `is_in` and `is_null` ask of
    values; `+`, `-`, `*` and `/` are arithmetic. A null makes null of all but `is_null`, and of `&` and `|` as in SQL.
    A NaN is a null, and so is what is divided by zero. Integers stay integers, except under `/`; a result that does
    not fit in 64 bits is an OverflowError.

    >>> large = (col("amount") > 100) & (col("kind") == "card")
    >>> large
    ((col('amount') > 100) & (col('kind') == 'card'))
    >>> large.read({"amount": 120, "kind": "card"}), large.read({"amount": 120, "kind": None})
    (True, None)
    """

    #: An operator; "col" and "value" for what has no parts.
    op: str
    parts: tuple[Any, ...]

    @property
    def columns(self) -> tuple[str, ...]:
        """The columns that it reads, each once."""
        if self.op == "col":
            return (self.parts[0],)
        inner = [part for part in self.parts if isinstance(part, Expression)]
        return tuple(dict.fromkeys(name for part in inner for name in part.columns))

    def read(self, row: Mapping[str, Any]) -> Any:
        """Its value in one row; None for null. What `over` gives, without arrays. Cost: O(operations)."""
        if self.op == "col":
            value = row[self.parts[0]]
            return None if value is None or value != value else value
        if self.op == "value":
            return self.parts[0]
        first, *others = (part.read(row) for part in self.parts if isinstance(part, Expression))
        match self.op:
            case "is_null":
                return first is None
            case "is_in":
                return None if first is None else first in self.parts[1]
            case "~":
                return None if first is None else not truth(first)
        return (join_one if self.op in LOGIC else calculate_one)(self.op, first, others[0])

    def over(self, read: Callable[[str], Operand], rows: int) -> Operand:
        """Its values in all rows; `read` gives the columns. Cost: O(rows) for each operation."""
        if self.op == "col":
            return read(self.parts[0])
        if self.op == "value":
            return literal(self.parts[0], rows)
        first, *others = (part.over(read, rows) for part in self.parts if isinstance(part, Expression))
        match self.op:
            case "is_in":
                return found_in(first, self.parts[1])
            case "is_null":
                return Operand(~first.there)
            case "~":
                return inverted(first)
        return (join if self.op in LOGIC else calculate)(self.op, first, others[0])

    def is_in(self, values: Iterable[Any]) -> Expression:
        """Whether the value is one of some.

        >>> col("kind").is_in(["card", "cash"]).read({"kind": "cash"})
        True
        """
        return Expression("is_in", (self, tuple(values)))

    def is_null(self) -> Expression:
        """Whether there is no value.

        >>> col("kind").is_null().read({"kind": None})
        True
        """
        return Expression("is_null", (self,))

    def to_dict(self) -> dict[str, Any]:
        """A description in plain values; `from_dict` makes it an expression again.

        >>> Expression.from_dict((col("x") > 2).to_dict())
        (col('x') > 2)
        """
        parts = [part.to_dict() if isinstance(part, Expression) else part for part in self.parts]
        return {"op": self.op, "parts": [list(part) if isinstance(part, tuple) else part for part in parts]}

    @staticmethod
    def from_dict(description: Mapping[str, Any]) -> Expression:
        """The expression that `to_dict` described; `PlanError` if it is none."""
        match description:
            case {"op": str(op), "parts": [*parts]} if op in _OPERATORS:
                inner = [Expression.from_dict(part) if isinstance(part, Mapping) else part for part in parts]
                return Expression(op, tuple(tuple(part) if isinstance(part, list) else part for part in inner))
        raise PlanError(f"{description!r:.200} describes no expression: it needs an operator and its parts")

    def written(self) -> str | dict[str, Any]:
        """As text, which `read_expression` reads; described, where a value has no text.

        >>> (col("spent_1h") / col("spent_7d")).written()
        "(col('spent_1h') / col('spent_7d'))"
        """
        try:
            return repr(self) if read_expression(repr(self)).same(self) else self.to_dict()
        except PlanError:
            return self.to_dict()

    def same(self, other: object) -> bool:
        """Whether it is written alike: `==` makes an expression."""
        return isinstance(other, Expression) and self.to_dict() == other.to_dict()

    def __hash__(self) -> int:
        return hash((self.op, self.columns))

    def __bool__(self) -> bool:
        raise TypeError(f"{self!r} is true or false of a row, not by itself: join conditions with &, | and ~")

    def __repr__(self) -> str:
        match self.op:
            case "col":
                return f"col({self.parts[0]!r})"
            case "value":
                return repr(self.parts[0])
            case "is_in":
                return f"{self.parts[0]!r}.is_in({list(self.parts[1])!r})"
            case "is_null":
                return f"{self.parts[0]!r}.is_null()"
            case "~":
                return f"~{self.parts[0]!r}"
        return f"({self.parts[0]!r} {self.op} {self.parts[1]!r})"

    def __invert__(self) -> Expression:
        return Expression("~", (self,))

    def __add__(self, other: Any) -> Expression:
        return _joined("+", self, other)

    def __radd__(self, other: Any) -> Expression:
        return _joined("+", other, self)

    def __sub__(self, other: Any) -> Expression:
        return _joined("-", self, other)

    def __rsub__(self, other: Any) -> Expression:
        return _joined("-", other, self)

    def __mul__(self, other: Any) -> Expression:
        return _joined("*", self, other)

    def __rmul__(self, other: Any) -> Expression:
        return _joined("*", other, self)

    def __truediv__(self, other: Any) -> Expression:
        return _joined("/", self, other)

    def __rtruediv__(self, other: Any) -> Expression:
        return _joined("/", other, self)

    def __lt__(self, other: Any) -> Expression:
        return _joined("<", self, other)

    def __le__(self, other: Any) -> Expression:
        return _joined("<=", self, other)

    def __eq__(self, other: object) -> Expression:  # type: ignore[override]
        return _joined("==", self, other)

    def __ne__(self, other: object) -> Expression:  # type: ignore[override]
        return _joined("!=", self, other)

    def __ge__(self, other: Any) -> Expression:
        return _joined(">=", self, other)

    def __gt__(self, other: Any) -> Expression:
        return _joined(">", self, other)

    def __and__(self, other: Any) -> Expression:
        return _joined("&", self, other)

    def __rand__(self, other: Any) -> Expression:
        return _joined("&", other, self)

    def __or__(self, other: Any) -> Expression:
        return _joined("|", self, other)

    def __ror__(self, other: Any) -> Expression:
        return _joined("|", other, self)


def col(name: str) -> Expression:
    """The column of that name: of the events in `where=`, of the rows and of the results in an expression over results.

    >>> col("spent_1h") / col("spent_7d")
    (col('spent_1h') / col('spent_7d'))
    """
    if not isinstance(name, str) or not name:
        raise TypeError(f"col names a column, and {name!r:.60} is no name")
    return Expression("col", (name,))


def read_expression(text: str) -> Expression:
    """The expression that is written so, as in Python; a bare name is a column. `PlanError` if it is none. Nothing in
    it is run.

    >>> read_expression("spent_1h / spent_7d > 0.5")
    ((col('spent_1h') / col('spent_7d')) > 0.5)
    >>> read_expression("kind.is_in(['card']) & ~col('paid in').is_null()")
    (col('kind').is_in(['card']) & ~col('paid in').is_null())
    """
    try:
        return _read(ast.parse(text.strip(), mode="eval").body)
    except (SyntaxError, TypeError, ValueError, RecursionError):
        raise PlanError(
            f"{text!r:.80} is no expression: write columns by name, or as col('a name'), with + - * / < <= == != >= >"
            " & | ~ .is_in([..]) .is_null()"
        ) from None


def _read(node: ast.expr) -> Expression:
    """The expression of a part of a text; ValueError if it has none."""
    match node:
        case ast.Name(name) | ast.Call(ast.Name("col"), [ast.Constant(str(name))], []):
            return col(name)
        case ast.BinOp(left, op, right) | ast.Compare(left, [op], [right]) if type(op) in _SIGNS:
            return Expression(_SIGNS[type(op)], (_read(left), _read(right)))
        case ast.UnaryOp(ast.Invert(), inner):
            return ~_read(inner)
        case ast.Call(ast.Attribute(of, "is_null"), [], []):
            return _read(of).is_null()
        case ast.Call(ast.Attribute(of, "is_in"), [values], []):
            return _read(of).is_in(ast.literal_eval(values))
    return _value(ast.literal_eval(node))


def as_condition(value: Any) -> Expression:
    """A condition as it is, or the column of that name, which holds truths; TypeError for anything else.

    >>> as_condition("refunded")
    col('refunded')
    """
    if isinstance(value, str):
        return col(value)
    if isinstance(value, Expression):
        return value
    raise TypeError(f'where is a column of truths, or an expression such as sash.col("x") > 3, not {value!r:.60}')


def _joined(op: str, left: Any, right: Any) -> Expression:
    return Expression(op, tuple(one if isinstance(one, Expression) else _value(one) for one in (left, right)))


def _value(value: Any) -> Expression:
    if value is None:
        raise TypeError("nothing is equal to None: ask for nulls with is_null()")
    if hasattr(value, "__len__") and not isinstance(value, (str, bytes)):
        kind = type(value).__name__
        raise TypeError(f"a value is the same in all rows, not {kind} ({value!r:.60}): name a column, or use is_in()")
    return Expression("value", (value,))
