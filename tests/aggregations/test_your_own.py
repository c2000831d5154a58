"""An aggregation of your own that fails: the error reaches the caller as it was raised, and the window is as it was."""

import traceback

import pytest

import sash
from sash.testing import Oracle

#: Concat and First have no inverse, so subtract_on_evict has a test of its own.
ALGORITHMS = sorted(set(sash.algorithms.ALGORITHMS) - {"subtract_on_evict"})


class TroubleError(Exception):
    """An error of the user's own, which Sash knows nothing of."""


class Fragile(sash.Aggregation):
    """Concatenates texts; each method raises on demand, at its n-th call from then on."""

    identity = ""

    def __init__(self):
        self.trouble = {}

    def arm(self, method, calls=1):
        self.trouble = {method: calls}

    def disarm(self):
        self.trouble = {}

    def count_down(self, method):
        if method in self.trouble:
            self.trouble[method] -= 1
            if self.trouble[method] == 0:
                self.give_up(method)

    def give_up(self, method):
        raise TroubleError(f"in {method}")

    def lift(self, value):
        self.count_down("lift")
        return value

    def combine(self, older, newer):
        self.count_down("combine")
        return older + newer

    def lower(self, partial):
        self.count_down("lower")
        return f"<{partial}>"

    def inverse(self, whole, older):
        self.count_down("inverse")
        return whole[len(older) :]

    # Snapshots are compared while armed or not.
    def to_dict(self):
        return {"name": "Fragile", "columns": [], "options": {}}


class Firm(Fragile):
    """The same without an inverse."""

    inverse = sash.Aggregation.inverse


def filled(aggregation, algorithm, count=10):
    """Events 0, 1, 2 .. of letters, slid a little so that the structure has a history."""
    window = sash.Window(aggregation, algorithm=algorithm)
    for time in range(-3, count):
        window.insert(time, chr(97 + time % 26))
    for _ in range(3):
        window.evict()
    return window


def contents(window):
    """All that can be seen of a window."""
    return len(window), window.oldest, window.youngest, window.query(), window.snapshot()


CALLS = {
    "insert": lambda window: window.insert(10, "x"),
    "insert at an equal time": lambda window: window.insert(9, "x"),
    "bulk insert": lambda window: window.bulk_insert([10, 11, 11, 12], list("wxyz")),
    "evict": lambda window: window.evict(),
    "bulk evict": lambda window: window.bulk_evict(6),
    "query": lambda window: window.query(),
    "late insert": lambda window: window.insert(4.5, "x"),
    "late bulk insert": lambda window: window.bulk_insert([2, 5.5, 4.5, 11], list("wxyz")),
    "evict inside": lambda window: window.evict(4),
    "query of a part": lambda window: window.query(2, 7),
}


def calls_of(algorithm):
    """The calls that the algorithm can do at all."""
    can = sash.algorithms.ALGORITHMS[algorithm]
    missing = {
        "late insert": not can.late,
        "late bulk insert": not can.late,
        "evict inside": not can.evicts_anywhere,
        "query of a part": not can.ranges,
    }
    return {name: call for name, call in CALLS.items() if not missing.get(name)}


def error_of(call, window):
    """The user's error, or None if the call went through."""
    try:
        call(window)
    except TroubleError as error:
        return error
    return None


def check_failures(make, algorithm, method, name, call):
    """Fail at the first call of the method, the second, and so on, until the whole goes through; count the failures."""
    for failures in range(400):
        aggregation = make()
        window = filled(aggregation, algorithm)
        before = contents(window)
        aggregation.arm(method, calls=failures + 1)
        error = error_of(call, window)
        aggregation.disarm()
        window.check_invariants()
        if error is None:
            return failures
        assert str(error) == f"in {method}", (algorithm, name)
        # The user's own functions are in the traceback, down to the line that raised.
        assert [frame.name for frame in traceback.extract_tb(error.__traceback__)][-3:] == [
            method,
            "count_down",
            "give_up",
        ]
        assert contents(window) == before, (algorithm, name, failures)
        # It is as good as new: the same call now does what it should.
        oracle = Oracle(make())
        oracle.bulk_insert(range(10), "abcdefghij")
        call(window)
        call(oracle)
        assert window.query() == oracle.query()
        window.check_invariants()
    raise AssertionError(f"{name} of {algorithm} calls {method} more than 400 times")


