"""What a window shows of its structure: nodes, and in them entries and the aggregates that are kept of them."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any

__all__ = ["Aggregate", "Entry", "Item", "Node", "Omitted", "Pointer", "structure_of"]


@dataclass(frozen=True, slots=True)
class Entry:
    """An entry. Its value is a tuple of one, or empty where an aggregate has taken the place of its own partial."""

    time: Any
    value: tuple[Any, ...]


@dataclass(frozen=True, slots=True)
class Aggregate:
    """What is kept of the entries from first to last, both in; without a value, the name says why."""

    name: str
    first: Any
    last: Any
    value: tuple[Any, ...]


@dataclass(frozen=True, slots=True)
class Pointer:
    """Something that points at the node it is in."""

    name: str


@dataclass(frozen=True, slots=True)
class Omitted:
    """So many entries are left out here."""

    entries: int


@dataclass(frozen=True, slots=True)
class Node:
    """A node, a level or a part of a queue. Aggregates that follow an entry are kept beside it."""

    kind: str
    items: list[Item] = field(default_factory=list)

    def nodes(self) -> list[Node]:
        """The nodes right below."""
        return [item for item in self.items if isinstance(item, Node)]

    def walk(self) -> Iterator[Item]:
        """Everything below, in order."""
        for item in self.items:
            yield item
            if isinstance(item, Node):
                yield from item.walk()

    def entries(self) -> list[Entry]:
        """All entries below, in order."""
        return [item for item in self.walk() if isinstance(item, Entry)]

    def aggregates(self) -> list[Aggregate]:
        """All aggregates that are kept below."""
        return [item for item in self.walk() if isinstance(item, Aggregate)]

    def omitted(self) -> int:
        """How many entries are left out below."""
        return sum(item.entries for item in self.walk() if isinstance(item, Omitted))


Item = Node | Entry | Aggregate | Pointer | Omitted


def structure_of(window: Any, brief: bool) -> Node:
    """The structure of a window, as the core describes it. A brief one leaves out what there is much of.

    >>> import sash
    >>> w = sash.Window(sash.Sum(), algorithm="two_stacks_lite"); w.bulk_insert([1, 2, 3], [10, 20, 30]); w.evict()
    >>> [(part.kind, [item.value for item in part.items]) for part in structure_of(w, brief=False).nodes()]
    [('front', [(), (20,)]), ('back', [(30,)])]
    """
    return Node("window", [_item(item) for item in window._describe(brief)])


def _item(described: tuple[Any, ...]) -> Item:
    kind, *fields = described
    if kind == "node":
        return Node(fields[0], [_item(item) for item in fields[1]])
    made: dict[str, Any] = {"entry": Entry, "aggregate": Aggregate, "pointer": Pointer, "omitted": Omitted}
    item: Item = made[kind](*fields)
    return item
