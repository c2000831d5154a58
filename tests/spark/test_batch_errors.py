"""What is refused on the driver, and what an executor says when a value is bad."""

from __future__ import annotations

from typing import Any

import pytest

import sash

pytest.importorskip("pyspark", reason="needs PySpark: pip install 'sash[spark]'")

import sash.spark

COUNT = {"n": sash.Count()}
ONLY_A = {"n": sash.Count(where=sash.col("x") == "a")}
INTERVAL = "1 k, 2L t, interval '1-2' year to month v"
CROSSES = "column '.*' is interval year to month, which Spark does not pass to Python: cast it, or leave it out"


def plan(**parts: Any) -> sash.Plan:
    return sash.Plan(**{"by": "k", "on": "t", "windows": sash.TimeWindow(5), "aggregations": COUNT, **parts})


def rows(spark: Any, text: str = "1 k, 2L t, 3 x") -> Any:
    return spark.sql(f"select {text}")


@pytest.mark.parametrize("emit", ["arrival", "update"])
def test_a_batch_is_final(spark: Any, emit: Any) -> None:
    """Spark keeps no order of arrival, so only the whole window has a result."""
    with pytest.raises(sash.PlanError, match=f"emit='{emit}' is for streams"):
        sash.spark.rolling(rows(spark), plan(emit=emit))


def test_arguments_of_a_stream_are_refused_by_name(spark: Any) -> None:
    """Each kind of DataFrame has arguments of its own."""
    with pytest.raises(sash.PlanError, match="buckets= and initial= belongs to a stream"):
        sash.spark.rolling(rows(spark), plan(), buckets=3, initial=rows(spark))
    stream = spark.readStream.format("rate").load()
    with pytest.raises(sash.PlanError, match="split_skewed_keys= belongs to a batch"):
        sash.spark.rolling(stream, plan(), split_skewed_keys=3)


def test_what_is_no_data_frame_is_refused(spark: Any) -> None:
    """Other frames have another door, and a plan is a plan."""
    with pytest.raises(TypeError, match=r"sash\.rolling takes other frames"):
        sash.spark.rolling({"k": [1]}, plan())  # type: ignore[arg-type]
    with pytest.raises(TypeError, match=r"plan is a sash\.Plan, not dict"):
        sash.spark.rolling(rows(spark), {})  # type: ignore[arg-type]
    with pytest.raises(sash.PlanError, match="leave out window=, on=, or the plan"):
        sash.spark.rolling(rows(spark), plan(), window=3, on="t")


def test_parts_of_a_plan_are_taken_as_frames_take_them(spark: Any) -> None:
    """One window: columns are called as the aggregations are. Several: each name is followed by its window."""
    df = rows(spark, "1 k, explode(array(2L, 3L, 9L)) t, 3 x")
    one = sash.spark.rolling(df, on="t", by="k", window=sash.TimeWindow(5), s=sash.Sum("x"))
    assert [tuple(row) for row in one.sort("t").collect()] == [(1, 2, 3, 3), (1, 3, 3, 6), (1, 9, 3, 3)]
    assert one.columns == ["k", "t", "x", "s"]
    two = sash.spark.rolling(df, on="t", by="k", window=[1, 2], min_periods=2, s=sash.Sum("x"))
    assert two.columns == ["k", "t", "x", "s_1", "s_2"]
    with pytest.raises(sash.PlanError, match="aggregation 'x' makes a column 'x': rename the aggregation"):
        sash.spark.rolling(df, on="t", by="k", window=2, x=sash.Sum("x"))
    with pytest.raises(sash.PlanError, match="window is missing"):
        sash.spark.rolling(df, on="t", s=sash.Sum("x"))


