"""Strings one after another."""

# The methods are described once, in Aggregation.
# ruff: noqa: D102

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, ClassVar

from sash.aggregations.base import Aggregation, Native, Where, built_in
from sash.aggregations.declared import Inputs, Result
from sash.aggregations.reading import read_text

__all__ = ["Concat"]


@built_in
class Concat(Aggregation):
    """The strings one after another, oldest first, with a separator between them.

    Not commutative, not invertible, exact; None for an empty window. Cost of combine: O(length).

    >>> path = Concat(separator=">")
    >>> path.lower(path.combine(path.lift("a"), path.lift("b")))
    'a>b'
    """

    inputs: ClassVar[Inputs] = "text"
    result: ClassVar[Result] = "str"
    size: ClassVar[str] = "grows with the texts"

    defaults: ClassVar[Mapping[str, Any]] = {"separator": ""}
    #: None is no string at all, which is not the empty string: a separator goes between two strings, however short.
    identity = None

    def __init__(self, column: str | None = None, *, separator: str = "", where: Where = None) -> None:
        super().__init__(column)
        if not isinstance(separator, str):
            raise TypeError(f"separator is a text, not {type(separator).__name__} ({separator!r:.60})")
        if any(0xD800 <= ord(letter) < 0xE000 for letter in separator):
            raise ValueError(f"separator is a text that can be written, and {separator!r:.60} has half a character")
        self.separator = separator

    def lift(self, value: Any) -> str:
        return read_text(value)

    def combine(self, older: str | None, newer: str | None) -> str | None:
        if older is None or newer is None:
            return newer if older is None else older
        return f"{older}{self.separator}{newer}"

    def lower(self, partial: str | None) -> str | None:
        return partial

    def native(self) -> Native:
        return Native("concat", "text", {"separator": self.separator})
