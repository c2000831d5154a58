"""`sash demo`: a bursty stream, in order and with late events; equal answers, very unequal worst cases."""

import random
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise
from time import perf_counter_ns
from typing import Any, NamedTuple

from rich.console import Console
from rich.table import Table

import sash

#: The window holds the events of the last half second.
LENGTH = 500_000

#: How late an event may be, and the share of the events that are.
LATEST = 100_000
LATE = 0.05

#: Each one does the same work in another way.
IN_ORDER = {
    "recalc": "combines the whole window for every answer",
    "two_stacks_lite": "constant on average; now and then a flip of the window",
    "daba_lite": "constant for every event that comes or leaves",
}
OUT_OF_ORDER = {
    "recalc": "as before, and moves what is younger than a late event",
    "btree": "repairs a path of the tree for each event",
    "fiba": "repairs only what lies between the event and the nearer end",
}

#: Each event is timed this often, in runs of their own, and its best time counts: the machine's other work drops out.
RUNS = 3


#: Prints one thing, such as a line or a table.
Show = Callable[[Any], None]


class Event(NamedTuple):
    """One request of the synthetic service."""

    time: int
    latency: int


@dataclass(frozen=True)
class Run:
    """What one algorithm answered, event by event, and the nanoseconds that each answer took."""

    answers: list[int]
    took: list[int]

    @property
    def mean(self) -> float:
        """Nanoseconds an event."""
        return sum(self.took) / len(self.took)

    def quantile(self, share: float) -> int:
        """The nanoseconds that this share of the events did not exceed.

        >>> Run([], [30, 10, 20]).quantile(0.5)
        20
        """
        ranked = sorted(self.took)
        return ranked[min(len(ranked) - 1, int(share * len(ranked)))]


def bursty_stream(events: int, seed: int) -> list[Event]:
    """Make requests in microseconds: quiet stretches, and bursts in which they come 40 times as fast and run slower.

    The same seed gives the same stream. Cost: O(events).

    >>> bursty_stream(1000, seed=1) == bursty_stream(1000, seed=1)
    True
    """
    chance = random.Random(seed)
    stream: list[Event] = []
    time, bursting, left = 0, False, 0
    while len(stream) < events:
        if left == 0:
            bursting = not bursting
            left = chance.randint(2_000, 6_000) if bursting else chance.randint(200, 600)
        left -= 1
        time += 1 + int(chance.expovariate(1 / 50 if bursting else 1 / 2_000))
        latency = int(chance.lognormvariate(8.5 if bursting else 7.5, 0.5))
        stream.append(Event(time, latency))
    return stream


def delayed(stream: Sequence[Event], seed: int) -> list[Event]:
    """Let a share LATE of the events arrive late, by LATEST at most, and put all of them in the order of arrival.

    Cost: O(events log events).

    >>> stream = bursty_stream(1000, seed=1)
    >>> late = delayed(stream, seed=1)
    >>> late != stream, sorted(late) == stream
    (True, True)
    """
    chance = random.Random(seed)
    arrivals = [event.time + (chance.randrange(LATEST) if chance.random() < LATE else 0) for event in stream]
    return [event for _, event in sorted(zip(arrivals, stream, strict=True))]


def slide(stream: Sequence[Event], algorithm: str) -> Run:
    """Slide a window of LENGTH over the stream: insert, evict what has become too old, ask for the maximum."""
    newest = stream[0].time
    window = sash.Window(sash.Max(), algorithm=algorithm)
    answers: list[int] = []
    took: list[int] = []
    for time, latency in stream:
        newest = max(newest, time)
        start = perf_counter_ns()
        window.insert(time, latency)
        window.bulk_evict(newest - LENGTH)
        answer = window.query()
        took.append(perf_counter_ns() - start)
        answers.append(answer)
    return Run(answers, took)


def best_of(runs: Sequence[Run]) -> Run:
    """Join equal runs into one that has each event's best time.

    >>> best_of([Run([7, 8], [30, 10]), Run([7, 8], [20, 40])])
    Run(answers=[7, 8], took=[20, 10])
    """
    check_equal({f"run {number}": run for number, run in enumerate(runs, start=1)})
    return Run(runs[0].answers, [min(times) for times in zip(*(run.took for run in runs), strict=True)])


