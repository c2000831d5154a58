"""What `sash.Sliding` means, by brute force: every result straight from the list of events, over integer times.

Nothing is retained but the events and what was emitted. At each step all windows are worked out again from the events
sorted by time, equal times in the order in which they came. So each rule stands here once, and short.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from statistics import fmean, pvariance
from typing import Any, NamedTuple

import sash
from sash.triggers import (
    AtWatermark,
    EachEvent,
    EveryEvents,
    EverySlide,
    OnDelta,
    OnPunctuation,
    Trigger,
    resolve_trigger,
)
from sash.windows import (
    AdaptiveWindow,
    CountWindow,
    DeltaWindow,
    LandmarkWindow,
    PolicyWindow,
    PunctuatedWindow,
    SessionWindow,
    TimeWindow,
    TumblingWindow,
    WindowPolicy,
)


class Event(NamedTuple):
    time: int
    number: int
    value: Any
    #: What it is known by, where it may be taken back.
    id: Any = None


class Emitted(NamedTuple):
    """A result, as the tests compare it."""

    key: Any
    start: Any
    end: Any
    value: Any
    revision: int
    time: Any
    number: Any
    retracted: bool = False


class Found(NamedTuple):
    """A window: its events, and where it begins and ends."""

    events: list[Event]
    start: int
    end: int


#: The value of what was emitted and taken back.
RETRACTED = object()


@dataclass
class Life:
    """A key from its first event until it is dropped for being idle."""

    key: Any
    events: list[Event] = field(default_factory=list)
    came: int = 0
    retired: int | None = None
    #: Its newest event, whether it was taken back or not.
    newest: float = -math.inf
    emitted: dict[Any, tuple[Any, ...]] = field(default_factory=dict)


# Which events are in


def interval(events: list[Event], start: int, end: int, closed: str) -> list[Event]:
    """The events between two times, with the ends that `closed` says."""
    return [
        event
        for event in events
        if (event.time > start or (event.time == start and closed in ("left", "both")))
        and (event.time < end or (event.time == end and closed in ("right", "both")))
    ]


def block_start(policy: TumblingWindow, time: int, before: bool) -> int:
    """Where the tumbling window of a time begins: before it, or at it."""
    length, origin = int(policy.length.amount), policy.origin or 0
    return (time - before - origin) // length * length + origin


def begins(policy: WindowPolicy, events: list[Event]) -> list[int]:
    """For each event the place of the first event of its window, worked out from the first event on."""
    starts: list[int] = []
    for place in range(len(events)):
        starts.append(next_start(policy, events, starts[-1] if starts else 0, place))
    return starts


def next_start(policy: WindowPolicy, events: list[Event], start: int, place: int) -> int:
    match policy:
        case CountWindow(n=n):
            return max(0, place - n + 1)
        case TumblingWindow(count=count):
            return place // count * count
        case SessionWindow(gap=gap):
            broken = place and events[place].time - events[place - 1].time >= gap.amount
            return place if broken else start
        case PunctuatedWindow(predicate=predicate):
            before = events[place - 1].value if place else None
            return place if before is not None and predicate(before) else start
        case DeltaWindow(of=of, delta=delta, tumbling=True):
            measures = [of(event.value) for event in events[start : place + 1] if event.value is not None]
            ahead = len(measures) > 1 and events[place].value is not None and measures[-1] - measures[0] >= delta
            return place if ahead else start
        case DeltaWindow(of=of, delta=delta):
            measures = [None if event.value is None else of(event.value) for event in events]
            gone = start
            for at in range(start, place):
                if measures[place] is None or (measures[at] is not None and measures[place] - measures[at] < delta):
                    break
                gone = at + 1 if measures[at] is not None else gone
            return gone
        case PolicyWindow(evict_when=evict_when, over=sash.Count()):
            counts = [
                sum(event.value is not None for event in events[start : end + 1]) for end in range(start, place + 1)
            ]
            held = [count for count in counts if count]
            leaving = [evict_when(counts[-1], count or held[0]) for count in counts] if held else []
            return start + [*leaving, False].index(False)
        case AdaptiveWindow(delta=delta, of=of):
            while (cut := adaptive_cut(delta, of, events, start, place + 1)) is not None:
                start = cut
            return start
    raise AssertionError(policy)


def adaptive_cut(delta: float, of: Callable[[Any], float], events: list[Event], low: int, high: int) -> int | None:
    """The oldest cut of [low, high) with different means on its two sides; cuts lie at doubling distances."""
    measures = {at: of(events[at].value) for at in range(low, high) if events[at].value is not None}
    distances, step = [], 1
    while sum(distances) < high - low:
        distances += [step] * 4
        step *= 2
    places = [high - sum(distances[: count + 1]) for count in range(len(distances))]
    for cut in sorted(place for place in places if place > low):
        older = [measure for at, measure in measures.items() if at < cut]
        newer = [measure for at, measure in measures.items() if at >= cut]
        if older and newer:
            chance = math.log(2 * max(1.0, math.log(len(measures))) / delta)
            weight = 1 / len(older) + 1 / len(newer)
            bound = math.sqrt(2 * weight * pvariance(measures.values()) * chance) + 2 / 3 * weight * chance
            if abs(fmean(older) - fmean(newer)) > bound:
                return cut
    return None


def window_of(policy: WindowPolicy, events: list[Event], place: int) -> Found:
    """The window that ends at an event."""
    time = events[place].time
    match policy:
        case TimeWindow(length=length, closed=closed):
            start = time - length.amount
            return Found(interval(events, start, time, closed), start, time)
        case TumblingWindow(count=None, closed=closed):
            start = block_start(policy, time, closed == "right")
            return Found(interval(events, start, time, "both" if closed == "left" else closed), start, time)
        case LandmarkWindow(since=since):
            start = events[0].time if since is None else since
            return Found(interval(events, start, time, "both"), start, time)
        case SessionWindow():
            first = begins(policy, events)[place]
            return Found([event for event in events[first:] if event.time <= time], events[first].time, time)
    first = begins(policy, events)[place]
    return Found(events[first : place + 1], events[min(first, place)].time, time)


def window_at(policy: WindowPolicy, events: list[Event], time: int) -> Found | None:
    """The window that ends at a time, whether there is an event or not; None if it holds none."""
    seen = [event for event in events if event.time <= time]
    match policy:
        case TimeWindow(length=length, closed=closed):
            start = time - length.amount
            found = Found(interval(events, start, time, closed), start, time)
        case TumblingWindow(count=None, closed=closed):
            start = block_start(policy, time, True)
            found = Found(interval(events, start, time, closed), start, time)
        case SessionWindow(gap=gap) if seen and time - seen[-1].time >= gap.amount:
            return None
        case _ if not seen:
            return None
        case _:
            found = window_of(policy, events, len(seen) - 1)._replace(end=time)
    return found if found.events else None


def fades(policy: WindowPolicy) -> bool:
    return isinstance(policy, (TimeWindow, SessionWindow)) or (
        isinstance(policy, TumblingWindow) and policy.length is not None
    )


def moved(of: Callable[[Any], Any], delta: float, events: list[Event]) -> list[Event]:
    """The events at which a measure has moved by more than `delta` since the last of them, or the first measure."""
    found: list[Event] = []
    last = None
    for event in events:
        measure = None if event.value is None else of(event.value)
        if measure is not None and (last is None or abs(measure - last) > delta):
            found += [] if last is None else [event]
            last = measure
    return found


def retained(policy: WindowPolicy, events: list[Event], watermark: float) -> list[Event]:
    """The events that a window which ends at or after the watermark may need."""
    seen = [event for event in events if event.time < watermark]
    match policy:
        case _ if not seen:
            return events
        case LandmarkWindow():
            return events
        case TimeWindow(length=length):
            return [event for event in events if event.time >= watermark - length.amount]
        case TumblingWindow(count=None):
            start = -math.inf if watermark == math.inf else block_start(policy, int(watermark), True)
            return [event for event in events if event.time >= start]
    found = window_of(policy, events, len(seen) - 1)
    return events[min([events.index(event) for event in found.events[:1]] + [len(seen) - 1]) :]


# Who fires, and when it is emitted


class Reference:
    """`sash.Sliding` over one policy, by brute force."""

    def __init__(
        self,
        aggregate: Callable[[list[Any]], Any],
        policy: WindowPolicy,
        trigger: Trigger | None = None,
        emit: str = "arrival",
        lateness: int | None = None,
        expire: int | None = None,
        changes_only: bool = False,
        min_periods: int = 0,
    ) -> None:
        self.aggregate = aggregate
        self.policy = policy
        self.trigger = resolve_trigger(trigger, [policy])
        self.emit = emit
        self.sessions = isinstance(self.trigger, AtWatermark) and isinstance(policy, SessionWindow)
        if isinstance(self.trigger, AtWatermark):
            self.emit = "final"
            implied = resolve_trigger(None, [policy])
            self.trigger = implied if isinstance(implied, EverySlide) else self.trigger
        self.lateness, self.expire = lateness, expire
        self.changes_only, self.min_periods = changes_only, min_periods
        self.lives: list[Life] = []
        self.clock: float = -math.inf
        self.ended: float = math.inf
        self.watermark: float = -math.inf
        self.count = 0
        self.late: list[tuple[Any, int, Any]] = []
        self.last: dict[int, Any] = {}

    # What happens

    def push(self, key: Any, time: int, value: Any, id: Any = None) -> list[Emitted]:
        if time < self.watermark:
            self.late.append((key, time, value))
            return []
        out = self.move_clock(time)
        life = self.life_of(key)
        event = Event(time, self.count, value, id)
        self.count += 1
        life.events = sorted([*life.events, event], key=lambda one: one[:2])
        life.came += 1
        life.newest = max(life.newest, time)
        out += self.at_arrival(life, event)
        if self.lateness is not None:
            out += self.move_watermark(self.clock - self.lateness)
        return self.news(out)

    def replace(self, key: Any, time: int, value: Any, id: Any) -> list[Emitted]:
        """An event that takes the place of the one with its id, if there is one."""
        out = self.take_back(key, id, value)
        return [] if out is None else [*out, *self.push(key, time, value, id)]

    def take_back(self, key: Any, id: Any, value: Any = None) -> list[Emitted] | None:
        """The last event with the id leaves, if there is one; None if it is late, and stays."""
        for life in self.lives:
            known = [event for event in retained(self.policy, life.events, self.watermark) if event.id == id]
            if life.key != key or life.retired is not None or not known:
                continue
            event = max(known, key=lambda one: one.number)
            if event.time < self.watermark:
                self.late.append((key, event.time, value))
                return None
            life.events.remove(event)
            return self.news(self.changes_without(life, event)) if self.emit == "update" else []
        return []

    def advance(self, watermark: float) -> list[Emitted]:
        return self.news(self.move_clock(watermark) + self.move_watermark(watermark))

    def finish(self) -> list[Emitted]:
        self.ended = self.clock
        return self.advance(math.inf)

    def life_of(self, key: Any) -> Life:
        alive = [life for life in self.lives if life.retired is None and life.key == key]
        if not alive:
            self.lives.append(alive_one := Life(key))
            return alive_one
        return alive[0]

    def move_clock(self, time: float) -> list[tuple[Life, Emitted]]:
        if time <= self.clock:
            return []
        before, self.clock = self.clock, time
        out = self.slides(before, time) if self.emit != "final" else []
        for life in self.lives:
            idle = self.expire is not None and time - life.newest >= self.expire
            if idle and life.retired is None and time < math.inf:
                life.retired = time
        return out

    def move_watermark(self, time: float) -> list[tuple[Life, Emitted]]:
        if time <= self.watermark:
            return []
        before, self.watermark = self.watermark, time
        if isinstance(self.trigger, EverySlide):
            return self.slides(before, time) if self.emit == "final" else []
        if isinstance(self.trigger, AtWatermark):
            return self.closing(before, time)
        return self.finals(before, time) if self.emit == "final" else []

    # What is emitted

    def at_arrival(self, life: Life, event: Event) -> list[tuple[Life, Emitted]]:
        if self.emit == "update":
            return self.changes(life, event)
        if self.emit == "arrival" and not isinstance(self.trigger, EverySlide) and self.asks(life, event, life.came):
            return [(life, self.of_event(life, event, event.number))]
        return []

    def asks(self, life: Life, event: Event, count: int) -> bool:
        match self.trigger:
            case EachEvent() | AtWatermark():
                return True
            case EveryEvents(k=k):
                return count % k == 0
            case OnPunctuation(predicate=predicate):
                return event.value is not None and predicate(event.value)
            case OnDelta(of=of, delta=delta):
                by = "number" if self.emit == "arrival" else "time"
                events = sorted(life.events, key=lambda one: (getattr(one, by), one.number))
                return event in moved(of, delta, events)
        return False

    def points(self, life: Life) -> Iterator[tuple[Event, int]]:
        """The events that ask, in the order of time, with what each is known by."""
        for count, event in enumerate(life.events, start=1):
            if self.asks(life, event, count):
                yield event, count if isinstance(self.trigger, EveryEvents) and self.trigger.k > 1 else event.number

    def finals(self, before: float, after: float) -> list[tuple[Life, Emitted]]:
        asking = [
            (event, number, life)
            for life in self.lives
            for event, number in self.points(life)
            if before <= event.time < after
        ]
        asking.sort(key=lambda one: one[0][:2])
        return [(life, self.of_event(life, event, number)) for event, number, life in asking]

    def closing(self, before: float, after: float) -> list[tuple[Life, Emitted]]:
        """At the watermark: sessions that are over, or the newest event of each key that has become final."""
        out = []
        for life in self.lives:
            if self.sessions:
                gap = self.policy.gap.amount
                for event, following in zip(life.events, [*life.events[1:], None], strict=False):
                    last = following is None or following.time - event.time >= gap
                    if last and before < event.time + gap and (event.time + gap <= after or after == math.inf):
                        out.append((event, life))
            elif passed := [event for event in life.events if before <= event.time < after]:
                out.append((passed[-1], life))
        out = list(dict.fromkeys((event, id(life)) for event, life in out))
        lives = {id(life): life for life in self.lives}
        out.sort(key=lambda one: one[0][:2])
        return [(lives[one], self.of_event(lives[one], event, event.number)) for event, one in out]

    def slides(self, before: float, after: float) -> list[tuple[Life, Emitted]]:
        """The slides that have been passed, of every key that has events in its window."""
        if not isinstance(self.trigger, EverySlide):
            return []
        out = []
        for time in self.grid(before, after):
            for life in self.lives:
                last = life.events[-1].time if life.events else 0
                beyond = time >= self.ended and time > self.first_slide(last)
                over = after == math.inf and not fades(self.policy) and beyond
                gone = life.retired is not None and time >= life.retired
                if over or gone or (found := window_at(self.policy, life.events, time)) is None:
                    continue
                out.append((life, self.emitted(life, found, None, None)))
                life.emitted[time] = (*out[-1][1][1:4], 0)
        return out

    def first_slide(self, time: int) -> int:
        every, origin = int(self.trigger.every.amount), self.trigger.origin or 0
        return -(-(time - origin) // every) * every + origin

    def grid(self, before: float, after: float) -> range:
        times = [event.time for life in self.lives for event in life.events]
        if not times:
            return range(0)
        reach = 1000  # longer than any window of the tests
        low = min(times) if before == -math.inf else max(before, min(times))
        return range(self.first_slide(int(low)), int(min(after, max(times) + reach)), int(self.trigger.every.amount))

    def changes(self, life: Life, new: Event) -> list[tuple[Life, Emitted]]:
        """All results of the key that are due, emitted again where they are not what was emitted."""
        if isinstance(self.trigger, EverySlide):
            due = [
                (time, None, None, window_at(self.policy, life.events, time))
                for time in self.grid(-math.inf, self.clock)
            ]
            due = [one for one in due if one[3] is not None and one[0] >= new.time]
        else:
            due = self.due_points(life)
            # The new event's own result comes first, where results are about events.
            own = not (isinstance(self.trigger, EveryEvents) and self.trigger.k > 1)
            due.sort(key=lambda one: not (own and one[0] == new.number))
        return self.revisions(life, due)

    def due_points(self, life: Life) -> list[Any]:
        """The windows of the events that ask; None for those that may have asked before."""
        asking = list(self.points(life))
        if isinstance(self.trigger, OnDelta):
            asking = [(event, event.number) for event in life.events]
        return [
            (
                number,
                event.time,
                number,
                window_of(self.policy, life.events, life.events.index(event))
                if not isinstance(self.trigger, OnDelta) or self.asks(life, event, 0)
                else None,
            )
            for event, number in asking
        ]

    def revisions(self, life: Life, due: list[Any]) -> list[tuple[Life, Emitted]]:
        """What was not emitted, or is not what was emitted; without a window, what was emitted is taken back."""
        out = []
        for about, time, number, found in due:
            before = life.emitted.get(about)
            if found is None and (before is None or before[2] is RETRACTED):
                continue
            if found is None:
                emitted = Emitted(life.key, *before[:2], None, 0, time, number, retracted=True)
            else:
                emitted = self.emitted(life, found, time, number)
            if before is None or emitted.retracted or before[:3] != emitted[1:4]:
                revision = 0 if before is None else before[3] + 1
                life.emitted[about] = (*emitted[1:3], RETRACTED if emitted.retracted else emitted.value, revision)
                out.append((life, emitted._replace(revision=revision)))
        return out

    def changes_without(self, life: Life, gone: Event) -> list[tuple[Life, Emitted]]:
        """The same where an event was taken back: what was emitted of it comes first."""
        if isinstance(self.trigger, EverySlide):
            slides = range(self.first_slide(gone.time), int(self.clock), int(self.trigger.every.amount))
            return self.revisions(life, [(at, None, None, window_at(self.policy, life.events, at)) for at in slides])
        due = self.due_points(life)
        if isinstance(self.trigger, EveryEvents) and self.trigger.k > 1:
            last = len(life.events) + 1
            due.append((last, life.emitted.get(last, (None, None))[1], last, None))
        else:
            due.insert(0, (gone.number, gone.time, gone.number, None))
        return self.revisions(life, due)

    def of_event(self, life: Life, event: Event, number: int) -> Emitted:
        return self.emitted(life, window_of(self.policy, life.events, life.events.index(event)), event.time, number)

    def emitted(self, life: Life, found: Found, time: int | None, number: int | None) -> Emitted:
        values = [event.value for event in found.events if event.value is not None]
        value = None if len(values) < self.min_periods else self.aggregate(values)
        return Emitted(life.key, found.start, found.end, value, 0, time, number)

    def news(self, out: list[tuple[Life, Emitted]]) -> list[Emitted]:
        """What is news, where only news is emitted."""
        news = []
        for life, emitted in out:
            if self.changes_only and emitted.retracted:
                continue
            if self.changes_only and id(life) in self.last and self.last[id(life)] == emitted.value:
                continue
            self.last[id(life)] = emitted.value
            news.append(emitted)
        return news
