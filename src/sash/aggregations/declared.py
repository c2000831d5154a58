"""The words in which an aggregation says what it is: what its values are, what its result is, which row it picks.

Each class says it in its own file; frames, Spark, the operator and the laws ask the aggregation, and know none by name.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final, Literal, TypeAlias

import numpy as np
import numpy.typing as npt

__all__ = ["Also", "Inputs", "Pick", "Refusal", "Result", "gives_words", "needed", "takes_words"]

#: What its values are. "number" keeps integers as they are, "real" reads all as float64, "positive" takes none below 0.
#: "ignored" and "any" are values of any kind; "distinct" have a hash; "hashable" are int, float, str and bytes, whose
#: hash is the same in every process, "plain" these and tuples of them. "pair", "weighted", "keyed" and "labelled" are
#: tuples; of "keyed" the second is the whole row where one column is named. "" is not said.
Inputs: TypeAlias = Literal[
    "",
    "ignored",
    "any",
    "number",
    "real",
    "positive",
    "integer",
    "bool",
    "text",
    "hashable",
    "distinct",
    "plain",
    "pair",
    "weighted",
    "keyed",
    "labelled",
]

#: Values with an order that are no 64-bit numbers: decimals; points in time, which are dates and datetimes; durations;
#: and what has an order alone, texts and times of day.
Also: TypeAlias = Literal["decimal", "instant", "duration", "ordered"]

#: What its result is. A word: "int", "float", "bool", "str", "bytes"; "number", an int over integers and else a float;
#: over decimals a decimal, and one of the values, or an amount, over what else it takes;
#: "value", one of the first column; "time"; "argument", what goes with a key; "item", a value of the first column as a
#: sketch knows it; "object", one to be asked, which Spark keeps as the bytes of its partial. A list of one is a list of
#: such, a mapping has a name for each. None is not known.
Result: TypeAlias = str | list[Any] | Mapping[str, Any] | None

#: Which row of the window its result is taken from: at an end, or with the extreme key.
Pick: TypeAlias = Literal["first", "last", "least", "greatest"]

#: Marks the numbers of an array that it refuses, with the error that each would be.
Refusal: TypeAlias = tuple[npt.NDArray[np.bool_], Exception]

_TAKES: Final[Mapping[str, str]] = {
    **dict.fromkeys(("ignored", "any"), "values of any kind"),
    **dict.fromkeys(("number", "real"), "numbers"),
    "positive": "numbers from 0 up",
    "integer": "integers",
    "bool": "truths",
    "text": "texts",
    "hashable": "int, float, str, bytes",
    "distinct": "hashable values",
    "plain": "int, float, str, bytes, tuples of these",
    "pair": "pairs of numbers",
    "weighted": "pairs (value, weight)",
    "keyed": "pairs (key, argument)",
    "labelled": "tuples (label, features...)",
}
_GIVES: Final[Mapping[str, str]] = {
    "number": "int or float",
    "value": "one of the values",
    "argument": "the argument",
    "item": "one of the values",
}
_NEEDED: Final[Mapping[str, str]] = {
    **dict.fromkeys(("number", "real", "positive", "pair", "weighted", "keyed"), "numbers"),
    "integer": "integers",
    "bool": "True and False",
    "text": "text",
}


def takes_words(inputs: str) -> str:
    """What an aggregation of such inputs takes, for readers.

    >>> takes_words("keyed"), takes_words("")
    ('pairs (key, argument)', 'values')
    """
    return _TAKES.get(inputs, "values")


def gives_words(result: Result) -> str:
    """What an aggregation of such a result gives, for readers.

    >>> gives_words("number"), gives_words("bool"), gives_words(["value"]), gives_words(None)
    ('int or float', 'bool', 'list of the values', 'a value')
    """
    if isinstance(result, str):
        return _GIVES.get(result, result)
    return "list of the values" if result == ["value"] else "a value"


def needed(inputs: str) -> str | None:
    """What the column of such inputs must hold, of tuples the first; None if any column will do.

    >>> needed("real"), needed("any")
    ('numbers', None)
    """
    return _NEEDED.get(inputs)