def check_equal(runs: dict[str, Run]) -> None:
    """Refuse to go on unless all the runs gave the same answer to every event.

    >>> check_equal({"a": Run([1, 2], []), "b": Run([1, 3], [])})
    Traceback (most recent call last):
    ...
    AssertionError: a and b must agree; after event 1 they answer 2 and 3
    """
    for (one, first), (other, second) in pairwise(runs.items()):
        for position, (left, right) in enumerate(zip(first.answers, second.answers, strict=True)):
            if left != right:
                raise AssertionError(
                    f"{one} and {other} must agree; after event {position} they answer {left!r} and {right!r}"
                )


def sparkline(values: Sequence[float], width: int = 64) -> str:
    """Draw the greatest value of each of `width` equal stretches as a block of that height.

    >>> sparkline([0, 1, 2, 4], width=4)
    '▁▃▅█'
    """
    blocks = "▁▂▃▄▅▆▇█"
    width = min(width, len(values))
    peaks = [max(values[i * len(values) // width : (i + 1) * len(values) // width]) for i in range(width)]
    top = max(peaks) or 1
    return "".join(blocks[min(7, int(8 * peak / top))] for peak in peaks)


def bar(nanoseconds: float, longest: float, width: int = 18) -> str:
    """Draw a time as a bar whose length is in proportion, with something to see for the shortest.

    >>> bar(50, 100, width=8), bar(1, 100, width=8)
    ('━━━━', '╸')
    """
    return "━" * int(width * nanoseconds / longest) or "╸"


def microseconds(nanoseconds: float) -> str:
    """Write a time in microseconds.

    >>> microseconds(1234)
    '1.23'
    """
    return f"{nanoseconds / 1000:,.2f}"


def results(runs: dict[str, Run]) -> Table:
    """Lay the runs side by side."""
    table = Table(box=None, pad_edge=False)
    table.add_column("algorithm")
    table.add_column("last answer", justify="right")
    for heading in ("mean us", "p99.9 us", "worst us"):
        table.add_column(heading, justify="right")
    table.add_column("worst event")
    longest = max(max(run.took) for run in runs.values())
    for name, run in runs.items():
        worst = max(run.took)
        times = (microseconds(time) for time in (run.mean, run.quantile(0.999), worst))
        table.add_row(f"[bold]{name}[/]", f"{run.answers[-1]:,}", *times, bar(worst, longest))
    return table


def counts_per_stretch(stream: Sequence[Event], stretches: int = 64) -> list[int]:
    """Count the events in equal stretches of time.

    >>> counts_per_stretch([Event(0, 1), Event(1, 1), Event(9, 1)], stretches=2)
    [2, 1]
    """
    counts = [0] * stretches
    first, last = stream[0].time, stream[-1].time
    for event in stream:
        counts[(event.time - first) * stretches // (last - first + 1)] += 1
    return counts


def compare(stream: Sequence[Event], algorithms: Mapping[str, str], show: Show) -> None:
    """Run the algorithms over one stream, compare all their answers, and only then print the times."""
    runs = {name: best_of([slide(stream, name) for _ in range(RUNS)]) for name in algorithms}
    check_equal(runs)
    show(results(runs))
    show(f"All {len(stream):,} answers are equal.")
    for name, way in algorithms.items():
        show(f"  {name:16} {way}")


def run(events: int, seed: int, show: Show | None = None) -> None:
    """Run the demonstration and print it.

    Cost: O(events times window), because of recalc.
    """
    show = show or Console(highlight=False).print
    stream = bursty_stream(events, seed)
    seconds = (stream[-1].time - stream[0].time) / 1e6
    show(f"[bold]{events:,} synthetic requests[/] in bursts and lulls, {seconds:.1f} s of stream time, seed {seed}")
    show(f"  {sparkline(counts_per_stretch(stream))}")
    show("At every event: what was the greatest latency of the last half second?")
    show(f"A time is insert + bulk_evict + query, called from Python, the best of {RUNS} runs.\n")
    show("[bold]In order[/]")
    compare(stream, IN_ORDER, show)
    show(f"\n[bold]One in {1 / LATE:.0f} late[/], by up to {LATEST / 1e6} s")
    compare(delayed(stream, seed), OUT_OF_ORDER, show)
