"""The columns of results before anything runs: their types, whether they may be null, and all that is wrong."""

from __future__ import annotations

import subprocess
import sys
from typing import Any

import pytest

import sash
from sash.extras import how_to_install

pytest.importorskip("pyspark", reason="needs PySpark: pip install 'sash[spark]'")

from pyspark.sql.types import (
    ArrayType,
    BinaryType,
    BooleanType,
    ByteType,
    DateType,
    DecimalType,
    DoubleType,
    FloatType,
    IntegerType,
    LongType,
    MapType,
    StringType,
    StructField,
    StructType,
    TimestampType,
)

from sash.spark.schema import output_fields

SCHEMA = StructType(
    [
        StructField("k", StringType()),
        StructField("t", TimestampType()),
        StructField("i", IntegerType()),
        StructField("b", BooleanType()),
        StructField("y", ByteType()),
        StructField("f", FloatType()),
        StructField("s", StringType()),
        StructField("d", DateType()),
        StructField("m", DecimalType(9, 2)),
        StructField("list", ArrayType(StringType())),
    ]
)
EXPECTED = [
    (sash.Count(), "bigint", False),
    (sash.Count("s"), "bigint", False),
    (sash.Sum("i"), "bigint", False),
    (sash.Sum("f"), "double", False),
    (sash.Sum("b"), "bigint", False),
    (sash.Product("y"), "bigint", False),
    (sash.Min("i"), "bigint", True),
    (sash.Max("f"), "double", True),
    (sash.Mean("i"), "double", True),
    (sash.Std("f"), "double", True),
    (sash.First("f"), "float", True),
    (sash.Last("m"), "decimal(9,2)", True),
    (sash.IthYoungest("d", i=2), "date", True),
    (sash.Mode("y"), "tinyint", True),
    (sash.ArgMax("i", "list"), "array<string>", True),
    (sash.ArgMax("i", ["s", "d"]), "struct<s:string,d:date>", True),
    (sash.Any("b"), "boolean", False),
    (sash.BitOr("i"), "bigint", False),
    (sash.Concat("s"), "string", True),
    (sash.Collect("d"), "array<date>", False),
    (sash.CountDistinct("list"), "bigint", False),
    (sash.CollectDistinct("s"), "array<string>", False),
    (sash.TopK("i"), "array<bigint>", False),
    (sash.TopK("f"), "array<double>", False),
    (sash.Delta("i"), "bigint", True),
    (sash.M4("f"), None, True),
    (sash.LongestIncreasingRun("i"), "struct<start:timestamp,end:timestamp,span:bigint,length:bigint>", True),
    (sash.Histogram("f"), "struct<below:bigint,bins:array<bigint>,above:bigint>", False),
    (sash.Histogram("f", outside=False), "array<bigint>", False),
    (sash.LinearRegression("i", "f"), "struct<slope:double,intercept:double,r_squared:double>", True),
    (sash.Quantiles("i"), "array<double>", True),
    (sash.Median("i"), "double", True),
    (sash.Rank("i"), "double", True),
    (sash.ApproxQuantiles("i"), "array<struct<rank:double,value:double,lower:double,upper:double>>", False),
    (sash.ApproxCountDistinct("s"), "struct<estimate:double,lower:double,upper:double>", False),
    (sash.FrequentItems("s"), "array<struct<item:string,estimate:bigint,lower:bigint,upper:bigint>>", False),
    (sash.Bloom("s"), "binary", False),
    (sash.Composite(n=sash.Count(), top=sash.Max("i")), "struct<n:bigint,top:bigint>", False),
]


def fields(schema: StructType = SCHEMA, types: Any = None, problems: Any = (), **parts: Any) -> list[StructField]:
    plan = sash.Plan(**{"by": "k", "on": "t", "windows": "1h", "aggregations": {"n": sash.Count()}, **parts})
    return output_fields(schema, plan, types, problems)


@pytest.mark.parametrize(("aggregation", "kind", "nullable"), EXPECTED, ids=lambda part: str(part)[:30])
def test_a_result_has_its_type(aggregation: sash.Aggregation, kind: str | None, nullable: bool) -> None:
    """Numbers are bigint or double, values keep the type of their column, records are structs."""
    (field,) = fields(aggregations={"out": aggregation})
    assert field.name == "out_1h"
    assert field.nullable == nullable
    if kind is not None:
        assert field.dataType.simpleString() == kind


