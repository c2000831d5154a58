"""A plan is checked as a whole when it is made, says what it does, and survives being written down."""

from __future__ import annotations

import dataclasses
import math
import pickle
import subprocess
import sys
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

import sash
from sash.errors import PlanError
from sash.expressions import Expression
from sash.plan import Plan
from sash.windows import CountWindow, SessionWindow, TimeWindow, TumblingWindow

SPENT = {"spent": sash.Sum("amount")}


def test_all_problems_are_named_at_once() -> None:
    """Who writes a plan with five mistakes need not run it five times."""
    with pytest.raises(PlanError) as caught:
        Plan(
            by=["card", "card"],
            on=7,
            windows=["1h", "1h", "x"],
            aggregations={"a": sash.Sum(), "b": 3},  # type: ignore[arg-type, dict-item]
            emit="soon",
            closed="ajar",
            min_periods=-1,
            peers="yes",
            lateness="long",  # type: ignore[arg-type]
        )
    message = str(caught.value)
    for part in (
        "'card' twice",
        "on is the name",
        "TimeWindow('1h') is there twice",
        "'x' is no window",
        "names no column",
        "'b': an aggregation is needed",
        "emit is 'final'",
        "closed is 'right'",
        "min_periods is",
        "peers is",
        "lateness:",
    ):
        assert part in message, part
    assert "the plan has" in message


@pytest.mark.parametrize(
    ("parts", "message"),
    [
        ({"windows": []}, "at least one"),
        ({"windows": "1h", "on": None}, "needs the column of times"),
        ({"windows": 2.5}, "no number of events"),
        ({"windows": True}, "no window"),
        ({"windows": TimeWindow(5), "closed": "left"}, r"closed='left' is for .* write TimeWindow\(length, closed="),
        ({"windows": [TimeWindow(5), 5]}, "columns of one name"),
        ({"aggregations": {}}, "at least one by name"),
        ({"aggregations": {"a": sash.Sum("a_1h")}}, "is read too"),
        ({"expressions": ["share"]}, "give each by name"),
        ({"expressions": {"share": 3}}, "expression 'share': 3 is none: write it with sash.col"),
        ({"expressions": {"spent_1h": sash.col("spent_1h") * 2}}, "'spent_1h' would be made twice"),
        ({"aggregations": {"a": sash.Sum("x"), "a_1h": sash.Sum("x")}, "windows": ["1h", "1h"]}, "twice"),
    ],
)
def test_one_problem_is_told_in_a_line(parts: dict[str, Any], message: str) -> None:
    """The message names the part, the value and the way out."""
    whole = {"on": "t", "windows": "1h", "aggregations": SPENT, **parts}
    with pytest.raises(PlanError, match=message):
        Plan(**whole)


def test_a_plan_is_frozen_and_compares_by_its_parts() -> None:
    """Plans can be keys and constants."""
    plan = Plan(by="card", on="t", windows=["1h"], aggregations=SPENT)
    assert plan == Plan(by=["card"], on="t", windows=TimeWindow("1h"), aggregations=dict(SPENT))
    assert hash(plan) == hash(Plan(by=["card"], on="t", windows="1h", aggregations=SPENT))
    assert plan != Plan(by="card", on="t", windows=["2h"], aggregations=SPENT)
    with pytest.raises(dataclasses.FrozenInstanceError):
        plan.on = "u"  # type: ignore[misc]
    with pytest.raises(TypeError):
        plan.aggregations["more"] = sash.Count()  # type: ignore[index]


def test_windows_are_called_as_they_were_written() -> None:
    """Who writes 24h looks for a column with 24h in its name, also after it was written down and read again."""
    plan = Plan(on="t", windows=["24h", "7d", "1 h 30 m"], aggregations=SPENT)
    assert list(plan.outputs) == ["spent_24h", "spent_7d", "spent_1h30m"]
    assert list(Plan.from_toml(plan.to_toml()).outputs) == list(plan.outputs)


def test_the_repr_makes_the_plan_again() -> None:
    """What is printed can be pasted."""
    plan = Plan(
        by=["a", "b"], on="t", windows=["1h", 100], aggregations=SPENT, min_periods=2, lateness="5m", peers=False
    )
    names = {"Plan": Plan, "TimeWindow": TimeWindow, "CountWindow": CountWindow, "Sum": sash.Sum}
    assert eval(repr(plan), names) == plan


EXPRESSIONS = [
    sash.col("spent_1h") / sash.col("spent_1d"),
    (sash.col("a b") - 1.5 > -2) & ~sash.col("shop").is_in(["x", "it's"]) | sash.col("n_1h").is_null(),
    sash.col("spent_1h") * math.inf,
]


