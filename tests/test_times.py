"""Every kind of time enters as an int64 in order, and leaves as it came."""

import datetime as dt
import itertools
import math
from zoneinfo import ZoneInfo

import numpy as np
import pandas as pd
import pyarrow as pa
import pytest
from hypothesis import example, given
from hypothesis import strategies as st

import sash
from sash import times
from sash.errors import SnapshotError, WindowSpecError
from sash.times import FLOAT, INT, Duration, Kind, parse_duration

BERLIN = ZoneInfo("Europe/Berlin")
TOKYO = ZoneInfo("Asia/Tokyo")
INT64 = st.integers(-(2**63), 2**63 - 1)
ZONES = st.none() | st.sampled_from([dt.UTC, BERLIN, TOKYO, dt.timezone(dt.timedelta(hours=-5, minutes=-30))])
TIMES = {
    "int": INT64,
    "float": st.floats(allow_nan=False),
    "date": st.dates(),
    "naive": st.datetimes(),
    # By way of UTC, since a clock in Berlin skips an hour a year.
    "aware": st.datetimes(dt.datetime(2, 1, 1), dt.datetime(9998, 1, 1), timezones=st.just(dt.UTC)).map(
        lambda moment: moment.astimezone(BERLIN)
    ),
    "datetime64": st.integers(-(2**62), 2**62).map(lambda ticks: np.datetime64(ticks, "ms")),
    "timestamp": st.datetimes(dt.datetime(1700, 1, 1), dt.datetime(2200, 1, 1)).map(pd.Timestamp),
    "zoned timestamp": st.datetimes(dt.datetime(1700, 1, 1), dt.datetime(2200, 1, 1)).map(
        lambda moment: pd.Timestamp(moment).tz_localize("UTC").tz_convert("Asia/Tokyo")
    ),
    "arrow": st.integers(0, 2**50).map(lambda ticks: pa.scalar(ticks, pa.timestamp("us", "Europe/Berlin"))),
}


@pytest.mark.parametrize("name", TIMES)
def test_a_time_leaves_as_it_came(name):
    """Same value, same type, same zone."""

    @given(TIMES[name])
    def check(time):
        kind, ticks = times.encode(time)
        assert type(ticks) is int
        assert -(2**63) <= ticks < 2**63
        back = times.decode(kind, ticks)
        assert back == time
        assert type(back) is type(time)
        assert getattr(back, "tzinfo", None) == getattr(time, "tzinfo", None)

    check()


@pytest.mark.parametrize("name", [name for name in TIMES if name != "arrow"])
def test_the_order_of_the_codes_is_the_order_of_the_times(name):
    """That is all the core knows of time."""

    @given(TIMES[name], TIMES[name])
    def check(one, other):
        first, second = times.encode(one)[1], times.encode(other)[1]
        if name == "aware":
            # Python compares two clocks of one zone by what they show, also in the hour that they show twice.
            one, other = one.astimezone(dt.UTC), other.astimezone(dt.UTC)
        assert (first < second) == (one < other)
        assert (first == second) == (one == other)

    check()


@pytest.mark.parametrize("name", TIMES)
def test_arrays_are_encoded_as_their_elements_are(name):
    """One meaning, whether times come one by one or all at once."""

    @given(st.lists(TIMES[name], min_size=1, max_size=5))
    def check(moments):
        kind, ticks = times.encode_array(moments)
        assert ticks.dtype == np.int64
        assert kind == times.encode(moments[0])[0]
        assert ticks.tolist() == [times.encode(moment)[1] for moment in moments]
        assert list(times.decode_array(kind, ticks)) == moments

    check()


# Floats


def test_floats_keep_their_order_across_zero_and_infinity():
    """-inf < -1 < -tiny < 0 < tiny < 1 < inf"""
    line = [-math.inf, -1e308, -1.5, -5e-324, 0.0, 5e-324, 0.25, 1e308, math.inf]
    codes = [times.encode_real(value) for value in line]
    assert codes == sorted(codes)
    assert len(set(codes)) == len(codes)


def test_minus_zero_is_zero():
    """They are equal, so they are one time."""
    assert times.encode(-0.0) == times.encode(0.0) == (FLOAT, 0)
    assert times.encode_array(np.array([-0.0]))[1].tolist() == [0]


