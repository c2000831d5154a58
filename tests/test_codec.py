"""Plain values to bytes and back; and what is not from there is refused, whatever it is."""

import datetime as dt
import math
import pickle
from decimal import Decimal
from zoneinfo import ZoneInfo

import numpy as np
import pandas as pd
import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from sash.codec import MAX_DEPTH, dumps, loads
from sash.errors import AggregationError, SnapshotError
from sash.testing import same

ZONES = st.none() | st.integers(-1439, 1439).map(lambda minutes: dt.timezone(dt.timedelta(minutes=minutes)))
HASHABLE = (
    st.none()
    | st.booleans()
    | st.integers()
    | st.floats(allow_nan=False)
    | st.text(st.characters())
    | st.binary()
    | st.decimals(allow_nan=False)
    | st.dates()
    | st.datetimes(timezones=ZONES)
    | st.timedeltas()
)
PLAIN = st.recursive(
    HASHABLE | st.just(math.nan),
    lambda inner: (
        st.lists(inner, max_size=4)
        | st.lists(inner, max_size=4).map(tuple)
        | st.dictionaries(HASHABLE, inner, max_size=4)
        | st.sets(HASHABLE, max_size=4)
        | st.frozensets(HASHABLE, max_size=4)
    ),
    max_leaves=12,
)


@given(PLAIN)
@example(2**63)
@example(-(2**63) - 1)
@example(-128)
@example(128)
@example(0)
@example([-0.0, math.inf, -math.inf])
@example(Decimal("-0.00"))
@example(Decimal("NaN"))
@example("\ud800")
@example([[], (), {}, set(), frozenset(), "", b""])
def test_a_value_comes_back_as_it_was(value):
    """Equal, and of the same types all the way down."""
    back = loads(dumps(value))
    assert repr(back) == repr(value) or same(back, value)
    assert type(back) is type(value)
    assert dumps(back) == dumps(value)


@given(st.dictionaries(HASHABLE, st.integers(), max_size=6), st.randoms())
def test_equal_dictionaries_give_equal_bytes_whatever_their_history(mapping, random):
    """The order of insertion is not part of the value."""
    items = list(mapping.items())
    random.shuffle(items)
    assert dumps(dict(items)) == dumps(mapping)
    assert dumps(set(mapping)) == dumps({key for key, _ in items})


@pytest.mark.parametrize(("one", "other"), [(1, 1.0), (1, True), (0, False), ("a", b"a"), ((), []), (None, "")])
def test_values_of_different_types_have_different_bytes(one, other):
    """1, 1.0 and True are equal to Python, and still come back as what they were."""
    assert dumps(one) != dumps(other)


def test_every_nan_has_the_same_bytes():
    """The sign and the payload of a NaN are not part of the value."""
    assert dumps(math.nan) == dumps(-math.nan) == dumps(np.float64("nan"))


def test_a_zone_comes_back_as_its_offset():
    """The instant and the wall clock stay; the rules of the zone do not travel."""
    moment = dt.datetime(2024, 7, 1, 12, tzinfo=ZoneInfo("Europe/Berlin"))
    back = loads(dumps(moment))
    assert back == moment
    assert back.utcoffset() == dt.timedelta(hours=2)


@pytest.mark.parametrize(
    ("scalar", "plain"), [(np.int64(3), 3), (np.uint8(3), 3), (np.float32(0.5), 0.5), (np.bool_(True), True)]
)
def test_a_numpy_number_is_written_as_the_number_it_holds(scalar, plain):
    """Users' partials are often made by NumPy."""
    assert dumps(scalar) == dumps(plain)
    assert type(loads(dumps(scalar))) is type(plain)


@pytest.mark.parametrize(
    "value",
    [
        np.datetime64("2024-01-02"),
        np.datetime64("2024-01-02T03", "25m"),
        np.timedelta64(-7, "ns"),
        np.timedelta64(7, "3W"),
        pd.Timestamp("2024-01-02 03:04:05.000000007"),
        pd.Timestamp("2024-07-01", tz="Europe/Berlin"),
        pd.Timedelta(-7),
    ],
    ids=repr,
)
def test_times_of_numpy_and_pandas_come_back_as_they_were(value):
    """With their unit, and the zone by its name."""
    back = loads(dumps(value))
    assert (type(back), repr(back)) == (type(value), repr(value))
    assert dumps(back) == dumps(value)


@pytest.mark.parametrize(("text", "plain"), [(np.str_("a"), "a"), (np.bytes_(b"a"), b"a")])
def test_a_text_of_numpy_is_written_as_the_text_it_holds(text, plain):
    """As a number is."""
    assert dumps(text) == dumps(plain)


