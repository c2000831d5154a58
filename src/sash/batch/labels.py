"""Windows at labels: rows of another frame, each with the results of the events' windows that end there.

Labels are probes behind the events. With a column that says when each event was known, events and labels are put in the
order of their arrival first, and the windows hold what had come by then.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from sash.aggregations.filtered import unfiltered
from sash.aggregations.of_row import ZScore
from sash.batch.common_times import Ticks, before, common_times
from sash.batch.derived import expression_problems, with_expressions
from sash.batch.engine import Job, read_problems, settle, type_problems
from sash.batch.probes import Probes
from sash.batch.slides import slides
from sash.durations import Duration, parse_lateness
from sash.errors import PlanError, WindowSpecError
from sash.frames import Frame
from sash.frames.base import Codes, Foreign, ResultColumn, joined
from sash.plan import Plan
from sash.suggestions import did_you_mean
from sash.times import Kind

__all__ = [
    "At",
    "LabelJob",
    "Offsets",
    "column_problems_at",
    "label_problems",
    "labels_of",
    "offsets_of",
    "plan_at",
    "run_at",
]

#: How long before a label each of its windows ends, by what stands for that in the names of columns.
Offsets = Mapping[str, Duration | None]


@dataclass(frozen=True)
class At:
    """What a call says about labels."""

    #: The column of the events that says when each was known; None if all were at once.
    known: str | None = None
    offsets: Any = 0


def labels_of(at: Any, known: str | None, offset: Any) -> tuple[Any, At] | None:
    """The labels, and what is said about them; None if there are none."""
    if at is not None:
        return at, At(known, offset)
    if known is not None or offset != 0:
        raise PlanError("known= and offset= are about labels: give those with at=, or leave these out")
    return None


def offsets_of(offset: Any) -> Offsets:
    """Offsets by the ends of the names that they give: nothing for one offset, "_1d_ago" for each of a list.

    >>> offsets_of(["1h", 0])
    {'_1h_ago': Duration('1h'), '': None}
    >>> offsets_of("1h")
    {'': Duration('1h')}
    """
    if not isinstance(offset, (list, tuple)):
        return {"": _offset(offset)}
    if not offset:
        raise PlanError('offset: give at least one, such as "1h", or leave it out')
    read = [_offset(one) for one in offset]
    named = {"" if one is None else f"_{one}_ago": one for one in read}
    if len(named) < len(read):
        raise PlanError(f"offset: {offset!r} has one of them twice")
    return named


def _offset(value: Any) -> Duration | None:
    try:
        return parse_lateness(value) or None
    except WindowSpecError as error:
        raise PlanError(f"offset: {error}") from None


def plan_at(plan: Plan, known: str | None) -> Plan:
    """The plan as it runs at labels: with what was known then, where that is said.

    >>> import sash
    >>> plan_at(sash.Plan(on="t", windows="1h", aggregations={"n": sash.Count()}), "ingested").emit
    'arrival'
    """
    return plan if known is None or plan.emit == "update" else Plan(**plan._parts() | {"emit": "arrival"})


def label_problems(plan: Plan, known: str | None) -> list[str]:
    """What of a plan has no meaning at labels."""
    problems = []
    if plan.on is None:
        problems.append("on: labels have times, and windows end there: name the column of times in both frames")
    if plan.emit == "arrival" and known is None:
        problems.append('emit="arrival": a label has no place among the events: name when they came with known=')
    if not plan.peers:
        problems.append("peers=False is about rows of one time, and a label is no event: leave it out, or use closed=")
    if slides(plan):
        problems.append("the windows slide by a time, and labels say where windows end: leave out every=")
    problems += [
        f"aggregation {name!r}: {one!r} is of the row's own value, and a label has none"
        for name, one in plan.aggregations.items()
        if isinstance(unfiltered(one), ZScore)
    ]
    problems += [
        f"{one!r} depends on the values of events, and a label has none" for one in plan.windows if one.by_value
    ]
    return problems


def column_problems_at(known: Sequence[str], plan: Plan, made: Sequence[str]) -> list[str]:
    """In which ways the plan does not fit labels that have these columns, and get the ones that are made."""
    read = dict.fromkeys([*plan.by, *([] if plan.on is None else [plan.on])])
    problems = [
        f"the labels have no column {name!r}: they have {', '.join(map(repr, known))}"
        for name in read
        if name not in known
    ]
    problems += [
        f"the labels have a column {name!r} already: rename the aggregation, or the column"
        for name in made
        if name in known
    ]
    return problems


@dataclass(frozen=True)
class LabelJob:
    """Events and labels on their way through a plan: their times, their keys, and the windows' ends."""

    events: Frame
    labels: Frame
    plan: Plan
    offsets: Offsets
    kind: Kind
    probes: Probes

    @classmethod
    def of(cls, events: Frame, labels: Frame, plan: Plan, at: At, threads: int = 1) -> LabelJob:
        """The frames, read and sorted. They must fit the plan: `run_at` checks that."""
        kind, (ticks, ends, *came) = _times(events, labels, plan, at.known)
        offsets = offsets_of(at.offsets)
        moved = [ends if one is None else before(kind, ends, one) for one in offsets.values()]
        arrived = np.concatenate([*came, *[ends] * len(moved)]) if came else None
        keys = _keys(events, labels, plan, len(moved), threads)
        asked = moved[0] if len(moved) == 1 else np.concatenate(moved)
        probes = Probes.of(events, kind, ticks, asked, keys, arrived, threads)
        return cls(events, labels, plan, offsets, kind, probes)

    def results(self, names: Mapping[str, str]) -> dict[str, ResultColumn | Foreign]:
        """The results of every aggregation over every window at every offset, for the labels."""
        probes, count = self.probes, self.labels.rows
        job = Job(self.events, self.plan, self.kind, None, None, probes.order)
        found = job.at_probes(probes, names)
        return {
            name + end: Foreign(self.events, probes.result(result, place * count, (place + 1) * count))
            for place, end in enumerate(self.offsets)
            for name, result in found.items()
        }