@pytest.mark.parametrize(
    ("text", "parts", "why"),
    [
        ("1 k, 2L t, 3 N_5", {}, "column 'N_5', and aggregation 'n' makes a column 'n_5': rename the aggregation"),
        ("1 k, 2L t, 3 __sash_place", {}, "names that begin with __sash are Sash's own"),
        ("'a' collate UTF8_LCASE k, 2L t", {}, "text is compared by its bytes here, and column 'k' is string collate"),
        ("array('a' collate UTF8_LCASE) k, 2L t", {}, "text is compared by its bytes here"),
        ("1 k, 2L t, 'a' collate UTF8_LCASE x", {"aggregations": {"d": sash.CountDistinct("x")}}, "by its bytes here"),
        ("1 k, 2L t, 'a' collate UTF8_LCASE x", {"aggregations": ONLY_A}, "'n': where: text is compared by its bytes"),
        ("1 k, 2L t, 'a' collate UTF8_LCASE x", {"aggregations": {"c": sash.Composite(**ONLY_A)}}, "'c': where: text"),
    ],
)
def test_names_and_texts_that_spark_sees_otherwise_are_refused(spark: Any, text: str, parts: Any, why: str) -> None:
    """On the driver, before anything runs."""
    with pytest.raises(sash.PlanError, match=why):
        sash.spark.rolling(rows(spark, text), plan(**parts))


@pytest.mark.parametrize("option", ["retract", "id"])
def test_collated_text_takes_no_row_back(spark: Any, option: str) -> None:
    """Rows are found again by the bytes of their ids, and words of changes are known by theirs."""
    stream = spark.readStream.format("rate").load()
    stream = stream.selectExpr("1 k", "timestamp t", "'a' collate UTF8_LCASE x", "'insert' op")
    columns = {"retract": "op", "id": "x"} if option == "id" else {"retract": "x"}
    with pytest.raises(sash.PlanError, match=f"{option}: text is compared by its bytes here, and column 'x' is"):
        sash.spark.rolling(stream, plan(windows="10s", lateness="1s"), **columns)


def test_types_that_do_not_cross_to_python_are_refused_where_they_would_have_to(spark: Any) -> None:
    """A column that no plan reads stays in Spark, if the rows do: those of streams and of labels do not."""
    df = rows(spark, INTERVAL)
    kept = sash.spark.rolling(df, plan()).selectExpr("n_5", "cast(v as string) v")
    assert kept.collect() == [(1, "INTERVAL '1-2' YEAR TO MONTH")]
    for parts in ({"by": "v"}, {"aggregations": {"n": sash.Count("v")}}, {"aggregations": {"n": sash.Last("v")}}):
        with pytest.raises(sash.PlanError, match=CROSSES):
            sash.spark.rolling(df, plan(**parts))
    with pytest.raises(sash.PlanError, match=CROSSES):
        sash.spark.rolling(df, plan(expressions={"half": sash.col("n_5") / 2}))
    with pytest.raises(sash.PlanError, match=CROSSES):
        sash.spark.rolling(rows(spark), plan(), at=df)
    stream = spark.readStream.format("rate").load().selectExpr("1 k", "timestamp t", "interval '1-2' year to month v")
    with pytest.raises(sash.PlanError, match=CROSSES):
        sash.spark.rolling(stream, plan(windows="10s", lateness="1s"))


def test_history_may_differ_in_what_is_never_null(spark: Any) -> None:
    """Rows from before a stream have its types; whether their lists may hold nulls does not matter."""
    stream = spark.readStream.format("rate").load().selectExpr("1 k", "timestamp t", "array(value) a")
    past = rows(spark, "1 k, now() t, array(1L) a")
    assert stream.schema["a"] != past.schema["a"]
    found = sash.spark.rolling(stream, plan(windows="10s", lateness="1s"), initial=past)
    assert found.columns == ["k", "t", "a", "n_10s"]
    with pytest.raises(sash.PlanError, match="initial= has array<int> in 'a', not array<bigint>"):
        sash.spark.rolling(stream, plan(windows="10s", lateness="1s"), initial=rows(spark, "1 k, now() t, array(1) a"))


LATE = {"on_late": "keep"}
ERROR = {"on_error": "keep"}
REVISED = {"emit": "update"}
SLIDES = {"every": "5s"}


