"""Trips of a bike-share system, in the order in which they are heard of. Synthetic: no such city, no such riders.

What is modelled on a real system is the disorder. In eight million trips of New York's Citi Bike (August to December
2018) a trip is overtaken by 56.47 others on average, but 99% by nine at most; one in ten thousand is overtaken by
150,000 or more, and the last by about a million. Most trips push one other out of a window of a day, a few push out
thousands at once. Here the same figures have causes:

- reports jostle on their way: a place or two, nine at most;
- a bank of docks loses its connection for hours and then sends all that it has kept;
- one bike in ten thousand is found days later;
- a storm stops all riding for an hour and more, and those who waited ride when it is over.
"""

from __future__ import annotations

from dataclasses import dataclass
from itertools import product
from typing import Any, Final, TypeAlias

import numpy as np
import numpy.typing as npt

__all__ = ["FIRST_DAY", "STATIONS", "Trips", "storms", "trips"]

Array: TypeAlias = npt.NDArray[Any]

FIRST_DAY: Final = np.datetime64("2024-06-03T00:00:00", "ms")
_DAYS: Final = 4
_BIKES: Final = 6_000
_STREETS: Final = (
    "Abbey",
    "Brook",
    "Canal",
    "Dock",
    "Elm",
    "Forge",
    "Grange",
    "Harbour",
    "Kiln",
    "Linden",
    "Market",
    "Park",
)
_CROSSINGS: Final = [f"{number} Ave" for number in range(1, 26)]
STATIONS: Final = np.array([f"{street} St & {crossing}" for street, crossing in product(_STREETS, _CROSSINGS)])

#: By how many trips a trip is overtaken: on average, by jostling alone, and if it is one of those that are found.
_MEAN: Final = 56.47
_JOSTLE: Final = 9
#: At most so many hang in outages, so that 99% are overtaken by no more than jostling does.
_LATE_SHARE: Final = 0.0095
_LOST_SHARE: Final = 1e-4
_LOST: Final = (151_000, 1_000_000)
#: How many trips an outage outlasts, in places of the stream: about half a day at night, three hours at rush hour.
_OUTAGE: Final = 12_000
#: Outages befall the stations that are used most; there half of the docks hang on one line.
_FRAIL: Final = 40
_BANK: Final = 0.5
#: Hours from the first midnight at which storms begin, and how long they last.
_STORMS: Final = ((17.2, 1.25), (63.5, 1.1), (79.0, 1.5))


@dataclass(frozen=True)
class Trips:
    """Columns of equal length in order of arrival; `trip` counts the arrivals, `seconds` is how long it took."""

    trip: Array
    ended: Array
    station: Array
    bike: Array
    seconds: Array

    def __len__(self) -> int:
        return len(self.trip)


def trips(count: int, seed: int) -> Trips:
    """Four days of trips. The same seed gives the same trips; the figures above hold from 200,000 trips on.

    Fewer trips have the same shares, but none can be overtaken by more than there are. Cost: O(n log n), in NumPy.

    >>> some = trips(5_000, seed=1)
    >>> bool((some.ended == trips(5_000, seed=1).ended).all())
    True
    >>> late = some.ended < np.maximum.accumulate(some.ended)
    >>> bool(late.any())
    True
    """
    chance = np.random.default_rng(seed)
    ended = FIRST_DAY + _end_times(chance, count).astype("timedelta64[ms]")
    station = chance.choice(len(STATIONS), count, p=_popularity())
    seconds = np.clip(chance.lognormal(np.log(600), 0.7, count), 60, 6 * 3600).astype(np.int64)
    bike = chance.integers(1, _BIKES + 1, count)
    order = np.argsort(_arrival(chance, station), kind="stable")
    return Trips(np.arange(count), ended[order], STATIONS[station[order]], bike[order], seconds[order])