@pytest.mark.parametrize("nan", [math.nan, -math.nan, np.float64("nan"), np.float32("nan")])
def test_nan_is_no_time(nan):
    """It has no place in an order."""
    with pytest.raises(ValueError, match="NaN is no time"):
        times.encode(nan)
    with pytest.raises(ValueError, match=r"NaN is no time.*position 1"):
        times.encode_array(np.array([1.0, nan]))


@given(st.lists(st.floats(allow_nan=False)))
def test_the_map_of_float_arrays_is_the_map_of_floats(values):
    """The vectorised one and the plain one agree to the bit."""
    _, ticks = times.encode_array(np.array(values, float))
    assert ticks.tolist() == [times.encode_real(value) for value in values]
    assert times.decode_array(FLOAT, ticks).tolist() == values


# What is no time


@pytest.mark.parametrize(
    "value", ["noon", None, [1], 1j, True, np.bool_(False), dt.timedelta(1), np.timedelta64(1, "s"), object(), b"1"]
)
def test_what_is_no_time_is_a_type_error_that_says_what_is(value):
    """And shows what was given."""
    with pytest.raises(TypeError, match=r"a time is an int, float, date, datetime.*, not "):
        times.encode(value)


@pytest.mark.parametrize("value", [np.datetime64("NaT", "s"), pd.NaT])
def test_nat_is_no_time(value):
    """It has no place in an order either."""
    with pytest.raises(ValueError, match="NaT is no time"):
        times.encode(value)


def test_a_null_of_arrow_is_no_time():
    """Alone and in an array."""
    with pytest.raises(ValueError, match="null is no time"):
        times.encode(pa.scalar(None, pa.timestamp("us")))
    with pytest.raises(ValueError, match=r"null is no time.*position 1"):
        times.encode_array(pa.array([1, None], pa.timestamp("us")))


@pytest.mark.parametrize("value", [2**63, -(2**63) - 1, 10**400, np.uint64(2**63)])
def test_an_integer_beyond_64_bits_overflows(value):
    """It is refused, not wrapped."""
    with pytest.raises(OverflowError, match="64 bits"):
        times.encode(value)
    with pytest.raises(OverflowError, match="64 bits"):
        times.encode_array([0, value])


def test_a_datetime64_without_a_unit_is_refused():
    """Nobody knows what it counts."""
    with pytest.raises(TypeError, match="without a unit"):
        times.encode_array(np.array([1, 2]).view("datetime64"))


@pytest.mark.parametrize(
    "array",
    [np.array(["a"]), np.array([True]), np.array([1j]), np.array([1, 2]).view("timedelta64[s]"), pa.array(["a"])],
)
def test_arrays_of_what_is_no_time_are_refused(array):
    """By their type, or by what is in them."""
    with pytest.raises(TypeError, match="a time is an int"):
        times.encode_array(array)


def test_times_have_one_dimension():
    """A matrix has no order of its own."""
    with pytest.raises(ValueError, match="one-dimensional"):
        times.encode_array(np.zeros((2, 2)))


# Datetimes


def test_a_naive_datetime_is_read_as_utc():
    """And leaves naive."""
    naive, aware = dt.datetime(2024, 1, 1), dt.datetime(2024, 1, 1, tzinfo=dt.UTC)
    assert times.encode(naive)[1] == times.encode(aware)[1]
    assert times.decode(*times.encode(naive)) == naive


def test_times_leave_with_the_zone_of_the_first():
    """Later ones are instants, whatever their zones."""
    kind, _ = times.encode(dt.datetime(2024, 1, 1, tzinfo=TOKYO))
    ticks = times.encode_as(kind, dt.datetime(2024, 1, 1, tzinfo=dt.UTC))
    assert times.decode(kind, ticks).isoformat() == "2024-01-01T09:00:00+09:00"


def test_an_hour_that_is_never_there_is_the_instant_that_python_makes_of_it():
    """When clocks go forward, 02:30 is not shown; it leaves as the 03:30 that it is."""
    skipped = dt.datetime(2024, 3, 31, 2, 30, tzinfo=BERLIN)
    assert times.decode(*times.encode(skipped)) == skipped.astimezone(dt.UTC).astimezone(BERLIN)


def test_the_hour_that_is_there_twice_is_two_hours():
    """When clocks go back, fold tells the two apart; both come back as they were."""
    first = dt.datetime(2024, 10, 27, 2, 30, tzinfo=BERLIN)
    second = first.replace(fold=1)
    codes = [times.encode(moment)[1] for moment in (first, second)]
    assert codes[1] - codes[0] == 3_600_000_000
    for moment in (first, second):
        back = times.decode(*times.encode(moment))
        assert (back.hour, back.fold) == (2, moment.fold)


