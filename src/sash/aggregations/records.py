"""How fixed-size aggregations lie side by side in one record of the core: which columns it reads, who reads them, and
whose results they are."""

from __future__ import annotations

from collections.abc import Callable, Container, Mapping
from dataclasses import dataclass, field, replace
from typing import Any, Final

from sash.aggregations.base import Aggregation, Native, Option, skips_plainly
from sash.suggestions import did_you_mean

__all__ = [
    "ObjectMember",
    "Part",
    "Path",
    "ResultSpec",
    "Row",
    "Slot",
    "build",
    "fits",
    "found",
    "located",
    "paths_of",
    "reads",
    "record",
    "reproducible",
    "row_of",
    "value_of",
    "with_reproducible",
]


#: Kernels that add floats. Each has a twin whose results do not depend on the order in which partials are combined.
_ADD_FLOATS: Final = (
    *("mean", "harmonic_mean", "weighted_mean", "rate", "time_weighted_mean"),
    *("moments", "skewness", "kurtosis", "covariance", "correlation"),
)


@dataclass(frozen=True, slots=True)
class Path:
    """Where a value lies in what an event brings: in a column or in the whole, there at a place of a tuple or in the
    whole."""

    column: str | None = None
    index: int | None = None
    length: int = 0


@dataclass(frozen=True, slots=True)
class Slot:
    """A column as it is read. Parts that read it alike share it."""

    path: Path
    inputs: str
    nan: str
    #: "min" where NaN lies below all numbers; and whether negative numbers are refused.
    kernel: str = ""
    positive: bool = False


@dataclass(frozen=True, slots=True)
class Part:
    """One fixed-size aggregation: its kernel and the slots that it reads. Members that compute the same share it."""

    kernel: str
    slots: tuple[int, ...]
    options: Mapping[str, Option] = field(default_factory=dict)
    #: A result is several numbers, of which `shape` of the aggregation makes an object.
    several: bool = False


@dataclass(frozen=True, slots=True)
class ObjectMember:
    """A member whose partials are Python objects: what it reads, and its methods."""

    aggregation: Aggregation
    paths: tuple[Path, ...]

    @property
    def inputs(self) -> str:
        """How the core reads its values: to pass over what it passes over."""
        native = self.aggregation.native()
        return "keyed" if native is not None and native.inputs == "keyed" else "object"

    @property
    def skips(self) -> Callable[[Any], bool] | None:
        """The method `skips`, if it has one of its own: the core knows what all others skip."""
        return None if skips_plainly(self.aggregation) or self.inputs == "keyed" else self.aggregation.skips


@dataclass(frozen=True, slots=True)
class ResultSpec:
    """Whose result a name stands for: that of a part or of a member in Python."""

    aggregation: Aggregation
    native: bool
    position: int
    truth: bool = False


@dataclass(frozen=True, slots=True)
class Row:
    """Everything about a record that the core has to know."""

    slots: tuple[Slot, ...]
    parts: tuple[Part, ...]
    objects: tuple[ObjectMember, ...]
    results: tuple[ResultSpec, ...]
    composite: bool
    timed: bool


def record(
    aggregation: Aggregation,
    kernel: str,
    inputs: tuple[str, ...] = ("real",),
    options: Mapping[str, Option] | None = None,
    *,
    batch: bool = False,
) -> Native:
    """The compiled twin of an aggregation that is one part of a record; it reads one value, or a tuple of several.
    `batch` if frames have a kernel of that name too.

    >>> from sash import Sum
    >>> record(Sum(), "sum", ("number",)).row.parts
    (Part(kernel='sum', slots=(0,), options={}, several=False),)
    """
    is_tuple = len(inputs) > 1
    slots = tuple(
        Slot(Path(None, place if is_tuple else None, len(inputs)), kind, aggregation.nan)
        for place, kind in enumerate(inputs)
    )
    part = Part(kernel, tuple(range(len(slots))), options or {}, several=not isinstance(aggregation.result, str))
    return Native("record", "row", fixed=True, batch=batch, row=_alone(aggregation, part, slots))


def _alone(aggregation: Aggregation, part: Part, slots: tuple[Slot, ...]) -> Row:
    result = ResultSpec(aggregation, native=True, position=0, truth=aggregation.result == "bool")
    return Row(slots, (part,), (), (result,), composite=False, timed=aggregation.timed)


def fits(aggregation: Aggregation) -> tuple[Part, tuple[Slot, ...]] | None:
    """The aggregation as a part of a record, with slots of its own; None if it is none.

    >>> from sash import Collect, Max
    >>> fits(Max())[0].kernel, fits(Collect())
    ('max', None)
    """
    native = aggregation.native()
    if native is None or not native.fixed:
        return None
    if native.row is not None:
        return None if native.row.composite else (native.row.parts[0], native.row.slots)
    slot = Slot(
        Path(),
        # What is no number is refused by a record, whatever else may be done with it: so one slot is enough.
        "ordered" if native.inputs in ("measure", "amount") else native.inputs,
        aggregation.nan,
        kernel="min" if native.nan_is_least else "",
        positive=aggregation.inputs == "positive",
    )
    return Part(native.kernel, (0,), native.options), (slot,)


def reproducible(part: Part, *, floats: bool) -> Part | None:
    """The twin of a part whose results do not depend on the order in which partials are combined, to the last bit; None
    if the part needs none, or has none. `floats` if the column that it reads first holds floats.

    >>> reproducible(Part("sum", (0,)), floats=True).kernel, reproducible(Part("sum", (0,)), floats=False)
    ('reproducible_sum', None)
    """
    adds = part.kernel in _ADD_FLOATS or (part.kernel == "sum" and floats)
    return replace(part, kernel=f"reproducible_{part.kernel}") if adds else None


