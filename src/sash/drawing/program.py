"""A file of operations on a window: one a line, in words."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from datetime import datetime
from typing import Any, Final

from sash import algorithms
from sash.aggregations import built_ins
from sash.aggregations.base import Aggregation
from sash.errors import AggregationError
from sash.suggestions import did_you_mean, nearest

__all__ = ["Operation", "Program", "read_program"]

#: What a line of each kind looks like.
_FORMS: Final[Mapping[str, str]] = {
    "aggregation": "aggregation NAME, such as: aggregation Concat",
    "algorithm": "algorithm NAME [OPTION=NUMBER ...], such as: algorithm fiba min_arity=2",
    "insert": "insert TIME VALUE, such as: insert 5 a",
    "bulk_insert": "bulk_insert TIME=VALUE ..., such as: bulk_insert 5=a 6=b",
    "evict": "evict, or evict TIME, such as: evict 5",
    "bulk_evict": "bulk_evict TIME, such as: bulk_evict 5",
    "query": "query, or query START END, such as: query 2 5",
}


@dataclass(frozen=True, slots=True)
class Operation:
    """A call of the window's method `name`, as it was written in a line of the file."""

    line: int
    text: str
    name: str
    arguments: tuple[Any, ...]
    #: What the lines before it say of it.
    remark: str = ""

    @property
    def times(self) -> tuple[Any, ...]:
        """The times among its arguments."""
        match self.name:
            case "insert":
                return self.arguments[:1]
            case "bulk_insert":
                return tuple(self.arguments[0])
            case _:
                return self.arguments

    def at(self, change: Callable[[Any], Any]) -> Operation:
        """The same at other times."""
        times = tuple(map(change, self.times))
        match self.name:
            case "insert":
                return replace(self, arguments=(*times, self.arguments[1]))
            case "bulk_insert":
                return replace(self, arguments=(list(times), self.arguments[1]))
            case _:
                return replace(self, arguments=times)


@dataclass(frozen=True, slots=True)
class Program:
    """What a window aggregates, the algorithm that runs it, and what is done to it."""

    aggregation: Aggregation
    algorithm: str
    options: dict[str, int]
    operations: tuple[Operation, ...]


def read_program(text: str) -> Program:
    """The program of a file. `ValueError` tells of every wrong line: its number, and what would be right.

    >>> program = read_program("algorithm fiba min_arity=2\\n# The first one.\\ninsert 1 a\\nquery")
    >>> [(one.line, one.name, one.arguments, one.remark) for one in program.operations]
    [(3, 'insert', (1, 'a'), 'The first one.'), (4, 'query', (), '')]
    >>> read_program("insert 1")
    Traceback (most recent call last):
    ...
    ValueError: line 1: 'insert 1' is no insert: write insert TIME VALUE, such as: insert 5 a
    """
    reader = _Reader()
    for number, line in enumerate(text.splitlines(), 1):
        reader.read(number, line.strip())
    if not reader.operations and not reader.problems:
        reader.problems.append(f"there is no operation in it: write {_FORMS['insert']}")
    if reader.problems:
        raise ValueError("\n".join(reader.problems))
    return Program(reader.aggregation, reader.algorithm, reader.options, _of_one_kind(reader.operations))


def _of_one_kind(operations: list[Operation]) -> tuple[Operation, ...]:
    """All times as floats if one of them is: a window that met its first one later would load itself anew."""
    if not any(isinstance(time, float) for one in operations for time in one.times):
        return tuple(operations)
    return tuple(one.at(lambda time: float(time) if isinstance(time, int) else time) for one in operations)