@pytest.mark.parametrize("algorithm", ALGORITHMS)
@pytest.mark.parametrize("method", ["lift", "combine", "lower"])
def test_a_failure_reaches_the_caller_and_changes_nothing(algorithm, method):
    """Whichever call it happens in, and at whichever step of it."""
    failures = {name: check_failures(Firm, algorithm, method, name, call) for name, call in calls_of(algorithm).items()}
    expected = {"lift": "bulk insert", "combine": None, "lower": "query"}[method]
    if expected:
        assert failures[expected], "the failure was reached"
    else:
        assert sum(failures.values()), "the failure was reached"


@pytest.mark.parametrize("method", ["lift", "combine", "lower", "inverse"])
def test_a_failure_where_totals_are_subtracted(method):
    """The inverse is one more method that may fail."""
    failures = {
        name: check_failures(Fragile, "subtract_on_evict", method, name, call)
        for name, call in calls_of("subtract_on_evict").items()
    }
    assert sum(failures.values()), "the failure was reached"


@pytest.mark.parametrize("method", ["encode", "decode"])
def test_a_codec_that_fails_reaches_the_caller(method):
    """The window that could not be written is as it was; what could not be read is a snapshot error with its cause."""

    class Coded(sash.Aggregation):
        identity = ""
        broken = False

        def lift(self, value):
            return value

        def combine(self, older, newer):
            return older + newer

        def lower(self, partial):
            return partial

        def encode(self, partial):
            if self.broken and method == "encode":
                raise TroubleError("in encode")
            return partial.encode()

        def decode(self, data):
            if self.broken and method == "decode":
                raise TroubleError("in decode")
            return data.decode()

    coded = Coded()
    window = sash.Window(coded)
    window.bulk_insert([1, 2], ["a", "b"])
    blob = window.snapshot()
    coded.broken = True
    if method == "encode":
        with pytest.raises(TroubleError, match="in encode"):
            window.snapshot()
    else:
        with pytest.raises(sash.SnapshotError) as caught:
            sash.Window.restore(blob, coded)
        assert isinstance(caught.value.__cause__, TroubleError)
    assert window.query() == "ab"
    coded.broken = False
    assert sash.Window.restore(window.snapshot(), coded).query() == "ab"


def test_the_message_and_the_type_are_the_users_own():
    """Nothing is wrapped: except clauses that know the user's errors work."""

    def lift(value):
        return {"a": 1}[value]

    window = sash.Window(sash.aggregation(lift=lift, combine=max, identity=0))
    window.insert(1, "a")
    with pytest.raises(KeyError) as caught:
        window.insert(2, "b")
    assert caught.value.args == ("b",)
    assert traceback.extract_tb(caught.value.__traceback__)[-1].name == "lift"
    assert (len(window), window.query()) == (1, 1)


@pytest.mark.parametrize("algorithm", ALGORITHMS)
def test_an_interrupt_is_no_different(algorithm):
    """Control-C inside a callback leaves a window that works."""

    class Interrupted(Firm):
        def give_up(self, method):
            raise KeyboardInterrupt

    aggregation = Interrupted()
    window = filled(aggregation, algorithm)
    before = contents(window)
    aggregation.arm("lift", calls=2)
    with pytest.raises(KeyboardInterrupt):
        window.bulk_insert([10, 11, 12], list("xyz"))
    aggregation.disarm()
    assert contents(window) == before
