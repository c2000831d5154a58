"""Many aggregations over one window: one structure, one set of times, one walk."""

# The methods are described once, in Aggregation.
# ruff: noqa: D102

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from functools import cache, cached_property
from typing import Any, ClassVar

from sash.aggregations.base import Aggregation, Native
from sash.aggregations.meant import what_is_meant
from sash.aggregations.reading import is_null
from sash.aggregations.records import Row, build, value_of
from sash.errors import AggregationError

__all__ = ["Composite", "Record"]


class Record(tuple[Any, ...]):
    """The results of a `Composite`: a tuple whose fields have names too.

    >>> result = Record(("total", "peak"), (12.5, 9.0))
    >>> result
    Record(total=12.5, peak=9.0)
    >>> result.peak, result["total"], result[0], dict(result.items())
    (9.0, 12.5, 12.5, {'total': 12.5, 'peak': 9.0})
    """

    __slots__ = ()

    #: Of the class: records of the same names share one, so that a result costs no more than a tuple.
    _names: ClassVar[tuple[str, ...]] = ()

    def __new__(cls, names: tuple[str, ...], values: tuple[Any, ...]) -> Record:
        return named(names)(values)

    def __getattr__(self, name: str) -> Any:
        if name in self._names:
            return self[self._names.index(name)]
        raise AttributeError(f"the record has no field {name!r}: it has {', '.join(self._names)}")

    def __getitem__(self, key: Any) -> Any:
        if not isinstance(key, str):
            return super().__getitem__(key)
        if key not in self._names:
            raise KeyError(f"the record has no field {key!r}: it has {', '.join(self._names)}")
        return super().__getitem__(self._names.index(key))

    # Methods of tuples, and names that people give to results: the field comes first.

    @property
    def count(self) -> Any:
        """The field of that name; without one, the method of tuples."""
        return self["count"] if "count" in self._names else super().count

    @property
    def index(self) -> Any:
        """The field of that name; without one, the method of tuples."""
        return self["index"] if "index" in self._names else super().index

    def keys(self) -> tuple[str, ...]:
        """The names of the fields."""
        return self._names

    def items(self) -> Iterator[tuple[str, Any]]:
        """The names and the results."""
        return zip(self._names, self, strict=True)

    def __reduce__(self) -> tuple[type[Record], tuple[tuple[str, ...], tuple[Any, ...]]]:
        return Record, (self._names, tuple(self))

    def __repr__(self) -> str:
        return f"Record({', '.join(f'{name}={value!r}' for name, value in self.items())})"


@cache
def named(names: tuple[str, ...]) -> Callable[[tuple[Any, ...]], Record]:
    """What makes a record of these names from its values.

    >>> named(("low", "high"))((1, 2))
    Record(low=1, high=2)
    """
    made: Callable[[tuple[Any, ...]], Record] = type(
        "Record", (Record,), {"__slots__": (), "_names": names, "__new__": tuple.__new__}
    )
    return made


