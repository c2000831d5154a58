"""The parts of a plan, each checked; one error names all that is wrong."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any

from sash.aggregations.base import Aggregation
from sash.aggregations.custom import FunctionAggregation
from sash.aggregations.meant import what_is_meant
from sash.batch.naming import output_name, window_label
from sash.durations import Lateness, parse_lateness
from sash.errors import PlanError, SashError
from sash.expressions import Expression
from sash.windows import WindowPolicy, as_policy
from sash.windows.described import MOST_EVENTS
from sash.windows.time import Closed

__all__ = ["Checks", "as_list"]


def as_list(value: Any) -> list[Any]:
    """Several as they are, and one as a list of one."""
    return list(value) if isinstance(value, (list, tuple)) else [value]


class Checks:
    """Checks the parts of a plan one after another, and raises all problems together in the end."""

    def __init__(self) -> None:
        self._problems: list[str] = []

    def __bool__(self) -> bool:
        return bool(self._problems)

    def problem(self, text: str) -> None:
        """Note what is wrong."""
        self._problems.append(text)

    def settle(self) -> None:
        """Raise `PlanError` with all that was noted, if anything was."""
        if len(self._problems) == 1:
            raise PlanError(self._problems[0])
        if self._problems:
            raise PlanError("\n- ".join([f"the plan has {len(self._problems)} problems:", *self._problems]))

    def each(self, part: str, values: Iterable[Any], read: Callable[[Any], Any]) -> list[Any]:
        """Read each value of a part; what cannot be read is a problem."""
        done = []
        for value in values:
            try:
                done.append(read(value))
            except (SashError, TypeError, ValueError) as error:
                self.problem(f"{part}: {error}")
        return done

    def one_of(self, part: str, value: Any, words: Sequence[str], default: str) -> Any:
        """One of some words, or the default and a problem."""
        if value in words:
            return value
        self.problem(f"{part} is {', '.join(map(repr, words))}, not {value!r:.60}")
        return default

    def column(self, part: str, value: Any) -> str | None:
        """The name of a column, or None."""
        if value is None or (isinstance(value, str) and value):
            return value
        self.problem(f"{part} is the name of a column, not {value!r:.60}")
        return None

    def columns(self, part: str, value: Any) -> tuple[str, ...]:
        """The names of columns, each once."""
        names = () if value is None else (value,) if isinstance(value, str) else tuple(as_list(value))
        kept = tuple(name for name in names if self.column(part, name) is not None)
        for name in {name for name in kept if kept.count(name) > 1}:
            self.problem(f"{part} has the column {name!r} twice")
        return kept

    def count(self, part: str, value: Any) -> int | None:
        """A number of values, or None."""
        if value is None or (isinstance(value, int) and not isinstance(value, bool) and 0 <= value <= MOST_EVENTS):
            return value
        self.problem(f"{part} is a number of values from 0 to 2**62, or None, not {value!r:.60}")
        return None

    def truth(self, part: str, value: Any) -> bool:
        """True or False."""
        if isinstance(value, bool):
            return value
        self.problem(f"{part} is True or False, not {value!r:.60}")
        return True

    def lateness(self, value: Any) -> Lateness:
        """How late an event may come."""
        read = self.each("lateness", [value], parse_lateness)
        return read[0] if read else None

    def windows(self, value: Any, closed: Closed) -> dict[str, WindowPolicy]:
        """Policies by their labels, all different."""
        given = as_list(value)
        if not given:
            self.problem('windows: give at least one, such as "1h"')
        labelled: dict[str, WindowPolicy] = {}
        for label, policy in self.each("windows", given, lambda one: _labelled(one, closed)):
            for other_label, other in labelled.items():
                if other == policy:
                    self.problem(f"windows: {policy!r} is there twice")
                elif other_label == label:
                    self.problem(
                        f"windows: {other!r} and {policy!r} would make columns of one name: give each its own plan"
                    )
            labelled.setdefault(label, policy)
        return labelled

    def closed_is_used(self, closed: Closed, given: Any) -> None:
        """Ends that no window has are a mistake: a policy has its own."""
        if closed != "right" and not any(_has_ends(one, closed) for one in as_list(given)):
            self.problem(
                f"closed={closed!r} is for windows that are lengths or numbers of rows, and policies have their own:"
                f" write TimeWindow(length, closed={closed!r})"
            )

    def aggregations(self, value: Any) -> Mapping[str, Aggregation]:
        """Aggregations by name, each with the columns that it reads."""
        if not isinstance(value, Mapping) or not value:
            self.problem(
                f'aggregations: give at least one by name, such as {{"spent": Sum("amount")}}, not {value!r:.60}'
            )
            return {}
        for name, one in value.items():
            if not isinstance(name, str) or not name:
                self.problem(f"aggregation {name!r}: its name is a text")
            if not isinstance(one, Aggregation):
                self.problem(f"aggregation {name!r}: {_meant(one)}")
            elif not one.columns and one.inputs != "ignored":
                self.problem(f"aggregation {name!r}: {one!r} names no column: {_with_column(one)}")
        return {name: one for name, one in value.items() if isinstance(one, Aggregation)}

    def expressions(self, value: Any) -> Mapping[str, Expression]:
        """Expressions by name; none if there are none."""
        if value is None:
            return {}
        if not isinstance(value, Mapping):
            self.problem(f'expressions: give each by name, such as {{"share": col("a") / col("b")}}, not {value!r:.60}')
            return {}
        for name, one in value.items():
            if not isinstance(name, str) or not name:
                self.problem(f"expression {name!r}: its name is a text")
            if not isinstance(one, Expression):
                self.problem(f"expression {name!r}: {one!r:.60} is none: write it with sash.col")
        return {name: one for name, one in value.items() if isinstance(one, Expression)}

    def times_are_named(self, windows: Iterable[WindowPolicy], on: str | None) -> None:
        """Windows in time need times."""
        timed = [window for window in windows if window.in_time]
        if on is None and timed:
            self.problem(f"on: {timed[0]!r} needs the column of times")

    def outputs(
        self,
        labels: Iterable[str],
        aggregations: Mapping[str, Aggregation],
        expressions: Mapping[str, Expression],
        taken: Sequence[Any],
    ) -> None:
        """Every result has a name of its own."""
        read = {*taken, *(column for one in aggregations.values() for column in one.columns)}
        names = [output_name(name, label) for label in labels for name in aggregations] + [*expressions]
        for name in dict.fromkeys(names):
            if names.count(name) > 1:
                self.problem(f"the column {name!r} would be made twice: rename an aggregation")
            if name in read:
                self.problem(f"the column {name!r} would be made and is read too: rename the aggregation")


def _labelled(value: Any, closed: Closed) -> tuple[str, WindowPolicy]:
    policy = as_policy(value, closed)
    return window_label(value), policy


def _has_ends(window: Any, closed: Closed) -> bool:
    """Whether the plan closes the window so, or the window itself is closed so."""
    of_plan = not isinstance(window, WindowPolicy) or window.closed_by_plan
    return of_plan or getattr(window, "closed", None) == closed


def _meant(value: Any) -> str:
    """What to write instead of it; pandas has pairs of a column and a name."""
    match value:
        case (str(column), str() | type() as over) | (str() | type() as over, str(column)):
            return what_is_meant(over, f'"{column}"')
    return what_is_meant(value, '"amount"')


def _with_column(aggregation: Aggregation) -> str:
    """How the aggregation is given a column."""
    if isinstance(aggregation, FunctionAggregation):
        return 'give sash.aggregation(..., column="amount")'
    name = type(aggregation).__name__
    owner = next(cls for cls in type(aggregation).__mro__ if "__init__" in vars(cls))
    if owner.__module__.partition(".")[0] == "sash":
        return f'write {name}("amount")'
    return f"let its constructor take one and pass it on, super().__init__(column), or set column of {name}"
