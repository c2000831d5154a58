"""The parts of a plan, each checked; one error names all that is wrong."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any

from sash.aggregations.base import Aggregation
from sash.aggregations.written import read_call
from sash.batch.naming import output_name, read_window, window_label
from sash.durations import Duration, parse_duration
from sash.errors import PlanError, SashError
from sash.windows import WindowPolicy
from sash.windows.time import Closed

__all__ = ["Checks", "as_list", "window_of"]


def as_list(value: Any) -> list[Any]:
    """Several as they are, and one as a list of one."""
    return list(value) if isinstance(value, (list, tuple)) else [value]


def window_of(value: Any) -> Any:
    """A described policy as the policy; a duration or a number as it is."""
    return WindowPolicy.from_dict(value) if isinstance(value, Mapping) else value


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
        if value is None or (isinstance(value, int) and not isinstance(value, bool) and value >= 0):
            return value
        self.problem(f"{part} is a number of values, 0 or more, or None, not {value!r:.60}")
        return None

    def truth(self, part: str, value: Any) -> bool:
        """True or False."""
        if isinstance(value, bool):
            return value
        self.problem(f"{part} is True or False, not {value!r:.60}")
        return True

    def duration(self, part: str, value: Any) -> Duration | None:
        """A length of time, or None."""
        read = self.each(part, [] if value is None else [value], parse_duration)
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

    def named_aggregations(self, value: Any) -> dict[str, Aggregation]:
        """Descriptions of aggregations, aggregations as they are written in a call, or aggregations, by name."""
        if not isinstance(value, Mapping):
            self.problem(f"aggregations is a mapping of names to aggregations, not {value!r:.60}")
            return {}
        done: dict[str, Aggregation] = {}
        for name, one in value.items():
            try:
                done[name] = _aggregation_of(one)
            except (SashError, TypeError, ValueError) as error:
                self.problem(f"aggregation {name!r}: {error}")
        return done

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
                self.problem(f'aggregation {name!r}: it must be one, such as Sum("amount"), not {one!r:.60}')
            elif not one.columns and one.inputs != "ignored":
                self.problem(f'aggregation {name!r}: {one!r} names no column: write {type(one).__name__}("amount")')
        return {name: one for name, one in value.items() if isinstance(one, Aggregation)}

    def times_are_named(self, windows: Iterable[WindowPolicy], on: str | None) -> None:
        """Windows in time need times."""
        timed = [window for window in windows if window.in_time]
        if on is None and timed:
            self.problem(f"on: {timed[0]!r} needs the column of times")

    def outputs(self, labels: Iterable[str], aggregations: Mapping[str, Aggregation], taken: Sequence[Any]) -> None:
        """Every result has a name of its own."""
        read = {*taken, *(column for one in aggregations.values() for column in one.columns)}
        names = [output_name(name, label) for label in labels for name in aggregations]
        for name in dict.fromkeys(names):
            if names.count(name) > 1:
                self.problem(f"the column {name!r} would be made twice: rename an aggregation")
            if name in read:
                self.problem(f"the column {name!r} would be made and is read too: rename the aggregation")


def _aggregation_of(value: Any) -> Aggregation:
    if isinstance(value, Aggregation):
        return value
    if isinstance(value, str):
        return read_call(value)
    return Aggregation.from_dict({"columns": [], "options": {}, **value} if isinstance(value, Mapping) else value)


def _labelled(value: Any, closed: Closed) -> tuple[str, WindowPolicy]:
    policy = read_window(value, closed)
    return window_label(value), policy