@pytest.mark.parametrize("unit", ["Y", "M", "W", "D", "h", "m", "s", "ms", "us", "ns", "ps", "fs", "as", "25s"])
def test_a_datetime64_keeps_its_unit(unit):
    """Whatever it is."""
    array = np.array([-3, 0, 7]).view(f"datetime64[{unit}]")
    kind, ticks = times.encode_array(array)
    assert ticks.tolist() == [-3, 0, 7]
    back = times.decode_array(kind, ticks)
    assert back.dtype == array.dtype
    assert times.decode(kind, 7) == array[2]
    assert times.decode(kind, 7).dtype == array.dtype
    assert times.encode(array[0]) == (kind, -3)


@pytest.mark.parametrize("unit", ["s", "ms", "us", "ns"])
@pytest.mark.parametrize("zone", [None, "UTC", "Europe/Berlin"])
def test_pandas_times_keep_their_unit_and_zone(unit, zone):
    """Series, indexes and single timestamps alike."""
    index = pd.DatetimeIndex(["2024-01-01", "2024-07-01"]).as_unit(unit).tz_localize(zone)
    kind, ticks = times.encode_array(index)
    assert kind.name == "timestamp"
    back = times.decode_array(kind, ticks)
    assert back.equals(index)
    assert back.dtype == index.dtype
    for values in (pd.Series(index), index.array):
        _, same = times.encode_array(values)
        assert same.tolist() == ticks.tolist()
    one = times.decode(kind, int(ticks[1]))
    assert one == index[1]
    assert one.unit == unit
    assert str(one.tz) == str(index[1].tz)


def test_nulls_of_pandas_are_refused_with_their_position():
    """NaT and NA."""
    with pytest.raises(ValueError, match="position 1"):
        times.encode_array(pd.Series(pd.to_datetime(["2024-01-01", None])))
    with pytest.raises(ValueError, match="position 0"):
        times.encode_array(pd.Series([None, 1], dtype="Int64"))


@pytest.mark.parametrize("unit", ["s", "ms", "us", "ns"])
@pytest.mark.parametrize("zone", [None, "UTC", "+01:00", "Europe/Berlin"])
def test_arrow_timestamps_keep_their_unit_and_zone(unit, zone):
    """Arrays, chunked arrays and scalars."""
    array = pa.array([1, 2, 3], pa.timestamp(unit, zone))
    kind, ticks = times.encode_array(array)
    assert ticks.tolist() == [1, 2, 3]
    assert times.decode_array(kind, ticks) == array
    assert times.encode(array[1]) == (kind, 2)
    assert times.decode(kind, 2) == array[1]
    for chunked in (pa.chunked_array([array]), pa.chunked_array([array[:1], array[1:]])):
        assert times.encode_array(chunked)[1].tolist() == [1, 2, 3]


@pytest.mark.parametrize("type_", [pa.int32(), pa.int64(), pa.float64(), pa.date32(), pa.date64()])
def test_other_arrow_arrays_are_read_as_what_they_hold(type_):
    """Numbers as numbers, dates as dates."""
    array = (
        pa.array([0, 1], pa.int64()).cast(pa.int32()).cast(type_) if type_ == pa.date32() else pa.array([0, 0], type_)
    )
    kind, ticks = times.encode_array(array)
    assert len(ticks) == 2
    assert list(times.decode_array(kind, ticks)) == array.to_pylist()


def test_what_speaks_the_arrow_interface_is_taken():
    """Such as the columns of other libraries."""

    class Column:
        def __init__(self, array):
            self.array = array

        def __arrow_c_stream__(self, requested_schema=None):
            return pa.chunked_array([self.array]).__arrow_c_stream__(requested_schema)

    kind, ticks = times.encode_array(Column(pa.array([5, 6], pa.timestamp("ms"))))
    assert str(kind) == "arrow[ms]"
    assert ticks.tolist() == [5, 6]


def test_int64_datetime64_and_arrow_timestamps_are_not_copied():
    """The same memory, strides and all."""
    for array in (np.arange(8), np.arange(8).view("datetime64[s]"), np.arange(16)[::2]):
        assert np.shares_memory(times.encode_array(array)[1], array)
    arrow = pa.array(np.arange(8), pa.timestamp("us"))
    assert times.encode_array(arrow)[1].ctypes.data == arrow.buffers()[1].address


