"""The operator says what brute force says: every policy, trigger and emit mode, step by step."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sash.operator import Sliding

from .reference import Reference
from .stories import EMITS, POLICIES, SUBJECTS, TRIGGERS, run, streams

lateness = st.sampled_from([None, 0, 2, 5])


@pytest.mark.parametrize("emit", EMITS)
@pytest.mark.parametrize("policy", POLICIES)
@given(
    steps=streams("ab"),
    subject=st.sampled_from(sorted(SUBJECTS)),
    lateness=lateness,
    options=st.fixed_dictionaries(
        {},
        optional={
            "changes_only": st.just(True),
            "min_periods": st.sampled_from([1, 2]),
            "expire": st.sampled_from([3, 8]),
        },
    ),
)
def test_says_what_brute_force_says(policy, emit, steps, subject, lateness, options):
    """At every step the same results in the same order, whatever asks, however late, with keys and nulls."""
    subject = SUBJECTS[subject]
    for trigger in TRIGGERS.values():
        settings = {"trigger": trigger, "emit": emit, "lateness": lateness, **options}
        operator = Sliding(subject.aggregation, POLICIES[policy], by=True, **settings)
        reference = Reference(subject.aggregate, POLICIES[policy], **settings)
        assert run(operator, subject, steps) == run(reference, subject, steps), trigger
        assert operator.late_counts == {"watermark": len(reference.late), "finished": 0}
