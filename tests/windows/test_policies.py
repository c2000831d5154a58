"""Policies and triggers as objects: checked when they are made, equal by their parts, written and read again."""

import datetime as dt
import json
from dataclasses import FrozenInstanceError

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import sash
from sash import triggers, windows
from sash.durations import Duration
from sash.errors import WindowSpecError
from sash.triggers import AtWatermark, EachEvent, EveryEvents, EverySlide, OnDemand, OnPunctuation, Trigger
from sash.windows import (
    AdaptiveWindow,
    CountWindow,
    DeltaWindow,
    LandmarkWindow,
    PolicyWindow,
    PunctuatedWindow,
    SessionWindow,
    TimeWindow,
    TumblingWindow,
    WindowPolicy,
)

lengths = st.one_of(
    st.integers(1, 10**12).map(lambda seconds: dt.timedelta(microseconds=seconds)),
    st.integers(1, 10**6),
    st.floats(1e-3, 1e6),
    st.sampled_from(["1h", "90m", "7d", "250ms"]),
)
closed = st.sampled_from(["right", "left", "both", "neither"])
origins = st.none() | st.datetimes() | st.integers(-(10**9), 10**9)
policies = st.one_of(
    st.builds(TimeWindow, lengths, closed=closed),
    st.builds(lambda length, closed: TimeWindow(length, every=length, closed=closed), lengths, closed),
    st.integers(1, 50).flatmap(lambda n: st.builds(CountWindow, st.just(n), st.integers(1, n))),
    st.builds(SessionWindow, lengths),
    st.builds(TumblingWindow, lengths, closed=st.sampled_from(["right", "left"]), origin=origins),
    st.builds(lambda count: TumblingWindow(count=count), st.integers(1, 50)),
    st.builds(
        DeltaWindow,
        st.sampled_from(["km", "watt"]),
        st.integers(1, 50) | st.floats(0.5, 9),
        tumbling=st.booleans(),
    ),
    st.builds(PunctuatedWindow, st.sampled_from(["last", "end"])),
    st.builds(LandmarkWindow, origins),
    st.builds(AdaptiveWindow, st.floats(0.001, 0.9), st.none() | st.just("watt")),
)
some_triggers = st.one_of(
    st.builds(EachEvent),
    st.builds(EveryEvents, st.integers(1, 9)),
    st.builds(EverySlide, st.none() | lengths, origins),
    st.builds(OnPunctuation, st.none() | st.just("last")),
    st.builds(OnDemand),
    st.builds(AtWatermark),
)


@given(policies, policies)
def test_a_policy_is_its_parts(one, other):
    """The repr and the description make the same policy again, through JSON too; equal ones hash alike."""
    made = eval(repr(one), {**vars(windows), "datetime": dt})
    read = WindowPolicy.from_dict(json.loads(json.dumps(one.to_dict())))
    assert one == made == read
    assert hash(one) == hash(made) == hash(read)
    assert one != other or hash(one) == hash(other)
    assert one.describe()


@given(some_triggers)
def test_a_trigger_is_its_parts(trigger):
    """Triggers are written and read as policies are."""
    assert eval(repr(trigger), {**vars(triggers), "datetime": dt}) == trigger
    assert Trigger.from_dict(json.loads(json.dumps(trigger.to_dict()))) == trigger
    assert trigger.describe()


def test_equal_lengths_are_equal_windows():
    """An hour is an hour however it is written."""
    hours = [TimeWindow("1h"), TimeWindow("60m"), TimeWindow(dt.timedelta(hours=1)), TimeWindow(np.timedelta64(1, "h"))]
    assert len(set(hours)) == 1
    assert hours[0].length == Duration(3600 * 10**9)
    assert TimeWindow("1h") != TimeWindow("1h", closed="left") != SessionWindow("1h")


def test_policies_are_frozen():
    """A policy does not change under whoever runs it, and takes no stray attributes."""
    with pytest.raises(FrozenInstanceError):
        TimeWindow("1h").length = 5
    with pytest.raises((FrozenInstanceError, TypeError, AttributeError)):
        CountWindow(3).size = 5
    with pytest.raises((FrozenInstanceError, TypeError, AttributeError)):
        EveryEvents(3).size = 5


def test_a_zone_of_an_origin_is_kept():
    """An origin is written with its zone."""
    policy = TumblingWindow("1d", origin=dt.datetime(2024, 1, 1, tzinfo=dt.UTC))
    assert WindowPolicy.from_dict(policy.to_dict()) == policy
    assert policy.to_dict()["origin"] == {"time": "datetime[UTC]", "ticks": 1704067200000000}