def with_reproducible(row: Row, floats: Container[str | None]) -> Row:
    """The same record with such twins; `floats` are the columns of floats."""
    parts = (reproducible(part, floats=row.slots[part.slots[0]].path.column in floats) or part for part in row.parts)
    return replace(row, parts=tuple(parts))


def row_of(aggregation: Aggregation) -> Row | None:
    """The record that an aggregation is by itself; None if it is none.

    >>> from sash import Max
    >>> row_of(Max()).parts[0].kernel
    'max'
    """
    native = aggregation.native()
    if native is not None and native.row is not None:
        return native.row
    fitting = fits(aggregation)
    return None if fitting is None else _alone(aggregation, *fitting)


def paths_of(aggregation: Aggregation) -> tuple[Path, ...]:
    """What an aggregation takes of a row: its columns; the whole row where it names none, and beside the key where it
    wants the row that goes with it.

    >>> from sash import ArgMax, Collect
    >>> [path.column for path in paths_of(ArgMax("amount"))], [path.column for path in paths_of(Collect())]
    (['amount', None], [None])
    """
    whole = () if aggregation.columns and not takes_row(aggregation) else (Path(),)
    return (*(Path(column) for column in aggregation.columns), *whole)


def value_of(aggregation: Aggregation, row: Any) -> Any:
    """What an aggregation takes of a row: one value, or a tuple of several.

    >>> from sash import ArgMax, Sum
    >>> value_of(Sum("x"), {"x": 3, "who": "ada"}), value_of(ArgMax("x", "who"), {"x": 3, "who": "ada"})
    (3, (3, 'ada'))
    """
    values = tuple(found(path, row) for path in paths_of(aggregation))
    return values[0] if len(values) == 1 else values


def found(path: Path, row: Any) -> Any:
    """What lies in a row at the column of a path, or the whole row.

    >>> found(Path("x"), {"x": 3})
    3
    """
    if path.column is None:
        return row
    if not isinstance(row, Mapping):
        raise TypeError(f"a row is needed, a mapping with the column {path.column!r}, not {row!r:.80}")
    if path.column not in row:
        raise KeyError(f"the row has no column {path.column!r}: {did_you_mean(path.column, row)}")
    return row[path.column]


def takes_row(aggregation: Aggregation) -> bool:
    """Whether a key is all that it names, and the row goes with it.

    >>> from sash import ArgMax
    >>> takes_row(ArgMax("amount")), takes_row(ArgMax("amount", "merchant")), takes_row(ArgMax())
    (True, False, False)
    """
    return aggregation.inputs == "keyed" and len(aggregation.columns) == 1


def located(slots: tuple[Slot, ...], columns: tuple[str, ...]) -> tuple[Slot, ...]:
    """The slots of an aggregation where it reads these columns of a row; as they are where it names none."""
    if not columns:
        return slots
    return tuple(
        Slot(Path(column), slot.inputs, slot.nan, slot.kernel, slot.positive)
        for slot, column in zip(slots, _for_each(columns, len(slots)), strict=True)
    )


def _for_each(columns: tuple[str, ...], slots: int) -> tuple[str, ...]:
    return columns if len(columns) == slots else columns * slots


def build(members: Mapping[str, Aggregation], others: Container[str | None] = ()) -> Row:
    """The record of several aggregations. Those that compute the same from the same column share a part. `others` are
    the columns whose values are no numbers: what reads those is a member in Python.

    >>> from sash import Sum
    >>> row = build({"a": Sum("x"), "b": Sum("x"), "c": Sum("y")})
    >>> len(row.parts), [result.position for result in row.results]
    (2, [0, 0, 1])
    """
    builder = _Builder()
    for aggregation in members.values():
        builder.add(aggregation, None if reads(aggregation, others) else fits(aggregation))
    timed = any(aggregation.timed for aggregation in members.values())
    return Row(tuple(builder.slots), tuple(builder.parts), tuple(builder.objects), tuple(builder.results), True, timed)


def reads(aggregation: Aggregation, others: Container[str | None]) -> bool:
    """Whether it takes values that are no numbers, and one of such columns has them."""
    return bool(aggregation.also) and (aggregation.columns or (None,))[0] in others


class _Builder:
    def __init__(self) -> None:
        self.slots: list[Slot] = []
        self.parts: list[Part] = []
        self.objects: list[ObjectMember] = []
        self.results: list[ResultSpec] = []

    def add(self, aggregation: Aggregation, fitting: tuple[Part, tuple[Slot, ...]] | None) -> None:
        if fitting is None:
            self.objects.append(ObjectMember(aggregation, paths_of(aggregation)))
            self.results.append(ResultSpec(aggregation, native=False, position=len(self.objects) - 1))
            return
        part, slots = fitting
        places = tuple(self._slot(slot) for slot in located(slots, aggregation.columns))
        moved = replace(part, slots=tuple(places[slot] for slot in part.slots))
        truth = aggregation.result == "bool"
        self.results.append(ResultSpec(aggregation, native=True, position=_place(self.parts, moved), truth=truth))

    def _slot(self, slot: Slot) -> int:
        return _place(self.slots, slot)


def _place(items: list[Any], item: Any) -> int:
    """Where it is; at the end if it was not there."""
    if item not in items:
        items.append(item)
    return items.index(item)