@pytest.mark.parametrize("expression", EXPRESSIONS, ids=repr)
def test_expressions_are_part_of_a_plan(expression: Expression) -> None:
    """It is equal to one with the same, and to no other; written down, pickled and described it has them again."""
    plan = Plan(on="t", windows="1h", aggregations=SPENT, expressions={"share": expression})
    for again in (Plan.from_toml(plan.to_toml()), Plan.from_dict(plan.to_dict()), pickle.loads(pickle.dumps(plan))):
        assert again == plan
        assert hash(again) == hash(plan)
        assert again.expressions["share"].same(expression)
    assert plan != Plan(on="t", windows="1h", aggregations=SPENT)
    assert plan != Plan(on="t", windows="1h", aggregations=SPENT, expressions={"share": expression + 1})
    assert f"share = {expression!r}" in plan.explain()


@pytest.mark.parametrize(
    "text", ["", "1 +", "f(x)", "a < b < c", "x ** 2", "x.y", "None", "a and b", "__import__('os')"]
)
def test_a_text_that_is_no_expression_is_refused(text: str) -> None:
    """With what may be written, and under its name; nothing in it is run."""
    with pytest.raises(PlanError, match=r"expression 'share': .* is no expression: write columns by name"):
        Plan.from_dict({"windows": 3, "aggregations": {"n": {"name": "Count"}}, "expressions": {"share": text}})


def test_columns_and_outputs() -> None:
    """What it reads, each once, and what it makes, in order."""
    plan = Plan(
        by="card",
        on="t",
        windows=["1h", 10],
        aggregations={**SPENT, "where": sash.ArgMax("amount", "shop"), "n": sash.Count()},
    )
    assert plan.columns == ("card", "t", "amount", "shop")
    assert plan.outputs == {
        "spent_1h": "int or float",
        "where_1h": "a value of 'shop'",
        "n_1h": "int",
        "spent_10": "int or float",
        "where_10": "a value of 'shop'",
        "n_10": "int",
    }


AGGREGATIONS = st.dictionaries(
    st.text(min_size=1, max_size=5).filter(lambda name: name.isprintable()),
    st.sampled_from(
        [sash.Sum("x", nan="error"), sash.Concat("s", separator='"\\\n\x7f'), sash.ArgMax("x", "s"), sash.Count()]
    ),
    min_size=1,
    max_size=4,
)
WINDOWS = st.lists(
    st.sampled_from(
        [
            "90s",
            "7d",
            100,
            TimeWindow(2.5),
            TimeWindow("2h", closed="left"),
            SessionWindow("30m"),
            TumblingWindow(count=3),
        ]
    ),
    min_size=1,
    max_size=4,
    unique_by=repr,
)


@given(AGGREGATIONS, WINDOWS, st.sampled_from(["right", "both"]), st.sampled_from([None, "5m", 3]), st.booleans())
def test_a_plan_survives_being_written_down(named: Any, windows: Any, closed: Any, lateness: Any, peers: bool) -> None:
    """As a dictionary of plain values and as TOML, whatever its names."""
    windows = [*windows, "45s"]  # the one that is closed as the plan says
    plan = Plan(by="k", on="t", windows=windows, aggregations=named, closed=closed, lateness=lateness, peers=peers)
    assert Plan.from_dict(plan.to_dict()) == plan
    assert Plan.from_toml(plan.to_toml()) == plan
    assert pickle.loads(pickle.dumps(plan)) == plan


def test_a_written_plan_with_mistakes_names_them() -> None:
    """An unknown part, a missing one and an unknown aggregation are three problems."""
    with pytest.raises(PlanError) as caught:
        Plan.from_toml('window = "1h"\n[aggregations]\na = {name = "Total"}')
    message = str(caught.value)
    assert "'window' is no part" in message
    assert "windows is missing" in message
    assert "'Total' is no built-in" in message
    with pytest.raises(PlanError, match="no TOML"):
        Plan.from_toml("windows = ")


def written(aggregation: str) -> Plan:
    """A plan of one aggregation, as TOML."""
    return Plan.from_toml(f'windows = "1h"\non = "t"\n[aggregations]\na = {aggregation}')


