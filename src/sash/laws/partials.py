"""Which partials, pairs and triples of partials the laws are tried on; the smallest first."""

from __future__ import annotations

import copy
from collections.abc import Iterable, Iterator, Sequence
from functools import reduce
from itertools import combinations_with_replacement, islice, product
from typing import Any, Final

from sash.aggregations.base import Aggregation
from sash.laws.calls import call

__all__ = ["lifted", "pairs", "partials", "triples"]

#: Up to so many partials all triples are tried: 8 ** 3 are 512.
ALL: Final = 8
#: Up to so many events of a timed aggregation all ways to cut them are tried: of 6 events there are 210.
CUT: Final = 6


def lifted(aggregation: Aggregation, values: Iterable[Any]) -> list[Any]:
    """The partial of each value that is not skipped; values of a timed aggregation come at times 0, 1, 2, and so on."""
    kept = [value for value in values if not aggregation.skips(value)]
    if aggregation.timed:
        return [call(aggregation, "lift", value=value, time=time) for time, value in enumerate(kept)]
    return [call(aggregation, "lift", value=value) for value in kept]


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
