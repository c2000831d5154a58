"""Tables whose results have types that are known beforehand, so that every chunk of a DataFrame has the same."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import pyarrow as pa

from sash.frames.arrow import ArrowFrame
from sash.frames.base import Answer, Instants, Objects, Part, Picked
from sash.spark.plain import as_plain

__all__ = ["TypedFrame"]


class TypedFrame(ArrowFrame):
    """An Arrow table that gives its results alone, in their types: a list of arrays.

    `TypeError` says which column holds a value that its type does not.

    >>> import sash
    >>> from sash.batch.engine import run
    >>> plan = sash.Plan(windows=2, aggregations={"top": sash.TopK("x", k=1)})
    >>> frame = TypedFrame(pa.table({"x": [1, 2]}), {"top_2": pa.list_(pa.int64())})
    >>> run(frame, plan, {})[0].to_pylist()
    [[1], [2]]
    """

    def __init__(self, table: pa.Table, types: Mapping[str, pa.DataType], hidden: Sequence[str] = ()) -> None:
        super().__init__(table)
        self._types = types
        self._hidden = hidden

    @property
    def names(self) -> Sequence[str]:
        """The columns of the data, without those that are hidden: they can be read, but are no part of a row."""
        return [name for name in super().names if name not in self._hidden]

    def with_columns(self, columns: Mapping[str, Answer]) -> list[pa.Array]:
        """The results, in the order in which they were made."""
        return [self._typed(name, answer, self._types[name]) for name, answer in columns.items()]

    def made_of(self, columns: Mapping[str, Part]) -> pa.Table:
        """A table of new columns: results, and times, in their types; keys as they are."""
        return pa.table({name: self._made(name, part) for name, part in columns.items()})

    def _made(self, name: str, part: Part) -> pa.Array:
        if isinstance(part, Picked):
            return self._part(part)
        if isinstance(part, Instants):
            return self._part(part).cast(self._types[name])
        return self._typed(name, part, self._types[name])

    def _typed(self, name: str, answer: Answer, kind: pa.DataType) -> pa.Array:
        try:
            if isinstance(answer, Objects):
                return pa.array([as_plain(value, kind) for value in answer.values], kind)
            made = self._column(answer)
            return made if made.type == kind else made.cast(kind)
        except (pa.ArrowInvalid, pa.ArrowTypeError, pa.ArrowNotImplementedError, TypeError, ValueError) as error:
            raise TypeError(f"column {name!r} is {kind}, and a result does not fit: {error}") from error
