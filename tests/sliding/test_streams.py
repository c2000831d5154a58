"""Real streams, as late as they came: earthquakes by network, flights by destination."""

import csv
import gzip
from bisect import bisect_right
from collections import defaultdict
from datetime import datetime, timedelta
from itertools import islice

import pytest

import sash
from sash.operator import Sliding
from sash.windows import CountWindow, TimeWindow


@pytest.fixture(scope="module", params=["usgs_quakes", "nyc_flights_2013"])
def events(request, shared):
    """The first events of a stream in the order of their arrival: (key, time, (measure, which event))."""
    time, key, value = {
        "usgs_quakes": ("time", "net", "mag"),
        "nyc_flights_2013": ("sched_dep", "dest", "dep_delay"),
    }[request.param]
    with gzip.open(shared / "data" / f"{request.param}.csv.gz", "rt") as file:
        rows = list(islice(csv.DictReader(file), 3000))
    return [
        (row[key], datetime.fromisoformat(row[time]), (float(row[value]), number) if row[value] else None)
        for number, row in enumerate(rows)
    ]


def brute_force(events, length):
    """The number of the greatest event of the last `length`, for each event: slices of the sorted events of its key."""
    lines = defaultdict(list)
    for number, (key, time, value) in enumerate(events):
        lines[key].append((time, number, value))
    results = {}
    for line in lines.values():
        line.sort(key=lambda row: row[:2])
        times = [row[0] for row in line]
        for time, number, _ in line:
            inside = line[bisect_right(times, time - length) : bisect_right(times, time)]
            found = [value for _, _, value in inside if value is not None]
            results[number] = max(found, key=lambda pair: pair[0])[1] if found else None
    return results


def test_final_and_last_revisions_are_brute_force(events):
    """However late, every event gets the result of all events together; ties go to the oldest."""
    columns = list(zip(*events, strict=True))
    expected = brute_force(events, timedelta(days=1))
    for emit in ("final", "update"):
        s = Sliding(sash.ArgMax(), TimeWindow("1d"), by=True, emit=emit)
        emitted = [*s.push_many(*columns), *s.finish()]
        assert {result.number: result.value for result in emitted} == expected
        assert len(emitted) == len(events) or emit == "update"


def test_a_bound_on_lateness_loses_nothing_silently(events):
    """Every event has a result or is counted as late, and the results are those of the events that were not late."""
    columns = list(zip(*events, strict=True))
    s = Sliding(sash.ArgMax(), [TimeWindow("1d"), CountWindow(5)], by=True, emit="final", lateness="2h", on_late="keep")
    emitted = [*s.push_many(*columns), *s.finish()]
    assert s.late
    assert len(emitted) == 2 * (len(events) - len(s.late))
    late = {(event.key, event.time, event.value) for event in s.late}
    kept = [event for event in events if event not in late]
    expected = brute_force(kept, timedelta(days=1))
    assert {result.number: result.value for result in emitted if result.window == TimeWindow("1d")} == expected
