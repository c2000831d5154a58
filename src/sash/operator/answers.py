"""Answers of the core as columns: a word and a tag each, read as Python's numbers or as arrays of them."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Final

import numpy as np
import numpy.typing as npt

__all__ = ["AnswerColumn", "all_numbers", "number_at", "numbers_of"]

#: Words, and what the core calls each: nothing, an integer, a real.
AnswerColumn = tuple[npt.NDArray[np.int64], npt.NDArray[np.uint8]]

_NOTHING, _INTEGER, _REAL = 0, 1, 2
_NATIVE: Final = np.dtype(np.int64)


def number_at(column: AnswerColumn, place: int) -> int | float | None:
    """One answer.

    >>> number_at((np.array([7]), np.array([1], np.uint8)), 0)
    7
    """
    words, tags = column
    if tags[place] == _NOTHING:
        return None
    word = words[place : place + 1]
    return int(word[0]) if tags[place] == _INTEGER else float(word.view(np.float64)[0])


def all_numbers(column: AnswerColumn) -> list[int | float | None]:
    """All answers, as Python's numbers.

    >>> all_numbers((np.array([7, 0]), np.array([1, 0], np.uint8)))
    [7, None]
    """
    words, tags = column
    integers: list[int] = words.tolist()
    reals: list[float] = words.view(np.float64).tolist()
    of_tags: dict[int, list[Any]] = {_INTEGER: integers, _REAL: reals}
    return [of_tags[tag][place] if tag else None for place, tag in enumerate(tags.tolist())]


def numbers_of(columns: Sequence[AnswerColumn], truth: bool) -> npt.NDArray[Any] | None:
    """All answers of columns that take turns, as one array; None if they are not all of one kind.

    >>> numbers_of([(np.array([7, 8]), np.array([1, 1], np.uint8))], truth=False)
    array([7, 8])
    """
    if not columns or not len(columns[0][0]):
        return None
    several = len(columns) > 1
    tags = np.stack([tags for _, tags in columns], axis=1).ravel() if several else columns[0][1]
    words = np.stack([words for words, _ in columns], axis=1).ravel() if several else columns[0][0]
    if (tags == _REAL).all():
        return words.view(np.float64)
    if (tags == _INTEGER).all():
        # Seen as NumPy's own int64: the core's has the same bits and another name.
        return words.astype(bool) if truth else words.view(_NATIVE)
    return None
