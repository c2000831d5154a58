"""One definition of windows over a frame or a stream: what to compute, by which key, over which windows."""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from types import MappingProxyType
from typing import Any, Literal, get_args

from sash.aggregations.base import Aggregation
from sash.batch.checks import Checks
from sash.batch.naming import output_name
from sash.durations import Lateness
from sash.errors import PlanError
from sash.expressions import Expression
from sash.extras import how_to_install
from sash.markup import lines_as_html
from sash.windows import WindowPolicy, as_written
from sash.windows.described import plain_part
from sash.windows.time import CLOSED, Closed

__all__ = ["Emit", "Plan"]

Emit = Literal["final", "arrival", "update"]


@dataclass(frozen=True, init=False, eq=False)
class Plan:
    """What to compute over sliding windows, once, for frames and for streams. Frozen, and checked when it is made.

    - `by`: the column or columns of the key; None for one window over all rows.
    - `on`: the column of times. It may be left out if every window counts rows: the order of the frame counts then.
    - `windows`: one or several: durations such as "10m", numbers of rows such as 100, or policies. A plain number is a
      number of rows, as in pandas and polars; for a length over plain times write `TimeWindow(100)`.
    - `aggregations`: aggregations by name. Each gives a column for each window, named after both: `spent_1h`.
    - `expressions`: expressions by name over these columns and those of numbers in the row, such as
      `sash.col("spent_1h") / sash.col("spent_7d")`: a column each behind them, which the next may read.
    - `emit`: "final" (the exact window at each row's time), "arrival" (what was known when the row came), or, for
      streams only, "update".
    - `lateness`: how late an event of a stream may come; None for no bound, 0 if nothing may be late. A frame needs
      none: all is known.
    - `closed`: which ends of the windows are in, with pandas' words, for all windows that are not policies.
    - `min_periods`: a window with fewer values that are not null has no result.
    - `peers`: rows of one key and one time see each other; if False, each sees those before it, as in pandas.

    `PlanError` names everything that is wrong at once. Cost: O(windows * aggregations).

    >>> import sash
    >>> plan = Plan(by="card", on="time", windows=["10m", "1h"], aggregations={"spent": sash.Sum("amount")})
    >>> plan.outputs
    {'spent_10m': 'int or float', 'spent_1h': 'int or float'}
    >>> plan.columns
    ('card', 'time', 'amount')
    >>> Plan(on="time", windows=["1 fortnight"], aggregations={"a b": sash.Sum()})  # doctest: +ELLIPSIS
    Traceback (most recent call last):
    ...
    sash.errors.PlanError: the plan has 2 problems:
    - windows: '1 fortnight' is no window: unknown unit 'fortnight' ...
    - aggregation 'a b': Sum() names no column: write Sum("amount")
    """

    by: tuple[str, ...]
    on: str | None
    windows: tuple[WindowPolicy, ...]
    aggregations: Mapping[str, Aggregation]
    expressions: Mapping[str, Expression]
    emit: Emit
    lateness: Lateness
    closed: Closed
    min_periods: int | None
    peers: bool
    #: What stands for each window in the names of columns: a duration as it was written.
    labels: tuple[str, ...]

    def __init__(
        self,
        *,
        windows: Any,
        aggregations: Mapping[str, Aggregation],
        expressions: Mapping[str, Expression] | None = None,
        by: str | Sequence[str] | None = None,
        on: str | None = None,
        emit: Emit = "final",
        lateness: Any = None,
        closed: Closed = "right",
        min_periods: int | None = None,
        peers: bool = True,
    ) -> None:
        checks = Checks()
        known_closed = checks.one_of("closed", closed, tuple(CLOSED), "right")
        labelled = checks.windows(windows, known_closed)
        fields = {
            "by": checks.columns("by", by),
            "on": checks.column("on", on),
            "windows": tuple(labelled.values()),
            "aggregations": MappingProxyType(dict(checks.aggregations(aggregations))),
            "expressions": MappingProxyType(dict(checks.expressions(expressions))),
            "emit": checks.one_of("emit", emit, get_args(Emit), "final"),
            "lateness": checks.lateness(lateness),
            "closed": known_closed,
            "min_periods": checks.count("min_periods", min_periods),
            "peers": checks.truth("peers", peers),
            "labels": tuple(labelled),
        }
        checks.closed_is_used(known_closed, windows)
        checks.times_are_named(fields["windows"], fields["on"])
        checks.outputs(labelled, fields["aggregations"], fields["expressions"], [*fields["by"], fields["on"]])
        checks.settle()
        for name, value in fields.items():
            object.__setattr__(self, name, value)

    @property
    def columns(self) -> tuple[str, ...]:
        """The columns that it reads, each once: the key, the time, and those of the aggregations."""
        read = [column for aggregation in self.aggregations.values() for column in aggregation.columns]
        return tuple(dict.fromkeys([*self.by, *([] if self.on is None else [self.on]), *read]))

    @property
    def outputs(self) -> dict[str, str]:
        """The columns that its aggregations make, in order, and what is in each; those of expressions are numbers."""
        return {
            output_name(name, label): _gives(aggregation)
            for label in self.labels
            for name, aggregation in self.aggregations.items()
        }

    def explain(self) -> str:
        """The plan in words: which algorithm each aggregation runs by, what is shared, what is retained, what it costs.

        >>> import sash
        >>> print(Plan(by="card", on="t", windows="1h", aggregations={"n": sash.Count()}).explain())
        One result for each row, by 'card', over the times in 't'.
        final: each window is exact, whatever the order of the rows. They are sorted by key and time once, for all
          windows; rows in order are not moved, late ones are merged in. Rows of one time see each other.
        1h: the events in (T - 1h, T]
          The ends of all windows are found once, by two pointers, for all aggregations.
          n_1h = Count(): int; differences of running counts: exact, no combine
        In a stream, a key keeps the events of its longest window in one tree; a partial of each aggregation lies beside
          an event: n 8 bytes. All windows are range queries over it.
        """
        from sash.batch.explain import explain

        return explain(self)

    def to_dict(self) -> dict[str, Any]:
        """A description in plain values; `from_dict` makes it a plan again.

        >>> import sash
        >>> plan = Plan(on="t", windows="1h", aggregations={"n": sash.Count()})
        >>> Plan.from_dict(plan.to_dict()) == plan
        True
        """
        description: dict[str, Any] = {
            "by": list(self.by),
            "on": self.on,
            "windows": self._written(WindowPolicy.to_dict),
            "aggregations": {name: one.to_dict() for name, one in self.aggregations.items()},
            "emit": self.emit,
            "lateness": plain_part(self.lateness),
            "closed": self.closed,
            "min_periods": self.min_periods,
            "peers": self.peers,
        }
        if self.expressions:
            description["expressions"] = {name: one.written() for name, one in self.expressions.items()}
        return description

    @classmethod
    def from_dict(cls, description: Mapping[str, Any]) -> Plan:
        """The plan that `to_dict` described. What has a default may be left out; `PlanError` names what is wrong.

        Options of an aggregation may stand beside its columns. pydantic checks it (extra `sash[toml]`).

        >>> Plan.from_dict({"windows": 100, "aggregations": {"top": {"name": "TopK", "columns": "x", "k": 3}}})
        Plan(windows=[100], aggregations={'top': TopK("x", k=3)})
        """
        try:
            from sash.batch.written import read_parts
        except ImportError as error:
            raise ImportError(f"a plan that was written down needs pydantic: {how_to_install('toml')}") from error
        return cls(**read_parts(description))

    def to_toml(self) -> str:
        """The description as TOML.

        >>> import sash
        >>> print(Plan(on="t", windows=["1h", 100], aggregations={"n": sash.Count()}).to_toml())
        by = []
        on = "t"
        windows = ["1h", 100]
        emit = "final"
        closed = "right"
        peers = true
        <BLANKLINE>
        [aggregations]
        n = {name = "Count", columns = [], options = {nan = "skip"}}
        <BLANKLINE>
        """
        from sash.batch.toml import dumps

        return dumps(self.to_dict())

    @classmethod
    def from_toml(cls, text: str) -> Plan:
        """The plan of such a text; `PlanError` if it is no TOML, or describes no plan.

        >>> Plan.from_toml('windows = "1h"\\non = "t"\\n[aggregations]\\nn = {name = "Count"}').outputs
        {'n_1h': 'int'}
        """
        import tomllib

        try:
            description = tomllib.loads(text)
        except tomllib.TOMLDecodeError as error:
            raise PlanError(f"the text is no TOML: {error}") from None
        return cls.from_dict(description)

    def _written(self, describe: Callable[[WindowPolicy], Any]) -> list[Any]:
        """The windows as they were written where that is enough, or else described."""
        return [
            as_written(window, label, self.closed) or describe(window)
            for window, label in zip(self.windows, self.labels, strict=True)
        ]

    def _parts(self) -> dict[str, Any]:
        """The arguments that make the plan again."""
        parts = {field.name: getattr(self, field.name) for field in dataclasses.fields(self) if field.name != "labels"}
        named = {"aggregations": dict(self.aggregations), "expressions": dict(self.expressions) or None}
        return parts | {"windows": self._written(lambda window: window)} | named

    def __repr__(self) -> str:
        defaults = {"by": (), "on": None, "emit": "final", "closed": "right", "peers": True}
        parts = self._parts() | {"lateness": plain_part(self.lateness)}
        shown = (f"{name}={value!r}" for name, value in parts.items() if value != defaults.get(name))
        return f"Plan({', '.join(shown)})"

    def _repr_html_(self) -> str:
        return lines_as_html(self.explain())

    def __reduce__(self) -> tuple[Any, ...]:
        return _made_again, (self._parts(),)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Plan) and self._same() == other._same()

    def __hash__(self) -> int:
        return hash(self._same())

    def _same(self) -> tuple[Any, ...]:
        """What equal plans have in common. Expressions are compared as they are written: `==` makes another one."""
        written = {"aggregations": tuple(self.aggregations.items()), "expressions": repr(dict(self.expressions))}
        return tuple(written.get(field.name, getattr(self, field.name)) for field in dataclasses.fields(self))


def _made_again(parts: dict[str, Any]) -> Plan:
    """A plan out of a pickle: to the workers of a cluster, and back."""
    return Plan(**parts)


def _gives(aggregation: Aggregation) -> str:
    """What is in a column: a value of another one, where that is so."""
    # A key alone picks the whole row.
    if aggregation.picks is not None and len(aggregation.columns) == (1 if aggregation.result == "value" else 2):
        return f"a value of {aggregation.columns[-1]!r}"
    return aggregation.gives
