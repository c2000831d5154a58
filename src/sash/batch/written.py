"""A plan as it is written down: which parts it has, and what each may hold. pydantic checks it, all of it at once."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Annotated, Any

from pydantic import BaseModel, BeforeValidator, ConfigDict, Field, PlainValidator, ValidationError, WrapValidator

from sash.aggregations.base import Aggregation
from sash.aggregations.written import read_call
from sash.batch.checks import Checks, as_list
from sash.errors import AggregationError, SashError
from sash.expressions import Expression, read_expression
from sash.suggestions import did_you_mean
from sash.windows import WindowPolicy, as_policy

__all__ = ["read_parts"]


def _names(value: Any) -> list[Any]:
    """One name, several, or none."""
    return [] if value is None else as_list(value)


Names = Annotated[list[str], BeforeValidator(_names)]


class Table(BaseModel):
    """An aggregation as it is written: its name, its columns, and its options, among `options` or beside them; and the
    condition of the rows that count."""

    model_config = ConfigDict(extra="allow", strict=True)

    name: str
    columns: Names = []
    options: dict[str, Any] = {}
    where: Any = None

    def made(self) -> Aggregation:
        """The aggregation; ValueError if there is none such."""
        beside = self.model_extra or {}
        if twice := sorted(beside.keys() & self.options.keys()):
            raise ValueError(f"the option {twice[0]!r} is there twice: among the options and beside them")
        parts = {"name": self.name, "columns": self.columns, "options": {**self.options, **beside}}
        try:
            return Aggregation.from_dict(parts if self.where is None else {**parts, "where": self.where})
        except (SashError, TypeError) as error:
            raise ValueError(str(error)) from error


def _aggregation(value: Any, read: Callable[[Any], Table]) -> Aggregation:
    """An aggregation as it is, as a call, or as a table."""
    if isinstance(value, Aggregation):
        return value
    if not isinstance(value, str):
        return read(value).made()
    try:
        return read_call(value)
    except AggregationError as error:
        raise ValueError(str(error)) from error


def _expression(value: Any) -> Expression:
    """An expression as it is, as text, or described."""
    if isinstance(value, Expression):
        return value
    return read_expression(value) if isinstance(value, str) else Expression.from_dict(value)


def _window(value: Any) -> Any:
    """A described policy as the policy; a duration or a number as it is."""
    window = WindowPolicy.from_dict(value) if isinstance(value, Mapping) else value
    as_policy(window)
    return window


class Written(BaseModel):
    """All parts of a plan. What their values mean is checked where a plan is made."""

    model_config = ConfigDict(extra="forbid", strict=True)

    windows: Annotated[list[Annotated[Any, PlainValidator(_window)]], BeforeValidator(as_list)]
    aggregations: dict[str, Annotated[Table, WrapValidator(_aggregation)]]
    expressions: dict[str, Annotated[Any, PlainValidator(_expression)]] | None = None
    by: Names = Field(default_factory=list)
    on: str | None = None
    emit: str = "final"
    lateness: Any = None
    closed: str = "right"
    min_periods: int | None = None
    peers: bool = True


def read_parts(description: Mapping[str, Any]) -> dict[str, Any]:
    """The arguments of the plan that was described; `PlanError` names everything that is no part of one.

    >>> read_parts({"windows": "1h", "aggregations": {"top": {"name": "TopK", "columns": "x", "k": 3}}})["aggregations"]
    {'top': TopK("x", k=3)}
    """
    try:
        written = Written.model_validate(description)
    except ValidationError as error:
        checks = Checks()
        for problem in error.errors():
            checks.problem(_told(problem))
        checks.settle()
        raise AssertionError("an error without a problem") from error
    return {name: getattr(written, name) for name in written.model_fields_set}


def _told(problem: Any) -> str:
    """One problem that pydantic found, in words."""
    part, *within = problem["loc"] or ("the description",)
    named = part in ("aggregations", "expressions") and bool(within)
    where = f"{part[:-1]} {within.pop(0)!r}" if named else str(part)
    inside = "".join(f", {name}" for name in within if isinstance(name, str))
    match problem["type"]:
        case "extra_forbidden":
            return f"{part!r} is no part of a plan: {did_you_mean(part, Written.model_fields)}"
        case "missing":
            return f"{where}{inside} is missing"
        case "model_type":
            return f'{where}: write it as {{name = "Sum", columns = ["amount"]}}, not {problem["input"]!r:.60}'
        case "value_error":
            return f"{where}: {problem['ctx']['error']}"
    return f"{where}{inside}: {problem['msg']}, not {problem['input']!r:.60}"