@pytest.mark.parametrize(
    ("text", "aggregation"),
    [
        ('{name = "TopK", columns = ["x"], k = 3}', sash.TopK("x", k=3)),
        ('{name = "TopK", columns = "x", options = {k = 3}}', sash.TopK("x", k=3)),
        ('{name = "TopK", columns = ["x"], k = 3, options = {nan = "error"}}', sash.TopK("x", k=3, nan="error")),
        ('{name = "ArgMax", columns = ["x", "s"]}', sash.ArgMax("x", "s")),
    ],
)
def test_options_stand_beside_the_columns_or_among_the_options(text: str, aggregation: sash.Aggregation) -> None:
    """However they are written, none is lost."""
    assert written(text).aggregations["a"] == aggregation


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ('{name = "TopK", columns = ["x"], kk = 3}', "TopK has no option 'kk': did you mean 'k'"),
        ('{name = "Sum", column = "x"}', "no option 'column': did you mean 'columns'"),
        ('{name = "Topk", columns = ["x"]}', "'Topk' is no built-in aggregation: is it 'TopK'?"),
        ('{name = "TopK", columns = ["x"], k = 3, options = {k = 4}}', "'k' is there twice"),
        ('{name = "TopK", columns = ["x"], k = "3"}', "TopK: "),
        ('{columns = ["x"]}', "name is missing"),
        ('{name = "Sum", columns = [3]}', "columns: .* not 3"),
        ('{name = "Sum", options = 3}', "options: .* not 3"),
        ("3", "write it as {name = "),
    ],
)
def test_what_is_written_wrong_is_refused_with_what_exists(text: str, words: str) -> None:
    """Nothing that is written is passed over."""
    with pytest.raises(PlanError, match=words) as caught:
        written(text)
    assert "aggregation 'a'" in str(caught.value)


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ('windws = "1h"', "'windws' is no part of a plan: did you mean 'windows'"),
        ('windows = {policy = "TimeWindow", length = "1h", clsoed = "left"}', "no 'clsoed': did you mean 'closed'"),
        ('windows = {policy = "TimeWindw", length = "1h"}', "did you mean 'TimeWindow'"),
        ('windows = "1h"\nby = 3', "by: .* not 3"),
        ('windows = "1h"\npeers = 1', "peers: .* not 1"),
        ('windows = "1h"\nmin_periods = 2.5', "min_periods: .* not 2.5"),
        ('windows = "1h"\nclosed = "lft"', "closed is .* not 'lft'"),
    ],
)
def test_every_part_of_a_written_plan_is_checked(text: str, words: str) -> None:
    """Unknown parts and parts of another type are refused."""
    with pytest.raises(PlanError, match=words):
        Plan.from_toml(f'{text}\non = "t"\n[aggregations]\nn = {{name = "Count"}}')


def test_the_library_that_reads_plans_is_imported_when_one_is_read() -> None:
    """Few need it, and it takes time to load; without it the message says what to install."""
    code = (
        "import sys, sash\n"
        "assert 'pydantic' not in sys.modules\n"
        "sys.modules['pydantic'] = None\n"
        "try: sash.Plan.from_toml('')\n"
        "except ImportError as error: print(error)\n"
    )
    ran = subprocess.run([sys.executable, "-c", code], check=True, capture_output=True, text=True)
    assert ran.stdout.startswith("a plan that was written down needs pydantic: pip install 'pydantic")


@pytest.mark.parametrize("emit", ["final", "arrival", "update"])
def test_it_explains_itself(emit: Any) -> None:
    """Every column is named with how it is computed; nothing runs for it."""
    named = {
        "total": sash.Sum("v"),
        "path": sash.Concat("s"),
        "first": sash.First("s"),
        "best": sash.ArgMax("v", "s"),
        "kinds": sash.CountDistinct("s"),
        "all": sash.Collect("s"),
        "n": sash.Count(),
    }
    plan = Plan(by="k", on="t", windows=["1h", 100], aggregations=named, emit=emit, lateness="1m", min_periods=3)
    text = plan.explain()
    for name in plan.outputs:
        assert f"{name} = " in text
    for words in ("two stacks", "block scans", "range queries", f"{emit}:", "fewer than 3"):
        assert words in text


def test_a_description_names_windows_and_aggregations_at_once() -> None:
    """A mistake in one does not hide a mistake in the other."""
    with pytest.raises(sash.PlanError) as caught:
        sash.Plan.from_dict({"on": "t", "windows": ["10 minits"], "aggregations": {"spent": "Summ('x')"}})
    assert "'Summ' is no built-in aggregation: did you mean 'Sum'?" in str(caught.value)
    assert "'10 minits' is no window" in str(caught.value)


def test_an_aggregation_may_be_written_as_a_call() -> None:
    """In TOML an aggregation is what its repr prints; nothing in it is run."""
    written = sash.Plan.from_toml("on = 't'\nwindows = '1h'\n[aggregations]\np95 = 'Quantile(\"x\", q=0.95)'\n")
    assert written.aggregations["p95"] == sash.Quantile("x", q=0.95)
    for wrong in ("Sum(", "Sum(amount)", "__import__('os').getcwd()", "lambda: 1"):
        with pytest.raises(sash.PlanError, match="aggregation 'a'"):
            sash.Plan.from_dict({"on": "t", "windows": "1h", "aggregations": {"a": wrong}})
