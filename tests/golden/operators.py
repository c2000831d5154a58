"""Operators whose snapshots are kept: what is pushed before and after, and the functions that no snapshot holds."""

from __future__ import annotations

import datetime as dt
from typing import Any, NamedTuple

import sash

from .windows import ENDS


class Case(NamedTuple):
    """The operator of a snapshot, the events before it and those after it. `emitted.py` has what they emit."""

    arguments: dict[str, Any]
    before: list[tuple[Any, ...]]
    after: list[tuple[Any, ...]]

    def made(self) -> sash.Sliding:
        operator = sash.Sliding(**self.arguments)
        for event in self.before:
            operator.push(*event)
        return operator

    def restored(self, blob: bytes) -> sash.Sliding:
        """With its functions passed again, and no more than those: what the bytes describe is read from them."""
        return sash.Sliding.restore(blob, **{name: self.arguments[name] for name in self.functions()})

    def functions(self) -> list[str]:
        held = {
            "aggregation": (ENDS, ENDS_AND_SUM),
            "windows": FUNCTIONAL,
            "trigger": (AT_STOPS,),
            "on_late": (ignore,),
        }
        return [name for name, ones in held.items() if any(self.arguments.get(name) is one for one in ones)]


def case(aggregation: Any, policy: Any, before: list[Any], after: list[Any], **rest: Any) -> Case:
    return Case({"aggregation": aggregation, "windows": policy, **rest}, before, after)


# Functions, which no snapshot holds.


def is_stop(value: Any) -> bool:
    return value == "stop" or value == 0


def measure(value: Any) -> float:
    return float(value)


def keep_three(total: int, prefix: int) -> bool:
    return total - prefix >= 3


def ignore(event: Any) -> None:
    pass


ENDS_AND_SUM = sash.Composite(ends=ENDS, total=sash.Sum())
PUNCTUATED = sash.PunctuatedWindow(is_stop)
DELTA = sash.DeltaWindow(measure, 3)
ADAPTIVE = sash.AdaptiveWindow(0.9, of=measure)
PROGRAMMED = sash.PolicyWindow(keep_three, over=sash.Count())
FUNCTIONAL = (PUNCTUATED, DELTA, ADAPTIVE, PROGRAMMED)
AT_STOPS = sash.OnPunctuation(is_stop)

# Streams: the one at 4 is late, and 5 comes twice.

NUMBERS = [(1, 5), (3, 2), (6, 7), (4, 1), (5, 3)]
MORE = [(5, 4), (9, 6), (8, None), (14, 2)]
KEYED = [("a", 1, 5), ("b", 3, 2), ("a", 6, 7), ("b", 4, 1)]
MORE_KEYED = [("b", 5, 4), ("c", 9, 6), ("a", 8, None), ("a", 14, 2)]
LETTERS = [(1, "a"), (2, "b"), (6, "d"), (4, "c")]
MORE_LETTERS = [(9, "f"), (8, "e"), (15, "g")]
NOON = dt.datetime(2024, 2, 29, 12, tzinfo=dt.UTC)


def at(minutes: float) -> dt.datetime:
    return NOON + dt.timedelta(minutes=minutes)


def on_the_clock(events: list[tuple[Any, Any]]) -> list[tuple[Any, Any]]:
    return [(at(minutes), value) for minutes, value in events]


def halved(events: list[tuple[Any, Any]]) -> list[tuple[Any, Any]]:
    return [(time / 2, value) for time, value in events]


