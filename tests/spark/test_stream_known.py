"""Labels with what was known then have what a stream emitted at arrival, to the last bit, whatever floats were added.

The engines run in this process, without Spark. A label is a row without values: it gets the results of its window, and
changes none.
"""

from __future__ import annotations

import struct
from collections.abc import Mapping
from typing import Any

import pyarrow as pa
import pyarrow.compute as pc
import pytest
from hypothesis import given
from hypothesis import strategies as st
from pyspark.sql.types import StructType

import sash
from sash.spark.opaque import in_plain_values
from sash.spark.schema import arrow_types, output_fields
from sash.spark.stream.bucket import Bucket
from sash.spark.stream.cache import EngineCache
from sash.spark.stream.job import Clock, Job
from sash.times import encode_array
from sash.windows import TimeWindow, TumblingWindow
from tests.spark.streams import SECOND, DictState

START = 10**15
COLUMNS = StructType().add("k", "long").add("time", "timestamp").add("x", "double").add("y", "double")
#: All that add floats. Weights and what is averaged by logarithms or reciprocals are above 0.
ADDED: Mapping[str, Any] = {
    "total": sash.Sum("x"),
    "mean": sash.Mean("x"),
    "geometric": sash.GeometricMean("y"),
    "harmonic": sash.HarmonicMean("y"),
    "weighted": sash.WeightedMean("x", "y"),
    "variance": sash.Var("x"),
    "deviation": sash.Std("x", ddof=0),
    "skewness": sash.Skewness("x"),
    "kurtosis": sash.Kurtosis("x", bias=True),
    "covariance": sash.Covariance("x", "y"),
    "correlation": sash.Correlation("x", "y"),
    "rate": sash.Rate("x"),
    "held": sash.TimeWeightedMean("x"),
    "some": sash.Sum("x", where=sash.col("y") > 1),
}
#: What only the operator runs: windows with enough values, and those that do not slide.
PLAIN = {name: one for name, one in ADDED.items() if name != "some"}
BY_OPERATOR: list[tuple[Any, int | None]] = [(TimeWindow("20s"), 2), (TumblingWindow("20s"), None)]

numbers = st.one_of(
    st.floats(-1, 1), st.floats(-1e6, 1e6), st.floats(allow_nan=False), st.integers(-9, 9).map(lambda n: 1e12 + n / 8)
)
positive = st.one_of(st.floats(0.1, 10), st.floats(1e-200, 1e200))
#: When it comes after the one before it, how late it is, and its values; None for a label.
comings = st.lists(
    st.tuples(
        st.integers(0, 3), st.integers(0, 9), st.integers(0, 1), st.one_of(st.none(), st.tuples(numbers, positive))
    ),
    max_size=40,
)


def came(drawn: list[tuple[int, int, int, Any]]) -> tuple[pa.Table, list[int]]:
    """Rows in order of arrival, and when each came. Labels are not late."""
    clock, rows, arrivals = 0, [], []
    for after, late, key, values in drawn:
        # No event comes at the very time of a label, after it: it would have been known then.
        clock += 2 * after * SECOND + 2
        x, y = values or (None, None)
        rows.append({"k": key, "time": START + clock - (late * SECOND if values else 0), "x": x, "y": y})
        arrivals.append(START + clock)
    return pa.Table.from_pylist(rows, pa.schema(list(arrow_types(COLUMNS.fields).items()))), arrivals


def emitted(plan: sash.Plan, table: pa.Table, cuts: list[int], restart: bool) -> pa.Table:
    """What a bucket emits for the rows, in batches; with `restart` each finds a worker that knows nothing."""
    schema = table.schema
    clock = Clock(encode_array(pa.array([], schema.field("time").type))[0])
    types = arrow_types(output_fields(COLUMNS, plan, live=True))
    retain = 20 * SECOND if all(isinstance(window, TimeWindow) for window in plan.windows) else None
    job = Job("test", in_plain_values(plan), schema, types, clock, "drop", 1, retain)
    state, engines, results, newest = DictState(), EngineCache(), [], 0
    places = sorted({0, *(cut for cut in cuts if cut < table.num_rows)})
    for begin, end in zip(places, [*places[1:], table.num_rows], strict=True):
        part = table.slice(begin, end - begin)
        engines = EngineCache() if restart else engines
        results.append(Bucket(job, state, engines).rows([part], max(newest // 1000 - 10_000, 0)))
        newest = max([newest, *part.column("time").cast(pa.int64()).to_pylist()])
    return pa.concat_tables(results)


def bits(value: Any) -> Any:
    """A float by its bits, all NaNs alike."""
    if not isinstance(value, float):
        return value
    return "nan" if value != value else struct.pack("<d", value)


def check(drawn: Any, window: Any, over: Mapping[str, Any], least: int | None, cuts: list[int], restart: bool) -> None:
    table, arrivals = came(drawn)
    plan = sash.Plan(
        by="k", on="time", windows=window, aggregations=over, lateness="10s", emit="arrival", min_periods=least
    )
    labels = pa.array([x is None for x in table.column("x").to_pylist()], pa.bool_())
    stream = emitted(plan, table, cuts, restart).filter(labels)
    events = table.append_column("came", pa.array(arrivals, table.schema.field("time").type))
    whole = sash.Plan(by="k", on="time", windows=window, aggregations=over, min_periods=least)
    # Frames often have a finer unit.
    events = events.set_column(1, "time", events.column("time").cast(pa.timestamp("ns", "UTC")))
    then = sash.rolling(
        events.filter(pc.invert(labels)), whole, at=table.filter(labels).select(["k", "time"]), known="came"
    )
    for name in plan.outputs:
        ours, theirs = then.column(name).to_pylist(), stream.column(name).to_pylist()
        assert list(map(bits, ours)) == list(map(bits, theirs)), name


@given(comings, st.lists(st.integers(1, 39), max_size=4), st.booleans())
def test_labels_have_the_bits_of_the_stream(drawn: Any, cuts: list[int], restart: bool) -> None:
    """Over any floats, late and in any batches, and after restarts."""
    check(drawn, TimeWindow("20s"), ADDED, None, cuts, restart)


@pytest.mark.parametrize(("window", "least"), BY_OPERATOR, ids=["min_periods", "tumbling"])
@given(drawn=comings, cuts=st.lists(st.integers(1, 39), max_size=2), restart=st.booleans())
def test_labels_have_the_bits_of_the_operator(
    window: Any, least: int | None, drawn: Any, cuts: list[int], restart: bool
) -> None:
    """The same where a stream runs the operator."""
    check(drawn, window, PLAIN, least, cuts, restart)
