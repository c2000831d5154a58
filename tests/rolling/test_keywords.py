"""Every keyword of rolling is used or refused."""

import numpy as np
import pytest

import sash
from sash.errors import PlanError

FRAME = {"t": np.array([1, 2, 2, 5]), "k": np.array([0, 0, 1, 1]), "x": np.array([1, 2, 4, 8])}
TOTAL = sash.Sum("x")


@pytest.mark.parametrize(
    "keywords",
    [
        {"by": "k"},
        {"on": "t"},
        {"window": 3},
        {"closed": "right"},
        {"closed": "left"},
        {"min_periods": 0},
        {"peers": True},
        {"peers": False},
        {"emit": "final"},
        {"more": TOTAL},
    ],
    ids=repr,
)
def test_a_plan_has_all_parts(keywords):
    """What a plan does not take from keywords is refused beside one, also if it would be the same."""
    plan = sash.Plan(on="t", windows=2, aggregations={"total": TOTAL})
    with pytest.raises(PlanError, match=f"leave out {next(iter(keywords))}=, or the plan"):
        sash.rolling(FRAME, plan, **keywords)


@pytest.mark.parametrize(
    "keywords", [{"by": "k"}, {"closed": "left"}, {"min_periods": 3}, {"peers": False}, {"emit": "arrival"}], ids=repr
)
def test_a_keyword_does_what_the_part_of_a_plan_does(keywords):
    """In short or as a plan: the same results, and others than without it."""
    frame = {**FRAME, "t": np.array([2, 1, 2, 1])}
    seconds = {**frame, "t": frame["t"].astype("datetime64[s]")}
    short = sash.rolling(seconds, on="t", window="1s", total=TOTAL, **keywords)["total"]
    plan = sash.Plan(on="t", windows="1s", aggregations={"total": TOTAL}, **keywords)
    np.testing.assert_array_equal(short, sash.rolling(seconds, plan)["total_1s"])
    bare = sash.rolling(seconds, on="t", window="1s", total=TOTAL)["total"]
    assert np.ma.filled(short, -1).tolist() != np.ma.filled(bare, -1).tolist()


@pytest.mark.parametrize(
    ("keyword", "words"),
    [
        ({"min_samples": 3}, "write min_periods="),
        ({"period": "1h"}, "write window="),
        ({"center": True}, "a window ends at its row"),
        ({"index_column": "t"}, "write on="),
        ({"group_by": "k"}, "write by="),
    ],
    ids=repr,
)
def test_keywords_of_other_libraries_name_the_word_to_use(keyword, words):
    """Whoever comes from pandas or polars is told what it is called here."""
    with pytest.raises(PlanError, match=f"no {next(iter(keyword))}=: {words}"):
        sash.rolling(FRAME, window=2, total=TOTAL, **keyword)


def test_a_result_may_have_such_a_name():
    """A name is a keyword of another library only if it is given no aggregation."""
    assert sash.rolling(FRAME, window=2, center=TOTAL)["center"].tolist() == [1, 3, 6, 12]
