"""What policies and triggers are made of: parts that are checked, and a description in plain values."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from dataclasses import fields
from typing import Any, ClassVar, Final, TypeVar

from sash.durations import Duration
from sash.errors import WindowSpecError
from sash.suggestions import did_you_mean
from sash.times import Kind, decode, encode

__all__ = ["Described"]

Made = TypeVar("Made", bound="Described")


class Described:
    """A frozen dataclass with a repr that makes it again and a description in plain values."""

    __slots__ = ()

    #: What the description calls it: a policy, a trigger.
    word: ClassVar[str] = ""
    #: The parts that a call names by position; the others are named by keyword.
    positional: ClassVar[tuple[str, ...]] = ()
    #: The parts with a default, which the repr leaves out when they have it.
    defaults: ClassVar[Mapping[str, Any]] = {}

    def describe(self) -> str:
        """What it means, in words."""
        raise NotImplementedError

    def to_dict(self) -> dict[str, Any]:
        """A description in plain values, which `from_dict` reads again.

        `WindowSpecError` if it holds a function: a function is no plain value.

        >>> from sash.windows import SessionWindow
        >>> SessionWindow("30m").to_dict()
        {'policy': 'SessionWindow', 'gap': '30m'}
        """
        return {self.word: type(self).__name__, **{name: self._plain(name) for name in self._names()}}

    def _names(self) -> list[str]:
        return [part.name for part in fields(self)]  # type: ignore[arg-type]

    def _plain(self, name: str) -> Any:
        value = getattr(self, name)
        if callable(value):
            raise WindowSpecError(
                f"{name}={value!r:.80} of {type(self).__name__} is a function, and a description holds plain values"
                f" only: name a column instead, or pass the {self.word} itself along"
            )
        return plain_part(value)

    def __repr__(self) -> str:
        first = [name for name in self.positional if getattr(self, name) != self.defaults.get(name)]
        parts = [_typed(getattr(self, name)) for name in first]
        parts += [
            f"{name}={_typed(getattr(self, name))}"
            for name in self._names()
            if name not in self.positional and getattr(self, name) != self.defaults.get(name)
        ]
        return f"{type(self).__name__}({', '.join(parts)})"


def read_description(description: Any, word: str, known: Mapping[str, type[Made]]) -> Made:
    """What `to_dict` described, if it is one of the known; `WindowSpecError` if it is none."""
    if not isinstance(description, Mapping) or not isinstance(description.get(word), str):
        way = f"it needs the name of one, {word} = {sorted(known)[-1]!r}"
        raise WindowSpecError(f"{description!r:.200} describes no {word}: {way}")
    name = description[word]
    if name not in known:
        raise WindowSpecError(f"{name!r} is no {word}: {did_you_mean(name, sorted(known))}")
    parts = {part: read_part(value) for part, value in description.items() if part != word}
    own = [part.name for part in fields(known[name])]  # type: ignore[arg-type]
    if unknown := [part for part in parts if part not in own]:
        raise WindowSpecError(f"{name} has no {unknown[0]!r}: {did_you_mean(unknown[0], own)}")
    try:
        return known[name](**parts)
    except WindowSpecError:
        raise
    except (TypeError, ValueError) as error:
        raise WindowSpecError(f"{name} cannot be made from {dict(description)!r:.200}: {error}") from error


#: More events than there can be.
MOST_EVENTS: Final = 2**62


def whole_number(name: str, value: Any, least: int) -> int:
    """A count; `WindowSpecError` if it is none, or less than the least, or more than there can be events."""
    if isinstance(value, bool) or not hasattr(value, "__index__"):
        raise WindowSpecError(f"{name} is a whole number, not {type(value).__name__} ({value!r:.60})")
    if value < least:
        raise WindowSpecError(f"{name} must be at least {least}, and {value!r} is not")
    if value > MOST_EVENTS:
        raise WindowSpecError(f"{name} must be at most 2**62, and {value!r} is not")
    return int(value)


def distance(name: str, value: Any) -> int | float:
    """How far a measure goes; `WindowSpecError` if it is no number, or not above zero."""
    if isinstance(value, bool) or not isinstance(value, (int, float)):
        raise WindowSpecError(f"{name} is a number, not {type(value).__name__} ({value!r:.60})")
    if not (value > 0 and math.isfinite(value)):
        raise WindowSpecError(f"{name} must be a finite number above zero, and {value!r} is not")
    return value


def reader(name: str, value: Any, meaning: str) -> str | Callable[[Any], Any]:
    """A column or a function; `WindowSpecError` if it is neither."""
    if callable(value) or (isinstance(value, str) and value):
        return value  # type: ignore[no-any-return]
    raise WindowSpecError(f"{name} is a column or a function {meaning}, not {type(value).__name__} ({value!r:.60})")


def read_by(read: str | Callable[[Any], Any] | None, value: Any) -> Any:
    """What a reader finds in the value of an event: a column of a row, what a function gives, or the value itself."""
    if read is None:
        return value
    if callable(read):
        return read(value)
    try:
        return value[read]
    except (TypeError, KeyError, IndexError) as error:
        raise WindowSpecError(
            f"the value {value!r:.60} has no column {read!r}: push rows (mappings), or give a function instead"
        ) from error


def checked_time(name: str, value: Any) -> Any:
    """A time as it is, or None; `WindowSpecError` for what is no time."""
    if value is None:
        return None
    try:
        encode(value)
    except (TypeError, ValueError, OverflowError) as error:
        raise WindowSpecError(f"{name} is a time: {error}") from None
    return value


def plain_part(value: Any) -> Any:
    """A part in plain values: a duration as text or number, a moment with its kind."""
    if isinstance(value, Duration):
        return value.amount if value.plain else str(value)
    if value is None or isinstance(value, (bool, int, float, str)):
        return value
    kind, ticks = encode(value)
    return {"time": str(kind), "ticks": ticks}


def read_part(value: Any) -> Any:
    """The part whose plain form it is."""
    match value:
        case {"time": str(kind), "ticks": int(ticks)} if len(value) == 2:
            try:
                return decode(Kind.parse(kind), ticks)
            except ValueError as error:
                raise WindowSpecError(f"{value!r} is no time: {error}") from error
    return value


def _typed(value: Any) -> str:
    return repr(plain_part(value)) if isinstance(value, Duration) else repr(value)
