"""What comes out of a plan over a DataFrame: its columns with their types, and all that is wrong, before it runs."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Final, TypeAlias

import pyarrow as pa
from pyspark.sql import DataFrame
from pyspark.sql.pandas.types import to_arrow_type
from pyspark.sql.types import DataType, DoubleType, FloatType, IntegralType, LongType, StructField, StructType

from sash.aggregations.base import Aggregation, is_built_in
from sash.aggregations.composite import Composite
from sash.aggregations.filtered import unfiltered
from sash.batch.engine import column_problems, read_problems, window_problems
from sash.batch.naming import output_name
from sash.batch.slides import BOUNDS, slides
from sash.errors import PlanError
from sash.plan import Plan
from sash.spark.column_kinds import not_a_key, not_a_measure, not_a_time, wrong_columns
from sash.spark.opaque import in_plain_values
from sash.spark.result_types import result_type
from sash.times import encode_array

__all__ = ["Types", "arrow_types", "name_problems", "output_fields", "settle", "slide_fields"]

#: What the names of columns begin with that are there while a plan runs.
OWN_NAMES: Final = "__sash"
#: The types of results by the name of the aggregation, as text of Spark's DDL or as types.
Types: TypeAlias = Mapping[str, str | DataType]


def output_fields(
    schema: StructType,
    plan: Plan,
    types: Types | None = None,
    problems: Iterable[str] = (),
    *,
    beside: bool = True,
    live: bool = False,
) -> list[StructField]:
    """The columns that the plan makes, with their types and whether they may be null; `beside` those that it reads, or
    elsewhere; of a stream, which is `live`, or not.

    `PlanError` names everything in which the plan does not fit the schema, after the problems that are known already.
    Cost: O(columns + windows * aggregations).

    >>> import sash
    >>> plan = sash.Plan(on="t", windows=sash.TimeWindow(5), aggregations={"n": sash.Count(), "peak": sash.Max("x")})
    >>> [(field.name, field.dataType.simpleString(), field.nullable)
    ...  for field in output_fields(StructType().add("t", "long").add("x", "float"), plan)]
    [('n_5', 'bigint', False), ('peak_5', 'double', True)]
    >>> output_fields(StructType().add("t", "string").add("y", "float"), plan)
    Traceback (most recent call last):
    ...
    sash.errors.PlanError: the plan does not fit the DataFrame in 2 ways:
    - the frame has no column 'x': there is 't', 'y'
    - on: a time is a timestamp, timestamp_ntz, date, integer or float, and column 't' is string: convert it first
    """
    columns = {field.name: field.dataType for field in schema.fields}
    plain = in_plain_values(plan)
    found = [*problems, *_duplicates(schema)]
    found += column_problems(list(columns), plain, {}, live=live) if beside else read_problems(list(columns), plain)
    found += _time_problems(columns, plan)
    found += [why for name in plan.by if name in columns and (why := not_a_key(name, columns[name]))]
    found += [why for window in plan.windows if (why := not_a_measure(window, columns))]
    given = _given(types or {}, plan, found)
    kinds = {name: _kind(name, one, columns, plan.on, given, found) for name, one in plan.aggregations.items()}
    settle(found)
    return [
        StructField(output_name(name, label), kinds[name] or DataType(), _nullable(one, plan, name in given))
        for label in plan.labels
        for name, one in plan.aggregations.items()
    ]


def name_problems(df: DataFrame, plan: Plan, names: Mapping[str, str]) -> list[str]:
    """Names that Spark cannot tell apart, and names that are Sash's own. `names` are columns under other names."""
    found = [
        f"the DataFrame has a column {name!r}, and names that begin with {OWN_NAMES} are Sash's own: rename it"
        for name in df.columns
        if name.lower().startswith(OWN_NAMES)
    ]
    beside = [] if slides(plan) else df.columns
    found += [f"the DataFrame has a column {name!r} already: rename it" for name in names.values() if name in beside]
    if str(df.sparkSession.conf.get("spark.sql.caseSensitive")).lower() == "true":
        return found
    seen = {name.lower(): name for name in beside}
    for name in (names.get(name, name) for name in plan.outputs):
        other = seen.setdefault(name.lower(), name)
        if other != name:
            found.append(
                f"the columns {other!r} and {name!r} differ only in case, which Spark does not see: rename one"
            )
    return found


