"""Nobody asks for the class of a policy: one that no file of the package names gives what brute force gives, or is
refused, at every door.

The policies here are made of kinds that the core knows. Some say nothing of themselves but how the core takes them, so
that the defaults of `WindowPolicy` are what is tested; some say all that is true of them.
"""

from __future__ import annotations

import pickle
import random
import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any, ClassVar

import pyarrow as pa
import pytest

import sash
from sash.durations import Duration, parse_duration
from sash.operator import Sliding
from sash.triggers import EachEvent
from sash.windows import base, known_policies
from sash.windows.base import WindowPolicy
from sash.windows.config import PolicyConfig, length_of
from sash.windows.scale import Grid, Scale

Row = dict[str, Any]
FROZEN = {"frozen": True, "slots": True, "init": False, "repr": False}
EMITS = ("final", "update", "arrival")
SECOND = 1_000_000
LATENESS = 20


@dataclass(**FROZEN)
class ToDate(WindowPolicy):
    """The events since the last multiple of a period, up to now."""

    positional: ClassVar[tuple[str, ...]] = ("period",)
    period: Duration

    def __init__(self, period: Any) -> None:
        object.__setattr__(self, "period", parse_duration(period))

    def core(self, scale: Scale, output: int = 0) -> PolicyConfig:
        grid = Grid(scale, self.period)
        return PolicyConfig("tumbling", length_of(grid.every), True, False, grid.origin)

    def describe(self) -> str:
        return f"the events of this {self.period} so far"


@dataclass(**FROZEN)
class KnownToDate(ToDate):
    """The same, and it says what is true of it."""

    @property
    def by_time(self) -> bool:
        return True

    @property
    def reach(self) -> Duration:
        return self.period


@dataclass(**FROZEN)
class Blocks(WindowPolicy):
    """Events 1 to n, n + 1 to 2n, and so on: the part so far."""

    positional: ClassVar[tuple[str, ...]] = ("n",)
    n: int

    def __init__(self, n: int) -> None:
        object.__setattr__(self, "n", n)

    def core(self, scale: Scale, output: int = 0) -> PolicyConfig:
        return PolicyConfig("tumbling_count", count=self.n)

    def describe(self) -> str:
        return f"the events of this block of {self.n} so far"


@dataclass(**FROZEN)
class Within(WindowPolicy):
    """The events whose measure is less than `most` ahead of the first."""

    by_value: ClassVar[bool] = True
    measures: ClassVar[bool] = True
    positional: ClassVar[tuple[str, ...]] = ("of", "most")
    of: str
    most: int

    def __init__(self, of: str, most: int) -> None:
        object.__setattr__(self, "of", of)
        object.__setattr__(self, "most", most)

    def core(self, scale: Scale, output: int = 0) -> PolicyConfig:
        return PolicyConfig("tumbling_delta", delta=self.most)

    @property
    def reads(self) -> str:
        return self.of

    def describe(self) -> str:
        return f"the events less than {self.most} of {self.of} ahead of the first"


NEW: dict[str, WindowPolicy] = {
    "to_date": ToDate("10s"),
    "known_to_date": KnownToDate("10s"),
    "blocks": Blocks(3),
    "within": Within("amount", 4),
}
#: Which doors must not refuse a policy. At all others it is refused, or gives what brute force gives.
OPEN = {"known_to_date": {"arrival", "labels", "chunks"}, "to_date": {"labels"}, "blocks": {"labels"}, "within": set()}


@pytest.fixture(autouse=True)
def registered(monkeypatch: pytest.MonkeyPatch) -> None:
    """They are known while a test runs."""
    for one in NEW.values():
        monkeypatch.setitem(base._POLICIES, type(one).__name__, type(one))


# What is right