#: Keys of every type that a snapshot holds.
KEYS = ["a", 7, -(2**70), 2.5, b"k", None, ("a", 1), dt.date(2024, 2, 29), NOON]
EACH_KEY = [(key, time, time) for time, key in enumerate(KEYS)]
TRIPS = [{"bike": "x", "at": 1, "km": 2}, {"bike": "y", "at": 2, "km": 3}, {"bike": "x", "at": 3, "km": 4}]
MORE_TRIPS = [{"bike": "x", "at": 4, "km": 5}, {"bike": "y", "at": 6, "km": 9}]
#: Rows that come, are replaced and go; the second is gone when the snapshot is made.
FEED = [("insert", 1, 1, "a"), ("insert", 2, 3, "b"), ("insert", 3, 4, "c"), ("delete", 2, None, None)]
MORE_FEED = [("update", 1, 5, "d"), ("delete", 3, None, None), ("insert", 2, 6, "e")]
SLIDING_FEED = [("insert", 1, 1, "a"), ("insert", 2, 3, "b"), ("insert", 3, 9, "c"), ("delete", 2, None, None)]


def fed(feed: list[tuple[Any, ...]]) -> list[tuple[Any, ...]]:
    return [(dict(zip(("op", "trip", "at", "who"), row, strict=True)),) for row in feed]


CHANGING: dict[str, Any] = {"on": "at", "retract": "op", "id": "trip", "emit": "update", "lateness": 10}

