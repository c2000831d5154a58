"""The log of a Parquet folder: each entry is a small file that says all there is, and the newest counts."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import asdict, dataclass, replace
from typing import Any, Final

from sash.errors import SashError
from sash.spark.files import Files

__all__ = ["FolderLog", "FolderState", "Part"]

#: Spark passes over files whose names begin so.
_LOG: Final = "_sash_log"
#: How many entries are kept behind the newest, for those who are reading.
_KEPT: Final = 16


@dataclass(frozen=True)
class Part:
    """A folder of rows, and how often they were merged."""

    name: str
    level: int
    #: Which of the folder's schemas its files have; None in a log of an older version, which says nothing of it.
    schema: int | None = None


@dataclass(frozen=True)
class FolderState:
    """What the rows are, and what has been taken."""

    key: tuple[str, ...]
    sequence: int
    #: The oldest first.
    parts: tuple[Part, ...]
    #: The last batch of each stream.
    taken: Mapping[str, int]
    #: Parts that were merged, with the entry since which they are not named.
    merged: Mapping[str, int]
    #: The column that says that a row removes the one of its key.
    retract: str | None = None
    #: The schemas of parts, as JSON, in the order in which they came.
    schemas: tuple[str, ...] = ()

    @classmethod
    def new(cls, key: tuple[str, ...], retract: str | None = None) -> FolderState:
        """That of a folder without rows."""
        return cls(key, 0, (), {}, {}, retract)

    def has(self, query: str | None, number: int) -> bool:
        """Whether the batch was taken."""
        return query is not None and number <= self.taken.get(query, -1)

    def with_schema(self, schema: str) -> FolderState:
        """The same, if parts have had the schema already; or else with this one behind the others."""
        return self if schema in self.schemas else replace(self, schemas=(*self.schemas, schema))

    def following(self, parts: tuple[Part, ...], query: str | None = None, number: int = 0) -> FolderState:
        """The next one, with these parts, and the batch taken."""
        taken = self.taken if query is None else {**self.taken, query: number}
        gone = {part.name: self.sequence + 1 for part in self.parts if part not in parts}
        merged = {name: since for name, since in self.merged.items() if since >= self.sequence - _KEPT} | gone
        return replace(self, sequence=self.sequence + 1, parts=parts, taken=taken, merged=merged)

    def write(self) -> str:
        """Its text."""
        return json.dumps(asdict(self))

    @classmethod
    def read(cls, text: str) -> FolderState:
        """The state whose text it is.

        >>> state = FolderState.new(("card",)).following((Part("1-ab", 0),), "query", 0)
        >>> FolderState.read(state.write()) == state
        True
        """
        found = json.loads(text)
        parts = tuple(Part(**one) for one in found["parts"])
        return cls(**found | {"key": tuple(found["key"]), "parts": parts, "schemas": tuple(found.get("schemas", ()))})


class FolderLog:
    """Entries by their numbers, in a folder of Spark's files."""

    def __init__(self, spark: Any, folder: str) -> None:
        self._files = Files(spark, folder)
        self._folder = folder

    def read(self) -> FolderState | None:
        """The newest entry; None if there is none."""
        numbers = self._numbers()
        return FolderState.read(self._files.read(_entry(max(numbers))).decode()) if numbers else None

    def commit(self, state: FolderState) -> None:
        """A new entry, whole or not at all."""
        draft = f"{_LOG}/.{state.sequence}.draft"
        self._files.write(draft, state.write().encode())
        if not self._files.rename(draft, _entry(state.sequence)):
            raise SashError(f"entry {state.sequence} of {self._folder}/{_LOG} is there: two streams write to it")

    def tidy(self, state: FolderState) -> None:
        """Delete entries that are far behind, the parts that only they name, and what attempts that failed left."""
        old = state.sequence - _KEPT
        for number in self._numbers():
            if number < old:
                self._files.delete(_entry(number))
        live = {part.name for part in state.parts} | state.merged.keys()
        for name in self._files.names():
            if name not in live and _sequence_of(name) < old:
                self._files.delete(name)

    def _numbers(self) -> list[int]:
        return [int(name.removesuffix(".json")) for name in self._files.names(_LOG) if name.endswith(".json")]


def _entry(number: int) -> str:
    return f"{_LOG}/{number:020}.json"


def _sequence_of(name: str) -> int:
    """The number of the batch that a part was written for; none that is ever old for other folders.

    >>> _sequence_of("12-0ab3"), _sequence_of("_sash_log") > 10**9
    (12, True)
    """
    number = name.partition("-")[0]
    return int(number) if number.isdigit() else 1 << 62
