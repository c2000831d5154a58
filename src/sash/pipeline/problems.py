"""What is wrong in a pipeline file: each mistake with its line, its key and what would be right."""

from __future__ import annotations

import re
import tomllib
from collections.abc import Iterable
from typing import Any, Final

from sash import suggestions
from sash.errors import PipelineError

__all__ = ["Problems", "key_lines", "nearest", "parsed"]

_HEADER: Final = re.compile(r"^\s*\[\[?\s*([^\[\]]+?)\s*\]\]?\s*(?:#.*)?$")
_KEY: Final = re.compile(r"""^\s*((?:[\w-]+|"[^"]*"|'[^']*')(?:\s*\.\s*(?:[\w-]+|"[^"]*"|'[^']*'))*)\s*=""")
_PART: Final = re.compile(r"""[\w-]+|"[^"]*"|'[^']*'""")
_QUOTES: Final = "\u201c\u201d\u2018\u2019\u201e\"'"
_PLACE: Final = re.compile(r"^(.*?) \(at line (\d+), column \d+\)$")


class Problems:
    """Collects the mistakes of one file, and raises all of them together."""

    def __init__(self, file: str, text: str) -> None:
        self._file = file
        self._lines = key_lines(text)
        self._found: list[tuple[int, str]] = []

    def __bool__(self) -> bool:
        return bool(self._found)

    def add(self, key: str, text: str) -> None:
        """Note what is wrong with a key, or with the table that it would be in."""
        self._found.append((self._line(key), f"{key}: {text}"))

    def _line(self, key: str) -> int:
        while key and key not in self._lines:
            key = key.rpartition(".")[0]
        return self._lines.get(key, 1)

    def error(self, key: str, text: str) -> PipelineError:
        """The error for a mistake that shows only when the pipeline runs."""
        return PipelineError(f"{self._file}:{self._line(key)}: {key}: {text}")

    def settle(self) -> None:
        """Raise `PipelineError` with all that was noted, by line, if anything was."""
        if self._found:
            raise PipelineError("\n".join(f"{self._file}:{line}: {text}" for line, text in sorted(self._found)))


def key_lines(text: str) -> dict[str, int]:
    """The line of each key and table, by its dotted name.

    >>> key_lines('a = 1\\n[plan]\\nwindows = [\\n "1h"]\\n[plan.aggregations]\\n"n x" = "Count()"')
    {'a': 1, 'plan': 2, 'plan.windows': 3, 'plan.aggregations': 5, 'plan.aggregations.n x': 6}
    """
    table, found = "", dict[str, int]()
    for number, line in enumerate(text.splitlines(), start=1):
        if header := _HEADER.match(line):
            table = _name(header[1])
            found.setdefault(table, number)
        elif key := _KEY.match(line):
            found.setdefault(f"{table}.{_name(key[1])}" if table else _name(key[1]), number)
    return found


def _name(dotted: str) -> str:
    return ".".join(part.strip("\"'") for part in _PART.findall(dotted))


def parsed(file: str, text: str) -> dict[str, Any]:
    """The text as TOML; `PipelineError` with the line if it is none."""
    try:
        return tomllib.loads(text)
    except tomllib.TOMLDecodeError as error:
        found = _PLACE.match(str(error))
        what, line = (found[1], int(found[2])) if found else (str(error), len(text.splitlines()))
        if what.startswith("Unclosed"):
            line = _begun(text, line)
        source = text.splitlines()[line - 1].strip() if 0 < line <= len(text.splitlines()) else ""
        raise PipelineError(f"{file}:{line}: {source!r:.60} is not TOML: {what}{_hint(what, source)}") from None


def _begun(text: str, line: int) -> int:
    """The line of the last key at or before a line: the list that is not closed begins there."""
    keys = [number for number, one in enumerate(text.splitlines()[:line], start=1) if _KEY.match(one)]
    return keys[-1] if keys else line


def _hint(what: str, source: str) -> str:
    key, _, value = (part.strip() for part in source.partition("="))
    if curly := re.search("[\u201c\u201d\u2018\u2019\u201e]", value):
        return f'; {curly[0]} is a typographic quote: write {key} = "{value.strip(_QUOTES)}"'
    if what.startswith("Unclosed"):
        return "; the list or table that begins here has no closing bracket"
    if what == r"Illegal character '\n'":
        return "; the text has no closing quote"
    if what.startswith(("Invalid value", "Expected newline")):
        return _right(key, value)
    if "Expected '='" in what:
        return "; write a line as key = value"
    if "overwrite" in what or "twice" in what:
        return "; a key or a table may be written only once"
    return ""


def _right(key: str, value: str) -> str:
    """A value that is none, as it was probably meant."""
    if value.lower() in ("true", "false", "yes", "no"):
        return f"; write {key} = {'true' if value.lower() in ('true', 'yes') else 'false'}"
    if re.fullmatch(r"[\w./~-][^\s\"'\[\]{},#]*", value):
        return f'; a text goes in quotes: {key} = "{value}"'
    if re.fullmatch(r'"[^"]*\(.*"[^"]*"\)"?', value):
        return f"; a text that contains quotes goes in single quotes: {key} = '{value.strip(chr(34))}'"
    if "," in value and not value.startswith(("[", "{")):
        return f"; a list goes in brackets: {key} = [{value.rstrip(']')}]"
    return '; a text goes in "quotes", a list in [brackets], and the truth values are true and false'


def nearest(word: Any, words: Iterable[str]) -> str:
    """A guess at what was meant, and what there is.

    >>> nearest("parqet", ["csv", "parquet"])
    'did you mean "parquet"? There are csv, parquet'
    >>> nearest("x", ["csv", "parquet"])
    'there are csv, parquet'
    """
    known = list(words)
    found = suggestions.nearest(word, known)
    listed = ", ".join(known)
    return f"there are {listed}" if found is None else f'did you mean "{found}"? There are {listed}'