def test_foreign_byte_orders_are_understood():
    """A big-endian array is an array of times too."""
    for array in (np.array([1, 2], ">i8"), np.array([1, 2], ">i8").view(">M8[s]"), np.array([1.0, 2.0], ">f8")):
        kind, ticks = times.encode_array(array)
        assert list(times.decode_array(kind, ticks)) == list(array)


def test_a_window_without_times_has_no_kind_to_speak_of():
    """An empty list is taken as integers, an empty array as what it could hold."""
    assert times.encode_array([])[0] == INT
    assert str(times.encode_array(np.array([], "datetime64[s]"))[0]) == "datetime64[s]"
    assert len(times.encode_array(pa.chunked_array([], pa.timestamp("s")))[1]) == 0


# Kinds among each other


def test_floats_among_integers_make_floats_of_all():
    """If every integer is a float exactly."""
    kind, ticks = times.encode_array([1, 2.5])
    assert times.decode_array(kind, ticks).tolist() == [1.0, 2.5]
    with pytest.raises(TypeError, match=r"no float64 exactly.*position 1"):
        times.encode_array([0.5, 2**53 + 1])


def test_instants_of_all_kinds_go_together_if_nothing_is_lost():
    """A datetime among datetime64, a Timestamp among datetimes, and so on."""
    moment = dt.datetime(2024, 2, 29, 12, tzinfo=dt.UTC)
    seconds = 1_709_208_000
    forms = [
        moment,
        moment.astimezone(TOKYO),
        moment.replace(tzinfo=None),
        np.datetime64(seconds, "s"),
        pd.Timestamp(moment),
        pa.scalar(seconds, pa.timestamp("s", "UTC")),
    ]
    for one, other in itertools.permutations(forms, 2):
        kind, ticks = times.encode(one)
        assert times.encode_as(kind, other) == ticks


def test_an_instant_between_two_steps_is_refused_as_a_time_and_rounded_as_a_bound():
    """A window of whole days holds no noon, but can be asked about it."""
    days, noon = Kind("datetime64", "D"), dt.datetime(1970, 1, 2, 12)
    with pytest.raises(ValueError, match="between two steps of datetime64"):
        times.encode_as(days, noon)
    assert times.bound(days, noon, up=False) == 1
    assert times.bound(days, noon, up=True) == 2


def test_an_instant_out_of_range_is_refused_as_a_time_and_clamped_as_a_bound():
    """The year 9999 is not within 64 bits of nanoseconds."""
    nanoseconds, late = Kind("datetime64", "ns"), dt.datetime(9999, 1, 1)
    with pytest.raises(OverflowError, match="64 bits"):
        times.encode_as(nanoseconds, late)
    assert times.bound(nanoseconds, late, up=False) == 2**63 - 1


@pytest.mark.parametrize(
    ("kind", "value"),
    [
        (INT, dt.datetime(2024, 1, 1)),
        (INT, 2.5),
        (Kind("datetime"), 3),
        (Kind("datetime64", "M"), dt.datetime(2024, 1, 1)),
        (FLOAT, dt.date(2024, 1, 1)),
    ],
)
def test_kinds_that_have_nothing_in_common_do_not_mix(kind, value):
    """One window takes one kind."""
    with pytest.raises(TypeError, match="one window takes one kind"):
        times.encode_as(kind, value)


@given(st.integers(-(2**62), 2**62), st.floats(allow_nan=False))
@example(2**53 + 1, float(2**53))
@example(0, math.inf)
@example(0, -math.inf)
def test_bounds_of_another_number_kind_cut_exactly(integer, real):
    """An integer is at or after a float bound in code exactly if it is so in value; and the other way round."""
    assert (integer >= times.bound(INT, real, up=True)) == (integer >= real)
    assert (integer <= times.bound(INT, real, up=False)) == (integer <= real)
    code = times.encode_real(real)
    assert (code >= times.bound(FLOAT, integer, up=True)) == (real >= integer)
    assert (code <= times.bound(FLOAT, integer, up=False)) == (real <= integer)


# Kinds as text


