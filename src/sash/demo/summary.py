"""What the demonstration says: three lines on the terminal, and the file that its report is made from."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any, TypeAlias

import numpy.typing as npt

from sash.demo import bikes
from sash.demo.hops import Hops
from sash.demo.pipeline import STREAMS, Batch, Ran, Stream

__all__ = ["checked", "leave", "note_batch", "speeds", "stream"]

Array: TypeAlias = npt.NDArray[Any]


def stream(behind: Array) -> str:
    """The stream, and its disorder."""
    return (
        f"{len(behind):,} synthetic bike trips to {len(bikes.STATIONS)} stations in four days: overtaken by"
        f" {behind.mean():.1f} others on average, the last by {behind.max():,}"
    )


def checked(results: int, revised: int, late: int) -> str:
    """What came out, and that it is right."""
    return (
        f"{results:,} results by station and for the city, all those of sash.rolling: late trips revised {revised:,},"
        f" {late:,} came too late"
    )


def speeds(ran: list[Ran], hops: Hops) -> str:
    """How fast, beside Spark's own windows."""
    rows, seconds = zip(*(one.warm for one in ran), strict=True)
    speed = sum(rows) / max(max(seconds), 1e-3)
    times = hops.spark_seconds / hops.sash_seconds
    return (
        f"{speed:,.0f} trips a second through both streams; an hour every 10 s, as a batch of {hops.rows:,} trips,"
        f" took Spark {hops.spark_seconds:.1f} s and Sash {hops.sash_seconds:.1f} s ({times:.0f} times)"
    )


def note_batch(file: Path, stream: Stream, batch: Batch) -> None:
    """Keep a micro-batch for the report."""
    shape = {
        "number": batch.number,
        "stream": stream.title,
        "rows": batch.rows,
        "results": batch.results,
        "seconds": batch.seconds,
        "state_bytes": batch.state_bytes,
        "lag": None,
    }
    with file.open("a", encoding="utf-8") as out:
        out.write(json.dumps(shape) + "\n")


def leave(file: Path, ran: list[Ran], hops: Hops, behind: Array, results: int, revised: int, late: int) -> None:
    """Write what the report is made from, beside the results."""
    facts = [
        ("trips", f"{len(behind):,}"),
        ("later trips that overtook one, on average", f"{behind.mean():.2f}"),
        ("overtaken by nine at most", f"{(behind <= 9).mean():.1%}"),
        ("that overtook the last one", f"{behind.max():,}"),
        ("results, all compared", f"{results:,}"),
        ("revised by late trips", f"{revised:,}"),
        ("too late for the city", f"{late:,}"),
        ("seconds, both streams", f"{max(one.seconds for one in ran):.0f}"),
    ]
    shape = {
        "title": "Sash: bike trips, late and in bursts",
        "facts": facts,
        "streams": [_stream(one) for one in STREAMS],
        "arrivals": {"path": "trips", "format": "parquet", "on": "ended"},
        # The last trip only closes the stream.
        "below": {"trip": len(behind)},
        "compared": _compared(hops),
        "marked": bikes.storms(),
    }
    file.write_text(json.dumps(shape, indent=1), encoding="utf-8")


def _stream(one: Stream) -> dict[str, Any]:
    shape = {"name": one.name, "title": one.title, "plan": one.plan.to_toml()}
    return shape | {"results": one.name, "format": "parquet", "id": ["trip"]}


def _compared(hops: Hops) -> list[dict[str, Any]]:
    ways = (("Spark", hops.spark_seconds), ("Sash", hops.sash_seconds))
    return [{"what": who, "who": who, "rows": hops.rows, "seconds": round(seconds, 3)} for who, seconds in ways]
