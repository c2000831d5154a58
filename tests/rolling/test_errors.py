"""What goes wrong in a frame names the row, its key, its value, the aggregation and the rule; and the word to use."""

import numpy as np
import pandas as pd
import pytest

import sash
from sash.errors import PlanError

LARGE = 2**62
FRAME = pd.DataFrame({"t": [1, 2, 3], "card": ["a", "b", "b"], "x": [1, LARGE, LARGE], "s": ["p", 4, "q"]})


@pytest.mark.parametrize("make", [pd.DataFrame, lambda frame: {name: frame[name].to_numpy() for name in frame}])
def test_a_result_that_does_not_fit(make):
    """Is an error that names the row, its key and its value."""
    with pytest.raises(OverflowError) as caught:
        sash.rolling(make(FRAME), on="t", by="card", window=sash.TimeWindow(5), total=sash.Sum("x"))
    for words in ("does not fit in 64 bits", "row 2", "'card' is 'b'", f"'x' is {LARGE}", "'total', Sum(\"x\")"):
        assert words in str(caught.value)


def test_a_value_of_the_wrong_type():
    """The first row whose value the aggregation refuses."""
    with pytest.raises(TypeError) as caught:
        sash.rolling(FRAME, on="t", by="card", window=sash.TimeWindow(5), all=sash.Concat("s"))
    for words in ("a text is needed", "row 1", "'card' is 'b'", "'s' is 4", "'all', Concat(\"s\")"):
        assert words in str(caught.value)


def test_an_aggregation_of_your_own_that_fails():
    """Whatever it raises keeps its type."""

    class Fussy(sash.Aggregation):
        identity = 0

        def lift(self, value):
            raise LookupError("not that one") if value == 4 else ValueError(value)

    frame = {"s": np.array([4, 4])}
    with pytest.raises(LookupError, match="not that one") as caught:
        sash.rolling(frame, window=2, n=Fussy("s"))
    assert "row 0" in "".join(caught.value.__notes__)


@pytest.mark.parametrize(
    ("given", "words"),
    [
        ("sum", r"'sum' is a name: write sash.Sum\(\"amount\"\)"),
        (sash.Sum, r"Sum is a class: write Sum\(\"amount\"\)"),
        (("x", "mean"), r"'mean' is a name: write sash.Mean\(\"x\"\)"),
        (max, r"'max' is a function: write sash.Max\(\"amount\"\)"),
        (sash.aggregation(combine=max, identity=0), 'column="amount"'),
        (3, "an aggregation is needed"),
    ],
    ids=repr,
)
def test_what_is_no_aggregation_is_told_what_to_write(given, words):
    """By name, as a class, as pandas writes it."""
    with pytest.raises(PlanError, match=words):
        sash.rolling(FRAME, window=2, out=given)


def test_an_own_aggregation_without_a_column_is_told_how_to_name_one():
    """The advice works."""

    class Mine(sash.Sum):
        pass

    class Other(sash.Aggregation):
        def __init__(self, power):
            self.power = power

    with pytest.raises(PlanError, match=r'write Mine\("amount"\)'):
        sash.rolling(FRAME, window=2, out=Mine())
    assert sash.rolling(FRAME, window=1, out=Mine("x"))["out"].tolist() == FRAME["x"].tolist()
    with pytest.raises(PlanError, match=r"super\(\).__init__\(column\)"):
        sash.rolling(FRAME, window=2, out=Other(2))


def test_columns_that_are_not_there():
    """Each with the nearest that is."""
    with pytest.raises(PlanError, match="no column 'crad': did you mean 'card'"):
        sash.rolling(FRAME, by="crad", window=2, out=sash.Sum("x"))
    moments = {"time": np.array(["2024-05-01"], "datetime64[s]"), "x": np.array([1])}
    with pytest.raises(PlanError, match=r"Sum\(\"time\"\) reads numbers.*subtract"):
        sash.rolling(moments, on="time", window="1h", out=sash.Sum("time"))


def test_a_frame_of_spark_is_sent_to_its_door():
    """Whatever class of PySpark it is."""
    frame = type("DataFrame", (), {"__module__": "pyspark.sql.classic.dataframe"})()
    with pytest.raises(TypeError, match=r"write sash.spark.rolling\(df, plan\)"):
        sash.rolling(frame, window=2, out=sash.Sum("x"))
