"""A table of a pipeline file, read key by key; what cannot be read is noted."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from sash import suggestions
from sash.durations import parse_duration
from sash.pipeline.problems import Problems, nearest

__all__ = ["Table"]


class Table:
    """Reads the keys of one table. A wrong value is a problem, and stands for its default; so does a missing one."""

    def __init__(self, name: str, values: Any, problems: Problems) -> None:
        self.name = name
        self._problems = problems
        self._asked: set[str] = set()
        self._missing: dict[str, str] = {}
        #: Whether the file has a table here, and no other value.
        self.is_table = isinstance(values, Mapping)
        if not self.is_table:
            problems.add(name, f"it must be a table, [{name}], not {_written(values)}")
            values = {}
        self._values = values

    def __contains__(self, key: str) -> bool:
        return key in self._values

    def key(self, key: str) -> str:
        """The dotted name of a key."""
        return f"{self.name}.{key}"

    def problem(self, key: str, text: str) -> None:
        """Note what is wrong with a key."""
        self._problems.add(self.key(key), text)

    def missing(self, key: str, text: str) -> None:
        """Note that a key is not there, unless another that is no key of this table was meant for it."""
        self._missing[key] = text

    def get(self, key: str) -> Any:
        """The value as it is, or None."""
        self._asked.add(key)
        return self._values.get(key)

    def text(self, key: str, default: str = "", *, needed: str = "") -> str:
        """A text that is not empty; where `needed` is said, it must be there, and that is how."""
        value = self.get(key)
        if value is None:
            if needed:
                self.missing(key, f"it is missing: write {needed}")
            return default
        if isinstance(value, str) and value:
            return value
        self.problem(key, f"it must be a text in quotes, not {_written(value)}")
        return default

    def word(self, key: str, words: Sequence[str], default: str, *, needed: bool = False) -> str:
        """One of some words."""
        value = self.get(key)
        if value is None and needed:
            self.problem(key, f"it is missing: one of {', '.join(words)}")
        if value is None or value in words:
            return default if value is None else str(value)
        self.problem(key, f"{_written(value)} is unknown: {nearest(value, words)}")
        return default

    def truth(self, key: str, default: bool) -> bool:
        """True or false."""
        value = self.get(key)
        if value is None or isinstance(value, bool):
            return default if value is None else value
        self.problem(key, f"it must be true or false, without quotes, not {_written(value)}")
        return default

    def whole(self, key: str, default: int | None, least: int = 1) -> int | None:
        """A whole number."""
        value = self.get(key)
        if value is None:
            return default
        if isinstance(value, int) and not isinstance(value, bool) and value >= least:
            return value
        self.problem(key, f"it must be a whole number, {least} or more, not {_written(value)}")
        return default

    def duration(self, key: str, default: str | None = None) -> str | None:
        """A length of time, as it is written."""
        value = self.get(key)
        if value is None:
            return default
        if not isinstance(value, str):
            self.problem(key, f'it must be a length of time in quotes, such as "10s" or "5m", not {_written(value)}')
            return default
        try:
            parse_duration(value)
        except ValueError as error:
            self.problem(key, f'it must be a length of time such as "10s" or "5m", not {_written(value)}: {error}')
            return default
        return value

    def texts(self, key: str) -> tuple[str, ...]:
        """A list of texts; one alone stands for itself."""
        value = self.get(key)
        if value is None:
            return ()
        listed = [value] if isinstance(value, str) else value
        if isinstance(listed, list) and all(isinstance(one, str) and one for one in listed):
            return tuple(listed)
        self.problem(key, f'it must be a list of texts, ["a", "b"], not {_written(value)}')
        return ()

    def settings(self, key: str) -> dict[str, str]:
        """A table of plain values, as texts: what is handed on to another program."""
        value = self.get(key)
        if value is None:
            return {}
        if not isinstance(value, Mapping):
            self.problem(key, f"it must be a table of plain values, not {_written(value)}")
            return {}
        for name, one in value.items():
            if isinstance(one, (dict, list)):
                way = f'; write names with dots in quotes, "{name}.name" = "value"' if isinstance(one, dict) else ""
                self.problem(f"{key}.{name}", f"it must be a plain value, not {_written(one)}{way}")
        return {name: str(one).lower() if isinstance(one, bool) else str(one) for name, one in value.items()}

    def finish(self) -> None:
        """Whatever nobody asked for is a mistake, and so is what was asked for in vain."""
        for key in self._values:
            if key not in self._asked:
                self.problem(key, f"[{self.name}] has no such key: {nearest(key, sorted(self._asked))}")
                self._missing.pop(suggestions.nearest(key, self._missing) or "", None)
        for key, text in self._missing.items():
            self.problem(key, text)


def _written(value: Any) -> str:
    """A value as it would be written in the file, short."""
    match value:
        case bool():
            return str(value).lower()
        case str():
            return f'"{value:.60}"'
        case dict():
            return "a table"
        case [dict(), *_]:
            return "a list of tables, [[...]]"
    return f"{value!r:.60}"