@pytest.mark.parametrize(
    ("column", "options", "made", "why"),
    [
        ("Late", LATE, "n", "a column 'Late', and on_late=.keep. adds a column 'late': rename the column"),
        ("Error", ERROR, "n", "a column 'Error', and on_error=.keep. adds a column 'error': rename the column"),
        ("Revision", REVISED, "n", "a column 'Revision', and emit=.update. adds a column .*: rename the column"),
        ("x", LATE, "late", "on_late=.keep. adds a column 'late', and aggregation 'late' makes .*: rename the agg"),
        ("x", ERROR, "Error", "on_error=.keep. adds a column 'error', and aggregation 'Error' makes a column 'Error'"),
        ("x", REVISED, "revision", "emit=.update. adds a column 'revision', and aggregation 'revision' makes"),
        ("x", SLIDES, "Window_End", "slides has a column 'window_end', and aggregation 'Window_End' makes"),
        ("x", SLIDES, "k", "the DataFrame has a column 'k', and aggregation 'k' makes a column 'k': rename the agg"),
        ("x", SLIDES, "K", "the DataFrame has a column 'k', and aggregation 'K' makes a column 'K': rename the agg"),
        ("Window_End", SLIDES | {"by": "Window_End"}, "n", "column 'Window_End', and a window .*: rename the column"),
        ("K", {}, "n", "has a column 'k', and the DataFrame has a column 'K': rename the column"),
    ],
)
def test_names_of_a_stream_that_spark_cannot_tell_apart_are_refused(
    spark: Any, column: str, options: dict[str, Any], made: str, why: str
) -> None:
    """Whatever two columns come from, if their names differ in case at most, the error says what to rename."""
    stream = spark.readStream.format("rate").load().selectExpr("value k", "timestamp t", f"value {column}")
    parts = {"on": "t", "by": "k", "window": "10s", "lateness": "1s", made: sash.Count(), **options}
    with pytest.raises(sash.PlanError, match=why):
        sash.spark.rolling(stream, **parts)


def test_a_column_of_a_batch_is_not_lost_to_a_reason(spark: Any) -> None:
    """Kept rows say why in `late`: a column of that name in another case is refused, and so is a result."""
    with pytest.raises(sash.PlanError, match=r"column 'LATE', and on_late=.keep. adds a column 'late'"):
        sash.spark.rolling(rows(spark, "1 k, 2L t, 42 LATE"), plan(), on_late="keep")
    with pytest.raises(sash.PlanError, match="aggregation 'late' makes a column 'late': rename the aggregation"):
        sash.spark.rolling(rows(spark), on="t", by="k", window=sash.TimeWindow(5), late=sash.Count(), on_late="keep")
    # Names that results have for a while only are no reason to refuse.
    df = rows(spark, "1 k, explode(array(2L, null)) t, 3 N_5")
    kept = sash.spark.rolling(df, on="t", by="k", window=sash.TimeWindow(5), n=sash.Count(), on_late="keep")
    assert sorted(map(str, map(tuple, kept.collect()))) == ["(1, 2, 3, 1, None)", "(1, None, 3, None, 'no time')"]


def test_a_session_that_sees_case_tells_names_apart_by_it(spark: Any) -> None:
    """There `LATE` and `late` are two columns, and only equal names are refused."""
    spark.conf.set("spark.sql.caseSensitive", "true")
    try:
        (kept,) = sash.spark.rolling(rows(spark, "1 k, 2L t, 42 LATE"), plan(), on_late="keep").collect()
        assert tuple(kept) == (1, 2, 42, 1, None)
        with pytest.raises(sash.PlanError, match="column 'late', and on_late"):
            sash.spark.rolling(rows(spark, "1 k, 2L t, 42 late"), plan(), on_late="keep")
    finally:
        spark.conf.unset("spark.sql.caseSensitive")


