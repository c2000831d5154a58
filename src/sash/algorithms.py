"""What each algorithm can handle, and the one dispatcher that chooses among them."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any, Final, Literal, get_args

from sash import _core
from sash.aggregations.base import Aggregation
from sash.errors import AggregationError

__all__ = ["ALGORITHMS", "Algorithm", "Cost", "Operation", "Wish", "Worst", "choose", "resolve"]

#: The operations whose worst cases are declared.
Operation = Literal["insert", "evict", "query", "bulk_evict"]
#: How many combines one call may take, for a window of n entries; O(n) stands for more, too. A bulk eviction of m
#: entries that takes O(m) is O(n).
Cost = Literal["O(1)", "O(log n)", "O(n)"]


@dataclass(frozen=True, slots=True)
class Worst:
    """The worst case of each operation: what a single call may take, not what it takes on average."""

    insert: Cost
    evict: Cost
    query: Cost
    bulk_evict: Cost

    def is_short(self, operations: Iterable[Operation]) -> bool:
        """Whether no call of these operations takes more than O(log n).

        >>> ALGORITHMS["daba_lite"].worst.is_short(["insert", "evict"])
        True
        >>> ALGORITHMS["daba_lite"].worst.is_short(["bulk_evict"])
        False
        """
        return all(getattr(self, operation) != "O(n)" for operation in operations)


@dataclass(frozen=True, slots=True)
class Wish:
    """What the user of a window promises and asks for; `Window(..., algorithm="auto")` takes these as options."""

    #: Events come in the order of their times.
    in_order: bool = False
    #: No single call of these operations may take long, however large the window.
    worst_case: tuple[Operation, ...] = ()
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
    #: Has `query(start, end)`.
    ranges: bool = False
    #: Keeps the events' own partials, so that it can list them.
    lists: bool = True
    #: Evicts by a policy, `evict_while`.
    policies: bool = False
    #: Runs only over an aggregation that has an inverse.
    needs_inverse: bool = False
    #: What a single call takes at worst.
    worst: Worst = Worst("O(n)", "O(n)", "O(n)", "O(n)")
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
            and self.worst.is_short(wish.worst_case)
            and (not wish.inner or (self.evicts_anywhere and self.ranges and self.lists))
            and (not self.needs_inverse or (wish.subtract and aggregation.invertible))
        )


_FLIPS: Final = Worst("O(1)", "O(n)", "O(1)", "O(n)")
_CONSTANT: Final = Worst("O(1)", "O(1)", "O(1)", "O(n)")
_SHORT: Final = Worst("O(log n)", "O(log n)", "O(1)", "O(log n)")

_ALL: Final = (
    Algorithm("recalc", late=True, evicts_anywhere=True, ranges=True, worst=Worst("O(1)", "O(1)", "O(n)", "O(1)")),
    Algorithm("subtract_on_evict", needs_inverse=True, worst=_CONSTANT),
    Algorithm("two_stacks", worst=_FLIPS),
    Algorithm("two_stacks_lite", lists=False, worst=_FLIPS),
    Algorithm("aba", worst=_FLIPS),
    Algorithm("daba", worst=_CONSTANT),
    Algorithm("daba_uncached", worst=_CONSTANT),
    Algorithm("daba_lite", lists=False, worst=_CONSTANT),
    Algorithm("flatfat", evicts_anywhere=True, ranges=True, worst=Worst("O(1)", "O(1)", "O(n)", "O(1)")),
    Algorithm("flatfat_fifo", ranges=True, worst=Worst("O(1)", "O(1)", "O(n)", "O(1)")),
    Algorithm("base_intervals", ranges=True, worst=Worst("O(log n)", "O(1)", "O(log n)", "O(1)")),
    Algorithm("log_mta", policies=True, worst=_SHORT),
    Algorithm("amta", policies=True, worst=_SHORT),
    Algorithm(
        "btree",
        late=True,
        evicts_anywhere=True,
        ranges=True,
        policies=True,
        worst=Worst("O(log n)", "O(log n)", "O(1)", "O(n)"),
        options=("min_arity",),
    ),
    Algorithm(
        "fiba",
        late=True,
        evicts_anywhere=True,
        ranges=True,
        policies=True,
        worst=_SHORT,
        options=("min_arity", "leaf"),
    ),
)

#: Every algorithm of this build by its name.
ALGORITHMS: Final = {algorithm.name: algorithm for algorithm in _ALL if algorithm.name in _core.algorithms()}

#: The order in which "auto" looks for one: the cheapest that can do it comes first.
_PREFERENCE: Final = ("subtract_on_evict", "two_stacks_lite", "daba_lite", "amta", "fiba", "recalc")
_WISHES: Final = ("in_order", "worst_case", "subtract", "inner")


def choose(wish: Wish, aggregation: Aggregation) -> str:
    """The first algorithm, cheapest first, that can handle the wish. Cost: O(1).

    FiBA, if the aggregation has a running form, which it keeps up to date.

    >>> from sash import Max, Sum
    >>> choose(Wish(in_order=True), Max()), choose(Wish(in_order=True, worst_case=("insert", "evict")), Max())
    ('two_stacks_lite', 'daba_lite')
    >>> choose(Wish(in_order=True, subtract=True), Sum())
    'subtract_on_evict'
    """
    for name in ("fiba", *_PREFERENCE) if aggregation.running() is not None else _PREFERENCE:
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
    if "worst_case" in wish:
        wish["worst_case"] = _operations(wish["worst_case"])
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


def _operations(asked: bool | str | Iterable[str]) -> tuple[str, ...]:
    """The operations that `worst_case` names. True names those of one event: insert, evict and query."""
    if isinstance(asked, bool):
        return ("insert", "evict", "query") if asked else ()
    operations = (asked,) if isinstance(asked, str) else tuple(asked)
    unknown = [operation for operation in operations if operation not in get_args(Operation)]
    if unknown:
        raise ValueError(
            f"worst_case is True or names of {_names(get_args(Operation))}, and {unknown[0]!r:.60} is none of them"
        )
    return operations


def _own_options(algorithm: Algorithm, options: Mapping[str, Any]) -> dict[str, int]:
    for name, value in options.items():
        if name in ("window", "windows"):
            raise TypeError(
                f"a Window has no {name}=: it holds what is inserted until it is evicted. sash.Sliding slides by itself"
            )
        if name not in algorithm.options:
            raise TypeError(f"{algorithm.name} has no option {name!r}: it has {_names(algorithm.options) or 'none'}")
        if not isinstance(value, int) or isinstance(value, bool) or not 2 <= value <= 2**16:
            raise ValueError(f"{name} is an integer from 2 to 65536, not {value!r}")
    return dict(options)


def _names(names: Iterable[str]) -> str:
    return ", ".join(names)
