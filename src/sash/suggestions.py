"""What to write instead of a word that is not known: the nearest known one, and what there is to choose from."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Final

__all__ = ["did_you_mean", "nearest"]

#: Words of SQL, pandas and others for what has another name here.
_ELSEWHERE: Final = {
    "avg": "Mean",
    "average": "Mean",
    "stddev": "Std",
    "stdev": "Std",
    "variance": "Var",
    "percentile": "Quantile",
    "nunique": "CountDistinct",
    "array_agg": "Collect",
    "string": "text",
    "str": "text",
    "varchar": "text",
    "integer": "int",
    "long": "int",
    "bigint": "int",
    "double": "float",
    "number": "float",
    "boolean": "bool",
    "datetime": "timestamp",
    "date": "timestamp",
    "jsonl": "json",
    "ndjson": "json",
}


def nearest(word: object, known: Iterable[str]) -> str | None:
    """The known word that is most like it, or that means the same elsewhere; None if none is. Case counts for nothing.

    >>> nearest("amout", ["card", "amount"]), nearest("Sum", ["sum"]), nearest("x", ["amount"])
    ('amount', 'sum', None)
    >>> nearest("AVG", ["Mean", "Any"])
    'Mean'
    """
    from difflib import get_close_matches

    if not isinstance(word, str):
        return None
    folded = {one.casefold(): one for one in reversed([one for one in known if isinstance(one, str)])}
    if _ELSEWHERE.get(word.casefold()) in folded.values():
        return _ELSEWHERE[word.casefold()]
    found = get_close_matches(word.casefold(), folded, n=1)
    return folded[found[0]] if found else None


def did_you_mean(word: object, known: Iterable[str]) -> str:
    """The end of a message about a word that is not known.

    >>> did_you_mean("amout", ["card", "amount"])
    "did you mean 'amount'? There is 'card', 'amount'"
    >>> did_you_mean("x", ["card", "amount"]), did_you_mean("x", [])
    ("there is 'card', 'amount'", 'there is none')
    """
    known = list(known)
    near = nearest(word, known)
    choice = f"here is {', '.join(map(repr, known)) or 'none'}"
    return f"t{choice}" if near is None else f"did you mean {near!r}? T{choice}"
