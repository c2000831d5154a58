"""Streams of a bucket without Spark: state in a dictionary, and what the results should be."""

from __future__ import annotations

import random
from collections.abc import Iterable, Sequence
from typing import Any

import pyarrow as pa

import sash
from sash.batch.slides import BOUNDS, slides
from sash.spark.opaque import in_plain_values
from sash.spark.stream.bucket import Bucket
from sash.spark.stream.cache import EngineCache
from sash.spark.stream.job import Clock, Job
from sash.spark.stream.pipeline import _retained
from sash.times import encode_array

SCHEMA = pa.schema(
    [
        ("card", pa.string()),
        ("time", pa.timestamp("us", "UTC")),
        ("amount", pa.int64()),
        ("share", pa.float64()),
        ("shop", pa.string()),
        ("row", pa.int64()),
    ]
)
SECOND = 1_000_000
#: No row is so late.
END = 10**12

RESULTS = {
    "n": pa.int64(),
    "spent": pa.int64(),
    "mean": pa.float64(),
    "peak": pa.float64(),
    "where": pa.string(),
    "first": pa.string(),
    "last": pa.int64(),
    "shops": pa.int64(),
    "words": pa.string(),
    "spread": pa.float64(),
    "some": pa.int64(),
    "texts": pa.string(),
}
AGGREGATIONS = {
    "n": sash.Count(),
    "spent": sash.Sum("amount"),
    "mean": sash.Mean("amount"),
    "peak": sash.Max("share"),
    "where": sash.ArgMax("amount", "shop"),
    "first": sash.First("shop"),
    "last": sash.Last("amount"),
    "shops": sash.CountDistinct("shop"),
    "words": sash.Concat("shop"),
    "spread": sash.Var("amount", ddof=0),
    "some": sash.Sum("amount", where=sash.col("shop") != "bakery"),
    "texts": sash.Concat("shop", where=sash.col("amount") > 3),
}


class DictState:
    """The state of one bucket, and what was asked of it."""

    def __init__(self) -> None:
        self.data: dict[Any, bytes] = {}
        self.timers: set[int] = set()
        self.written = 0
        self.reads = 0

    def manifest(self) -> bytes | None:
        return self.data.get("manifest")

    def put_manifest(self, data: bytes) -> None:
        self.written += len(data)
        self.data["manifest"] = data

    def segment(self, place: int) -> bytes:
        self.reads += 1
        return self.data[place]

    def put_segment(self, place: int, data: bytes) -> None:
        assert place not in self.data
        self.written += len(data)
        self.data[place] = data

    def drop_segments(self, places: Iterable[int]) -> None:
        for place in places:
            del self.data[place]

    def clear(self) -> None:
        self.data.clear()

    def set_timer(self, old: int | None, new: int | None) -> None:
        if old is not None:
            self.timers.discard(old)
        if new is not None:
            self.timers.add(new)

    def copy(self) -> DictState:
        """The state as Spark would have it for another attempt."""
        twin = DictState()
        twin.data, twin.timers = dict(self.data), set(self.timers)
        return twin


def make_job(
    plan: sash.Plan,
    on_late: Any = "drop",
    schema: pa.Schema = SCHEMA,
    retain: Any = None,
    name: str = "test",
    on_error: Any = "raise",
    **retraction: str,
) -> Job:
    """The job of a plan over the columns."""
    clock = Clock(encode_array(pa.array([], schema.field(str(plan.on)).type))[0])
    types = {name: RESULTS[name.split("_")[0]] for name in plan.outputs}
    if slides(plan):
        types = dict.fromkeys(BOUNDS, schema.field(str(plan.on)).type) | types
    retained = _retained(plan, clock, retain)
    return Job(name, in_plain_values(plan), schema, types, clock, on_late, 1, retained, on_error=on_error, **retraction)


def random_rows(rng: random.Random, count: int, keys: int = 3, disorder: int = 20, nulls: bool = True) -> pa.Table:
    """Rows in order of arrival, with ties, late ones by up to `disorder` seconds, and nulls."""
    times = [max(0, place - rng.choice([0, 0, 0, rng.randint(0, disorder)])) for place in range(count)]

    def maybe(value: Any) -> Any:
        return None if nulls and rng.random() < 0.15 else value

    rows = [
        {
            "card": maybe(rng.choice("abcdefgh"[:keys])),
            "time": 1 + 10**15 + time * SECOND,
            "amount": maybe(rng.randint(-5, 5)),
            "share": maybe(rng.randint(0, 8) / 4),
            "shop": maybe(rng.choice(["x", "yy", "zzz"])),
            "row": place,
        }
        for place, time in enumerate(times)
    ]
    return pa.Table.from_pylist(rows, SCHEMA)


class Driver:
    """Feeds a bucket batch by batch, as Spark would: the watermark moves between batches, timers fire after rows."""

    def __init__(self, job: Job, engines: EngineCache | None = None) -> None:
        self.job = job
        self.state = DictState()
        self.engines = engines or EngineCache()
        self.newest = 0
        self.watermark = 0
        self.results: list[pa.Table] = []
        self.last: Bucket | None = None

    def batch(self, table: pa.Table) -> pa.Table:
        """One micro-batch, and the watermark after it."""
        self.last = Bucket(self.job, self.state, self.engines)
        results = self.last.rows([table], self.watermark)
        self.results.append(results)
        self._fire()
        ticks = [time.value for time in table.column("time") if time.is_valid]
        self.newest = max([self.newest, *(tick // 1000 for tick in ticks)])
        if self.job.plan.lateness is not None:
            self.watermark = max(self.watermark, self.newest - self.job.plan.lateness.amount // 1_000_000)
        return results

    def finish(self) -> pa.Table:
        """The end of time: the watermark passes everything. All results."""
        self.watermark = END * 1000
        self._fire()
        return pa.concat_tables(self.results)

    def _fire(self) -> None:
        due = {timer for timer in self.state.timers if timer <= self.watermark}
        self.state.timers -= due
        for _ in due:
            self.results.append(Bucket(self.job, self.state, self.engines).timer(self.watermark))


def batches(table: pa.Table, count: int) -> list[pa.Table]:
    """The table in so many parts."""
    size = -(-table.num_rows // count)
    return [table.slice(start, size) for start in range(0, table.num_rows, size)]


def expected(table: pa.Table, plan: sash.Plan, emit: str = "final") -> dict[int, tuple[Any, ...]]:
    """The results of each row, by its number, as `sash.rolling` gives them."""
    whole = sash.Plan(**plan._parts() | {"emit": emit, "lateness": None})
    return by_row(sash.rolling(table, whole), list(plan.outputs))


def by_row(table: pa.Table, names: Sequence[str]) -> dict[int, tuple[Any, ...]]:
    """The results of each row by its number; the last ones where there are several."""
    rows = zip(table.column("row").to_pylist(), *(table.column(name).to_pylist() for name in names), strict=True)
    return {row: tuple(map(_rounded, results)) for row, *results in rows}


def _rounded(value: Any) -> Any:
    """Floats to the digits that do not depend on the order of additions."""
    return round(value, 9) if isinstance(value, float) else value