class Composite(Aggregation):
    """Several aggregations, each under a name, over one window: the structure, the times and the walk are shared.

    A value is a row, a mapping with the columns that the members name; members that name none take the whole value.
    The result is a `Record`. A member passes over what it would pass over by itself; an event that all pass over is
    passed over. Fixed-size built-in members lie side by side and are combined natively; others, and your own, are
    combined by their methods. Members that compute the same share one partial. Cost of combine: the sum of those of
    its members.

    >>> import sash
    >>> spent = sash.Composite(total=sash.Sum("amount"), peak=sash.Max("amount"), shop=sash.Last("merchant"))
    >>> w = sash.Window(spent)
    >>> w.insert(1, {"amount": 12, "merchant": "bakery"}); w.insert(2, {"amount": 30, "merchant": "cinema"})
    >>> w.query()
    Record(total=42, peak=30, shop='cinema')
    >>> w.query().total
    42
    """

    takes: ClassVar[str] = "rows"
    gives: ClassVar[str] = "a record of the members' results"
    size: ClassVar[str] = "the sum of its members"

    def __init__(self, /, **members: Aggregation) -> None:
        if not members:
            raise AggregationError('a Composite needs a member, such as total=sash.Sum("amount")')
        for name, member in members.items():
            _check_member(name, member)
        self.members: Mapping[str, Aggregation] = dict(members)
        self._names = tuple(members)

    @property
    def column(self) -> tuple[str, ...] | None:  # type: ignore[override]
        """The columns of all members, each once."""
        return tuple(dict.fromkeys(name for member in self.members.values() for name in member.columns)) or None

    @property
    def names(self) -> tuple[str, ...]:
        """The names of the members, in order."""
        return self._names

    @property
    def timed(self) -> bool:  # type: ignore[override]
        """Whether a member is given the times of events."""
        return any(member.timed for member in self.members.values())

    @property
    def commutative(self) -> bool:  # type: ignore[override]
        """Whether every member is."""
        return all(member.commutative for member in self.members.values())

    @property
    def exact(self) -> bool:  # type: ignore[override]
        """Whether every member is."""
        return all(member.exact for member in self.members.values())

    @property
    def invertible(self) -> bool:
        """Whether every member is."""
        return all(member.invertible for member in self.members.values())

    @property
    def identity(self) -> tuple[Any, ...]:
        """The identities of the members."""
        return tuple(member.identity for member in self.members.values())

    def skips(self, value: Any) -> bool:
        """Whether every member passes the row over."""
        return is_null(value) or all(member.skips(value_of(member, value)) for member in self.members.values())

    def lift(self, value: Any, time: Any = None) -> tuple[Any, ...]:
        partials = []
        for member in self.members.values():
            own = value_of(member, value)
            when = (time,) if member.timed else ()
            partials.append(member.identity if member.skips(own) else member.lift(own, *when))
        return tuple(partials)

    def combine(self, older: tuple[Any, ...], newer: tuple[Any, ...]) -> tuple[Any, ...]:
        triples = zip(self.members.values(), older, newer, strict=True)
        return tuple(member.combine(a, b) for member, a, b in triples)

    def inverse(self, whole: tuple[Any, ...], older: tuple[Any, ...]) -> tuple[Any, ...]:
        triples = zip(self.members.values(), whole, older, strict=True)
        return tuple(member.inverse(a, b) for member, a, b in triples)

    def lower(self, partial: tuple[Any, ...]) -> Record:
        pairs = zip(self.members.values(), partial, strict=True)
        return self.shape(tuple(member.lower(own) for member, own in pairs))

    @cached_property
    def shape(self) -> Callable[[tuple[Any, ...]], Record]:
        """What makes the record of the members' results."""
        return named(self._names)

    def encode(self, partial: tuple[Any, ...]) -> bytes:
        pairs = zip(self.members.values(), partial, strict=True)
        return super().encode(tuple(member.encode(own) for member, own in pairs))

    def decode(self, data: bytes) -> tuple[Any, ...]:
        pairs = zip(self.members.values(), super().decode(data), strict=True)
        return tuple(member.decode(own) for member, own in pairs)

    def native(self) -> Native:
        return Native("record", "row", fixed=not self._row.objects, row=self._row)

    @cached_property
    def _row(self) -> Row:
        return build(self.members)

    def to_dict(self) -> dict[str, Any]:
        # A list, since their order is the order of the fields, and mappings are written with sorted keys.
        members = [[name, member.to_dict()] for name, member in self.members.items()]
        return {"name": "Composite", "columns": [], "options": {"members": members}}

    @classmethod
    def from_options(cls, options: Mapping[str, Any]) -> Composite:
        """The Composite whose description has these options."""
        match options:
            case {"members": [*pairs]} if len(options) == 1:
                members = dict(_described(pair) for pair in pairs)
                if len(members) == len(pairs):
                    return cls(**members)
        raise AggregationError(f"{dict(options)!r:.200} describes no Composite: it needs members, each name once")

    def __getstate__(self) -> dict[str, Any]:
        # How the members lie names functions of this process.
        return {"members": self.members, "_names": self._names}

    def __repr__(self) -> str:
        return f"Composite({', '.join(f'{name}={member!r}' for name, member in self.members.items())})"

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Composite) and list(self.members.items()) == list(other.members.items())

    def __hash__(self) -> int:
        return hash(tuple(self.members.items()))


def _check_member(name: str, member: Any) -> None:
    if not isinstance(member, Aggregation):
        raise AggregationError(f"{name}: {what_is_meant(member)}")
    if isinstance(member, Composite):
        raise AggregationError(f"{name} is a Composite itself: name its members here instead")
    if name.startswith("_") or (hasattr(Record, name) and name not in ("count", "index")):
        raise AggregationError(f"{name!r} cannot be a field of a record: choose another name")


def _described(pair: Any) -> tuple[str, Aggregation]:
    match pair:
        case [str(name), member]:
            return name, Aggregation.from_dict(member)
    raise AggregationError(f"{pair!r:.200} describes no member: it needs a name and an aggregation")
