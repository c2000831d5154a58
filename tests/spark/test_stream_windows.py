"""Every window of `sash.Sliding` as a stream on a real session, from files to files, stopped and started again."""

from __future__ import annotations

import random
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

pytest.importorskip("pyspark", reason="needs PySpark: pip install 'sash[spark]'")

import pyarrow as pa

import sash
import sash.spark
from sash.spark.checkpoint.stored import Stored
from sash.spark.stream.bucket import Bucket
from sash.spark.stream.cache import EngineCache
from tests.spark import test_stream_retractions as retractions
from tests.spark.streams import Driver, batches, by_row, make_job, random_rows
from tests.spark.test_stream import stream_of, write_files
from tests.spark.test_stream_operator import expected, in_time, plan_of, slides_expected, slides_in, slides_of

BY_VALUE = ("delta", "punctuated", "programmable", "adaptive")
LATENESS = 6


@dataclass
class Stream:
    """A plan over micro-batches, in a folder of its own."""

    folder: Path
    plan: sash.Plan
    parts: list[pa.Table]
    options: dict[str, Any]

    def start(self, spark: Any, until: int | None) -> Any:
        """Begin, or go on, up to a micro-batch; without one, a last row makes all of them final."""
        write_files(self.folder / "in", self.parts[:until], closing=until is None and "retract" not in self.options)
        df = sash.spark.rolling(stream_of(spark, self.folder / "in"), self.plan, **self.options)
        writer = df.writeStream.format("parquet").option("path", str(self.folder / "out"))
        return writer.option("checkpointLocation", str(self.folder / "checkpoint")).trigger(availableNow=True).start()

    def results(self, spark: Any) -> pa.Table:
        """All that came out, without the last row, revisions in their order."""
        df = spark.read.parquet(str(self.folder / "out")).where("card is null or card != 'the end'")
        return (df.sort("revision") if "revision" in df.columns else df).toArrow()


def by_value(folder: Path, emit: str, count: int) -> Stream:
    """Windows whose ends depend on values, with rows that are too late."""
    rows = random_rows(random.Random(emit), count, keys=8)
    plan = plan_of(emit, *BY_VALUE, names=("words", "where"), lateness=f"{LATENESS}s")
    return Stream(folder, plan, batches(rows, 3), {"buckets": 1 if emit == "final" else 2})


def slides(folder: Path, emit: str) -> Stream:
    """Two lengths that slide by two times. At arrival a bucket's rows decide when a window is emitted: there is one."""
    rows = random_rows(random.Random(emit), 200, keys=4)
    return Stream(folder, slides_of(emit, "5s", "4s"), batches(rows, 3), {"buckets": 1 if emit == "arrival" else 3})


def changes(folder: Path) -> Stream:
    """Rows that are replaced and taken back."""
    parts = retractions.parts(retractions.changes(random.Random(7), 60), 20)
    return Stream(folder, retractions.plan_of("update"), parts, {"buckets": 2, "retract": "op", "id": "row"})


def run(spark: Any, *streams: Stream) -> None:
    """Each of them, in two runs."""
    for stream in streams:
        stream.folder.mkdir()
        for until in (2, None):
            stream.start(spark, until).awaitTermination()


def test_every_window_runs_as_a_stream_and_starts_again(spark: Any, tmp_path: Path) -> None:
    """Two micro-batches, another run of the query, one more: what comes out is what `sash.Sliding` emits."""
    of_values = {emit: by_value(tmp_path / f"values {emit}", emit, 600) for emit in ("update", "arrival")}
    of_slides = {emit: slides(tmp_path / f"slides {emit}", emit) for emit in ("update", "arrival")}
    taken_back = changes(tmp_path / "changes")
    run(spark, *of_values.values(), *of_slides.values(), taken_back)
    for emit, stream in of_values.items():
        check_rows(stream.results(spark), stream, emit)
    for emit, stream in of_slides.items():
        check_slides(stream.results(spark), stream, emit)
    last = retractions.results_of(taken_back.results(spark), taken_back.plan)
    rows = [row for part in taken_back.parts for row in part.to_pylist()]
    assert last == retractions.expected(rows, taken_back.plan)


@pytest.fixture
def guarded(spark: Any) -> Iterator[None]:
    """The session, with what Spark 4.3 has for checkpoints: names for each attempt, and checksums of rows."""
    settings = {"checkpointFormatVersion": "2", "rowChecksum.enabled": "true"}
    names = {f"spark.sql.streaming.stateStore.{name}": value for name, value in settings.items()}
    before = {name: spark.conf.get(name) for name in names}
    for name, value in names.items():
        spark.conf.set(name, value)
    yield
    for name, was in before.items():
        spark.conf.set(name, was)


@pytest.mark.slow
def test_final_windows_continue_from_a_snapshot(spark: Any, tmp_path: Path, guarded: None) -> None:
    """The same with emit="final", where a snapshot of the operators has taken the place of rows before the restart; in
    checkpoints of the newer format, whose rows have checksums."""
    values, slid = by_value(tmp_path / "values", "final", 9_000), slides(tmp_path / "slides", "final")
    run(spark, values, slid)
    stored = Stored.of(spark, str(values.folder / "checkpoint"))
    assert all(manifest.snapshot for manifest in stored.manifests.values())
    check_rows(values.results(spark), values, "final")
    check_slides(slid.results(spark), slid, "final")


