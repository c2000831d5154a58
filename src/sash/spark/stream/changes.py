"""A batch of changes as a log has it: rows that are added, and rows that take back one that is there."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Final, NamedTuple

import numpy as np
import numpy.typing as npt
import pyarrow as pa
import pyarrow.compute as pc
from pyspark.sql.types import (
    BinaryType,
    BooleanType,
    CharType,
    DataType,
    DatetimeType,
    DayTimeIntervalType,
    NullType,
    NumericType,
    StringType,
    VarcharType,
    YearMonthIntervalType,
)

from sash.batch.retractions import DELETE, broken_rule, changes_of
from sash.spark.stream.job import Job
from sash.spark.stream.key_codes import KeyCodes
from sash.spark.stream.living import Identity
from sash.times import decode_array, encode_array

__all__ = ["Change", "change_table", "id_problems", "normalised", "read_changes", "unreadable"]

#: Values of these types can be looked up; those of others have parts.
_PLAIN: Final = (
    *(BinaryType, BooleanType, NullType, NumericType),
    *(CharType, StringType, VarcharType),
    *(DatetimeType, DayTimeIntervalType, YearMonthIntervalType),
)


class Change(NamedTuple):
    """A row of a log: the row of the batch that it is made of, what it does, and when; None if it has no time."""

    place: int
    does: int
    ticks: int | None


def id_problems(name: str, kind: DataType) -> list[str]:
    """Why a column of Spark cannot tell which row is taken back; nothing if it can.

    >>> from pyspark.sql.types import ArrayType, LongType
    >>> id_problems("trip", LongType()), id_problems("trip", ArrayType(LongType()))
    ([], ["id: column 'trip' has array<bigint>: name a column of one plain value, such as a number or a text"])
    """
    if isinstance(kind, _PLAIN):
        return []
    advice = "name a column of one plain value, such as a number or a text"
    return [f"id: column {name!r} has {kind.simpleString()}: {advice}"]


def unreadable(table: pa.Table, job: Job) -> list[tuple[int, Exception]]:
    """The rows of a batch that do not say what they do, or to which row, and the rule that each breaks.

    Cost: O(n), in Python for each different word and each row that is found.
    """
    assert job.retract is not None
    rules = _broken_rules(table.column(job.retract), job)
    if job.id is not None:
        nameless = np.flatnonzero(np.asarray(table.column(job.id).is_null())).tolist()
        rules |= dict.fromkeys(nameless, f"column {job.id!r} tells rows apart, and this row has none")
    return [(place, ValueError(rules[place])) for place in sorted(rules)]


def _broken_rules(words: pa.ChunkedArray, job: Job) -> dict[int, str]:
    assert job.retract is not None
    broken: dict[int, str] = {}
    for word in pc.unique(words):
        rule = broken_rule(word.as_py(), job.retract, job.id is not None)
        if rule is not None:
            same = pc.equal(words, word) if word.is_valid else words.is_null()
            broken |= dict.fromkeys(np.flatnonzero(np.asarray(same.fill_null(False))).tolist(), rule)
    return broken


def read_changes(table: pa.Table, job: Job, codes: KeyCodes) -> tuple[list[Identity], npt.NDArray[np.int8]]:
    """What each row is known by, and what it does."""
    assert job.retract is not None
    changes = changes_of(table.column(job.retract).to_pylist(), job.retract, job.id is not None)
    if job.id is not None:
        known = table.column(job.id).to_pylist()
        if None in known:
            raise ValueError(f"column {job.id!r} tells rows apart, and row {known.index(None)} has none")
    else:
        others = [table.column(name).to_pylist() for name in job.schema.names if name != job.retract]
        known = list(map(repr, zip(*others, strict=True)))
    return list(zip(codes.of(table).tolist(), known, strict=True)), changes


def normalised(
    table: pa.Table, job: Job, codes: KeyCodes, held: Callable[[Identity], list[int]], since: int | None
) -> list[Change]:
    """The changes of a batch. A row that takes another back has the time of that one; a row that replaces another is
    two changes; what would take back nothing is none. A change of a row before the ticks `since` is late as a whole."""
    identities, does = read_changes(table, job, codes)
    ticks = _ticks(table.column(job.on))
    there: dict[Identity, list[int | None]] = {}
    made: list[Change] = []
    for place, (identity, change) in enumerate(zip(identities, does.tolist(), strict=True)):
        times = there.setdefault(identity, [*held(identity)])
        if times and (change == DELETE or job.id is not None):
            old = times[-1]
            if since is not None and old is not None and old < since:
                made.append(Change(place, change, old))
                continue
            made.append(Change(place, DELETE, old))
            times.pop()
        if change != DELETE:
            made.append(Change(place, change, ticks[place]))
            times.append(ticks[place])
    return made


def change_table(table: pa.Table, job: Job, changes: Sequence[Change]) -> pa.Table:
    """The rows of the changes, with their times and with what they do."""
    assert job.retract is not None
    made = table.take(pa.array([one.place for one in changes], pa.int64()))
    does, on = job.schema.field(job.retract), job.schema.field(job.on)
    gone = -1 if pa.types.is_integer(does.type) else "delete"
    words = made.column(job.retract).to_pylist()
    before = changes_of(words, job.retract, has_id=True).tolist()
    said = [word if was == one.does else gone for word, was, one in zip(words, before, changes, strict=True)]
    times = pa.array(decode_array(job.clock.kind, np.array([one.ticks or 0 for one in changes], np.int64)))
    missing = pa.array([one.ticks is None for one in changes], pa.bool_())
    times = pc.if_else(missing, pa.scalar(None, on.type), times if times.type == on.type else times.cast(on.type))
    made = made.set_column(job.schema.get_field_index(on.name), on, times)
    return made.set_column(job.schema.get_field_index(does.name), does, pa.array(said, does.type))


def _ticks(times: pa.ChunkedArray) -> list[int | None]:
    valid = np.asarray(pc.is_valid(times))
    ticks = np.zeros(len(times), np.int64)
    ticks[valid] = encode_array(times.drop_null())[1] if valid.any() else 0
    return [tick if there else None for tick, there in zip(ticks.tolist(), valid.tolist(), strict=True)]
