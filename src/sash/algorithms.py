"""What each algorithm can handle, and the one dispatcher that chooses among them."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any, Final

from sash import _core
from sash.aggregations.base import Aggregation
from sash.errors import AggregationError

__all__ = ["ALGORITHMS", "Algorithm", "Wish", "choose", "resolve"]


@dataclass(frozen=True, slots=True)
class Wish:
    """What the user of a window promises and asks for; `Window(..., algorithm="auto")` takes these as options."""

    #: Events come in the order of their times.
    in_order: bool = False
    #: No single call may take long, however large the window.
    worst_case: bool = False
    #: Totals may be maintained by subtraction: fast, but floats drift.
    subtract: bool = False
    #: The window is asked about parts of itself: `query(start, end)`, `evict(time)`, `items()`.
    inner: bool = False


@dataclass(frozen=True, slots=True)
class Algorithm:
    """One algorithm as the dispatcher sees it. What it declares is held against the core by the tests."""

    name: str
    #: Takes events that are older than the youngest one.
    late: bool = False
    #: Evicts the event of any time, not the oldest only.
    evicts_anywhere: bool = False
    #: Answers `query(start, end)`.
    ranges: bool = False
    #: Keeps the events' own partials, so that it can list them.
    lists: bool = True
    #: Evicts by a policy, `evict_while`.
    policies: bool = False
    #: Runs only over an aggregation that has an inverse.
    needs_inverse: bool = False
    #: No call takes longer than O(log n).
    worst_case: bool = False
    #: The options that it takes.
    options: tuple[str, ...] = ()

    def can_handle(self, wish: Wish, aggregation: Aggregation) -> bool:
        """Whether it keeps every promise that the wish asks for.

        >>> from sash import Max
        >>> ALGORITHMS["two_stacks_lite"].can_handle(Wish(in_order=True), Max())
        True
        >>> ALGORITHMS["two_stacks_lite"].can_handle(Wish(), Max())
        False
        """
        return (
            (wish.in_order or self.late)
            and (not wish.worst_case or self.worst_case)
            and (not wish.inner or (self.evicts_anywhere and self.ranges and self.lists))
            and (not self.needs_inverse or (wish.subtract and aggregation.invertible))
        )


_ALL: Final = (
    Algorithm("recalc", late=True, evicts_anywhere=True, ranges=True),
    Algorithm("subtract_on_evict", needs_inverse=True, worst_case=True),
    Algorithm("two_stacks"),
    Algorithm("two_stacks_lite", lists=False),
    Algorithm("aba"),
    Algorithm("daba", worst_case=True),
    Algorithm("daba_uncached", worst_case=True),
    Algorithm("daba_lite", lists=False, worst_case=True),
    Algorithm("flatfat", evicts_anywhere=True, ranges=True),
    Algorithm("base_intervals", ranges=True),
    Algorithm("log_mta", policies=True, worst_case=True),
    Algorithm("amta", policies=True),
    Algorithm(
        "btree", late=True, evicts_anywhere=True, ranges=True, policies=True, worst_case=True, options=("min_arity",)
    ),
    Algorithm("fiba", late=True, evicts_anywhere=True, ranges=True, policies=True, options=("min_arity", "leaf")),
)

#: Every algorithm of this build by its name.
ALGORITHMS: Final = {algorithm.name: algorithm for algorithm in _ALL if algorithm.name in _core.algorithms()}

#: The order in which "auto" looks for one: the cheapest that can do it comes first.
_PREFERENCE: Final = ("subtract_on_evict", "two_stacks_lite", "daba_lite", "fiba", "btree", "recalc")
_WISHES: Final = ("in_order", "worst_case", "subtract", "inner")


def choose(wish: Wish, aggregation: Aggregation) -> str:
    """The first algorithm, cheapest first, that can handle the wish. Cost: O(1).

    >>> from sash import Max, Sum
    >>> choose(Wish(in_order=True), Max()), choose(Wish(in_order=True, worst_case=True), Max())
    ('two_stacks_lite', 'daba_lite')
    >>> choose(Wish(in_order=True, subtract=True), Sum())
    'subtract_on_evict'
    """
    for name in _PREFERENCE:
        if name in ALGORITHMS and ALGORITHMS[name].can_handle(wish, aggregation):
            return name
    raise ValueError(f"no algorithm handles {wish}: ask for less")


def resolve(algorithm: str, aggregation: Aggregation, options: Mapping[str, Any]) -> tuple[str, dict[str, int]]:
    """The algorithm to run and its own options; whatever does not fit together is refused here.

    >>> from sash import Max
    >>> resolve("auto", Max(), {"in_order": True})
    ('two_stacks_lite', {})
    >>> resolve("fastest", Max(), {})  # doctest: +ELLIPSIS
    Traceback (most recent call last):
    ...
    ValueError: there is no algorithm 'fastest': ... or auto
    >>> resolve("subtract_on_evict", Max(), {})
    Traceback (most recent call last):
    ...
    sash.errors.AggregationError: subtract_on_evict needs an inverse, and Max() has none: use another algorithm
    """
    wish = {name: options[name] for name in _WISHES if name in options}
    if algorithm == "auto":
        algorithm = choose(Wish(**wish), aggregation)
    elif algorithm not in ALGORITHMS:
        raise ValueError(f"there is no algorithm {algorithm!r}: choose {_names(ALGORITHMS)} or auto")
    elif wish:
        raise TypeError(f'{_names(wish)}: only algorithm="auto" takes wishes, not {algorithm}')
    chosen = ALGORITHMS[algorithm]
    if chosen.needs_inverse and not aggregation.invertible:
        raise AggregationError(f"{algorithm} needs an inverse, and {aggregation!r} has none: use another algorithm")
    return algorithm, _own_options(chosen, {name: value for name, value in options.items() if name not in wish})


def _own_options(algorithm: Algorithm, options: Mapping[str, Any]) -> dict[str, int]:
    for name, value in options.items():
        if name not in algorithm.options:
            raise TypeError(f"{algorithm.name} has no option {name!r}: it has {_names(algorithm.options) or 'none'}")
        if not isinstance(value, int) or isinstance(value, bool) or not 2 <= value <= 2**16:
            raise ValueError(f"{name} is an integer from 2 to 65536, not {value!r}")
    return dict(options)


def _names(names: Iterable[str]) -> str:
    return ", ".join(names)