class _Reader:
    """Takes line after line, and goes on after a wrong one."""

    def __init__(self) -> None:
        self.aggregation: Aggregation = built_ins()["Concat"]()
        self.algorithm = "fiba"
        self.options: dict[str, int] = {}
        self.operations: list[Operation] = []
        self.problems: list[str] = []
        self._remark: list[str] = []

    def read(self, number: int, line: str) -> None:
        if line.startswith("#"):
            self._remark.append(line.lstrip("# "))
        elif line:
            try:
                self._take(number, line)
            except (ValueError, TypeError, AggregationError) as problem:
                self.problems.append(f"line {number}: {problem}")

    def _take(self, number: int, line: str) -> None:
        name, *words = line.split()
        if name not in _FORMS:
            near = nearest(name, _FORMS)
            way_out = f"did you mean {near!r}? Write {_FORMS[near]}" if near else f"there is {', '.join(_FORMS)}"
            raise ValueError(f"{name!r:.60} is no operation: {way_out}")
        if name in ("aggregation", "algorithm"):
            if self.operations:
                raise ValueError(f"{name} comes before the first operation: move the line up")
            return self._aggregation(line, words) if name == "aggregation" else self._algorithm(line, words)
        arguments = _ARGUMENTS[name](words, self._value)
        if arguments is None:
            raise ValueError(f"{line!r:.60} is no {name}: write {_FORMS[name]}")
        self.operations.append(Operation(number, line, name, arguments, " ".join(self._remark)))
        self._remark = []

    def _aggregation(self, line: str, words: list[str]) -> None:
        if len(words) != 1:
            raise ValueError(f"{line!r:.60} names no aggregation: write {_FORMS['aggregation']}")
        known = built_ins()
        if words[0] not in known:
            raise ValueError(f"{words[0]!r:.60} is no built-in aggregation: {did_you_mean(words[0], known)}")
        self.aggregation = known[words[0]]()

    def _algorithm(self, line: str, words: list[str]) -> None:
        if not words or not all(re.fullmatch(r"\w+=\d+", word) for word in words[1:]):
            raise ValueError(f"{line!r:.60} names no algorithm: write {_FORMS['algorithm']}")
        if words[0] not in algorithms.ALGORITHMS:
            raise ValueError(f"{words[0]!r:.60} is no algorithm: {did_you_mean(words[0], algorithms.ALGORITHMS)}")
        options = {name: int(value) for name, value in (word.split("=") for word in words[1:])}
        self.algorithm, self.options = algorithms.resolve(words[0], self.aggregation, options)

    def _value(self, word: str) -> Any:
        """A number, a text, or several of them between commas, as the aggregation takes them."""
        native = self.aggregation.native()
        if native is not None and native.inputs == "text":
            return word
        parts = tuple(_plain(part) for part in word.split(","))
        return parts if len(parts) > 1 else parts[0]


def _plain(word: str) -> int | float | str:
    number = _number(word)
    return word if number is None else number


def _number(word: str) -> int | float | None:
    for kind in (int, float):
        try:
            return kind(word)
        except ValueError:
            continue
    return None


def _time(word: str) -> int | float | datetime:
    number = _number(word)
    if number is not None:
        return number
    try:
        return datetime.fromisoformat(word)
    except ValueError:
        raise ValueError(f"{word!r:.60} is no time: write a number, or a date such as 2024-05-01T10:00") from None


_Value = Callable[[str], Any]


def _insert(words: list[str], value: _Value) -> tuple[Any, ...] | None:
    return (_time(words[0]), value(words[1])) if len(words) == 2 else None


def _bulk_insert(words: list[str], value: _Value) -> tuple[Any, ...] | None:
    pairs = [word.split("=", 1) for word in words]
    if not pairs or any(len(pair) != 2 or not all(pair) for pair in pairs):
        return None
    return [_time(time) for time, _ in pairs], [value(word) for _, word in pairs]


def _times(*counts: int) -> Callable[[list[str], _Value], tuple[Any, ...] | None]:
    """So many times, and nothing else."""
    return lambda words, value: tuple(map(_time, words)) if len(words) in counts else None


_ARGUMENTS: Final[Mapping[str, Callable[[list[str], _Value], tuple[Any, ...] | None]]] = {
    "insert": _insert,
    "bulk_insert": _bulk_insert,
    "evict": _times(0, 1),
    "bulk_evict": _times(1),
    "query": _times(0, 2),
}