def held(policy: WindowPolicy, rows: list[Row], at: int | None = None) -> list[Row]:
    """Of the rows of a key in order, those in the window of the last one; or in the one that ends at a time."""
    time = rows[-1]["time"] if at is None else at
    if isinstance(policy, ToDate):
        period = policy.period.amount // 1000
        return [row for row in rows if row["time"] >= time // period * period]
    if isinstance(policy, Blocks):
        return rows[(len(rows) - 1) // policy.n * policy.n :]
    assert isinstance(policy, Within)
    start = 0
    for place, row in enumerate(rows):
        measures = [one["amount"] for one in rows[start:place] if one["amount"] is not None]
        if measures and row["amount"] is not None and row["amount"] - measures[0] >= policy.most:
            start = place
    return rows[start:]


def peers_in(policy: WindowPolicy) -> bool:
    """Whether rows of one time are in one window, whichever comes first."""
    return isinstance(policy, ToDate)


def brute(policy: WindowPolicy, rows: list[Row], emit: str = "final") -> dict[int, tuple[Any, ...]]:
    """The results of each row: of all rows, or of those that had come."""
    found = {}
    for place, row in enumerate(rows):
        known = rows[: place + 1] if emit == "arrival" else rows
        own = sorted((one for one in known if one["card"] == row["card"]), key=lambda one: (one["time"], one["row"]))
        last = (
            [at for at, one in enumerate(own) if one["time"] == row["time"]][-1] if peers_in(policy) else own.index(row)
        )
        found[row["row"]] = results(held(policy, own[: last + 1]))
    return found


def results(rows: list[Row]) -> tuple[Any, ...]:
    return len(rows), "".join(row["shop"] for row in rows if row["shop"] is not None)


# The doors


def rows_of(seed: int, count: int = 90) -> tuple[pa.Table, list[Row]]:
    """Rows of a stream, by the columns of the tests of Spark; times are microseconds here."""
    streams = pytest.importorskip("tests.spark.streams", reason="needs PySpark: pip install 'sash[spark]'")
    table = streams.random_rows(random.Random(seed), count, disorder=LATENESS // 2)
    times = table.column("time").cast(pa.int64()).to_pylist()
    return table, [row | {"time": time} for row, time in zip(table.to_pylist(), times, strict=True)]


def plan_of(policy: WindowPolicy, emit: str = "final", **more: Any) -> sash.Plan:
    some = {"n": sash.Count(), "words": sash.Concat("shop")}
    return sash.Plan(by="card", on="time", windows=policy, aggregations=some, emit=emit, **more)


def by_row(table: pa.Table, plan: sash.Plan) -> dict[int, tuple[Any, ...]]:
    """The last results of each row."""
    rows = zip(*(table.column(name).to_pylist() for name in ("row", *plan.outputs)), strict=True)
    return {row: (n, words or "") for row, n, words in rows}


def refused(name: str, door: str, call: Callable[[], Any]) -> Any:
    """What the call gives; None if the plan is refused where it may be."""
    try:
        return call()
    except sash.PlanError:
        assert door not in OPEN[name]
        return None


@pytest.mark.parametrize("name", NEW)
@pytest.mark.parametrize("seed", range(3))
def test_frames(name: str, seed: int) -> None:
    """Frames of every kind, as all is known in the end and as it was known then."""
    policy, (table, rows) = NEW[name], rows_of(seed)
    plan = plan_of(policy)
    assert by_row(sash.rolling(table, plan), plan) == brute(policy, rows)
    frame = sash.rolling(table.to_pandas(), plan)
    assert by_row(pa.Table.from_pandas(frame), plan) == brute(policy, rows)
    known = refused(name, "arrival", lambda: sash.rolling(table, plan_of(policy, "arrival")))
    if known is not None:
        assert by_row(known, plan) == brute(policy, rows, "arrival")


@pytest.mark.parametrize("name", NEW)
@pytest.mark.parametrize("seed", range(3))
def test_labels(name: str, seed: int) -> None:
    """Windows that end at times without an event."""
    policy, (table, rows) = NEW[name], rows_of(seed)
    times = [10**15 + place * SECOND + 500_000 for place in range(0, 90, 7)]
    labels = pa.table({"card": ["a"] * len(times), "time": pa.array(times, table.schema.field("time").type)})
    plan = plan_of(policy)
    found = refused(name, "labels", lambda: sash.rolling(table, plan, at=labels))
    if found is None:
        return
    own = sorted((row for row in rows if row["card"] == "a"), key=lambda row: (row["time"], row["row"]))
    seen = [[row for row in own if row["time"] <= time] for time in times]
    given = zip(*(found.column(made).to_pylist() for made in plan.outputs), strict=True)
    assert [(n, words or "") for n, words in given] == [
        results(held(policy, before, time) if before else []) for before, time in zip(seen, times, strict=True)
    ]


@pytest.mark.parametrize("name", NEW)
def test_rows_in_parts(name: str) -> None:
    """Record batches in and out, with no more rows than windows need between them."""
    from sash.batch.chunks import rolling_batches

    policy, (table, rows) = NEW[name], rows_of(1, 300)
    plan = plan_of(policy, lateness=f"{LATENESS}s")
    batches = iter(table.to_batches(max_chunksize=7))
    made = refused(name, "chunks", lambda: list(rolling_batches(batches, plan, {}, rows=20)))
    if made is not None:
        assert by_row(pa.Table.from_batches(made), plan) == brute(policy, rows)


@pytest.mark.parametrize("name", NEW)
@pytest.mark.parametrize("emit", EMITS)
def test_the_operator(name: str, emit: str) -> None:
    """Every emit mode, through a snapshot too."""
    policy, (table, rows) = NEW[name], rows_of(2)
    made = {"n": sash.Count(), "words": sash.Concat("shop")}
    operator = Sliding(made, policy, by="card", on="time", emit=emit, trigger=EachEvent())
    found = [*operator.push_many(table.slice(0, 40))]
    operator = Sliding.restore(operator.snapshot())
    found += [*operator.push_many(table.slice(40)), *operator.finish()]
    last = {one.number: (one.value.n, one.value.words or "") for one in found}
    assert last == brute(policy, rows, emit)


@pytest.mark.parametrize("name", NEW)
@pytest.mark.parametrize("rows_at_once", [1, 5, 1000])
def test_spark_at_rest(name: str, rows_at_once: int) -> None:
    """A sorted partition, chunk by chunk: the history that a chunk needs is there."""
    policy, (table, rows) = NEW[name], rows_of(3)
    from sash.spark.partition import RowChunks

    plan = plan_of(policy)
    table = table.sort_by([("card", "ascending"), ("time", "ascending"), ("row", "ascending")])
    types = {made: pa.int64() if made.startswith("n_") else pa.string() for made in plan.outputs}
    made = RowChunks(plan, types, rows_at_once).run(table.to_batches(max_chunksize=3))
    assert by_row(pa.Table.from_batches(made), plan) == brute(policy, rows)


@pytest.mark.parametrize("name", NEW)
def test_only_windows_that_reach_back_so_far_are_cut(name: str) -> None:
    """A part of a skewed key begins with the history of a length of time."""
    rows_of(0, 1)
    from sash.spark.skew import split_problems

    assert bool(split_problems(plan_of(NEW[name]), "auto")) == (NEW[name].reach is None)


@pytest.mark.parametrize("name", NEW)
@pytest.mark.parametrize("emit", EMITS)
def test_spark_live(name: str, emit: str) -> None:
    """A bucket of a stream whose workers change."""
    policy, (table, rows) = NEW[name], rows_of(4, 200)
    from tests.spark.streams import Driver, EngineCache, batches, make_job

    plan = plan_of(policy, emit, lateness=f"{LATENESS}s")
    driver = Driver(make_job(plan))
    for number, part in enumerate(batches(table, 9)):
        if number % 3 == 0:
            driver.job, driver.engines = make_job(plan, name=f"run {number}"), EngineCache()
        driver.batch(part)
    assert by_row(driver.finish(), plan) == brute(policy, rows, emit)


@pytest.mark.parametrize("name", NEW)
def test_a_plan_is_written_shown_and_explained(name: str) -> None:
    """TOML, pickles, names of columns and words."""
    plan = plan_of(NEW[name])
    assert sash.Plan.from_toml(plan.to_toml()) == plan == pickle.loads(pickle.dumps(plan))
    assert next(iter(plan.outputs)).startswith(f"n_{type(NEW[name]).__name__.lower()}_")
    assert NEW[name].describe() in plan.explain()


# The property


def mentions() -> Iterator[str]:
    """Lines of code outside `sash.windows` that ask for the class of a policy."""
    folder = Path(sash.__file__).parent
    names = "|".join(known_policies())
    asks = re.compile(
        rf"(isinstance|issubclass)\([^#]*\b({names})\b|^\s*case .*\b({names})\(|type\([^)]*\) is ({names})\b"
    )
    for path in sorted(folder.rglob("*.py")):
        if path.parent.name != "windows":
            found = [line.strip() for line in path.read_text().splitlines() if asks.search(line)]
            yield from (f"{path.relative_to(folder)}: {line}" for line in found)


def test_nobody_asks_for_the_class_of_a_policy() -> None:
    """What others need to know of a policy is a property of `WindowPolicy`."""
    assert list(mentions()) == []