@pytest.mark.parametrize("name", sorted(sash.aggregations.built_ins()))
def test_every_built_in_has_a_type(name: str) -> None:
    """None of them needs `types=`."""
    columns = {
        **dict.fromkeys(("ArgMin", "ArgMax", "WeightedMean", "Covariance", "Correlation", "LinearRegression"), "if"),
        **dict.fromkeys(("Any", "All"), "b"),
        "Concat": "s",
        "NaiveBayes": "si",
    }
    made = sash.aggregations.built_ins()[name](*columns.get(name, "i"))
    assert fields(aggregations={"out": made})[0].dataType.simpleString()


def test_too_few_values_make_every_result_nullable() -> None:
    """With min_periods a count may be missing too."""
    assert all(field.nullable for field in fields(min_periods=2))
    assert not any(field.nullable for field in fields(min_periods=0))


def test_everything_that_is_wrong_is_named_at_once() -> None:
    """Unknown columns, types that cannot be read, a time that is none, names that are taken, what the caller says."""
    wrong = {
        "a": sash.Sum("s"),
        "b": sash.Max("nowhere"),
        "c": sash.Concat("i"),
        "d": sash.Product("m"),
        "e": sash.Covariance("i", "s"),
        "f": sash.CollectDistinct("list"),
        "g": sash.Bloom("d"),
        "h": sash.BitOr("f"),
    }
    schema = StructType([*SCHEMA.fields, StructField("a_1h", LongType())])
    with pytest.raises(sash.PlanError) as caught:
        fields(schema, on="s", aggregations=wrong, problems=["what the caller says"], types={"z": "int"})
    text = str(caught.value)
    for part in (
        "in 12 ways",
        "what the caller says",
        "no column 'nowhere'",
        "a column 'a_1h' already",
        "column 's' is string: convert it first",
        "aggregation 'a': Sum(\"s\") reads numbers, and column 's' is string",
        "aggregation 'c': Concat(\"i\") reads text, and column 'i' is int",
        "column 'm' is decimal(9,2): cast it to double or, in units, to long",
        "aggregation 'e'",
        "aggregation 'f'",
        "aggregation 'g'",
        "aggregation 'h': BitOr(\"f\") reads integers, and column 'f' is float",
        "types: 'z' is no aggregation of the plan",
    ):
        assert part in text, text


def test_lengths_must_go_with_the_times() -> None:
    """A length in hours over plain numbers, a number over timestamps."""
    with pytest.raises(sash.PlanError, match="no unit of time"):
        fields(on="i")
    with pytest.raises(sash.PlanError, match="has no unit: write it as '5s'"):
        fields(windows=sash.TimeWindow(5))


def test_keys_and_measures_have_types_that_will_do() -> None:
    """A map is no key, a text is no measure."""
    schema = StructType([*SCHEMA.fields, StructField("map", MapType(StringType(), LongType()))])
    with pytest.raises(sash.PlanError, match=r"maps cannot be compared, and column .map. is map<string,bigint>"):
        fields(schema, by="map")
    with pytest.raises(sash.PlanError, match="measures by numbers, and column 's' is string"):
        fields(windows=sash.DeltaWindow("s", 3))
    assert fields(windows=sash.DeltaWindow("m", 3))


def test_the_type_of_ones_own_is_said_or_asked_for() -> None:
    """By the class, in `result`; by `types`, as text or as a type; otherwise the error says how."""
    own = sash.aggregation(combine=max, identity=0, column="i", name="greatest")
    with pytest.raises(sash.PlanError, match=r'aggregation .top.: the type .* types=\{"top": "double"\}'):
        fields(aggregations={"top": own})
    (field,) = fields(aggregations={"top": own}, types={"top": BinaryType()})
    assert (field.dataType, field.nullable) == (BinaryType(), True)

    class Halved(sash.Sum):
        result = "float"

        def lower(self, partial: Any) -> Any:
            return partial / 2

    assert fields(aggregations={"half": Halved("i")})[0].dataType == DoubleType()


def test_a_type_can_be_written_as_text(spark: Any) -> None:
    """In Spark's DDL; what is none is a problem of the plan."""
    (field,) = fields(types={"n": "decimal(12,1)"})
    assert field.dataType == DecimalType(12, 1)
    with pytest.raises(sash.PlanError, match=r"'no type' of 'n' is no type of Spark: \S"):
        fields(types={"n": "no type"})


def test_sash_alone_does_not_import_spark() -> None:
    """PySpark is imported by sash.spark only; without it that import says what to install."""
    code = (
        "import sys, sash; assert 'pyspark' not in sys.modules;"
        "sys.modules['pyspark'] = None\n"
        "try: import sash.spark\n"
        "except ImportError as error: print(error)"
    )
    text = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout
    assert text.strip() == f"sash.spark needs pyspark, which is not installed: {how_to_install('spark')}"
