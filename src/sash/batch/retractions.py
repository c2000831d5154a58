"""Rows that take other rows back: a frame of changes, and the rows that survive them.

The words of several feeds are known; a word says whether a row is added, replaces the one with its id, or removes one.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Final

import numpy as np
import numpy.typing as npt

from sash.errors import PlanError
from sash.frames.base import Codes, Frame, joined

__all__ = ["DELETE", "INSERT", "REMOVALS", "UPDATE", "broken_rule", "changes_of", "check_names", "surviving"]

INSERT, UPDATE, DELETE = 1, 2, -1
#: Numbers, plain words, and those of Flink, Debezium and the change feed of Delta.
_WORDS: Final[dict[Any, int]] = {
    **dict.fromkeys((1, "insert", "+I", "c", "r"), INSERT),
    **dict.fromkeys(("update", "u", "+U", "update_postimage"), UPDATE),
    **dict.fromkeys((-1, "delete", "d", "-D", "-U", "update_preimage"), DELETE),
}
#: The words of rows that remove another, as text.
REMOVALS: Final = tuple(str(word) for word, does in _WORDS.items() if does == DELETE)
#: Updates that come behind the removal of what they replace, so that they need no id.
_PAIRED: Final = frozenset({"+U", "update_postimage"})


def changes_of(words: Sequence[Any], retract: str, has_id: bool) -> npt.NDArray[np.int8]:
    """What each row does; `ValueError` for a word that is not known.

    >>> changes_of(["insert", "-U", "+U", "delete"], "op", True).tolist()
    [1, -1, 2, -1]
    """
    try:
        found = np.fromiter((_WORDS[word] for word in words), np.int8, len(words))
    except (KeyError, TypeError):
        place = next(place for place, word in enumerate(words) if not _known(word))
        rule = broken_rule(words[place], retract, has_id)
        raise ValueError(f"{rule}; see row {place}: {words[place]!r}") from None
    if not has_id:
        for place in np.flatnonzero(found == UPDATE).tolist():
            if (rule := broken_rule(words[place], retract, has_id)) is not None:
                raise ValueError(f"{rule}; see row {place}")
    return found


def broken_rule(word: Any, retract: str, has_id: bool) -> str | None:
    """The rule that a word breaks; None if it says what a row does.

    >>> broken_rule("upsert", "op", True)
    "column 'op' says what a row does: +1 or -1, or insert, update, delete"
    >>> broken_rule("update", "op", False)
    'an update replaces the row of its id, and there is none: give id='
    """
    if not _known(word):
        return f"column {retract!r} says what a row does: +1 or -1, or insert, update, delete"
    if not has_id and _WORDS[word] == UPDATE and word not in _PAIRED:
        return "an update replaces the row of its id, and there is none: give id="
    return None


def _known(word: Any) -> bool:
    try:
        return word in _WORDS
    except TypeError:
        return False


def check_names(names: Sequence[str], retract: str, id: str | None, emit: str) -> None:
    """`PlanError` for columns that are not there, and for results that are never revised."""
    missing = [name for name in (retract, id) if name is not None and name not in names]
    if missing:
        raise PlanError(f"retract: there is no column {missing[0]!r}: {', '.join(names)}")
    if emit == "arrival":
        raise PlanError('retract: what was known when a row came is not taken back: use emit="final" or "update"')


def surviving(frame: Frame, by: Sequence[str], retract: str, id: str | None) -> npt.NDArray[np.int64]:
    """The rows that no later row removes or replaces, in their order. A row is known by its key and its id, or by all
    of its columns where there is no id. A removal of what is not there removes nothing.

    Cost: O(n).
    """
    changes = changes_of([_plain(word) for word in frame.objects(retract)], retract, id is not None)
    columns = [name for name in frame.names if name != retract] if id is None else [*by, id]
    if id is not None and (nameless := [place for place, one in enumerate(frame.objects(id)) if one is None]):
        raise ValueError(f"column {id!r} tells rows apart, and row {nameless[0]} has none")
    if not len(changes):
        return np.empty(0, np.int64)
    rows = joined([frame.codes(name) for name in columns]) if columns else Codes(np.zeros(len(changes), np.uint32), 1)
    return _last_of_each(rows, changes) if id is not None else _unpaired(rows, changes)


def _plain(word: Any) -> Any:
    return word.item() if isinstance(word, np.generic) else word


def _last_of_each(rows: Codes, changes: npt.NDArray[np.int8]) -> npt.NDArray[np.int64]:
    last = np.full(rows.count, -1, np.int64)
    np.maximum.at(last, rows.codes, np.arange(len(changes)))
    last = np.sort(last[last >= 0])
    kept: npt.NDArray[np.int64] = last[changes[last] != DELETE]
    return kept


def _unpaired(rows: Codes, changes: npt.NDArray[np.int8]) -> npt.NDArray[np.int64]:
    """A removal takes the last of the equal rows that are there."""
    alive = changes != DELETE
    touched = np.zeros(rows.count, bool)
    touched[rows.codes[~alive]] = True
    stacks: dict[int, list[int]] = {}
    for place in np.flatnonzero(touched[rows.codes]).tolist():
        stack = stacks.setdefault(int(rows.codes[place]), [])
        if changes[place] != DELETE:
            stack.append(place)
        elif stack:
            alive[stack.pop()] = False
    return np.flatnonzero(alive)
