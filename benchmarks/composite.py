"""What the k-th aggregation of a Composite costs beside a window of its own, by single calls from Python.

    python benchmarks/composite.py [rounds]

A round inserts an event, evicts the oldest and queries, with FiBA. A line is printed only after the answers of the
Composite were compared with those of the windows apart. The bar: the k-th costs at most a third of a window.
"""

import sys
from collections.abc import Callable
from time import perf_counter
from typing import Any, Final

import sash

SIZE: Final = 1024
REPEATS: Final = 5
BAR: Final = 1 / 3
#: In turns; the columns differ, so that no two members share a partial.
KINDS: Final = (sash.Sum, sash.Max, sash.Mean, sash.Var, sash.Min, sash.Count, sash.Range)
COUNTS: Final = (1, 2, 5, 10, 20, 30, 40, 50)
COLUMNS: Final = tuple(f"c{place}" for place in range(8))


def members(count: int) -> dict[str, sash.Aggregation]:
    """Return so many aggregations of a fixed size, no two alike."""
    places = [(kind, column) for column in COLUMNS for kind in KINDS]
    return {f"m{place}": kind(column) for place, (kind, column) in enumerate(places[:count])}


def row_at(time: int) -> dict[str, float]:
    """Return the event of a time: whole numbers, so that all ways to a sum agree."""
    return {column: float((time * 7919 + place * 31) & 1023) for place, column in enumerate(COLUMNS)}


ROWS: Final = [row_at(time) for time in range(4096)]


def full_window(aggregation: sash.Aggregation, value: Callable[[dict[str, float]], Any]) -> sash.Window:
    """Make a window of SIZE entries."""
    window = sash.Window(aggregation, algorithm="fiba")
    for time in range(SIZE):
        window.insert(time, value(ROWS[time % len(ROWS)]))
    return window


def seconds_of_rounds(window: sash.Window, values: list[Any], rounds: int) -> float:
    """Measure the rounds; the least of some repeats, since other work on the machine only adds."""
    insert, evict, query = window.insert, window.evict, window.query
    best = float("inf")
    for repeat in range(REPEATS):
        start = perf_counter()
        for time in range(SIZE + repeat * rounds, SIZE + (repeat + 1) * rounds):
            insert(time, values[time & 4095])
            evict()
            query()
        best = min(best, perf_counter() - start)
    return best / rounds


def alone(member: sash.Aggregation, rounds: int) -> tuple[float, Any]:
    """Measure a window of its own; give its answer too."""
    column = member.columns[0]
    window = full_window(member, lambda row: row[column])
    return seconds_of_rounds(window, [row[column] for row in ROWS], rounds), window.query()


def together(count: int, rounds: int) -> tuple[float, tuple[Any, ...]]:
    """Measure a Composite; give its answer too."""
    window = full_window(sash.Composite(**members(count)), lambda row: row)
    return seconds_of_rounds(window, ROWS, rounds), window.query()


def main(rounds: int) -> None:
    """Print the table."""
    apart = [alone(member, rounds) for member in members(max(COUNTS)).values()]
    print(f"\nMany at once, from Python {sys.version.split()[0]}: FiBA, n = {SIZE}, {rounds:,} rounds of single calls")
    print(f"{'k':>4} {'together':>12} {'apart':>12} {'the k-th costs':>16} {'x apart':>9}")
    first = 0.0
    for count in COUNTS:
        took, answer = together(count, rounds)
        expected = tuple(result for _, result in apart[:count])
        if not sash.testing.same(tuple(answer), expected, 1e-9, scale=1e6):
            raise AssertionError(f"a Composite of {count} answers {answer}; its members apart {expected}")
        total = sum(seconds for seconds, _ in apart[:count])
        line = f"{count:4} {took * 1e9:9.0f} ns {total * 1e9:9.0f} ns"
        if count == 1:
            first = took
            print(line)
            continue
        each = (took - first) / (count - 1)
        ratio = each / (total / count)
        print(f"{line} {each * 1e9:13.0f} ns {ratio:9.2f} {'<=' if ratio <= BAR else 'ABOVE'} {BAR:.2f}")


if __name__ == "__main__":
    import sash.testing

    main(int(sys.argv[1]) if len(sys.argv) > 1 else 20_000)
