"""A program, operation by operation: the picture after each, and the combines that it took."""

# The methods of an aggregation are described once, in Aggregation.
# ruff: noqa: D102

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from sash.aggregations.base import Aggregation
from sash.drawing.drawing import Drawing, draw_structure, known_of
from sash.drawing.names import plain
from sash.drawing.program import Operation, Program
from sash.drawing.structure import structure_of
from sash.errors import SashError
from sash.window import Window

__all__ = ["Combine", "Counting", "Step", "steps_of"]


@dataclass(frozen=True, slots=True)
class Combine:
    """One combine: what was older, what was newer, what came of it."""

    older: str
    newer: str
    result: str


@dataclass(frozen=True, slots=True)
class Step:
    """What an operation did."""

    operation: Operation
    #: What a query gave.
    result: str
    combines: tuple[Combine, ...]
    drawing: Drawing


class Counting(Aggregation):
    """Another aggregation, which writes down its combines.

    It runs as one in Python does: an algorithm that may save combines over a commutative or native one saves none here.

    >>> import sash
    >>> counting = Counting(sash.Sum())
    >>> w = sash.Window(counting, algorithm="two_stacks"); w.bulk_insert([1, 2, 3], [10, 20, 30]); w.query()
    60
    >>> [(one.older, one.newer) for one in counting.combines]
    [('10', '20'), ('30', '30')]
    """

    def __init__(self, inner: Aggregation) -> None:
        self.inner = inner
        self.identity = inner.identity
        self.nan = inner.nan
        self.timed = inner.timed  # type: ignore[misc]
        self.combines: list[Combine] = []

    def lift(self, *arguments: Any) -> Any:
        return self.inner.lift(*arguments)

    def combine(self, older: Any, newer: Any) -> Any:
        combined = self.inner.combine(older, newer)
        self.combines.append(Combine(*map(self._word, (older, newer, combined))))
        return combined

    def _word(self, partial: Any) -> str:
        return "∅" if partial is self.identity else plain(self.inner.lower(partial))

    def lower(self, partial: Any) -> Any:
        return self.inner.lower(partial)

    def inverse(self, whole: Any, older: Any) -> Any:
        return self.inner.inverse(whole, older)

    @property
    def invertible(self) -> bool:
        return self.inner.invertible

    def skips(self, value: Any) -> bool:
        return self.inner.skips(value)

    def __repr__(self) -> str:
        return repr(self.inner)


def steps_of(program: Program, most: int = 64) -> Iterator[Step]:
    """Run a program and show each of its steps. `ValueError` tells which line the window refused, and why.

    >>> from sash.drawing.program import read_program
    >>> program = read_program("algorithm two_stacks\\nbulk_insert 1=a 2=b 3=c\\nevict\\nquery")
    >>> [(step.operation.name, len(step.combines), step.result) for step in steps_of(program)]
    [('bulk_insert', 2, ''), ('evict', 1, ''), ('query', 1, 'bc')]
    """
    counting = Counting(program.aggregation)
    window = Window(counting, program.algorithm, **program.options)
    known: frozenset[str] = frozenset()
    for operation in program.operations:
        counting.combines = []
        try:
            result = getattr(window, operation.name)(*operation.arguments)
        except (SashError, ValueError, TypeError, OverflowError) as error:
            raise ValueError(f"line {operation.line}: {operation.text!r:.60} is refused: {error}") from error
        combines = tuple(counting.combines)
        structure = structure_of(window, brief=len(window) > most)
        drawing = draw_structure(structure, program.algorithm, f"{program.algorithm}, {counting!r}", known)
        known = known_of(structure)
        yield Step(operation, plain(result) if operation.name == "query" else "", combines, drawing)
