"""Values to try an aggregation on: ordinary ones as Hypothesis strategies, and those at which things go wrong."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any, Final

from sash.aggregations.base import Aggregation
from sash.errors import AggregationError

if TYPE_CHECKING:
    from hypothesis.strategies import SearchStrategy

__all__ = ["inputs_of", "nasty_values", "values_for"]


def inputs_of(aggregation: Aggregation) -> str:
    """The word for the values that a built-in aggregation takes: its `inputs`.

    >>> from sash.aggregations import Concat, Sum
    >>> inputs_of(Sum()), inputs_of(Concat())
    ('number', 'text')
    """
    if aggregation.inputs not in _NASTY:
        raise AggregationError(
            f"{aggregation!r} is not built in: only you know which values it takes; or name them in its `inputs`:"
            f" {', '.join(_NASTY)}"
        )
    return aggregation.inputs


def values_for(aggregation: Aggregation, *, nasty: bool = False) -> SearchStrategy[Any]:
    """A Hypothesis strategy of values that the built-in aggregation takes. Needs Hypothesis.

    No nulls and no NaN, unless `nasty`: then some values are among `nasty_values`. An aggregation of your own that
    takes the same says so by a class attribute, such as `inputs = "number"`.

    >>> from sash.aggregations import Sum
    >>> values_for(Sum())
    one_of(integers(min_value=-1000000, max_value=1000000), floats(min_value=-1000000.0, max_value=1000000.0))
    """
    from hypothesis import strategies as st

    ordinary = _strategies()[inputs_of(aggregation)]
    return ordinary | st.sampled_from(nasty_values(aggregation)) if nasty else ordinary


def nasty_values(aggregation: Aggregation) -> list[Any]:
    """The values at which aggregations of such inputs go wrong: nulls, NaN, infinities, -0.0, ties, equal values of
    different types, large ones that differ by little.

    >>> from sash.aggregations import Concat
    >>> nasty_values(Concat())
    [None, '', 'a', 'a', 'b', '\\x00', 'é', '𝄞']
    """
    return list(_NASTY[inputs_of(aggregation)])


# Large, and nearly equal: sums of squares lose such differences. No squares overflow, nor fourth powers.
_NUMBERS: Final = [0, 1, 1.0, -1, 0.0, -0.0, 1e9, 1e9 + 1, 1e9 + 2, 10**9, 1e15, -(10**15), 5e-324, 0.1]
_SPECIAL: Final = [None, math.nan, math.inf, -math.inf]
_TEXTS: Final = ["", "a", "a", "b", "\0", "é", "𝄞"]
_KEYS: Final = [*_NUMBERS, math.nan, math.inf, True, False, "1", b"1", b"", *_TEXTS]

_NASTY: Final[dict[str, list[Any]]] = {
    "ignored": [*_SPECIAL, *_NUMBERS, *_TEXTS],
    "number": [*_SPECIAL, *_NUMBERS],
    "real": [*_SPECIAL, *_NUMBERS],
    "positive": [None, math.nan, *(value for value in _NUMBERS if value > 1e-100)],
    "integer": [None, 0, 1, 1, -1, 2**63 - 1, -(2**63), 2**62],
    "bool": [None, True, False, 0, 1],
    "any": [*_SPECIAL, *_NUMBERS, *_TEXTS],
    # Ties of every kind: the argument tells which of them won.
    "keyed": [None, *((key, place) for place, key in enumerate([*_SPECIAL, *_NUMBERS])), (1, None), (1, "tie")],
    "hashable": [None, *_KEYS],
    "distinct": [None, *_KEYS, (1, "a"), (1.0, "a"), (math.nan,), ()],
    "plain": [None, *_KEYS, (1, "a"), (1.0, "a"), (math.nan,), ()],
    "text": [None, *_TEXTS],
    "pair": [
        None,
        *((one, 1e9 + place) for place, one in enumerate(_NUMBERS)),
        *((one, 1) for one in _SPECIAL),
        (1, 1),
    ],
    "weighted": [None, *((value, place / 2) for place, value in enumerate(_NUMBERS)), *((one, 1) for one in _SPECIAL)],
    "labelled": [
        None,
        (None, 1, "a"),
        ("x", None, "a"),
        ("x", 1, None),
        (math.nan, 1, "a"),
        *((label, number, "a") for label, number in zip(["x", "y"] * len(_NUMBERS), _NUMBERS, strict=False)),
        *((1.0, number, "b") for number in _SPECIAL),
    ],
}


def _strategies() -> dict[str, SearchStrategy[Any]]:
    from hypothesis import strategies as st

    number = st.integers(-(10**6), 10**6) | st.floats(-1e6, 1e6)
    positive = st.integers(1, 10**6) | st.floats(1e-6, 1e6)
    text = st.text(st.characters(exclude_categories=["Cs"]), max_size=5)
    anything = number | text
    # Few keys, so that there are ties.
    key = st.integers(-2, 2) | st.sampled_from([-0.5, 0.5, 1.0])
    hashable = anything | st.binary(max_size=20)
    return {
        "ignored": anything,
        "number": number,
        "real": number,
        "positive": positive,
        "integer": st.integers(-(2**63), 2**63 - 1) | st.integers(0, 15),
        "bool": st.booleans(),
        "any": anything,
        "keyed": st.tuples(key, anything),
        "hashable": hashable,
        "distinct": hashable | key | st.tuples(key, text),
        "plain": hashable | key | st.tuples(key, text),
        "text": text,
        "pair": st.tuples(number, number),
        "weighted": st.tuples(number, positive),
        "labelled": st.tuples(st.sampled_from(["x", "y", 1, 1.0]), number, text),
    }