@pytest.mark.parametrize(
    "text",
    [
        *("int 5", "datetime 5", "a", "datetime64[s]", "datetime64[s] x", "datetime64[s] 05", "timedelta64[s], i4] 1"),
        *("timedelta64[xx] 1", "timedelta64[s] 9999999999999999999", "Timedelta[D] 5", "timestamp[s, No/where] 1"),
    ],
)
def test_malformed_times_are_refused(text):
    """And so is what is written in another way."""
    with pytest.raises(SnapshotError):
        loads(b"I" + bytes([len(text)]) + text.encode())


class Custom:
    """A class that no codec knows."""


class Point(tuple):
    """A tuple with a meaning of its own, which would be lost."""


@pytest.mark.parametrize(
    "value", [Custom(), Point((1, 2)), 1j, bytearray(b"x"), range(3), len, [Custom()], {Custom(): 1}]
)
def test_a_value_that_is_not_plain_is_refused_with_the_way_out(value):
    """Nothing is written that would come back as something else."""
    with pytest.raises(AggregationError, match=r"define encode\(\) and decode\(\)"):
        dumps(value)


def test_several_nan_keys_are_refused():
    """They could not be told apart when read."""
    with pytest.raises(AggregationError, match="NaN"):
        dumps({float("nan"), float("nan")})


def nested(depth):
    """A list in a list in a list."""
    value = []
    for _ in range(depth):
        value = [value]
    return value


def test_depth_is_bounded_both_ways():
    """What is written can be read, and neither exhausts the stack."""
    assert loads(dumps(nested(MAX_DEPTH))) == nested(MAX_DEPTH)
    with pytest.raises(SnapshotError, match="nested deeper"):
        dumps(nested(MAX_DEPTH + 1))
    with pytest.raises(SnapshotError, match="nested deeper"):
        loads(b"l\x01" * 100_000 + b"N")


def test_a_value_that_holds_itself_is_refused():
    """No endless recursion."""
    loop = []
    loop.append(loop)
    with pytest.raises(SnapshotError, match="nested deeper"):
        dumps(loop)


@given(PLAIN, st.data())
def test_bytes_cut_short_are_refused(value, data):
    """At every byte."""
    encoded = dumps(value)
    cut = data.draw(st.integers(0, len(encoded) - 1))
    with pytest.raises(SnapshotError):
        loads(encoded[:cut])


@given(PLAIN)
def test_bytes_too_many_are_refused(value):
    """A value ends where it ends."""
    with pytest.raises(SnapshotError, match="too many"):
        loads(dumps(value) + b"N")


@given(PLAIN, st.data())
def test_a_damaged_byte_gives_an_error_or_another_value_never_a_crash(value, data):
    """Whatever can be read at all is what Sash writes for that value: the encoding is canonical."""
    encoded = bytearray(dumps(value))
    encoded[data.draw(st.integers(0, len(encoded) - 1))] = data.draw(st.integers(0, 255))
    accept_only_canonical(bytes(encoded))


@given(st.binary(max_size=64))
@example(pickle.dumps([1, 2]))
def test_foreign_bytes_give_an_error_or_a_value_never_a_crash(data):
    """Reading runs nothing, so the worst is a wrong value of plain types."""
    accept_only_canonical(data)


def accept_only_canonical(data):
    """An error, or the very bytes again."""
    try:
        value = loads(data)
    except SnapshotError:
        return
    assert dumps(value) == data


@pytest.mark.parametrize(
    "data",
    [
        b"",
        b"i\x02\x01\x00",  # a number with a byte too many
        b"i\x81\x00\x01",  # a size with a byte too many
        b"s\x01\xff",  # not UTF-8
        b"s\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\x7f",  # a size beyond 64 bits
        b"l\xff\xff\xff\xff\x0f",  # four thousand million items in no bytes
        b"m\x01l\x00N",  # a list as a key
        b"m\x02i\x01\x02Ni\x01\x01N",  # keys out of order
        b"u\x02Ti\x01\x01",  # out of order
        b"u\x02i\x01\x01T\x00"[:-1] + b"",  # 1 and True are one member
        b"d\x03abc",
        b"d\x021_",
        b"Y\x0a2024-02-30",
        b"Z\x0a2024-02-20",  # a datetime in a form that is not written
        b"D\x09\xff\xff\xff\xff\xff\xff\xff\xff\x7f",  # a duration out of range
        b"f\x01\x00\x00\x00\x00\x00\xf8\x7f",  # a NaN that is not the one
    ],
)
def test_malformed_bytes_are_refused(data):
    """Each in its own way."""
    with pytest.raises(SnapshotError):
        loads(data)


def test_a_promise_of_many_items_costs_nothing_before_it_is_believed():
    """Sizes are held against the bytes that are left."""
    with pytest.raises(SnapshotError, match="promised"):
        loads(b"l\xff\xff\xff\xff\xff\xff\xff\x7f")