def _times(events: Frame, labels: Frame, plan: Plan, known: str | None) -> tuple[Kind, list[Ticks]]:
    """The times of the events, those of the labels, and when the events were known."""
    assert plan.on is not None
    wanted = [("the events", events, plan.on), ("the labels", labels, plan.on)]
    if known is not None:
        wanted.append(("the events", events, known))
    read = []
    for whose, frame, name in wanted:
        try:
            read.append(frame.times(name))
        except (TypeError, ValueError, OverflowError) as error:
            raise type(error)(f"column {name!r} of {whose}: {error}") from error
    return common_times(read)


def _keys(events: Frame, labels: Frame, plan: Plan, offsets: int, threads: int) -> Codes | None:
    if not plan.by:
        return None
    both = joined([events.codes_with(name, labels, threads) for name in plan.by], threads)
    own, ends = both.codes[: events.rows], both.codes[events.rows :]
    return both if offsets == 1 else Codes(np.concatenate([own, *[ends] * offsets]), both.count)


def run_at(
    events: Frame,
    labels: Frame,
    plan: Plan,
    names: Mapping[str, str],
    at: At,
    threads: int = 1,
) -> Any:
    """The labels with the results of the plan behind their columns; `names` renames results.

    `PlanError` names everything in which the plan does not fit the frames, before anything runs.
    """
    if type(events) is not type(labels):
        raise TypeError("the events and the labels are frames of two kinds: convert one of them")
    offsets = offsets_of(at.offsets)
    plan = plan_at(plan, at.known)
    made = [names.get(name, name) + end for end in offsets for name in plan.outputs]
    problems = label_problems(plan, at.known) + read_problems(events.names, plan)
    if at.known is not None and at.known not in events.names:
        problems.append(f"the frame has no column {at.known!r}: {did_you_mean(at.known, events.names)}")
    problems += column_problems_at(labels.names, plan, made) + type_problems(events, plan)
    settle(problems + expression_problems(plan, made, labels.names))
    results = LabelJob.of(events, labels, plan, at, threads).results(names)
    return labels.with_columns(with_expressions(plan, labels, results))
