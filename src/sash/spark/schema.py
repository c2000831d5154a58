"""What comes out of a plan over a DataFrame: its columns with their types, and all that is wrong, before it runs."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from itertools import product
from types import MappingProxyType
from typing import Final, NamedTuple, TypeAlias

import pyarrow as pa
from pyspark.errors import PySparkTypeError
from pyspark.sql import DataFrame
from pyspark.sql.pandas.types import to_arrow_type
from pyspark.sql.types import DataType, DoubleType, FloatType, IntegralType, LongType, StructField, StructType

from sash.aggregations.base import Aggregation, is_built_in
from sash.aggregations.composite import Composite
from sash.aggregations.filtered import Filtered, unfiltered
from sash.batch.engine import column_problems, read_problems, window_problems
from sash.batch.naming import output_name
from sash.batch.slides import BOUNDS, slides
from sash.errors import PlanError
from sash.plan import Plan
from sash.spark.column_kinds import collated, not_a_key, not_a_measure, not_a_time, wrong_columns
from sash.spark.opaque import in_plain_values
from sash.spark.reads import columns_read
from sash.spark.result_types import result_type
from sash.times import encode_array

__all__ = [
    "Types",
    "arrow_types",
    "crossing_problems",
    "name_problems",
    "not_compared",
    "output_fields",
    "settle",
    "slide_fields",
]

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
    read = set(columns_read(plain, list(columns)))
    found += crossing_problems(field for field in schema.fields if field.name in read)
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


def name_problems(
    df: DataFrame,
    plan: Plan,
    names: Mapping[str, str],
    *,
    offsets: Iterable[str] = ("",),
    added: Mapping[str, str] = MappingProxyType({}),
) -> list[str]:
    """Names that Spark cannot tell apart among all columns that come out, and names that are Sash's own.

    `df` has the columns that come out before the results. `names` are results under other names, `offsets` what follows
    the name of each, and `added` the columns that options add, with the options.

    >>> import sash
    >>> plan = sash.Plan(on="t", windows=3, aggregations={"n": sash.Count()})
    >>> name_problems(getfixture("spark").sql("select 2 t, 3 N_3"), plan, {})
    ["the DataFrame has a column 'N_3', and aggregation 'n' makes a column 'n_3': rename the aggregation"]
    """
    found = [
        f"the DataFrame has a column {name!r}, and names that begin with {OWN_NAMES} are Sash's own: rename it"
        for name in df.columns
        if name.lower().startswith(OWN_NAMES)
    ]
    told_apart = str(df.sparkSession.conf.get("spark.sql.caseSensitive")).lower() == "true"
    seen: dict[str, _Named] = {}
    for one in _names_that_come_out(df, plan, names, offsets, added):
        other = seen.setdefault(one.name if told_apart else one.name.lower(), one)
        if other is not one:
            found.append(f"{other.says}, and {one.says}: rename {one.rename or other.rename}")
    return found


class _Named(NamedTuple):
    """A column that comes out."""

    name: str
    #: Where it is from, as the beginning of a message.
    says: str
    #: What to rename; nothing where the name is fixed.
    rename: str = ""


def _names_that_come_out(
    df: DataFrame, plan: Plan, names: Mapping[str, str], offsets: Iterable[str], added: Mapping[str, str]
) -> Iterator[_Named]:
    """All of them, those of the plan last: it is the later of two names that is to be renamed."""
    # A column that is there twice is a problem of the schema.
    for name in plan.by if slides(plan) else dict.fromkeys(df.columns):
        yield _Named(name, f"the DataFrame has a column {name!r}", "the column")
    for name in BOUNDS if slides(plan) else ():
        yield _Named(name, f"a window that slides has a column {name!r}")
    for name, option in added.items():
        yield _Named(name, f"{option} adds a column {name!r}")
    for end, label, name in product(offsets, plan.labels, plan.aggregations):
        long = output_name(name, label)
        made = names.get(long, long) + end
        yield _Named(made, f"aggregation {name!r} makes a column {made!r}", "the aggregation")
    for name in plan.expressions:
        yield _Named(name, f"expression {name!r} makes a column {name!r}", "the expression")


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
    """The Arrow types of the columns by name, as they cross to Spark; instants are in the zone. `PlanError` names those
    that do not cross.

    >>> str(arrow_types(StructType().add("t", "timestamp").fields, "Europe/Berlin")["t"])
    'timestamp[us, tz=Europe/Berlin]'
    """
    known = list(fields)
    settle(crossing_problems(known))
    return {field.name: to_arrow_type(field.dataType, timezone=zone) for field in known}


def crossing_problems(fields: Iterable[StructField]) -> list[str]:
    """Which columns have a type that Spark does not pass to Python.

    >>> crossing_problems(StructType().add("t", "timestamp").add("v", "interval year to month").fields)
    ["column 'v' is interval year to month, which Spark does not pass to Python: cast it, or leave it out"]
    """
    return [
        f"column {field.name!r} is {field.dataType.simpleString()}, which Spark does not pass to Python: cast it, or"
        " leave it out"
        for field in fields
        if not _crosses(field.dataType)
    ]


def _crosses(kind: DataType) -> bool:
    try:
        to_arrow_type(kind, timezone="UTC")
    except PySparkTypeError:
        return False
    return True


def not_compared(name: str, kind: DataType) -> str | None:
    """Why values of the column are not compared as Spark does it; None if they are."""
    why = not_a_key(name, kind) if collated(kind) else None
    return None if why is None else why.removeprefix("by: ")


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
    if why := _wrong_condition(aggregation, columns) or wrong_columns(aggregation, columns):
        problems.append(f"aggregation {name!r}: {why}")
        return None
    if name in given:
        return given[name]
    try:
        return result_type(aggregation, columns, None if on is None else columns.get(on))
    except PlanError as error:
        problems.append(f"aggregation {name!r}: {error}".replace('{"name":', f'{{"{name}":'))
        return None


def _wrong_condition(aggregation: Aggregation, columns: Mapping[str, DataType]) -> str | None:
    """Why a condition, of the aggregation or of a member, cannot read a column; None if it can."""
    if isinstance(aggregation, Filtered):
        reads = aggregation.condition.columns
        whys = (f"where: {why}" for name in reads if (why := not_compared(name, columns[name])))
        return next(whys, None) or _wrong_condition(aggregation.inner, columns)
    members = aggregation.members.values() if isinstance(aggregation, Composite) else ()
    return next((why for one in members if (why := _wrong_condition(one, columns))), None)


def _nullable(aggregation: Aggregation, plan: Plan, said: bool) -> bool:
    """Whether a result may be null: there are too few values, or none, or nobody knows."""
    inner = unfiltered(aggregation)
    known = is_built_in(inner) or isinstance(inner, Composite)
    return bool(plan.min_periods) or said or not known or aggregation.empty is None