@pytest.mark.parametrize(
    ("kind", "text"),
    [
        (INT, "int"),
        (FLOAT, "float"),
        (Kind("date"), "date"),
        (Kind("datetime"), "datetime"),
        (Kind("datetime", zone=dt.UTC), "datetime[UTC]"),
        (Kind("datetime", zone=BERLIN), "datetime[Europe/Berlin]"),
        (Kind("datetime", zone=dt.timezone(dt.timedelta(hours=-5, minutes=-30))), "datetime[-05:30]"),
        (Kind("datetime", zone=dt.timezone(dt.timedelta(hours=1), "CET")), "datetime[+01:00]"),
        (Kind("datetime64", "25s"), "datetime64[25s]"),
        (Kind("timestamp", "ns", BERLIN), "timestamp[ns, Europe/Berlin]"),
        (Kind("arrow", "us", "Europe/Berlin"), "arrow[us, Europe/Berlin]"),
        (Kind("arrow", "us"), "arrow[us]"),
    ],
)
def test_the_text_of_a_kind_is_stable_and_is_read_back(kind, text):
    """Snapshots keep it, so it must never change."""
    assert str(kind) == text
    assert str(Kind.parse(text)) == text
    assert hash(kind) == hash(Kind(kind.name, kind.unit, kind.zone))


@pytest.mark.parametrize(
    "text",
    [
        "",
        "integer",
        "datetime64",
        "datetime64[parsec]",
        "int[s]",
        "datetime[Mars/Olympus]",
        "datetime[../../etc]",
        "datetime[+99:00]",
        "datetime64[s, UTC",
        "arrow[]",
        "datetime[]",
    ],
)
def test_a_text_that_is_no_kind_is_a_snapshot_error(text):
    """It comes from a snapshot, so that is what is damaged."""
    with pytest.raises(SnapshotError):
        Kind.parse(text)


def test_a_zone_without_a_name_cannot_be_written_down():
    """It works in a window, and is refused when a snapshot is made."""

    class Local(dt.tzinfo):
        def utcoffset(self, moment):
            return dt.timedelta(hours=1)

        def dst(self, moment):
            return None

        def tzname(self, moment):
            return "local"

    kind, ticks = times.encode(dt.datetime(1970, 1, 1, 1, tzinfo=Local()))
    assert ticks == 0
    with pytest.raises(TypeError, match="no name to write down"):
        str(kind)


@pytest.mark.parametrize("edge", [dt.datetime.min, dt.datetime.max], ids=["min", "max"])
@pytest.mark.parametrize("zone", ["UTC", "Europe/Berlin", "America/New_York", "Asia/Tokyo"])
def test_the_first_and_the_last_datetime_of_a_zone_leave_as_they_came(edge, zone):
    """Also where UTC has no datetime for them."""
    time = edge.replace(tzinfo=ZoneInfo(zone))
    back = times.decode(*times.encode(time))
    assert (back, back.tzinfo) == (time, time.tzinfo)
    (result,) = sash.Sliding(sash.Count(), "1h").push(time, 1)
    assert (result.end, result.value) == (time, 1)
    window = sash.Window(sash.Count())
    window.insert(time, 1)
    assert window.oldest == time


# Durations


@pytest.mark.parametrize(
    ("value", "nanoseconds"),
    [
        ("1ns", 1),
        ("250ms", 250 * 10**6),
        ("5us", 5_000),
        ("5µs", 5_000),
        ("1s", 10**9),
        ("10m", 600 * 10**9),
        ("10min", 600 * 10**9),
        ("1h", 3_600 * 10**9),
        ("7d", 604_800 * 10**9),
        ("1w", 604_800 * 10**9),
        ("1h30m", 5_400 * 10**9),
        (" 1 h 30 m ", 5_400 * 10**9),
        ("1.5h", 5_400 * 10**9),
        ("0.000000001s", 1),
        (dt.timedelta(minutes=10), 600 * 10**9),
        (dt.timedelta(microseconds=1), 1_000),
        (np.timedelta64(10, "m"), 600 * 10**9),
        (np.timedelta64(3_000, "ps"), 3),
        (pd.Timedelta("10min"), 600 * 10**9),
        (pd.Timedelta(1_001, "ns"), 1_001),
        (pd.Timedelta(1, "D").as_unit("s"), 86_400 * 10**9),
        (pd.offsets.Minute(5), 300 * 10**9),
        (pd.offsets.Nano(7), 7),
        (pa.scalar(7, pa.duration("ns")), 7),
        (pa.scalar(7, pa.duration("s")), 7 * 10**9),
    ],
)
def test_a_duration_is_exact(value, nanoseconds):
    """Nothing is rounded."""
    assert parse_duration(value) == Duration(nanoseconds)