def storms() -> list[dict[str, str]]:
    """When nobody rides, for those who look at a chart and see a gap.

    >>> storms()[0]
    {'word': 'a storm: nobody rides', 'start': '2024-06-03T17:12:00', 'end': '2024-06-03T18:27:00'}
    """
    spans = [(FIRST_DAY + _minutes(start), FIRST_DAY + _minutes(start + length)) for start, length in _STORMS]
    return [{"word": "a storm: nobody rides", "start": str(one)[:19], "end": str(other)[:19]} for one, other in spans]


def _minutes(hours: float) -> np.timedelta64:
    return np.timedelta64(round(hours * 60), "m")


def _end_times(chance: np.random.Generator, count: int) -> Array:
    """Milliseconds since the first midnight, in order: as many trips in a minute as the hour and the weather allow."""
    minutes = np.arange(_DAYS * 24 * 60)
    until = np.concatenate([[0.0], np.cumsum(_riders(minutes / 60))])
    drawn = np.sort(chance.random(count)) * until[-1]
    # Where riding rests `until` is flat, and side="right" steps over it.
    minute = np.searchsorted(until[1:], drawn, side="right")
    inside = (drawn - until[minute]) / (until[minute + 1] - until[minute])
    times: Array = ((minute + inside) * 60_000).astype(np.int64)
    return times


def _riders(hours: Array) -> Array:
    """How much is ridden at each hour since the first midnight: two rush hours a day, rest in storms, a rush after."""
    day = hours % 24
    riding = 0.05 + np.exp(-((day - 8.5) ** 2) / 2) + 1.2 * np.exp(-((day - 17.7) ** 2) / 5)
    riding += 0.5 * np.exp(-((day - 13) ** 2) / 18)
    for start, length in _STORMS:
        over = start + length
        riding[(hours >= over) & (hours < over + 0.3)] *= 4
        riding[(hours >= start) & (hours < over)] = 0
    return riding


def _popularity() -> Array:
    """The share of each station: few are used by many."""
    weights: Array = 1 / (np.random.default_rng(0).permutation(len(STATIONS)) + 12.0)
    share: Array = weights / weights.sum()
    return share


def _arrival(chance: np.random.Generator, station: Array) -> Array:
    """The place behind which each trip arrives, if places are counted in the order of the end times."""
    count = len(station)
    places = np.arange(count)
    jostled = np.where(chance.random(count) < 0.3, chance.integers(1, _JOSTLE + 1, count), 0)
    behind = places + jostled
    lost = round(count * _LOST_SHARE)
    nearest = min(_LOST[0], int(0.755 * count))
    farthest = min(_LOST[1], int(0.95 * count))
    overtaken_by = nearest + (chance.beta(1, 4, lost) * (farthest - nearest)).astype(np.int64)
    found = (chance.random(lost) * (count - overtaken_by)).astype(np.int64)
    behind[found] = found + overtaken_by
    # Who moves back a few places meets others that do: about a third of the places is left.
    return _with_outages(chance, station, behind, _MEAN * count - jostled.sum() / 3 - overtaken_by.sum())


def _with_outages(chance: np.random.Generator, station: Array, behind: Array, budget: float) -> Array:
    """Outage after outage, until late trips have been overtaken as often as `budget` says, or are as many as may be."""
    count, longest = len(station), min(_OUTAGE, len(station) // 16)
    frail = np.argsort(np.bincount(station, minlength=len(STATIONS)))[-_FRAIL:]
    late, left = behind.copy(), int(_LATE_SHARE * count)
    for _ in range(count):
        if budget < longest or not left:
            break
        length = int(longest * chance.uniform(0.6, 1.4))
        start = int(chance.integers(0, count - length))
        kept_back = start + np.flatnonzero(station[start : start + length] == chance.choice(frail))
        kept_back = kept_back[chance.random(len(kept_back)) < _BANK][:left]
        kept_back = kept_back[np.cumsum(start + length - kept_back) <= budget]
        late[kept_back] = np.maximum(late[kept_back], start + length)
        budget -= (start + length - kept_back).sum()
        left -= len(kept_back)
    return late
