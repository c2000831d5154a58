"""How times and values are written in a picture: short, and the whole of them where a pointer rests."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Final

from sash.drawing.structure import Aggregate, Entry

__all__ = ["Names", "plain"]

#: As many characters fit into a cell.
_MOST: Final = 10


class Names:
    """Names of times without what all of them begin with, and of values cut to the width of a cell."""

    def __init__(self, times: Sequence[Any]) -> None:
        self.common = _common(list(map(_name, times)))

    def time(self, time: Any) -> str:
        """A time, without the date if all times are of that date.

        >>> from datetime import datetime
        >>> times = [datetime(2024, 5, 1, 10), datetime(2024, 5, 1, 11, 30)]
        >>> names = Names(times)
        >>> names.common, [names.time(time) for time in times]
        ('2024-05-01 ', ['10:00:00', '11:30:00'])
        """
        return _name(time).removeprefix(self.common)

    def value(self, value: tuple[Any, ...]) -> str:
        """A value; nothing where there is none.

        >>> names = Names([])
        >>> names.value((1 / 3,)), names.value(("abcdefghijklm",)), names.value(())
        ('0.3333', 'abcdefghi…', '')
        """
        return _cut(plain(value[0])) if value else ""

    def of_entry(self, entry: Entry) -> str:
        """The whole of an entry."""
        kept = plain(entry.value[0]) if entry.value else "its own partial is not kept"
        return f"entry {_name(entry.time)}: {kept}"

    def of_aggregate(self, aggregate: Aggregate) -> str:
        """The whole of an aggregate."""
        head = " ".join(filter(None, ["aggregate", aggregate.name]))
        kept = plain(aggregate.value[0]) if aggregate.value else "no value"
        return f"{head} of {_name(aggregate.first)} to {_name(aggregate.last)}: {kept}"


def _name(time: Any) -> str:
    return str(time).removesuffix(".0") if isinstance(time, float) else str(time)


def plain(value: Any) -> str:
    """A value in words: the text that it is, or its repr, with a float cut short."""
    if isinstance(value, float):
        return f"{value:.4g}"
    return value if isinstance(value, str) else repr(value)


def _cut(text: str) -> str:
    return text if len(text) <= _MOST else text[: _MOST - 1] + "…"


def _common(names: list[str]) -> str:
    """What all of several long names begin with, up to where a date ends."""
    if len(names) < 2 or max(map(len, names)) <= _MOST:
        return ""
    low, high = min(names), max(names)
    common = low[: next((place for place, pair in enumerate(zip(low, high, strict=False)) if pair[0] != pair[1]), 0)]
    end = max(common.rfind(" "), common.rfind("T"))
    return common[: end + 1]