@pytest.mark.parametrize(
    ("written", "short"),
    [
        ("1 hour", "1h"), ("2 hours", "2h"), ("1H", "1h"), ("1hr", "1h"), ("3 days", "3d"), ("1D", "1d"), ("1W", "1w"),
        ("1 week", "1w"), ("5 minutes", "5m"), ("5T", "5m"), ("1 second", "1s"), ("1S", "1s"), ("5L", "5ms"),
        ("5 milliseconds", "5ms"), ("5U", "5us"), ("5N", "5ns"), ("1 hour 30 minutes", "90m"),
    ],
)  # fmt: skip
def test_units_as_pandas_polars_and_people_write_them(written, short):
    """A unit has one meaning, however it is written."""
    assert parse_duration(written) == parse_duration(short)


@pytest.mark.parametrize(
    ("value", "words"),
    [
        ("1mo", "has no fixed length"),
        ("1M", "has no fixed length: use days, or minutes as 'm'"),
        ("1y", "has no fixed length"),
        ("100i", "write the number alone"),
        ("1 huor", "did you mean 'hour'"),
        (pd.offsets.MonthEnd(), "has no fixed length"),
        (pd.DateOffset(months=1), "has no fixed length"),
    ],
)
def test_what_has_no_fixed_length_is_refused_with_the_word_to_use(value, words):
    """Months and years are of the calendar, and rows are counted."""
    with pytest.raises(WindowSpecError, match=words):
        parse_duration(value)


@pytest.mark.parametrize("value", [10, 2.5, np.int32(10), np.float64(2.5)])
def test_a_plain_number_is_a_duration_over_plain_numbers(value):
    """It counts whatever the times count."""
    assert parse_duration(value) == Duration(value, plain=True)


@pytest.mark.parametrize(
    "value",
    ["", " ", "10", "m", "10x", "10M", "1h-30m", "-1h", "0s", "1e3s", "½h", "1h30", "0.1ns", "300y", "100000w", "1..5s",
     0, -1, 0.0, math.nan, math.inf, True, None, [1], b"1h", 2**63,
     dt.timedelta(0), dt.timedelta(-1), np.timedelta64(0, "s"), np.timedelta64("NaT"), np.timedelta64(1, "M"),
     np.timedelta64(1, "ps"), np.timedelta64(5), pd.NaT],
)  # fmt: skip
def test_what_is_no_duration_is_refused(value):
    """With the rule, the value and the way out."""
    with pytest.raises(WindowSpecError):
        parse_duration(value)


@given(st.integers(1, 2**63 - 1))
def test_the_text_of_a_duration_is_read_back(nanoseconds):
    """In the largest unit that holds it exactly."""
    duration = Duration(nanoseconds)
    assert parse_duration(str(duration)) == duration


def test_a_duration_is_counted_in_the_ticks_of_a_kind():
    """Exactly, or not at all."""
    assert parse_duration("10m").ticks(Kind("datetime64", "s")) == 600
    assert parse_duration("7d").ticks(Kind("date")) == 7
    assert parse_duration(10).ticks(INT) == 10
    with pytest.raises(WindowSpecError, match="not a whole number of steps"):
        parse_duration("10m").ticks(Kind("date"))
    with pytest.raises(WindowSpecError, match="give a plain number"):
        parse_duration("10m").ticks(INT)
    with pytest.raises(WindowSpecError, match="has no unit"):
        parse_duration(10).ticks(Kind("datetime"))
    with pytest.raises(WindowSpecError, match="not a whole number"):
        parse_duration(2.5).ticks(INT)


def test_a_time_earlier_by_a_duration():
    """In the arithmetic of the kind; the earliest time there is, if that is out of range."""
    kind, ticks = times.encode(dt.datetime(2024, 3, 1))
    assert times.decode(kind, times.earlier(kind, ticks, parse_duration("1d"))) == dt.datetime(2024, 2, 29)
    assert times.decode(FLOAT, times.earlier(FLOAT, times.encode_real(1.0), parse_duration(1.5))) == -0.5
    assert times.earlier(INT, -(2**63) + 5, parse_duration(10)) == -(2**63)
    with pytest.raises(WindowSpecError, match="plain number"):
        times.earlier(FLOAT, 0, parse_duration("1s"))