def slide_fields(schema: StructType, plan: Plan) -> list[StructField]:
    """The columns that say where the windows of a plan with slides lie; numbers are as wide as they may get.

    >>> import sash
    >>> plan = sash.Plan(on="t", windows=sash.TimeWindow(10, every=5), aggregations={"n": sash.Count()})
    >>> [(field.name, field.dataType.simpleString()) for field in slide_fields(StructType().add("t", "integer"), plan)]
    [('window_start', 'bigint'), ('window_end', 'bigint')]
    """
    kind = schema[str(plan.on)].dataType
    wide = LongType() if isinstance(kind, IntegralType) else DoubleType() if isinstance(kind, FloatType) else kind
    return [StructField(name, wide, nullable=False) for name in BOUNDS]


def arrow_types(fields: Iterable[StructField], zone: str = "UTC") -> dict[str, pa.DataType]:
    """The Arrow types of the columns by name, as they cross to Spark; instants are in the zone.

    >>> str(arrow_types(StructType().add("t", "timestamp").fields, "Europe/Berlin")["t"])
    'timestamp[us, tz=Europe/Berlin]'
    """
    return {field.name: to_arrow_type(field.dataType, timezone=zone) for field in fields}


def settle(problems: list[str]) -> None:
    """Raise `PlanError` with all problems, if there are any."""
    if len(problems) == 1:
        raise PlanError(problems[0])
    if problems:
        raise PlanError("\n- ".join([f"the plan does not fit the DataFrame in {len(problems)} ways:", *problems]))


def _duplicates(schema: StructType) -> list[str]:
    names = [field.name for field in schema.fields]
    twice = dict.fromkeys(name for name in names if names.count(name) > 1)
    return [f"the DataFrame has the column {name!r} twice: rename one of them" for name in twice]


def _time_problems(columns: Mapping[str, DataType], plan: Plan) -> list[str]:
    if plan.on not in columns:
        return [] if plan.on is not None else window_problems(None, plan)
    name, kind = str(plan.on), columns[str(plan.on)]
    if why := not_a_time(name, kind):
        return [why]
    return window_problems(encode_array(pa.array([], to_arrow_type(kind, timezone="UTC")))[0], plan)


def _given(types: Types, plan: Plan, problems: list[str]) -> dict[str, DataType]:
    """The types that the user says, read."""
    given: dict[str, DataType] = {}
    for name, kind in types.items():
        if name not in plan.aggregations:
            known = ", ".join(map(repr, plan.aggregations))
            problems.append(f"types: {name!r} is no aggregation of the plan: it has {known}")
            continue
        try:
            given[name] = kind if isinstance(kind, DataType) else DataType.fromDDL(kind)
        except Exception as error:
            why = (str(error).strip() or type(error).__name__).splitlines()[0]
            problems.append(f"types: {kind!r} of {name!r} is no type of Spark: {why:.120}")
    return given


def _kind(
    name: str,
    aggregation: Aggregation,
    columns: Mapping[str, DataType],
    on: str | None,
    given: Mapping[str, DataType],
    problems: list[str],
) -> DataType | None:
    """The type of an aggregation's results; None, and a problem, if it has none."""
    if not set(aggregation.columns) <= set(columns) or (aggregation.timed and on not in columns):
        return None
    if why := wrong_columns(aggregation, columns):
        problems.append(f"aggregation {name!r}: {why}")
        return None
    if name in given:
        return given[name]
    try:
        return result_type(aggregation, columns, None if on is None else columns.get(on))
    except PlanError as error:
        problems.append(f"aggregation {name!r}: {error}".replace('{"name":', f'{{"{name}":'))
        return None


def _nullable(aggregation: Aggregation, plan: Plan, said: bool) -> bool:
    """Whether a result may be null: there are too few values, or none, or nobody knows."""
    inner = unfiltered(aggregation)
    known = is_built_in(inner) or isinstance(inner, Composite)
    return bool(plan.min_periods) or said or not known or aggregation.empty is None