def test_workers_on_this_machine_run_this_interpreter(spark: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    """A session that `configure` never saw has whichever python3 is on the path: that need not have the package."""
    monkeypatch.delenv("PYSPARK_PYTHON")
    monkeypatch.setattr(spark.sparkContext, "pythonExec", "python-of-nobody")
    assert [row.n_5 for row in sash.spark.rolling(rows(spark), plan()).collect()] == [1]
    assert spark.sparkContext.pythonExec == "python-of-nobody", "other functions keep theirs"


def test_a_session_that_is_configured_late_runs_this_interpreter(spark: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    """It has begun with whichever python3 is on the path, and the line that streams need does not change that."""
    monkeypatch.delenv("PYSPARK_PYTHON")
    monkeypatch.setattr(spark.sparkContext, "pythonExec", "python-of-nobody")
    sash.spark.configure(spark)
    assert [row.n_5 for row in sash.spark.rolling(rows(spark), plan()).collect()] == [1]


def test_rows_without_a_time_can_be_dropped_or_kept(spark: Any) -> None:
    """As in a stream: they come out without results, and with the reason."""
    df = rows(spark, "1 k, explode(array(2L, null)) t, 3 x")
    assert [row.n_5 for row in sash.spark.rolling(df, plan(), on_late="drop").collect()] == [1]
    kept = sash.spark.rolling(df, plan(), on_late="keep").collect()
    assert sorted((row.t or 0, row.n_5, row.late) for row in kept) == [(0, None, "no time"), (2, 1, None)]
    with pytest.raises(sash.PlanError, match="on_late is 'drop' or 'keep'"):
        sash.spark.rolling(df, plan(), on_late="hide")  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("text", "aggregations", "why"),
    [
        (
            "1 k, cast(null as long) t, 3 x",
            COUNT,
            "ValueError: the row with k=1, t=None: column 't': a null is no time",
        ),
        ("1 k, double('nan') t, 3 x", COUNT, "ValueError: the row with k=1, t=nan: column 't': NaN is no time"),
        ("1 k, 2L t, -3.0D x", {"g": sash.GeometricMean("x")}, "no negative numbers"),
        ("1 k, 2L t, explode(array(9223372036854775807, 1)) x", {"s": sash.Sum("x")}, "OverflowError"),
        ("1 k, 2L t, double('nan') x", {"s": sash.Sum("x", nan="error")}, 'nan="error" was asked for'),
    ],
)
def test_a_bad_value_is_refused_as_it_would_be_in_process(spark: Any, text: str, aggregations: Any, why: str) -> None:
    """The rule, the column and the aggregation, out of the executor."""
    with pytest.raises(Exception, match="(?s)" + why.replace('"', ".")):
        sash.spark.rolling(rows(spark, text), plan(aggregations=aggregations)).collect()


def test_a_result_that_does_not_fit_its_type_is_named(spark: Any) -> None:
    """What `types` promised must hold."""
    own = sash.aggregation(combine=lambda a, b: b, identity="", lift=str, column="x")
    with pytest.raises(Exception, match="column 'own_5' is int64, and a result does not fit"):
        sash.spark.rolling(rows(spark), plan(aggregations={"own": own}), types={"own": "bigint"}).collect()


def test_a_plan_is_explained_before_it_runs(spark: Any) -> None:
    """explain: what is shuffled, sorted, retained and made; nothing runs."""
    df = spark.range(9).selectExpr("id % 2 k", "id t", "1/(id - id) x")
    text = sash.spark.explain(df, plan(windows=[sash.TimeWindow(5), 7]))
    assert "shuffle: by 'k'" in text
    assert "Rows with equal times keep the order of the input" in text
    assert "longest window (5, 7 rows)" in text
    assert "n_5 bigint, n_7 bigint" in text
    ready = df.repartition("k").sortWithinPartitions("k", "t")
    text = sash.spark.explain(ready, plan())
    assert "shuffle: none" in text
    assert "sort: none" in text
    assert "keys of more than 3 rows are split" in sash.spark.explain(ready, plan(), split_skewed_keys=3)
    assert "split_skewed_keys= splits it" in sash.spark.explain(df, plan(by=None))
    assert "since the oldest of its windows began" in sash.spark.explain(df, plan(windows=sash.SessionWindow(2)))
    slides = sash.spark.explain(df, plan(windows=sash.TimeWindow(5, every=2)))
    assert "one row for each key and end" in slides
    assert "window_start bigint, window_end bigint, n_5 bigint" in slides
