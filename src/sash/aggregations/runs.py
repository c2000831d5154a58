"""The longest stretch in which every value is greater than the one before it."""

# The methods are described once, in Aggregation.
# ruff: noqa: D102

from __future__ import annotations

from typing import Any, ClassVar, NamedTuple

from sash.aggregations.base import Native, built_in
from sash.aggregations.declared import Inputs, Result
from sash.aggregations.reading import Number, check_int64, not_nan, read_number
from sash.aggregations.records import record
from sash.aggregations.timed import Timed, plain_time

__all__ = ["LongestIncreasingRun", "Run"]

Flat = tuple[Any, ...]


class Run(NamedTuple):
    """A stretch of rising values: the times of its first and last event, by how much it rose, how many events it has.

    >>> Run(start=2, end=5, span=7.5, length=3).length
    3
    """

    start: Any
    end: Any
    span: Number
    length: int


class _Stretch(NamedTuple):
    """A run of neighbours: how many, and time and value of its two ends."""

    length: int
    start_time: Any
    start: Number
    end_time: Any
    end: Number

    def then(self, later: _Stretch) -> _Stretch:
        """This run and the one that follows it as one."""
        return _Stretch(self.length + later.length, *self[1:3], *later[3:])


@built_in
class LongestIncreasingRun(Timed):
    """The longest run of neighbouring events whose values rise strictly: a `Run` (start, end, span, length), with times
    of its ends and the rise from its first to its last value. Of runs of equal length it is the oldest.

    A NaN that propagates ends the run before it and is a run of its own. A rise of integers that does not fit in 64
    bits is an OverflowError when it is asked for. Not commutative, not invertible, exact; None for an empty window. It
    uses the times. Cost of combine: O(1).

    >>> rise = LongestIncreasingRun()
    >>> total = None
    >>> for time, value in enumerate([5, 1, 2, 4, 3]):
    ...     total = rise.combine(total, rise.lift(value, time))
    >>> rise.lower(total)
    Run(start=1, end=3, span=3, length=3)
    """

    gives: ClassVar[str] = "Run (start, end, span, length)"
    size: ClassVar[str] = "128 bytes"
    inputs: ClassVar[Inputs] = "number"
    result: ClassVar[Result] = {"start": "time", "end": "time", "span": "number", "length": "int"}
    #: A count, then three stretches: the rising one at the older end, the one at the younger end, the longest.
    time_fields: ClassVar[tuple[int, ...]] = (2, 4, 7, 9, 12, 14)
    width: ClassVar[int] = 16

    def lift(self, value: Any, time: Any = None) -> Flat:
        number = read_number(not_nan(value, self.nan))
        # -0.0 is 0.0: neither is a rise over the other.
        number = number + 0.0 if isinstance(number, float) else number
        when = plain_time(time)
        return 1, *(1, when, number, when, number) * 3

    def combine(self, older: Flat | None, newer: Flat | None) -> Flat | None:
        if older is None or newer is None:
            return newer if older is None else older
        count_a, head_a, tail_a, best_a = _parts(older)
        count_b, head_b, tail_b, best_b = _parts(newer)
        head, tail, best = head_a, tail_b, best_a
        if tail_a.end < head_b.start:
            joint = tail_a.then(head_b)
            head = joint if head_a.length == count_a else head_a
            tail = tail_a.then(tail_b) if tail_b.length == count_b else tail_b
            best = joint if joint.length > best.length else best
        best = best_b if best_b.length > best.length else best
        return (count_a + count_b, *head, *tail, *best)

    def lower(self, partial: Flat | None) -> Run | None:
        if partial is None:
            return None
        best = _parts(partial)[3]
        span = best.end - best.start
        return self.shape(
            (best.start_time, best.end_time, span if isinstance(span, float) else check_int64(span), best.length)
        )

    def shape(self, fields: Flat) -> Run:
        """The result of its numbers and times in order."""
        return Run(*fields)

    def native(self) -> Native:
        return record(self, "increasing_run", ("number",))


def _parts(partial: Flat) -> tuple[int, _Stretch, _Stretch, _Stretch]:
    return partial[0], _Stretch(*partial[1:6]), _Stretch(*partial[6:11]), _Stretch(*partial[11:16])