CASES = {
    # When results are emitted.
    "arrival": case(sash.Sum(), sash.TimeWindow(4), NUMBERS, MORE),
    "arrival_keyed": case(sash.Sum(), sash.TimeWindow(4), KEYED, MORE_KEYED, by=True, lateness=5),
    "final_waiting": case(sash.Concat(), sash.TimeWindow(4), LETTERS, MORE_LETTERS, emit="final", lateness=5),
    "final_keyed": case(
        sash.Sum(), [sash.TimeWindow(4), sash.CountWindow(2)], KEYED, MORE_KEYED, by=True, emit="final", lateness=5
    ),
    "update_revised": case(sash.Sum(), sash.TimeWindow(4), NUMBERS, MORE, emit="update", lateness=10),
    "update_keyed": case(sash.Max(), sash.TimeWindow(4), KEYED, MORE_KEYED, by=True, emit="update", lateness=10),
    # Windows.
    "closed_left": case(sash.Sum(), sash.TimeWindow(4, closed="left"), NUMBERS, MORE, emit="final", lateness=5),
    "slides": case(sash.Sum(), sash.TimeWindow(6, every=3), NUMBERS, MORE),
    "slides_revised": case(sash.Sum(), sash.TimeWindow(6, every=3), NUMBERS, MORE, emit="update", lateness=10),
    "count": case(sash.Concat(), sash.CountWindow(3), LETTERS, MORE_LETTERS, emit="update", lateness=10),
    "count_slides": case(sash.Concat(), sash.CountWindow(3, every=2), LETTERS, MORE_LETTERS, lateness=10),
    "session": case(sash.Concat(), sash.SessionWindow(3), LETTERS, MORE_LETTERS, emit="update", lateness=10),
    "session_at_watermark": case(
        sash.Concat(), sash.SessionWindow(3), LETTERS, MORE_LETTERS, trigger=sash.AtWatermark(), lateness=4
    ),
    "tumbling": case(sash.Sum(), sash.TumblingWindow(5, closed="left", origin=2), NUMBERS, MORE, lateness=4),
    "tumbling_count": case(sash.Concat(), sash.TumblingWindow(count=3), LETTERS, MORE_LETTERS, lateness=4),
    "landmark": case(sash.Concat(), sash.LandmarkWindow(since=2), LETTERS, MORE_LETTERS, lateness=10),
    "punctuated": case(sash.Count(), PUNCTUATED, [(1, 4), (2, 0), (3, 5)], [(4, 1), (5, 0), (6, 2)]),
    "delta": case(sash.Sum(), DELTA, [(1, 1), (2, 2), (3, 3)], [(4, 5), (5, 4), (6, 9)], lateness=0),
    "adaptive": case(
        sash.Count(),
        ADAPTIVE,
        [(time, 0) for time in range(8)],
        [(time, 9) for time in range(8, 14)],
    ),
    "programmed": case(sash.Concat(), PROGRAMMED, LETTERS, MORE_LETTERS),
    # Triggers.
    "every_events": case(sash.Sum(), sash.TimeWindow(4), NUMBERS, MORE, trigger=sash.EveryEvents(2)),
    "every_slide": case(
        sash.Sum(), sash.LandmarkWindow(), NUMBERS, MORE, trigger=sash.EverySlide(4, origin=1), lateness=3
    ),
    "on_punctuation": case(
        sash.Sum(), sash.TimeWindow(9), [(1, 4), (2, 0), (3, 5)], [(4, 1), (5, 0), (6, 2)], trigger=AT_STOPS
    ),
    "on_delta": case(
        sash.Sum("km"),
        sash.TimeWindow(3),
        [(row,) for row in TRIPS],
        [(row,) for row in MORE_TRIPS],
        on="at",
        by="bike",
        trigger=sash.OnDelta("km", 1),
    ),
    "on_delta_revised": case(
        sash.Sum("km"),
        sash.TimeWindow(3),
        [(row,) for row in TRIPS],
        [({"bike": "x", "at": 2, "km": 8},), ({"bike": "y", "at": 6, "km": 9},)],
        on="at",
        by="bike",
        trigger=sash.OnDelta("km", 1),
        emit="update",
        lateness=10,
    ),
    # Rows that were taken back.
    "retracted": case(sash.Concat("who"), sash.TimeWindow(4), fed(FEED), fed(MORE_FEED), **CHANGING),
    "retracted_slides": case(
        sash.Concat("who"),
        sash.TimeWindow(4, every=2),
        fed(SLIDING_FEED),
        fed([("insert", 4, 5, "d")]),
        **CHANGING,
    ),
    # Aggregations.
    "your_own": case(ENDS, sash.TimeWindow(4), LETTERS, MORE_LETTERS, emit="update", lateness=10),
    "your_own_final": case(ENDS, sash.CountWindow(2), LETTERS, MORE_LETTERS, emit="final", lateness=5),
    "composite_with_your_own": case(ENDS_AND_SUM, sash.TimeWindow(4), NUMBERS, MORE, lateness=5),
    "objects": case(
        sash.Composite(first=sash.First(), last=sash.Last(), n=sash.Count()),
        sash.TimeWindow(4),
        LETTERS,
        MORE_LETTERS,
        emit="final",
        lateness=5,
    ),
    "timed": case(sash.TimeWeightedMean(), sash.TimeWindow(8), NUMBERS, MORE, lateness=5),
    # Keys, rows and times.
    "keys": case(sash.Sum(), sash.LandmarkWindow(), EACH_KEY, [(key, 20, 100) for key in KEYS], by=True),
    "rows": case(
        sash.Sum("km"),
        [sash.TimeWindow(3), sash.DeltaWindow("km", 2)],
        [(row,) for row in TRIPS],
        [(row,) for row in MORE_TRIPS],
        on="at",
        by="bike",
    ),
    "float_times": case(sash.Sum(), sash.TimeWindow(2), halved(NUMBERS), halved(MORE), lateness=2.5),
    "datetimes": case(sash.Sum(), "4m", on_the_clock(NUMBERS), on_the_clock(MORE), emit="final", lateness="5m"),
    "datetimes_of_sessions": case(
        sash.Sum(), sash.SessionWindow("2m"), on_the_clock(NUMBERS), on_the_clock(MORE), emit="update", lateness="5m"
    ),
    # The other options.
    "changes_only": case(sash.Max(), sash.TimeWindow(10), NUMBERS, MORE, changes_only=True),
    "expire": case(sash.Sum(), sash.TimeWindow(4), KEYED, MORE_KEYED, by=True, expire=5, lateness=1),
    "min_periods": case(sash.Sum(), sash.TimeWindow(4), NUMBERS, MORE, min_periods=2),
    "late_kept": case(sash.Sum(), sash.TimeWindow(4), NUMBERS, MORE, lateness=0, on_late="keep"),
    "late_handed_over": case(sash.Sum(), sash.TimeWindow(4), NUMBERS, MORE, lateness=0, on_late=ignore),
    "no_events": case(sash.Sum(), "1h", [], on_the_clock(NUMBERS)),
}
