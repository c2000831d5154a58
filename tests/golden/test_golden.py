"""Snapshots of every kind, as files: a change of format is seen, and what was written once is read back as it was."""

from __future__ import annotations

import datetime as dt
import json
import os
from pathlib import Path
from typing import Any

import pytest

import sash
from sash import codec
from sash.operator import LateEvent, Result, Results

from . import operators, windows
from .emitted import EMITTED

FOLDER = Path(__file__).parent
STORED = ("amta", "log_mta", "fiba")
PLAN = sash.Plan(
    by=["city", "station"],
    on="time",
    windows=["10m", 100, sash.SessionWindow("5m"), sash.TimeWindow("1h", closed="left")],
    aggregations={
        "trips": sash.Count(),
        "spread": sash.Std("minutes", ddof=0),
        "tail": sash.Quantile("minutes", 0.9),
        "longest": sash.ArgMax("minutes", "bike"),
    },
    emit="arrival",
    lateness="1m",
    min_periods=2,
    peers=False,
)


def golden(name: str, made: bytes) -> bytes:
    """The bytes that are kept, which are those that are made now."""
    path = FOLDER / name
    if os.environ.get("SASH_WRITE_GOLDEN"):
        path.write_bytes(made)
    kept = path.read_bytes()
    assert made == kept, f"{name} is written in another way than it was: see README.md beside it"
    return kept


# Windows


@pytest.mark.parametrize("name", windows.CASES)
def test_a_window_is_written_and_read_as_before(name: str) -> None:
    """The file restores to the window that it was made of: its result, and the one after the window slides."""
    case = windows.CASES[name]
    blob = golden(f"window_{name}.bin", case.made().snapshot())
    window = sash.Window.restore(blob, case.aggregation)
    assert (window.snapshot(), window.algorithm) == (blob, case.algorithm)
    assert exactly(case.read(window.query())) == exactly(case.result)
    if case.events:
        window.evict()
    window.insert(*case.newer)
    window.check_invariants()
    assert exactly(case.read(window.query())) == exactly(case.then)


def exactly(result: Any) -> str:
    """Types count: 5 is not 5.0. A record is the tuple of its values."""
    return repr(tuple(result) if isinstance(result, tuple) else result)


# Operators


@pytest.mark.parametrize("name", operators.CASES)
def test_an_operator_is_written_and_read_as_before(name: str) -> None:
    """The file restores to an operator that goes on to emit what the one that was written would."""
    case = operators.CASES[name]
    blob = golden(f"sliding_{name}.bin", case.made().snapshot())
    operator = case.restored(blob)
    assert operator.snapshot() == blob
    assert [*(line(operator.push(*event)) for event in case.after), line(operator.finish())] == EMITTED[name]


def line(results: list[Result] | Results) -> str:
    return "; ".join(map(worded, results))


def worded(result: Result) -> str:
    """`key start..end value (revision)`, without what is not there."""
    key = "" if result.key is None else f"{result.key!r} "
    revision = f" (revision {result.revision})" if result.revision else ""
    return f"{key}{clock(result.start)}..{clock(result.end)} {exactly(result.value)}{revision}"


def clock(time: Any) -> str:
    return f"{time:%H:%M}" if isinstance(time, dt.datetime) else str(time)


def test_the_late_events_of_an_operator_are_read_as_before() -> None:
    """What was kept for the user is still there, and so are the counts, the watermark and the keys."""
    operator = sash.Sliding.restore((FOLDER / "sliding_late_kept.bin").read_bytes())
    assert operator.late == [LateEvent(None, 4, 1, 6), LateEvent(None, 5, 3, 6)]
    assert operator.late_counts == {"watermark": 2, "finished": 0}
    assert (operator.watermark, operator.keys) == (6, [None])


def test_an_operator_at_its_end_is_written_and_read_as_before() -> None:
    """Whatever comes after the end is late."""
    operator = sash.Sliding(sash.Sum(), sash.TimeWindow(4), by=True)
    operator.push("a", 1, 5)
    operator.finish()
    restored = sash.Sliding.restore(golden("sliding_finished.bin", operator.snapshot()))
    assert (restored.push("a", 9, 2), restored.late_counts) == ([], {"watermark": 0, "finished": 1})


# Stores


@pytest.mark.parametrize("algorithm", STORED)
def test_the_pages_of_a_stored_window_are_written_and_read_as_before(
    algorithm: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The manifest and the pages of a window that has slid, put into another store, are that window."""
    monkeypatch.setattr("secrets.randbits", lambda bits: 2**bits // 3)
    store = sash.store.Memory()
    with sash.Window(sash.Concat(), algorithm, store=store, name="letters", page=2) as window:
        window.bulk_insert(range(16), "abcdefghijklmnop")
        window.bulk_evict(2)
    kept = golden(f"stored_{algorithm}.bin", codec.dumps(store._boxes[b"letters"].values))
    with sash.Window(sash.Concat(), algorithm, store=filled(kept), name="letters") as window:
        assert window.query() == "defghijklmnop"
        window.bulk_evict(9)
        window.insert(16, "q")
        assert window.query() == "klmnopq"


def filled(kept: bytes) -> sash.store.Memory:
    store = sash.store.Memory()
    table = store.open("letters")
    table.put_many(list(codec.loads(kept).items()))
    table.close()
    return store


# Plans


def test_a_plan_is_written_and_read_as_before() -> None:
    """As plain values, and as TOML."""
    described = golden("plan.json", json.dumps(PLAN.to_dict(), indent=1).encode() + b"\n")
    assert sash.Plan.from_dict(json.loads(described)) == PLAN
    assert sash.Plan.from_toml(golden("plan.toml", PLAN.to_toml().encode()).decode()) == PLAN


def test_every_file_is_read() -> None:
    """A file that no test reads would hide that a kind of snapshot has gone."""
    made = {f"window_{name}" for name in windows.CASES} | {f"sliding_{name}" for name in operators.CASES}
    made |= {"sliding_finished", *(f"stored_{algorithm}" for algorithm in STORED)}
    assert {path.stem for path in FOLDER.glob("*.bin")} == made
    assert EMITTED.keys() == operators.CASES.keys()
