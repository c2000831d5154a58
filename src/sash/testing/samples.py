"""What the laws are tried on: ordinary values, values at which things go wrong, and partials, the smallest first."""

from __future__ import annotations

import copy
import math
from collections.abc import Iterable, Iterator, Sequence
from functools import reduce
from itertools import combinations_with_replacement, islice, product
from typing import TYPE_CHECKING, Any, Final

from sash.aggregations.base import Aggregation
from sash.errors import AggregationError
from sash.testing.law_error import call

if TYPE_CHECKING:
    from hypothesis.strategies import SearchStrategy

__all__ = ["inputs_of", "lifted", "nasty_values", "pairs", "partials", "triples", "values_for"]

#: Up to so many partials all triples are tried: 8 ** 3 are 512.
ALL: Final = 8
#: Up to so many events of a timed aggregation all ways to cut them are tried: of 6 events there are 210.
CUT: Final = 6


def lifted(aggregation: Aggregation, values: Iterable[Any]) -> list[Any]:
    """The partial of each value that is not skipped; values of a timed aggregation come at times 0, 1, 2, and so on."""
    counted = [value for value in values if not aggregation.skips(value)]
    if aggregation.timed:
        return [call(aggregation, "lift", value=value, time=time) for time, value in enumerate(counted)]
    return [call(aggregation, "lift", value=value) for value in counted]


def partials(aggregation: Aggregation, values: Iterable[Any]) -> list[Any]:
    """The identity, each value lifted, each two neighbours combined, and all of them: laws are about partials, not
    about values.

    >>> from sash.aggregations import Concat
    >>> partials(Concat(), ["a", "b", "c"])
    [None, 'a', 'b', 'c', 'ab', 'bc', 'abc']
    """
    singles = lifted(aggregation, values)
    neighbours = [_folded(aggregation, singles[place : place + 2]) for place in range(len(singles) - 1)]
    whole = [_folded(aggregation, singles)] if len(singles) > 2 else []
    return [copy.deepcopy(aggregation.identity), *singles, *neighbours, *whole]


def _folded(aggregation: Aggregation, singles: Sequence[Any]) -> Any:
    """All of them combined, from copies: a combine that spoils its arguments is left for check_pure to find."""
    if not singles:
        return copy.deepcopy(aggregation.identity)
    return reduce(lambda a, b: call(aggregation, "combine", a=a, b=b), copy.deepcopy(list(singles)))


def pairs(aggregation: Aggregation, values: Iterable[Any]) -> Iterator[tuple[Any, Any]]:
    """Pairs of partials for a law of two; of a timed aggregation, older and newer."""
    return ((a, b) for a, b in _tuples(aggregation, values, 2))


def triples(aggregation: Aggregation, values: Iterable[Any]) -> Iterator[tuple[Any, Any, Any]]:
    """Triples of partials for a law of three; of a timed aggregation, one after the other in time."""
    return ((a, b, c) for a, b, c in _tuples(aggregation, values, 3))


def _tuples(aggregation: Aggregation, values: Iterable[Any], size: int) -> Iterator[tuple[Any, ...]]:
    if aggregation.timed:
        return _in_time(aggregation, values, size)
    return _in_any_order(aggregation, values, size)


def _in_any_order(aggregation: Aggregation, values: Iterable[Any], size: int) -> Iterator[tuple[Any, ...]]:
    """All tuples of a few partials; of the others, neighbours only. Cost: O(n) and a constant."""
    every = partials(aggregation, values)
    # The last one is all values combined: sketches and the like show there what they are.
    chosen = every if len(every) <= ALL else [*every[: ALL - 1], every[-1]]
    # The identity and single values come first, so the first counterexample found is a small one.
    for places in sorted(product(range(len(chosen)), repeat=size), key=sum):
        yield tuple(chosen[place] for place in places)
    for place in range(max(0, len(every) - size + 1) if len(every) > ALL else 0):
        yield tuple(islice(every, place, place + size))


def _in_time(aggregation: Aggregation, values: Iterable[Any], size: int) -> Iterator[tuple[Any, ...]]:
    """All ways to cut a run of events into `size` parts, one after the other; parts may be empty.

    Time goes one way: what came later is never the older one. Runs of more than a few events are cut into windows.
    """
    singles = lifted(aggregation, values)
    for start in range(max(1, len(singles) - CUT + 1)):
        window = singles[start : start + CUT]
        cuts = combinations_with_replacement(range(len(window) + 1), size + 1)
        for cut in sorted(cuts, key=lambda cut: cut[-1] - cut[0]):
            yield tuple(_folded(aggregation, window[cut[part] : cut[part + 1]]) for part in range(size))


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
    st = _hypothesis()
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
    # Ties of every kind: the argument shows which of them won.
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


def _hypothesis() -> Any:
    try:
        from hypothesis import strategies
    except ImportError as error:
        raise ImportError(
            "values_for needs Hypothesis: pip install hypothesis; the laws take values without it"
        ) from error
    return strategies


def _strategies() -> dict[str, SearchStrategy[Any]]:
    st = _hypothesis()
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