def of_the_stream(past: pa.Table, new: pa.Table, plan: sash.Plan) -> dict[Any, tuple[Any, ...]]:
    """The windows of both together that hold a row of the second: those that it has without the first."""
    still = sash.Plan(**plan._parts() | {"lateness": None})
    both, alone = (slides_in(sash.rolling(rows, still), plan) for rows in (pa.concat_tables([past, new]), new))
    return {subject: both[subject] for subject in alone}


@pytest.mark.parametrize("size", [3, 40])
@pytest.mark.parametrize("closed", ["right", "left", "both", "neither"])
def test_a_slide_is_emitted_if_its_window_holds_a_row_of_the_stream(closed: Any, size: int) -> None:
    """Those of history alone are not, also behind its end; rows of history are in the others, whichever worker emits
    them. It does not matter how rows are cut into batches, nor, since keys are apart, into buckets."""
    table = random_rows(random.Random(1), 120, disorder=3, keys=3)
    past, new = table.slice(0, 50), table.slice(50).filter(pa.compute.equal(table.slice(50).column("card"), "a"))
    windows = [sash.TimeWindow(length, every="4s", closed=closed) for length in ("10s", "6s")]
    plan = sash.Plan(**slides_of("final", "4s", names=("n", "words"))._parts() | {"windows": windows})
    driver = Driver(make_job(plan))
    for part in batches(past, 2):
        Bucket(driver.job, driver.state, driver.engines).history(part)
    for start in range(0, new.num_rows, size):
        driver.batch(new.slice(start, size))
        driver.engines = EngineCache()
    found, wanted = driver.finish(), of_the_stream(past, new, plan)
    assert slides_in(found, plan) == wanted
    assert found.num_rows == len(wanted)


@pytest.mark.parametrize("size", [1, 7, 40])
@pytest.mark.parametrize("emit", ["update", "arrival", "final"])
def test_slides_of_the_operator_are_emitted_if_they_hold_a_row_of_the_stream(emit: str, size: int) -> None:
    """By two slides, and before they are final, too: a late row of the stream brings a window of history, as the first
    of its revisions. At arrival rows come in order here: what is known then depends on nothing else."""
    table = random_rows(random.Random(2), 120, disorder=0 if emit == "arrival" else 9, keys=3)
    new = table.slice(50).filter(pa.compute.is_in(table.slice(50).column("card"), pa.array(["a", "b"])))
    plan, past = slides_of(emit, "4s", "3s"), table.slice(0, 50)
    driver = Driver(make_job(plan))
    for part in batches(past, 2):
        Bucket(driver.job, driver.state, driver.engines).history(part)
    for start in range(0, new.num_rows, size):
        driver.batch(new.slice(start, size))
        driver.engines = EngineCache() if start % 3 else driver.engines
    results = driver.finish()
    found, wanted = slides_in(results, plan), slides_expected(pa.concat_tables([past, new]), plan)
    assert found.keys() == slides_expected(new, plan).keys()
    assert found.keys() < wanted.keys()
    for subject, values in found.items():
        named = dict(zip(plan.outputs, values, strict=True))
        assert {name: named[name] for name in wanted[subject]} == wanted[subject]
    counts: dict[Any, list[int]] = {}
    for row in results.to_pylist():
        counts.setdefault((row["card"], row["window_end"]), []).append(row.get("revision", 0))
    assert all(revisions == list(range(len(revisions))) for revisions in counts.values())


def test_slides_of_a_history_with_changes_hold_what_is_left_of_it() -> None:
    """Rows that the stream takes back are in no window, and those that are left bring none of their own."""
    plan = retractions.plan_of("final", sash.TimeWindow("8s", every="4s"))
    rows = retractions.changes(random.Random(5), 60, stray=False)
    past, new = rows[:30], rows[30:]
    driver = Driver(make_job(plan, schema=retractions.CHANGES, retract="op", id="row"))
    Bucket(driver.job, driver.state, driver.engines).history(retractions.parts(past, 30)[0])
    for part in retractions.parts(new, 7):
        driver.batch(part)
    left = retractions.survivors(rows)
    parts = [[row for row in left if (row in new) is own] for own in (False, True)]
    tables = [pa.Table.from_pylist(part, retractions.CHANGES) for part in parts]
    assert all(table.num_rows for table in tables)
    assert slides_in(driver.finish(), plan) == of_the_stream(*tables, plan)


def check_rows(results: pa.Table, stream: Stream, emit: str) -> None:
    """The rows that were in time, each once unless it is revised, with the operator's results."""
    kept = in_time(stream.parts, LATENESS)
    assert 0 < kept.num_rows < sum(part.num_rows for part in stream.parts)
    assert by_row(results, list(stream.plan.outputs)) == expected(kept, stream.plan)
    assert emit == "update" or results.num_rows == kept.num_rows


def check_slides(results: pa.Table, stream: Stream, emit: str) -> None:
    """Each key and end, once unless it is revised; a slide that does not end there has no result."""
    wanted = slides_expected(pa.concat_tables(stream.parts), stream.plan)
    found = slides_in(results, stream.plan)
    assert found.keys() == wanted.keys()
    for subject, values in found.items():
        named = dict(zip(stream.plan.outputs, values, strict=True))
        assert {name: named[name] for name in wanted[subject]} == wanted[subject]
    assert emit == "update" or results.num_rows == len(wanted)