def never(total, prefix):
    return False


@pytest.mark.parametrize(
    ("make", "words"),
    [
        (lambda: TimeWindow("0s"), "longer than zero"),
        (lambda: TimeWindow("1m", every="1h"), "must not exceed length"),
        (lambda: TimeWindow("1h", every=5), "a plain number"),
        (lambda: TimeWindow("1h", closed="up"), "closed is 'right', 'left', 'both', 'neither', not 'up'"),
        (lambda: CountWindow(0), "at least 1"),
        (lambda: CountWindow(2.5), "whole number, not float"),
        (lambda: CountWindow(True), "whole number, not bool"),
        (lambda: CountWindow(2, every=3), "must not exceed n"),
        (lambda: SessionWindow("soon"), "no duration"),
        (lambda: TumblingWindow(), "give one of the two"),
        (lambda: TumblingWindow("1h", count=3), "give one of the two"),
        (lambda: TumblingWindow("1h", closed="both"), "closed is 'right', 'left', not 'both'"),
        (lambda: TumblingWindow(count=3, origin=5), "leave them out"),
        (lambda: TumblingWindow("1h", origin="noon"), "origin is a time"),
        (lambda: DeltaWindow("km", 0), "above zero"),
        (lambda: DeltaWindow("km", float("inf")), "finite"),
        (lambda: DeltaWindow("km", "far"), "delta is a number"),
        (lambda: DeltaWindow(5, 5), "a column or a function"),
        (lambda: PunctuatedWindow(""), "a column or a function"),
        (lambda: LandmarkWindow("noon"), "since is a time"),
        (lambda: PolicyWindow("never"), "a function of"),
        (lambda: PolicyWindow(never, over=max), "over is an aggregation"),
        (lambda: AdaptiveWindow(0), "between 0 and 1"),
        (lambda: AdaptiveWindow(0.1, of=5), "a column or a function"),
        (lambda: EveryEvents(0), "at least 1"),
        (lambda: EverySlide("often"), "no duration"),
        (lambda: OnPunctuation(5), "a column or a function"),
        (lambda: WindowPolicy.from_dict({"policy": "BayWindow"}), "'BayWindow' is no policy"),
        (lambda: WindowPolicy.from_dict({"policy": "TimeWindow"}), "cannot be made"),
        (lambda: WindowPolicy.from_dict({"policy": "TimeWindow", "length": "1h", "width": 3}), "no 'width'"),
        (lambda: WindowPolicy.from_dict([]), "needs the name"),
        (lambda: WindowPolicy.from_dict({"policy": "LandmarkWindow", "since": {"time": "era", "ticks": 1}}), "no time"),
        (lambda: PolicyWindow(never).to_dict(), "is a function"),
        (lambda: DeltaWindow(float, 5).to_dict(), "name a column instead"),
        (lambda: OnPunctuation(bool).to_dict(), "pass the trigger itself"),
    ],
)
def test_what_makes_no_sense_is_refused(make, words):
    """The message says the rule, the value and the way out, when the policy is made."""
    with pytest.raises(WindowSpecError, match=words):
        make()


def test_policies_with_functions():
    """Functions are parts like others: equal if they are the same one, and told by name."""
    assert PolicyWindow(never) == PolicyWindow(never) != PolicyWindow(never, over=sash.Sum())
    assert hash(DeltaWindow(float, 5)) == hash(DeltaWindow(float, 5))
    assert "never(total, prefix)" in PolicyWindow(never).describe()
    assert "Sum()" in PolicyWindow(never, over=sash.Sum()).describe()
    assert "5 of float" in DeltaWindow(float, 5).describe()


def test_every_policy_is_known_by_its_name():
    """The table of `from_dict` has all policies of the package."""
    exported = {name for name in windows.__all__ if name.endswith("Window")}
    assert set(windows.known_policies()) == exported


@pytest.mark.parametrize(
    "several",
    [
        [TimeWindow(10, every=5), TimeWindow(10, every=2)],
        [TimeWindow(10, every=5), TimeWindow(10)],
        [CountWindow(4, every=2), CountWindow(4, every=4)],
    ],
    ids=repr,
)
def test_windows_of_different_slides_do_not_fire_together(several):
    """At the watermark neither: it is refused when the operator is made, not at the first event."""
    with pytest.raises(WindowSpecError, match="imply different triggers"):
        sash.Sliding(sash.Sum(), several, trigger=sash.AtWatermark())
